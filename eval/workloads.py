"""What the benchmark measures: one workload a process, `python -m voyageur.eval.workloads NAME COUNT`.

Prints one JSON line: how much was done, and the wall-clock and processor seconds that it took, everything compiled
and imported before.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from voyageur import games
from voyageur.games import rules
from voyageur.solvers import search as tree_search
from voyageur.solvers.limits import Limit
from voyageur.solvers.playout import run_playouts

NIAGARA = {"players": 4, "first_player": 0, "max_rounds": 40}
CONNECT_FOUR = "voyageur_connect_four"


def _middle_of_niagara() -> games.View:
    """A niagara decision with everything going on: the first player's turn of a round after five of scripted play."""
    state = games.load("niagara", **NIAGARA).new_initial_state()
    game, s, rng = state.game, state.box.s, rules.make_rng(1)
    actions, joint = np.zeros(game.rules.max_actions, np.int64), np.zeros(4, np.int64)
    while not (s["round"] == 6 and rules.current_player(s, game.c) == s["first"]):
        player = rules.current_player(s, game.c)
        seats = range(4) if player == rules.SIMULTANEOUS else [player]
        for seat in seats:
            n = rules.legal_actions(s, game.c, seat, actions)
            joint[seat] = rules.scripted_action(s, game.c, seat, actions, n, rng)
        if player == rules.SIMULTANEOUS:
            rules.apply_joint(s, game.c, joint)
        else:
            rules.apply_action(s, game.c, joint[player])
    state.box.player = None
    return games.view_of(state, state.current_player())


def _middle_of_virta(players: int) -> games.View:
    """A virta decision after scripted play that has left half of the parts in the river."""
    state = games.load("virta", players=players, first_player=0).new_initial_state()
    game, s, rng = state.game, state.box.s, rules.make_rng(1)
    actions, left = np.zeros(game.rules.max_actions, np.int64), 15
    while left > 7 or not rules.at_decision(s, game.c):
        player = rules.current_player(s, game.c)
        if player == rules.CHANCE:
            rules.apply_action(s, game.c, rules.sample_chance(s, game.c, rng))
        else:
            n = rules.legal_actions(s, game.c, player, actions)
            rules.apply_action(s, game.c, rules.scripted_action(s, game.c, player, actions, n, rng))
            left = sum(int(circles).bit_count() for circles in s["river"])
    state.box.player = None
    return games.view_of(state, state.current_player())


def _view(game: str) -> games.View:
    if game == "niagara":
        return _middle_of_niagara()
    if game.startswith("virta"):
        return _middle_of_virta(int(game[-1]))
    return games.view_of(games.load(CONNECT_FOUR).new_initial_state(), 0)


def _ours(game: str, threads: int) -> Callable[[int], Any]:
    view = _view(game)
    return lambda n: tree_search.search(view, Limit(nodes=n), tree_search.SearchOptions(), 1, threads)


def _playouts(game: str) -> Callable[[int], Any]:
    view = _view(game)
    kind, info = view.game.rules, view.game.info
    root, table = view.world().box.record, np.zeros(max(1, kind.table_size))
    actions, joint, out = np.zeros(kind.max_actions, np.int64), np.zeros(info.players, np.int64), np.zeros(info.players)

    def run(n: int) -> None:
        rng = rules.make_rng(1)
        steps = kind.playout_steps
        run_playouts(n, root, view.game.constants, steps, info.players, actions, joint, rng, out, table, view.player)

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
    "connect-four": lambda: _ours("connect_four", 1),
    "connect-four-cpp": lambda: _cpp(pyspiel.load_game("connect_four")),
    "connect-four-python": lambda: _python(pyspiel.load_game("connect_four")),
    "niagara": lambda: _ours("niagara", 1),
    "niagara-two-threads": lambda: _ours("niagara", 2),
    "niagara-playouts": lambda: _playouts("niagara"),
    "virta-2": lambda: _ours("virta-2", 1),
    "virta-2-playouts": lambda: _playouts("virta-2"),
    "virta-4": lambda: _ours("virta-4", 1),
    "virta-4-playouts": lambda: _playouts("virta-4"),
    # Our own turn-based form: OpenSpiel's wrapper around the simultaneous one would only slow its bot down.
    "niagara-python": lambda: _python(games.load("niagara", sequential=True, **NIAGARA)),
}


def memory_per_entry(simulations: int) -> dict[str, float]:
    """Bytes of table and arena that an entry takes on average, per game."""
    found = {}
    for game in ("connect_four", "niagara", "virta-2", "virta-4"):
        view = _view(game)
        chains, _ = tree_search.root_moves(view)
        seed = np.random.SeedSequence(1)
        tree = tree_search.Search(view, chains, Limit(nodes=simulations), tree_search.SearchOptions(), seed)
        tree.run(simulations)
        edges = int(tree.work["edges"][0])
        found[game] = tree_search.NODE.itemsize + edges / tree.entries * tree_search.EDGE.itemsize
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
