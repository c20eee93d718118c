"""virta: parts that drift in a river, raked from its banks by pawns, and a spiral of actions; 2 to 4 players."""

from voyageur.games.rules import Rules, register
from voyageur.games.virta import evaluation, position, rules, scripted, table
from voyageur.games.words import Definition

DEFINITION = Definition(
    name="virta",
    title="virta",
    rules=register(
        Rules(
            state=rules.STATE,
            constants=rules.CONSTANTS,
            max_actions=rules.MAX_ACTIONS,
            features=evaluation.FEATURES,
            playout_steps=30,
        ),
        rules.current_player,
        rules.at_decision,
        rules.legal_actions,
        rules.apply_action,
        rules.chance_outcomes,
        rules.sample_chance,
        rules.returns,
        rules.information_key,
        rules.public_key,
        rules.determinize,
        rules.conform,
        scripted.playout_action,
        scripted.scripted_action,
        evaluation.features,
    ),
    words=position.Virta(),
    players=(2, rules.MAX_PLAYERS),
    table=table.VirtaTable(),
)
