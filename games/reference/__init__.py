"""Small games with known answers, as rules: yardsticks for tests and benchmarks, checked against OpenSpiel's own."""

from voyageur.games.reference import connect_four, goofspiel, kuhn_poker, tic_tac_toe

DEFINITIONS = (tic_tac_toe.DEFINITION, connect_four.DEFINITION, kuhn_poker.DEFINITION, goofspiel.DEFINITION)
