"""Goofspiel: each round all bid one of their cards at once for a prize; the highest bid alone wins its points.

Equal highest bids win nothing. The last round leaves no choice and is played as soon as the one before it is over.
With `imp_info` only the winner of a round is told, not the bids (Lanctot 2013, section 3.1.4). Cards and prizes are
numbered from 0 and worth one more than their number.
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from voyageur.games.rules import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Record,
    Rules,
    hash_words,
    mix,
    random_below,
    random_unit,
    register,
)
from voyageur.games.words import Definition, Info, PositionError, Value, Words, options, switch, whole

MAX_PLAYERS = 5
MAX_CARDS = 13
NONE = -1  # no bid yet, no prize, no winner
DESCENDING, ASCENDING, RANDOM = range(3)
WIN_LOSS, POINT_DIFFERENCE, TOTAL_POINTS = range(3)
ORDERS = ("descending", "ascending", "random")
RETURNS = ("win_loss", "point_difference", "total_points")
# Exact sampling of hidden bids counts over all sets of cards that the others may have bid.
MAX_HIDDEN_BITS = 13

STATE = np.dtype(
    [
        # Words 0 to 2: what everybody sees when bids are open.
        ("hands", "u2", (MAX_PLAYERS,)),  # bit sets; a bid leaves the hand when all have bid
        ("points", "i1", (MAX_PLAYERS,)),
        ("round", "i1"),  # rounds that are over
        ("left", "u2"),  # bit set of the prizes to come
        ("prize", "i1"),  # the prize of this round, NONE before it is drawn and after the end
        ("turn", "i1"),  # seats that have bid in this round (always 0 with simultaneous bids)
        ("blank", "u1", (4,)),
        # The past, round by round; NONE in rounds to come.
        ("prizes", "i1", (MAX_CARDS,)),
        ("winners", "i1", (MAX_CARDS,)),  # NONE also for a tie
        ("bids", "i1", (MAX_PLAYERS, MAX_CARDS)),
        ("blank_too", "u1", (5,)),
    ]
)
OPEN_WORDS = 3

CONSTANTS = np.dtype(
    [
        ("players", "i8"),
        ("num_cards", "i8"),
        ("imp_info", "i8"),
        ("points_order", "i8"),
        ("returns_type", "i8"),
        ("sequential", "i8"),
    ]
)


@njit(cache=True)
def current_player(s, c):
    """Chance draws the prize (in random order); then all bid at once, or seat by seat."""
    if s.round == c.num_cards:
        return TERMINAL
    if s.prize == NONE:
        return CHANCE
    return s.turn if c.sequential else SIMULTANEOUS


@njit(cache=True)
def at_decision(s, c):
    """Whether nobody has bid in this round."""
    return s.turn == 0


@njit(cache=True)
def mixed(s, c):
    """Always: nobody sees the others' bids before bidding."""
    return True


@njit(cache=True)
def _members(bits, out):
    """Writes the numbers in a bit set, ascending; returns how many there are."""
    n = 0
    for i in range(MAX_CARDS):
        if bits >> i & 1:
            out[n] = i
            n += 1
    return n


@njit(cache=True)
def legal_actions(s, c, player, out):
    """The cards in hand."""
    return _members(s.hands[player], out)


@njit(cache=True)
def _draw_prize(s, prize):
    s.prize = prize
    s.prizes[s.round] = prize
    s.left &= ~(1 << prize)


@njit(cache=True)
def begin_round(s, c):
    """Draws the prize of a round unless that is left to chance."""
    s.prize = NONE
    if c.points_order == RANDOM and s.round < c.num_cards - 1:
        return
    # Of one prize, first and last are the same, so the last round needs no order.
    for i in range(c.num_cards):
        prize = c.num_cards - 1 - i if c.points_order == DESCENDING else i
        if s.left >> prize & 1:
            _draw_prize(s, prize)
            return


@njit(cache=True)
def _award_prize(s, c):
    highest, winner = NONE, NONE
    for seat in range(c.players):
        bid = s.bids[seat, s.round]
        s.hands[seat] &= ~(1 << bid)
        if bid > highest:
            highest, winner = bid, seat
        elif bid == highest:
            winner = NONE
    s.winners[s.round] = winner
    if winner != NONE:
        s.points[winner] += s.prize + 1
    s.round += 1
    s.turn = 0
    begin_round(s, c)


@njit(cache=True)
def _end_round(s, c):
    _award_prize(s, c)
    if s.round == c.num_cards - 1:
        for seat in range(c.players):
            for card in range(c.num_cards):
                if s.hands[seat] >> card & 1:
                    s.bids[seat, s.round] = card
        _award_prize(s, c)


@njit(cache=True)
def apply_action(s, c, action):
    """Draws the prize, or bids for the next seat."""
    if s.prize == NONE:
        _draw_prize(s, action)
        return
    s.bids[s.turn, s.round] = action
    s.turn += 1
    if s.turn == c.players:
        _end_round(s, c)


@njit(cache=True)
def apply_joint(s, c, actions):
    """Bids for all seats."""
    for seat in range(c.players):
        s.bids[seat, s.round] = actions[seat]
    _end_round(s, c)


@njit(cache=True)
def chance_outcomes(s, c, outcomes, probs):
    """The prizes to come."""
    n = _members(s.left, outcomes)
    probs[:n] = 1.0 / n
    return n


@njit(cache=True)
def sample_chance(s, c, rng):
    """A prize to come, uniformly."""
    prize = -1
    for _ in range(1 + random_below(rng, c.num_cards - s.round)):
        prize += 1
        while not s.left >> prize & 1:
            prize += 1
    return prize


@njit(cache=True)
def returns(s, c, out):
    """By `returns_type`: 1 shared by the winners and -1 by the losers; points above the average; points."""
    total, most = 0, 0
    for seat in range(c.players):
        total += s.points[seat]
        most = max(most, s.points[seat])
    winners = 0
    for seat in range(c.players):
        winners += s.points[seat] == most
    for seat in range(c.players):
        if c.returns_type == TOTAL_POINTS:
            out[seat] = s.points[seat]
        elif c.returns_type == POINT_DIFFERENCE:
            out[seat] = s.points[seat] - total / c.players
        elif winners == c.players:
            out[seat] = 0.0
        else:
            out[seat] = 1.0 / winners if s.points[seat] == most else -1.0 / (c.players - winners)


@njit(cache=True)
def evaluate(s, c, out):
    """As if no more points were won; playouts reach the end before anybody asks."""
    returns(s, c, out)


@njit(cache=True)
def first_hidden_round(s, c):
    """The first round whose bids are not known to all: that of a choice under way, or the very first."""
    return 0 if c.imp_info else np.int64(s.round)


@njit(cache=True)
def information_key(s, c, player):
    """Hash of what everybody sees and of the own bids that others do not."""
    key = mix(public_key(s, c), player)
    for i in range(first_hidden_round(s, c), min(s.round + 1, c.num_cards)):
        key = mix(key, s.bids[player, i] - NONE)
    return key


@njit(cache=True)
def public_key(s, c):
    """Hash of hands, points and prizes, or with `imp_info` of all prizes and who won them."""
    if not c.imp_info:
        return hash_words(s, 0, OPEN_WORDS)
    key = mix(np.uint64(1), s.round << 16 | (s.prize - NONE) << 8 | s.turn)
    for i in range(s.round):
        key = mix(key, s.prizes[i] << 8 | (s.winners[i] - NONE))
    return key


# Hidden bids. A joint bid of the other seats in one round is a number with one digit a seat, to the base `num_cards`;
# what they have bid before is a bit set of `num_cards` bits a seat. For each set, the ways to go on that fit the
# winners seen are counted once a root; drawing round by round in proportion to these counts is exactly uniform.


@njit(cache=True)
def _after_bid(s, c, player, i, used, joint):
    """The set `used` and the joint bid `joint` of the others in round `i`; -1 where it does not fit what was seen."""
    highest, winner = np.int64(s.bids[player, i]), player
    shift = 0
    for seat in range(c.players):
        if seat == player:
            continue
        bid = joint % c.num_cards
        joint //= c.num_cards
        if used >> (shift + bid) & 1:
            return -1
        used |= 1 << (shift + bid)
        shift += c.num_cards
        if bid > highest:
            highest, winner = bid, seat
        elif bid == highest:
            winner = NONE
    return used if winner == s.winners[i] else -1


@njit(cache=True)
def _bids_made(c, used):
    """How many bids each of the others has made by the set `used`; -1 if not all the same."""
    made = -1
    for k in range(c.players - 1):
        count = 0
        for card in range(c.num_cards):
            count += used >> (k * c.num_cards + card) & 1
        if made >= 0 and count != made:
            return -1
        made = count
    return made


@njit(cache=True)
def prepare(s, c, player, table):
    """With `imp_info`, the number of ways in which the others' bids may have gone on from each set of bids made."""
    if not c.imp_info:
        return
    others = c.players - 1
    for used in range((1 << (others * c.num_cards)) - 1, -1, -1):
        table[used] = 0.0
        made = _bids_made(c, used)
        if made == s.round:
            table[used] = 1.0
        elif 0 <= made < s.round:
            for joint in range(c.num_cards**others):
                after = _after_bid(s, c, player, made, used, joint)
                if after >= 0:
                    table[used] += table[after]


@njit(cache=True)
def _redraw_past(s, c, player, rng, table):
    rounds, used = np.int64(s.round), np.int64(0)
    for i in range(rounds):
        ways = random_unit(rng) * table[used]
        chosen, following = 0, used
        for joint in range(c.num_cards ** (c.players - 1)):
            after = _after_bid(s, c, player, i, used, joint)
            if after >= 0 and table[after] > 0.0:
                chosen, following = joint, after
                ways -= table[after]
                if ways < 0.0:
                    break
        used = following
        for seat in range(c.players):
            if seat != player:
                s.bids[seat, i] = chosen % c.num_cards
                chosen //= c.num_cards
    for seat in range(c.players):
        s.hands[seat] = (1 << c.num_cards) - 1
        for i in range(rounds):
            s.hands[seat] &= ~(1 << s.bids[seat, i])


@njit(cache=True)
def determinize(s, c, player, rng, table):
    """Redraws the others' bids: those of this round, and with `imp_info` all."""
    if c.imp_info:
        _redraw_past(s, c, player, rng, table)
    cards = np.empty(MAX_CARDS, np.int64)
    for seat in range(s.turn):
        if seat != player:
            n = _members(s.hands[seat], cards)
            s.bids[seat, s.round] = cards[random_below(rng, n)]


@njit(cache=True)
def world_at(s, c, player, ways):
    """The one world where all bids lie open; hidden ones are as they were liked."""
    return 0.0 if c.imp_info or s.turn > 0 else 1.0


@njit(cache=True)
def consistent_action(s, c, target, player, action):
    """For a bid, the one that `target` holds; prizes are seen by all."""
    if player != CHANCE and s.round < c.num_cards and target.bids[player, s.round] != NONE:
        return np.int64(target.bids[player, s.round])
    return action


class Goofspiel(Words):
    """Goofspiel's words."""

    parameters = (
        whole("players", 2, 2, MAX_PLAYERS),
        whole("num_cards", 4, 2, MAX_CARDS),
        switch("imp_info", False),
        options("points_order", *ORDERS),
        options("returns_type", *RETURNS),
        switch("sequential", False),
    )

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        c = np.zeros(1, CONSTANTS)
        for name in ("players", "num_cards", "imp_info", "sequential"):
            c[name] = params[name]
        c["points_order"] = ORDERS.index(str(params["points_order"]))
        c["returns_type"] = RETURNS.index(str(params["returns_type"]))
        most = MAX_HIDDEN_BITS // (int(c["players"][0]) - 1)
        if params["imp_info"] and c["num_cards"][0] > most:
            raise PositionError("num_cards", f"expected at most {most} with imp_info and {params['players']} players")
        return c

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`."""
        s[:] = np.zeros(1, STATE)
        deck = (1 << int(c["num_cards"][0])) - 1
        s["hands"][0, : int(c["players"][0])] = deck
        s["left"], s["prizes"], s["winners"], s["bids"] = deck, NONE, NONE, NONE
        begin_round(s[0], c[0])

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        players, cards = int(params["players"]), int(params["num_cards"])
        total = cards * (cards + 1) / 2
        low, high = {
            "win_loss": (-1.0, 1.0),
            "point_difference": (-total / players, total - total / players),
            "total_points": (0.0, total),
        }[str(params["returns_type"])]
        drawn = params["points_order"] == "random"
        return Info(
            players=players,
            num_actions=cards,
            max_chance_outcomes=cards if drawn else 0,
            max_game_length=(cards - 1) * (players if params["sequential"] else 1),
            max_chance_nodes=cards - 1 if drawn else 0,
            min_utility=low,
            max_utility=high,
            utility_sum=None if params["returns_type"] == "total_points" else 0.0,
            hides=bool(params["imp_info"] or params["sequential"]),
            simultaneous=not params["sequential"],
        )

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        return f"prize {action + 1}" if player == CHANCE else f"bids {action + 1}"

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`."""
        parts = [f"prize {_worth([s['prize']])}"]
        if c["sequential"]:
            parts.append(f"bids made {s['turn']}")
        parts.append("points " + " ".join(str(points) for points in _of_seats(s, c, "points")))
        if c["imp_info"]:
            parts += _outcomes(s, 0)
        else:
            parts.append(f"to come {_worth(_cards(s['left']))}")
            parts += [f"P{seat} holds {_worth(_cards(hand))}" for seat, hand in enumerate(_of_seats(s, c, "hands"))]
        return "; ".join(parts)

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`: the own bids that others do not know."""
        if not (c["imp_info"] or c["sequential"]):
            return ""
        return f"[P{player} bid {_worth(_secret_bids(s, c, player))}]"

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`."""
        seen = []
        for actor, action in actions.items():
            if actor in (CHANCE, player):
                seen.append(f"P{actor} bids {action + 1}." if actor == player else f"prize {action + 1}.")
            elif c["sequential"]:
                seen.append(f"P{actor} bids.")
        for i, outcome in enumerate(_outcomes(after, int(before["round"])), int(before["round"])):
            bids = "" if c["imp_info"] else f" by bids {_worth(_of_seats(after, c, 'bids')[:, i])}"
            seen.append(f"{outcome}{bids}.")
        return " ".join(seen)

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`."""
        players, cards = int(c["players"]), int(c["num_cards"])
        total = cards * (cards + 1) / 2
        tensors = {
            "prize": _one_hot(s["prize"] - NONE, cards + 1),
            "turn": _one_hot(s["turn"], players + 1),
            "points": (_of_seats(s, c, "points") / total).astype(np.float32),
        }
        if c["imp_info"]:
            over = np.arange(cards)[:, None] < s["round"]
            return tensors | {
                "prizes": _one_hot(s["prizes"][:cards] - NONE, cards + 1),
                "winners": _one_hot(s["winners"][:cards] - NONE, players + 1) * over,
            }
        bits = np.arange(cards)
        return tensors | {
            "left": (s["left"] >> bits & 1).astype(np.float32),
            "hands": (_of_seats(s, c, "hands")[:, None] >> bits & 1).astype(np.float32),
        }

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`: one row a bid."""
        if not (c["imp_info"] or c["sequential"]):
            return {}
        cards = int(c["num_cards"])
        own = np.zeros((cards, cards), np.float32)
        for i, bid in enumerate(_secret_bids(s, c, player)):
            own[i, bid] = 1
        return {"own_bids": own}


def _of_seats(s: Record, c: Record, field: str) -> np.ndarray:
    return s[field][: int(c["players"])].astype(np.int64)


def _secret_bids(s: Record, c: Record, player: int) -> list[int]:
    """The seat's bids that only it knows, in order."""
    return [int(bid) for bid in s["bids"][player, first_hidden_round(s, c) : int(s["round"]) + 1] if bid != NONE]


def _cards(bits: int) -> list[int]:
    return [card for card in range(MAX_CARDS) if int(bits) >> card & 1]


def _worth(cards: list[int] | np.ndarray) -> str:
    return " ".join(str(int(card) + 1) for card in cards if card != NONE) or "none"


def _outcomes(s: Record, first: int) -> list[str]:
    """Who has won which prize, from round `first` on."""
    return [
        f"{'nobody' if winner == NONE else f'P{winner}'} wins {prize + 1}"
        for prize, winner in zip(s["prizes"][first : s["round"]], s["winners"][first : s["round"]], strict=True)
    ]


def _one_hot(values: np.ndarray, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[np.asarray(values, np.int64)]


DEFINITION = Definition(
    name="voyageur_goofspiel",
    title="Goofspiel as voyageur rules",
    rules=register(
        Rules(
            state=STATE,
            constants=CONSTANTS,
            max_actions=MAX_CARDS,
            table_size=1 << MAX_HIDDEN_BITS,
            playout_steps=2 * MAX_CARDS * MAX_PLAYERS,
        ),
        current_player,
        at_decision,
        mixed,
        legal_actions,
        apply_action,
        apply_joint,
        chance_outcomes,
        sample_chance,
        returns,
        information_key,
        public_key,
        prepare,
        determinize,
        world_at,
        consistent_action,
        evaluate,
    ),
    words=Goofspiel(),
    players=(2, MAX_PLAYERS),
    reference=True,
)
