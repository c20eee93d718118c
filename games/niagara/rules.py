"""Niagara's rules (Zoch 2004) as compiled functions; section numbers are those of docs/games/niagara.md.

A turn is a chain of small choices: a canoe, what it handles where it starts, where it goes, whom it robs there, what
it handles there; then the other canoe. A choice is left out where nothing could be chosen (no site, no victim, no
points left), never because one option is left.

Spaces are numbered along the river, gems by value, canoes as 2 * seat + (0 for a, 1 for b), cards 1-6 as 0-5.
"""

import numpy as np
from numba import njit

from voyageur.games.rules import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    hash_words,
    mix,
    random_below,
)

MAX_PLAYERS = 5
COLOURS = 5
SHORE, S1, S5, L6, L7, R6, R7, FALLEN = 0, 1, 5, 6, 7, 8, 9, 10
NO_GEM = -1
CLOUD = 6
ALL_CARDS = 127
NOT_PLAYED = -1
LEFT, RIGHT, RANDOM_FORK = 0, 1, 2
GOAL_SAME, GOAL_COLOURS, GOAL_TOTAL = 4, 5, 7
COUNT_THEN_FIRST, FIRST, VALUE_SUM = 0, 1, 2

# Phases. SETUP is the chance node that makes the first player and the fork pointer.
SETUP, RECOVER, CHOOSE, ACT, RIVER, OVER = range(6)
# Steps of a turn in ACT; in RECOVER, step PICK is the first payment and START a possible second one.
PICK, START, GO, STEAL, END = range(5)

# Actions.
# 0 to 6 are the cards.
WEATHER_DOWN, WEATHER_UP = 7, 8
CANOE = 9
PASS = 11
NO_HANDLING, UNLOAD, LOAD, SWAP = 12, 13, 14, 19
MOVE = 24
NO_THEFT, THEFT = 34, 35
DECLINE, PAY = 45, 46
NUM_ACTIONS = PAY + 2 * COLOURS

DEPTH = np.array([0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 0], np.int64)
SITE = np.array([-1, -1, -1, 0, 1, 2, 3, 4, 3, 4, -1], np.int64)
VALUE = np.array([1, 2, 3, 4, 5], np.int64)
NOWHERE = 99
# STEPS[x, y]: discs from x to y, downstream positive; NOWHERE where one canoe cannot paddle from x to y.
STEPS = np.full((FALLEN, FALLEN), NOWHERE, np.int64)
for _x in range(FALLEN):
    for _y in range(FALLEN):
        if min(_x, _y) <= S5 or (_x >= R6) == (_y >= R6):
            STEPS[_x, _y] = DEPTH[_y] - DEPTH[_x]
# PUSHED[b, x]: where a push with the fork at b takes a canoe from x (5.5).
PUSHED = np.array(
    [
        [SHORE, 2, 3, 4, 5, L6, L7, FALLEN, R6, R7, FALLEN],
        [SHORE, 2, 3, 4, 5, R6, L6, L7, R7, FALLEN, FALLEN],
    ],
    np.int64,
)

STATE = np.dtype(
    [
        # Words 0 and 1: what may be hidden.
        ("hands", "u1", (MAX_PLAYERS,)),  # bit set of the cards in hand, without the one played
        ("played", "i1", (MAX_PLAYERS,)),  # this round's card, or NOT_PLAYED
        ("blank", "u1", (6,)),
        # Word 2 onwards: what everybody sees.
        ("round", "i4"),
        ("at", "i1", (2 * MAX_PLAYERS,)),  # space of each canoe
        ("gem", "i1", (2 * MAX_PLAYERS,)),  # colour aboard, or NO_GEM
        ("owned", "i1", (MAX_PLAYERS, COLOURS)),
        ("sites", "i1", (COLOURS, COLOURS)),  # [site, colour]
        ("first", "i1"),  # seat with the marker, -1 before it is drawn
        ("weather", "i1"),
        ("fork", "i1"),  # side of the next push; LEFT when every push is random
        ("phase", "i1"),
        ("turn", "i1"),  # seats that have acted (ACT) or answered (RECOVER), in turn order
        ("pushes", "i1"),  # river moves still to come (RIVER)
        # The turn under way; all zero between moves.
        ("step", "i1"),
        ("may", "i1"),  # bit set of own canoes that may move after the one that moves now
        ("must", "i1"),  # and of those that must
        ("canoe", "i1"),  # own canoe that is moving
        ("points", "i1"),  # its points left
        ("handled", "i1"),  # it was loaded or unloaded where it started
        ("upstream", "i1"),  # 1 it moved upstream empty, 2 it moved upstream loaded
        ("covered", "i1"),  # the acting seat's card is not turned up yet (only in views, see `conceal`)
    ]
)

WORDS = STATE.itemsize // 8

# Eight bytes each: an int8 here would make numba compile every function that takes a seat twice.
CONSTANTS = np.dtype(
    [
        ("players", "i8"),
        ("gems_per_colour", "i8"),
        ("initial_weather", "i8"),
        ("initial_fork", "i8"),
        ("random_pushes", "i8"),
        ("min_flow", "i8"),
        ("open_cards", "i8"),  # reveal SIMULTANEOUS
        ("immediate", "i8"),
        ("tiebreak", "i8"),
        ("max_recover_per_round", "i8"),
        ("unload_any_site", "i8"),
        ("steal_requires_empty_move", "i8"),
        ("handle_after_steal", "i8"),
        ("sequential", "i8"),
        ("first_player", "i8"),
        ("max_rounds", "i8"),  # 0: none
    ]
)


def setup(s, c):
    """Section 3: fills the state of a game that has not begun. `s` and `c` are arrays of one record."""
    players = int(c["players"][0])
    s[:] = np.zeros(1, STATE)
    s["played"], s["gem"] = NOT_PLAYED, NO_GEM
    s["hands"][0, :players] = ALL_CARDS
    for colour in range(COLOURS):
        s["sites"][0, colour, colour] = c["gems_per_colour"][0]
    s["round"], s["first"], s["weather"] = 1, c["first_player"], c["initial_weather"]
    s["fork"] = LEFT if c["random_pushes"][0] else c["initial_fork"]
    s["phase"] = SETUP if s["first"][0] < 0 or s["fork"][0] == RANDOM_FORK else CHOOSE


# Who acts.


@njit(cache=True)
def acting_seat(s, c):
    """The seat whose turn it is in RECOVER or ACT."""
    return (s.first + s.turn) % c.players


@njit(cache=True)
def current_player(s, c):
    if s.phase == ACT or s.phase == RECOVER:
        return acting_seat(s, c)
    if s.phase == CHOOSE:
        if not c.sequential:
            return SIMULTANEOUS
        seat = 0
        while s.played[seat] != NOT_PLAYED:
            seat += 1
        return seat
    if s.phase == OVER:
        return TERMINAL
    return CHANCE


@njit(cache=True)
def at_decision(s, c):
    if s.phase == CHOOSE:
        for seat in range(c.players):
            if s.played[seat] != NOT_PLAYED:
                return False
        return True
    if s.phase == RIVER:
        return s.pushes == river_flow(s, c)
    return s.phase != SETUP and s.step == PICK and s.may == 0


@njit(cache=True)
def mixed(s, c):
    return s.phase == CHOOSE


# What a canoe can do (5.3, 5.4). `k` is a canoe's number, `left` the points that it must still use up.


@njit(cache=True)
def obligations(s, seat):
    """Bit sets (may, must) of the seat's canoes at the start of its turn (5.2)."""
    may, must = 0, 0
    for i in range(2):
        space = s.at[2 * seat + i]
        if space != FALLEN:
            may |= 1 << i
            if space != SHORE:
                must |= 1 << i
    if may != 3:
        must = may
    return may, must


@njit(cache=True)
def has_gems(s, site):
    for colour in range(COLOURS):
        if s.sites[site, colour] > 0:
            return True
    return False


@njit(cache=True)
def can_unload(c, site, gem):
    return c.unload_any_site == 1 or gem == site


@njit(cache=True)
def can_swap(s, c, site, gem):
    if c.unload_any_site == 0:
        return False
    for colour in range(COLOURS):
        if colour != gem and s.sites[site, colour] > 0:
            return True
    return False


@njit(cache=True)
def can_handle(s, c, space, gem, left):
    """Whether a canoe with `gem` (or NO_GEM) can use up exactly `left` points by handling at `space`."""
    site = SITE[space]
    if site < 0:
        return False
    if left == 2:
        return has_gems(s, site) if gem == NO_GEM else can_unload(c, site, gem)
    return left == 4 and gem != NO_GEM and can_swap(s, c, site, gem)


@njit(cache=True)
def can_rob(s, c, k, victim, space, left):
    """Whether canoe `k`, come empty and upstream to `space`, can rob `victim` and then use up `left` points."""
    if victim // 2 == k // 2 or s.at[victim] != space or s.gem[victim] == NO_GEM:
        return False
    return left == 0 or (c.handle_after_steal == 1 and can_handle(s, c, space, s.gem[victim], left))


@njit(cache=True)
def can_rob_somebody(s, c, k, space, left):
    for victim in range(2 * c.players):
        if can_rob(s, c, k, victim, space, left):
            return True
    return False


@njit(cache=True)
def can_stop(s, c, k, space, steps, left):
    """Whether canoe `k`, which handles nothing where it starts, may end a move of `steps` on `space`."""
    if left == 0 or can_handle(s, c, space, s.gem[k], left):
        return True
    return steps < 0 and s.gem[k] == NO_GEM and can_rob_somebody(s, c, k, space, left)


# Legal actions, one function a step.


@njit(cache=True)
def _recover_actions(s, c, seat, out):
    n = 0
    a, b = s.at[2 * seat] == FALLEN, s.at[2 * seat + 1] == FALLEN
    if not (a and b):
        out[n] = DECLINE
        n += 1
    for i in range(2):
        if s.at[2 * seat + i] == FALLEN:
            for colour in range(COLOURS):
                if s.owned[seat, colour] > 0:
                    out[n] = PAY + i * COLOURS + colour
                    n += 1
    return n


@njit(cache=True)
def _pick_actions(s, c, seat, out):
    n = 0
    if s.played[seat] == CLOUD:
        if s.weather > -1:
            out[n] = WEATHER_DOWN
            n += 1
        if s.weather < 2:
            out[n] = WEATHER_UP
            n += 1
        return n
    may, must = s.may, s.must
    if may == 0:
        may, must = obligations(s, seat)
    for i in range(2):
        if may >> i & 1:
            out[n] = CANOE + i
            n += 1
    if s.may != 0 and must == 0:
        out[n] = PASS
        n += 1
    return n


@njit(cache=True)
def _handling_actions(s, c, k, left, exactly, out, n):
    """Appends the handlings at the canoe's space that cost `left` points, or at most that unless `exactly`."""
    site, gem = SITE[s.at[k]], s.gem[k]
    if gem == NO_GEM:
        if left == 2 or (left > 2 and not exactly):
            for colour in range(COLOURS):
                if s.sites[site, colour] > 0:
                    out[n] = LOAD + colour
                    n += 1
        return n
    if can_unload(c, site, gem) and (left == 2 or (left > 2 and not exactly)):
        out[n] = UNLOAD
        n += 1
    if c.unload_any_site == 1 and (left == 4 or (left > 4 and not exactly)):
        for colour in range(COLOURS):
            if colour != gem and s.sites[site, colour] > 0:
                out[n] = SWAP + colour
                n += 1
    return n


@njit(cache=True)
def _go_actions(s, c, k, out):
    n = 0
    here = s.at[k]
    for space in range(FALLEN):
        steps = STEPS[here, space]
        left = s.points - abs(steps)
        if space == here or left < 0:
            continue
        if space == SHORE or (left == 0 if s.handled else can_stop(s, c, k, space, steps, left)):
            out[n] = MOVE + space
            n += 1
    return n


@njit(cache=True)
def _steal_actions(s, c, k, out):
    n = 0
    space, left = s.at[k], s.points
    if left == 0 or can_handle(s, c, space, NO_GEM, left):
        out[n] = NO_THEFT
        n += 1
    for victim in range(2 * c.players):
        if can_rob(s, c, k, victim, space, left):
            out[n] = THEFT + victim
            n += 1
    return n


@njit(cache=True)
def legal_actions(s, c, player, out):
    if s.phase == CHOOSE:
        n = 0
        for card in range(7):
            if s.hands[player] >> card & 1:
                out[n] = card
                n += 1
        return n
    if s.phase == RECOVER:
        return _recover_actions(s, c, player, out)
    if s.step == PICK:
        return _pick_actions(s, c, player, out)
    k = 2 * player + s.canoe
    if s.step == START:
        out[0] = NO_HANDLING
        return _handling_actions(s, c, k, s.points, False, out, 1)
    if s.step == GO:
        return _go_actions(s, c, k, out)
    if s.step == STEAL:
        return _steal_actions(s, c, k, out)
    return _handling_actions(s, c, k, s.points, True, out, 0)


# What actions do.


@njit(cache=True)
def meets_goal(s, seat):
    """Section 7: four of a colour, all five colours, or seven gems owned."""
    total, colours = 0, 0
    for colour in range(COLOURS):
        n = s.owned[seat, colour]
        total += n
        colours += n > 0
        if n >= GOAL_SAME:
            return True
    return colours == GOAL_COLOURS or total >= GOAL_TOTAL


@njit(cache=True)
def river_flow(s, c):
    """Section 5.5: how many pushes the river makes after everybody has acted."""
    lowest = 0
    for seat in range(c.players):
        if s.played[seat] != CLOUD and (lowest == 0 or s.played[seat] + 1 < lowest):
            lowest = s.played[seat] + 1
    return max(c.min_flow, lowest + s.weather)


@njit(cache=True)
def push(s, c, side):
    """One river move with the fork at `side`."""
    for k in range(2 * c.players):
        s.at[k] = PUSHED[side, s.at[k]]
        if s.at[k] == FALLEN and s.gem[k] != NO_GEM:
            s.sites[s.gem[k], s.gem[k]] += 1
            s.gem[k] = NO_GEM


@njit(cache=True)
def _to_recover(s, c):
    """Skips those who have nothing to decide in RECOVER; goes to CHOOSE when nobody is left."""
    while s.turn < c.players:
        seat = acting_seat(s, c)
        if s.at[2 * seat] == FALLEN or s.at[2 * seat + 1] == FALLEN:
            for colour in range(COLOURS):
                if s.owned[seat, colour] > 0:
                    return
        s.turn += 1
    s.turn = 0
    s.phase = CHOOSE


@njit(cache=True)
def _next_round(s, c):
    s.first = (s.first + 1) % c.players
    s.round += 1
    s.turn = 0
    empty = s.hands[0] == 0
    for seat in range(c.players):
        s.played[seat] = NOT_PLAYED
        if empty:
            s.hands[seat] = ALL_CARDS
        if s.at[2 * seat] == FALLEN and s.at[2 * seat + 1] == FALLEN:
            gems = 0
            for colour in range(COLOURS):
                gems += s.owned[seat, colour]
            if gems == 0:
                s.at[2 * seat] = SHORE
    s.phase = RECOVER
    _to_recover(s, c)


@njit(cache=True)
def _end_round(s, c):
    for seat in range(c.players):
        if meets_goal(s, seat):
            s.phase = OVER
            return
    if c.max_rounds > 0 and s.round >= c.max_rounds:
        s.phase = OVER
        return
    flow = river_flow(s, c)
    if c.random_pushes == 1 and flow > 0:
        s.phase = RIVER
        s.pushes = flow
        return
    for _ in range(flow):
        push(s, c, s.fork)
        s.fork = 1 - s.fork
    _next_round(s, c)


@njit(cache=True)
def _end_turn(s, c):
    seat = acting_seat(s, c)
    s.step = PICK
    s.may = 0
    s.must = 0
    s.turn += 1
    if c.immediate == 1 and meets_goal(s, seat):
        s.phase = OVER
    elif s.turn == c.players:
        _end_round(s, c)


@njit(cache=True)
def _end_canoe(s, c):
    s.canoe = 0
    s.points = 0
    s.handled = 0
    s.upstream = 0
    s.step = PICK
    if s.may == 0:
        _end_turn(s, c)


@njit(cache=True)
def _handle(s, k, action):
    """Loads, unloads or swaps at the canoe's space; returns the points that it costs."""
    site = SITE[s.at[k]]
    cost = 0
    if action == UNLOAD or action >= SWAP:
        s.sites[site, s.gem[k]] += 1
        s.gem[k] = NO_GEM
        cost = 2
    if action != UNLOAD:
        colour = action - (SWAP if action >= SWAP else LOAD)
        s.sites[site, colour] -= 1
        s.gem[k] = colour
        cost += 2
    return cost


@njit(cache=True)
def _recover(s, c, seat, action):
    both = s.at[2 * seat] == FALLEN and s.at[2 * seat + 1] == FALLEN
    if action != DECLINE:
        i, colour = (action - PAY) // COLOURS, (action - PAY) % COLOURS
        s.owned[seat, colour] -= 1
        s.sites[colour, colour] += 1
        s.at[2 * seat + i] = SHORE
        if both and c.max_recover_per_round == 2:
            for left in range(COLOURS):
                if s.owned[seat, left] > 0:
                    s.step = START
                    return
    s.step = PICK
    s.turn += 1
    _to_recover(s, c)


@njit(cache=True)
def _pick(s, c, seat, action):
    if action == PASS:
        _end_turn(s, c)
    elif action < CANOE:
        s.weather += 1 if action == WEATHER_UP else -1
        _end_turn(s, c)
    else:
        if s.may == 0:
            may, must = obligations(s, seat)
            if may == 3 and must == 0:
                may = 1 << (action - CANOE)  # two on SHORE: exactly one moves
        else:
            may, must = s.may, s.must
        s.canoe = action - CANOE
        s.may = may & ~(1 << s.canoe)
        s.must = must & ~(1 << s.canoe)
        s.points = s.played[seat] + 1
        k = 2 * seat + s.canoe
        handles = can_handle(s, c, s.at[k], s.gem[k], 2) or can_handle(s, c, s.at[k], s.gem[k], 4)
        s.step = START if handles and s.points >= 2 else GO


@njit(cache=True)
def _go(s, c, k, space):
    steps = STEPS[s.at[k], space]
    s.at[k] = space
    if space == SHORE:
        if s.gem[k] != NO_GEM:
            s.owned[k // 2, s.gem[k]] += 1
            s.gem[k] = NO_GEM
        _end_canoe(s, c)
        return
    s.points -= abs(steps)
    s.upstream = 0
    if steps < 0:
        s.upstream = 1 if s.gem[k] == NO_GEM else 2
    if s.upstream == 1 and can_rob_somebody(s, c, k, space, s.points):
        s.step = STEAL
    elif s.points > 0:
        s.step = END
    else:
        _end_canoe(s, c)


@njit(cache=True)
def _act(s, c, seat, action):
    k = 2 * seat + s.canoe
    s.covered = 0
    if s.step == PICK:
        _pick(s, c, seat, action)
    elif s.step == START:
        s.step = GO
        if action != NO_HANDLING:
            s.handled = 1
            s.points -= _handle(s, k, action)
            if s.points == 0:
                _end_canoe(s, c)
    elif s.step == GO:
        _go(s, c, k, action - MOVE)
    elif s.step == STEAL:
        if action != NO_THEFT:
            s.gem[k] = s.gem[action - THEFT]
            s.gem[action - THEFT] = NO_GEM
        if s.points > 0:
            s.step = END
        else:
            _end_canoe(s, c)
    else:
        s.points -= _handle(s, k, action)
        came_loaded = s.upstream == 2 and s.gem[k] == NO_GEM
        if c.steal_requires_empty_move == 0 and came_loaded and can_rob_somebody(s, c, k, s.at[k], 0):
            s.step = STEAL
        else:
            _end_canoe(s, c)


@njit(cache=True)
def _play_card(s, seat, card):
    s.hands[seat] &= ~(1 << card)
    s.played[seat] = card


@njit(cache=True)
def apply_action(s, c, action):
    if s.phase == ACT:
        _act(s, c, acting_seat(s, c), action)
    elif s.phase == CHOOSE:
        seat = current_player(s, c)
        _play_card(s, seat, action)
        if seat == c.players - 1:
            s.phase = ACT
    elif s.phase == RECOVER:
        _recover(s, c, acting_seat(s, c), action)
    elif s.phase == RIVER:
        push(s, c, action)
        s.pushes -= 1
        if s.pushes == 0:
            _next_round(s, c)
    else:
        if s.first < 0:
            s.first = action
        else:
            s.fork = action
        if s.fork != RANDOM_FORK:
            s.phase = CHOOSE


@njit(cache=True)
def apply_joint(s, c, actions):
    for seat in range(c.players):
        _play_card(s, seat, actions[seat])
    s.phase = ACT


@njit(cache=True)
def _number_of_outcomes(s, c):
    return c.players if s.first < 0 else 2


@njit(cache=True)
def chance_outcomes(s, c, outcomes, probs):
    n = _number_of_outcomes(s, c)
    for i in range(n):
        outcomes[i] = i
        probs[i] = 1.0 / n
    return n


@njit(cache=True)
def sample_chance(s, c, rng):
    return random_below(rng, _number_of_outcomes(s, c))


# The end (section 7).


@njit(cache=True)
def _rank(s, c, seat, finished):
    """A number that orders the seats of a finished game, the winner's being the greatest; equal means tied."""
    count, value = 0, 0
    for colour in range(COLOURS):
        count += s.owned[seat, colour]
        value += s.owned[seat, colour] * VALUE[colour]
    earlier = c.players - (seat - s.first) % c.players
    if not finished:
        return value * 64 + count
    if c.tiebreak == FIRST:
        value, count = 0, 0
    elif c.tiebreak == COUNT_THEN_FIRST:
        value = 0
    return ((1 << 20) + value * 64 + count) * 8 + earlier


@njit(cache=True)
def places(s, c, out):
    """Writes every seat's place in a finished game to `out`: 1 for the winner; tied players share the better one."""
    for seat in range(c.players):
        own = _rank(s, c, seat, meets_goal(s, seat))
        out[seat] = 1
        for other in range(c.players):
            if _rank(s, c, other, meets_goal(s, other)) > own:
                out[seat] += 1


@njit(cache=True)
def returns(s, c, out):
    winners = 0
    places(s, c, out)
    for seat in range(c.players):
        winners += out[seat] == 1
    for seat in range(c.players):
        out[seat] = 1.0 / winners if out[seat] == 1 else 0.0


# What a player knows (section 8).


@njit(cache=True)
def card_hidden(s, c, seat, player):
    """Whether the card that `seat` has put down is unknown to `player` (-1: to somebody who only watches)."""
    if seat == player or s.played[seat] == NOT_PLAYED:
        return False
    if s.phase == CHOOSE:
        return True
    if s.phase != ACT or c.open_cards == 1:
        return False
    return (seat - s.first) % c.players >= s.turn + (1 - s.covered)


@njit(cache=True)
def conceal(s, c, before, player):
    s.covered = s.phase == ACT and card_hidden(before, c, acting_seat(s, c), player)


@njit(cache=True)
def _seen_key(s, c, player):
    key = hash_words(s, 2, WORDS)
    for seat in range(c.players):
        hand, card = np.int64(s.hands[seat]), np.int64(s.played[seat])
        if card_hidden(s, c, seat, player):
            hand |= 1 << card
            card = np.int64(CLOUD + 1)
        key = mix(key, hand << 8 | (card + 1))
    return key


@njit(cache=True)
def information_key(s, c, player):
    return mix(_seen_key(s, c, player), player)


@njit(cache=True)
def public_key(s, c):
    return _seen_key(s, c, -1)


@njit(cache=True)
def determinize(s, c, player, rng, table):
    for seat in range(c.players):
        if not card_hidden(s, c, seat, player):
            continue
        cards = np.int64(s.hands[seat]) | (1 << s.played[seat])
        size = 0
        for card in range(7):
            size += cards >> card & 1
        chosen = random_below(rng, size)
        for card in range(7):
            if cards >> card & 1:
                if chosen == 0:
                    s.played[seat] = card
                    s.hands[seat] = cards & ~(1 << card)
                chosen -= 1


@njit(cache=True)
def conform(s, c, target, player):
    for seat in range(c.players):
        if s.round == target.round and s.played[seat] != NOT_PLAYED and card_hidden(target, c, seat, player):
            s.hands[seat] = target.hands[seat]
            s.played[seat] = target.played[seat]


@njit(cache=True)
def consistent_action(s, c, target, player, action):
    if s.phase == CHOOSE and s.round == target.round and target.played[player] != NOT_PLAYED:
        return np.int64(target.played[player])
    return action
