"""virta's plain player."""

import numpy as np
from numba import njit

from voyageur.games.rules import random_below
from voyageur.games.virta.rules import score


@njit(cache=True)
def playout_action(s, c, player, actions, n, rng):
    return actions[random_below(rng, n)]


@njit(cache=True)
def scripted_action(s, c, player, actions, n, rng):
    return actions[random_below(rng, n)]


@njit(cache=True)
def evaluate(s, c, out):
    total = 0.0
    for seat in range(c.players):
        out[seat] = np.exp(score(s, c, seat) / 5.0)
        total += out[seat]
    for seat in range(c.players):
        out[seat] /= total
