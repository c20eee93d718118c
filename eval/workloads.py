"""What the benchmark measures: one workload a process, `python -m voyageur.eval.workloads NAME COUNT`.

Prints one JSON line: how much was done, and the wall-clock and processor seconds that it took, everything compiled
and imported before.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from voyageur import games
from voyageur.games import rules
from voyageur.solvers import search as tree_search
from voyageur.solvers.limits import Limit
from voyageur.solvers.playout import draw_worlds, run_playouts

# Games in the middle: what to load, and how many decisions of scripted play lead there.
MIDDLES: dict[str, tuple[str, dict[str, Any], int]] = {
    "niagara": ("niagara", {"players": 4, "first_player": 0, "max_rounds": 40}, 80),
    "canyon": ("canyon", {"players": 4}, 130),
    "virta, 2 players": ("virta", {"players": 2, "first_player": 0}, 100),
    "virta, 4 players": ("virta", {"players": 4, "first_player": 0}, 200),
    "yellowhouse": ("yellowhouse", {"first_leader": 0}, 30),
}
CONNECT_FOUR = "voyageur_connect_four"


def _scripted(name: str, params: dict[str, Any], enough: Callable[[Any, int], bool]) -> games.View:
    """A decision between several moves, of one seat, in a game of scripted players: the first that is `enough`.

    `enough` is asked with the state's record and the number of decisions so far.
    """
    state = games.load(name, **params).new_initial_state()
    game, s, rng, decisions = state.game, state.box.s, rules.make_rng(1), 0
    actions, joint = np.zeros(game.rules.max_actions, np.int64), np.zeros(game.info.players, np.int64)
    while True:
        player = rules.current_player(s, game.c)
        if player == rules.CHANCE:
            rules.apply_action(s, game.c, rules.sample_chance(s, game.c, rng))
            continue
        for seat in range(game.info.players) if player == rules.SIMULTANEOUS else [player]:
            n = rules.legal_actions(s, game.c, seat, actions)
            joint[seat] = rules.scripted_action(s, game.c, seat, actions, n, rng)
        if player == rules.SIMULTANEOUS:
            rules.apply_joint(s, game.c, joint)
        elif n > 1 and enough(s, decisions) and rules.at_decision(s, game.c):
            state.box.player = None
            return games.view_of(state, player)
        else:
            rules.apply_action(s, game.c, joint[player])
        decisions += 1


def _view(game: str) -> games.View:
    if game == CONNECT_FOUR:
        return games.view_of(games.load(CONNECT_FOUR).new_initial_state(), 0)
    name, params, decisions = MIDDLES[game]
    return _scripted(name, params, lambda s, n: n >= decisions)


def position(game: str) -> str:
    """The position, as JSON, in which the search is measured."""
    return json.dumps(_view(game).position)


def _worlds(tricks: int) -> Callable[[int], Any]:
    """Deals of canyon redrawn after so many tricks of six players; after some, they have shown voids."""
    view = _scripted("canyon", {"players": 6}, lambda s, n: s["tricks"].sum() == tricks and s["current"][0] >= 0)
    root = view.record()
    rng, world = rules.make_rng(1), root.copy()
    return lambda n: draw_worlds(n, root, world, view.game.constants, view.player, rng, view.table)


def _ours(game: str, threads: int) -> Callable[[int], Any]:
    view = _view(game)
    moves = tree_search.root_moves(view)
    return lambda n: tree_search.search(view, moves, Limit(nodes=n), tree_search.SearchOptions(), 1, threads)


def _playouts(game: str) -> Callable[[int], int]:
    view = _view(game)
    kind, info = view.game.rules, view.game.info
    root = view.record()
    actions, joint, out = np.zeros(kind.max_actions, np.int64), np.zeros(info.players, np.int64), np.zeros(info.players)

    def run(n: int) -> int:
        rng = rules.make_rng(1)
        steps = kind.playout_steps
        return run_playouts(
            n, root, view.game.constants, steps, info.players, actions, joint, rng, out, view.table, view.player
        )

    return run


def _cpp(game: Any) -> Callable[[int], Any]:
    state = game.new_initial_state()

    def run(n: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)  # the bot does not keep it alive itself
        pyspiel.MCTSBot(game, evaluator, 1.4, n, 2048, False, 1, False).mcts_search(state)

    return run


def _python(game: Any) -> Callable[[int], Any]:
    state = game.new_initial_state()

    def run(n: int) -> None:
        evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
        mcts.MCTSBot(game, 1.4, n, evaluator, solve=False, random_state=np.random.RandomState(1)).mcts_search(state)

    return run


WORKLOADS: dict[str, Callable[[], Callable[[int], Any]]] = {
    "connect-four": lambda: _ours(CONNECT_FOUR, 1),
    "connect-four-cpp": lambda: _cpp(pyspiel.load_game("connect_four")),
    "connect-four-python": lambda: _python(pyspiel.load_game("connect_four")),
    "niagara-two-threads": lambda: _ours("niagara", 2),
    # Our own turn-based form: OpenSpiel's wrapper around the simultaneous one would only slow its bot down.
    "niagara-python": lambda: _python(games.load("niagara", sequential=True, **MIDDLES["niagara"][1])),
    "canyon-worlds": lambda: _worlds(3),
    "canyon-worlds-without-voids": lambda: _worlds(0),
}
for _game in MIDDLES:
    WORKLOADS[_game] = partial(_ours, _game, 1)
    WORKLOADS[f"{_game}-playouts"] = partial(_playouts, _game)


def memory_per_entry(simulations: int) -> dict[str, float]:
    """Bytes of table and arena that an entry takes on average, per game."""
    found = {}
    for game in (CONNECT_FOUR, *MIDDLES):
        view = _view(game)
        chains, _ = tree_search.root_moves(view)
        seed = np.random.SeedSequence(1)
        tree = tree_search.Search(view, chains, Limit(nodes=simulations), tree_search.SearchOptions(), seed)
        tree.run(simulations)
        edges = int(tree.work["edges"][0])
        found[game] = tree_search.NODE.itemsize + edges / tree.entries * tree_search.EDGE.itemsize
    return found


def microseconds_per_action(playouts: int) -> dict[str, float]:
    """Microseconds of processor time that an action of a playout takes, drawing worlds and evaluating shared out."""
    found = {}
    for game in (CONNECT_FOUR, *MIDDLES):
        run = _playouts(game)
        run(1)
        started = time.process_time()
        actions = run(playouts)
        found[game] = (time.process_time() - started) / actions * 1e6
    return found


def main(name: str, count: int) -> None:
    """Runs a workload once small, to have everything ready, and once for the clock."""
    run = WORKLOADS[name]()
    run(max(1, count // 100))
    wall, processor = time.perf_counter(), time.process_time()
    run(count)
    taken = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
    print(json.dumps({"count": count} | taken))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
