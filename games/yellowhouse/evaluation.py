"""What a position of The Yellow House promises: the fitted odds of the round under way, in a race of rounds."""

import numpy as np
from numba import njit

from voyageur.games import fitted
from voyageur.games.rules import weighed
from voyageur.games.yellowhouse.rules import (
    ELEMENTS,
    PLAY,
    acting_seat,
    hand_size,
    is_claimed,
    level,
    most_supports,
)

FEATURES = fitted.weights(
    __file__,
    (
        "turn to act",
        "turn to lead",
        "cards, logarithm",
        "part of the hand that the best turn sheds",
        "can go out",
        "elements in hand",
        "mean number of cards of a card's element",
    ),
)

# A match, as a race of rounds.
LUCK = 0.65  # chance that a round won does not bring the second card of an element
RACE = 1.6  # fitted to the exact odds of matches whose rounds are even


@njit(cache=True)
def rounds_needed(s, c, seat):
    """Rounds that the seat has yet to win, with usual luck as to which cards it keeps."""
    total, most = 0, np.int64(0)
    for e in range(ELEMENTS):
        total += s.palette[seat, e]
        most = max(most, np.int64(s.palette[seat, e]))
    sure, lucky = c.win_total - total, c.win_same - most
    return sure if sure <= lucky else lucky + LUCK * (sure - lucky)


@njit(cache=True)
def match_odds(needed, other):
    """The chance to win the match with `needed` more rounds before the other side wins `other`."""
    one, two = other**RACE, needed**RACE
    return one / (one + two)


@njit(cache=True)
def _best_turn(s, c, seat):
    """The most cards that the seat, whose turn it is, can shed with an element."""
    if s.claims == 0:
        return np.int64(1)
    row, supports, best = level(s), most_supports(s, c, seat), np.int64(0)
    for e in range(c.elements):
        if s.hands[seat, e] == 0 or is_claimed(s, e):
            continue
        shed = np.int64(1 if s.rows[e] > row else row + 2 - s.rows[e])
        if shed <= s.hands[seat, e]:
            best = max(best, shed)
        elif shed <= s.hands[seat, e] + supports:
            best = max(best, np.int64(s.hands[seat, e]))
    return best


@njit(cache=True)
def features(s, c, seat, out):
    if s.phase != PLAY:
        return
    size = hand_size(s, seat)
    if acting_seat(s) == seat:
        best = _best_turn(s, c, seat)
        out[0], out[1], out[3], out[4] = 1.0, s.claims == 0, best / size, best == size
    out[2] = np.log(size)
    for e in range(ELEMENTS):
        out[5] += s.hands[seat, e] > 0
        out[6] += s.hands[seat, e] * s.hands[seat, e] / size


@njit(cache=True)
def round_odds(s, c):
    """The chance of seat 0 to win the round that is being played."""
    return 1.0 / (1.0 + np.exp(weighed(s, c, 1) - weighed(s, c, 0)))


@njit(cache=True)
def evaluate(s, c, out):
    zero = round_odds(s, c) if s.phase == PLAY else 0.5
    if c.one_round == 0:
        needed, other = rounds_needed(s, c, 0), rounds_needed(s, c, 1)
        won = 1.0 if needed <= 1 else match_odds(needed - 1, other)
        lost = 0.0 if other <= 1 else match_odds(needed, other - 1)
        zero = match_odds(needed, other) if s.phase != PLAY else zero * won + (1.0 - zero) * lost
    out[0] = 2.0 * zero - 1.0
    out[1] = -out[0]
