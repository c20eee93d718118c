"""Endings solved: what each move is worth under best play of both, proved by looking at everything that matters.

For two players whose returns add up to a constant, where nothing is hidden and no chance is left: the question "can
the player still win (or draw)?" is answered by a depth-first search over AND and OR nodes, deeper and deeper, with a
table of what has been answered (iterative deepening with transpositions, Slate and Atkin 1977). What lies beyond the
depth, a chance node or a hidden choice counts as unknown; an answer that hangs on none of it is a proof.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from voyageur.games import rules
from voyageur.games.positions import View, whole_moves
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL, copied, mix
from voyageur.games.spiel import Game
from voyageur.solvers.limits import Limit
from voyageur.solvers.playout import borrowed

YES, NO, UNKNOWN, OPEN = 1, -1, 0, 2
MAX_DEPTH = 200  # actions
PROBES = 4  # places where an answer may be kept
TABLE = 1 << 18
SLICE = 20_000  # states looked at between two looks at `stop`
FIRST = 1_000  # before it is known how many the time allows
STATES_PER_NODE = 4  # looked at, for a limit of one simulation; they are that much cheaper
DRAWS = 20  # redrawn worlds, all alike where nothing is hidden
PART = 0.2  # of the time that goes into proving, where there is only time to go by

ANSWER = np.dtype([("key", "u8"), ("answer", "i4"), ("depth", "i4")])  # depth: to which it was looked for, if UNKNOWN

# What a proof under way is about, and where it stands at each level.
WORK = np.dtype(
    [
        ("player", "i8"),  # for whom `wanted` is asked
        ("wanted", "f8"),  # a return
        ("visited", "i8"),
        ("budget", "i8"),  # visits after which it is given up
        ("low", "f8"),  # the least and the greatest return
        ("high", "f8"),
        ("cut", "i8"),  # whether the depth has kept anything from being seen
        ("seat", "i8", (MAX_DEPTH + 1,)),
        ("count", "i8", (MAX_DEPTH + 1,)),
        ("next", "i8", (MAX_DEPTH + 1,)),
        ("unknown", "i8", (MAX_DEPTH + 1,)),
        ("key", "u8", (MAX_DEPTH + 1,)),
    ]
)


@njit(cache=True, nogil=True)
def _key(s, c, work):
    """Hash of everything, hidden or not, and of the question."""
    key = mix(np.uint64(rules.information_key(s, c, 0)), np.uint64(rules.information_key(s, c, 1)))
    return mix(key, np.uint64(2 * work.player + (work.wanted >= work.high)))


@njit(cache=True, nogil=True)
def _recall(table, key, depth):
    """The answer kept for `key`; OPEN if there is none that looks `depth` further."""
    mask = np.uint64(len(table) - 1)
    for i in range(PROBES):
        kept = table[np.int64((key + np.uint64(i)) & mask)]
        if kept.key == key and kept.answer != OPEN:
            if kept.answer != UNKNOWN:
                return np.int64(kept.answer)
            return UNKNOWN if kept.depth >= depth else OPEN
    return OPEN


@njit(cache=True, nogil=True)
def _keep(table, key, answer, depth):
    """Keeps an answer, in the place of the least deep one that is no proof if there is no other."""
    mask = np.uint64(len(table) - 1)
    best, worst = np.int64(key & mask), 1 << 30
    for i in range(PROBES):
        place = np.int64((key + np.uint64(i)) & mask)
        kept = table[place]
        worth = -1 if kept.answer == OPEN or kept.key == key else kept.depth + (1 << 20) * (kept.answer != UNKNOWN)
        if worth < worst:
            best, worst = place, worth
    table[best].key, table[best].answer, table[best].depth = key, answer, depth


@njit(cache=True, nogil=True)
def _enter(s, c, level, depth, table, actions, work, out, rng):
    """The answer at a state if it can be told at once; else OPEN, with its actions listed."""
    work.visited += 1
    player = np.int64(rules.current_player(s, c))
    if player == TERMINAL:
        rules.returns(s, c, out)
        value = out[work.player]
        if value != work.low and value != work.high and value != 0.5 * (work.low + work.high):
            return UNKNOWN
        return YES if value >= work.wanted else NO
    if player in (CHANCE, SIMULTANEOUS) or rules.mixed(s, c):
        return UNKNOWN
    if level == depth:
        work.cut = 1
        return UNKNOWN
    work.key[level] = _key(s, c, work)
    known = _recall(table, work.key[level], depth - level)
    if known != OPEN:
        work.cut |= known == UNKNOWN
        return known
    row = actions[level]
    n = np.int64(rules.legal_actions(s, c, player, row))
    work.seat[level], work.count[level], work.next[level], work.unknown[level] = player, n, 0, 0
    if n > 1:  # what a plain player would do is tried first
        first = np.int64(rules.scripted_action(s, c, player, row, n, rng))
        for i in range(n):
            if row[i] == first:
                row[i] = row[0]
        row[0] = first
    return OPEN


@njit(cache=True, nogil=True)
def prove(states, c, depth, table, actions, work, out, rng):
    """Whether `work.player` can get `work.wanted` from `states[0]` within `depth` actions: YES, NO or UNKNOWN.

    `states` [depth + 1], `actions` [depth + 1, A] and `out` [P] are scratch, but for the first state.
    """
    table, actions, out, rng = borrowed(table), borrowed(actions), borrowed(out), borrowed(rng)
    level = 0
    answer = _enter(states[0], c, 0, depth, table, actions, work, out, rng)
    while True:
        if answer != OPEN:
            if level == 0:
                return answer
            level -= 1
            enough = YES if work.seat[level] == work.player else NO
            work.unknown[level] |= answer == UNKNOWN
            if answer == enough:
                _keep(table, work.key[level], answer, depth - level)
                continue
        if work.visited >= work.budget:
            return UNKNOWN
        if work.next[level] < work.count[level]:
            states[level + 1] = states[level]
            rules.apply_action(states[level + 1], c, np.int64(actions[level, work.next[level]]))
            work.next[level] += 1
            level += 1
            answer = _enter(states[level], c, level, depth, table, actions, work, out, rng)
        else:
            failed = NO if work.seat[level] == work.player else YES
            answer = UNKNOWN if work.unknown[level] else failed
            _keep(table, work.key[level], answer, depth - level)


@dataclass(frozen=True)
class Proof:
    """What is proved about the moves of a decision.

    Attributes:
      chains: the moves as action chains.
      low, high: [M] bounds of what each is worth to the player, on the game's own scale.
      solved: whether the best value is known, and for every move whether it keeps it.
    """

    chains: list[tuple[int, ...]]
    low: np.ndarray
    high: np.ndarray

    @property
    def best(self) -> float:
        """The most that is sure."""
        return float(self.low.max())

    @property
    def solved(self) -> bool:
        """Whether the best value is known, and of every move whether it keeps that."""
        kept = (self.low == self.high) & (self.low == self.best)
        return bool(((self.high < self.best) | kept).all())


class Prover:
    """Proofs about one decision of one player; everything in `record` counts as seen by both."""

    def __init__(
        self, game: Game, record: np.ndarray, player: int, chains: list[tuple[int, ...]] | None = None
    ) -> None:
        """`chains`: the player's whole moves, where they are known already."""
        kind, info = game.rules, game.info
        self._game, self._record, self._player = game, record, player
        self.chains = whole_moves(game, record, player) if chains is None else chains
        self._low = np.full(len(self.chains), info.min_utility)
        self._high = np.full(len(self.chains), info.max_utility)
        self._states = np.zeros(MAX_DEPTH + 1, kind.state)
        self._actions = np.zeros((MAX_DEPTH + 1, kind.max_actions), np.int64)
        self._table = np.zeros(TABLE, ANSWER)
        self._table["answer"] = OPEN
        self._work = np.zeros(1, WORK)
        self._work["player"], self._work["low"], self._work["high"] = player, info.min_utility, info.max_utility
        self._out, self._rng = np.zeros(info.players), rules.make_rng(0)
        self._depth = 0
        self.exhausted = False  # nothing more can be found out
        self._answer(self.chains[0], info.max_utility, 0)  # what has to be compiled is, before any clock runs

    @property
    def proof(self) -> Proof:
        """What is proved so far."""
        return Proof(self.chains, self._low.copy(), self._high.copy())

    @property
    def visited(self) -> int:
        """States looked at."""
        return int(self._work["visited"][0])

    def run(self, budget: int) -> None:
        """Looks at about so many states more, deeper and deeper."""
        work = self._work[0]
        work["budget"] = work["visited"] + budget
        for depth in range(self._depth, MAX_DEPTH):
            self._depth, work["cut"] = depth, 0
            for move in range(len(self.chains)):
                self._ask(move, depth)
            if self.proof.solved or work["visited"] >= work["budget"]:
                return
            if not work["cut"]:
                break
        self.exhausted = True

    def _ask(self, move: int, depth: int) -> None:
        """Narrows the bounds of a move."""
        middle = (self._work["low"][0] + self._work["high"][0]) / 2
        while self._low[move] < self._high[move] and self._high[move] >= self.proof.best:
            wanted = self._high[move]
            answer = self._answer(self.chains[move], wanted, depth)
            if answer == UNKNOWN:
                return
            if answer == YES:
                self._low[move] = wanted
            else:
                self._high[move] = middle if wanted > middle else self._work["low"][0]

    def _answer(self, chain: tuple[int, ...], wanted: float, depth: int) -> int:
        self._states[0] = self._record[0]
        for action in chain:
            rules.apply_action(self._states[0], self._game.c, action)
        self._work["wanted"] = wanted
        arguments = (self._table, self._actions, self._work[0], self._out, self._rng)
        return int(prove(self._states, self._game.c, depth, *arguments))


def fits(game: Game) -> bool:
    """Whether proofs know how to deal with such a game: two players, constant sum."""
    return game.info.players == 2 and game.info.utility_sum is not None


def provable(view: View) -> bool:
    """Whether the view's decision can be an ending to prove: one of a game that `fits`, with nothing hidden in it."""
    game, record = view.game, view.record()
    if not fits(game) or rules.current_player(record[0], game.c) < 0:
        return False
    if not game.info.hides:
        return True
    return not rules.mixed(record[0], game.c) and _is_only_world(view)


def _is_only_world(view: View) -> bool:
    """Whether nothing else fits what the view's player sees; from draws where the worlds cannot be listed."""
    game, record = view.game, view.record()
    other, rng = copied(record), rules.make_rng(1)
    first = rules.world_at(other[0], game.c, view.player, 0.0)
    if first > 0.0:
        return bool(rules.world_at(other[0], game.c, view.player, first) <= first)
    for _ in range(DRAWS):
        rules.determinize(other[0], game.c, view.player, rng, view.table)
        if other.tobytes() != record.tobytes():
            return False
    return True


def prove_within(prover: Prover, limit: Limit, part: float = PART, stop: Callable[[], bool] = lambda: False) -> Proof:
    """Proves what can be proved for a limit: a part of its time, or states in proportion to its simulations.

    `stop` is asked now and then; once it is true, no more is tried.
    """
    started, before = time.monotonic(), prover.visited
    while not (prover.exhausted or prover.proof.solved or stop()):
        left = SLICE
        if limit.nodes is not None:
            left = min(left, STATES_PER_NODE * limit.nodes - prover.visited)
        if limit.seconds is not None:
            done, elapsed = prover.visited - before, time.monotonic() - started
            left = min(left, int(done * (part * limit.seconds / elapsed - 1)) if done else FIRST)
        if left <= 0:
            break
        prover.run(left)
    return prover.proof
