"""The Yellow House (Mandoo Games 2024): two painters shed cards whose strength moves while they play; 2 players."""

from voyageur.games.rules import Rules, register
from voyageur.games.words import Definition
from voyageur.games.yellowhouse import evaluation, position, rules, scripted, table

DEFINITION = Definition(
    name="yellowhouse",
    title="The Yellow House",
    rules=register(
        Rules(
            state=rules.STATE,
            constants=rules.CONSTANTS,
            max_actions=rules.MAX_GIFTS,
            features=evaluation.FEATURES,
            playout_steps=30,
        ),
        rules.current_player,
        rules.at_decision,
        rules.mixed,
        rules.legal_actions,
        rules.apply_action,
        rules.apply_joint,
        rules.chance_outcomes,
        rules.sample_chance,
        rules.returns,
        rules.information_key,
        rules.public_key,
        rules.determinize,
        rules.world_at,
        rules.consistent_action,
        rules.conform,
        rules.conceal,
        rules.end_part,
        scripted.playout_action,
        scripted.scripted_action,
        evaluation.features,
        evaluation.evaluate,
    ),
    tuned_on={"scope": "round"},
    words=position.YellowHouse(),
    players=(rules.SEATS, rules.SEATS),
    table=table.YellowHouseTable(),
)
