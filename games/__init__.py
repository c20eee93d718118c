"""The games: compiled rules, their OpenSpiel faces, positions, views and moves.

Importing this package registers the games with OpenSpiel, so that `pyspiel.load_game("niagara(players=3)")` works.
"""

from voyageur.games import caching

_folder = caching.use_cache_folder()  # before anything below is decorated for numba

from voyageur.games import listings  # noqa: E402
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

# Every game by the module that holds its DEFINITION.
MODULES = (
    "voyageur.games.canyon",
    "voyageur.games.niagara",
    "voyageur.games.virta",
    "voyageur.games.yellowhouse",
    "voyageur.games.reference.connect_four",
    "voyageur.games.reference.goofspiel",
    "voyageur.games.reference.kuhn_poker",
    "voyageur.games.reference.tic_tac_toe",
)
listings.register(MODULES, _folder)

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
