"""How long to think about one move."""

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

FASTEST = 1_000_000  # simulations a second that no game exceeds; sizes the tables of a timed search
SLICE_SECONDS = 0.05
MOST_THREADS = 256


def _whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_threads(threads: int) -> None:
    """Raises ValueError, in one line, for a number of threads that cannot be."""
    if not _whole(threads) or not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads: expected a whole number from 1 to {MOST_THREADS}, got {threads}")


@dataclass(frozen=True)
class Limit:
    """A limit for one whole move: `seconds`, `nodes` (simulations), or both, whichever comes first.

    Raises ValueError for none or for values that are not positive.
    """

    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.nodes is None:
            raise ValueError("limit: expected seconds or nodes")
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"seconds: expected a number above 0, got {self.seconds}")
        if self.nodes is not None and not (_whole(self.nodes) and self.nodes > 0):
            raise ValueError(f"nodes: expected a whole number above 0, got {self.nodes}")

    def most_simulations(self) -> int:
        """How many simulations the limit allows at the most."""
        by_time = math.inf if self.seconds is None else self.seconds * FASTEST
        return int(min(by_time, math.inf if self.nodes is None else self.nodes))

    def split(self, threads: int) -> list[int | None]:
        """The nodes for each of `threads`, all together exactly `nodes`; None where only time limits."""
        if self.nodes is None:
            return [None] * threads
        return [self.nodes // threads + (i < self.nodes % threads) for i in range(threads)]

    def next_slice(self, n: int, took: float, elapsed: float) -> int:
        """How many simulations to do before looking up again, after `n` took `took` seconds."""
        seconds = SLICE_SECONDS
        if self.seconds is not None:
            seconds = min(seconds, max(0.001, self.seconds - elapsed))
        return max(1, min(4 * n, int(n * seconds / max(took, 1e-6))))

    def part(self, simulations: int, elapsed: float) -> float:
        """How much of the limit is used up, from 0 to 1."""
        by_nodes = 0.0 if self.nodes is None else simulations / self.nodes
        by_time = 0.0 if self.seconds is None else elapsed / self.seconds
        return min(1.0, max(by_nodes, by_time))
