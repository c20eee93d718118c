"""Canyon (1997): exact bids and tricks drive a canoe race down a river, rapids and a waterfall; 2 to 6 players."""

from voyageur.games.canyon import evaluation, hidden, position, rules, scripted, table
from voyageur.games.rules import Rules, register
from voyageur.games.words import Definition

DEFINITION = Definition(
    name="canyon",
    title="Canyon",
    rules=register(
        Rules(
            state=rules.STATE,
            constants=rules.CONSTANTS,
            max_actions=rules.MAX_SQUARES,
            features=evaluation.FEATURES,
            playout_steps=1,
            table_size=hidden.TABLE_SIZE,
            exploration=0.2,
            trust=1000,
            keys="public",
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
        hidden.information_key,
        hidden.public_key,
        hidden.prepare,
        hidden.determinize,
        hidden.consistent_action,
        hidden.conform,
        hidden.conceal,
        scripted.playout_action,
        scripted.scripted_action,
        scripted.likelihood,
        evaluation.quiet,
        evaluation.features,
    ),
    words=position.Canyon(),
    players=(2, rules.MAX_PLAYERS),
    table=table.CanyonTable(),
)
