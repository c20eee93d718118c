"""Canyon's rules as compiled functions; section numbers are those of docs/games/canyon.md.

Cards are numbered by suit, then value (10 * suit + value - 1), hands are bit sets of them. Squares are numbered row by
row from the top; a canoe in the cave stands on the cave's square, where any number may be. Where a canoe can get to is
found for all squares at once: a row of the board is a bit set, and one step is a handful of shifts a row.
"""

import numpy as np
from numba import njit

from voyageur.games.rules import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    local_record,
    lowest_bit,
    random_below,
)

MAX_PLAYERS = 6
SUITS, VALUES, CARDS = 5, 10, 50
SUIT = (1 << VALUES) - 1  # the cards of suit 0
PACK = (1 << CARDS) - 1
MOST_TRICKS = 8
WHEEL = 14  # rounds after which the numbers of cards come again
NONE = -1

MAX_COLUMNS, MAX_ROWS = 26, 32
MAX_SQUARES = MAX_COLUMNS * MAX_ROWS
FAR = 9999  # distance of what is not connected, or no water
FALL, STILL = -2, -1  # in `drift`: over the waterfall; no arrow
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # (row, column)
ROW_STEP = np.array([step[0] for step in DIRECTIONS], np.int64)
COLUMN_STEP = np.array([step[1] for step in DIRECTIONS], np.int64)

# Phases. SETUP is the chance node that makes the dealer.
SETUP, DOCK, DEAL, BID, PLAY, MOVE, OVER = range(7)
BLOCKED_ONLY, ALL_FORCED, FREE_STOP = range(3)

# Actions: bids 0 to 8, then cards, then squares.
CARD = MOST_TRICKS + 1
SQUARE = CARD + CARDS

STATE = np.dtype(
    [
        # What may be hidden.
        ("hands", "i8", (MAX_PLAYERS,)),
        ("bid", "i1", (MAX_PLAYERS,)),  # NONE before it is made
        ("dealt", "i1"),  # cards dealt so far; 0 but within a deal
        ("covered", "i1"),  # the bids just made are not turned up yet (only in views, see `conceal`)
        # What everybody sees and what matters.
        ("played", "i8"),  # cards that lie in the tricks of this round
        ("round", "i4"),
        ("dealer", "i1"),  # NONE before it is drawn
        ("phase", "i1"),
        ("turn", "i1"),  # seats that have docked, bid or moved, in turn order
        ("leader", "i1"),  # of the running trick
        ("trump", "i1"),  # the card turned up, or NONE
        ("laid", "i1"),  # cards in the running trick
        ("tricks", "i1", (MAX_PLAYERS,)),
        ("current", "i1", (MAX_PLAYERS,)),  # cards of the running trick in order
        ("void", "u1", (MAX_PLAYERS,)),  # bit set of the suits that the seat has shown to be out of
        ("done", "i1"),  # tricks finished
        ("rest", "i1", (3,)),
        ("at", "i2", (MAX_PLAYERS,)),  # NONE before it is docked
        ("unused", "i1", (MAX_PLAYERS,)),  # points left on landing
        ("fill", "i1", (6,)),
        # What everybody saw: the finished tricks, cards in order.
        ("past", "i1", (MOST_TRICKS, MAX_PLAYERS)),
    ]
)
PUBLIC_WORDS = (7, (STATE.fields["past"][1]) // 8)  # type: ignore[index]

CONSTANTS = np.dtype(
    [
        ("players", "i8"),
        ("dock_choice", "i8"),
        ("simultaneous", "i8"),  # bid_mode
        ("sequential", "i8"),
        ("hook", "i8"),
        ("dealer_leads", "i8"),
        ("always_drift", "i8"),
        ("toward_goal", "i8"),
        ("stop_rule", "i8"),
        ("cave_is_rapids", "i8"),
        ("earlier_mover", "i8"),
        ("max_rounds", "i8"),  # 0: none
        ("bonus", "i8", (MOST_TRICKS + 1,)),
        # The board.
        ("width", "i8"),
        ("height", "i8"),
        ("cave", "i8"),  # square, or NONE
        ("docks", "i8"),  # how many
        ("dock", "i8", (MAX_SQUARES,)),
        ("kind", "u1", (MAX_SQUARES,)),  # the character of each square on the map; for drawing only
        ("distance", "i8", (MAX_SQUARES,)),  # steps to the nearest landing stage
        ("cost", "f8", (MAX_SQUARES,)),  # points still needed, as the plain player counts them
        ("drift", "i8", (MAX_SQUARES,)),  # where the arrow leads (the square itself: nowhere), FALL or STILL
        # Rows as bit sets, with an empty row above and below.
        ("water", "i8", (MAX_ROWS + 2,)),  # what can be entered by paddling
        ("landing", "i8", (MAX_ROWS + 2,)),
        ("exits", "i8", (MAX_ROWS + 2,)),  # of the cave
        ("nearer", "i8", (len(DIRECTIONS), MAX_ROWS + 2)),  # squares whose neighbour there has a smaller distance
    ]
)

MAX_STEPS = 28  # most tricks and most bonus
_WALK = np.dtype(
    [
        ("free", "i8", (MAX_ROWS + 2,)),
        ("now", "i8", (MAX_ROWS + 2,)),
        ("seen", "i8", (MAX_ROWS + 2,)),  # squares that a walk may pass
        ("ends", "i8", (MAX_ROWS + 2,)),  # squares where a walk may end
    ]
)
_new_walk = local_record(_WALK)
# A depth-first search needs to know besides: the path, the next direction to try at each depth, and what was begun.
_PATH = np.dtype(
    [
        ("square", "i8", (MAX_STEPS + 2,)),
        ("next", "i8", (MAX_STEPS + 2,)),
        ("begun", "i8", (MAX_STEPS + 2, MAX_ROWS + 2)),
    ]
)
_new_path = local_record(_PATH)


def setup(s, c):
    """Section 3: fills the state of a game that has not begun. `s` and `c` are arrays of one record."""
    s[:] = np.zeros(1, STATE)
    for name in ("bid", "dealer", "trump", "current", "at", "past"):
        s[name] = NONE
    s["round"] = 1
    if not c["dock_choice"][0]:
        players = int(c["players"][0])
        s["at"][0, :players] = c["dock"][0, :players]


# Who acts.


@njit(cache=True)
def hand_size(number):
    """Section 4: cards per player in round `number`."""
    place = (number - 1) % WHEEL
    return 8 - place if place <= 7 else place - 6


@njit(cache=True)
def starter(s, c):
    """The starting player of the round."""
    return np.int64(s.dealer) if c.dealer_leads else (s.dealer + 1) % c.players


@njit(cache=True)
def in_turn(s, c):
    """The seat whose turn it is in DOCK, BID and MOVE."""
    return (starter(s, c) + s.turn) % c.players


@njit(cache=True)
def current_player(s, c):
    if s.phase == PLAY:
        return (s.leader + s.laid) % c.players
    if s.phase == BID and c.simultaneous:
        return np.int64(s.turn) if c.sequential else SIMULTANEOUS
    if s.phase == DOCK or s.phase == BID or s.phase == MOVE:
        return in_turn(s, c)
    return TERMINAL if s.phase == OVER else CHANCE


@njit(cache=True)
def at_decision(s, c):
    if s.phase == BID and c.simultaneous:
        return s.turn == 0
    return s.phase != SETUP and s.dealt == 0 and s.covered == 0


@njit(cache=True)
def mixed(s, c):
    return s.phase == BID and c.simultaneous == 1


# Legal actions.


@njit(cache=True)
def _dock_actions(s, c, out):
    n = 0
    for i in range(c.docks):
        taken = False
        for seat in range(c.players):
            taken = taken or s.at[seat] == c.dock[i]
        if not taken:
            out[n] = SQUARE + c.dock[i]
            n += 1
    return n


@njit(cache=True)
def _bid_actions(s, c, out):
    size = hand_size(s.round)
    forbidden = NONE
    if c.hook == 1 and c.simultaneous == 0 and s.turn == c.players - 1:
        forbidden = size
        for seat in range(c.players):
            if s.bid[seat] != NONE:
                forbidden -= s.bid[seat]
    n = 0
    for bid in range(size + 1):
        if bid != forbidden:
            out[n] = bid
            n += 1
    return n


@njit(cache=True)
def playable(s, player):
    """Section 5: the cards that `player` may play, a bit set."""
    hand = s.hands[player]
    if s.laid > 0:
        following = hand & (SUIT << (s.current[0] // VALUES * VALUES))
        if following != 0:
            return following
    return hand


@njit(cache=True)
def _square_actions(c, ends, out):
    n = 0
    for row in range(c.height):
        bits = ends[row + 1]
        while bits != 0:
            out[n] = SQUARE + row * c.width + lowest_bit(bits)
            bits &= bits - 1
            n += 1
    return n


@njit(cache=True)
def legal_actions(s, c, player, out):
    if s.phase == PLAY:
        n = 0
        cards = playable(s, player)
        while cards != 0:
            out[n] = CARD + lowest_bit(cards)
            cards &= cards - 1
            n += 1
        return n
    if s.phase == BID:
        return _bid_actions(s, c, out)
    if s.phase == DOCK:
        return _dock_actions(s, c, out)
    walk = _new_walk()
    reach(s, c, player, points(s, c, player), NONE, walk)
    return _square_actions(c, walk.ends, out)


# Where a canoe can get to (section 6).


@njit(cache=True)
def on_rapids(s, c, seat):
    """Whether the seat's canoe stands where only a bonus counts."""
    return c.drift[s.at[seat]] != STILL or (c.cave_is_rapids == 1 and s.at[seat] == c.cave)


@njit(cache=True)
def points(s, c, seat):
    """The points with which the seat's canoe can paddle."""
    bonus = c.bonus[s.bid[seat]] if s.bid[seat] == s.tricks[seat] else np.int64(0)
    return bonus if on_rapids(s, c, seat) else s.tricks[seat] + bonus


@njit(cache=True)
def _clear_way(s, c, seat, free):
    """Fills `free` with the water on which there is no canoe but the seat's own."""
    for row in range(c.height):
        free[row + 1] = c.water[row + 1]
    for other in range(c.players):
        square = np.int64(s.at[other])
        if other != seat and square >= 0:
            free[square // c.width + 1] &= ~(1 << square % c.width)


@njit(cache=True)
def shifted(bits, columns):
    """`bits` as seen from `columns` to the left."""
    return bits >> 1 if columns > 0 else bits << 1 if columns < 0 else bits


@njit(cache=True)
def _nearer_free(c, free, row):
    """The squares of a row (counted from 1) that have a free neighbour with a smaller distance."""
    found = np.int64(0)
    for way in range(8):
        found |= c.nearer[way, row] & shifted(free[row + ROW_STEP[way]], COLUMN_STEP[way])
    return found


@njit(cache=True)
def _any_free(free, row):
    """The squares of a row that have a free neighbour."""
    above, below = free[row - 1], free[row + 1]
    both = above | below
    return both | both << 1 | both >> 1 | free[row] << 1 | free[row] >> 1


@njit(cache=True)
def _may_rest(c, free, row):
    """The squares of a row on which the stopping rule lets a canoe keep points."""
    if c.stop_rule == BLOCKED_ONLY:
        return ~_nearer_free(c, free, row)
    if c.stop_rule == ALL_FORCED:
        return ~_any_free(free, row)
    return ~np.int64(0)


@njit(cache=True)
def _may_stay_in_cave(c, free):
    open_exits, nearer = False, False
    for row in range(1, c.height + 1):
        bits = c.exits[row] & free[row]
        open_exits = open_exits or bits != 0
        while bits != 0:
            nearer = nearer or c.distance[(row - 1) * c.width + lowest_bit(bits)] < c.distance[c.cave]
            bits &= bits - 1
    if c.stop_rule == BLOCKED_ONLY:
        return not nearer
    return c.stop_rule == FREE_STOP or not open_exits


@njit(cache=True)
def _step(c, walk):
    """Moves the set `now` on by one step in all directions."""
    now, free = walk.now, walk.free
    above = np.int64(0)
    for row in range(1, c.height + 1):
        here, both = now[row], above | now[row + 1]
        now[row] = (both | both << 1 | both >> 1 | here << 1 | here >> 1) & free[row]
        above = here


@njit(cache=True)
def _leave_cave(c, walk):
    for row in range(1, c.height + 1):
        walk.now[row] = c.exits[row] & walk.free[row]


@njit(cache=True)
def _land(c, walk):
    """Ends the walks that have come to a landing stage."""
    for row in range(1, c.height + 1):
        landed = walk.now[row] & c.landing[row]
        walk.ends[row] |= landed
        walk.now[row] &= ~landed


@njit(cache=True)
def _reach_freely(c, start, steps, target, walk):
    row, bit = start // c.width + 1, 1 << start % c.width
    goal_row, goal = target // c.width + 1, 1 << target % c.width if target >= 0 else 0
    walk.now[row] = bit
    for step in range(steps):
        for r in range(1, c.height + 1):
            walk.seen[r] |= walk.now[r]
        if step == 0 and start == c.cave:
            _leave_cave(c, walk)
        else:
            _step(c, walk)
        if walk.now[goal_row] & goal:
            return step + 1
        _land(c, walk)
    for r in range(1, c.height + 1):
        seen = walk.seen[r]
        if start == c.cave and r == row:
            seen &= ~bit  # nobody comes back to it, so this is staying there
            if steps > 0 and _may_stay_in_cave(c, walk.free):
                walk.ends[r] |= bit
        walk.ends[r] |= walk.now[r]
        if seen != 0:
            walk.ends[r] |= seen & _may_rest(c, walk.free, r)
    return 0


@njit(cache=True)
def _is_free(c, walk, square, way):
    """The neighbour of `square` that lies `way`, or NONE if it is not free."""
    row, column = square // c.width + 1 + ROW_STEP[way], square % c.width + COLUMN_STEP[way]
    if column < 0 or not walk.free[row] >> column & 1:
        return NONE
    return (row - 1) * c.width + column


@njit(cache=True)
def _has_nearer(c, walk, square):
    return _nearer_free(c, walk.free, square // c.width + 1) >> square % c.width & 1 != 0


@njit(cache=True)
def _next_square(c, walk, path, depth, down):
    """The next square to go to from the end of the path by the rule of `toward_goal`, or NONE."""
    square = path.square[depth]
    while path.next[depth] < 8:
        there = _is_free(c, walk, square, path.next[depth])
        path.next[depth] += 1
        if there == NONE:
            continue
        if down:
            if c.distance[there] < c.distance[square]:
                return there
        elif c.distance[there] == c.distance[square] < FAR:  # where no way leads to the goal, none leads toward it
            passed = False
            for i in range(depth):
                passed = passed or path.square[i] == there
            if not passed:
                return there
    return NONE


@njit(cache=True)
def _explore(c, start, depth, steps, target, walk, path):
    """Walks by `toward_goal` from `start`, where `depth` steps are done; returns the steps to `target`, or 0."""
    first = depth
    least = 0
    path.square[depth], path.next[depth] = start, 0
    for i in range(depth):
        path.square[i] = NONE
    while depth >= first:
        square = path.square[depth]
        row, bit = square // c.width + 1, 1 << square % c.width
        if path.next[depth] == 0:
            down = _has_nearer(c, walk, square)
            stuck = not down
            if c.stop_rule == ALL_FORCED and stuck:
                stuck = _next_square(c, walk, path, depth, False) == NONE
                path.next[depth] = 0
            landed = c.landing[row] & bit != 0
            if depth == steps or landed or stuck or c.stop_rule == FREE_STOP:
                walk.ends[row] |= bit
            if landed and square == target and (least == 0 or depth < least):
                least = depth
            if depth == steps or landed:
                depth -= 1
                continue
        down = _has_nearer(c, walk, square)
        there = _next_square(c, walk, path, depth, down)
        if there == NONE:
            depth -= 1
            continue
        if down:  # from a nearer square all that matters is the steps left
            row, bit = there // c.width + 1, 1 << there % c.width
            if path.begun[depth + 1, row] & bit:
                continue
            path.begun[depth + 1, row] |= bit
        depth += 1
        path.square[depth], path.next[depth] = there, 0
    return least


@njit(cache=True)
def _reach_toward_goal(c, start, steps, target, walk):
    path = _new_path()
    if start != c.cave:
        return _explore(c, start, 0, steps, target, walk, path)
    row, bit = start // c.width + 1, 1 << start % c.width
    least, best, ways = 0, FAR, 0
    for r in range(1, c.height + 1):
        bits = c.exits[r] & walk.free[r]
        while bits != 0:
            best = min(best, c.distance[(r - 1) * c.width + lowest_bit(bits)])
            bits &= bits - 1
    down = best < c.distance[start]
    for r in range(1, c.height + 1):
        bits = c.exits[r] & walk.free[r]
        while bits != 0 and steps > 0:
            there = (r - 1) * c.width + lowest_bit(bits)
            bits &= bits - 1
            if c.distance[there] < c.distance[start] if down else c.distance[there] == c.distance[start]:
                ways += 1
                found = _explore(c, there, 1, steps, target, walk, path)
                if found > 0 and (least == 0 or found < least):
                    least = found
    may_stay = c.stop_rule == FREE_STOP or (not down if c.stop_rule == BLOCKED_ONLY else ways == 0)
    if steps == 0 or may_stay:
        walk.ends[row] |= bit
    return least


@njit(cache=True)
def reach(s, c, seat, steps, target, walk):
    """Where the seat's canoe may end with `steps` points: fills `walk.ends`.

    Returns the steps to the landing stage `target` by the shortest legal walk (0 if it is NONE or out of reach); the
    set is complete only without a target.
    """
    _clear_way(s, c, seat, walk.free)
    start = np.int64(s.at[seat])
    if c.toward_goal:
        return _reach_toward_goal(c, start, steps, target, walk)
    return _reach_freely(c, start, steps, target, walk)


@njit(cache=True)
def has_choice(s, c, seat):
    """Whether the seat's canoe can do anything but stay."""
    steps = points(s, c, seat)
    if steps == 0:
        return False
    walk = _new_walk()
    start = np.int64(s.at[seat])
    _clear_way(s, c, seat, walk.free)
    if c.stop_rule != ALL_FORCED and start != c.cave and _has_nearer(c, walk, start):
        return True  # nearer and nearer, until the points are used up or it may stop
    reach(s, c, seat, steps, NONE, walk)
    walk.ends[start // c.width + 1] &= ~(1 << start % c.width)
    for row in range(1, c.height + 1):
        if walk.ends[row] != 0:
            return True
    return False


# What actions do.


@njit(cache=True)
def _drift(s, c, seat):
    """Section 6: one square along the arrow, if there is one and the square is free."""
    target = c.drift[s.at[seat]]
    if target == STILL:
        return
    if target == FALL:
        s.at[seat] = c.cave
        return
    for other in range(c.players):
        if s.at[other] == target:
            return
    s.at[seat] = target


@njit(cache=True)
def landed(s, c, seat):
    """Whether the seat's canoe stands on a landing stage."""
    square = np.int64(s.at[seat])
    return square >= 0 and c.landing[square // c.width + 1] >> square % c.width & 1 != 0


@njit(cache=True)
def _end_round(s, c):
    s.turn = 0
    over = c.max_rounds > 0 and s.round >= c.max_rounds
    for seat in range(c.players):
        s.bid[seat] = NONE
        s.tricks[seat] = 0
        over = over or landed(s, c, seat)
    if over:
        s.phase = OVER
        return
    s.phase = DEAL
    s.round += 1
    s.dealer = (s.dealer + 1) % c.players


@njit(cache=True)
def _move_on(s, c):
    """Moves the canoes that have no choice, up to the first that has one; ends the round after the last."""
    while s.turn < c.players:
        seat = in_turn(s, c)
        if has_choice(s, c, seat):
            s.phase = MOVE
            return
        if c.always_drift == 1 or s.bid[seat] != s.tricks[seat]:
            _drift(s, c, seat)
        s.turn += 1
    _end_round(s, c)


@njit(cache=True)
def _move(s, c, seat, square):
    if c.landing[square // c.width + 1] >> square % c.width & 1:
        steps = points(s, c, seat)
        s.unused[seat] = steps - reach(s, c, seat, steps, square, _new_walk())
    s.at[seat] = square
    if c.always_drift == 1:
        _drift(s, c, seat)
    s.turn += 1
    _move_on(s, c)


@njit(cache=True)
def _end_play(s, c):
    s.played = 0
    s.leader = 0
    s.trump = NONE
    s.done = 0
    for seat in range(MAX_PLAYERS):
        s.void[seat] = 0
        for trick in range(MOST_TRICKS):
            s.past[trick, seat] = NONE
    _move_on(s, c)


@njit(cache=True)
def trick_value(card, led, trump):
    """A number that orders the cards of a trick, the winner's being the greatest (section 5)."""
    suit = card // VALUES
    return card % VALUES + (200 if suit == trump // VALUES else 100 if suit == led // VALUES else 0)


@njit(cache=True)
def winning_place(cards, n, trump):
    """Place of the card that wins among the first `n` of a trick."""
    best = 0
    for i in range(1, n):
        if trick_value(cards[i], cards[0], trump) > trick_value(cards[best], cards[0], trump):
            best = i
    return best


@njit(cache=True)
def _play(s, c, seat, card):
    s.covered = 0
    s.hands[seat] &= ~(1 << card)
    s.played |= 1 << card
    if s.laid > 0 and card // VALUES != s.current[0] // VALUES:
        s.void[seat] |= 1 << s.current[0] // VALUES
    s.current[s.laid] = card
    s.laid += 1
    if s.laid < c.players:
        return
    winner = (s.leader + winning_place(s.current, c.players, s.trump)) % c.players
    for i in range(c.players):
        s.past[s.done, i] = s.current[i]
        s.current[i] = NONE
    s.tricks[winner] += 1
    s.done += 1
    s.laid = 0
    s.leader = winner
    if s.done == hand_size(s.round):
        _end_play(s, c)


@njit(cache=True)
def _start_play(s, c):
    s.phase = PLAY
    s.turn = 0
    s.leader = starter(s, c)


@njit(cache=True)
def _bid(s, c, seat, bid):
    s.bid[seat] = bid
    s.turn += 1
    if s.turn == c.players:
        _start_play(s, c)


@njit(cache=True)
def apply_action(s, c, action):
    if s.phase == PLAY:
        _play(s, c, current_player(s, c), action - CARD)
    elif s.phase == DEAL:
        _deal(s, c, action)
    elif s.phase == BID:
        _bid(s, c, current_player(s, c), action)
    elif s.phase == MOVE:
        _move(s, c, in_turn(s, c), action - SQUARE)
    elif s.phase == DOCK:
        s.at[in_turn(s, c)] = action - SQUARE
        s.turn += 1
        if s.turn == c.players:
            s.phase = DEAL
            s.turn = 0
    else:
        s.dealer = action
        s.phase = DOCK if c.dock_choice else DEAL


@njit(cache=True)
def apply_joint(s, c, actions):
    for seat in range(c.players):
        s.bid[seat] = actions[seat]
    _start_play(s, c)


# Chance: the dealer, and the deal card by card, round the table from the starting player, the turned-up card last.


@njit(cache=True)
def dealt_to(s, c):
    """The seat that gets the next card; NONE: it is turned up."""
    return NONE if s.dealt == hand_size(s.round) * c.players else (starter(s, c) + s.dealt) % c.players


@njit(cache=True)
def _undealt(s, c):
    cards = PACK
    for seat in range(c.players):
        cards &= ~s.hands[seat]
    return cards


@njit(cache=True)
def _deal(s, c, card):
    seat = dealt_to(s, c)
    if seat == NONE:
        s.trump = card
        s.dealt = 0
        s.phase = BID
    else:
        s.hands[seat] |= 1 << card
        s.dealt += 1


@njit(cache=True)
def chance_outcomes(s, c, outcomes, probs):
    n = 0
    if s.phase == SETUP:
        n = c.players
        for seat in range(n):
            outcomes[seat] = seat
    else:
        cards = _undealt(s, c)
        while cards != 0:
            outcomes[n] = lowest_bit(cards)
            cards &= cards - 1
            n += 1
    for i in range(n):
        probs[i] = 1.0 / n
    return n


@njit(cache=True)
def sample_chance(s, c, rng):
    if s.phase == SETUP:
        return random_below(rng, c.players)
    cards = _undealt(s, c)
    while True:
        card = random_below(rng, CARDS)
        if cards >> card & 1:
            return card


# The end (section 9).


@njit(cache=True)
def _rank(s, c, seat):
    """A number that orders the seats of a finished game, the winner's being the greatest; equal means tied."""
    if not landed(s, c, seat):
        return -c.distance[s.at[seat]]
    rank = 1 + s.unused[seat] * MAX_PLAYERS
    if c.earlier_mover == 1:
        rank += c.players - 1 - (seat - starter(s, c)) % c.players
    return rank


@njit(cache=True)
def places(s, c, out):
    """Writes every seat's place in a finished game to `out`: 1 for the winner; tied players share the better one."""
    for seat in range(c.players):
        out[seat] = 1
        for other in range(c.players):
            if _rank(s, c, other) > _rank(s, c, seat):
                out[seat] += 1


@njit(cache=True)
def returns(s, c, out):
    winners = 0
    places(s, c, out)
    for seat in range(c.players):
        winners += out[seat] == 1
    for seat in range(c.players):
        out[seat] = 1.0 / winners if out[seat] == 1 else 0.0
