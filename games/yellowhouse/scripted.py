"""The plain player of The Yellow House, and what it knows about a position: for playouts and the `scripted` opponent.

A turn is judged by a sum: the cards that it sheds, the row it leaves to be beaten, what the opponent could then shed
in answer, how the own hand is left. The weights were found by playing against weaker and earlier versions.
"""

import numpy as np
from numba import njit

from voyageur.games.rules import random_unit
from voyageur.games.yellowhouse.rules import (
    ELEMENTS,
    EXCHANGE,
    PASS,
    STRENGTHEN,
    belief,
    cards_shed,
    element_of,
    hand_size,
    is_claimed,
    level,
    most_supports,
    wins_with,
)

GOES_OUT, GOES_OUT_AND_WINS = 1000.0, 1001.0
PASSED = -3.3
SHED, SUPPORT = 1.4, 0.2  # each card shed, each support card used
ROW = -0.2  # each row of the claim
LEFT, KINDS = -0.8, 1.0  # each card left of the element claimed, each element left in hand
THREAT, FULL = -0.4, -0.8  # each card that the opponent may shed in answer; a full trick, which has no answer
GIVEN, PAIR = 0.9, -0.3  # each card given for each one left of its element; two of one element
NOISE, HARDLY_ANY = 0.5, 0.05


@njit(cache=True)
def _other_hand(s, c, player):
    """(cards in the other hand, cards that could be in it)."""
    other = 1 - player
    size, unknown = np.int64(c.hand), 0
    for e in range(ELEMENTS):
        size -= s.out[other, e]
        unknown += belief(s, c, player, e)[1]
    return size, unknown


@njit(cache=True)
def _threat(s, c, player, action, size, unknown):
    """Cards that the other hand may be expected to shed in answer to a claim, by what is unseen of each element."""
    e, row = element_of(action), np.int64(s.rows[element_of(action)])
    if action >= STRENGTHEN:
        row = level(s) + 1
    supports = most_supports(s, c, 1 - player)
    threat = 0.0
    for x in range(c.elements):
        if x == e or is_claimed(s, x):
            continue
        needed = 1
        if s.rows[x] <= row:
            steps = row + 1 - s.rows[x]
            needed = steps + 1 - min(supports, steps)
        expected = belief(s, c, player, x)[1] * size / max(1, unknown)
        threat += needed / (1.0 + np.exp(1.6 * (needed - expected - 0.5)))
    return threat


@njit(cache=True)
def turn_worth(s, c, player, action, size, unknown):
    """Worth of a turn, where the other hand has `size` out of `unknown` cards."""
    if action == PASS:
        return PASSED
    e, shed = element_of(action), cards_shed(s, action)
    if shed == hand_size(s, player):
        return GOES_OUT_AND_WINS if wins_with(s, c, player, e) else GOES_OUT
    supports, row = 0, np.int64(s.rows[e])
    if action >= STRENGTHEN:
        supports, row = (action - STRENGTHEN) // ELEMENTS, level(s) + 1
    kinds = 0
    for x in range(ELEMENTS):
        kinds += s.hands[player, x] > (shed if x == e else 0)
    worth = SHED * shed + SUPPORT * supports + ROW * row + LEFT * (s.hands[player, e] - shed) + KINDS * kinds
    if s.claims + 1 == c.elements:
        return worth + FULL
    return worth + THREAT * _threat(s, c, player, action, size, unknown)


@njit(cache=True)
def gift_worth(s, c, player, gift):
    """Worth of a gift: cards of elements that stay many in hand, since their tokens go up."""
    worth = 0.0
    for e in range(ELEMENTS):
        given = np.int64(c.gift[gift, e])
        worth += GIVEN * given * (s.hands[player, e] - given) + (PAIR if given > 1 else 0.0)
    return worth


@njit(cache=True)
def _best_action(s, c, player, actions, n, rng, noise):
    if n == 1:
        return actions[0]
    size, unknown = _other_hand(s, c, player)
    best, chosen = -GOES_OUT, actions[0]
    for i in range(n):
        if s.phase == EXCHANGE:
            worth = gift_worth(s, c, player, actions[i] - c.first_gift)
        else:
            worth = turn_worth(s, c, player, actions[i], size, unknown)
        worth += noise * random_unit(rng)
        if worth > best:
            best, chosen = worth, actions[i]
    return chosen


@njit(cache=True)
def playout_action(s, c, player, actions, n, rng):
    return _best_action(s, c, player, actions, n, rng, NOISE)


@njit(cache=True)
def scripted_action(s, c, player, actions, n, rng):
    return _best_action(s, c, player, actions, n, rng, HARDLY_ANY)
