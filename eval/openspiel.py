"""OpenSpiel's own information-set MCTS as an entrant of tournaments, with the same limits as our bots."""

from typing import Any

from voyageur.solvers import Limit, foreign


def ismcts(
    game: Any, player: int, seed: int, seconds: float | None = None, nodes: int | None = None
) -> foreign.PythonIsmcts:
    """The bot as `voyageur.eval.openspiel:ismcts:seconds=1` names it; for one of our games, load it `sequential`."""
    return foreign.PythonIsmcts(game, Limit(seconds=seconds, nodes=nodes), seed)
