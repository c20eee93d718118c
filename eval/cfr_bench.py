"""CFR+ side by side: ours, OpenSpiel's C++ solver, and LiteEFG where it is installed; `voyageur bench cfr`.

`python -m voyageur.eval.cfr_bench SOLVER GAME CHECK COUNT` measures one of them in a process of its own.
"""

import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyspiel

from voyageur.eval import bench
from voyageur.solvers import cfr, flatten

TARGET = 1e-3  # of NashConv
GAMES = {
    "Leduc poker": "leduc_poker",
    "liar's dice": "liars_dice",
    "goofspiel-4": "turn_based_simultaneous_game(game=goofspiel(num_cards=4,imp_info=True,points_order=descending))",
    "goofspiel-4, any order": "turn_based_simultaneous_game(game=goofspiel(num_cards=4,imp_info=True))",
}
OURS, CPP, LITE = "ours", "OpenSpiel C++", "LiteEFG"
# Iterations that a measurement of about a second takes; after so many (CHECK) exploitabilities are compared.
COUNTS = {
    "Leduc poker": {OURS: 30_000, CPP: 60, LITE: 100},
    "liar's dice": {OURS: 1_000, CPP: 5, LITE: 5},
    "goofspiel-4": {OURS: 200_000, CPP: 600, LITE: 3_000},
    "goofspiel-4, any order": {OURS: 5_000, CPP: 20, LITE: 30},
}
CHECK = {"Leduc poker": 100, "liar's dice": 10, "goofspiel-4": 100, "goofspiel-4, any order": 20}


@dataclass(frozen=True)
class Measured:
    """One solver on one game.

    Attributes:
      game, solver: which.
      rates, processor: iterations a second of wall-clock and of processor time, one a round.
      setup: seconds to make it ready, one a round.
      exploitability: after `checked` iterations.
    """

    game: str
    solver: str
    rates: list[float]
    processor: list[float]
    setup: list[float]
    checked: int
    exploitability: float


@dataclass(frozen=True)
class CfrBench:
    """All that `voyageur bench cfr` measures; `needed`: iterations of CFR+ to a NashConv of TARGET, by game."""

    measured: list[Measured]
    needed: dict[str, int]

    def ratios(self, m: Measured, processor: bool = False) -> list[float]:
        """Ours over the solver of `m`, round by round."""
        ours = next(other for other in self.measured if (other.game, other.solver) == (m.game, OURS))
        pairs = zip(ours.processor, m.processor, strict=True) if processor else zip(ours.rates, m.rates, strict=True)
        return [a / b for a, b in pairs]

    def to_dict(self) -> dict[str, object]:
        """Everything measured, with the ratios, as plain objects."""
        found = [
            asdict(m) | {"ratios": self.ratios(m), "processor_ratios": self.ratios(m, True)} for m in self.measured
        ]
        return {"measured": found, "target": TARGET, "needed": self.needed}

    def tables(self) -> list[tuple[str, Sequence[str], Sequence[bench.Row]]]:
        """(title, headings, rows) for people; figures are medians, with the least and the greatest."""
        rows = []
        for m in self.measured:
            needed, rate = self.needed[m.game], statistics.median(m.rates)
            ratio = bench._spread(self.ratios(m)) if m.solver != OURS else ""
            processor = f"{statistics.median(self.ratios(m, True)):.0f}" if m.solver != OURS else ""
            found, seconds = f"{m.exploitability:.6f}", f"{needed / rate:,.3f}"
            rows.append((m.game, m.solver, f"{rate:,.0f}", ratio, processor, found, seconds))
        compared = ", ".join(f"{game} {CHECK[game]} and {n:,}" for game, n in self.needed.items())
        headings = ("game", "solver", "1/s", "ours against it", "by CPU", "exploitable", "seconds")
        setup = [(m.game, m.solver, bench._spread(m.setup)) for m in self.measured]
        return [
            (f"CFR+: exploitability after, and seconds for, so many iterations: {compared}", headings, rows),
            ("Seconds to make ready", ("game", "solver", "seconds"), setup),
        ]


def measure(rounds: int, progress: Callable[[int, float], None]) -> CfrBench:
    """Measures each solver on each game `rounds` times in turn, every time in a fresh process."""
    solvers = [OURS, CPP, *([LITE] if importlib.util.find_spec("LiteEFG") else [])]
    measured, needed, jobs = [], {}, rounds * len(COUNTS) * len(solvers)
    done = 0
    for game, counts in COUNTS.items():
        found: dict[str, list[dict[str, Any]]] = {solver: [] for solver in solvers}
        for round_ in range(rounds):
            for solver in solvers:
                check = 0 if round_ else CHECK[game]
                arguments = [solver, game, str(check), str(counts[solver])]
                found[solver].append(bench._json([sys.executable, "-m", "voyageur.eval.cfr_bench", *arguments]))
                done += 1
                progress(done, done / jobs)
        for name, runs in found.items():
            rates, processor = ([run["count"] / run[clock] for run in runs] for clock in ("wall", "processor"))
            setup = [run["setup"] for run in runs]
            measured.append(Measured(game, name, rates, processor, setup, CHECK[game], runs[0]["exploitability"]))
        flat = flatten.flatten(pyspiel.load_game(GAMES[game]))
        needed[game] = cfr.solve(flat, cfr.VARIANTS["cfr+"], 100_000, TARGET)[0].iterations
    return CfrBench(measured, needed)


# A solver at work: what does n iterations more, and what tells the exploitability of its average policy.
Ready = tuple[Callable[[int], Any], Callable[[], float]]


def _ours(game: Any) -> Ready:
    flat = flatten.flatten(game)
    solver = cfr.Cfr(flat, cfr.VARIANTS["cfr+"])
    return solver.run, lambda: cfr.exploitability(flat, solver.average_policy())


def _cpp(game: Any) -> Ready:
    solver = pyspiel.CFRPlusSolver(game)

    def run(n: int) -> None:
        for _ in range(n):
            solver.evaluate_and_update_policy()

    return run, lambda: pyspiel.exploitability(game, solver.average_policy())


def _lite(game: Any) -> Ready:
    import LiteEFG
    from LiteEFG.baselines import CFRplus

    graph = CFRplus.graph()
    environment = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate", regenerate=False)
    environment.set_graph(graph)

    def run(n: int) -> None:
        for _ in range(n):
            graph.update_graph(environment)
            environment.update_strategy(graph.current_strategy())

    return run, lambda: sum(environment.exploitability(graph.current_strategy(), "linear-avg-iterate")) / 2


def main(solver: str, game: str, check: int, count: int) -> None:
    """Makes `solver` ready, runs it for `check` iterations to compare, and for `count` more by the clock."""
    _ours(pyspiel.load_game("kuhn_poker"))[0](1)  # everything compiled and imported
    started = time.perf_counter()
    run, exploitability = {OURS: _ours, CPP: _cpp, LITE: _lite}[solver](pyspiel.load_game(GAMES[game]))
    setup = time.perf_counter() - started
    run(check or 1)
    found = exploitability() if check else 0.0
    wall, processor = time.perf_counter(), time.process_time()
    run(count)
    taken = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
    print(json.dumps({"count": count, "setup": setup, "exploitability": found} | taken))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
