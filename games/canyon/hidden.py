"""What a player of canyon cannot see, and how it is redrawn: exactly uniformly over all deals that fit (section 10).

A deal fits when every hand has its size, no card is dealt that was seen, and nobody holds a suit that he has shown to
be out of. Dealing seat by seat, or mending a random deal, would prefer some of these deals. So they are counted:
seats with the same voids are one *group*, those without voids share the *pool* with the undealt cards; suit by suit
and group by group, a table holds in how many ways what is left can still be dealt. A deal is then drawn by walking
down that table, and each group's cards are split among its seats at random.
"""

import numpy as np
from numba import njit

from voyageur.games.canyon.rules import (
    BID,
    DEAL,
    MAX_PLAYERS,
    MOST_TRICKS,
    NONE,
    PACK,
    PLAY,
    PUBLIC_WORDS,
    SUIT,
    SUITS,
    VALUES,
    dealt_to,
    hand_size,
    starter,
    winning_place,
)
from voyageur.games.rules import bit_count, hash_words, local_record, lowest_bit, mix, random_below, random_unit

# The number of deals; then for each state of the groups in how many ways the suits without voids finish the deal; then
# for each suit with voids, group, state and cards of the suit left, in how many ways they do together.
TOTAL, TABLE = 0, 1
LEFT = VALUES + 1
# The most is needed with six players in the third trick, when all five others have shown different voids in three
# suits, and two of them hold five cards and three six (counted over all numbers of players, tricks, cards and groups).
TABLE_SIZE = TABLE + 6 * 6 * 7 * 7 * 7 * (1 + 3 * 5 * LEFT)

CHOOSE = np.array([[1.0] + [0.0] * VALUES] + [[0.0] * LEFT for _ in range(VALUES)])
for _n in range(1, VALUES + 1):
    for _k in range(VALUES + 1):
        CHOOSE[_n, _k] = CHOOSE[_n - 1, _k] + (CHOOSE[_n - 1, _k - 1] if _k else 0.0)

_GROUPS = np.dtype(
    [
        ("number", "i8"),
        ("voids", "i8", (MAX_PLAYERS,)),  # bit set of suits, of each group
        ("size", "i8", (MAX_PLAYERS,)),  # cards that its seats hold together
        ("stride", "i8", (MAX_PLAYERS,)),  # a state says how many each still has to get, as one number
        ("states", "i8"),
        ("of", "i8", (MAX_PLAYERS,)),  # the group of each seat; NONE: the pool
        ("suits", "i8"),  # how many suits have voids
        ("suit", "i8", (SUITS,)),
        ("pool", "i8", (MAX_PLAYERS,)),  # cards drawn for each group
    ]
)
_new_groups = local_record(_GROUPS)


# Keys.


@njit(cache=True)
def bid_hidden(s, c, seat, player):
    """Whether the bid that `seat` has made is unknown to `player` (-1: to somebody who only watches)."""
    return seat != player and s.bid[seat] != NONE and (s.phase == BID or s.covered == 1) and c.simultaneous == 1


@njit(cache=True)
def hand_seen(s):
    """Whether players look at their hands: from the end of the deal to the last card."""
    return s.phase == BID or s.phase == PLAY


@njit(cache=True)
def _seen_key(s, c, player):
    key = hash_words(s, PUBLIC_WORDS[0], PUBLIC_WORDS[1])
    for seat in range(c.players):
        bid = np.int64(s.bid[seat])
        key = mix(key, MOST_TRICKS + 1 if bid_hidden(s, c, seat, player) else bid + 100)
    return key


@njit(cache=True)
def information_key(s, c, player):
    key = mix(_seen_key(s, c, player), player)
    return mix(key, s.hands[player]) if hand_seen(s) else key


@njit(cache=True)
def public_key(s, c):
    return _seen_key(s, c, -1)


@njit(cache=True)
def conceal(s, c, before, player):
    s.covered = before.phase == BID and s.phase == PLAY and c.simultaneous


# Counting.


@njit(cache=True)
def unseen(s, player):
    """The cards of which `player` does not know where they are, a bit set."""
    return PACK & ~(s.played | s.hands[player] | (1 << s.trump))


@njit(cache=True)
def dealt_hand(s, c, seat):
    """The cards that `seat` was dealt: those in hand and those it has played, a bit set."""
    hand, leader = np.int64(s.hands[seat]), starter(s, c)
    for i in range(s.done):
        hand |= 1 << np.int64(s.past[i, (seat - leader) % c.players])
        leader = (leader + winning_place(s.past[i], c.players, s.trump)) % c.players
    if s.phase == PLAY and (seat - s.leader) % c.players < s.laid:
        hand |= 1 << np.int64(s.current[(seat - s.leader) % c.players])
    return hand


@njit(cache=True)
def hand_left(s, c, seat):
    """How many cards the seat holds, from what everybody sees."""
    has_played = s.phase == PLAY and (seat - s.leader) % c.players < s.laid
    return hand_size(s.round) - s.done - has_played


@njit(cache=True)
def _group(s, c, player, cards, groups):
    """Fills `groups` for the hands that `player` does not see, made of `cards`."""
    present = 0
    for suit in range(SUITS):
        if cards >> suit * VALUES & SUIT:
            present |= 1 << suit
    every = 0
    for seat in range(c.players):
        groups.of[seat] = NONE
        voids, size = s.void[seat] & present, hand_left(s, c, seat)
        if seat == player or voids == 0 or size == 0:
            continue
        g = 0
        while g < groups.number and groups.voids[g] != voids:
            g += 1
        if g == groups.number:
            groups.number += 1
            groups.voids[g] = voids
        groups.size[g] += size
        groups.of[seat] = g
        every |= voids
    for suit in range(SUITS):
        if every >> suit & 1:
            groups.suit[groups.suits] = suit
            groups.suits += 1
    groups.states = 1
    for g in range(groups.number):
        groups.stride[g] = groups.states
        groups.states *= groups.size[g] + 1


@njit(cache=True)
def _wanted(groups, g, state):
    """How many cards group `g` still has to get."""
    return state // groups.stride[g] % (groups.size[g] + 1)


@njit(cache=True)
def _ways(groups, cards, table, place, g, state, left):
    """In how many ways the deal can go on when `left` cards of the suit at `place` are offered to group `g`."""
    if g == groups.number:
        place, g = place + 1, 0
        if place == groups.suits:
            return table[TABLE + state]
        left = _in_suit(cards, groups.suit[place])
    return table[TABLE + groups.states * (1 + (place * groups.number + g) * LEFT + left) + state]


@njit(cache=True)
def _in_suit(cards, suit):
    return bit_count(cards >> suit * VALUES & SUIT)


@njit(cache=True)
def _count_last(groups, cards, table):
    """The ways to give the cards of the suits without voids to the groups; what is left belongs to the pool."""
    free = bit_count(cards)
    for place in range(groups.suits):
        free -= _in_suit(cards, groups.suit[place])
    for state in range(groups.states):
        left, ways = free, 1.0
        for g in range(groups.number):
            for i in range(_wanted(groups, g, state)):
                ways *= max(left, 0) / (i + 1.0)
                left -= 1
        table[TABLE + state] = ways


@njit(cache=True)
def prepare(s, c, player, table):
    table[TOTAL] = 1.0
    if not hand_seen(s):
        return
    cards, groups = unseen(s, player), _new_groups()
    _group(s, c, player, cards, groups)
    _count_last(groups, cards, table)
    for place in range(groups.suits - 1, -1, -1):
        suit = groups.suit[place]
        for g in range(groups.number - 1, -1, -1):
            out_of_it = groups.voids[g] >> suit & 1
            for left in range(_in_suit(cards, suit) + 1):
                for state in range(groups.states):
                    ways = 0.0
                    most = 0 if out_of_it else min(left, _wanted(groups, g, state))
                    for n in range(most + 1):
                        after = _ways(groups, cards, table, place, g + 1, state - n * groups.stride[g], left - n)
                        ways += CHOOSE[left, n] * after
                    table[TABLE + groups.states * (1 + (place * groups.number + g) * LEFT + left) + state] = ways
    if groups.number > 0:
        table[TOTAL] = _ways(groups, cards, table, -1, groups.number, groups.states - 1, 0)


# Drawing.


@njit(cache=True)
def take(cards, number, rng):
    """`number` of the cards, all choices equally likely (selection sampling, Fan, Muller and Rezucha 1962)."""
    left, taken = bit_count(cards), 0
    while number > 0:
        card = cards & -cards
        if number == left or random_below(rng, left) < number:
            taken |= card
            number -= 1
        cards ^= card
        left -= 1
    return taken


@njit(cache=True)
def _draw_suit(groups, cards, table, place, state, rng):
    """Gives the cards of the suit at `place` to groups and pool; returns the state after it."""
    suit = cards & SUIT << groups.suit[place] * VALUES
    left = bit_count(suit)
    for g in range(groups.number):
        if groups.voids[g] >> groups.suit[place] & 1:
            continue
        draw = random_unit(rng) * _ways(groups, cards, table, place, g, state, left)
        most, n = min(left, _wanted(groups, g, state)), 0
        while n < most:
            after = _ways(groups, cards, table, place, g + 1, state - n * groups.stride[g], left - n)
            draw -= CHOOSE[left, n] * after
            if draw < 0:
                break
            n += 1
        drawn = take(suit, n, rng)
        groups.pool[g] |= drawn
        suit &= ~drawn
        left -= n
        state -= n * groups.stride[g]
    return state


@njit(cache=True)
def _redraw_hands(s, c, player, rng, table):
    cards, groups = unseen(s, player), _new_groups()
    _group(s, c, player, cards, groups)
    state, rest = groups.states - 1, cards
    for place in range(groups.suits):
        state = _draw_suit(groups, cards, table, place, state, rng)
        rest &= ~(SUIT << groups.suit[place] * VALUES)
    for g in range(groups.number):
        drawn = take(rest, _wanted(groups, g, state), rng)
        groups.pool[g] |= drawn
        rest &= ~drawn
    rest = cards
    for g in range(groups.number):
        rest &= ~groups.pool[g]
    for seat in range(c.players):
        g = groups.of[seat]
        if seat != player:
            hand = take(rest if g == NONE else groups.pool[g], hand_left(s, c, seat), rng)
            s.hands[seat] = hand
            if g == NONE:
                rest &= ~hand
            else:
                groups.pool[g] &= ~hand


@njit(cache=True)
def determinize(s, c, player, rng, table):
    if s.phase == DEAL:  # nobody looks before the deal is over
        rest = PACK
        for i in range(min(np.int64(s.dealt), c.players)):
            seat = (starter(s, c) + i) % c.players
            s.hands[seat] = take(rest, (s.dealt - i + c.players - 1) // c.players, rng)
            rest &= ~s.hands[seat]
        return
    for seat in range(c.players):
        if bid_hidden(s, c, seat, player):
            s.bid[seat] = random_below(rng, hand_size(s.round) + 1)
    if hand_seen(s):
        _redraw_hands(s, c, player, rng, table)


# Histories.


@njit(cache=True)
def cards_played(s, c, seat):
    """The cards of the seat that lie in the tricks of this round, a bit set."""
    cards, leader = 0, starter(s, c)
    for trick in range(s.done):
        row = s.past[trick]
        cards |= 1 << row[(seat - leader) % c.players]
        leader = (leader + winning_place(row, c.players, s.trump)) % c.players
    place = (seat - leader) % c.players
    if place < s.laid:
        cards |= 1 << s.current[place]
    return cards


@njit(cache=True)
def _same_deal(s, target):
    """Whether the deal in `s` is the one of which some cards may still be hidden in `target`."""
    return s.round == target.round and (hand_seen(target) or target.phase == DEAL) and (hand_seen(s) or s.phase == DEAL)


@njit(cache=True)
def conform(s, c, target, player):
    if not _same_deal(s, target):
        return
    for seat in range(c.players):
        dealt = target.hands[seat] | cards_played(target, c, seat)
        if s.phase == DEAL:
            number, s.hands[seat] = bit_count(s.hands[seat]), 0
            for _ in range(number):
                s.hands[seat] |= 1 << lowest_bit(dealt & ~s.hands[seat])
        else:
            s.hands[seat] = dealt & ~cards_played(s, c, seat)
        if s.phase == BID and s.bid[seat] != NONE and bid_hidden(target, c, seat, player):
            s.bid[seat] = target.bid[seat]


@njit(cache=True)
def consistent_action(s, c, target, player, action):
    if s.phase == DEAL and _same_deal(s, target):
        seat = dealt_to(s, c)
        if seat == NONE:
            return action
        # Nobody has seen in which order the cards came.
        return lowest_bit((target.hands[seat] | cards_played(target, c, seat)) & ~s.hands[seat])
    if s.phase == BID and c.simultaneous == 1 and s.round == target.round and target.phase == BID:
        return np.int64(target.bid[player]) if target.bid[player] != NONE else action
    return action
