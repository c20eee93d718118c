"""OpenSpiel's own search as an entrant of tournaments, with the same limits as our bots."""

from typing import Any

import pyspiel

from voyageur.solvers import Limit, foreign


def ismcts(game: Any, player: int, seed: int, seconds: float | None = None, nodes: int | None = None) -> pyspiel.Bot:
    """The bot that `voyageur.eval.openspiel:ismcts:seconds=1` names; for one of our games, load it `sequential`.

    Its MCTS where nothing is hidden, since its ISMCTS refuses that. Raises ValueError for no limit, and for a game that
    is not in turns.
    """
    foreign.check_kind("ismcts", game.get_type())
    return foreign.python_bot(game, Limit(seconds=seconds, nodes=nodes), seed)
