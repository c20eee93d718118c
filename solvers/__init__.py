"""The solvers: bots and advice for our games, from what one player can see."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from voyageur.games import positions
from voyageur.games.positions import View
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import DEFINITIONS, State
from voyageur.solvers import advice as _advice
from voyageur.solvers import proof, registry
from voyageur.solvers.advice import Advice, MoveAdvice
from voyageur.solvers.bots import SolverBot, make_bot
from voyageur.solvers.limits import Limit, check_threads
from voyageur.solvers.registry import SolverInfo
from voyageur.solvers.search import Control, Trees

__all__ = [
    "Advice",
    "Control",
    "Limit",
    "MoveAdvice",
    "SolverBot",
    "SolverInfo",
    "Trees",
    "advise",
    "make_bot",
    "names",
    "solve_open",
]


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
    control: Control | None = None,
    **options: Any,
) -> Advice:
    """What to do, from what the player knows.

    Of a state (ours, or any of OpenSpiel's) only the view of `player` is used: by default of the player to act; at a
    simultaneous decision `player` has to be said. `limit` is 5 seconds by default, `top` the number of moves to tell
    (None: all), `progress` is called with (simulations, part of the limit used). `control` stops, restricts and goes on
    with a search of our own games; its `report` gets an `Advice`. `options` are those of the solver.

    Raises ValueError, in one line, when it is not the player's decision or the solver does not fit the game.
    """
    limit = limit or Limit(seconds=5)
    solver, options = registry.parse(solver, options)
    check_threads(threads)
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

            return foreign.advise(view_or_state, player, solver, limit, seed, top, options)
        view = registry.view_for(registry.find(solver), view_or_state, player)
    if current not in (view.player, SIMULTANEOUS):
        raise ValueError(f"player: it is the decision of seat {current}, not of seat {view.player}")
    found = registry.find(solver, view.game, options)
    control = control or Control()
    report = control.report
    if report is not None:
        control = replace(control, report=lambda result: report(_advice.from_result(view, found.name, result, top)))
    result = found.decide(view, limit, options, threads, seed, progress, control)
    if control.among is not None:
        result = registry.restricted(result, control.among)
    return _advice.from_result(view, found.name, result, top)


def solve_open(state: State, limit: Limit | None = None, top: int | None = None) -> Advice:
    """What each move of an ending is worth under best play of both, when all cards lie open.

    This looks at the whole `state`, also at what its players hide from each other: it is for studying an ending after
    the game, or one where everything has become known. `limit` is 60 seconds by default (`solvers.proof` says what
    nodes mean), `top` the number of moves to tell (None: all). The advice is `exact`.

    Raises ValueError, in one line, when no player decides here, when the game is not for two players with opposite
    interests, and when the ending is not solved within the limit: it is too long, or chance or a choice that both make
    at once comes before its end.
    """
    started, player = time.monotonic(), state.current_player()
    if player < 0:
        raise ValueError("an open ending is solved from the decision of one seat, and this is none")
    if not proof.fits(state.game):
        raise ValueError(f"open endings are solved for two players with opposite interests, not for {state.game}")
    found = proof.prove_within(proof.Prover(state.game, state.box.record, player), limit or Limit(seconds=60), part=1.0)
    if not found.solved:
        raise ValueError(
            "not solved: the ending is too long, or chance or a choice of both at once comes before its end"
        )
    view = positions.view_of(state.game.state_with(state.box.record), player)
    result = registry.proved(registry.unsearched(found.chains, view), found, view)
    return _advice.from_result(view, "open", replace(result, seconds=time.monotonic() - started), top)
