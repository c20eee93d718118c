"""The games: compiled rules, their OpenSpiel faces, positions, views and moves.

Importing this package registers the games with OpenSpiel, so that `pyspiel.load_game("niagara(players=3)")` works.
"""

from voyageur.games import caching

caching.use_cache_folder()  # before anything below is decorated for numba

from voyageur.games import canyon, niagara, reference, spiel, virta, yellowhouse  # noqa: E402
from voyageur.games.positions import (  # noqa: E402
    Move,
    View,
    at_decision,
    deal,
    joint,
    load,
    moves,
    names,
    position_of,
    read,
    state_from,
    view_from,
    view_of,
    write,
)
from voyageur.games.spiel import Game, State  # noqa: E402
from voyageur.games.words import Position, PositionError  # noqa: E402

for _definition in (
    canyon.DEFINITION,
    niagara.DEFINITION,
    virta.DEFINITION,
    yellowhouse.DEFINITION,
    *reference.DEFINITIONS,
):
    spiel.register(_definition)

__all__ = [
    "Game",
    "Move",
    "Position",
    "PositionError",
    "State",
    "View",
    "at_decision",
    "deal",
    "joint",
    "load",
    "moves",
    "names",
    "position_of",
    "read",
    "state_from",
    "view_from",
    "view_of",
    "write",
]
