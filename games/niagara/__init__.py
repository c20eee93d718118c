"""Niagara (Zoch 2004): canoes, gems, a river that moves, and paddle cards chosen in secret; 3 to 5 players."""

from voyageur.games.niagara import evaluation, position, rules, scripted, table
from voyageur.games.rules import Rules, register
from voyageur.games.words import Definition

DEFINITION = Definition(
    name="niagara",
    title="Niagara",
    rules=register(
        Rules(
            state=rules.STATE,
            constants=rules.CONSTANTS,
            max_actions=16,
            features=evaluation.FEATURES,
            playout_steps=30,
            exploration=0.25,
            purify=0.6,
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
        rules.consistent_action,
        rules.conform,
        rules.conceal,
        scripted.playout_action,
        scripted.scripted_action,
        evaluation.features,
    ),
    words=position.Niagara(),
    players=(3, rules.MAX_PLAYERS),
    table=table.NiagaraTable(),
)
