"""The rules of The Yellow House as compiled functions; section numbers are those of docs/games/yellowhouse.md.

A round is dealt card by card, so that chance nodes list their outcomes; cards of one element are alike, so that hands
are counts. One action is a whole turn: a pass, a claim, or a strengthening with its claim. In the exchange an action
is the whole gift.

Elements are numbered in the order R, V, G, Y; a game with fewer takes the first of them.
"""

from math import comb

import numpy as np
from numba import njit

from voyageur.games.rules import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    hash_words,
    mix,
    random_below,
    random_unit,
)

SEATS = 2
ELEMENTS = 4
NONE = -1  # no element, no seat

MAX_COPIES, MAX_HAND = 20, 40
MAX_EXCHANGE, MAX_GIFTS = 5, 56
MAX_PER_TURN = 7
MAX_LEVEL = 1000  # greatest row in a position; without a cap a token may still pass it
UNCAPPED = 10_000

# Phases. SETUP is the chance node that makes the first leader.
SETUP, DEAL, EXCHANGE, PLAY, OVER = range(5)

# Actions; s supports with element e are STRENGTHEN + ELEMENTS * s + e. The gifts follow at `first_gift`.
PASS, CLAIM, STRENGTHEN = 0, 1, 5
ALL_GIVEN = 2  # in `chosen`: both gifts are there and not turned up yet

BINOMIAL = np.array([[comb(n, k) for k in range(MAX_COPIES + 1)] for n in range(MAX_COPIES + 1)], np.float64)

STATE = np.dtype(
    [
        # Words 0 and 1: what is hidden, the hands always and the gifts until both are chosen.
        ("hands", "i1", (SEATS, ELEMENTS)),
        ("gave", "i1", (SEATS, ELEMENTS)),  # in this round's exchange
        # Word 2 onwards: what everybody sees.
        ("out", "i1", (SEATS, ELEMENTS)),  # claimed or discarded in this round
        ("palette", "i1", (SEATS, ELEMENTS)),
        ("rows", "i2", (ELEMENTS,)),
        ("trick", "i1", (ELEMENTS,)),  # elements in the order in which they were claimed, then NONE
        ("used", "i1", (SEATS,)),  # support cards
        ("leader", "i1"),  # of the trick, in DEAL and EXCHANGE of the first one; NONE before it is drawn
        ("must_lead", "i1"),
        ("phase", "i1"),
        ("claims", "i1"),  # cards in the trick
        ("chosen", "i1"),  # gifts that lie face down (EXCHANGE, seat by seat)
        ("winner", "i1"),
        ("round", "i1"),
        ("blank", "u1", (3,)),
    ]
)

WORDS = STATE.itemsize // 8

# Eight bytes each: an int8 here would make numba compile every function that takes a count twice.
CONSTANTS = np.dtype(
    [
        ("elements", "i8"),
        ("copies", "i8"),
        ("hand", "i8"),
        ("exchange", "i8"),
        ("exchange_every_round", "i8"),
        ("start_level", "i8"),
        ("max_level", "i8"),  # UNCAPPED: none
        ("supports", "i8"),
        ("supports_per_player", "i8"),
        ("supports_per_turn", "i8"),
        ("support_may_pay_all", "i8"),
        ("leader_may_pass", "i8"),
        ("kept_cards_leave_deck", "i8"),
        ("first_leader", "i8"),  # NONE: drawn
        ("win_same", "i8"),
        ("win_total", "i8"),
        ("auto_end_full_trick", "i8"),
        ("one_round", "i8"),  # scope round
        ("sequential", "i8"),
        ("first_gift", "i8"),  # action of the first gift
        ("gifts", "i8"),  # how many there are
        ("gift", "i1", (MAX_GIFTS, ELEMENTS)),
    ]
)


def setup(s, c):
    """Section 2: fills the state of a match that has not begun. `s` and `c` are arrays of one record."""
    s[:] = np.zeros(1, STATE)
    s["trick"], s["winner"], s["rows"] = NONE, NONE, c["start_level"]
    s["round"], s["leader"] = 1, c["first_leader"]
    s["phase"] = SETUP if s["leader"][0] == NONE else DEAL


# Who acts.


@njit(cache=True)
def acting_seat(s):
    """The seat whose turn it is in PLAY."""
    return np.int64(s.leader + s.claims) % SEATS


@njit(cache=True)
def current_player(s, c):
    if s.phase == PLAY:
        return acting_seat(s)
    if s.phase == EXCHANGE and s.chosen < ALL_GIVEN:
        return np.int64(s.chosen) if c.sequential == 1 else SIMULTANEOUS
    return TERMINAL if s.phase == OVER else CHANCE


@njit(cache=True)
def hand_size(s, seat):
    size = 0
    for e in range(ELEMENTS):
        size += s.hands[seat, e]
    return size


@njit(cache=True)
def at_decision(s, c):
    if s.phase == EXCHANGE:
        return s.chosen == 0
    return s.phase != SETUP and (s.phase != DEAL or hand_size(s, 0) == 0)


@njit(cache=True)
def mixed(s, c):
    return s.phase == EXCHANGE


# Legal actions (sections 2 and 3).


@njit(cache=True)
def can_give(s, c, seat, gift):
    for e in range(ELEMENTS):
        if c.gift[gift, e] > s.hands[seat, e]:
            return False
    return True


@njit(cache=True)
def is_claimed(s, e):
    for i in range(s.claims):
        if s.trick[i] == e:
            return True
    return False


@njit(cache=True)
def level(s):
    """The row of the previous card's element."""
    return np.int64(s.rows[s.trick[s.claims - 1]])


@njit(cache=True)
def most_supports(s, c, seat):
    """How many support cards the seat may use this turn."""
    left = min(c.supports - s.used[0] - s.used[1], c.supports_per_player - s.used[seat])
    return min(c.supports_per_turn, left)


@njit(cache=True)
def _follow_actions(s, c, seat, out, n):
    """Appends the claims and strengthenings of a follower (3b)."""
    row = level(s)
    for e in range(ELEMENTS):
        if s.hands[seat, e] > 0 and s.rows[e] > row and not is_claimed(s, e):
            out[n] = CLAIM + e
            n += 1
    if row >= c.max_level:
        return n
    for supports in range(most_supports(s, c, seat) + 1):
        for e in range(ELEMENTS):
            steps = row + 1 - s.rows[e]
            if s.hands[seat, e] == 0 or steps < 1 or is_claimed(s, e):
                continue
            if supports > 0 and supports > (steps if c.support_may_pay_all == 1 else steps - 1):
                continue
            if s.hands[seat, e] >= steps - supports + 1:
                out[n] = STRENGTHEN + ELEMENTS * supports + e
                n += 1
    return n


@njit(cache=True)
def legal_actions(s, c, player, out):
    n = 0
    if s.phase == EXCHANGE:
        for gift in range(c.gifts):
            if can_give(s, c, player, gift):
                out[n] = c.first_gift + gift
                n += 1
        return n
    if s.claims > 0 or (c.leader_may_pass == 1 and s.must_lead == 0):
        out[n] = PASS
        n += 1
    if s.claims > 0:
        return _follow_actions(s, c, player, out, n)
    for e in range(ELEMENTS):
        if s.hands[player, e] > 0:
            out[n] = CLAIM + e
            n += 1
    return n


@njit(cache=True)
def element_of(action):
    """The element of a claim or a strengthening."""
    return (action - CLAIM) % ELEMENTS


@njit(cache=True)
def cards_shed(s, action):
    """How many cards of its hand a claim or a strengthening costs the player."""
    if action < STRENGTHEN:
        return 1
    return level(s) + 2 - s.rows[element_of(action)] - (action - STRENGTHEN) // ELEMENTS


# What actions do.


@njit(cache=True)
def shuffled(s, c, e):
    """How many cards of an element are shuffled for the round: those under the palettes may be out (section 8)."""
    if e >= c.elements:
        return 0
    if c.kept_cards_leave_deck == 0:
        return c.copies
    just_kept = s.phase == OVER and s.trick[s.claims - 1] == e
    return c.copies - s.palette[0, e] - s.palette[1, e] + just_kept


@njit(cache=True)
def _dealt_to(s, c):
    """The seat that gets the next card: seat 0 gets all of its own first."""
    return 0 if hand_size(s, 0) < c.hand else 1


@njit(cache=True)
def _undealt(s, c, e):
    return shuffled(s, c, e) - s.hands[0, e] - s.hands[1, e]


@njit(cache=True)
def _deal(s, c, e):
    s.hands[_dealt_to(s, c), e] += 1
    if hand_size(s, 1) == c.hand:
        exchange = c.exchange > 0 and (c.exchange_every_round == 1 or s.round == 1)
        s.phase = EXCHANGE if exchange else PLAY


@njit(cache=True)
def _give(s, c, seat, gift):
    for e in range(ELEMENTS):
        s.gave[seat, e] = c.gift[gift, e]


@njit(cache=True)
def _exchange(s):
    """Turns up both gifts: the cards change hands and lift their tokens."""
    for e in range(ELEMENTS):
        more = s.gave[1, e] - s.gave[0, e]
        s.hands[0, e] += more
        s.hands[1, e] -= more
        s.rows[e] += s.gave[0, e] + s.gave[1, e]
    s.chosen = 0
    s.phase = PLAY


@njit(cache=True)
def _claim(s, c, seat, action):
    """Sections 3 and 4: the cards leave the hand, the token moves, the claim lies in the trick."""
    e, shed = element_of(action), cards_shed(s, action)
    if action >= STRENGTHEN:
        s.used[seat] += (action - STRENGTHEN) // ELEMENTS
        s.rows[e] = level(s) + 1
    s.hands[seat, e] -= shed
    s.out[seat, e] += shed
    s.trick[s.claims] = e
    s.claims += 1
    s.must_lead = 0


@njit(cache=True)
def _end_trick(s):
    """Section 5: the last claimer leads."""
    s.leader = (s.leader + s.claims - 1) % SEATS
    s.trick[:] = NONE
    s.claims = 0


@njit(cache=True)
def wins_with(s, c, seat, e):
    """Whether one more card of `e` under its palette wins the game for the seat (section 7)."""
    total = 1
    for other in range(ELEMENTS):
        total += s.palette[seat, other]
    return c.one_round == 1 or total >= c.win_total or s.palette[seat, e] + 1 >= c.win_same


@njit(cache=True)
def _end_round(s, c, seat, e):
    """Section 6: the winner keeps the claim card; the game is over, or all is ready for the next deal."""
    won = wins_with(s, c, seat, e)
    s.palette[seat, e] += 1
    if won:
        s.winner = seat
        s.phase = OVER
        return
    s.hands[:] = 0
    s.gave[:] = 0
    s.out[:] = 0
    s.used[:] = 0
    s.trick[:] = NONE
    s.rows[:] = c.start_level
    s.claims = 0
    s.leader = seat
    s.round += 1
    s.phase = DEAL


@njit(cache=True)
def _play(s, c, seat, action):
    if action == PASS:
        if s.claims > 0:
            _end_trick(s)
        else:
            s.leader = 1 - seat
            s.must_lead = 1
        return
    _claim(s, c, seat, action)
    if hand_size(s, seat) == 0:
        _end_round(s, c, seat, element_of(action))
    elif s.claims == c.elements and c.auto_end_full_trick == 1:
        _end_trick(s)


@njit(cache=True)
def apply_action(s, c, action):
    if s.phase == PLAY:
        _play(s, c, acting_seat(s), action)
    elif s.phase == DEAL:
        _deal(s, c, action)
    elif s.phase == SETUP:
        s.leader = action
        s.phase = DEAL
    else:
        if s.chosen < ALL_GIVEN:
            _give(s, c, s.chosen, action - c.first_gift)
            s.chosen += 1
        if s.chosen == ALL_GIVEN:
            _exchange(s)


@njit(cache=True)
def apply_joint(s, c, actions):
    for seat in range(SEATS):
        _give(s, c, seat, actions[seat] - c.first_gift)
    _exchange(s)


@njit(cache=True)
def chance_outcomes(s, c, outcomes, probs):
    n = 0
    if s.phase == DEAL:
        total = 0
        for e in range(c.elements):
            left = _undealt(s, c, e)
            if left > 0:
                outcomes[n] = e
                probs[n] = left
                total += left
                n += 1
        for i in range(n):
            probs[i] /= total
        return n
    sides = SEATS if s.phase == SETUP else 1  # of a lot; gifts are turned up in one way only
    for side in range(sides):
        outcomes[side] = side
        probs[side] = 1.0 / sides
    return sides


@njit(cache=True)
def _draw_card(s, c, rng):
    """An element of the undealt cards, each card as likely."""
    total = 0
    for e in range(c.elements):
        total += _undealt(s, c, e)
    card, e = random_below(rng, total), 0
    while card >= _undealt(s, c, e):
        card -= _undealt(s, c, e)
        e += 1
    return e


@njit(cache=True)
def sample_chance(s, c, rng):
    if s.phase == DEAL:
        return _draw_card(s, c, rng)
    return random_below(rng, SEATS) if s.phase == SETUP else 0


@njit(cache=True)
def returns(s, c, out):
    out[s.winner] = 1.0
    out[1 - s.winner] = -1.0


# What a player knows (section 9).


@njit(cache=True)
def gift_hidden(s, seat, player):
    """Whether the gift that `seat` has chosen is unknown to `player` (NONE: to somebody who only watches)."""
    return s.phase == EXCHANGE and seat != player


@njit(cache=True)
def _packed(counts, seat):
    return counts[seat, 0] | counts[seat, 1] << 8 | counts[seat, 2] << 16 | counts[seat, 3] << 24


@njit(cache=True)
def _seen_key(s, c, player):
    key = hash_words(s, 2, WORDS)
    for seat in range(SEATS):
        key = mix(key, 0 if gift_hidden(s, seat, player) else _packed(s.gave, seat))
    return key


@njit(cache=True)
def information_key(s, c, player):
    hand = _packed(s.hands, player) if s.phase != DEAL else 0  # a hand is taken up when all is dealt
    return mix(_seen_key(s, c, player), hand << 1 | player)


@njit(cache=True)
def public_key(s, c):
    return _seen_key(s, c, NONE)


@njit(cache=True)
def dealt(s, seat, e):
    """How many cards of an element the seat was dealt in this round."""
    counts = np.int64(s.hands[seat, e]) + s.out[seat, e]
    if s.phase >= PLAY:
        counts += s.gave[seat, e] - s.gave[1 - seat, e]
    return counts


@njit(cache=True)
def belief(s, c, player, e):
    """What `player` knows of an element in the other hand: (least, most, base, unseen).

    That hand has between `least` and `most` cards of it. With H of them, H + base of the `unseen` cards were dealt to
    it, in binomial(unseen, H + base) ways.
    """
    other = 1 - player
    unseen = shuffled(s, c, e) - dealt(s, player, e)
    base, given = np.int64(s.out[other, e]), np.int64(0)
    if s.phase >= PLAY:
        given = np.int64(s.gave[other, e])
        base += given - s.gave[player, e]
    return max(np.int64(0), given - base), unseen - base, base, unseen


@njit(cache=True)
def _weigh_hands(s, c, player, size, draw):
    """Adds up the ways in which the other hand of `size` may have been dealt, hand by hand, until they exceed `draw`.

    Returns (sum, the hand's counts of the first three elements) of the hand at which it stopped, or of the last one.
    """
    low0, high0, base0, unseen0 = belief(s, c, player, 0)
    low1, high1, base1, unseen1 = belief(s, c, player, 1)
    low2, high2, base2, unseen2 = belief(s, c, player, 2)
    low3, high3, base3, unseen3 = belief(s, c, player, 3)
    total, found = 0.0, (low0, low1, low2)
    for h0 in range(low0, min(high0, size) + 1):
        for h1 in range(low1, min(high1, size - h0) + 1):
            rest = size - h0 - h1
            ways = BINOMIAL[unseen0, h0 + base0] * BINOMIAL[unseen1, h1 + base1]
            for h2 in range(max(low2, rest - high3), min(high2, rest - low3) + 1):
                total += ways * BINOMIAL[unseen2, h2 + base2] * BINOMIAL[unseen3, rest - h2 + base3]
                found = (h0, h1, h2)
                if total > draw:
                    return total, found
    return total, found


@njit(cache=True)
def _hand_at(s, c, player, draw):
    """Makes the other hand the one at which `_weigh_hands` stops; returns its sum."""
    other, size = 1 - player, np.int64(c.hand)
    for e in range(ELEMENTS):
        size -= s.out[other, e]
    total, found = _weigh_hands(s, c, player, size, draw)
    s.hands[other, 0], s.hands[other, 1], s.hands[other, 2] = found
    s.hands[other, 3] = size - found[0] - found[1] - found[2]
    return total


@njit(cache=True)
def _redraw_hand(s, c, player, rng):
    """The other hand: a uniform deal of single cards, given what has been seen of it since."""
    total = _hand_at(s, c, player, np.inf)
    _hand_at(s, c, player, total * random_unit(rng))


@njit(cache=True)
def world_at(s, c, player, ways):
    dealt = s.phase == PLAY or (s.phase == EXCHANGE and s.chosen == 0)
    return _hand_at(s, c, player, ways) if dealt else 0.0


@njit(cache=True)
def _redraw_gift(s, c, seat, rng):
    """A gift that the seat may have chosen, all alike."""
    n = 0
    for gift in range(c.gifts):
        n += can_give(s, c, seat, gift)
    chosen = random_below(rng, n)
    for gift in range(c.gifts):
        if can_give(s, c, seat, gift):
            if chosen == 0:
                _give(s, c, seat, gift)
            chosen -= 1


@njit(cache=True)
def determinize(s, c, player, rng, table):
    if s.phase == SETUP:
        return
    if s.phase == DEAL:  # nobody has seen a card yet
        n = hand_size(s, 0) + hand_size(s, 1)
        s.hands[:] = 0
        for _ in range(n):
            _deal(s, c, _draw_card(s, c, rng))
        return
    _redraw_hand(s, c, player, rng)
    if s.chosen > 1 - player:
        _redraw_gift(s, c, 1 - player, rng)


@njit(cache=True)
def _next_dealt(s, target, seat):
    """The card that the seat gets next on the way to what it was dealt in `target`, in the order of the elements."""
    e = 0
    while s.hands[seat, e] == dealt(target, seat, e):
        e += 1
    return e


@njit(cache=True)
def consistent_action(s, c, target, player, action):
    if s.phase == DEAL:
        return _next_dealt(s, target, _dealt_to(s, c))
    if s.phase == EXCHANGE and player != CHANCE:
        for gift in range(c.gifts):
            same = True
            for e in range(ELEMENTS):
                same = same and c.gift[gift, e] == target.gave[player, e]
            if same:
                return c.first_gift + gift
    return action


@njit(cache=True)
def conform(s, c, target, player):
    other = 1 - player
    if s.phase == DEAL:
        for seat in range(SEATS):
            n = hand_size(s, seat)
            s.hands[seat, :] = 0
            for _ in range(n):
                s.hands[seat, _next_dealt(s, target, seat)] += 1
    elif s.phase != SETUP:
        for e in range(ELEMENTS):
            s.hands[other, e] += dealt(target, other, e) - dealt(s, other, e)
            if s.chosen > other:
                s.gave[other, e] = target.gave[other, e]


@njit(cache=True)
def conceal(s, c, before, player):
    # The first gift is turned up only when the second one is there.
    if before.phase == EXCHANGE and s.phase == PLAY:
        for e in range(ELEMENTS):
            s.hands[0, e], s.hands[1, e] = before.hands[0, e], before.hands[1, e]
            s.rows[e] = before.rows[e]
        s.phase = EXCHANGE
        s.chosen = ALL_GIVEN


@njit(cache=True)
def end_part(s, c, action):
    if s.phase != PLAY or action == PASS:
        return False
    seat, e = acting_seat(s), element_of(action)
    if cards_shed(s, action) < hand_size(s, seat) or wins_with(s, c, seat, e):
        return False
    _claim(s, c, seat, action)
    return True
