"""What happens below the tree: a playout by the game's own policy, cut off and evaluated after a number of actions."""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from voyageur.games import rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL

LOOSE = 0.15  # part of the decisions of self-play that the playout policy takes instead of the plain player


@intrinsic
def borrowed(typingctx, held):
    """An array, or a tuple of arrays, without reference counts, for the time of a call whose caller holds it.

    Numba counts references at every call that takes an array; with a dozen small functions a tree level, these
    atomic operations cost more than the search itself.
    """

    def uncounted(context, builder, array, value):
        value = context.make_array(array)(context, builder, value=value)
        value.meminfo = value.meminfo.type(None)
        value.parent = value.parent.type(None)
        return value._getvalue()

    def codegen(context, builder, signature, args):
        if isinstance(held, types.Array):
            return uncounted(context, builder, held, args[0])
        parts = enumerate(held.types)
        values = [uncounted(context, builder, part, builder.extract_value(args[0], i)) for i, part in parts]
        return context.make_tuple(builder, held, values)

    return held(held), codegen


@njit(cache=True, nogil=True)
def playout(s, c, steps, players, actions, joint, rng, out):
    """Plays on from `s` by `playout_action` and writes every seat's return to `out`; returns how many actions it took.

    A game that ends gives its returns, one that is `quiet` after `steps` actions or more its `evaluate`. `actions` [A]
    and `joint` [P] are scratch.
    """
    done = 0
    while True:
        player = np.int64(rules.current_player(s, c))
        if player == TERMINAL or (done >= steps and rules.quiet(s, c)):
            break
        done += 1
        if player == CHANCE:
            rules.apply_action(s, c, np.int64(rules.sample_chance(s, c, rng)))
        elif player == SIMULTANEOUS:
            for seat in range(players):
                n = np.int64(rules.legal_actions(s, c, seat, actions))
                joint[seat] = rules.playout_action(s, c, seat, actions, n, rng)
            rules.apply_joint(s, c, joint)
        else:
            n = np.int64(rules.legal_actions(s, c, player, actions))
            rules.apply_action(s, c, np.int64(rules.playout_action(s, c, player, actions, n, rng)))
    if rules.current_player(s, c) == TERMINAL:
        rules.returns(s, c, out)
    else:
        rules.evaluate(s, c, out)
    return done


@njit(cache=True, nogil=True)
def run_playouts(n, root, c, steps, players, actions, joint, rng, out, table, player):
    """`n` playouts from `root` [1], each in a world redrawn for `player`; what a search does without its tree.

    `table` is prepared for `root`. Returns how many actions they took.
    """
    world, taken = root.copy(), 0
    actions, joint, rng, out, table = borrowed(actions), borrowed(joint), borrowed(rng), borrowed(out), borrowed(table)
    for _ in range(n):
        world[0] = root[0]
        rules.determinize(world[0], c[0], player, rng, table)
        taken += playout(world[0], c[0], steps, players, actions, joint, rng, out)
    return taken


@njit(cache=True, nogil=True)
def draw_worlds(n, root, world, c, player, rng, table):
    """Redraws `root` [1] for `player` into `world` [1] `n` times; `table` is prepared."""
    rng, table = borrowed(rng), borrowed(table)
    for _ in range(n):
        world[0] = root[0]
        rules.determinize(world[0], c[0], player, rng, table)


@njit(cache=True, nogil=True)
def self_play(root, c, world, rng, actions, joint, figures, before, shares):
    """Plays from `root` to the end of its game and keeps positions of it; returns how many.

    Kept are at most as many as `figures` [K, P, F], `before` and `shares` [K, P] have room for, each position as likely
    as any other (reservoir sampling). `shares` holds returns on the game's own scale, as does `before`.
    """
    s, c, players, met, room = world[0], c[0], len(joint), 0, len(shares)
    world[0] = root[0]
    while True:
        player = np.int64(rules.current_player(s, c))
        if player == TERMINAL:
            break
        if rules.quiet(s, c):
            place = met if met < room else rules.random_below(rng, met + 1)
            if place < room:
                figures[place] = 0.0
                for seat in range(players):
                    rules.features(s, c, seat, figures[place, seat])
                rules.evaluate(s, c, before[place])
            met += 1
        if player == CHANCE:
            rules.apply_action(s, c, np.int64(rules.sample_chance(s, c, rng)))
        elif player == SIMULTANEOUS:
            for seat in range(players):
                joint[seat] = _choice(s, c, seat, actions, rng)
            rules.apply_joint(s, c, joint)
        else:
            rules.apply_action(s, c, _choice(s, c, player, actions, rng))
    for i in range(min(met, room)):
        rules.returns(s, c, shares[i])
    return min(met, room)


@njit(cache=True, nogil=True)
def _choice(s, c, player, actions, rng):
    n = np.int64(rules.legal_actions(s, c, player, actions))
    if rules.random_unit(rng) < LOOSE:
        return np.int64(rules.playout_action(s, c, player, actions, n, rng))
    return np.int64(rules.scripted_action(s, c, player, actions, n, rng))
