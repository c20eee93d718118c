"""The one tree search: UCT where everything is visible, information-set MCTS where it is not.

A simulation copies the root, redraws what the advised player cannot see, and walks down. At every decision the
acting player's *own entry* is found in a hash table by a key of what that player sees. So the same loop is UCT with
transpositions (Kocsis and Szepesvari 2006) and max^n (Sturtevant 2008) in games that hide nothing, multiple-observer
ISMCTS (Cowling, Powley and Whitehouse 2012) in those that do, and decoupled selection (Tak, Lanctot and Winands 2014)
at simultaneous nodes. Where a good answer may be a mixture, actions are chosen by regret matching instead of UCB.

Arrays, with N nodes, E edges, A actions, P players, M moves at the root, D entries on one path:

| array | shape | holds |
|---|---|---|
| `nodes` | [N] NODE | the hash table: open addressing, an entry a slot |
| `edges` | [E] EDGE | the arena: the edges of an entry lie together |
| `used` | [2] | entries and edges in use |
| `chains`, `lengths` | [M, L], [M] | the root's whole moves as action chains |
| `root_values` | [M, P] | sum of every seat's return (in 0..1) after each root move |
| `root_squares` | [M] | sum of squares of the advised player's |
| `path_*` | [D] | the entries that a simulation has passed |

The root is an entry too, under ROOT_KEY; its edges' actions are numbers of moves. Threads grow independent trees.
"""

import threading
import time
from collections import namedtuple
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numba import njit

from voyageur.games import rules
from voyageur.games.positions import View, whole_moves
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL, mix, random_below, random_unit
from voyageur.games.spiel import Game
from voyageur.solvers.limits import Limit
from voyageur.solvers.playout import playout

NODE = np.dtype(
    [
        ("key", "u8"),
        ("first", "u4"),  # index of the first edge
        ("visits", "u4"),
        ("count", "u2"),  # edges; 0 marks a free slot
        ("room", "u2"),  # edges that fit where they lie
        ("pad", "u4"),
    ]
)
EDGE = np.dtype(
    [
        ("value", "f8"),  # sum of the acting player's returns
        ("visits", "u4"),
        ("available", "u4"),  # visits of the entry in which the action was legal
        ("regret", "f4"),  # positive cumulative regret (regret matching)
        ("chosen", "f4"),  # cumulative strategy, later ones weighing more
        ("action", "i4"),
        ("pad", "i4"),
    ]
)
EXACT, PUBLIC, STAGED = 0, 1, 2
KEYS = {"exact": EXACT, "public": PUBLIC, "staged": STAGED}

MAX_PATH = 512
MAX_ROOT_MOVES = 400
ROOT_KEY = np.uint64(0x9E3779B97F4A7C15)
MIN_LINE_VISITS = 8

Tree = namedtuple(
    "Tree",
    "nodes edges used chains lengths root_values root_squares path_node path_edge path_player path_prob "
    "world actions joint out",
)

Options = namedtuple(
    "Options", "player players root_regret regret keys stage exploration explore playout_steps low scale full"
)


@njit(cache=True, nogil=True)
def find(nodes, key):
    """The slot of `key`, or the free slot where it belongs."""
    mask = np.uint64(len(nodes) - 1)
    slot = np.int64(key & mask)
    while nodes[slot].count != 0 and nodes[slot].key != key:
        slot = (slot + 1) & np.int64(mask)
    return slot


@njit(cache=True, nogil=True)
def expand(tree, slot, key, n, full):
    """Makes an entry with edges for `tree.actions[:n]` in `slot`; False when the memory bound is reached."""
    if tree.used[0] >= full or tree.used[1] + n > len(tree.edges):
        return False
    first = tree.used[1]
    node = tree.nodes[slot]
    node.key, node.first, node.visits, node.count, node.room = key, first, 0, n, n
    for i in range(n):
        tree.edges[first + i].action = tree.actions[i]
    tree.used[0] += 1
    tree.used[1] += n
    return True


@njit(cache=True, nogil=True)
def edge_of(tree, node, action):
    """Index of the edge for `action`, made if it is missing (an entry by a public key); -1 when memory is full."""
    first, count = np.int64(node.first), np.int64(node.count)
    for i in range(first, first + count):
        if tree.edges[i].action == action:
            return i
    if node.count == node.room:
        room = 2 * count
        if tree.used[1] + room > len(tree.edges):
            return -1
        moved = tree.used[1]
        for i in range(count):
            tree.edges[moved + i] = tree.edges[first + i]
        node.first, node.room = moved, room
        tree.used[1] += room
        first = moved
    tree.edges[first + count].action = action
    node.count += 1
    return first + count


@njit(cache=True, nogil=True)
def select_ucb(tree, node, n, shared, exploration, rng):
    """Index of an edge among those of `tree.actions[:n]` by UCB1 (Auer et al. 2002), an untried one first, or -1.

    At a `shared` entry (public key) the legal actions differ between worlds; there the bonus counts the visits in
    which the action was available.
    """
    best, score, untried = -1, -1.0, 0
    log_visits = np.log(np.float64(node.visits) + 1.0)
    for i in range(n):
        index = edge_of(tree, node, tree.actions[i]) if shared else node.first + i
        if index < 0:
            continue
        edge = tree.edges[index]
        if shared:
            edge.available += 1
        if edge.visits == 0:
            untried += 1
            if random_below(rng, untried) == 0:
                best = index
        elif untried == 0:
            logarithm = np.log(np.float64(edge.available) + 1.0) if shared else log_visits
            value = edge.value / edge.visits + exploration * np.sqrt(logarithm / edge.visits)
            if value > score:
                best, score = index, value
    return best


@njit(cache=True, nogil=True)
def total_regret(edges, first, n):
    total = 0.0
    for i in range(first, first + n):
        total += edges[i].regret
    return total


@njit(cache=True, nogil=True)
def select_regret(edges, first, n, explore, rng):
    """(edge, probability) drawn by regret matching, with a uniform part `explore` mixed in."""
    total = total_regret(edges, first, n)
    draw = random_unit(rng)
    probability = 0.0
    for i in range(first, first + n):
        strategy = edges[i].regret / total if total > 0 else 1.0 / n
        probability = (1.0 - explore) * strategy + explore / n
        draw -= probability
        if draw < 0:
            return i, probability
    return first + n - 1, probability


@njit(cache=True, nogil=True)
def learn_regret(edges, first, n, chosen, probability, value, weight):
    """Regret matching+ (Tammelin 2014) after `chosen`, drawn with `probability`, returned `value`.

    What the other actions would have returned is their mean so far, corrected for the one seen (the baseline of
    Schmid et al. 2019): unbiased, and far steadier than importance weighting alone.
    """
    total = total_regret(edges, first, n)
    expected = 0.0
    for i in range(first, first + n):
        strategy = edges[i].regret / total if total > 0 else 1.0 / n
        edges[i].chosen += weight * strategy
        expected += strategy * _estimate(edges[i], i == chosen, probability, value)
    for i in range(first, first + n):
        regret = edges[i].regret + _estimate(edges[i], i == chosen, probability, value) - expected
        edges[i].regret = max(0.0, regret)


@njit(cache=True, nogil=True)
def _estimate(edge, seen, probability, value):
    mean = edge.value / edge.visits if edge.visits > 0 else 0.5
    return mean + (value - mean) / probability if seen else mean


@njit(cache=True, nogil=True)
def entry_key(s, c, seat, mixture, tree, options):
    """(key, shared): under which key `seat` finds its entry, and whether worlds with other legal actions share it."""
    if seat == options.player or mixture or options.keys == EXACT:
        return np.uint64(rules.information_key(s, c, seat)), False
    key = mix(np.uint64(rules.public_key(s, c)), np.uint64(seat + 1))
    if options.keys == STAGED:
        node = tree.nodes[find(tree.nodes, key)]
        if node.count != 0 and node.visits >= options.stage:
            return np.uint64(rules.information_key(s, c, seat)), False
    return key, True


@njit(cache=True, nogil=True)
def choose(s, c, seat, n, mixture, depth, tree, options, rng):
    """`seat`'s choice among `tree.actions[:n]`: (action, depth, grown).

    A known entry selects, and is put on the path. An unknown one is made (`grown`); there the playout policy chooses,
    or chance where a mixture is wanted. Without memory for it the policy chooses and nothing is learnt.
    """
    key, shared = entry_key(s, c, seat, mixture, tree, options)
    slot = find(tree.nodes, key)
    node = tree.nodes[slot]
    grown = node.count == 0
    regret = mixture and options.regret
    index, probability = np.int64(-1), 0.0
    if not grown or expand(tree, slot, key, n, options.full):
        if regret:
            index, probability = select_regret(tree.edges, np.int64(node.first), n, options.explore, rng)
        elif grown:
            action = np.int64(rules.playout_action(s, c, seat, tree.actions, n, rng))
            index = np.int64(edge_of(tree, node, action))
        else:
            index = np.int64(select_ucb(tree, node, n, shared, options.exploration, rng))
    if index < 0:
        return np.int64(rules.playout_action(s, c, seat, tree.actions, n, rng)), depth, True
    return np.int64(tree.edges[index].action), pass_by(tree, depth, slot, index, seat, probability), grown


@njit(cache=True, nogil=True)
def pass_by(tree, depth, slot, index, seat, probability):
    """Puts an entry and the edge taken there on the path; returns the path's new length."""
    tree.path_node[depth] = slot
    tree.path_edge[depth] = index
    tree.path_player[depth] = seat
    tree.path_prob[depth] = probability
    return depth + 1


@njit(cache=True, nogil=True)
def choose_jointly(s, c, chosen, depth, tree, options, rng):
    """Fills `tree.joint` with everybody's choice at a simultaneous node, save that of seat `chosen`: (depth, grown)."""
    any_grown = False
    for seat in range(options.players):
        if seat == chosen:
            continue
        n = np.int64(rules.legal_actions(s, c, seat, tree.actions))
        action = tree.actions[0]
        if n > 1:
            action, depth, grown = choose(s, c, seat, n, True, depth, tree, options, rng)
            any_grown = any_grown or grown
        tree.joint[seat] = action
    return depth, any_grown


@njit(cache=True, nogil=True)
def choose_root(s, c, tree, options, rng):
    """Plays a whole move of the advised player at the root, and the others' choices if all choose at once.

    Returns (move, depth, grown).
    """
    slot = find(tree.nodes, ROOT_KEY)
    node = tree.nodes[slot]
    probability = 0.0
    if options.root_regret:
        first, count = np.int64(node.first), np.int64(node.count)
        index, probability = select_regret(tree.edges, first, count, options.explore, rng)
    else:
        index = np.int64(select_ucb(tree, node, np.int64(node.count), False, options.exploration, rng))
    depth = pass_by(tree, 0, slot, index, options.player, probability)
    move = np.int64(tree.edges[index].action)
    grown = False
    if rules.current_player(s, c) == SIMULTANEOUS:
        tree.joint[options.player] = tree.chains[move, 0]
        depth, grown = choose_jointly(s, c, options.player, depth, tree, options, rng)
        rules.apply_joint(s, c, tree.joint)
    else:
        for i in range(tree.lengths[move]):
            rules.apply_action(s, c, tree.chains[move, i])
    return move, depth, grown


@njit(cache=True, nogil=True)
def descend(s, c, tree, options, rng):
    """Walks from the root until an entry is new or the game ends: (move taken at the root, entries on the path)."""
    move, depth, grown = choose_root(s, c, tree, options, rng)
    while not grown and depth + options.players < MAX_PATH:
        player = np.int64(rules.current_player(s, c))
        if player == TERMINAL:
            break
        if player == CHANCE:
            rules.apply_action(s, c, np.int64(rules.sample_chance(s, c, rng)))
        elif player == SIMULTANEOUS:
            depth, grown = choose_jointly(s, c, -1, depth, tree, options, rng)
            rules.apply_joint(s, c, tree.joint)
        else:
            n = np.int64(rules.legal_actions(s, c, player, tree.actions))
            action = tree.actions[0]
            if n > 1:
                mixture = bool(rules.mixed(s, c))
                action, depth, grown = choose(s, c, player, n, mixture, depth, tree, options, rng)
            rules.apply_action(s, c, action)
    return move, depth


@njit(cache=True, nogil=True)
def backup(tree, depth):
    """Adds every seat's own return to its own entries on the path."""
    for i in range(depth):
        node = tree.nodes[tree.path_node[i]]
        edge = tree.edges[tree.path_edge[i]]
        value = tree.out[tree.path_player[i]]
        node.visits += 1
        if tree.path_prob[i] > 0:
            first, count, chosen = np.int64(node.first), np.int64(node.count), np.int64(tree.path_edge[i])
            learn_regret(tree.edges, first, count, chosen, tree.path_prob[i], value, np.float64(node.visits))
        edge.value += value
        edge.visits += 1


@njit(cache=True, nogil=True)
def simulate(n, root, constants, tree, options, table, rng):
    """`n` simulations from `root` [1]: select and expand on the way down, play out, back up."""
    c = constants[0]
    for _ in range(n):
        tree.world[0] = root[0]
        s = tree.world[0]
        rules.determinize(s, c, options.player, rng, table)
        move, depth = descend(s, c, tree, options, rng)
        playout(s, c, options.playout_steps, options.players, tree.actions, tree.joint, rng, tree.out)
        for seat in range(options.players):
            tree.out[seat] = (tree.out[seat] - options.low) * options.scale
            tree.root_values[move, seat] += tree.out[seat]
        tree.root_squares[move] += tree.out[options.player] ** 2
        backup(tree, depth)


@njit(cache=True, nogil=True)
def best_edge(tree, node):
    """Index of an entry's best edge: the one most chosen by regret matching, else the one most visited."""
    best = np.int64(node.first)
    for i in range(node.first, node.first + node.count):
        edge, top = tree.edges[i], tree.edges[best]
        if edge.chosen > top.chosen or (edge.chosen == top.chosen and edge.visits > top.visits):
            best = np.int64(i)
    return best


@njit(cache=True, nogil=True)
def expected_action(s, c, seat, mixture, tree, options, rng, table):
    """What `seat` is expected to do at `s`; -1 where the tree does not know, or the advised player could not."""
    n = np.int64(rules.legal_actions(s, c, seat, tree.actions))
    if n == 1:
        return tree.actions[0]
    key = np.uint64(rules.information_key(s, c, seat))
    for _ in range(4):
        tree.world[0] = s
        rules.determinize(tree.world[0], c, options.player, rng, table)
        if np.uint64(rules.information_key(tree.world[0], c, seat)) != key:
            return np.int64(-1)
    found, _ = entry_key(s, c, seat, mixture, tree, options)
    node = tree.nodes[find(tree.nodes, found)]
    if node.count == 0 or node.visits < MIN_LINE_VISITS:
        return np.int64(-1)
    return np.int64(tree.edges[best_edge(tree, node)].action)


@njit(cache=True, nogil=True)
def line(world, constants, move, tree, options, table, rng, line_players, line_actions):
    """The line of play expected after a root move: (seat, action) pairs into `line_*`; returns how many.

    It ends where the tree gets thin, at chance, and where it would hang on something the advised player cannot see.
    """
    s, c = world[0], constants[0]
    length = 0
    if rules.current_player(s, c) != SIMULTANEOUS:
        for i in range(tree.lengths[move]):
            rules.apply_action(s, c, tree.chains[move, i])
    else:
        tree.joint[options.player] = tree.chains[move, 0]
        for seat in range(options.players):
            if seat != options.player:
                tree.joint[seat] = expected_action(s, c, seat, True, tree, options, rng, table)
                if tree.joint[seat] < 0:
                    return length
                line_players[length], line_actions[length] = seat, tree.joint[seat]
                length += 1
        rules.apply_joint(s, c, tree.joint)
    while length + options.players < len(line_players):
        player = np.int64(rules.current_player(s, c))
        if player < 0:
            break
        action = expected_action(s, c, player, bool(rules.mixed(s, c)), tree, options, rng, table)
        if action < 0:
            break
        line_players[length], line_actions[length] = player, action
        length += 1
        rules.apply_action(s, c, action)
    return length


@dataclass(frozen=True)
class SearchOptions:
    """How the tree is searched.

    Attributes:
      exploration: UCB's constant, for returns scaled to 0..1.
      mixtures: whether simultaneous and hidden choices use regret matching (else UCB, as everywhere else).
      explore: the uniform part mixed into regret matching.
      keys: entries of the seats that are not advised: by all they see (`exact`), by what is public (`public`), or
        public until an entry has `stage` visits and exact from then on (`staged`); None: the game's own choice.
      playout_steps: actions of a playout before it is evaluated; None: the game's own choice.
      memory: bytes that the tables of all threads may take together.
    """

    exploration: float = 0.7
    mixtures: bool = True
    explore: float = 0.1
    keys: str | None = None
    stage: int = 50
    playout_steps: int | None = None
    memory: int = 1 << 30


class Search:
    """One tree over one view; `run` adds simulations to it."""

    def __init__(
        self,
        view: View,
        chains: list[tuple[int, ...]],
        limit: Limit,
        options: SearchOptions,
        seed: np.random.SeedSequence,
        threads: int = 1,
    ) -> None:
        """Lays out the tables for `limit`, within this tree's share of `options.memory`."""
        world = view.world()
        self.game: Game = view.game
        self._root = world.box.record
        self._rng = rules.make_rng(seed)
        self._table = np.zeros(max(1, self.game.rules.table_size))
        self.tree = _make_tree(self.game, chains, limit, options.memory // threads)
        info = self.game.info
        simultaneous = world.current_player() == SIMULTANEOUS
        mixture = simultaneous or bool(rules.mixed(self._root[0], self.game.c))
        steps = self.game.rules.playout_steps if options.playout_steps is None else options.playout_steps
        self.options = Options(
            player=view.player,
            players=info.players,
            root_regret=mixture and options.mixtures,
            regret=options.mixtures,
            keys=KEYS[options.keys or self.game.rules.keys],
            stage=options.stage,
            exploration=options.exploration,
            explore=options.explore,
            playout_steps=steps,
            low=info.min_utility,
            scale=1.0 / (info.max_utility - info.min_utility),
            full=len(self.tree.nodes) * 3 // 4,
        )
        rules.prepare(self._root[0], self.game.c, view.player, self._table)

    def run(self, n: int) -> None:
        """`n` simulations more."""
        simulate(n, self._root, self.game.constants, self.tree, self.options, self._table, self._rng)

    def line(self, move: int, most: int = 24) -> list[tuple[int, int]]:
        """The (seat, action) pairs expected after root move `move`, at most `most`."""
        players, actions = np.zeros(most, np.int64), np.zeros(most, np.int64)
        rng = rules.make_rng(0)
        world = self._root.copy()
        n = line(world, self.game.constants, move, self.tree, self.options, self._table, rng, players, actions)
        return list(zip(players[:n].tolist(), actions[:n].tolist(), strict=True))


def _make_tree(game: Game, chains: list[tuple[int, ...]], limit: Limit, memory: int) -> Tree:
    """Empty tables for a search of `limit` whose root has the moves `chains`, in about `memory` bytes at most."""
    moves, players = len(chains), game.info.players
    slots = 1 << 10
    edges_per_slot = 4
    bytes_per_slot = NODE.itemsize + edges_per_slot * EDGE.itemsize
    wanted = limit.most_simulations() * 2
    while slots * 3 // 4 < wanted and 2 * slots * bytes_per_slot <= memory:
        slots *= 2
    nodes, edges = np.zeros(slots, NODE), np.zeros(slots * edges_per_slot + moves, EDGE)
    table = np.zeros((moves, max(map(len, chains))), np.int64)
    for i, chain in enumerate(chains):
        table[i, : len(chain)] = chain
    root = nodes[int(ROOT_KEY) & (slots - 1)]
    root["key"], root["count"], root["room"] = ROOT_KEY, moves, moves
    edges["action"][:moves] = np.arange(moves)
    return Tree(
        nodes=nodes,
        edges=edges,
        used=np.array([1, moves], np.int64),
        chains=table,
        lengths=np.array([len(chain) for chain in chains], np.int64),
        root_values=np.zeros((moves, players)),
        root_squares=np.zeros(moves),
        path_node=np.zeros(MAX_PATH, np.int64),
        path_edge=np.zeros(MAX_PATH, np.int64),
        path_player=np.zeros(MAX_PATH, np.int64),
        path_prob=np.zeros(MAX_PATH),
        world=np.zeros(1, game.rules.state),
        actions=np.zeros(game.rules.max_actions, np.int64),
        joint=np.zeros(players, np.int64),
        out=np.zeros(players),
    )


@dataclass(frozen=True)
class Result:
    """What a search found about the root's moves [M]; returns are on the game's own scale.

    Attributes:
      chains: the whole moves as action chains.
      visits: simulations through each move, all threads together.
      values: [M, P] mean return of every seat; NaN for a move never tried.
      errors: standard error of the advised player's.
      shares: probability with which the search would choose each move.
      simulations, seconds: how much was done.
      entries, full: table entries in use, and whether the memory bound was reached.
      interrupted: whether Ctrl-C ended it.
      line: for a move's index, the (seat, action) pairs expected after it.
    """

    chains: list[tuple[int, ...]]
    visits: np.ndarray
    values: np.ndarray
    errors: np.ndarray
    shares: np.ndarray
    simulations: int
    seconds: float
    entries: int
    full: bool
    interrupted: bool
    line: Callable[[int], list[tuple[int, int]]]


def search(
    view: View,
    limit: Limit,
    options: SearchOptions,
    seed: int,
    threads: int = 1,
    progress: Callable[[int, float], None] | None = None,
) -> Result:
    """Searches the decision of `view`'s player and returns what was found when `limit` is reached.

    `threads` independent trees are grown and their root statistics added up. `progress` is called now and then with
    the simulations so far and the part of the limit used up. Ctrl-C ends the search early; what was done is kept.
    """
    chains = root_moves(view)
    seeds = np.random.SeedSequence(seed).spawn(threads)
    trees = [Search(view, chains, limit, options, s, threads) for s in seeds]
    started = time.monotonic()
    simulations, interrupted = _run(trees, limit, len(chains) == 1, progress)
    return _result(trees, chains, view, simulations, time.monotonic() - started, interrupted)


def root_moves(view: View) -> list[tuple[int, ...]]:
    """The whole moves to compare at the root; single actions where there are more than MAX_ROOT_MOVES."""
    record = view.world().box.record
    chains = whole_moves(view.game, record, view.player)
    if len(chains) > MAX_ROOT_MOVES:
        return list(dict.fromkeys(chain[:1] for chain in chains))
    return chains


def _run(
    trees: list[Search], limit: Limit, forced: bool, progress: Callable[[int, float], None] | None
) -> tuple[int, bool]:
    """Grows the trees slice by slice until the limit: (simulations, whether Ctrl-C ended it)."""
    started = time.monotonic()
    done, size, stop = [0] * len(trees), 16, threading.Event()
    shares = limit.split(len(trees))

    def grow(i: int) -> None:
        slice_, share = size, shares[i]
        while not stop.is_set() and (share is None or done[i] < share):
            before = time.monotonic()
            if limit.seconds is not None and done[i] and (forced or before - started >= limit.seconds):
                break
            n = slice_ if share is None else min(slice_, share - done[i])
            trees[i].run(n)
            done[i] += n
            now = time.monotonic()
            slice_ = limit.next_slice(n, now - before, now - started)
            if i == 0 and progress is not None:
                progress(sum(done), limit.part(sum(done), now - started))

    try:
        if len(trees) == 1:
            grow(0)
        else:
            with ThreadPoolExecutor(len(trees)) as pool:
                try:
                    list(pool.map(grow, range(len(trees))))
                finally:
                    stop.set()
    except KeyboardInterrupt:
        if not sum(done):
            raise
        return sum(done), True
    return sum(done), False


def _result(
    trees: list[Search],
    chains: list[tuple[int, ...]],
    view: View,
    simulations: int,
    seconds: float,
    interrupted: bool,
) -> Result:
    """Adds up the roots of the trees."""
    moves, info = len(chains), view.game.info
    width = info.max_utility - info.min_utility
    edges = [t.tree.edges[:moves] for t in trees]
    visits = np.array([e["visits"] for e in edges], np.int64).sum(axis=0)
    sums = np.sum([t.tree.root_values for t in trees], axis=0)
    squares = np.sum([t.tree.root_squares for t in trees], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / visits[:, None]
        own = means[:, view.player]
        # Half a return of doubt besides what was seen: a few equal returns are no certainty.
        variance = np.maximum(0, squares - visits * own**2) + 0.25
        errors = np.sqrt(variance) / visits
    if trees[0].options.root_regret:
        chosen = np.sum([e["chosen"] for e in edges], axis=0, dtype=np.float64)
        shares = chosen / chosen.sum()
    else:
        order = np.lexsort((np.nan_to_num(own, nan=-1.0), visits))
        shares = np.zeros(moves)
        shares[order[-1]] = 1.0
    return Result(
        chains=chains,
        visits=visits,
        values=info.min_utility + means * width,
        errors=errors * width,
        shares=shares,
        simulations=simulations,
        seconds=seconds,
        entries=sum(int(t.tree.used[0]) for t in trees),
        full=any(t.tree.used[0] >= t.options.full for t in trees),
        interrupted=interrupted,
        line=trees[0].line,
    )
