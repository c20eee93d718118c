"""The solvers: bots and advice for our games, from what one player can see."""

from collections.abc import Callable
from typing import Any

from voyageur.games import positions
from voyageur.games.positions import View
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import DEFINITIONS, State
from voyageur.solvers import advice as _advice
from voyageur.solvers import registry
from voyageur.solvers.advice import Advice, MoveAdvice
from voyageur.solvers.bots import SolverBot, make_bot
from voyageur.solvers.limits import Limit
from voyageur.solvers.registry import SolverInfo

__all__ = ["Advice", "Limit", "MoveAdvice", "SolverBot", "SolverInfo", "advise", "make_bot", "names"]


def names() -> dict[str, SolverInfo]:
    """Every solver by name, with a line about it, its options and the games that it can play."""
    infos = {}
    for name, solver in registry.SOLVERS.items():
        games = [game for game in sorted(DEFINITIONS) if not solver.refuses(positions.load(game))]
        infos[name] = SolverInfo(solver.summary, dict(solver.options), games)
    return infos


def advise(
    view_or_state: View | State | Any,
    player: int | None = None,
    solver: str = "ismcts",
    limit: Limit | None = None,
    threads: int = 1,
    seed: int = 0,
    top: int | None = 5,
    progress: Callable[[int, float], None] | None = None,
    **options: Any,
) -> Advice:
    """What to do, from what the player knows.

    Of a state (ours, or any of OpenSpiel's) only the view of `player` is used: by default of the player to act; at a
    simultaneous decision `player` has to be said. `limit` is 5 seconds by default, `top` the number of moves to tell
    (None: all), `progress` is called with (simulations, part of the limit used). `options` are those of the solver.

    Raises ValueError, in one line, when it is not the player's decision or the solver does not fit the game.
    """
    limit = limit or Limit(seconds=5)
    if threads < 1:
        raise ValueError(f"threads: expected a whole number above 0, got {threads}")
    current = view_or_state.current_player()
    if current in (CHANCE, TERMINAL):
        raise ValueError("nobody decides here: " + ("the game is over" if current == TERMINAL else "chance is next"))
    if isinstance(view_or_state, View):
        view = view_or_state
        if player not in (None, view.player):
            raise ValueError(f"player: this is the view of seat {view.player}, not of seat {player}")
    else:
        if player is None:
            if current == SIMULTANEOUS:
                raise ValueError("player: everybody decides at once here; say who is to be advised")
            player = current
        if not isinstance(view_or_state, State):
            from voyageur.solvers import foreign

            return foreign.advise(view_or_state, player, solver, limit, seed, top)
        view = positions.view_of(view_or_state.game.state_with(view_or_state.box.record), player)
    if current not in (view.player, SIMULTANEOUS):
        raise ValueError(f"player: it is the decision of seat {current}, not of seat {view.player}")
    found = registry.find(solver, view.game, options)
    result = found.decide(view, limit, options, threads, seed, progress)
    return _advice.from_result(view, found.name, result, top)
