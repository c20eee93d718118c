"""What a canyon position promises every seat between two rounds: its fitted share of the win."""

import numpy as np
from numba import njit

from voyageur.games import fitted
from voyageur.games.canyon.rules import DEAL, NONE, hand_size, on_rapids

FEATURES = fitted.weights(
    __file__,
    (
        "points needed",  # as the plain player counts them
        "points needed, by players",
        "points needed, by the next hand",
        "points needed, logarithm",
        "points left over",
        "on the rapids",
        "on the rapids, by the next hand",
        "on the rapids, by steps",
    ),
)


@njit(cache=True)
def quiet(s, c):
    return s.phase == DEAL and s.dealt == 0


@njit(cache=True)
def features(s, c, seat, out):
    square = c.dock[0] if s.at[seat] == NONE else np.int64(s.at[seat])
    needed, hand = c.cost[square], hand_size(s.round)
    rapids = 1.0 if s.at[seat] != NONE and on_rapids(s, c, seat) else 0.0
    out[0], out[1], out[2], out[3] = needed, needed * c.players, needed * hand, np.log1p(needed)
    out[4] = s.unused[seat]
    out[5], out[6], out[7] = rapids, rapids * hand, rapids * c.distance[square]
