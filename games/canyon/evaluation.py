"""What a canyon position promises every seat between two rounds: its fitted share of the win."""

import numpy as np
from numba import njit

from voyageur.games import fitted
from voyageur.games.canyon.rules import DEAL, NONE, hand_size, on_rapids
from voyageur.games.rules import local_record, shares

FEATURES = (
    "points needed",  # as the plain player counts them
    "points needed, by players",
    "points needed, by the next hand",
    "points needed, logarithm",
    "points left over",
    "on the rapids",
    "on the rapids, by the next hand",
    "on the rapids, by steps",
)
WEIGHTS = fitted.weights(__file__, FEATURES)

_new_figures = local_record(np.dtype([("of", "f8", (len(FEATURES),))]))


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


@njit(cache=True)
def evaluate(s, c, out):
    for seat in range(c.players):
        figures = _new_figures()
        features(s, c, seat, figures.of)
        out[seat] = 0.0
        for i in range(len(WEIGHTS)):
            out[seat] += WEIGHTS[i] * figures.of[i]
    shares(out, c.players)
