"""virta's plain player, and what it knows about a position: used in playouts and as the `scripted` opponent.

Everything is counted in points. A seat's standing is what it would score now, and what its tokens and pawns promise: a
pawn with room on a bank promises a share of the best part that drifts by, a pawn that is full has to get home first,
and towards the end a pawn at home is worth its point. The plain player takes the space and the action that raise its
own standing most. The next part of a letter always brings one point more than the last: `gain` holds what it brings, a
byte a letter.
"""

import numpy as np
from numba import njit

from voyageur.games.rules import bit_count, lowest_bit, random_below, random_unit
from voyageur.games.virta.rules import (
    AHEAD,
    ARROW,
    CARRY,
    EXCHANGE,
    FOOT,
    GAIN,
    GO,
    LIFT,
    LOAD,
    MAX_AREAS,
    NONE,
    RAKE,
    RETURN,
    SPIRAL,
    TAKE,
    TOKENS,
    banks_of,
    blocked,
    copies,
    distance,
    flows_at,
    in_river,
    is_large,
    letter_at,
    price_of_space,
    score,
    standing,
    target,
    within,
)

TOKEN = 0.35  # what a token is worth
MANY = 5  # tokens from which on more are worth little
SURPLUS = 0.1
# What a pawn on a bank promises, compared with one at home: by what it carries, and less for each step from home.
EMPTY, HALF, FULL = 1.7, 1.0, 0.1
STEP, STEP_FULL = 0.45, 0.3
SHARE = np.array([0.20, 0.22, 0.20, 0.17, 0.10, 0.08])  # of the points of what drifts by, by the flows until then
FILLED = 0.6  # what it costs to use up room
WALK = 0.8  # what a walk is taken to bring when a space is chosen quickly
WON = 50.0
NEVER = -99.0


@njit(cache=True)
def gains(s, c, seat):
    """Points that one more part of each letter brings the seat, a byte a letter."""
    total = copies(s, c, seat)
    for letter in range(c.letters):
        total += (2 + (c.large >> letter & 1)) << (8 * letter)
    return total


@njit(cache=True)
def has_room(c, load):
    return load == 0 or (load & 15 == 0 and not is_large(c, load >> 4))


@njit(cache=True)
def promise(s, c, area, load, flows, river, gain):
    """What a pawn with `load` at `area` promises, after so many `flows` (0 or 1), more than one at home."""
    if c.homes >> area & 1:
        return 0.0
    steps = min(6, c.home_steps[area])
    if not has_room(c, load):
        return FULL - STEP_FULL * steps
    total = (HALF if load else EMPTY) - STEP * steps
    for i in range(flows, AHEAD):
        circles, best = river & c.coming[area, i], np.int64(0)
        while circles:
            letter = letter_at(s, c, lowest_bit(circles))
            circles &= circles - 1
            if load == 0 or not is_large(c, letter):
                best = max(best, gain >> (8 * letter - 8) & 255)
        total += best * SHARE[i - flows]
    return total


@njit(cache=True)
def worth_of_tokens(tokens):
    return TOKEN * min(MANY, tokens) + SURPLUS * max(0, tokens - MANY)


@njit(cache=True)
def rake_gain(c, load, tokens, letter, gain):
    """Points that raising `letter` (counted from 1) brings a pawn with `load`, or NEVER."""
    high, low = load >> 4, load & 15
    brought = np.float64(gain >> (8 * letter - 8) & 255)
    room = load == 0 or (has_room(c, load) and not is_large(c, letter))
    first = np.float64((gain >> (8 * high - 8) & 255) - 1) if high else 0.0
    second = np.float64((gain >> (8 * low - 8) & 255) - 1) if low else 0.0
    if is_large(c, letter):
        return NEVER if tokens == 0 else brought - first - second - TOKEN
    if room:
        return brought
    if low == 0:
        return brought - first
    if high == letter:
        first = 99.0
    if low == letter:
        second = 99.0
    return brought - min(first, second)


@njit(cache=True)
def wins_with(s, c, seat, points):
    """Whether the seat would win with so many points more, if the game ended then."""
    own = score(s, c, seat) + points
    for other in range(c.players):
        if other != seat and score(s, c, other) >= own:
            return False
    return True


@njit(cache=True)
def origin(c, circle, river, stay):
    """Where the part comes from that is in `circle` after a flow in which `stay` stays; NONE if none is."""
    if stay >> circle & 1:
        return np.int64(circle)
    for feeder in (c.feeder[circle], c.second[circle]):
        if feeder != NONE and (river & ~stay) >> feeder & 1:
            return feeder
    return np.int64(NONE)


@njit(cache=True)
def raised(s, c, area, flows, river, stay):
    """The circle that holds the part that a rake at `area` would raise, now or after a flow; NONE if there is none."""
    if not flows:
        return target(c, river, area)
    for i in range(c.touch.shape[1]):
        circle = c.touch[area, i]
        if circle == NONE:
            break
        found = origin(c, circle, river, stay)
        if found != NONE:
            return found
    return np.int64(NONE)


@njit(cache=True)
def rake_worth(s, c, seat, pawn, circle, gain, left):
    """What it is worth that `pawn` raises the part that lies in `circle` now, or NEVER."""
    if circle == NONE:
        return NEVER
    load = np.int64(s.load[seat, pawn])
    brought = rake_gain(c, load, s.tokens[seat], letter_at(s, c, circle), gain)
    if brought == NEVER:
        return brought
    if left == 1 and has_room(c, load):
        return brought + (WON if wins_with(s, c, seat, brought) else -WON)
    return brought - FILLED


@njit(cache=True)
def best_rake(s, c, seat, flows, river, gain, left):
    stay = standing(s, c, river) if flows else np.int64(0)
    best = NEVER
    for pawn in range(c.pawns):
        circle = raised(s, c, np.int64(s.at[seat, pawn]), flows, river, stay)
        best = max(best, rake_worth(s, c, seat, pawn, circle, gain, left))
    return best


@njit(cache=True)
def best_walk(s, c, seat, ends, flows, river, gain, left):
    """What the best walk is worth; `ends`: areas that may be ends whoever walks, or 0 for those in free reach."""
    walls, own = blocked(s, c, seat), banks_of(s, c, seat)
    steps = c.number[s.space[seat]]
    best = 0.0
    for pawn in range(c.pawns):
        area, load = np.int64(s.at[seat, pawn]), np.int64(s.load[seat, pawn])
        now = promise(s, c, area, load, flows, river, gain)
        goals = ends if ends else within(c, area, steps, walls) & ~own
        while goals:
            goal = lowest_bit(goals)
            goals &= goals - 1
            then = np.int64(0) if c.homes >> goal & 1 else load
            best = max(best, promise(s, c, goal, then, flows, river, gain) - now)
    return best


@njit(cache=True)
def space_worth(s, c, seat, space, quick, river, gain, left):
    """What it is worth to have the action pawn on `space`: its best action, without its price."""
    symbol = c.symbol[space]
    tokens = s.tokens[seat]
    least = worth_of_tokens(tokens + 1) - worth_of_tokens(tokens)
    if symbol == TOKENS:
        return worth_of_tokens(tokens + c.number[space]) - worth_of_tokens(tokens)
    if symbol == FOOT and quick:
        return max(least, WALK)
    if symbol in (FOOT, RAKE, ARROW):
        flows = np.int64(s.phase == SPIRAL and flows_at(s, c, seat, space))
        if symbol == RAKE:
            return max(least, best_rake(s, c, seat, flows, river, gain, left))
        ends = np.int64(0) if symbol == FOOT else c.homes
        return max(least, best_walk(s, c, seat, ends, flows, river, gain, left))
    return max(least, 1.0)


@njit(cache=True)
def exchange_worth(s, c, seat):
    """What an exchange is worth that ends where it began: something if a pawn at home can empty a full one."""
    full, home = False, False
    for pawn in range(c.pawns):
        full = full or not has_room(c, np.int64(s.load[seat, pawn]))
        home = home or c.homes >> s.at[seat, pawn] & 1 == 1
    return 1.0 if full and home else 0.0


@njit(cache=True)
def carry_worth(s, c, seat, load):
    """How good it is that a pawn carries `load` after a walk: little where the way leads home, else what it had."""
    if c.homes >> s.goal & 1:
        return -np.float64((load > 0) + (load & 15 > 0))
    return 1.0 if load == s.load[seat, s.settled] else 0.0


@njit(cache=True)
def action_worth(s, c, seat, action, here, quick, river, gain, left):
    """What an action is worth, but for a walk, of which `walk_worth` tells."""
    tokens = s.tokens[seat]
    if action == TAKE or (action == GAIN and c.symbol[s.space[seat]] == TOKENS):
        more = 1 if action == TAKE else c.number[s.space[seat]]
        return worth_of_tokens(tokens + more) - worth_of_tokens(tokens)
    if action == GAIN:
        return 1.0
    if action == EXCHANGE:
        return exchange_worth(s, c, seat)
    if action < LIFT:
        return carry_worth(s, c, seat, action - LOAD)
    if action < RETURN:
        pawn = action - LIFT
        circle = target(c, river, np.int64(s.at[seat, pawn]))
        return rake_worth(s, c, seat, pawn, circle, gain, left)
    return -np.float64(gain >> (8 * (action - RETURN) - 8) & 255)


@njit(cache=True)
def price_of_walk(s, c, seat, pawn, goal):
    """What the tokens are worth that a walk costs."""
    steps = distance(c, np.int64(s.at[seat, pawn]), goal, blocked(s, c, seat)) - c.number[s.space[seat]]
    return worth_of_tokens(s.tokens[seat]) - worth_of_tokens(s.tokens[seat] - max(0, steps))


@njit(cache=True)
def best_space(s, c, seat, actions, n, rng, quick, noise):
    gain, river = gains(s, c, seat), in_river(s, c)
    left, tokens = bit_count(river), s.tokens[seat]
    best, chosen = 10 * NEVER, actions[0]
    for i in range(n):
        value = space_worth(s, c, seat, actions[i], quick, river, gain, left) + noise * random_unit(rng)
        value -= worth_of_tokens(tokens) - worth_of_tokens(tokens - price_of_space(s, c, seat, actions[i]))
        if value > best:
            best, chosen = value, actions[i]
    return chosen


@njit(cache=True)
def best_action(s, c, seat, actions, n, rng, quick, noise):
    """The best by `action_worth`; quickly: no walk that costs tokens."""
    gain, river = gains(s, c, seat), in_river(s, c)
    left = bit_count(river)
    best, chosen = 10 * NEVER, actions[0]
    walker, now, free = np.int64(NONE), 0.0, np.int64(0)
    for i in range(n):
        action = actions[i]
        if GO <= action < EXCHANGE:
            pawn, goal = (action - GO) // MAX_AREAS, (action - GO) % MAX_AREAS
            area, load = np.int64(s.at[seat, pawn]), np.int64(s.load[seat, pawn])
            if pawn != walker:
                walker, free = pawn, c.homes
                now = promise(s, c, area, load, 0, river, gain)
                if c.symbol[s.space[seat]] == FOOT:
                    free = within(c, area, c.number[s.space[seat]], blocked(s, c, seat))
            if quick and free >> goal & 1 == 0:
                continue
            then = np.int64(0) if c.homes >> goal & 1 else load
            value = promise(s, c, goal, then, 0, river, gain) - now
            if free >> goal & 1 == 0:
                value -= price_of_walk(s, c, seat, pawn, goal)
        else:
            value = action_worth(s, c, seat, action, 0, quick, river, gain, left)
        value += noise * random_unit(rng)
        if value > best:
            best, chosen = value, action
    return chosen


@njit(cache=True)
def playout_action(s, c, player, actions, n, rng):
    if n == 1:
        return actions[0]
    if s.step == CARRY:
        return actions[random_below(rng, n)]
    if s.phase == SPIRAL:
        return best_space(s, c, player, actions, n, rng, True, 1.0)
    return best_action(s, c, player, actions, n, rng, True, 1.0)


@njit(cache=True)
def scripted_action(s, c, player, actions, n, rng):
    if s.phase == SPIRAL:
        return best_space(s, c, player, actions, n, rng, False, 0.05)
    return best_action(s, c, player, actions, n, rng, False, 0.05)
