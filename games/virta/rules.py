"""virta's rules as compiled functions; section numbers are those of docs/games/virta.md.

A turn is two decisions: a space of the spiral, then its action. An action is a chain of small choices where it has to
be: a walk names the pawn and where it ends, and then, where parts can change hands on the way, what each pawn carries
in the end; a rake names the pawn, and then which old part goes into the circle. So every result has one chain. Nothing
is walked step by step: what a walk can bring about, and its price, is found by distances and a search over meetings.

The board is data, in the constants. Circles, areas, spaces and letters are numbered in the order of the board; a set
of circles or areas is a bit mask. What a pawn carries is one number, `16 * high + low`, of its letters counted from 1;
how many there are of each letter is one number too, a byte a letter.
"""

import numpy as np
from numba import njit

from voyageur.games.rules import CHANCE, TERMINAL, bit_count, hash_words, lowest_bit, mix, random_below

MAX_PLAYERS = 4
MAX_PAWNS = 6
MAX_CIRCLES = 60
MAX_AREAS = 40
MAX_SPACES = 40
MAX_LETTERS = 8
MAX_TOUCHED = 8
NAME_LENGTH = 8
AHEAD = 6  # flows that the plain player looks ahead

NONE = -1
FAR = 1 << 40  # a distance that nobody can pay for
NOT_PLACED = -1
START = 0  # the start circle of the spiral

SETUP, SPIRAL, ACT, OVER = range(4)
# Steps of an action; CARRY follows a walk that met an own pawn, DROP a rake that has to give something back.
PLAIN, CARRY, DROP = range(3)
# Symbols of the spiral.
FOOT, RAKE, TOKENS, POINT, ARROW = range(5)

# Actions.
# 0 to MAX_SPACES - 1 are the spaces of the spiral.
TAKE = MAX_SPACES
GAIN = TAKE + 1
GO = GAIN + 1  # + pawn * MAX_AREAS + area
EXCHANGE = GO + MAX_PAWNS * MAX_AREAS
LOAD = EXCHANGE + 1  # + what the pawn carries
LOADS = 16 * MAX_LETTERS + MAX_LETTERS + 1
LIFT = LOAD + LOADS  # + pawn
RETURN = LIFT + MAX_PAWNS  # + letter, counted from 1
NUM_ACTIONS = RETURN + MAX_LETTERS + 1
MAX_ACTIONS = MAX_PAWNS * MAX_AREAS + 3

STATE = np.dtype(
    [
        # Words 0 to 3: what nobody knows, the letters of the piles that lie face down, as far as they were not seen.
        ("unknown", "i8", (MAX_PLAYERS,)),  # a byte a letter
        # Word 4 onwards: what everybody sees.
        ("river", "i8", (MAX_LETTERS,)),  # the circles that hold each letter
        ("delivered", "i8", (MAX_PLAYERS,)),  # a byte a letter
        ("at", "u1", (MAX_PLAYERS, MAX_PAWNS)),  # area of each pawn
        ("load", "u1", (MAX_PLAYERS, MAX_PAWNS)),
        ("tokens", "i4", (MAX_PLAYERS,)),
        ("points", "i4", (MAX_PLAYERS,)),
        ("turns", "i4"),  # player turns completed; 0 without a turn limit
        ("space", "i1", (MAX_PLAYERS,)),  # of the action pawn, or NOT_PLACED
        ("flow_tokens", "u1", (MAX_PLAYERS,)),  # held
        ("phase", "u1"),
        ("turn", "i1"),  # seat to act, 0 when it is over; -1 before it is drawn
        ("first", "i1"),  # first player; 0 unless flow tokens come back once a round
        ("piles", "u1"),  # bit set of the seats with something `unknown`
        # The action under way; all zero between moves.
        ("step", "u1"),
        ("pawn", "u1"),  # that walks or rakes; MAX_PAWNS where it is an exchange, by whichever pawn
        ("goal", "u1"),  # area where the walk ends
        ("settled", "u1"),  # pawns whose `carry` is settled
        ("carry", "u1", (MAX_PAWNS,)),  # what they carry in the end
        ("blank", "u1", (6,)),
    ]
)
WORDS = STATE.itemsize // 8
KNOWN = 4  # the first word of what everybody sees

# Eight bytes each: an int8 here would make numba compile every function that takes a seat twice.
CONSTANTS = np.dtype(
    [
        ("players", "i8"),
        ("first_player", "i8"),
        ("pawns", "i8"),
        ("flow_tokens", "i8"),
        ("by_round", "i8"),  # flow tokens come back when the first player's turn begins
        ("turn_limit", "i8"),  # 0: none
        # The river.
        ("circles", "i8"),
        ("next", "i8", (MAX_CIRCLES,)),
        ("feeder", "i8", (MAX_CIRCLES,)),  # the circle that flows in, with right of way; or NONE
        ("second", "i8", (MAX_CIRCLES,)),  # the other circle that flows in, or NONE
        ("rival", "i8", (MAX_CIRCLES,)),  # the circle that has right of way over this one, or NONE
        ("waiting", "i8"),  # circles that have a rival
        ("straight", "i8"),  # circles whose next is the one after them in the order of the board
        ("tail", "i8", (MAX_CIRCLES,)),  # upstream order where the feeders end
        ("tail_length", "i8"),
        ("start_circles", "i8", (MAX_CIRCLES,)),  # one for each part
        # The land.
        ("areas", "i8"),
        ("near", "i8", (MAX_AREAS,)),  # neighbours
        ("homes", "i8"),  # collection places
        ("home", "i8"),  # where pawns begin
        ("touch", "i8", (MAX_AREAS, MAX_TOUCHED)),  # circles, most downstream first, then NONE
        ("home_steps", "i8", (MAX_AREAS,)),  # to the nearest collection place with nobody in the way, or FAR
        # What drifts by: the circles whose parts will be in the most downstream one touched after 0, 1, ... flows.
        ("coming", "i8", (MAX_AREAS, AHEAD)),
        # The spiral.
        ("spaces", "i8"),
        ("symbol", "i8", (MAX_SPACES,)),
        ("number", "i8", (MAX_SPACES,)),  # of a symbol: areas to walk, tokens to gain
        ("brown", "i8"),
        ("restart", "i8"),  # spaces to choose from at the centre
        # Parts.
        ("letters", "i8"),
        ("parts", "i8", (MAX_LETTERS,)),  # in the box
        ("large", "i8"),
        ("start_tokens", "i8", (MAX_PLAYERS,)),
        # What they are called, for people: code points, filled up with 0.
        ("circle_names", "u4", (MAX_CIRCLES, NAME_LENGTH)),
        ("area_names", "u4", (MAX_AREAS, NAME_LENGTH)),
        ("letter_names", "u4", (MAX_LETTERS, NAME_LENGTH)),
    ]
)


def setup(s, c):
    """Section 3: fills the state of a game that has not begun. `s` and `c` are arrays of one record."""
    players = int(c["players"][0])
    s[:] = np.zeros(1, STATE)
    s["at"][0, :players, : c["pawns"][0]] = c["home"][0]
    s["tokens"][0, :players] = c["start_tokens"][0, :players]
    s["space"][0, :players] = NOT_PLACED
    s["turn"] = c["first_player"]
    s["first"] = max(0, c["first_player"][0]) if c["by_round"][0] else 0
    s["phase"] = SETUP


# Who acts.


@njit(cache=True)
def current_player(s, c):
    if s.phase == SETUP:
        return np.int64(CHANCE)
    if s.phase == OVER:
        return np.int64(TERMINAL)
    return np.int64(s.turn)


@njit(cache=True)
def at_decision(s, c):
    return s.phase != SETUP and s.step == PLAIN


# The set-up (section 3): the first player, then the parts one by one onto the start circles.


@njit(cache=True)
def dealt(s, c):
    """Parts that lie in the river already."""
    river, n = in_river(s, c), 0
    while river >> c.start_circles[n] & 1:
        n += 1
    return n


@njit(cache=True)
def in_river(s, c):
    """The circles that hold a part."""
    mask = np.int64(0)
    for letter in range(c.letters):
        mask |= s.river[letter]
    return mask


@njit(cache=True)
def chance_outcomes(s, c, outcomes, probs):
    n = 0
    if s.turn < 0:
        for seat in range(c.players):
            outcomes[n] = seat
            probs[n] = 1.0 / c.players
            n += 1
        return n
    left = 0
    for letter in range(c.letters):
        left += c.parts[letter] - bit_count(s.river[letter])
    for letter in range(c.letters):
        number = c.parts[letter] - bit_count(s.river[letter])
        if number > 0:
            outcomes[n] = letter
            probs[n] = number / left
            n += 1
    return n


@njit(cache=True)
def sample_chance(s, c, rng):
    if s.turn < 0:
        return random_below(rng, c.players)
    left = 0
    for letter in range(c.letters):
        left += c.parts[letter] - bit_count(s.river[letter])
    drawn = random_below(rng, left)
    letter = 0
    while True:
        drawn -= c.parts[letter] - bit_count(s.river[letter])
        if drawn < 0:
            return letter
        letter += 1


@njit(cache=True)
def _deal(s, c, outcome):
    if s.turn < 0:
        s.turn = outcome
        if c.by_round == 1:
            s.first = outcome
        return
    s.river[outcome] |= np.int64(1) << c.start_circles[dealt(s, c)]
    for letter in range(c.letters):
        if bit_count(s.river[letter]) < c.parts[letter]:
            return
    s.phase = SPIRAL


# The spiral (section 5).


@njit(cache=True)
def occupied(s, c, seat):
    """The spaces that hold somebody else's action pawn; the start circle holds any number."""
    mask = np.int64(0)
    for other in range(c.players):
        if other != seat and s.space[other] > START:
            mask |= np.int64(1) << s.space[other]
    return mask


@njit(cache=True)
def free_ahead(s, c, seat, end):
    """Free spaces between the seat's action pawn and space `end`, which is what it costs to land there."""
    taken, n = occupied(s, c, seat), 0
    for space in range(s.space[seat] + 1, end):
        n += 1 - (taken >> space & 1)
    return n


@njit(cache=True)
def spaces_open(s, c, seat):
    """The spaces on which the seat's action pawn can end."""
    here = np.int64(s.space[seat])
    if here == NOT_PLACED:
        return np.int64(1) << START
    taken, tokens, cost = occupied(s, c, seat), s.tokens[seat], 0
    mask = np.int64(0)
    for space in range(here + 1, c.spaces):
        if taken >> space & 1 == 0:
            if cost <= tokens:
                mask |= np.int64(1) << space
            cost += 1
    if cost <= tokens:  # the centre; what lies ahead is cheaper without it
        mask |= c.restart & ~taken & ((np.int64(2) << here) - 1)
    return mask


@njit(cache=True)
def free_flow_tokens(s, c):
    free = c.flow_tokens
    for seat in range(c.players):
        free -= s.flow_tokens[seat]
    return free


@njit(cache=True)
def standing(s, c, river):
    """The circles out of `river`, which hold a part, whose part stays when the river flows (section 6)."""
    stay = np.int64(0)
    waiting = river & c.waiting
    while waiting:
        circle = lowest_bit(waiting)
        waiting &= waiting - 1
        if river >> c.rival[circle] & 1:
            stay |= np.int64(1) << circle
    more = stay
    while more:
        behind = np.int64(0)
        while more:
            circle = lowest_bit(more)
            more &= more - 1
            if c.feeder[circle] != NONE:
                behind |= np.int64(1) << c.feeder[circle]
            if c.second[circle] != NONE:
                behind |= np.int64(1) << c.second[circle]
        more = behind & river & ~stay
        stay |= more
    return stay


@njit(cache=True)
def carried_on(c, circles):
    """Where the parts of `circles` are after a flow that moves them all."""
    moved = (circles & c.straight) << 1
    rest = circles & ~c.straight
    while rest:
        moved |= np.int64(1) << c.next[lowest_bit(rest)]
        rest &= rest - 1
    return moved


@njit(cache=True)
def flow(s, c):
    """One flow of the river."""
    stay = standing(s, c, in_river(s, c))
    for letter in range(c.letters):
        s.river[letter] = carried_on(c, s.river[letter] & ~stay) | (s.river[letter] & stay)


@njit(cache=True)
def flows_at(s, c, seat, space):
    """Whether the river flows when the seat's action pawn ends on `space`."""
    return s.space[seat] != NOT_PLACED and c.brown >> space & 1 == 1 and free_flow_tokens(s, c) > 0


@njit(cache=True)
def price_of_space(s, c, seat, space):
    here = s.space[seat]
    return free_ahead(s, c, seat, space if space > here else c.spaces) if here != NOT_PLACED else 0


@njit(cache=True)
def _place(s, c, seat, space):
    s.tokens[seat] -= price_of_space(s, c, seat, space)
    flows = flows_at(s, c, seat, space)
    s.space[seat] = space
    if flows:
        s.flow_tokens[seat] += 1
        flow(s, c)
    s.phase = ACT


# What pawns carry.


@njit(cache=True)
def is_large(c, letter):
    """Whether `letter` (counted from 1) is large."""
    return c.large >> (letter - 1) & 1 == 1


@njit(cache=True)
def with_part(load, letter):
    """A load of at most one small part with another `letter`."""
    low, high = min(load >> 4, letter), max(load >> 4, letter)
    return high << 4 | low


@njit(cache=True)
def without_part(load, letter):
    """A load without one `letter` that is in it."""
    return (load & 15 if load >> 4 == letter else load >> 4) << 4


@njit(cache=True)
def counts_of(load):
    """The parts of a load, a byte a letter."""
    counts = np.int64(0)
    if load >> 4:
        counts += np.int64(1) << (8 * (load >> 4) - 8)
    if load & 15:
        counts += np.int64(1) << (8 * (load & 15) - 8)
    return counts


@njit(cache=True)
def can_swap(c, one, other):
    """Whether two pawns with these loads can divide them in another way."""
    if one != other:
        return True
    high, low = one >> 4, one & 15
    return high != low and (low != 0 or not is_large(c, high))


# The land (section 7). Distances count areas walked; foreign pawns on banks are in the way.


@njit(cache=True)
def banks_of(s, c, seat):
    """The banks on which the seat's pawns stand."""
    mask = np.int64(0)
    for pawn in range(c.pawns):
        mask |= np.int64(1) << s.at[seat, pawn]
    return mask & ~c.homes


@njit(cache=True)
def blocked(s, c, seat):
    """The banks on which other players' pawns stand."""
    mask = np.int64(0)
    for other in range(c.players):
        if other != seat:
            mask |= banks_of(s, c, other)
    return mask


@njit(cache=True)
def neighbours(c, areas):
    """All areas next to one of `areas`."""
    mask = np.int64(0)
    while areas:
        mask |= c.near[lowest_bit(areas)]
        areas &= areas - 1
    return mask


@njit(cache=True)
def within(c, start, steps, walls):
    """The areas, `start` among them, to which `steps` areas or fewer lead that are not in `walls`."""
    seen = np.int64(1) << start
    edge = seen
    while edge and steps > 0:
        edge = neighbours(c, edge) & ~seen & ~walls
        seen |= edge
        steps -= 1
    return seen


@njit(cache=True)
def distance(c, start, goal, walls):
    """Steps from `start` to `goal`, or FAR."""
    seen = np.int64(1) << start
    edge, steps = seen, 0
    while edge:
        if edge >> goal & 1:
            return steps
        edge = neighbours(c, edge) & ~seen & ~walls
        seen |= edge
        steps += 1
    return FAR


@njit(cache=True)
def reach(s, c, seat):
    """Areas that the seat can walk at most, paying with all its tokens."""
    return c.number[s.space[seat]] + s.tokens[seat]


@njit(cache=True)
def partners(s, c, seat, pawn):
    """The banks of own pawns with which `pawn` can divide their parts in another way."""
    mask = np.int64(0)
    for other in range(c.pawns):
        if other != pawn and can_swap(c, np.int64(s.load[seat, pawn]), np.int64(s.load[seat, other])):
            mask |= np.int64(1) << s.at[seat, other]
    return mask & ~c.homes


@njit(cache=True)
def can_meet(s, c, seat, pawn, goal, walls):
    """Whether `pawn` can meet an own pawn on the way to `goal`, so that parts can change hands."""
    here, banks = np.int64(s.at[seat, pawn]), partners(s, c, seat, pawn)
    while banks:
        there = lowest_bit(banks)
        banks &= banks - 1
        first = distance(c, here, there, walls)
        if first < FAR and first + distance(c, there, goal, walls) <= reach(s, c, seat):
            return True
    return False


@njit(cache=True)
def can_exchange(s, c, seat, walls):
    """Whether parts can change hands by a walk that ends where it began."""
    for pawn in range(c.pawns):
        banks = partners(s, c, seat, pawn)
        if banks and banks & within(c, np.int64(s.at[seat, pawn]), reach(s, c, seat) // 2, walls):
            return True
    return False


@njit(cache=True)
def _foot_actions(s, c, seat, out, n):
    walls, own = blocked(s, c, seat), banks_of(s, c, seat)
    steps = reach(s, c, seat)
    for pawn in range(c.pawns):
        here = np.int64(s.at[seat, pawn])
        ends = within(c, here, steps, walls) & ~own & ~(np.int64(1) << here)
        while ends:
            out[n] = GO + pawn * MAX_AREAS + lowest_bit(ends)
            ends &= ends - 1
            n += 1
    if can_exchange(s, c, seat, walls):
        out[n] = EXCHANGE
        n += 1
    return n


@njit(cache=True)
def _arrow_actions(s, c, seat, out, n):
    for pawn in range(c.pawns):
        if c.homes >> s.at[seat, pawn] & 1:
            continue
        for area in range(c.areas):
            if c.homes >> area & 1:
                out[n] = GO + pawn * MAX_AREAS + area
                n += 1
    return n


# What a walk with meetings can bring about: a table of what all own pawns can carry when the walking one has met
# another, found in the order of steps (Dijkstra). Needed only where parts can change hands, so that it may allocate.

# Columns: who carries what, who walks, and whom it met last; steps until then; steps with the way to the end; who
# carries what in the end (nobody does in a collection place).
KEY, STEPS, TOTAL, RESULT = range(4)
WALKER, MET = 48, 52  # bits of a key where these begin; before them a byte for each pawn's load
NOBODY = 15


@njit(cache=True)
def load_in(key, pawn):
    return key >> (8 * pawn) & 255


@njit(cache=True)
def with_load(key, pawn, load):
    return key & ~(np.int64(255) << (8 * pawn)) | load << (8 * pawn)


@njit(cache=True)
def loads_of(s, c, seat):
    """What the seat's pawns carry, as the lower bytes of a key."""
    key = np.int64(0)
    for pawn in range(c.pawns):
        key |= np.int64(s.load[seat, pawn]) << (8 * pawn)
    return key


@njit(cache=True)
def _note(table, index, count, key, steps, total, result):
    """Puts a way at the end of `table`, or where it stands already if it is shorter; returns how many there are."""
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) & (len(index) - 1)
    while index[slot] != NONE and table[index[slot], KEY] != key:
        slot = (slot + 1) & (len(index) - 1)
    row = np.int64(index[slot])
    if row == NONE:
        row = count
        count += 1
        index[slot] = row
    elif steps >= table[row, STEPS]:
        return count
    table[row, KEY], table[row, STEPS], table[row, TOTAL], table[row, RESULT] = key, steps, total, result
    return count


@njit(cache=True)
def _split(c, one, other, subset):
    """(load, load) when the parts in `subset` of those of two pawns go to the first, the rest to the second.

    The first is NONE where one of them cannot carry that. Bits 0 and 1 are the parts of `one`, 2 and 3 of `other`.
    """
    first, second = np.int64(0), np.int64(0)
    for i in range(4):
        letter = (one if i < 2 else other) >> (4 - 4 * (i & 1)) & 15
        if letter == 0:
            continue
        load = first if subset >> i & 1 else second
        if load & 15 or (load and (is_large(c, letter) or is_large(c, load >> 4))):
            return np.int64(NONE), np.int64(0)
        if subset >> i & 1:
            first = with_part(load, letter)
        else:
            second = with_part(load, letter)
    return first, second


@njit(cache=True)
def _bits(load):
    """Bit 0 for the first part of a load, bit 1 for the second."""
    return (load > 0) | (load & 15 > 0) << 1


@njit(cache=True)
def _goal(s, seat, walker):
    return np.int64(s.goal) if s.pawn != MAX_PAWNS else np.int64(s.at[seat, walker])


@njit(cache=True)
def _meet(s, c, seat, row, between, table, index, count):
    """Notes all that the walking pawn can do next after a way of the table; returns how many ways there are."""
    key, steps = table[row, KEY], table[row, STEPS]
    walker, met = key >> WALKER & 15, key >> MET
    goal = _goal(s, seat, walker)
    for pawn in range(c.pawns):
        if pawn in (walker, met) or c.homes >> s.at[seat, pawn] & 1:
            continue
        then = steps + between[walker if met == NOBODY else met, s.at[seat, pawn]]
        total = then + between[pawn, goal]
        if total > reach(s, c, seat):
            continue
        one, other = load_in(key, walker), load_in(key, pawn)
        parts = _bits(one) | _bits(other) << 2
        subset = parts
        while True:
            own, others = _split(c, one, other, subset)
            if own != NONE:
                loads = with_load(with_load(key & ((np.int64(1) << WALKER) - 1), walker, own), pawn, others)
                result = with_load(loads, walker, np.int64(0)) if c.homes >> goal & 1 else loads
                key_then = loads | walker << WALKER | pawn << MET
                count = _note(table, index, count, key_then, then, total, result)
            if subset == 0:
                break
            subset = (subset - 1) & parts
    return count


@njit(cache=True)
def _explore(s, c, seat, between, table, index):
    """Fills `table` with all ways of the walk under way, and returns their number; NONE if it is too small."""
    index[:] = NONE
    loads, count = loads_of(s, c, seat), np.int64(0)
    for pawn in range(c.pawns):
        if s.pawn == MAX_PAWNS or s.pawn == pawn:
            goal = _goal(s, seat, np.int64(pawn))
            total = between[pawn, goal] if s.pawn == pawn else np.int64(FAR)  # an exchange needs a meeting
            result = with_load(loads, pawn, np.int64(0)) if c.homes >> goal & 1 else loads
            key = loads | np.int64(pawn) << WALKER | np.int64(NOBODY) << MET
            count = _note(table, index, count, key, np.int64(0), total, result)
    now = np.int64(0)
    while now < FAR:
        following, row = np.int64(FAR), 0
        while row < count:
            if table[row, STEPS] == now:
                if count + 16 * MAX_PAWNS > len(table):
                    return np.int64(NONE)
                count = _meet(s, c, seat, row, between, table, index, count)
            row += 1
        for row in range(count):
            if table[row, STEPS] > now:
                following = min(following, table[row, STEPS])
        now = following
    return count


@njit(cache=True)
def _fill_distances(c, start, walls, out):
    """Writes the steps from `start` to each area to `out`."""
    out[:] = FAR
    seen = np.int64(1) << start
    edge, steps = seen, 0
    while edge:
        here = edge
        while here:
            out[lowest_bit(here)] = steps
            here &= here - 1
        edge = neighbours(c, edge) & ~seen & ~walls
        seen |= edge
        steps += 1


@njit(cache=True)
def ways(s, c, seat):
    """The table of all ways of the walk under way."""
    walls = blocked(s, c, seat)
    between = np.empty((c.pawns, c.areas), np.int64)  # steps from each pawn to each area
    for pawn in range(c.pawns):
        _fill_distances(c, np.int64(s.at[seat, pawn]), walls, between[pawn])
    rows = 256
    while True:
        table, index = np.empty((rows, 4), np.int64), np.empty(2 * rows, np.int32)
        count = _explore(s, c, seat, between, table, index)
        if count != NONE:
            return table[:count]
        rows *= 4


@njit(cache=True)
def fits(s, c, seat, way):
    """Whether a row of the table is a result that agrees with what is settled."""
    if way[TOTAL] > reach(s, c, seat):
        return False
    for pawn in range(s.settled):
        if load_in(way[RESULT], pawn) != s.carry[pawn]:
            return False
    return s.pawn != MAX_PAWNS or way[RESULT] != loads_of(s, c, seat)


@njit(cache=True)
def _carry_actions(s, c, seat, out):
    """What the first pawn that is not settled can carry in the end."""
    table = ways(s, c, seat)
    offered = np.zeros(LOADS, np.bool_)
    for way in table:
        if fits(s, c, seat, way):
            offered[load_in(way[RESULT], s.settled)] = True
    n = 0
    for load in range(LOADS):
        if offered[load]:
            out[n] = LOAD + load
            n += 1
    return n


@njit(cache=True)
def _settle(s, c, seat, table):
    """Settles what the pawns carry as long as there is only one possibility; the steps of the walk when all are."""
    while True:
        possible, steps, several = np.int64(NONE), np.int64(FAR), False
        for way in table:
            if fits(s, c, seat, way):
                steps = min(steps, way[TOTAL])
                if s.settled < c.pawns:
                    load = load_in(way[RESULT], s.settled)
                    several = several or (possible != NONE and possible != load)
                    possible = load
        if s.settled == c.pawns:
            return steps
        if several:
            return np.int64(NONE)
        s.carry[s.settled] = possible
        s.settled += 1


@njit(cache=True)
def _walk_on(s, c, seat):
    """Goes on with a walk on which parts can change hands, and ends it when all is settled."""
    steps = _settle(s, c, seat, ways(s, c, seat))
    if steps == NONE:
        return
    if s.pawn != MAX_PAWNS:
        s.at[seat, s.pawn] = s.goal
    for pawn in range(c.pawns):
        s.delivered[seat] += counts_of(np.int64(s.load[seat, pawn])) - counts_of(np.int64(s.carry[pawn]))
        s.load[seat, pawn] = s.carry[pawn]
        s.carry[pawn] = 0
    s.pawn, s.goal, s.settled, s.step = 0, 0, 0, PLAIN
    _pay_for(s, c, seat, steps)


@njit(cache=True)
def _pay_for(s, c, seat, steps):
    """Pays for a walk of so many areas, and ends the turn."""
    s.tokens[seat] -= max(0, steps - c.number[s.space[seat]])
    _end_turn(s, c)


@njit(cache=True)
def deliver(s, c, seat, pawn):
    """What a pawn in a collection place carries goes face down in front of the seat."""
    if c.homes >> s.at[seat, pawn] & 1:
        s.delivered[seat] += counts_of(np.int64(s.load[seat, pawn]))
        s.load[seat, pawn] = 0


@njit(cache=True)
def _go(s, c, seat, pawn, goal):
    if c.symbol[s.space[seat]] == ARROW:
        s.at[seat, pawn] = goal
        deliver(s, c, seat, pawn)
        _end_turn(s, c)
        return
    walls = blocked(s, c, seat)
    if can_meet(s, c, seat, pawn, goal, walls):
        s.step, s.pawn, s.goal = CARRY, pawn, goal
        _walk_on(s, c, seat)
        return
    steps = distance(c, np.int64(s.at[seat, pawn]), goal, walls)
    s.at[seat, pawn] = goal
    deliver(s, c, seat, pawn)
    _pay_for(s, c, seat, steps)


# Rakes (section 7).


@njit(cache=True)
def target(c, river, area):
    """The most downstream circle out of `river` that `area` touches, or NONE."""
    for i in range(MAX_TOUCHED):
        circle = c.touch[area, i]
        if circle == NONE or river >> circle & 1:
            return circle
    return np.int64(NONE)


@njit(cache=True)
def letter_at(s, c, circle):
    """The letter, counted from 1, in a circle that holds a part."""
    letter = np.int64(0)
    while s.river[letter] >> circle & 1 == 0:
        letter += 1
    return letter + 1


@njit(cache=True)
def free_upstream(c, river, circle):
    """The first circle upstream of `circle` that is not in `river` (section 2.4), or NONE."""
    tried = np.int64(0)
    here = circle
    while here != NONE and tried >> here & 1 == 0:
        if river >> here & 1 == 0 and here != circle:
            return here
        tried |= np.int64(1) << here
        here = c.feeder[here]
    for i in range(c.tail_length):
        here = c.tail[i]
        if (tried | river) >> here & 1 == 0:
            return here
    return np.int64(NONE)


@njit(cache=True)
def returnable(s, c, seat, pawn, circle):
    """Bit set of the letters, counted from 1, that can go into `circle` when `pawn` raises the part there.

    Bit 0 stands for nothing going back; 0 means that the part cannot be raised.
    """
    letter, load = letter_at(s, c, circle), np.int64(s.load[seat, pawn])
    high, low = load >> 4, load & 15
    large = is_large(c, letter)
    if large and s.tokens[seat] == 0:
        return np.int64(0)
    if load == 0 or (low == 0 and not large and not is_large(c, high)):
        return np.int64(1)
    if large and low and free_upstream(c, in_river(s, c), circle) == NONE:
        return np.int64(0)
    letters = np.int64(1) << high
    if low:
        letters |= np.int64(1) << low
    return letters if large else letters & ~(np.int64(1) << letter)


@njit(cache=True)
def _rake_actions(s, c, seat, out, n):
    river = in_river(s, c)
    for pawn in range(c.pawns):
        circle = target(c, river, np.int64(s.at[seat, pawn]))
        if circle != NONE and returnable(s, c, seat, pawn, circle) != 0:
            out[n] = LIFT + pawn
            n += 1
    return n


@njit(cache=True)
def _return_actions(s, c, seat, out):
    circle = target(c, in_river(s, c), np.int64(s.at[seat, s.pawn]))
    letters, n = returnable(s, c, seat, np.int64(s.pawn), circle), 0
    for letter in range(1, c.letters + 1):
        if letters >> letter & 1:
            out[n] = RETURN + letter
            n += 1
    return n


@njit(cache=True)
def _raise(s, c, seat, pawn, circle, back):
    """Raises the part in `circle`, the letter `back` (0: none) going into it."""
    letter, load = letter_at(s, c, circle), np.int64(s.load[seat, pawn])
    here = np.int64(1) << circle
    s.river[letter - 1] &= ~here
    if back:
        s.river[back - 1] |= here
        load = without_part(load, back)
    if is_large(c, letter):
        s.tokens[seat] -= 1
        if load:
            s.river[(load >> 4) - 1] |= np.int64(1) << free_upstream(c, in_river(s, c), circle)
            load = np.int64(0)
    s.load[seat, pawn] = with_part(load, letter)
    s.pawn, s.step = 0, PLAIN
    _end_turn(s, c)


@njit(cache=True)
def _lift(s, c, seat, pawn):
    circle = target(c, in_river(s, c), np.int64(s.at[seat, pawn]))
    letters = returnable(s, c, seat, pawn, circle)
    if letters & (letters - 1):
        s.step, s.pawn = DROP, pawn
        return
    back = np.int64(0)
    while letters >> back != 1:
        back += 1
    _raise(s, c, seat, pawn, circle, back)


# The turn.


@njit(cache=True)
def _end_turn(s, c):
    if c.turn_limit > 0:
        s.turns += 1
    if in_river(s, c) == 0 or (c.turn_limit > 0 and s.turns >= c.turn_limit):
        s.phase, s.turn = OVER, 0
        return
    s.phase = SPIRAL
    s.turn = (s.turn + 1) % c.players
    return_flow_tokens(s, c)


@njit(cache=True)
def return_flow_tokens(s, c):
    """What comes back when the turn of the seat to act begins."""
    if c.by_round == 0:
        s.flow_tokens[s.turn] = 0
    elif s.turn == s.first:
        for seat in range(c.players):
            s.flow_tokens[seat] = 0


@njit(cache=True)
def legal_actions(s, c, player, out):
    if s.phase == SPIRAL:
        spaces, n = spaces_open(s, c, player), 0
        while spaces:
            out[n] = lowest_bit(spaces)
            spaces &= spaces - 1
            n += 1
        return n
    if s.step == CARRY:
        return _carry_actions(s, c, player, out)
    if s.step == DROP:
        return _return_actions(s, c, player, out)
    out[0] = TAKE
    symbol = c.symbol[s.space[player]]
    if symbol == FOOT:
        return _foot_actions(s, c, player, out, 1)
    if symbol == RAKE:
        return _rake_actions(s, c, player, out, 1)
    if symbol == ARROW:
        return _arrow_actions(s, c, player, out, 1)
    out[1] = GAIN
    return 2


@njit(cache=True)
def _act(s, c, seat, action):
    if action == TAKE:
        s.tokens[seat] += 1
        _end_turn(s, c)
    elif action == GAIN:
        space = s.space[seat]
        if c.symbol[space] == TOKENS:
            s.tokens[seat] += c.number[space]
        else:
            s.points[seat] += 1
        _end_turn(s, c)
    elif action < EXCHANGE:
        _go(s, c, seat, (action - GO) // MAX_AREAS, (action - GO) % MAX_AREAS)
    elif action == EXCHANGE:
        s.step, s.pawn = CARRY, MAX_PAWNS
        _walk_on(s, c, seat)
    elif action < LIFT:
        s.carry[s.settled] = action - LOAD
        s.settled += 1
        _walk_on(s, c, seat)
    elif action < RETURN:
        _lift(s, c, seat, action - LIFT)
    else:
        circle = target(c, in_river(s, c), np.int64(s.at[seat, s.pawn]))
        _raise(s, c, seat, np.int64(s.pawn), circle, action - RETURN)


@njit(cache=True)
def apply_action(s, c, action):
    if s.phase == SPIRAL:
        _place(s, c, np.int64(s.turn), action)
    elif s.phase == ACT:
        _act(s, c, np.int64(s.turn), action)
    else:
        _deal(s, c, action)


# The end (section 9).


@njit(cache=True)
def copies(s, c, seat):
    """Parts that the seat has delivered or carries, a byte a letter."""
    counts = s.delivered[seat] + s.unknown[seat]
    for pawn in range(c.pawns):
        counts += counts_of(np.int64(s.load[seat, pawn]))
    return counts


@njit(cache=True)
def score(s, c, seat):
    total, counts = np.int64(s.points[seat]), copies(s, c, seat)
    for letter in range(c.letters):  # 2, 3, 4, ... for a small letter, 3, 4, 5, ... for a large one
        n = counts >> (8 * letter) & 255
        total += n * (3 + n + 2 * (c.large >> letter & 1)) // 2
    for pawn in range(c.pawns):
        total += c.homes >> s.at[seat, pawn] & 1
    return total


@njit(cache=True)
def returns(s, c, out):
    best, winners = np.int64(-1), 0
    for seat in range(c.players):
        rank = score(s, c, seat) << 32 | s.tokens[seat]
        if rank > best:
            best, winners = rank, 0
        winners += rank == best
    for seat in range(c.players):
        out[seat] = 1.0 / winners if score(s, c, seat) << 32 | s.tokens[seat] == best else 0.0


# What a player knows (section 10): all but what lies in the piles of unknown letters.


@njit(cache=True)
def public_key(s, c):
    key = hash_words(s, KNOWN, WORDS)
    if s.piles:
        for seat in range(c.players):
            key = mix(key, total_of(s.unknown[seat]))
    return key


@njit(cache=True)
def total_of(counts):
    """All letters together of `counts`, a byte a letter."""
    total = np.int64(0)
    while counts:
        total += counts & 255
        counts >>= 8
    return total


@njit(cache=True)
def information_key(s, c, player):
    return mix(public_key(s, c), player)


@njit(cache=True)
def unaccounted(s, c):
    """Parts in the box that are neither in the river nor known to be somebody's, a byte a letter."""
    left = np.int64(0)
    for letter in range(c.letters):
        left += (c.parts[letter] - bit_count(s.river[letter])) << (8 * letter)
    for seat in range(c.players):
        left -= copies(s, c, seat) - s.unknown[seat]
    return left


@njit(cache=True)
def determinize(s, c, player, rng, table):
    if s.piles == 0:
        return
    left = unaccounted(s, c)
    for seat in range(c.players):
        number = total_of(s.unknown[seat])
        s.unknown[seat] = 0
        for _ in range(number):
            drawn, letter = random_below(rng, total_of(left)), 0
            while drawn >= (left >> (8 * letter) & 255):
                drawn -= left >> (8 * letter) & 255
                letter += 1
            s.unknown[seat] += np.int64(1) << (8 * letter)
            left -= np.int64(1) << (8 * letter)


@njit(cache=True)
def conform(s, c, target, player):
    s.unknown[:] = target.unknown
