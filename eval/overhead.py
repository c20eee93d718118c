"""What a tournament adds to its bots' own thinking: milliseconds a game, from one to the next."""

import contextlib
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from voyageur import games
from voyageur.eval import tournaments
from voyageur.eval.tournaments import Config

GAMES = 20  # in each game, a round


@dataclass(frozen=True)
class Overhead:
    """Milliseconds by game, one for every game played: in all, of bots thinking, and the rest; and decisions made."""

    total: dict[str, list[float]]
    thinking: dict[str, list[float]]
    rest: dict[str, list[float]]
    decisions: dict[str, list[int]]

    def to_dict(self) -> dict[str, object]:
        """Everything measured, with the means, as plain objects."""
        return asdict(self) | {"mean": {game: statistics.mean(values) for game, values in self.rest.items()}}

    def tables(self) -> list[tuple[str, Sequence[str], Sequence[tuple[str, ...]]]]:
        """(title, headings, rows) for people."""
        rows = []
        for game, rest in self.rest.items():
            means = [statistics.mean(values[game]) for values in (self.total, self.thinking)]
            spread = f"{statistics.mean(rest):.1f} ({min(rest):.1f} to {max(rest):.1f})"
            rows.append((game, f"{statistics.mean(self.decisions[game]):.0f}", *(f"{ms:.1f}" for ms in means), spread))
        every = [value for rest in self.rest.values() for value in rest]
        rows.append(("all", "", "", "", f"{statistics.mean(every):.1f}"))
        headings = ("game", "decisions", "a game, ms", "bots thinking, ms", "the rest, ms: mean (least to greatest)")
        return [("What a tournament adds to a game of plain players", headings, rows)]


def measure(rounds: int, progress: Callable[[int, float], None]) -> Overhead:
    """Plays `rounds` times GAMES games of each game among plain players, in turn, as a tournament of one process."""

    def empty() -> dict[str, list[Any]]:
        return {game: [] for game in games.names()}

    found = Overhead(empty(), empty(), empty(), empty())
    total = rounds * len(found.rest) * GAMES
    for _ in range(rounds):
        for game in found.rest:
            for _ in _played(game, found):
                done = sum(map(len, found.rest.values()))
                progress(done, done / total)
    return found


def _played(game: str, found: Overhead) -> Iterator[None]:
    """Adds the figures of GAMES games, one after another."""
    config = Config.read({"game": game, "entrants": {"one": "scripted", "other": "scripted"}, "games": GAMES + 1})
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        tournament, store = tournaments.start(config, f"{folder}/store")
        stack.callback(store.close)
        played = stack.enter_context(contextlib.closing(tournaments.run(tournament, store)))
        next(played)  # with it the process starts
        started = time.perf_counter()
        for outcome in itertools.islice(played, GAMES):
            ended = time.perf_counter()
            took, started, thinking = ended - started, ended, sum(map(sum, outcome.seconds))
            found.total[game].append(1000 * took)
            found.thinking[game].append(1000 * thinking)
            found.rest[game].append(1000 * (took - thinking))
            found.decisions[game].append(sum(map(len, outcome.seconds)))
            yield
