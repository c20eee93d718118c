"""A game of one's own in a folder: two players take stones from a heap, and whoever takes the last one wins."""

from nim import position, rules
from voyageur.games import spiel
from voyageur.games.rules import Rules, register
from voyageur.games.words import Definition

DEFINITION = Definition(
    name="nim_heap",
    title="A heap of stones",
    rules=register(
        Rules(state=rules.STATE, constants=rules.CONSTANTS, max_actions=rules.MOST, playout_steps=100),
        rules.current_player,
        rules.at_decision,
        rules.legal_actions,
        rules.apply_action,
        rules.returns,
        rules.evaluate,
    ),
    words=position.Heap(),
    players=(2, 2),
)
spiel.register(DEFINITION)
