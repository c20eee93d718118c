"""What happens below the tree: a playout by the game's own policy, cut off and evaluated after a number of actions."""

import numpy as np
from numba import njit
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic

from voyageur.games import rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL


@intrinsic
def borrowed(typingctx, array):
    """`array` without its reference count, for the time of a call whose caller holds it.

    Numba counts references at every call that takes an array; with a dozen small functions a tree level, these
    atomic operations cost more than the search itself.
    """

    def codegen(context, builder, signature, args):
        value = context.make_array(array)(context, builder, value=args[0])
        value.meminfo = value.meminfo.type(None)
        value.parent = value.parent.type(None)
        return impl_ret_untracked(context, builder, array, value._getvalue())

    return array(array), codegen


@njit(cache=True, nogil=True)
def playout(s, c, steps, players, actions, joint, rng, out):
    """Plays on from `s` by `playout_action` and writes every seat's return to `out`.

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


@njit(cache=True, nogil=True)
def run_playouts(n, root, c, steps, players, actions, joint, rng, out, table, player):
    """`n` playouts from `root` [1], each in a world redrawn for `player`; what a search does without its tree.

    `table` is prepared for `root`.
    """
    world = root.copy()
    actions, joint, rng, out, table = borrowed(actions), borrowed(joint), borrowed(rng), borrowed(out), borrowed(table)
    for _ in range(n):
        world[0] = root[0]
        rules.determinize(world[0], c[0], player, rng, table)
        playout(world[0], c[0], steps, players, actions, joint, rng, out)


@njit(cache=True, nogil=True)
def draw_worlds(n, root, world, c, player, rng, table):
    """Redraws `root` [1] for `player` into `world` [1] `n` times; `table` is prepared."""
    rng, table = borrowed(rng), borrowed(table)
    for _ in range(n):
        world[0] = root[0]
        rules.determinize(world[0], c[0], player, rng, table)
