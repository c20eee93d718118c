"""Sampling CFR on compiled rules, for games that are too large to lay flat.

An iteration walks through the game once for each seat, which learns in that walk. Information sets lie in a hash table
of bounded size and are told apart by what their player sees at the moment (`information_key`), not by how that came
about: so knowledge is shared between the ways that lead to one position, and what perfect recall would add is lost.

- External sampling (Lanctot, Waugh, Zinkevich and Bowling 2009, "Monte Carlo sampling for regret minimization in
  extensive games"): the learning seat tries all its actions, all else is sampled.
- Outcome sampling (the same paper) with baselines (Schmid, Burch, Lanctot, Moravcik, Kadlec and Bowling 2019,
  "Variance reduction in Monte Carlo counterfactual regret minimization"): one history; actions not taken are valued
  by a running average of what they were worth before.

Iteration t counts t times, in regrets and averages (Brown and Sandholm 2019, linear CFR). A set met for the first time
is only written down, and play goes on from there by the game's own playout; so the part of the game that is walked
through in full grows as it is needed. When the table is full, that is what happens at every set that is not in it.

Several threads learn in one table at once, without waiting for one another (Recht, Re, Wright and Niu 2011, "Hogwild: a
lock-free approach to parallelizing stochastic gradient descent"). Two that change one number at the same moment may
lose one of the changes; that is left to happen. Who comes first is up to the machine, so what more than one thread
learn is not repeatable. Only adding sets is guarded: the table always holds each set once.
"""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from voyageur.games import rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game
from voyageur.solvers import sealed
from voyageur.solvers.limits import check_threads
from voyageur.solvers.playout import borrowed, playout
from voyageur.solvers.policies import Header, Policy

EXTERNAL, OUTCOME = range(2)
SAMPLINGS = ("external", "outcome")
EXPLORE = 0.6  # of outcome sampling: uniform part of what the learning seat plays
BASELINE_RATE = 0.1  # how fast a running average forgets
ACTIONS_PER_SET = 3  # for which the table is laid out
KIND = b"VOYTRAIN"
FIELDS = {"game": str, "sampling": str, "seed": int, "iterations": int, "sets": int, "actions": int}
CACHE_LINE = 8  # numbers of 8 bytes
SLICE_SECONDS = 0.5
TO_THE_END = 1 << 62  # actions of a playout that is never cut off


class Table(NamedTuple):
    """What has been learnt: N slots for sets, E places for their actions.

    key [N]: 0 where a slot is free. first, size [N]: the actions lie at first to first + size - 1. used [2]: sets and
    places in use. lock [1]: 1 while a thread adds a set. action, regret, sum, baseline [E]: an action, its regret, the
    weighted sum of its probabilities, the running average of what it was worth to its player.

    A key is the last thing that is written of a set, so whoever finds it may read the rest.
    """

    key: np.ndarray
    first: np.ndarray
    size: np.ndarray
    used: np.ndarray
    lock: np.ndarray
    action: np.ndarray
    regret: np.ndarray
    sum: np.ndarray
    baseline: np.ndarray


class Walk(NamedTuple):
    """Working space of a thread, by depth D: records [D], everybody's choice so far at a simultaneous node [D, P], and
    actions, probabilities and values [D, A]; returns [P].
    """

    record: np.ndarray
    joint: np.ndarray
    actions: np.ndarray
    probs: np.ndarray
    values: np.ndarray
    returns: np.ndarray


@dataclass(frozen=True)
class Started:
    """What a training is: game, sampling, seed."""

    game: str
    sampling: str
    seed: int


class Mccfr:
    """A training under way.

    Attributes:
      game: which. started: what cannot change when it goes on later.
    """

    def __init__(
        self, game: Game, sampling: str = "external", seed: int = 0, memory: int = 1 << 30, threads: int = 1
    ) -> None:
        """Lays out a table of at most `memory` bytes, in which `threads` learn at once.

        Raises ValueError for a sampling that there is not, and for no number of threads.
        """
        if sampling not in SAMPLINGS:
            raise ValueError(f"sampling: expected one of {', '.join(SAMPLINGS)}, got {sampling!r}")
        check_threads(threads)
        self.game, self.started = game, Started(str(game), sampling, seed)
        slots = 1 << 8
        while 2 * slots * (20 + ACTIONS_PER_SET * 28) <= memory:
            slots *= 2
        self.table = _table(slots)
        self._rngs = _generators(rules.make_rng(seed), threads)
        self._walks = [_walk(game) for _ in range(threads)]
        self._done = np.zeros(threads, np.int64)  # iterations of each thread
        self._root = np.frombuffer(game._initial, game.rules.state)
        self.run(0)  # what has to be compiled is, before any clock runs

    @property
    def iterations(self) -> int:
        """Iterations done so far."""
        return int(self._done.sum())

    @property
    def sets(self) -> int:
        """Information sets in the table."""
        return int(self.table.used[0])

    @property
    def full(self) -> bool:
        """Whether the table holds no more sets."""
        return _full(self.table)

    def run(self, iterations: int) -> None:
        """So many iterations more, dealt out to the threads; Ctrl-C is raised once all have done their share."""
        sampling, players = SAMPLINGS.index(self.started.sampling), self.game.num_players()
        opposite = players == 2 and self.game.info.utility_sum == 0
        first, threads = self.iterations, len(self._rngs)
        shared = (self._root, self.game.constants, players, sampling, opposite, self.table)

        def learn(i: int) -> None:
            own = (self._rngs[i], self._walks[i], self._done[i : i + 1])
            _train(first + i, first + iterations, threads, *shared, *own)

        if threads == 1:
            learn(0)
            return
        with ThreadPoolExecutor(threads) as pool:
            _join([pool.submit(learn, i) for i in range(threads)])

    def policy(self) -> Policy:
        """The average strategy at all sets that were met more than once."""
        table = self.table
        slots = np.flatnonzero(table.key)
        slots = slots[np.argsort(table.key[slots])]
        places = _places(table.first[slots], table.size[slots])
        sums, starts = table.sum[places], np.cumsum(table.size[slots]) - table.size[slots]
        totals = np.repeat(np.add.reduceat(sums, starts), table.size[slots]) if len(slots) else sums
        learnt = totals > 0
        kept = slots[learnt[starts]] if len(slots) else slots
        places = places[learnt]
        sampling = self.started.sampling
        header = Header(str(self.game), f"mccfr {sampling}", self.iterations, None, False, len(kept), len(places))
        keys, sizes = table.key[kept], table.size[kept].astype(np.uint32)
        return Policy(
            header, keys, keys, np.ones(len(kept)), sizes, table.action[places], sums[learnt] / totals[learnt]
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all that it takes to go on to `path`: whole, or not at all."""
        table, n = self.table, int(self.table.used[1])
        slots = np.flatnonzero(table.key)
        slots = slots[np.argsort(table.first[slots])]
        header = asdict(self.started) | {"iterations": self.iterations, "sets": len(slots), "actions": n}
        edges = [array[:n] for array in (table.action, table.regret, table.sum, table.baseline)]
        sealed.write(path, KIND, header, [self._rngs[0], table.key[slots], table.size[slots], *edges])

    def resume(self, path: str) -> None:
        """Goes on from what `save` wrote; raises SealedError if that is of another training, or has no room here."""
        header, found = sealed.read(path, KIND, FIELDS, _layout, "checkpoint")
        for name, mine in asdict(self.started).items():
            if header[name] != mine:
                raise sealed.SealedError(f"checkpoint: {path}: {name}: it has {header[name]}, this training {mine}")
        table, sizes = self.table, found["size"]
        if len(sizes) * 4 > 3 * len(table.key) or header["actions"] > len(table.action):
            raise sealed.SealedError(f"checkpoint: {path}: its {len(sizes):,} sets need more memory than is allowed")
        keys = np.unique(found["key"])
        if (sizes < 0).any() or sizes.sum(dtype=np.int64) != header["actions"] or len(keys) < len(sizes) or 0 in keys:
            raise sealed.SealedError(f"checkpoint: {path}: its sets and actions do not fit together")
        self.table = _table(len(table.key))
        _restore(self.table, found["key"], sizes, found["action"])
        for name in ("regret", "sum", "baseline"):
            getattr(self.table, name)[: header["actions"]] = found[name]
        self._rngs = _generators(found["rng"], len(self._rngs))
        self._done[:] = 0
        self._done[0] = header["iterations"]


def _layout(header: dict[str, Any]) -> sealed.Layout:
    n, m = header["sets"], header["actions"]
    edges = [("action", "<i4", m), ("regret", "<f8", m), ("sum", "<f8", m), ("baseline", "<f8", m)]
    return [("rng", "<u8", 2), ("key", "<u8", n), ("size", "<i4", n), *edges]


def _table(slots: int) -> Table:
    places = slots * ACTIONS_PER_SET
    key, first, size = np.zeros(slots, np.uint64), np.zeros(slots, np.int64), np.zeros(slots, np.int32)
    regret, sums, baseline = (np.zeros(places) for _ in range(3))
    used, lock = np.zeros(2, np.int64), np.zeros(1, np.int64)
    return Table(key, first, size, used, lock, np.zeros(places, np.int32), regret, sums, baseline)


def _walk(game: Game) -> Walk:
    depth = game.max_game_length() * game.num_players() + game.max_chance_nodes_in_history() + 2
    players, most = game.num_players(), game.rules.max_actions
    return Walk(
        np.zeros(depth, game.rules.state),
        np.zeros((depth, players), np.int64),
        np.zeros((depth, most), np.int64),
        np.zeros((depth, most)),
        np.zeros((depth, most)),
        _apart(np.zeros(players)),
    )


def _generators(first: np.ndarray, threads: int) -> list[np.ndarray]:
    """One for each thread: `first`, from which the others are seeded."""
    first = _apart(first)
    return [first, *(_apart(rules.make_rng(int(rules.random_bits(first)))) for _ in range(threads - 1))]


def _apart(numbers: np.ndarray) -> np.ndarray:
    """A copy of a few 8-byte numbers with no cache line that others write to: threads would wait for it in turn."""
    n = len(numbers)
    room = np.zeros(n + 2 * CACHE_LINE, numbers.dtype)[CACHE_LINE : CACHE_LINE + n]
    room[:] = numbers
    return room


def _join(shares: Sequence[Future[None]]) -> None:
    """Waits until all have ended, and raises what they raised; Ctrl-C is raised only then, however often it comes."""
    try:
        wait(shares)
    except KeyboardInterrupt:
        _join(shares)  # what is saved next must not change meanwhile
        raise
    for share in shares:
        share.result()


def _places(first: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The places of all actions of some sets, set after set."""
    return np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())


def train(
    training: Mccfr,
    seconds: float,
    iterations: int,
    checkpoint: str | None = None,
    every: float = 60.0,
    report: Callable[[Mccfr, float], None] = lambda training, elapsed: None,
) -> bool:
    """Trains for `seconds`, or until `iterations` are done in all; true if Ctrl-C ended it.

    With `checkpoint`, goes on from that file if there is one, and writes it every so many seconds and at the end.
    `report` is called with the training and the seconds so far.
    """
    if checkpoint is not None and os.path.exists(checkpoint):
        training.resume(checkpoint)
    started = saved = time.monotonic()
    size, interrupted = 1, False
    try:
        while training.iterations < iterations and time.monotonic() - started < seconds:
            before = time.monotonic()
            training.run(min(size, iterations - training.iterations))
            now = time.monotonic()
            size = max(1, min(4 * size, int(size * SLICE_SECONDS / max(now - before, 1e-6))))
            report(training, now - started)
            if checkpoint is not None and now - saved >= every:
                training.save(checkpoint)
                saved = time.monotonic()
    except KeyboardInterrupt:
        interrupted = True
    if checkpoint is not None:
        training.save(checkpoint)
    return interrupted


# Compiled: the table.


@intrinsic
def _exchange(typingctx, array, index, value):
    """Puts `value` into an array of integers and returns what was there, in one step in the eyes of all threads.

    Whoever sees the value sees all that was written before it.
    """

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("xchg", _pointer(context, builder, array, *args[:2]), args[2], "seq_cst")

    return array.dtype(array, types.int64, array.dtype), codegen


@intrinsic
def _seen(typingctx, array, index):
    """What is in an array of 8-byte integers, read before anything that is read later."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(_pointer(context, builder, array, *args), "acquire", 8)

    return array.dtype(array, types.int64), codegen


def _pointer(context, builder, array, value, index):
    return builder.gep(context.make_array(array)(context, builder, value=value).data, [index])


@njit(cache=True)
def _full(table):
    return table.used[0] * 4 >= len(table.key) * 3


@njit(cache=True)
def _room(table, size):
    """Whether a set of `size` actions could be added."""
    return not _full(table) and table.used[1] + size <= len(table.action)


@njit(cache=True)
def _find(table, key):
    """(The slot of `key`, or the free one where it belongs; whether it is there)."""
    slot = np.int64(key & np.uint64(len(table.key) - 1))
    found = _seen(table.key, slot)
    while found != 0 and found != key:
        slot = (slot + 1) & (len(table.key) - 1)
        found = _seen(table.key, slot)
    return slot, found == key


@njit(cache=True)
def _add(table, slot, key, actions, n):
    """Writes a set with the first `n` of `actions` down in its free `slot`; no other thread may do so meanwhile."""
    first = table.used[1]
    for k in range(n):
        table.action[first + k] = actions[k]
    table.first[slot], table.size[slot] = first, n
    table.used[0] += 1
    table.used[1] += n
    _exchange(table.key, slot, key)


@njit(cache=True)
def _meet(table, key, actions, n):
    """The place of the actions of set `key`; -1 if it was not there, in which case it is now, if there is room."""
    slot, known = _find(table, key)
    if not known and _room(table, n):  # a full table is met all the time: nobody is to wait for the lock then
        while _exchange(table.lock, 0, 1) != 0:
            pass
        slot, known = _find(table, key)  # another thread may have been faster, with this set or in that slot
        if not known and _room(table, n):
            _add(table, slot, key, actions, n)
        _exchange(table.lock, 0, 0)
    return table.first[slot] if known else np.int64(-1)


@njit(cache=True)
def _restore(table, keys, sizes, actions):
    """Writes sets down again, in their order, for which there is room."""
    for i in range(len(keys)):
        slot, _ = _find(table, keys[i])
        _add(table, slot, keys[i], actions[table.used[1] :], np.int64(sizes[i]))


@njit(cache=True)
def _match(table, first, n, probs):
    """Writes the strategy at a set to `probs`: in proportion to the regrets above 0 (Hart and Mas-Colell 2000)."""
    total = 0.0
    for k in range(n):
        probs[k] = max(table.regret[first + k], 0.0)
        total += probs[k]
    for k in range(n):
        probs[k] = probs[k] / total if total > 0.0 else 1.0 / n


@njit(cache=True)
def _draw(probs, n, rng):
    """An index below `n`, drawn by `probs`."""
    left = rules.random_unit(rng)
    for k in range(n - 1):
        left -= probs[k]
        if left < 0.0:
            return k
    return n - 1


# Compiled: walks. Where everybody acts at once the seats choose one after another, `seat` next, at depths of their own.


@njit(cache=True)
def _step(walk, depth, c, players, current, seat, action):
    """Lets `seat` play `action`: what is then at `depth` + 1. Returns the seat that is next at a simultaneous node."""
    walk.record[depth + 1] = walk.record[depth]
    s = walk.record[depth + 1]
    if current != SIMULTANEOUS:
        rules.apply_action(s, c, action)
        return 0
    for other in range(seat):
        walk.joint[depth + 1, other] = walk.joint[depth, other]
    walk.joint[depth + 1, seat] = action
    if seat + 1 < players:
        return seat + 1
    rules.apply_joint(s, c, walk.joint[depth + 1])
    return 0


@njit(cache=True)
def _playout(walk, depth, c, players, seat, rng):
    """Plays on from `depth` to the end by the game's own playout policy; the returns go to `walk.returns`."""
    s, actions, joint = walk.record[depth], walk.actions[depth], walk.joint[depth]
    if seat > 0:  # some have chosen already
        for other in range(seat, players):
            n = np.int64(rules.legal_actions(s, c, other, actions))
            joint[other] = rules.playout_action(s, c, other, actions, n, rng)
        rules.apply_joint(s, c, joint)
    playout(s, c, TO_THE_END, players, actions, joint, rng, walk.returns)


@njit(cache=True)
def _enter(walk, depth, c, players, seat, rng, table):
    """Goes on through chance to a decision: (current player, who decides, number of actions, their place).

    TERMINAL, with the returns in `walk.returns`, where the game ends, or where a set is met for the first time.
    """
    s = walk.record[depth]
    current = np.int64(rules.current_player(s, c))
    while current == CHANCE:
        rules.apply_action(s, c, np.int64(rules.sample_chance(s, c, rng)))
        current = np.int64(rules.current_player(s, c))
    if current == TERMINAL:
        rules.returns(s, c, walk.returns)
        return current, seat, np.int64(0), np.int64(0)
    mover = seat if current == SIMULTANEOUS else current
    n = np.int64(rules.legal_actions(s, c, mover, walk.actions[depth]))
    if n == 1:
        return current, mover, n, np.int64(-1)
    first = _meet(table, max(np.uint64(rules.information_key(s, c, mover)), np.uint64(1)), walk.actions[depth], n)
    if first < 0:
        _playout(walk, depth, c, players, seat, rng)
        return np.int64(TERMINAL), mover, n, first
    return current, mover, n, first


@njit(cache=True)
def _external(walk, depth, c, players, seat, learner, weight, rng, table):
    """External sampling from `depth`; returns what it is worth to `learner`."""
    current, mover, n, first = _enter(walk, depth, c, players, seat, rng, table)
    if current == TERMINAL:
        return walk.returns[learner]
    if n == 1:
        following = _step(walk, depth, c, players, current, mover, walk.actions[depth, 0])
        return _external(walk, depth + 1, c, players, following, learner, weight, rng, table)
    probs, values = walk.probs[depth], walk.values[depth]
    _match(table, first, n, probs)
    if mover != learner:
        for k in range(n):
            table.sum[first + k] += weight * probs[k]
        following = _step(walk, depth, c, players, current, mover, walk.actions[depth, _draw(probs, n, rng)])
        return _external(walk, depth + 1, c, players, following, learner, weight, rng, table)
    value = 0.0
    for k in range(n):
        following = _step(walk, depth, c, players, current, mover, walk.actions[depth, k])
        values[k] = _external(walk, depth + 1, c, players, following, learner, weight, rng, table)
        value += probs[k] * values[k]
    for k in range(n):
        table.regret[first + k] += weight * (values[k] - value)
    return value


@njit(cache=True)
def _outcome(walk, depth, c, players, seat, learner, weight, opposite, rng, table):
    """Outcome sampling from `depth`; returns what it is worth to `learner`.

    All but the learner are sampled as they play, so that their probabilities cancel out: `weight` is that of the
    iteration over the probability of the learner's own choices in the sample.
    """
    current, mover, n, first = _enter(walk, depth, c, players, seat, rng, table)
    if current == TERMINAL:
        return walk.returns[learner]
    if n == 1:
        following = _step(walk, depth, c, players, current, mover, walk.actions[depth, 0])
        return _outcome(walk, depth + 1, c, players, following, learner, weight, opposite, rng, table)
    probs, played = walk.probs[depth], walk.values[depth]
    _match(table, first, n, probs)
    for k in range(n):
        played[k] = (1.0 - EXPLORE) * probs[k] + EXPLORE / n if mover == learner else probs[k]
    chosen = _draw(played, n, rng)
    chance = played[chosen]
    below = weight / chance if mover == learner else weight
    following = _step(walk, depth, c, players, current, mover, walk.actions[depth, chosen])
    found = _outcome(walk, depth + 1, c, players, following, learner, below, opposite, rng, table)
    # Baselines are of what an action is worth to its player; they serve the other one only where that is the opposite.
    sign = 1.0 if mover == learner else (-1.0 if opposite else 0.0)
    value = 0.0
    for k in range(n):
        worth = sign * table.baseline[first + k]
        if k == chosen:
            worth += (found - worth) / chance
        played[k] = worth
        value += probs[k] * worth
    if sign != 0.0:
        table.baseline[first + chosen] += BASELINE_RATE * (sign * found - table.baseline[first + chosen])
    for k in range(n):
        if mover == learner:
            table.regret[first + k] += weight * (played[k] - value)
        else:
            table.sum[first + k] += weight * probs[k]
    return value


@njit(cache=True, nogil=True)
def _train(first, end, step, root, constants, players, sampling, opposite, table, rng, walk, done):
    """Iterations `first`, `first` + `step` and so on below `end`; adds to `done` [1] how many that was."""
    c, top = constants[0], np.int64(0)
    # Without counts: those of the table's arrays would be written by all threads, at every call.
    table, rng, walk = borrowed(table), borrowed(rng), borrowed(walk)
    for t in range(first, end, step):
        for learner in range(players):
            walk.record[0] = root[0]
            if sampling == EXTERNAL:
                _external(walk, top, c, players, top, learner, t + 1.0, rng, table)
            else:
                _outcome(walk, top, c, players, top, learner, t + 1.0, opposite, rng, table)
    done[0] += len(range(first, end, step))
