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
    PLAY,
    STRENGTHEN,
    acting_seat,
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

# A round under way, in logarithms of the odds of the acting seat, fitted to games of noisy plain players.
TO_MOVE, LEADS = -0.2, 0.9
FEWER = 2.4  # for the logarithm of the other hand's cards over one's own
BEST_TURN, CAN_GO_OUT = 2.4, 1.7  # for the part of the hand that the best turn sheds; if it is all of it
ONE_KIND, CONCENTRATED = 0.85, 0.9  # each element in hand; the mean number of cards of a card's element
# A match, as a race of rounds.
LUCK = 0.65  # chance that a round won does not bring the second card of an element
RACE = 1.6  # fitted to the exact odds of matches whose rounds are even


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
def _balance(s, seat):
    """What the seat's hand is worth in an evaluation: many kinds, and many cards of one."""
    kinds, squares, size = 0, 0.0, 0
    for e in range(ELEMENTS):
        kinds += s.hands[seat, e] > 0
        squares += s.hands[seat, e] * s.hands[seat, e]
        size += s.hands[seat, e]
    return ONE_KIND * kinds + CONCENTRATED * squares / size


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
def round_odds(s, c):
    """The chance of the acting seat to win a round that is being played."""
    seat = acting_seat(s)
    own, other = hand_size(s, seat), hand_size(s, 1 - seat)
    best = _best_turn(s, c, seat)
    odds = TO_MOVE + FEWER * np.log(other / own) + BEST_TURN * best / own
    odds += _balance(s, seat) - _balance(s, 1 - seat)
    odds += (LEADS if s.claims == 0 else 0.0) + (CAN_GO_OUT if best == own else 0.0)
    return 1.0 / (1.0 + np.exp(-odds))


@njit(cache=True)
def evaluate(s, c, out):
    zero = 0.5
    if s.phase == PLAY:
        odds = round_odds(s, c)
        zero = odds if acting_seat(s) == 0 else 1.0 - odds
    if c.one_round == 0:
        needed, other = rounds_needed(s, c, 0), rounds_needed(s, c, 1)
        won = 1.0 if needed <= 1 else match_odds(needed - 1, other)
        lost = 0.0 if other <= 1 else match_odds(needed, other - 1)
        zero = match_odds(needed, other) if s.phase != PLAY else zero * won + (1.0 - zero) * lost
    out[0] = 2.0 * zero - 1.0
    out[1] = -out[0]
