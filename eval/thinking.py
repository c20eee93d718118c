"""Thinking at the table: advice when it is wanted, and ahead of time while the others think."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from voyageur import games, solvers
from voyageur.games import rules
from voyageur.games.following import HIDDEN, Known
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.solvers import Control

ROLLOUTS = 24  # games played on by plain players, to see which decisions may be next
LONGEST = 400  # actions of such a game
KEPT = 64  # decisions of which the advice is kept

Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Effort:
    """How hard to think: the solver, its limit a decision, threads and seed."""

    solver: str = "ismcts"
    limit: solvers.Limit = solvers.Limit(seconds=5)  # noqa: RUF009  (frozen)
    threads: int = 1
    seed: int = 0

    def advise(
        self, view: games.View, progress: Progress | None = None, control: Control | None = None
    ) -> solvers.Advice:
        """Advice on all moves of the view's player, with so much effort."""
        return solvers.advise(
            view,
            solver=self.solver,
            limit=self.limit,
            threads=self.threads,
            seed=self.seed,
            top=None,
            progress=progress,
            control=control,
        )


class Thinker:
    """Advice on decisions, thought about when asked, or ahead in a thread of its own."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self._found: dict[str, solvers.Advice] = {}
        self._stopping = threading.Event()  # a new one for each thread
        self._thread: threading.Thread | None = None

    def advise(self, view: games.View, progress: Progress | None = None) -> solvers.Advice:
        """All moves of the view's player; at once if that was thought about ahead."""
        self.stop()
        key = _key(view)
        if key in self._found:
            return self._found[key]
        advice = self.effort.advise(view, progress)
        self._keep(key, advice)
        return advice

    def start(self, mine: Known) -> None:
        """Begins to think about the decision that is to be made, or those that may come next, until `stop`."""
        self.stop()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._think, args=(mine, self._stopping), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops thinking ahead; what has been thought through is kept. Nobody waits for the thread to end."""
        self._stopping.set()

    def _think(self, mine: Known, stopping: threading.Event) -> None:
        effort = replace(self.effort, threads=1)
        for view in _decisions(mine, np.random.default_rng(effort.seed)):
            if stopping.is_set():
                return
            key = _key(view)
            if key not in self._found:
                self._keep(key, effort.advise(view, control=Control(stop=stopping.is_set)))

    def _keep(self, key: str, advice: solvers.Advice) -> None:
        if advice.interrupted:
            return
        self._found[key] = advice
        if len(self._found) > KEPT:
            del self._found[next(iter(self._found))]


def _key(view: games.View) -> str:
    return json.dumps(view.position)


def _decisions(mine: Known, rng: np.random.Generator) -> Iterator[games.View]:
    """The viewer's decision at `mine`, or those that plain play may lead to, the most frequent first."""
    me = mine.viewer
    assert me is not None
    if mine.ask.seat == me:
        yield mine.view
        return
    if mine.ask.kind in ("deal", "over"):
        return
    met, views = Counter[str](), {}
    for world in mine.view.states(ROLLOUTS, rng):
        found = _next_decision(world, mine, rng)
        if found is not None:
            key = _key(found)
            met[key] += 1
            views[key] = found
    for key, _ in met.most_common():
        yield views[key]


def _next_decision(world: games.State, mine: Known, rng: np.random.Generator) -> games.View | None:
    """The viewer's next decision when plain players play on from `world`; None if none is met."""
    me, game, record = mine.viewer, mine.game, world.box.record
    assert me is not None
    s, c, bits = record[0], game.c, rules.make_rng(int(rng.integers(2**32)))
    for step in range(LONGEST):
        player = int(rules.current_player(s, c))
        if player == TERMINAL:
            return None
        if step and player in (me, SIMULTANEOUS) and rules.at_decision(s, c):
            return games.view_of(game.state_with(record), me)
        if player == CHANCE:
            rules.apply_action(s, c, rules.sample_chance(s, c, bits))
        elif player == SIMULTANEOUS:
            joint = [_choice(mine, record, seat, bits) for seat in range(game.info.players)]
            rules.apply_joint(s, c, np.array(joint, np.int64))
        else:
            rules.apply_action(s, c, plain(game, record, player, bits))
    return None


def _choice(mine: Known, record: np.ndarray, seat: int, bits: np.ndarray) -> int:
    """What the seat has chosen, as far as that is known, or what the plain player would choose."""
    text = mine.choices.get(seat, HIDDEN)
    if text != HIDDEN:
        return next(option.actions[0] for option in mine.options_of(seat) if option.text == text)
    return plain(mine.game, record, seat, bits)


def plain(game: games.Game, record: np.ndarray, seat: int, bits: np.ndarray) -> int:
    """What the game's plain player does with `seat` at `record`."""
    out = np.empty(game.rules.max_actions, np.int64)
    n = rules.legal_actions(record[0], game.c, seat, out)
    return int(rules.scripted_action(record[0], game.c, seat, out, n, bits))
