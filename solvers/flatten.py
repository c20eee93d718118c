"""Games laid flat: the sequence form of a whole game as a few arrays, made once, swept often.

A sequence is an own action together with all own actions before it (von Stengel 1996, "Efficient computation of
behavior strategies"). With perfect recall a player's plan is one number a sequence, and what matters of all the
histories of a game is one row for each combination of sequences that ends it: the histories themselves, chance and
the other players' information sets are gone before the first sweep.

Seats that choose at once are taken one after another, each without seeing the others' choice. Our own games are
walked by their compiled rules, level by level; histories that chance has led to the same record, and that nobody can
tell apart, are taken together (a deal, card by card in any order, is one deal). Other games are walked through
`pyspiel`.

What a player knows is a 64-bit fingerprint (`information`) of all that it has noticed so far and of its own actions:
two information sets of a game of a million are taken for one with a probability below 10**-7, and then mostly noticed.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from numba import njit

from voyageur.games import rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game, State, apply_step

DESCENTS = 100
HOPELESS = 1e12  # histories; nobody wants to know more exactly
NOTHING = 0  # in place of an information set: the player has not acted yet

Progress = Callable[[int], None]


class Form(NamedTuple):
    """The sequence form, all players numbered in one; what compiled sweeps take.

    Letters: P players, I information sets, S sequences, E entries. Sequences 0 to P-1 are the empty ones, by seat; then
    come the actions of information set 0, of 1, and so on. Sets are ordered by player, and by time.

    Arrays:
      infos [P+1]: the sets of player p are infos[p] to infos[p+1]-1.
      first [I+1]: the sequences of set i are first[i] to first[i+1]-1.
      parent [I]: the player's own sequence that leads to the set.
      rows [S+1]: the entries of sequence s are rows[s] to rows[s+1]-1.
      others [P-1, E]: the sequences of the other players, by seat, with which the owner's sequence ends the game.
      payoff [E]: the owner's return there times the probability of chance, summed over such ends; never 0.
    """

    infos: np.ndarray
    first: np.ndarray
    parent: np.ndarray
    rows: np.ndarray
    others: np.ndarray
    payoff: np.ndarray


@dataclass(frozen=True)
class Flat:
    """A game laid flat.

    Attributes:
      game: as OpenSpiel writes it. players: how many.
      form: the sequence form.
      keys [I]: `information` of each set, uint64. seen [I]: what its player then sees (`information_key`; of games that
        are not ours, the same as `keys`). actions [S]: OpenSpiel's action of each sequence, -1 for empty ones.
      zero_sum: whether returns always add up to the same.
      histories: ends of the game, after merging what chance alone tells apart.
    """

    game: str
    players: int
    form: Form
    keys: np.ndarray
    seen: np.ndarray
    actions: np.ndarray
    zero_sum: bool
    histories: int

    @property
    def owner(self) -> np.ndarray:
        """The player of each information set [I]."""
        return np.repeat(np.arange(self.players), np.diff(self.form.infos))

    @property
    def bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in (*self.form, self.keys, self.seen, self.actions))


class OutOfMemory(ValueError):
    """A game that does not fit, with the numbers."""


def available() -> int:
    """Bytes that may be used: three quarters of what the system says is free (of all there is, if it does not say)."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return free * 3 // 4


def flatten(game: Any, memory: int | None = None, progress: Progress | None = None) -> Flat:
    """Lays `game` (ours, or any of OpenSpiel's) flat within `memory` bytes (default: `available`).

    `progress` is called with the number of histories so far. Raises OutOfMemory, in one line, as soon as it is clear
    that the game needs more, and ValueError for a game without perfect recall or with rewards before the end.
    """
    if isinstance(game, Game):
        root = rules.record_of(game._initial, game.rules.state)
        return flatten_from(game, root, np.ones(1), memory, progress)
    walk = _Walk(game, memory, progress)
    _walk_pyspiel(walk, game)
    return walk.assemble()


def flatten_from(
    game: Game, roots: np.ndarray, chance: np.ndarray, memory: int | None = None, progress: Progress | None = None
) -> Flat:
    """As `flatten`, of what is left of a game of ours from the records `roots` [N], with probabilities `chance` [N].

    What a player knows begins with what it sees there. An exception that `progress` raises ends it.
    """
    walk = _Walk(game, memory, progress)
    _walk_rules(walk, game, roots, chance)
    return walk.assemble()


def estimate(game: Game, root: np.ndarray, descents: int = DESCENTS) -> float:
    """About how many histories begin at the record `root` [1], by random walks; the same each time."""
    scratch = _scratch(game)
    return float(_descend(root.copy(), root, game.constants, game.num_players(), scratch, descents, rules.make_rng(0)))


def compile_for(game: Game) -> None:
    """Compiles what `flatten` and `estimate` need for a game of ours."""
    none = np.zeros(0, game.rules.state)
    _walk_rules(_Walk(game, None, None), game, none, np.zeros(0))
    estimate(game, none, 0)


# What is gathered on the way.


class Choices(NamedTuple):
    """Decisions met: N of them, of M actions together; a set is met once for each history that leads to it.

    key, seen [N]: the set, and what the player then sees. last [N]: the player's set before it (NOTHING: none). chosen
    [N]: the action chosen there, counted from 0. player, size [N]: who decides, between how many actions. actions [M].
    """

    key: np.ndarray
    seen: np.ndarray
    player: np.ndarray
    size: np.ndarray
    last: np.ndarray
    chosen: np.ndarray
    actions: np.ndarray


class Ends(NamedTuple):
    """Ends of the game: Z of them.

    last, chosen [Z, P]: each player's last set and the action chosen there, counted from 0. chance [Z]. returns [Z, P].
    """

    last: np.ndarray
    chosen: np.ndarray
    chance: np.ndarray
    returns: np.ndarray


def _choices(n: int, m: int) -> Choices:
    key, seen, last = (np.zeros(n, np.uint64) for _ in range(3))
    player, size, chosen = (np.zeros(n, np.int32) for _ in range(3))
    return Choices(key, seen, player, size, last, chosen, np.zeros(m, np.int32))


def _ends(n: int, players: int) -> Ends:
    return Ends(
        np.zeros((n, players), np.uint64), np.zeros((n, players), np.int32), np.zeros(n), np.zeros((n, players))
    )


class _Walk:
    """What a walk through a game has found, and the memory that it may take."""

    def __init__(self, game: Any, memory: int | None, progress: Progress | None) -> None:
        self.game, self.players = game, game.num_players()
        self.memory = available() if memory is None else memory
        self.progress = progress or (lambda histories: None)
        self.choices: list[Choices] = []
        self.ends: list[Ends] = []
        self.bytes = 0
        self.histories = 0

    def need(self, more: int) -> None:
        """Raises OutOfMemory if `more` bytes are too many."""
        if self.bytes + more > self.memory:
            raise OutOfMemory(
                f"{self.game} does not fit: after {self.histories:,} histories it needs at least "
                f"{(self.bytes + more) / 1e9:,.1f} GB, and {self.memory / 1e9:,.1f} GB may be used"
            )

    def add(self, choices: Choices, ends: Ends) -> None:
        """Keeps what was found; of decisions, one a set."""
        _, kept = np.unique(choices.key, return_index=True)
        kept.sort()
        if len(kept) < len(choices.key):
            choices = _pick(choices, kept)
        self.choices.append(choices)
        self.ends.append(ends)
        # The arrays are joined and sorted in the end, which takes them several times over.
        self.bytes += 4 * sum(array.nbytes for array in (*choices, *ends))

    def assemble(self) -> Flat:
        """The sequence form of all that was found."""
        choices = Choices(*(np.concatenate(arrays) for arrays in zip(*self.choices, strict=True)))
        sorted_keys, found, which = np.unique(choices.key, return_index=True, return_inverse=True)
        same = found[which]
        for array in (choices.size, choices.player, choices.last, choices.chosen):
            if (array != array[same]).any():
                raise ValueError(f"{self.game}: a player forgets what it knew or did (no perfect recall)")
        rank = np.lexsort((found, choices.player[found]))
        place = np.empty_like(rank)
        place[rank] = np.arange(len(rank))
        sets = _pick(choices, found[rank])
        first = self.players + np.concatenate(([0], np.cumsum(sets.size, dtype=np.int64)))

        def sequence(last: np.ndarray, index: np.ndarray, player: Any) -> np.ndarray:
            if not len(rank):
                return np.broadcast_to(player, last.shape)
            set_ = place[np.searchsorted(sorted_keys, last) % len(rank)]
            return np.where(last == NOTHING, player, first[set_] + index)

        ends = Ends(*(np.concatenate(arrays) for arrays in zip(*self.ends, strict=True)))
        seats = np.arange(self.players)
        rows, others, payoff = _entries(sequence(ends.last, ends.chosen, seats), ends, int(first[-1]))
        form = Form(
            infos=np.searchsorted(sets.player, np.arange(self.players + 1)),
            first=first,
            parent=sequence(sets.last, sets.chosen, sets.player),
            rows=rows,
            others=others,
            payoff=payoff,
        )
        total = ends.returns.sum(axis=1)
        return Flat(
            game=str(self.game),
            players=self.players,
            form=form,
            keys=sets.key,
            seen=sets.seen,
            actions=np.concatenate((np.full(self.players, -1, np.int32), sets.actions)),
            zero_sum=bool(np.ptp(total) < 1e-9),
            histories=len(ends.chance),
        )


def _pick(choices: Choices, kept: np.ndarray) -> Choices:
    """The decisions `kept`, with their actions."""
    starts = np.cumsum(choices.size, dtype=np.int64) - choices.size
    count = choices.size[kept]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    actions = choices.actions[np.repeat(starts[kept], count) + within]
    return Choices._make([*(array[kept] for array in choices[:-1]), actions])


def _entries(ends: np.ndarray, found: Ends, sequences: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`rows`, `others` and `payoff` of a form, from the sequences [Z, P] that end each history."""
    players = ends.shape[1]
    order = np.lexsort(ends.T[::-1])
    ends, worth = ends[order], (found.chance[:, None] * found.returns)[order]
    starts = np.flatnonzero(np.concatenate(([True], (ends[1:] != ends[:-1]).any(axis=1))))
    ends, worth = ends[starts], np.add.reduceat(worth, starts, axis=0)
    own, others, payoff = [], [], []
    for player in range(players):
        counts = np.flatnonzero(worth[:, player])
        own.append(ends[counts, player])
        others.append(np.delete(ends[counts], player, axis=1))
        payoff.append(worth[counts, player])
    all_own, all_others = np.concatenate(own), np.concatenate(others)
    order = np.argsort(all_own, kind="stable")
    rows = np.concatenate(([0], np.cumsum(np.bincount(all_own, minlength=sequences))))
    return rows, np.ascontiguousarray(all_others[order].T.astype(np.uint32)), np.concatenate(payoff)[order]


# Games of OpenSpiel.


def _walk_pyspiel(walk: _Walk, game: Any) -> None:
    """Depth first through the states of `game`."""
    kind = game.get_type()
    if kind.reward_model != pyspiel.GameType.RewardModel.TERMINAL:
        raise ValueError(f"{game}: rewards before the end cannot be laid flat")
    if not kind.provides_information_state_string:
        raise ValueError(f"{game}: it does not say what a player knows (information_state_string)")
    nothing = (NOTHING,) * walk.players, (0,) * walk.players
    stack = [(game.new_initial_state(), 1.0, *nothing)]
    met: dict[int, tuple[int, int, int, int, list[int]]] = {}
    ended: list[tuple[tuple[int, ...], tuple[int, ...], float, list[float]]] = []
    while stack:
        state, chance, last, index = stack.pop()
        if state.is_terminal():
            ended.append((last, index, chance, state.returns()))
        elif state.is_chance_node():
            stack += [(state.child(a), chance * p, last, index) for a, p in reversed(state.chance_outcomes())]
        else:
            stack += reversed([(s, chance, *rest) for s, *rest in _children(state, last, index, met)])
        walk.histories += 1
        if walk.histories % 4096 == 0:
            walk.progress(walk.histories)
            walk.need(1000 * (len(ended) + len(met)))
    choices = [(key, *rest) for key, (*rest, _) in met.items()]
    keys, players, counts, lasts, indices = zip(*choices, strict=True) if choices else ((),) * 5
    actions = [action for *_, legal in met.values() for action in legal]
    key, last = np.array(keys, np.uint64), np.array(lasts, np.uint64)
    player, size, chosen = (np.array(values, np.int32) for values in (players, counts, indices))
    found = Choices(key, key, player, size, last, chosen, np.array(actions, np.int32))
    last_, index_, chance_, returns = zip(*ended, strict=True)
    ends = Ends(np.array(last_, np.uint64), np.array(index_, np.int32), np.array(chance_), np.array(returns))
    walk.add(found, ends)


def _children(state: Any, last: tuple[int, ...], index: tuple[int, ...], met: dict[int, Any]) -> list[Any]:
    """What the choices of the player to act lead to (of all players who act at once), as (state, last, index)."""
    simultaneous = state.is_simultaneous_node()
    reached: list[Any] = [([], last, index)]
    for player in range(state.num_players()) if simultaneous else [state.current_player()]:
        legal = state.legal_actions(player)
        if not legal and simultaneous:  # OpenSpiel's way of saying that this seat does not act
            reached = [([*joint, 0], before, chosen) for joint, before, chosen in reached]
            continue
        key = information(state, player)
        record = (player, len(legal), last[player], index[player], legal)
        if met.setdefault(key, record) != record:
            raise ValueError(f"{state.get_game()}: a player forgets what it knew or did (no perfect recall)")
        reached = [
            ([*joint, a], _with(before, player, key), _with(chosen, player, i))
            for joint, before, chosen in reached
            for i, a in enumerate(legal)
        ]
    if not simultaneous:
        return [(state.child(joint[0]), before, chosen) for joint, before, chosen in reached]
    children = []
    for joint, before, chosen in reached:
        child = state.clone()
        child.apply_actions(joint)
        children.append((child, before, chosen))
    return children


def _with(values: tuple[int, ...], player: int, value: int) -> tuple[int, ...]:
    return (*values[:player], value, *values[player + 1 :])


# Our own games, by their compiled rules.


class Level(NamedTuple):
    """Histories of one length: N of them.

    record [N]: states. chance [N]: probability. recall [N, P]: fingerprint of all that a player has noticed and done.
    seen [N, P]: what it saw last. last, chosen [N, P]: its last set and the action chosen there. fingerprint [N]: of
    the record and of what everybody knows.
    """

    record: np.ndarray
    chance: np.ndarray
    recall: np.ndarray
    seen: np.ndarray
    last: np.ndarray
    chosen: np.ndarray
    fingerprint: np.ndarray


class Scratch(NamedTuple):
    """Working space for one history: see `_choose`; `joint` [P] is everybody's action."""

    actions: np.ndarray
    probs: np.ndarray
    counts: np.ndarray
    joint: np.ndarray


def _level(game: Game, n: int) -> Level:
    recall, seen, last = (np.zeros((n, game.num_players()), np.uint64) for _ in range(3))
    chosen = np.zeros((n, game.num_players()), np.int32)
    return Level(np.zeros(n, game.rules.state), np.zeros(n), recall, seen, last, chosen, np.zeros(n, np.uint64))


def _scratch(game: Game) -> Scratch:
    players, most = game.num_players(), game.rules.max_actions
    joint = np.zeros(players, np.int64)
    return Scratch(np.zeros((players, most), np.int64), np.zeros(most), joint.copy(), joint)


def _walk_rules(walk: _Walk, game: Game, roots: np.ndarray, chance: np.ndarray) -> None:
    """Level by level from the records `roots` with their probabilities `chance`."""
    players, scratch = walk.players, _scratch(game)
    level = _level(game, len(roots))
    level.record[:], level.chance[:] = roots, chance
    _begin(level, game.constants, players)
    row = game.rules.state.itemsize + 16 + 28 * players
    while True:
        n, ends, met, options = _count(level, game.constants, players, scratch)
        # The children and what sorting them takes; and what is kept in the end, as `add` reckons.
        walk.need(2 * n * (row + 16) + 4 * (ends * (20 * players + 8) + met * 40 + options * 4))
        walk.progress(walk.histories + len(level.record) + n)
        children, ended, choices = _level(game, n), _ends(ends, players), _choices(met, options)
        _expand(level, game.constants, players, scratch, children, ended, choices)
        walk.add(choices, ended)
        walk.histories += len(level.record)
        if not n:
            return
        level = _merge(children)


def _merge(level: Level) -> Level:
    """The level with histories of equal fingerprints taken together."""
    _, kept, which = np.unique(level.fingerprint, return_index=True, return_inverse=True)
    if len(kept) == len(which):
        return level
    merged = Level(*(array[kept] for array in level))
    merged.chance[:] = np.bincount(which, level.chance)
    return merged


@njit(cache=True)
def begins(player, seen):
    """What `player` knows where a history begins, seeing `seen` (an `information_key`)."""
    return rules.mix(rules.mix(np.uint64(player + 1), np.uint64(0)), seen)


@njit(cache=True)
def acted(recall, action):
    """`recall` after an own action."""
    return rules.mix(recall ^ np.uint64(0x5851F42D4C957F2D), np.uint64(action))


@njit(cache=True)
def noticed(recall, seen, now):
    """`recall` when `now` is seen in place of `seen`; what changes nothing that is seen goes unnoticed."""
    return recall if now == seen else rules.mix(recall, now)


@njit(cache=True)
def _begin(level, constants, players):
    for i in range(len(level.record)):
        for player in range(players):
            seen = np.uint64(rules.information_key(level.record[i], constants[0], player))
            level.recall[i, player], level.seen[i, player] = begins(player, seen), seen


@njit(cache=True)
def _choose(s, c, players, scratch):
    """What may happen next: (who acts, number of children).

    The actions [P, A] of those who act go to `scratch.actions` (chance: in row 0), how many to `scratch.counts` [P], 1
    for all others; the probabilities of chance to `scratch.probs`.
    """
    current = np.int64(rules.current_player(s, c))
    if current == TERMINAL:
        return current, 0
    if current == CHANCE:
        return current, np.int64(rules.chance_outcomes(s, c, scratch.actions[0], scratch.probs))
    children = 1
    for player in range(players):
        scratch.counts[player] = 1
        if current in (player, SIMULTANEOUS):
            scratch.counts[player] = rules.legal_actions(s, c, player, scratch.actions[player])
        children *= scratch.counts[player]
    return current, children


@njit(cache=True)
def _happen(s, c, current, number, scratch):
    """Lets happen outcome `number` of chance, or what the players do by `scratch.joint`."""
    if current == SIMULTANEOUS:
        rules.apply_joint(s, c, scratch.joint)
    else:
        rules.apply_action(s, c, scratch.actions[0, number] if current == CHANCE else scratch.joint[current])


@njit(cache=True)
def _descend(world, root, constants, players, scratch, descents, rng):
    """Histories below `root` [1], on average of what random walks meet (Knuth 1975, "Estimating the efficiency of
    backtrack programs"): one that had so many ways to go stands for as many histories of its length.
    """
    c, total = constants[0], 0.0
    for _ in range(descents):
        world[0] = root[0]
        current, n = _choose(world[0], c, players, scratch)
        alike = 1.0
        while n > 0 and alike < HOPELESS:
            alike *= n
            total += alike
            for player in range(players):
                scratch.joint[player] = scratch.actions[player, rules.random_below(rng, scratch.counts[player])]
            _happen(world[0], c, current, rules.random_below(rng, n), scratch)
            current, n = _choose(world[0], c, players, scratch)
    return total / max(descents, 1)


@njit(cache=True)
def _count(level, constants, players, scratch):
    """How many (children, ends, decisions, actions at these) a level has."""
    children, ends, met, options = 0, 0, 0, 0
    for i in range(len(level.record)):
        current, n = _choose(level.record[i], constants[0], players, scratch)
        children += n
        ends += current == TERMINAL
        for player in range(players):
            if current in (player, SIMULTANEOUS):
                met += 1
                options += scratch.counts[player]
    return children, ends, met, options


@njit(cache=True)
def _write_end(level, i, c, players, ends, z):
    for player in range(players):
        ends.last[z, player], ends.chosen[z, player] = level.last[i, player], level.chosen[i, player]
    ends.chance[z] = level.chance[i]
    rules.returns(level.record[i], c, ends.returns[z])


@njit(cache=True)
def _write_choice(level, i, player, scratch, choices, n, m):
    """Writes down a decision of `player` in history `i`; returns where the actions of the next one begin."""
    choices.key[n], choices.seen[n], choices.player[n] = level.recall[i, player], level.seen[i, player], player
    choices.last[n], choices.chosen[n] = level.last[i, player], level.chosen[i, player]
    choices.size[n] = scratch.counts[player]
    for k in range(scratch.counts[player]):
        choices.actions[m + k] = scratch.actions[player, k]
    return m + scratch.counts[player]


@njit(cache=True)
def _write_child(level, i, c, players, current, number, scratch, children, j):
    """Child `number` of history `i`: an outcome of chance, or a joint choice with a digit for each player."""
    s = children.record[j]
    children.record[j] = level.record[i]
    children.chance[j] = level.chance[i] * (scratch.probs[number] if current == CHANCE else 1.0)
    for player in range(players):
        children.recall[j, player], children.seen[j, player] = level.recall[i, player], level.seen[i, player]
        children.last[j, player], children.chosen[j, player] = level.last[i, player], level.chosen[i, player]
        if current in (player, SIMULTANEOUS):
            index = number % scratch.counts[player]
            number //= scratch.counts[player]
            scratch.joint[player] = scratch.actions[player, index]
            children.last[j, player], children.chosen[j, player] = level.recall[i, player], index
            children.recall[j, player] = acted(level.recall[i, player], scratch.joint[player])
    _happen(s, c, current, number, scratch)
    fingerprint = rules.hash_words(s, 0, rules._words(s))
    for player in range(players):
        now = np.uint64(rules.information_key(s, c, player))
        children.recall[j, player] = noticed(children.recall[j, player], children.seen[j, player], now)
        children.seen[j, player] = now
        fingerprint = rules.mix(fingerprint, children.recall[j, player])
    children.fingerprint[j] = fingerprint


@njit(cache=True, nogil=True)
def _expand(level, constants, players, scratch, children, ends, choices):
    """Writes the children, ends and decisions of a level to arrays that `_count` has measured."""
    c = constants[0]
    j = z = n = m = np.int64(0)  # not literals, for which numba would compile everything once more
    for i in range(len(level.record)):
        current, number = _choose(level.record[i], c, players, scratch)
        if current == TERMINAL:
            _write_end(level, i, c, players, ends, z)
            z += 1
        for player in range(players):
            if current in (player, SIMULTANEOUS):
                m = _write_choice(level, i, player, scratch, choices, n, m)
                n += 1
        for k in range(number):
            _write_child(level, i, c, players, current, k, scratch, children, j)
            j += 1


def information(state: Any, player: int) -> int:
    """Fingerprint of all that `player` has noticed on the way to `state`, its own actions included.

    Of a game of ours, by the compiled rules; of another one, of its information state string.
    """
    if not isinstance(state, State):
        text = state.information_state_string(player)
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") or 1
    s, c = rules.record_of(state.box.start, state.game.rules.state)[0], state.game.c
    seen = np.uint64(rules.information_key(s, c, player))
    recall = begins(player, seen)
    for step in state.steps():
        if player in step:
            recall = acted(np.uint64(recall), step[player])
        apply_step(s, c, step)
        before, seen = seen, np.uint64(rules.information_key(s, c, player))
        recall = noticed(np.uint64(recall), before, seen)
    return int(recall)
