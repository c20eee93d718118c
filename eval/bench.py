"""Speed, measured side by side: A and B in turn, each time in a fresh process, as ratios within one run."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from voyageur.eval import workloads

Row = tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """Two workloads measured in turn.

    Attributes:
      name: what is compared; `ours` against `other`.
      ours_rates, other_rates: simulations a second of wall-clock time, one a round.
      ours_processor, other_processor: simulations a second of processor time.
    """

    name: str
    ours: str
    other: str
    ours_rates: list[float]
    other_rates: list[float]
    ours_processor: list[float]
    other_processor: list[float]

    def ratios(self, processor: bool = False) -> list[float]:
        """Ours over the other's, round by round."""
        ours, other = self.ours_rates, self.other_rates
        if processor:
            ours, other = self.ours_processor, self.other_processor
        return [a / b for a, b in zip(ours, other, strict=True)]


@dataclass(frozen=True)
class Start:
    """Seconds from the shell to the end of a process, one a round.

    Attributes:
      game: whose first hint it is.
      imports: of `python -c "import numba, pyspiel"` alone, in the same round.
      warm, cold: of a hint by one simulation, with everything compiled before, and with nothing.
    """

    game: str
    imports: list[float]
    warm: list[float]
    cold: list[float]

    def ratios(self) -> list[float]:
        """The warm hint as a multiple of the imports, round by round."""
        return [a / b for a, b in zip(self.warm, self.imports, strict=True)]


@dataclass(frozen=True)
class Bench:
    """All that `voyageur bench search` measures."""

    comparisons: list[Comparison]
    starts: list[Start]
    bytes_per_entry: dict[str, float]
    microseconds_per_action: dict[str, float]

    def to_dict(self) -> dict[str, object]:
        """Everything measured, with the ratios, as plain objects."""
        found = asdict(self)
        for comparison, plain in zip(self.comparisons, found["comparisons"], strict=True):
            plain["ratios"] = comparison.ratios()
            plain["processor_ratios"] = comparison.ratios(processor=True)
        for start, plain in zip(self.starts, found["starts"], strict=True):
            plain["ratios"] = start.ratios()
        return found

    def tables(self) -> list[tuple[str, Sequence[str], Sequence[Row]]]:
        """(title, headings, rows) for people; figures are medians, with the least and the greatest."""
        rates = []
        for c in self.comparisons:
            ratio, processor = c.ratios(), c.ratios(processor=True)
            rates.append((c.name, _rate(c.ours_rates), _rate(c.other_rates), _spread(ratio), _spread(processor)))
        starts = [(s.game, *map(_spread, (s.imports, s.warm, s.ratios(), s.cold))) for s in self.starts]
        games = [
            (game, f"{size:.0f}", f"{self.microseconds_per_action[game]:.2f}")
            for game, size in self.bytes_per_entry.items()
        ]
        headings = ("A against B", "A, 1/s", "B, 1/s", "ratio", "by processor time")
        return [
            ("Simulations a second: median (least to greatest)", headings, rates),
            ("Seconds to a first hint: median (least to greatest)", _START_HEADINGS, starts),
            ("In the small", ("game", "bytes an entry", "microseconds an action of a playout"), games),
        ]


_START_HEADINGS = ("game", "imports alone", "compiled before", "ratio", "first use")

# name, ours, count, other, count: counts are chosen so that a measurement takes about a second.
_COMPARISONS = (
    ("connect four: ours against OpenSpiel's C++ MCTS", "connect-four", 60_000, "connect-four-cpp", 60_000),
    ("connect four: ours against OpenSpiel's Python MCTS", "connect-four", 60_000, "connect-four-python", 400),
    ("niagara: ours against OpenSpiel's Python MCTS", "niagara", 20_000, "niagara-python", 40),
    ("niagara: search against bare playouts", "niagara", 40_000, "niagara-playouts", 40_000),
    ("virta, 2 players: search against bare playouts", "virta, 2 players", 40_000, "virta, 2 players-playouts", 40_000),
    ("virta, 4 players: search against bare playouts", "virta, 4 players", 40_000, "virta, 4 players-playouts", 40_000),
    ("niagara: two threads against one", "niagara-two-threads", 80_000, "niagara", 40_000),
    ("canyon: search against bare playouts", "canyon", 20_000, "canyon-playouts", 20_000),
    ("yellowhouse: search against bare playouts", "yellowhouse", 100_000, "yellowhouse-playouts", 100_000),
    (
        "canyon: worlds drawn, with voids against without",
        "canyon-worlds",
        300_000,
        "canyon-worlds-without-voids",
        300_000,
    ),
)


def search(rounds: int, progress: Callable[[int, float], None]) -> Bench:
    """Measures the search `rounds` times against each of its rivals; some minutes a round."""
    jobs = rounds * (len(_COMPARISONS) + len(workloads.MIDDLES))
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        progress(done, done / jobs)

    comparisons = []
    for name, ours, ours_count, other, other_count in _COMPARISONS:
        pairs = []
        for _ in range(rounds):
            pairs.append((_measure(ours, ours_count), _measure(other, other_count)))
            tick()
        wall = [[m["count"] / m["wall"] for m in side] for side in zip(*pairs, strict=True)]
        processor = [[m["count"] / m["processor"] for m in side] for side in zip(*pairs, strict=True)]
        comparisons.append(Comparison(name, ours, other, *wall, *processor))
    starts = [_start(game, rounds, tick) for game in workloads.MIDDLES]
    memory, actions = (
        _run_json(f"from voyageur.eval import workloads; print(json.dumps(workloads.{measure}(20_000)))")
        for measure in ("memory_per_entry", "microseconds_per_action")
    )
    return Bench(comparisons, starts, memory, actions)


def _measure(workload: str, count: int) -> dict[str, float]:
    return _json([sys.executable, "-m", "voyageur.eval.workloads", workload, str(count)])


def _run_json(code: str) -> dict[str, float]:
    return _json([sys.executable, "-c", f"import json; {code}"])


def _json(command: list[str]) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[2:])}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _start(game: str, rounds: int, tick: Callable[[], None]) -> Start:
    """The first hint in the middle of `game`."""
    hint = [sys.executable, "-m", "voyageur.cli.main", "hint", "-", "--nodes", "1", "--threads", "1"]
    position = workloads.position(game)
    start = Start(game, [], [], [])
    _seconds(hint, position)
    for _ in range(rounds):
        start.warm.append(_seconds(hint, position))
        start.imports.append(_seconds([sys.executable, "-c", "import numba, pyspiel"], ""))
        with tempfile.TemporaryDirectory() as folder:
            start.cold.append(_seconds(hint, position, {"NUMBA_CACHE_DIR": folder}))
        tick()
    return start


def _seconds(command: list[str], position: str, environment: dict[str, str] | None = None) -> float:
    started = time.perf_counter()
    environ = os.environ | (environment or {})
    subprocess.run(command, input=position, text=True, stdout=subprocess.DEVNULL, env=environ, check=True)
    return time.perf_counter() - started


def _rate(values: Sequence[float]) -> str:
    return f"{statistics.median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f})"


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"
