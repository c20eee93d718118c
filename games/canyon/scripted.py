"""Canyon's plain player, and what it knows about a position: used in playouts and as the `scripted` opponent.

It counts in tricks: how likely each card is to win one, from the cards that it has not seen. A bid is the likeliest
sum; a card is played so that what it is likely to win now, and what the rest is likely to win later, comes to the bid.
On the river it counts the points that a canoe still needs, more on the rapids, where only exact bids help.
"""

import numpy as np
from numba import njit

from voyageur.games.canyon.board import ARROWS
from voyageur.games.canyon.hidden import unseen
from voyageur.games.canyon.rules import (
    BID,
    CARD,
    DEAL,
    MOVE,
    NONE,
    PLAY,
    SQUARE,
    SUIT,
    VALUES,
    hand_size,
    landed,
    on_rapids,
    trick_value,
    winning_place,
)
from voyageur.games.rules import bit_count, lowest_bit, random_unit

RAPIDS = 0.7  # points more that a square of the rapids takes than one of calm water
DRIFTS = np.array([0.0, 3.0, 1.2, 0.5, 0.2])  # the same for squares so many drifts above the waterfall
SPREAD = 4.0  # points of distance that make a clear difference in the odds of winning


def square_costs(board):
    """Points that a canoe still needs from each square of a `Board`, in those of calm water."""
    costs = board.towards_goal(lambda square: 1.0 + RAPIDS * (board.kinds[square] in ARROWS))
    for square, kind in enumerate(board.kinds):
        if kind in ARROWS:
            costs[square] += DRIFTS[min(board.falls_after(square), len(DRIFTS) - 1)]
    return costs


@njit(cache=True)
def higher(card):
    """The cards of the same suit that are higher, a bit set."""
    return (SUIT << card // VALUES * VALUES) & ~((2 << card) - 1)


@njit(cache=True)
def held(n, part):
    """The odds that one of `n` cards is among the `part` of the unseen cards that somebody holds."""
    return 1.0 - np.exp(-1.1 * n * part)


@njit(cache=True)
def wins_now(s, card, others, part, cards):
    """The odds that `card` wins the running trick, with `others` still to play, each with a `part` of `cards`."""
    trump = s.trump // VALUES
    suit = card // VALUES
    led = suit
    if s.laid > 0:
        led = s.current[0] // VALUES
        best = s.current[winning_place(s.current, s.laid, s.trump)]
        if trick_value(card, s.current[0], s.trump) < trick_value(best, s.current[0], s.trump):
            return 0.0
    if others == 0:
        return 1.0
    follows = held(bit_count(cards & SUIT << led * VALUES), part)
    trumps = bit_count(cards & SUIT << trump * VALUES)
    beaten = 0.0
    if suit == trump:
        above = held(bit_count(cards & higher(card)), part)
        beaten = 0.8 * above * (1.0 if led == trump else 1.0 - follows)
    else:
        beaten = 0.8 * held(bit_count(cards & higher(card)), part) + 0.7 * (1.0 - follows) * held(trumps, part)
    return max(0.0, 1.0 - beaten) ** others


@njit(cache=True)
def wins_later(card, trump, others, part, cards, size):
    """The odds that `card` wins a trick to come, with `size` cards in hand."""
    above = bit_count(cards & higher(card)) * part * others
    if card // VALUES == trump // VALUES:
        return 1.0 / (1.0 + 0.55 * above)
    suit = bit_count(cards & SUIT << card // VALUES * VALUES) * part
    trumps = bit_count(cards & SUIT << trump // VALUES * VALUES) * part * others
    return np.exp(-0.9 * above - 0.3 * trumps / (0.4 + suit)) if size > 0 else 0.0


@njit(cache=True)
def hand_worth(s, c, player, part, cards):
    """Tricks to expect from the hand."""
    total, hand = 0.0, s.hands[player]
    size = bit_count(hand)
    while hand != 0:
        total += wins_later(lowest_bit(hand), s.trump, c.players - 1, part, cards, size)
        hand &= hand - 1
    return total


@njit(cache=True)
def _share(s, player, cards):
    """The part of the unseen cards that each other player holds."""
    return bit_count(s.hands[player]) / max(1, bit_count(cards))


@njit(cache=True)
def _bid_action(s, c, player, actions, n, rng, noise):
    cards = unseen(s, player)
    expected = hand_worth(s, c, player, _share(s, player, cards), cards)
    rapids = on_rapids(s, c, player)
    width = 0.6 + 0.08 * hand_size(s.round)
    best, chosen = -1.0, actions[0]
    for i in range(n):
        bid = actions[i]
        off = (bid - expected) / width
        worth = (c.bonus[bid] + (1.0 if rapids else 0.5)) * np.exp(-0.5 * off * off) * (1.0 + noise * random_unit(rng))
        if worth > best:
            best, chosen = worth, bid
    return chosen


@njit(cache=True)
def _play_action(s, c, player, actions, n, rng, noise):
    cards = unseen(s, player)
    part = _share(s, player, cards)
    size = bit_count(s.hands[player])
    total = hand_worth(s, c, player, part, cards)
    others = c.players - 1 - s.laid
    need = s.bid[player] - s.tricks[player]
    possible = 0 <= need <= size
    best, chosen = 99.0, actions[0]
    for i in range(n):
        card = actions[i] - CARD
        now = wins_now(s, card, others, part, cards)
        then = total - wins_later(card, s.trump, c.players - 1, part, cards, size)
        cost = abs(now + then - need) + 0.3 * now * (1.0 - now) if possible else -(now + then)
        cost += noise * random_unit(rng)
        if cost < best:
            best, chosen = cost, actions[i]
    return chosen


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
        return _play_action(s, c, player, actions, n, rng, 0.3 * noise)
    if s.phase == BID:
        return _bid_action(s, c, player, actions, n, rng, noise)
    if s.phase == MOVE:
        return _move_action(s, c, player, actions, n, rng, noise)
    return actions[np.int64(random_unit(rng) * n)]


@njit(cache=True)
def playout_action(s, c, player, actions, n, rng):
    return _best_action(s, c, player, actions, n, rng, 0.6)


@njit(cache=True)
def scripted_action(s, c, player, actions, n, rng):
    return _best_action(s, c, player, actions, n, rng, 0.01)


@njit(cache=True)
def quiet(s, c):
    return s.phase == DEAL and s.dealt == 0


@njit(cache=True)
def evaluate(s, c, out):
    least = 1e9
    for seat in range(c.players):
        cost = c.cost[c.dock[0]]
        if s.at[seat] != NONE:
            cost = c.cost[s.at[seat]]
        if landed(s, c, seat):
            cost = -8.0 - s.unused[seat]
        out[seat] = cost
        least = min(least, cost)
    total = 0.0
    for seat in range(c.players):
        out[seat] = np.exp((least - out[seat]) / SPREAD)
        total += out[seat]
    for seat in range(c.players):
        out[seat] /= total
