"""What a virta position promises every seat: its fitted share of the win, in points as the plain player counts them."""

import numpy as np
from numba import njit

from voyageur.games import fitted
from voyageur.games.rules import bit_count
from voyageur.games.virta.rules import in_river, score
from voyageur.games.virta.scripted import gains, promise, worth_of_tokens

FIGURES = ("points", "promises of pawns", "pawns at home", "worth of tokens", "turn to act")
# A point decides the more, the fewer parts are left to get: each figure counts as it is, and by what is left.
FEATURES = fitted.weights(__file__, (*FIGURES, *(f"{name}, by parts left" for name in FIGURES)))
LEFT = 4.5  # parts that make a difference as large as having none left


@njit(cache=True)
def features(s, c, seat, out):
    river, gain = in_river(s, c), gains(s, c, seat)
    out[0] = score(s, c, seat)
    for pawn in range(c.pawns):
        area = np.int64(s.at[seat, pawn])
        out[1] += promise(s, c, area, np.int64(s.load[seat, pawn]), 0, river, gain)
        out[2] += c.homes >> area & 1
    out[3], out[4] = worth_of_tokens(s.tokens[seat]), s.turn == seat
    for i in range(len(FIGURES)):
        out[len(FIGURES) + i] = out[i] / (1.0 + bit_count(river) / LEFT)
