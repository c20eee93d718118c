"""Niagara's plain player, and what it knows about a position: used in playouts and as the `scripted` opponent.

Everything is counted in rounds of paddling that one canoe still needs. The three goals are ways side by side, each
missing gem at the price of a trip; a gem aboard shortens a way by a part that shrinks with the way home; the river's
next moves are taken from the cards on the table and a guess at the rest.
"""

import numpy as np
from numba import njit

from voyageur.games.niagara.rules import (
    ACT,
    CANOE,
    CHOOSE,
    CLOUD,
    COLOURS,
    DECLINE,
    DEPTH,
    FALLEN,
    GO,
    GOAL_SAME,
    GOAL_TOTAL,
    LOAD,
    MOVE,
    NO_GEM,
    NO_HANDLING,
    NO_THEFT,
    NOT_PLAYED,
    PASS,
    PAY,
    PICK,
    PUSHED,
    RECOVER,
    SHORE,
    SITE,
    START,
    STEAL,
    STEPS,
    SWAP,
    THEFT,
    UNLOAD,
    WEATHER_UP,
    can_stop,
    card_hidden,
    obligations,
)
from voyageur.games.rules import random_below, random_unit

TRIP = np.array([1.7, 1.9, 2.2, 2.8, 3.3])  # rounds to fetch a gem of each colour
AHEAD = np.array([1.0, 0.92, 0.86, 0.78, 0.70, 0.60, 0.45, 0.30])  # worth of a gem aboard, by depth
EMPTY = np.array([0.0, 0.10, 0.25, 0.45, 0.55, 0.60, 0.55, 0.35])  # rounds gained by an empty canoe, by depth
LOST = -1.2  # a canoe that has fallen
ROBBED = 0.25  # what a theft is worth beyond the gem
USUAL_LOWEST = 2  # lowest card to expect of those who have not shown theirs


@njit(cache=True)
def distance(s, seat, one, two):
    """Rounds that the seat still needs with gems `one` and `two` (or NO_GEM) counted as owned.

    The three goals are ways side by side: the nearest counts most, a second one nearly as near helps.
    """
    total, same, colours = 0, 99.0, 0.0
    for colour in range(COLOURS):
        n = s.owned[seat, colour] + (one == colour) + (two == colour)
        total += n
        same = min(same, (GOAL_SAME - n) * TRIP[colour])
        if n == 0:
            colours += TRIP[colour]
    seven = (GOAL_TOTAL - total) * TRIP[0]
    if same <= 0 or colours <= 0 or seven <= 0:
        return 0.0
    return 1.0 / np.sqrt(1.0 / (same * same) + 1.0 / (colours * colours) + 1.0 / (seven * seven))


@njit(cache=True)
def gains(s, seat):
    """Rounds that one more owned gem of each colour saves the seat."""
    base = distance(s, seat, NO_GEM, NO_GEM)
    return (
        base - distance(s, seat, 0, NO_GEM),
        base - distance(s, seat, 1, NO_GEM),
        base - distance(s, seat, 2, NO_GEM),
        base - distance(s, seat, 3, NO_GEM),
        base - distance(s, seat, 4, NO_GEM),
    )


@njit(cache=True)
def expected_flow(s, c, player, own):
    """Pushes to expect this round as `player` sees it, who plays card `own` (or CLOUD)."""
    lowest = 9
    for seat in range(c.players):
        card = s.played[seat]
        if seat == player:
            card = own
        if seat != player and (card == NOT_PLAYED or card_hidden(s, c, seat, player)):
            lowest = min(lowest, USUAL_LOWEST)
        elif card != CLOUD:
            lowest = min(lowest, card + 1)
    return max(np.int64(c.min_flow), (0 if lowest == 9 else lowest) + s.weather)


@njit(cache=True)
def after_river(space, fork, flow):
    for _ in range(flow):
        space = PUSHED[fork, space]
        fork = 1 - fork
    return space


@njit(cache=True)
def canoe_worth(space, gem, gain, fork, flow):
    """Rounds saved by a canoe with `gem` that ends its turn on `space`, before a river of `flow` pushes."""
    if space != SHORE:
        space = after_river(space, fork, flow)
        if space == FALLEN:
            return LOST
    if gem == NO_GEM:
        return EMPTY[DEPTH[space]]
    return gain[gem] * AHEAD[DEPTH[space]]


@njit(cache=True)
def best_handling(s, c, space, gem, left, gain, fork, flow):
    """Worth of the best way to use exactly `left` points by handling at `space`; -9 if there is none."""
    site = SITE[space]
    best = -9.0
    if left == 0:
        return canoe_worth(space, gem, gain, fork, flow)
    if site < 0:
        return best
    if left == 2 and gem != NO_GEM:
        return canoe_worth(space, NO_GEM, gain, fork, flow)
    for colour in range(COLOURS):
        if s.sites[site, colour] > 0 and colour != gem and (left == 2 or (left == 4 and gem != NO_GEM)):
            best = max(best, canoe_worth(space, colour, gain, fork, flow))
    return best


@njit(cache=True)
def best_stop(s, c, k, space, left, upstream, gain, fork, flow):
    """Worth of ending on `space` with `left` points, with the best theft or handling."""
    best = best_handling(s, c, space, np.int64(s.gem[k]), left, gain, fork, flow)
    if upstream and s.gem[k] == NO_GEM and space != SHORE:
        for victim in range(2 * c.players):
            if victim // 2 != k // 2 and s.at[victim] == space and s.gem[victim] != NO_GEM:
                worth = ROBBED + best_handling(s, c, space, np.int64(s.gem[victim]), left, gain, fork, flow)
                best = max(best, worth)
    return best


@njit(cache=True)
def best_move(s, c, k, gem, points, exactly, gain, fork, flow):
    """Worth of the best move of canoe `k`, which holds `gem`, with `points` to paddle (all of them if `exactly`)."""
    best = -9.0
    here = np.int64(s.at[k])
    for space in range(FALLEN):
        steps = STEPS[here, space]
        left = points - abs(steps)
        if space == here or left < 0:
            continue
        if space == SHORE:
            worth = 0.0 if gem == NO_GEM else gain[gem]
        elif exactly:
            if left != 0:
                continue
            worth = canoe_worth(space, gem, gain, fork, flow)
        else:
            if not can_stop(s, c, k, space, steps, left):
                continue
            worth = best_stop(s, c, k, space, left, steps < 0, gain, fork, flow)
        best = max(best, worth)
    return best


@njit(cache=True)
def best_start(s, c, k, action, points, gain, fork, flow):
    """Worth of starting canoe `k`'s turn with a handling `action` (or NO_HANDLING) and going on as well as possible."""
    if action == NO_HANDLING:
        return best_move(s, c, k, np.int64(s.gem[k]), points, False, gain, fork, flow)
    gem = NO_GEM
    left = points - 2
    if action >= SWAP:
        gem = action - SWAP
        left -= 2
    elif action >= LOAD:
        gem = action - LOAD
    if left == 0:
        return canoe_worth(np.int64(s.at[k]), gem, gain, fork, flow)
    return best_move(s, c, k, gem, left, True, gain, fork, flow)


@njit(cache=True)
def best_plan(s, c, k, points, gain, fork, flow):
    """Worth of the best turn of canoe `k` with `points`."""
    best = best_start(s, c, k, NO_HANDLING, points, gain, fork, flow)
    site = SITE[s.at[k]]
    if site < 0 or points < 2:
        return best
    if s.gem[k] != NO_GEM:
        return max(best, best_start(s, c, k, UNLOAD, points, gain, fork, flow))
    for colour in range(COLOURS):
        if s.sites[site, colour] > 0:
            best = max(best, best_start(s, c, k, LOAD + colour, points, gain, fork, flow))
    return best


@njit(cache=True)
def card_worth(s, c, player, card, gain):
    """Worth of playing `card` now: of the best plans of both canoes, or of standing still for CLOUD."""
    flow = expected_flow(s, c, player, card)
    fork = np.int64(s.fork)
    if card == CLOUD:
        total = 0.0
        for i in range(2):
            k = 2 * player + i
            total += canoe_worth(np.int64(s.at[k]), np.int64(s.gem[k]), gain, fork, max(0, flow - 1))
        return total
    may, must = obligations(s, player)
    best = -99.0
    total = 0.0
    for i in range(2):
        if may >> i & 1:
            worth = best_plan(s, c, 2 * player + i, card + 1, gain, fork, flow)
            total += worth if must >> i & 1 else max(0.0, worth)
            best = max(best, worth)
    return best if must == 0 else total


@njit(cache=True)
def act_worth(s, c, player, action, gain, fork, flow):
    """Worth of one step of a turn in phase ACT."""
    k = 2 * player + s.canoe
    if s.step == PICK:
        if action >= CANOE and action < PASS:
            other = s.at[2 * player + action - CANOE]
            if other != SHORE:
                return 9.0  # those that must move go first
            return best_plan(s, c, 2 * player + action - CANOE, np.int64(s.played[player] + 1), gain, fork, flow)
        if action == PASS:
            return 0.0
        loaded_far, waiting = 0, 0
        for seat in range(c.players):
            for i in range(2):
                if s.at[2 * seat + i] != SHORE:
                    if seat == player:
                        loaded_far += 1
                    else:
                        waiting += 1
        higher = waiting > (c.players - 1) * loaded_far
        return 1.0 if higher == (action == WEATHER_UP) else 0.0
    if s.step == START:
        return best_start(s, c, k, action, np.int64(s.points), gain, fork, flow)
    if s.step == GO:
        space = action - MOVE
        if space == SHORE:
            return 0.0 if s.gem[k] == NO_GEM else gain[s.gem[k]]
        steps = STEPS[s.at[k], space]
        return best_stop(s, c, k, space, s.points - abs(steps), steps < 0, gain, fork, flow)
    here = np.int64(s.at[k])
    if s.step == STEAL:
        if action == NO_THEFT:
            return best_handling(s, c, here, NO_GEM, np.int64(s.points), gain, fork, flow)
        return ROBBED + best_handling(s, c, here, np.int64(s.gem[action - THEFT]), np.int64(s.points), gain, fork, flow)
    gem = NO_GEM
    if action >= SWAP:
        gem = action - SWAP
    elif action >= LOAD:
        gem = action - LOAD
    return canoe_worth(here, gem, gain, fork, flow)


@njit(cache=True)
def _recover_worth(s, player, action):
    """A canoe back is worth a cheap gem unless that gem is close to a goal."""
    if action == DECLINE:
        return 0.0
    colour = (action - PAY) % COLOURS
    s.owned[player, colour] -= 1
    after = distance(s, player, NO_GEM, NO_GEM)
    s.owned[player, colour] += 1
    return 1.3 - (after - distance(s, player, NO_GEM, NO_GEM))


@njit(cache=True)
def _best_action(s, c, player, actions, n, rng, noise):
    gain = gains(s, player)
    fork = np.int64(s.fork)
    flow = 0
    if s.phase == ACT:
        flow = expected_flow(s, c, player, np.int64(s.played[player]))
    best, chosen = -99.0, actions[0]
    for i in range(n):
        action = actions[i]
        if s.phase == CHOOSE:
            worth = card_worth(s, c, player, action, gain)
        elif s.phase == RECOVER:
            worth = _recover_worth(s, player, action)
        else:
            worth = act_worth(s, c, player, action, gain, fork, flow)
        worth += noise * random_unit(rng)
        if worth > best:
            best, chosen = worth, action
    return chosen


@njit(cache=True)
def playout_action(s, c, player, actions, n, rng):
    if n == 1:
        return actions[0]
    if s.phase == CHOOSE:
        # The better of two cards drawn at random: cheap, and as varied as people are.
        one, two = actions[random_below(rng, n)], actions[random_below(rng, n)]
        gain = gains(s, player)
        if card_worth(s, c, player, one, gain) > card_worth(s, c, player, two, gain):
            return one
        return two
    return _best_action(s, c, player, actions, n, rng, 0.3)


@njit(cache=True)
def scripted_action(s, c, player, actions, n, rng):
    return _best_action(s, c, player, actions, n, rng, 0.05)
