"""What a Niagara position promises every seat: its fitted share of the win.

A seat's way to the goal is counted in rounds, as the plain player counts them; canoes weigh by what they carry and by
how far they are from the shore after the pushes that are to be expected.
"""

import numpy as np
from numba import njit

from voyageur.games import fitted
from voyageur.games.niagara.rules import ACT, CLOUD, DEPTH, FALLEN, NO_GEM, meets_goal
from voyageur.games.niagara.scripted import after_river, distance, expected_flow
from voyageur.games.rules import bit_count

DEPTHS = 8  # of a canoe: 0 ashore to 7 before the fall
WAY, EMPTY, CARRIED = 0, 9, 9 + DEPTHS  # where each kind of figure begins
FEATURES = fitted.weights(
    __file__,
    (
        "rounds to go",
        "rounds to go, by players",
        "rounds to go, logarithm",
        "reached the goal",
        "canoes lost",
        "cards in hand",
        "paddles in hand",
        "moves first",
        "has acted",
        *(f"empty canoes at depth {depth}" for depth in range(DEPTHS)),
        *(f"rounds saved by gems at depth {depth}" for depth in range(DEPTHS)),
    ),
)


@njit(cache=True)
def _add_canoes(s, c, seat, acted, out):
    """Adds what the seat's canoes are and carry."""
    flow = expected_flow(s, c, -1, CLOUD) if acted else 0
    first, second = np.int64(s.gem[2 * seat]), np.int64(s.gem[2 * seat + 1])
    one = distance(s, seat, first, NO_GEM)
    for i in range(2):
        k = 2 * seat + i
        space = after_river(np.int64(s.at[k]), np.int64(s.fork), flow)
        if space == FALLEN:
            out[WAY + 4] += 1.0
        elif s.gem[k] == NO_GEM:
            out[EMPTY + DEPTH[space]] += 1.0
        else:
            saved = out[WAY] - one if i == 0 else one - distance(s, seat, first, second)
            out[CARRIED + DEPTH[space]] += saved


@njit(cache=True)
def features(s, c, seat, out):
    acted = s.phase == ACT and (seat - s.first) % c.players < s.turn
    way = distance(s, seat, NO_GEM, NO_GEM)
    out[WAY], out[WAY + 1], out[WAY + 2] = way, way * c.players, np.log1p(way)
    out[WAY + 3] = meets_goal(s, seat)
    cards = np.int64(s.hands[seat])
    out[WAY + 5] = bit_count(cards)
    for card in range(CLOUD):
        out[WAY + 6] += (card + 1) * (cards >> card & 1)
    out[WAY + 7], out[WAY + 8] = s.first == seat, acted
    _add_canoes(s, c, seat, acted, out)
