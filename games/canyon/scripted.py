"""Canyon's plain player, and what it knows about a position: used in playouts and as the `scripted` opponent.

It counts in tricks. The odds that each card wins one come from a few figures (cards unseen that beat it, trumps, own
lengths, what the others still want), weighted by logistic regressions over games that it played against itself; taken
card by card they give the odds of each number of tricks. The bid is the one with the best prospect of its bonus, and
cards are played for the best odds of keeping it. On the river it counts the points that a canoe still needs, more on
the rapids, where only exact bids help.
"""

import numpy as np
from numba import njit

from voyageur.games.canyon.board import ARROWS
from voyageur.games.canyon.hidden import bid_hidden, dealt_hand, unseen
from voyageur.games.canyon.rules import (
    BID,
    CARD,
    MOST_TRICKS,
    MOVE,
    NONE,
    PACK,
    PLAY,
    SQUARE,
    SUIT,
    VALUES,
    on_rapids,
    starter,
    trick_value,
    winning_place,
)
from voyageur.games.rules import bit_count, local_record, lowest_bit, random_below, random_unit

# Weights of the odds of winning a trick later or now, with a trump or another card: of 1, and of the figures in the
# order in which `_wins_later` and `_wins_now` take them.
LATER_TRUMP = np.array([2.85, -2.83, 0.44, -0.97, -1.37, 0.22])
LATER_SIDE = np.array([1.08, -2.53, -0.11, 1.19, -0.13, 0.22, 0.18, -2.83, 0.09])
NOW_TRUMP = np.array([2.86, -4.91, 0.23, -1.19, 1.84, -1.24, 1.35])
NOW_SIDE = np.array([1.28, -3.22, -0.10, -0.10, 1.03, -1.40, 1.63])

ON_CALM, ON_RAPIDS = 0.5, 1.0  # what an exact bid is worth besides its bonus
CARE, ODD_BIDS = 3.0, 0.05  # how much likelier a better bid is; and that one is made for no reason that we know
NEAR = 0.03  # worth of coming a trick nearer to the bid, against the odds of keeping it
RAPIDS = 1.3  # points more that a square of the rapids takes than one of calm water
DRIFTS = np.array([0.0, 2.5, 1.5, 1.2, 1.0])  # the same for squares so many drifts above the waterfall

_SIGHT = np.dtype(
    [
        ("cards", "i8"),  # not seen, a bit set
        ("hand", "i8"),
        ("size", "i8"),  # cards in hand
        ("others", "i8"),  # players
        ("part", "f8"),  # of the unseen cards that each of them holds
        ("trump", "i8"),  # suit
        ("trumps", "i8"),  # not seen
        ("own_trumps", "i8"),
        ("demand", "f8"),  # tricks that the others still want, as a part of those to come
        ("wins", "f8", (MOST_TRICKS,)),  # odds that each card in hand, in their order, wins a trick later
        ("odds", "f8", (MOST_TRICKS + 1,)),  # of winning so many
    ]
)
_new_sight = local_record(_SIGHT)


def square_costs(board):
    """Points that a canoe still needs from each square of a `Board`, in those of calm water."""
    costs = board.towards_goal(lambda square: 1.0 + RAPIDS * (board.kinds[square] in ARROWS))
    for square, kind in enumerate(board.kinds):
        if kind in ARROWS:
            costs[square] += DRIFTS[min(board.falls_after(square), len(DRIFTS) - 1)]
    return costs


# Tricks.


@njit(cache=True)
def _logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


@njit(cache=True)
def _higher(card):
    """The cards of the same suit that are higher, a bit set."""
    return (SUIT << card // VALUES * VALUES) & ~((2 << card) - 1)


@njit(cache=True)
def _in_suit(cards, suit):
    return bit_count(cards >> suit * VALUES & SUIT)


@njit(cache=True)
def _take_up(s, c, hand, cards, sight):
    """Begins `sight` for somebody who holds `hand` and does not know where `cards` are."""
    sight.cards, sight.hand, sight.trump = cards, hand, s.trump // VALUES
    sight.size, sight.others = bit_count(hand), c.players - 1
    sight.part = sight.size / max(1, bit_count(cards))
    sight.trumps, sight.own_trumps = _in_suit(cards, sight.trump), _in_suit(hand, sight.trump)


@njit(cache=True)
def _weigh_cards(sight, wanted):
    """Completes `sight` where the others still want `wanted` tricks."""
    sight.demand = wanted / sight.size
    left, i = sight.hand, 0
    while left != 0:
        sight.wins[i] = _wins_later(sight, lowest_bit(left))
        left &= left - 1
        i += 1


@njit(cache=True)
def look(s, c, player, sight):
    """Fills `sight` with what `player` can tell of the tricks to come."""
    _take_up(s, c, s.hands[player], unseen(s, player), sight)
    wanted = 0.0
    for seat in range(c.players):
        if seat != player:
            mean = sight.size / c.players
            wanted += mean if s.bid[seat] == NONE else max(0, s.bid[seat] - s.tricks[seat])
    _weigh_cards(sight, wanted)


@njit(cache=True)
def _wins_later(sight, card):
    """The odds that `card` wins a trick to come."""
    suit = card // VALUES
    above = np.log1p(bit_count(sight.cards & _higher(card)) * sight.part * sight.others)
    few = 1.0 / sight.size
    if suit == sight.trump:
        w = LATER_TRUMP
        mine = w[2] * sight.own_trumps
        return _logistic(w[0] + w[1] * above + mine + w[3] * few + w[4] * sight.demand + w[5] * sight.others)
    w = LATER_SIDE
    theirs = w[2] * sight.trumps * sight.part * sight.others + w[3] * _in_suit(sight.cards, suit) * sight.part
    mine = w[4] * _in_suit(sight.hand, suit) + w[5] * sight.own_trumps
    return _logistic(w[0] + w[1] * above + theirs + mine + w[6] * few + w[7] * sight.demand + w[8] * sight.others)


@njit(cache=True)
def _wins_now(s, sight, card):
    """The odds that `card` wins the running trick."""
    others = sight.others - s.laid
    suit = card // VALUES
    led = suit
    if s.laid > 0:
        led = s.current[0] // VALUES
        best = s.current[winning_place(s.current, s.laid, s.trump)]
        if trick_value(card, s.current[0], s.trump) < trick_value(best, s.current[0], s.trump):
            return 0.0
    if others == 0:
        return 1.0
    w = NOW_SIDE
    risk = sight.trumps * sight.part * others
    if suit == sight.trump:
        w = NOW_TRUMP
        risk = 1.0 * (led == suit)
    above = np.log1p(bit_count(sight.cards & _higher(card)) * sight.part * others)
    follow = _in_suit(sight.cards, led) * sight.part
    last = w[5] * sight.demand + w[6] / sight.size
    return _logistic(w[0] + w[1] * above + w[2] * others + w[3] * risk + w[4] * follow + last)


@njit(cache=True)
def _odds_of_sums(sight, but):
    """Fills the odds of each number of tricks from all cards in hand but number `but`, as if each went by itself."""
    odds = sight.odds
    odds[:] = 0.0
    odds[0] = 1.0
    for i in range(sight.size):
        if i != but:
            win = sight.wins[i]
            for n in range(i + 1, 0, -1):
                odds[n] += win * (odds[n - 1] - odds[n])
            odds[0] *= 1.0 - win


@njit(cache=True)
def _bid_worth(s, c, player, sight, bid):
    """What to expect of `bid`, where `sight` holds the odds of each number of tricks."""
    return (c.bonus[bid] + (ON_RAPIDS if on_rapids(s, c, player) else ON_CALM)) * sight.odds[bid]


@njit(cache=True)
def _bid_action(s, c, player, actions, n, rng, noise):
    sight = _new_sight()
    look(s, c, player, sight)
    _odds_of_sums(sight, NONE)
    best, chosen = -1.0, actions[0]
    for i in range(n):
        bid = actions[i]
        worth = _bid_worth(s, c, player, sight, bid) * (1.0 + noise * random_unit(rng))
        if worth > best:
            best, chosen = worth, bid
    return chosen


@njit(cache=True)
def _play_action(s, c, player, actions, n, rng, noise):
    sight = _new_sight()
    look(s, c, player, sight)
    total = sight.wins.sum()
    need = s.bid[player] - s.tricks[player]
    best, chosen = -99.0, actions[0]
    for i in range(n):
        card = actions[i] - CARD
        place = bit_count(sight.hand & ((1 << card) - 1))
        now = _wins_now(s, sight, card)
        tricks = now + total - sight.wins[place]
        worth = tricks  # a bid that is lost leaves the tricks
        if 0 <= need <= sight.size:
            _odds_of_sums(sight, place)
            worth = (1.0 - now) * sight.odds[need] - NEAR * abs(tricks - need)
            if need > 0:
                worth += now * sight.odds[need - 1]
        worth += noise * random_unit(rng)
        if worth > best:
            best, chosen = worth, actions[i]
    return chosen


# Beliefs.


@njit(cache=True)
def _bid_likelihood(s, c, seat, hand):
    """How likely the bid of `seat` is, who was dealt `hand`, compared with the likeliest one."""
    sight = _new_sight()
    _take_up(s, c, hand, PACK & ~(hand | (1 << s.trump)), sight)
    wanted, first = 0.0, starter(s, c)
    for other in range(c.players):
        if other != seat:
            heard = c.simultaneous == 0 and (other - first) % c.players < (seat - first) % c.players
            wanted += s.bid[other] if heard else sight.size / c.players
    _weigh_cards(sight, wanted)
    _odds_of_sums(sight, NONE)
    best = 0.0
    for bid in range(sight.size + 1):
        best = max(best, _bid_worth(s, c, seat, sight, bid))
    odds = (_bid_worth(s, c, seat, sight, s.bid[seat]) / best) ** CARE
    return ODD_BIDS + (1.0 - ODD_BIDS) * odds


@njit(cache=True)
def likelihood(s, c, player):
    total = 1.0
    if s.phase == BID or s.phase == PLAY:
        for seat in range(c.players):
            if seat != player and s.bid[seat] != NONE and not bid_hidden(s, c, seat, player):
                total *= _bid_likelihood(s, c, seat, dealt_hand(s, c, seat))
    return total


# The river.


@njit(cache=True)
def _move_action(s, c, player, actions, n, rng, noise):
    best, chosen = 1e9, actions[0]
    for i in range(n):
        cost = c.cost[actions[i] - SQUARE] + noise * random_unit(rng)
        if cost < best:
            best, chosen = cost, actions[i]
    return chosen


@njit(cache=True)
def _best_action(s, c, player, actions, n, rng, noise):
    if n == 1:
        return actions[0]
    if s.phase == PLAY:
        return _play_action(s, c, player, actions, n, rng, 0.2 * noise)
    if s.phase == BID:
        return _bid_action(s, c, player, actions, n, rng, noise)
    if s.phase == MOVE:
        return _move_action(s, c, player, actions, n, rng, noise)
    return actions[random_below(rng, n)]


@njit(cache=True)
def playout_action(s, c, player, actions, n, rng):
    return _best_action(s, c, player, actions, n, rng, 0.1)


@njit(cache=True)
def scripted_action(s, c, player, actions, n, rng):
    return _best_action(s, c, player, actions, n, rng, 0.01)
