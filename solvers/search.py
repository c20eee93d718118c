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
| `work` | [1] WORK | options, how much is in use, and the path: entries passed by a simulation [D] |
| `actions`, `joint`, `out` | [A], [P], [P] | scratch: legal actions, everybody's choice, returns |
| `chains`, `lengths` | [M, L], [M] | the root's whole moves as action chains |
| `root_values` | [M, P] | sum of every seat's return (in 0..1) after each root move |
| `root_squares` | [M] | sum of squares of the advised player's |

The root is an entry too, under ROOT_KEY; its edges' actions are numbers of moves. Threads grow independent trees.
"""

import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numba import njit

from voyageur.games import rules
from voyageur.games.positions import View, whole_moves
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL, copied, mix, random_below, random_unit
from voyageur.games.spiel import Game
from voyageur.games.words import shown
from voyageur.solvers.limits import Limit
from voyageur.solvers.playout import borrowed, playout

NODE = np.dtype(
    [
        ("key", "u8"),
        ("first", "u4"),  # index of the first edge
        ("visits", "u4"),
        ("count", "u2"),  # edges; 0 marks a free slot
        ("room", "u2"),  # edges that fit where they lie
        ("kind", "u4"),  # PLAIN, REGRET or SHARED
    ]
)
# How an entry chooses: by UCB among the legal actions, which lie in their order; by regret matching among the same; or
# by UCB at an entry by a public key, whose worlds may have other legal actions, so that the edges say theirs.
PLAIN, REGRET, SHARED = 0, 1, 2

# 16 bytes, so that a choice reads one or two cache lines: what only REGRET and only SHARED need shares its place.
EDGE = np.dtype(
    {
        "names": ["mean", "visits", "regret", "chosen", "action", "available"],
        "formats": ["f4", "u4", "f4", "f4", "i4", "u4"],
        "offsets": [0, 4, 8, 12, 8, 12],
        "itemsize": 16,
    }
)
# mean: mean return of the acting player, in 0..1    visits: simulations through the edge
# REGRET: regret: positive cumulative regret         chosen: cumulative strategy, later ones weighing more
# SHARED: action: the edge's action                  available: visits of the entry in which it was legal

EXACT, PUBLIC, STAGED = 0, 1, 2
KEYS = {"exact": EXACT, "public": PUBLIC, "staged": STAGED}

MAX_PATH = 512
MAX_ROOT_MOVES = 1000
ROOT_KEY = np.uint64(0x9E3779B97F4A7C15)
MIN_LINE_VISITS = 8
FIRST_MARK = 64  # of the marks between earlier and later simulations; each is twice the one before
DRAWS = 16  # of worlds, at the most, until one is taken by its likelihood
SWEEPS = 3  # of redrawing everything
# What the mean of the later half has ahead of it, by what it has moved since the earlier half: for an error that falls
# with the root of the simulations this would be 0.7, with their fourth root 2.1.
AHEAD = 2.0
EXPLORED = 100  # visits from which on regret matching explores less
# The tables are laid out for the limit, or for this many entries, and double later while the memory bound allows it.
FIRST_ENTRIES = 1 << 17
KEPT_BYTES = 1 << 26  # beyond which trees are not kept for the next search
EDGES_PER_SLOT = 5

# One record, because a compiled function that takes a dozen arrays spends its time handing them over.
WORK = np.dtype(
    [
        # Options of the search and facts of the game.
        ("player", "i8"),  # the advised seat
        ("players", "i8"),
        ("regret", "i8"),  # whether mixed choices are made by regret matching
        ("keys", "i8"),
        ("stage", "i8"),
        ("exploration", "f8"),
        ("explore", "f8"),
        ("trust", "i8"),
        ("ranges", "f8"),
        ("playout_steps", "i8"),
        ("low", "f8"),  # least return, and 1 / (greatest - least)
        ("scale", "f8"),
        # Tables.
        ("root", "i8"),  # the first of the root's edges
        ("full", "i8"),  # entries that fit
        ("margin", "i8"),  # edges that must be free before a simulation begins; 0 beyond the memory bound
        ("entries", "i8"),  # entries and edges in use
        ("edges", "i8"),
        # The path.
        ("slot", "i8", (MAX_PATH,)),
        ("edge", "i8", (MAX_PATH,)),
        ("seat", "i8", (MAX_PATH,)),
        ("probability", "f8", (MAX_PATH,)),  # of the edge at a mixed choice, else 0
    ]
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
def rehash(nodes, larger):
    """Puts all entries of `nodes` into the empty table `larger`."""
    for i in range(len(nodes)):
        if nodes[i].count != 0:
            larger[find(larger, nodes[i].key)] = nodes[i]


@njit(cache=True, nogil=True)
def expand(node, edges, work, key, kind, actions, n):
    """Makes the free slot `node` an entry with edges for `actions[:n]`; False when the memory bound is reached."""
    first = work.edges
    if work.entries >= work.full or first + n > len(edges):
        return False
    node.key, node.first, node.visits, node.count, node.room, node.kind = key, first, 0, n, n, kind
    if kind == SHARED:
        for i in range(n):
            edges[first + i].action = actions[i]
    work.entries += 1
    work.edges += n
    return True


@njit(cache=True, nogil=True)
def edge_of(node, edges, work, action):
    """Index of a SHARED entry's edge for `action`, made if it is missing; -1 when memory is full."""
    first, count = np.int64(node.first), np.int64(node.count)
    for i in range(first, first + count):
        if edges[i].action == action:
            return i
    if node.count == node.room:
        room, moved = 2 * count, work.edges
        if moved + room > len(edges):
            return -1
        for i in range(count):
            edges[moved + i] = edges[first + i]
        node.first, node.room = moved, room
        work.edges += room
        first = moved
    edges[first + count].action = action
    node.count += 1
    return first + count


@njit(cache=True, nogil=True)
def select_ucb(edges, first, n, visits, exploration, rng):
    """Index of the best of `n` edges from `first` by UCB1 (Auer et al. 2002); an untried one, by chance, before all."""
    best, score, untried = first, -1.0, 0
    logarithm = exploration * exploration * np.log(visits + 1.0)
    for i in range(first, first + n):
        edge = edges[i]
        if edge.visits == 0:
            untried += 1
            if untried == 1 or random_below(rng, untried) == 0:
                best = i
        elif untried == 0:
            value = edge.mean + np.sqrt(logarithm / edge.visits)
            if value > score:
                best, score = i, value
    return best


@njit(cache=True, nogil=True)
def select_shared(node, edges, work, actions, n, rng):
    """As `select_ucb` among `actions[:n]` at a SHARED entry; -1 without memory.

    The bonus counts the visits in which an action was available (Cowling, Powley and Whitehouse 2012).
    """
    best, score, untried = np.int64(-1), -1.0, 0  # `best` counts from the first edge: a new edge may move them all
    for i in range(n):
        index = np.int64(edge_of(node, edges, work, actions[i]))
        if index < 0:
            continue
        edge, place = edges[index], index - np.int64(node.first)
        edge.available += 1
        if edge.visits == 0:
            untried += 1
            if untried == 1 or random_below(rng, untried) == 0:
                best = place
        elif untried == 0:
            # While the playout policy chose here, nobody counted; but what was visited was available.
            available = max(edge.available, edge.visits) + 1.0
            value = edge.mean + work.exploration * np.sqrt(np.log(available) / edge.visits)
            if value > score:
                best, score = place, value
    return np.int64(node.first) + best if best >= 0 else best


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
    mean = np.float64(edge.mean) if edge.visits > 0 else 0.5
    return mean + (value - mean) / probability if seen else mean


@njit(cache=True, nogil=True)
def entry_key(s, c, seat, mixture, nodes, work):
    """(key, kind) of the entry at which `seat` chooses in `s`."""
    if mixture and work.regret != 0:
        return np.uint64(rules.information_key(s, c, seat)), REGRET
    if work.keys == EXACT or seat == work.player:
        return np.uint64(rules.information_key(s, c, seat)), PLAIN
    key = mix(np.uint64(rules.public_key(s, c)), np.uint64(seat + 1))
    if work.keys == STAGED:
        node = nodes[find(nodes, key)]
        if node.count != 0 and node.visits >= work.stage:
            return np.uint64(rules.information_key(s, c, seat)), PLAIN
    return key, SHARED


@njit(cache=True, nogil=True)
def select(node, edges, work, actions, n, rng):
    """(edge, probability) chosen at a known entry; edge -1 without memory for it, probability 0 but for REGRET."""
    if node.kind == REGRET:
        # Less and less, so that in the end nobody's value counts what nobody would do.
        explore = work.explore * min(1.0, np.sqrt(EXPLORED / (node.visits + 1.0)))
        return select_regret(edges, np.int64(node.first), n, explore, rng)
    if node.kind == SHARED:
        return np.int64(select_shared(node, edges, work, actions, n, rng)), 0.0
    visits = np.float64(node.visits)
    return np.int64(select_ucb(edges, np.int64(node.first), n, visits, work.exploration, rng)), 0.0


@njit(cache=True, nogil=True)
def action_at(node, edges, index, actions):
    """The action of edge `index`, where `actions` are the legal ones."""
    if node.kind == SHARED:
        return np.int64(edges[index].action)
    return np.int64(actions[index - node.first])


@njit(cache=True, nogil=True)
def index_of(node, edges, work, action, actions):
    """The edge of `action`, one of the legal `actions`; -1 without memory for it."""
    if node.kind == SHARED:
        return np.int64(edge_of(node, edges, work, action))
    i = 0
    while actions[i] != action:
        i += 1
    return np.int64(node.first) + i


@njit(cache=True, nogil=True)
def choose(s, c, seat, n, mixture, depth, nodes, edges, work, actions, rng):
    """`seat`'s choice among `actions[:n]`: (action, depth, grown).

    A known entry is put on the path, an unknown one is made first (`grown`). It selects by what it has learnt; one that
    has learnt little (fewer than `trust` visits) leaves the choice to the playout policy, unless a mixture is wanted.
    Without memory for it the policy chooses and nothing is learnt.
    """
    key, kind = entry_key(s, c, seat, mixture, nodes, work)
    slot = find(nodes, key)
    node = nodes[slot]
    grown = node.count == 0
    kept = not grown or expand(node, edges, work, key, kind, actions, n)
    index, probability = np.int64(-1), 0.0
    if kept and (kind == REGRET or (not grown and node.visits >= work.trust)):
        index, probability = select(node, edges, work, actions, n, rng)
    if index >= 0:
        action = action_at(node, edges, index, actions)
    else:
        action = np.int64(rules.playout_action(s, c, seat, actions, n, rng))
        if kept:
            index = index_of(node, edges, work, action, actions)
        if index < 0:
            return action, depth, True
    pass_by(work, depth, slot, index, seat, probability)
    return action, depth + 1, grown


@njit(cache=True, nogil=True)
def pass_by(work, depth, slot, index, seat, probability):
    """Puts an entry and the edge taken there on the path."""
    work.slot[depth] = slot
    work.edge[depth] = index
    work.seat[depth] = seat
    work.probability[depth] = probability


@njit(cache=True, nogil=True)
def choose_jointly(s, c, chosen, depth, nodes, edges, work, actions, joint, rng):
    """Fills `joint` with everybody's choice at a simultaneous node, save that of seat `chosen`: (depth, grown)."""
    any_grown = False
    for seat in range(work.players):
        if seat == chosen:
            continue
        n = np.int64(rules.legal_actions(s, c, seat, actions))
        action = actions[0]
        if n > 1:
            action, depth, grown = choose(s, c, seat, n, True, depth, nodes, edges, work, actions, rng)
            any_grown = any_grown or grown
        joint[seat] = action
    return depth, any_grown


@njit(cache=True, nogil=True)
def choose_root(s, c, nodes, edges, work, chains, lengths, actions, joint, rng):
    """Plays a whole move of the advised player at the root, and the others' choices if all choose at once.

    Returns (move, depth, grown).
    """
    slot = find(nodes, ROOT_KEY)
    node = nodes[slot]
    index, probability = select(node, edges, work, actions, np.int64(node.count), rng)
    pass_by(work, 0, slot, index, work.player, probability)
    move = index - np.int64(node.first)
    depth, grown = 1, False
    if rules.current_player(s, c) == SIMULTANEOUS:
        joint[work.player] = chains[move, 0]
        depth, grown = choose_jointly(s, c, work.player, depth, nodes, edges, work, actions, joint, rng)
        rules.apply_joint(s, c, joint)
    else:
        for i in range(lengths[move]):
            rules.apply_action(s, c, chains[move, i])
    return move, depth, grown


@njit(cache=True, nogil=True)
def descend(s, c, depth, nodes, edges, work, actions, joint, rng):
    """Walks on from below the root until an entry is new or the game ends; returns the path's length."""
    grown = False
    while not grown and depth + work.players < MAX_PATH:
        player = np.int64(rules.current_player(s, c))
        if player == TERMINAL:
            break
        if player == CHANCE:
            rules.apply_action(s, c, np.int64(rules.sample_chance(s, c, rng)))
        elif player == SIMULTANEOUS:
            depth, grown = choose_jointly(s, c, -1, depth, nodes, edges, work, actions, joint, rng)
            rules.apply_joint(s, c, joint)
        else:
            n = np.int64(rules.legal_actions(s, c, player, actions))
            action = actions[0]
            if n > 1:
                mixture = bool(rules.mixed(s, c))
                action, depth, grown = choose(s, c, player, n, mixture, depth, nodes, edges, work, actions, rng)
            rules.apply_action(s, c, action)
    return depth


@njit(cache=True, nogil=True)
def backup(depth, nodes, edges, work, out):
    """Adds every seat's own return to its own entries on the path."""
    for i in range(depth):
        node, chosen = nodes[work.slot[i]], work.edge[i]
        edge = edges[chosen]
        value, probability = out[work.seat[i]], work.probability[i]
        node.visits += 1
        if probability > 0:
            first, count = np.int64(node.first), np.int64(node.count)
            learn_regret(edges, first, count, chosen, probability, value, np.float64(node.visits))
        edge.visits += 1
        edge.mean += (value - edge.mean) / edge.visits


@njit(cache=True, nogil=True)
def redraw_everything(s, c, work, rng, table):
    """Redraws what anybody cannot see: by turns as another seat and as the advised one sees it (Gibbs sampling)."""
    for _ in range(SWEEPS):
        other = (work.player + 1 + random_below(rng, work.players - 1)) % work.players
        rules.determinize(s, c, other, rng, table)
        rules.determinize(s, c, work.player, rng, table)
    rules.determinize(s, c, (work.player + 1) % work.players, rng, table)


@njit(cache=True, nogil=True)
def plant(s, c, nodes, work, moves):
    """Makes the root's entry, whose edges are the `moves` from `work.root`, in place of an earlier root's."""
    node = nodes[find(nodes, ROOT_KEY)]
    if node.count == 0 or np.int64(node.first) != work.root:
        mixture = rules.current_player(s, c) == SIMULTANEOUS or bool(rules.mixed(s, c))
        node.key, node.first, node.count, node.room = ROOT_KEY, work.root, moves, moves
        node.visits = 0
        node.kind = REGRET if mixture and work.regret != 0 else PLAIN


@njit(cache=True, nogil=True)
def simulate(
    n,
    root,
    constants,
    table,
    rng,
    nodes,
    edges,
    workspace,
    world,
    chains,
    lengths,
    values,
    squares,
    actions,
    joint,
    out,
):
    """Up to `n` simulations from `root` [1]: select and expand on the way down, play out, back up; returns how many.

    It stops before the tables are full, except beyond the memory bound.

    In a part `ranges` of them the advised player may hold anything; where it holds something else, it decides by the
    entry of that, and is not advised. Without them the others would learn to answer the very cards that it holds.
    """
    nodes, edges, actions, joint = borrowed(nodes), borrowed(edges), borrowed(actions), borrowed(joint)
    chains, lengths, out = borrowed(chains), borrowed(lengths), borrowed(out)
    table, rng = borrowed(table), borrowed(rng)
    s, c, work = world[0], constants[0], workspace[0]
    plant(root[0], c, nodes, work, len(lengths))
    own = np.uint64(rules.information_key(root[0], c, work.player))
    for done in range(n):
        if work.margin > 0 and (work.entries + work.players > work.full or work.edges + work.margin > len(edges)):
            return done
        world[0] = root[0]
        rules.determinize(s, c, work.player, rng, table)
        for _ in range(DRAWS - 1):
            if random_unit(rng) < rules.likelihood(s, c, work.player):
                break
            world[0] = root[0]
            rules.determinize(s, c, work.player, rng, table)
        move, depth, grown = np.int64(-1), 0, False
        if work.ranges > 0 and random_unit(rng) < work.ranges:
            redraw_everything(s, c, work, rng, table)
        if work.ranges == 0 or np.uint64(rules.information_key(s, c, work.player)) == own:
            move, depth, grown = choose_root(s, c, nodes, edges, work, chains, lengths, actions, joint, rng)
        if not grown:
            depth = descend(s, c, depth, nodes, edges, work, actions, joint, rng)
        playout(s, c, work.playout_steps, work.players, actions, joint, rng, out)
        for seat in range(work.players):
            out[seat] = (out[seat] - work.low) * work.scale
            if move >= 0:
                values[move, seat] += out[seat]
        if move >= 0:
            squares[move] += out[work.player] ** 2
        backup(depth, nodes, edges, work, out)
    return n


@njit(cache=True, nogil=True)
def best_edge(node, edges):
    """Index of an entry's best edge: at REGRET the one most chosen, else the one most visited."""
    best = np.int64(node.first)
    for i in range(best + 1, best + node.count):
        edge, top = edges[i], edges[best]
        if edge.chosen > top.chosen if node.kind == REGRET else edge.visits > top.visits:
            best = np.int64(i)
    return best


@njit(cache=True, nogil=True)
def expected_action(s, c, seat, mixture, nodes, edges, work, world, table, actions, rng):
    """What `seat` is expected to do at `s`; -1 where the tree does not know, or the advised player could not."""
    key = np.uint64(rules.information_key(s, c, seat))
    rules.prepare(s, c, work.player, table)
    for _ in range(16):  # other worlds that the advised player might be in
        world[0] = s
        rules.determinize(world[0], c, work.player, rng, table)
        if np.uint64(rules.information_key(world[0], c, seat)) != key:
            return np.int64(-1)
    n = np.int64(rules.legal_actions(s, c, seat, actions))
    if n == 1:
        return np.int64(actions[0])
    found, _ = entry_key(s, c, seat, mixture, nodes, work)
    node = nodes[find(nodes, found)]
    if node.count == 0 or node.visits < MIN_LINE_VISITS:
        return np.int64(-1)
    action = action_at(node, edges, best_edge(node, edges), actions)
    for i in range(n):
        if actions[i] == action:
            return action
    return np.int64(-1)  # of an entry that several hands share


@njit(cache=True, nogil=True)
def expected_line(
    move, start, constants, table, rng, nodes, edges, workspace, world, chains, lengths, actions, joint, seats, line
):
    """The line of play after a root move from `start` [1]: (seat, action) pairs into `seats`, `line`; their number.

    It ends where the tree gets thin, at chance, and where it would hang on something the advised player cannot see.
    """
    s, c, work = start[0], constants[0], workspace[0]
    length = 0
    if rules.current_player(s, c) == SIMULTANEOUS:
        joint[work.player] = chains[move, 0]
        for seat in range(work.players):
            if seat == work.player:
                continue
            joint[seat] = expected_action(s, c, seat, True, nodes, edges, work, world, table, actions, rng)
            if joint[seat] < 0:
                return length
            seats[length], line[length] = seat, joint[seat]
            length += 1
        rules.apply_joint(s, c, joint)
    else:
        world[0] = s
        for i in range(lengths[move]):
            rules.apply_action(s, c, chains[move, i])
        rules.conceal(s, c, world[0], work.player)
    while length < len(line):
        player = np.int64(rules.current_player(s, c))
        if player < 0:
            break
        mixture = bool(rules.mixed(s, c))
        action = expected_action(s, c, player, mixture, nodes, edges, work, world, table, actions, rng)
        if action < 0:
            break
        seats[length], line[length] = player, action
        length += 1
        rules.apply_action(s, c, action)
    return length


# What an option may be at most; at least 0, and whole where this is.
MOST: Mapping[str, int | float] = {
    "exploration": 1e6,
    "explore": 1.0,
    "purify": 1.0,
    "trust": 10**9,
    "stage": 10**9,
    "playout_steps": 10**9,
    "ranges": 1.0,
    "memory": 10**15,
    "endings": 10**9,
}


@dataclass(frozen=True)
class SearchOptions:
    """How the tree is searched.

    Attributes:
      exploration: UCB's constant, for returns scaled to 0..1; None: the game's own choice.
      mixtures: whether simultaneous and hidden choices use regret matching (else UCB, as everywhere else).
      explore: the uniform part mixed into regret matching.
      purify: part of the largest share of a mixture below which a move is left out of it (thresholding, Ganzfried,
        Sandholm and Waugh 2012); 1 leaves one move, None: the game's own choice.
      trust: visits from which on an entry chooses by what it has learnt, and no longer by the playout policy; None: the
        game's own choice.
      keys: entries of the seats that are not advised: by all they see (`exact`), by what is public (`public`), or
        public until an entry has `stage` visits and exact from then on (`staged`); None: the game's own choice.
      playout_steps: actions of a playout before it is evaluated; None: the game's own choice.
      ranges: part of the simulations spent on what the advised player might hold instead, so that the others do not
        learn to answer its very cards; None: the game's own choice.
      memory: bytes that the tables of all threads may take together.
      endings: histories that what is left of the game may have at most to be solved instead (see `solvers.endings`).
    """

    exploration: float | None = None
    mixtures: bool = True
    explore: float = 0.1
    purify: float | None = None
    trust: int | None = None
    keys: str | None = None
    stage: int = 50
    playout_steps: int | None = None
    ranges: float | None = None
    memory: int = 1 << 30
    endings: int = 300_000

    def __post_init__(self) -> None:
        """Raises ValueError, in one line, for a value that cannot be."""
        if self.keys is not None and self.keys not in KEYS:
            raise ValueError(f"keys: expected one of {', '.join(KEYS)}, got {shown(self.keys)}")
        if type(self.mixtures) is not bool:
            raise ValueError(f"mixtures: expected true or false, got {shown(self.mixtures)}")
        for option in fields(self):
            value, most = getattr(self, option.name), MOST.get(option.name)
            if most is None or (value is None and option.default is None):
                continue
            whole = type(most) is int
            if type(value) not in ((int,) if whole else (int, float)) or not 0 <= value <= most:
                kind = "whole number" if whole else "number"
                raise ValueError(f"{option.name}: expected a {kind} from 0 to {most}, got {shown(value)}")


class Search:
    """One tree, rooted at one view; `run` adds simulations to it. The arrays are those of the module's table."""

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
        moves, players, kind = len(chains), view.game.info.players, view.game.rules
        self._memory = options.memory // threads
        slots, slot_size = 1 << 8, NODE.itemsize + EDGES_PER_SLOT * EDGE.itemsize
        wanted = min(limit.most_simulations(), FIRST_ENTRIES)
        while slots * 3 // 4 < wanted and 2 * slots * slot_size <= self._memory:
            slots *= 2
        self.nodes, self.edges = np.zeros(slots, NODE), np.zeros(moves + EDGES_PER_SLOT * slots, EDGE)
        self.work = np.zeros(1, WORK)
        self._set_work(view, options)
        self._world = np.zeros(1, kind.state)
        self._actions, self._joint = np.zeros(kind.max_actions, np.int64), np.zeros(players, np.int64)
        self._out = np.zeros(players)
        self._line_table = np.zeros(0)
        self.root_at(view, chains, seed)

    def root_at(self, view: View, chains: list[tuple[int, ...]], seed: np.random.SeedSequence) -> None:
        """Makes the decision of `view`'s player between `chains` the root; what is known of other decisions stays.

        `view` is of the seat and the game that the tree was made for.
        """
        self.game: Game = view.game
        moves = len(chains)
        self._root = view.record()
        self._rng = rules.make_rng(seed)
        self._table = view.table
        while self.work["edges"][0] + moves > len(self.edges):
            self._lengthen(2 * len(self.edges))
        self.work["root"] = self.work["edges"]
        self.work["edges"] += moves
        self._chains = np.zeros((moves, max(map(len, chains))), np.int64)
        for i, chain in enumerate(chains):
            self._chains[i, : len(chain)] = chain
        self._lengths = np.array([len(chain) for chain in chains], np.int64)
        self.root_values, self.root_squares = np.zeros((moves, self.game.info.players)), np.zeros(moves)
        # Simulations done, and the root's totals at the last two marks.
        self._done, self._marks = 0, [(0, *self._totals()), (FIRST_MARK, *self._totals())]
        self._simulate(0)  # plants the root; and what has to be compiled is, before any clock runs

    def _set_work(self, view: View, options: SearchOptions) -> None:
        work, game = self.work[0], view.game
        info = game.info
        work["player"], work["players"], work["regret"] = view.player, info.players, options.mixtures
        work["keys"], work["stage"] = KEYS[options.keys or game.rules.keys], options.stage
        work["exploration"] = game.rules.exploration if options.exploration is None else options.exploration
        work["explore"] = options.explore
        work["trust"] = game.rules.trust if options.trust is None else options.trust
        self.purify = game.rules.purify if options.purify is None else options.purify
        steps = game.rules.playout_steps if options.playout_steps is None else options.playout_steps
        work["playout_steps"] = steps
        work["ranges"] = game.rules.ranges if options.ranges is None else options.ranges
        work["low"], work["scale"] = info.min_utility, 1.0 / (info.max_utility - info.min_utility)
        work["full"] = len(self.nodes) * 3 // 4
        work["entries"] = 1
        work["margin"] = info.players * min(game.rules.max_actions, info.num_actions)

    @property
    def mixture(self) -> bool:
        """Whether the root's move is chosen by regret matching."""
        return bool((self.nodes["kind"][self.nodes["key"] == ROOT_KEY] == REGRET).any())

    @property
    def root_edges(self) -> np.ndarray:
        """The edges of the root's moves [M]."""
        first = int(self.work["root"][0])
        return self.edges[first : first + len(self.root_squares)]

    @property
    def size(self) -> int:
        """Bytes that the tables take."""
        return self.nodes.nbytes + self.edges.nbytes

    @property
    def entries(self) -> int:
        """Entries in use."""
        return int(self.work["entries"][0])

    @property
    def full(self) -> bool:
        """Whether the memory bound was reached."""
        return bool(self.work["margin"][0] == 0)

    def _larger(self) -> tuple[int, int] | None:
        """Lengths of `nodes` and `edges` with whichever is short doubled; None beyond the memory bound."""
        work = self.work[0]
        nodes, edges = len(self.nodes), len(self.edges)
        if 2 * int(work["edges"]) * nodes > int(work["entries"]) * 3 * edges // 2:
            edges *= 2
        else:
            nodes *= 2
        fits = nodes * NODE.itemsize + edges * EDGE.itemsize <= self._memory
        return (nodes, edges) if fits else None

    def _grow(self) -> bool:
        """Makes the tables larger; False where the memory bound forbids it."""
        lengths = self._larger()
        if lengths is None:
            return False
        nodes, edges = lengths
        if nodes > len(self.nodes):
            larger = np.zeros(nodes, NODE)
            rehash(self.nodes, larger)
            self.nodes = larger
            self.work["full"][0] = nodes * 3 // 4
        else:
            self._lengthen(edges)
        return True

    def _lengthen(self, length: int) -> None:
        """Makes the arena `length` edges long."""
        longer = np.zeros(length, EDGE)  # np.concatenate would lay the fields of EDGE apart
        longer[: len(self.edges)] = self.edges
        self.edges = longer

    def run(self, n: int) -> None:
        """`n` simulations more; the tables grow as they have to, up to the memory bound."""
        while n > 0:
            if self._done == 2 * self._marks[1][0]:
                self._marks = [self._marks[1], (self._done, *self._totals())]
            batch = min(n, 2 * self._marks[1][0] - self._done)
            done = self._simulate(batch)
            n -= done
            self._done += done
            if done < batch and not self._grow():
                self.work["margin"] = 0

    def _simulate(self, n: int) -> int:
        return simulate(
            n,
            self._root,
            self.game.constants,
            self._table,
            self._rng,
            self.nodes,
            self.edges,
            self.work,
            self._world,
            self._chains,
            self._lengths,
            self.root_values,
            self.root_squares,
            self._actions,
            self._joint,
            self._out,
        )

    def _totals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        visits = self.root_edges["visits"].astype(np.int64)
        return visits, self.root_values.copy(), self.root_squares.copy()

    def root_statistics(self) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
        """Earlier and later (visits [M], sums of returns [M, P] and of squares [M]) of the root's moves, in 0..1.

        The later simulations are half of them, or somewhat more: the earlier ones tell what moves and strategies
        were worth that are not answered so any more.
        """
        _, *early = self._marks[0]
        return tuple(early), tuple(now - then for now, then in zip(self._totals(), early, strict=True))

    def line(self, move: int, most: int = 24) -> list[tuple[int, int]]:
        """The (seat, action) pairs expected after root move `move`, at most `most`; none if it was hardly visited."""
        if self.root_edges["visits"][move] < MIN_LINE_VISITS:
            return []
        if not self._line_table.size:  # of its own: other trees may be drawing worlds by theirs
            self._line_table = np.zeros_like(self._table)
        seats, actions = np.zeros(most, np.int64), np.zeros(most, np.int64)
        n = expected_line(
            move,
            copied(self._root),
            self.game.constants,
            self._line_table,
            rules.make_rng(1),  # other worlds than the one that the view has drawn
            self.nodes,
            self.edges,
            self.work,
            self._world,
            self._chains,
            self._lengths,
            self._actions,
            self._joint,
            seats,
            actions,
        )
        return list(zip(seats[:n].tolist(), actions[:n].tolist(), strict=True))


@dataclass(frozen=True)
class Result:
    """What a search found about the root's moves [M]; returns are on the game's own scale.

    Attributes:
      chains: the moves as action chains; `whole`: false where they are only first actions.
      visits: simulations through each move, all threads together.
      values: [M, P] mean return of every seat; NaN for a move never tried.
      errors: standard error of the advised player's: of sampling, and of what the search is still learning.
      shares: probability with which the search would choose each move.
      simulations, seconds: how much was done.
      full: whether the memory bound was reached.
      interrupted: whether Ctrl-C or `Control.stop` ended it.
      line: for a move's index, the (seat, action) pairs expected after it.
      low, high: bounds of the advised player's return that are proved; None where nothing is.
      nash_conv: how far the shares are from an equilibrium, where they are those of one; else None.
    """

    chains: list[tuple[int, ...]]
    whole: bool
    visits: np.ndarray
    values: np.ndarray
    errors: np.ndarray
    shares: np.ndarray
    simulations: int
    seconds: float
    full: bool
    interrupted: bool
    line: Callable[[int], list[tuple[int, int]]]
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    nash_conv: float | None = None


class Trees:
    """The trees of a search, kept for the next one of the same seat in the same game."""

    def __init__(self) -> None:
        self.kept: list[Search] = []
        self._made_for: tuple[Any, ...] = ()

    def rooted(
        self, view: View, chains: list[tuple[int, ...]], limit: Limit, options: SearchOptions, seed: int, threads: int
    ) -> list[Search]:
        """`threads` trees rooted at `view`: those that were kept, or new ones where these do not fit."""
        seeds = np.random.SeedSequence(seed).spawn(threads)
        made_for = (view.game.definition.name, view.game.constants.tobytes(), view.player, options, threads)
        if self.kept and made_for == self._made_for:
            for tree, s in zip(self.kept, seeds, strict=True):
                tree.root_at(view, chains, s)
        else:
            self.kept = [Search(view, chains, limit, options, s, threads) for s in seeds]
            self._made_for = made_for
        return self.kept

    def trim(self) -> None:
        """Forgets trees that are large: whoever keeps many of these is not to run out of memory."""
        if any(tree.full or tree.size > KEPT_BYTES // len(self.kept) for tree in self.kept):
            self.kept = []


@dataclass(frozen=True)
class Control:
    """What steers a search from outside, besides its limit.

    Attributes:
      stop: asked now and then; once it is true the search ends, and what was done is kept.
      report: called with what was found so far, about every `every` seconds.
      among: the moves to compare, as action chains; None: all.
      trees: in which the search goes on, and which it leaves behind for the next one; None: new ones.
    """

    stop: Callable[[], bool] = lambda: False
    report: Callable[[Any], None] | None = None
    every: float = 1.0
    among: Collection[tuple[int, ...]] | None = None
    trees: Trees | None = None


def search(
    view: View,
    moves: tuple[list[tuple[int, ...]], bool],
    limit: Limit,
    options: SearchOptions,
    seed: int,
    threads: int = 1,
    progress: Callable[[int, float], None] | None = None,
    control: Control | None = None,
) -> Result:
    """Searches the decision of `view`'s player between `moves` (of `root_moves`) until `limit` is reached.

    `threads` independent trees are grown and their root statistics added up. `progress` is called now and then with
    the simulations so far and the part of the limit used up. Ctrl-C ends the search early; what was done is kept.
    """
    control = control or Control()
    chains, whole = moves
    kept = control.trees or Trees()
    trees = kept.rooted(view, chains, limit, options, seed, threads)
    started = time.monotonic()

    def found(simulations: int, interrupted: bool) -> Result:
        return _result(trees, chains, whole, view, simulations, time.monotonic() - started, interrupted)

    told = started

    def glance(simulations: int, elapsed: float) -> bool:
        nonlocal told
        if progress is not None:
            progress(simulations, limit.part(simulations, elapsed))
        if control.report is not None and started + elapsed - told >= control.every:
            told = started + elapsed
            control.report(found(simulations, False))
        return control.stop()

    done = _run(trees, limit, len(chains) == 1, glance)
    kept.trim()
    return found(*done)


def root_moves(view: View, among: Collection[tuple[int, ...]] | None = None) -> tuple[list[tuple[int, ...]], bool]:
    """The moves to compare at the root, and whether they are whole: first actions if there are over MAX_ROOT_MOVES."""
    record = view.record()
    chains = whole_moves(view.game, record, view.player)
    if among is not None:
        chains = [chain for chain in chains if chain in among]
    if len(chains) > MAX_ROOT_MOVES:
        return list(dict.fromkeys(chain[:1] for chain in chains)), False
    return chains, True


def _run(trees: list[Search], limit: Limit, forced: bool, glance: Callable[[int, float], bool]) -> tuple[int, bool]:
    """Grows the trees slice by slice until the limit: (simulations, whether something else ended it).

    `glance` is called now and then with the simulations so far and the seconds gone by; it tells whether to stop.
    """
    started = time.monotonic()
    done, size, stop, stopped = [0] * len(trees), 16, threading.Event(), False
    shares = limit.split(len(trees))

    def grow(i: int) -> None:
        nonlocal stopped
        slice_, share = size, shares[i]
        while not stop.is_set() and (share is None or done[i] < share):
            before = time.monotonic()
            if limit.seconds is not None and done[i] and (forced or before - started >= limit.seconds):
                break
            if i == 0 and limit.seconds is not None and decided(trees, sum(done), before - started, limit.seconds):
                stop.set()
                break
            n = slice_ if share is None else min(slice_, share - done[i])
            trees[i].run(n)
            done[i] += n
            now = time.monotonic()
            slice_ = limit.next_slice(n, now - before, now - started)
            if i == 0 and glance(sum(done), now - started):
                stopped = True
                stop.set()

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
    return sum(done), stopped


def decided(trees: list[Search], done: int, elapsed: float, seconds: float) -> bool:
    """Whether no other move can be visited more often than the one that leads, in what is left of the time."""
    if not done or trees[0].mixture:
        return False
    visits = np.sort(sum(tree.root_edges["visits"].astype(np.int64) for tree in trees))
    return len(visits) > 1 and visits[-1] - visits[-2] > done / elapsed * (seconds - elapsed)


def estimates(
    early: tuple[np.ndarray, ...], late: tuple[np.ndarray, ...], player: int
) -> tuple[np.ndarray, np.ndarray]:
    """(mean returns [M, P], standard errors of `player`'s [M]) from earlier and later `Search.root_statistics`.

    The errors are those of sampling, and besides what the means still have to move as the tree grows. Moves that the
    search has turned away from are judged by all simulations.
    """
    left = late[0] < early[0]
    visits, sums, squares = (
        np.where(left.reshape(-1, *[1] * (now.ndim - 1)), then + now, now)
        for then, now in zip(early, late, strict=True)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / visits[:, None]
        own, before = means[:, player], early[1][:, player] / early[0]
        # Half a return of doubt besides what was seen: a few equal returns are no certainty.
        sampling = np.sqrt(np.maximum(0, squares - visits * own**2) + 0.25) / visits
        moved = np.where((early[0] > 0) & ~left, own - before, 0.0)
    return means, np.hypot(sampling, AHEAD * moved)


def _result(
    trees: list[Search],
    chains: list[tuple[int, ...]],
    whole: bool,
    view: View,
    simulations: int,
    seconds: float,
    interrupted: bool,
) -> Result:
    """Adds up the roots of the trees."""
    moves, info = len(chains), view.game.info
    width = info.max_utility - info.min_utility
    edges = [t.root_edges for t in trees]
    visits = np.array([e["visits"] for e in edges], np.int64).sum(axis=0)
    early, late = (
        tuple(np.sum(part, axis=0) for part in zip(*halves, strict=True))
        for halves in zip(*(tree.root_statistics() for tree in trees), strict=True)
    )
    means, errors = estimates(early, late, view.player)
    own = means[:, view.player]
    if trees[0].mixture:
        chosen = np.sum([e["chosen"] for e in edges], axis=0, dtype=np.float64)
        shares = np.where(chosen >= trees[0].purify * chosen.max(), chosen, 0.0) if chosen.any() else np.ones(moves)
        shares /= shares.sum()
    else:
        order = np.lexsort((np.nan_to_num(own, nan=-1.0), visits))
        shares = np.zeros(moves)
        shares[order[-1]] = 1.0
    return Result(
        chains=chains,
        whole=whole,
        visits=visits,
        values=info.min_utility + means * width,
        errors=errors * width,
        shares=shares,
        simulations=simulations,
        seconds=seconds,
        full=any(t.full for t in trees),
        interrupted=interrupted,
        line=trees[0].line,
    )
