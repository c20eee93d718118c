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
    """Seconds from the shell to the end of a process, one a round."""

    name: str
    seconds: list[float]


@dataclass(frozen=True)
class Bench:
    """All that `voyageur bench search` measures."""

    comparisons: list[Comparison]
    starts: list[Start]
    bytes_per_entry: dict[str, float]

    def to_dict(self) -> dict[str, object]:
        """Everything measured, with the ratios, as plain objects."""
        found = asdict(self)
        for comparison, plain in zip(self.comparisons, found["comparisons"], strict=True):
            plain["ratios"] = comparison.ratios()
            plain["processor_ratios"] = comparison.ratios(processor=True)
        found["warm_start_ratios"] = self.warm_start_ratios()
        return found

    def warm_start_ratios(self) -> list[float]:
        """A first hint in a new process over the bare imports, round by round."""
        by_name = {start.name: start.seconds for start in self.starts}
        return [a / b for a, b in zip(by_name[WARM], by_name[IMPORTS], strict=True)]

    def tables(self) -> list[tuple[str, Sequence[str], Sequence[Row]]]:
        """(title, headings, rows) for people; figures are medians, with the least and the greatest."""
        rates = []
        for c in self.comparisons:
            ratio, processor = c.ratios(), c.ratios(processor=True)
            rates.append((c.name, _rate(c.ours_rates), _rate(c.other_rates), _spread(ratio), _spread(processor)))
        starts = [(s.name, _spread(s.seconds)) for s in self.starts]
        starts.append(("first hint, as a multiple of the imports", _spread(self.warm_start_ratios())))
        memory = [(game, f"{size:.0f}") for game, size in self.bytes_per_entry.items()]
        headings = ("A against B", "A, 1/s", "B, 1/s", "ratio", "by processor time")
        return [
            ("Simulations a second: median (least to greatest)", headings, rates),
            ("Seconds to start: median (least to greatest)", ("process", "seconds"), starts),
            ("Memory", ("game", "bytes an entry"), memory),
        ]


IMPORTS = 'python -c "import numba, pyspiel"'
WARM = "voyageur hint … --nodes 1, compiled before"
COLD = "voyageur hint … --nodes 1, first use"

# name, ours, count, other, count: counts are chosen so that a measurement takes about a second.
_COMPARISONS = (
    ("connect four: ours against OpenSpiel's C++ MCTS", "connect-four", 60_000, "connect-four-cpp", 60_000),
    ("connect four: ours against OpenSpiel's Python MCTS", "connect-four", 60_000, "connect-four-python", 400),
    ("niagara: ours against OpenSpiel's Python MCTS", "niagara", 20_000, "niagara-python", 40),
    ("niagara: search against bare playouts", "niagara", 40_000, "niagara-playouts", 40_000),
    ("virta, 2 players: search against bare playouts", "virta-2", 40_000, "virta-2-playouts", 40_000),
    ("virta, 4 players: search against bare playouts", "virta-4", 40_000, "virta-4-playouts", 40_000),
    ("niagara: two threads against one", "niagara-two-threads", 80_000, "niagara", 40_000),
)

_POSITION = """
game: niagara
viewer: 1
round: 3
players: [{cards: [1, 2, 3, 4, 5]}, {cards: [1, 2, 3, 4, 6]}, {cards: [1, 2, 3, 4, 6]}]
"""


def search(rounds: int, progress: Callable[[int, float], None]) -> Bench:
    """Measures the search `rounds` times against each of its rivals; about half a minute a round."""
    jobs = rounds * (len(_COMPARISONS) + 2)
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
    starts = _starts(rounds, tick)
    memory = _run_json("from voyageur.eval import workloads; print(json.dumps(workloads.memory_per_entry(20_000)))")
    return Bench(comparisons, starts, memory)


def _measure(workload: str, count: int) -> dict[str, float]:
    return _json([sys.executable, "-m", "voyageur.eval.workloads", workload, str(count)])


def _run_json(code: str) -> dict[str, float]:
    return _json([sys.executable, "-c", f"import json; {code}"])


def _json(command: list[str]) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[2:])}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _starts(rounds: int, tick: Callable[[], None]) -> list[Start]:
    hint = [sys.executable, "-m", "voyageur.cli.main", "hint", "-", "--nodes", "1", "--threads", "1"]
    imports, warm, cold = [], [], []
    _seconds(hint)
    for _ in range(rounds):
        warm.append(_seconds(hint))
        imports.append(_seconds([sys.executable, "-c", "import numba, pyspiel"]))
        tick()
        with tempfile.TemporaryDirectory() as folder:
            cold.append(_seconds(hint, {"NUMBA_CACHE_DIR": folder}))
        tick()
    return [Start(IMPORTS, imports), Start(WARM, warm), Start(COLD, cold)]


def _seconds(command: list[str], environment: dict[str, str] | None = None) -> float:
    started = time.perf_counter()
    environ = os.environ | (environment or {})
    subprocess.run(command, input=_POSITION, text=True, stdout=subprocess.DEVNULL, env=environ, check=True)
    return time.perf_counter() - started


def _rate(values: Sequence[float]) -> str:
    return f"{statistics.median(values):,.0f} ({min(values):,.0f} to {max(values):,.0f})"


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"
