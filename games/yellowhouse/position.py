"""The Yellow House in words: parameters, positions, texts and tensors (docs/games/yellowhouse.md)."""

import json
from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from voyageur.games.rules import CHANCE, Record
from voyageur.games.words import (
    Field,
    Info,
    Object,
    Parameter,
    Position,
    PositionError,
    Reading,
    Value,
    Words,
    maybe,
    options,
    shown,
    switch,
    whole,
)
from voyageur.games.yellowhouse import rules as r

ELEMENTS = ("R", "V", "G", "Y")
PHASES = ("setup", "deal", "exchange", "play", "over")
WATCHER = r.NONE  # a seat that sees only what everybody sees

FIELDS = (
    "game",
    "params",
    "round",
    "phase",
    "leader",
    "to_act",
    "must_lead",
    "viewer",
    "winner",
    "players",
    "rows",
    "supply",
    "trick",
)
PLAYER_FIELDS = ("hand", "gave", "out", "supports_used", "palette")
ANYBODY = "random"


def _any_seat(f: Field) -> int:
    if f.value in (None, ANYBODY, r.NONE) and not isinstance(f.value, bool):
        return r.NONE
    return f.integer(0, r.SEATS - 1)


PARAMETERS = (
    whole("elements", 4, 2, r.ELEMENTS),
    whole("copies", 7, 1, r.MAX_COPIES),
    whole("hand", 12, 1, r.MAX_HAND),
    whole("exchange", 2, 0, r.MAX_EXCHANGE),
    switch("exchange_every_round", True),
    whole("start_level", 1, 1, 100),
    maybe("max_level", 8, 0, 1, 100),
    whole("supports", 5, 0, 20),
    whole("supports_per_player", 3, 0, 20),
    whole("supports_per_turn", 1, 0, r.MAX_PER_TURN),
    switch("support_may_pay_all", True),
    switch("leader_may_pass", False),
    switch("kept_cards_leave_deck", True),
    options("next_leader", "round_winner"),
    Parameter("first_leader", r.NONE, _any_seat, lambda value: ANYBODY if value == r.NONE else value),
    whole("win_same", 2, 1, 10),
    whole("win_total", 3, 1, 10),
    switch("auto_end_full_trick", True),
    options("scope", "match", "round"),
    switch("sequential", False, in_position=False),
)
IN_POSITION = tuple(p for p in PARAMETERS if p.in_position)


def _rounds(params: Mapping[str, Value]) -> int:
    """The most rounds that a game can last (section 10)."""
    if params["scope"] == "round":
        return 1
    each = min(int(params["win_total"]) - 1, (int(params["win_same"]) - 1) * int(params["elements"]))
    return 2 * each + 1


def _check_together(params: Mapping[str, Value]) -> None:
    """Whether there are cards enough, and rows enough for every exchange."""
    hand, cards = int(params["hand"]), int(params["elements"]) * int(params["copies"])
    kept = _rounds(params) - 1 if params["kept_cards_leave_deck"] else 0
    if 2 * hand + kept > cards:
        also = f", with {kept} more that may be kept" if kept else ""
        raise PositionError("hand", f"expected two hands of at most {cards} cards in all{also}, got 2 x {hand}")
    if params["exchange"] > params["hand"]:  # type: ignore[operator]
        raise PositionError("exchange", f"expected at most the {hand} cards of a hand, got {params['exchange']}")
    lowest = int(params["start_level"]) + 2 * int(params["exchange"])
    if params["max_level"] and lowest > int(params["max_level"]):
        raise PositionError("max_level", f"expected at least {lowest}, which an exchange may reach, or null")


class YellowHouse(Words):
    """The words of The Yellow House."""

    parameters = PARAMETERS
    writes_viewer = True

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        _check_together(params)
        c = np.zeros(1, r.CONSTANTS)
        for p in PARAMETERS:
            if p.name in r.CONSTANTS.fields:  # type: ignore[operator]
                c[p.name] = params[p.name]
        c["max_level"] = params["max_level"] or r.UNCAPPED
        c["one_round"] = params["scope"] == "round"
        c["first_gift"] = r.STRENGTHEN + r.ELEMENTS * (int(params["supports_per_turn"]) + 1)
        if params["exchange"]:
            gifts = list(combinations_with_replacement(range(int(params["elements"])), int(params["exchange"])))
            c["gifts"] = len(gifts)
            for i, gift in enumerate(gifts):
                c["gift"][0, i] = np.bincount(gift, minlength=r.ELEMENTS)
        return c

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`."""
        r.setup(s, c)

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        c, rounds = self.constants(params)[0], _rounds(params)
        exchanges = int(params["exchange"] != 0) * (rounds if params["exchange_every_round"] else 1)
        claims = 2 * int(params["hand"]) - 1
        # A pass follows every claim but the last one, a passed lead may come before each.
        turns = rounds * (2 * claims - 1 + (claims if params["leader_may_pass"] else 0))
        return Info(
            players=r.SEATS,
            num_actions=int(c["first_gift"] + c["gifts"]),
            max_chance_outcomes=int(params["elements"]),
            max_game_length=turns + exchanges * (2 if params["sequential"] else 1),
            max_chance_nodes=rounds * 2 * int(params["hand"]) + (params["first_leader"] == r.NONE),
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            hides=True,
            simultaneous=exchanges > 0 and not params["sequential"],
        )

    # Texts.

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        if player == CHANCE:
            if s["phase"] == r.SETUP:
                return f"P{action} leads"
            return f"card {ELEMENTS[action]}" if s["phase"] == r.DEAL else "gifts turned up"
        if action >= c["first_gift"]:
            return f"give {' '.join(cards(c['gift'][action - c['first_gift']]))}"
        if action == r.PASS:
            return "pass"
        element = ELEMENTS[r.element_of(action)]
        if action < r.STRENGTHEN:
            return f"claim {element}"
        supports = (action - r.STRENGTHEN) // r.ELEMENTS
        return f"strengthen {element}" + ("", " support", f" support {supports}")[min(supports, 2)]

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`."""
        chosen = {"chosen": int(s["chosen"])} if s["chosen"] else {}
        return json.dumps(_seen_fields(s, c, WATCHER) | chosen, separators=(",", ":"))

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`."""
        if s["phase"] <= r.DEAL:
            return f"[P{player} holds nothing yet]"
        gift = f"; gives {' '.join(cards(s['gave'][player]))}" if s["chosen"] > player else ""
        return f"[P{player} holds {_listed(s['hands'][player], c)}{gift}]"

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`: a hand is seen as a whole, when all is dealt."""
        if before["phase"] == r.DEAL:
            done = after["phase"] != r.DEAL
            return f"P{player} is dealt {_listed(after['hands'][player], c)}." if done else ""
        texts = {seat: f"P{seat} {self.action_text(before, c, seat, action)}." for seat, action in actions.items()}
        if before["phase"] == r.SETUP:
            return f"{self.action_text(before, c, CHANCE, actions[CHANCE])}."
        if before["phase"] == r.EXCHANGE:
            if after["phase"] == r.EXCHANGE:
                return texts.get(player, f"P{before['chosen']} has chosen.")
            gifts = {seat: f"P{seat} give {' '.join(cards(after['gave'][seat]))}." for seat in range(r.SEATS)}
            return " ".join(gifts[seat] for seat in gifts if seat in actions or seat != player)
        return " ".join(texts.values())

    # Tensors.

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`."""
        n, copies = int(c["elements"]), float(c["copies"])
        playing = s["phase"] == r.PLAY
        sizes = [hand_size(s, c, seat) / c["hand"] for seat in range(r.SEATS)]
        gave = s["gave"][:, :n] * (s["phase"] != r.EXCHANGE)
        top = c["max_level"] if c["max_level"] < r.UNCAPPED else 8
        return {
            "phase": _one_hot(s["phase"], len(PHASES)),
            "round": np.array([s["round"] / (2 * c["win_total"])], np.float32),
            "leader": _one_hot(s["leader"] + 1, r.SEATS + 1),
            "to_act": _one_hot(int(r.acting_seat(s)) + 1 if playing else 0, r.SEATS + 1),
            "must_lead": np.array([s["must_lead"]], np.float32),
            "chosen": np.array([s["chosen"] / r.SEATS], np.float32),
            "winner": _one_hot(s["winner"] + 1, r.SEATS + 1),
            "rows": (s["rows"][:n] / top).astype(np.float32),
            "trick": _one_hot(s["trick"][:n] + 1, n + 1),
            "used": (s["used"] / max(1, c["supports"])).astype(np.float32),
            "hand_sizes": np.array(sizes, np.float32),
            "gave": (gave / max(1, c["exchange"])).astype(np.float32),
            "out": (s["out"][:, :n] / copies).astype(np.float32),
            "palette": (s["palette"][:, :n] / c["win_total"]).astype(np.float32),
        }

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`."""
        n = int(c["elements"])
        hand = s["hands"][player, :n] * (s["phase"] != r.DEAL)
        gift = s["gave"][player, :n] * (s["chosen"] > player)
        return {
            "own_hand": (hand / c["copies"]).astype(np.float32),
            "own_gift": (gift / max(1, c["exchange"])).astype(np.float32),
        }

    # Positions.

    def read(self, position: Field) -> Reading:
        """See `Words.read`."""
        given = position.object(FIELDS)
        params: dict[str, Value] = {p.name: p.default for p in PARAMETERS}
        if "params" in given:
            written = given["params"].object([p.name for p in IN_POSITION])
            params |= {p.name: p.read(written[p.name]) for p in IN_POSITION if p.name in written}
        try:
            c = self.constants(params)
        except PositionError as error:
            raise PositionError(f"params.{error.field}", error.problem) from None
        s = np.zeros(1, r.STATE)
        r.setup(s, c)
        viewer = given["viewer"].integer(0, r.SEATS - 1) if "viewer" in given else None
        _Reader(s[0], c[0], given, viewer).read()
        return Reading(params, s, viewer, viewer is not None)

    def write(self, s: Record, c: Record, viewer: int | None) -> Position:
        """See `Words.write`."""
        return _seen_fields(s, c, viewer)

    def deal(self, s: Record, c: Record, what: Mapping[str, Any]) -> list[int]:
        """See `Words.deal`: the `hands` by seat, one of which may be a number, for any that fits; before, the leader.

        Cards that are already dealt count as part of the hands.
        """
        first = s["phase"] == r.SETUP
        given = Field(what).object(["first_leader", "hands"] if first else ["hands"])
        outcomes = [given["first_leader"].integer(0, r.SEATS - 1)] if first else []
        if first and "hands" not in given:
            return outcomes
        hands = _hands_to_deal(s, c, given["hands"])
        for seat in range(r.SEATS):
            for e in range(r.ELEMENTS):
                outcomes += [e] * int(hands[seat, e] - s["hands"][seat, e])
        return outcomes

    def draw(self, s: Record, c: Record, viewer: int | None) -> Any:
        """See `Words.draw`."""
        from voyageur.games.yellowhouse.drawing import board  # rich is slow to import, and seldom needed

        return board(s, c, viewer)


# Reading.


def _counts(field: Field, c: Record, most: int) -> list[int]:
    """An object element: number as numbers in the order of the elements."""
    names = ELEMENTS[: c["elements"]]
    counts = field.object(names)
    return [counts[name].integer(0, most) if name in counts else 0 for name in ELEMENTS]


def _hands_to_deal(s: Record, c: Record, given: Field) -> np.ndarray:
    """The hands that `given` says by seat, 0 or "0"; one that is given as its size becomes any that fits."""
    if not isinstance(given.value, Mapping):
        raise given.fail("expected an object with a hand for seat 0 and one for seat 1")
    by_seat = Field({str(key): value for key, value in given.value.items()}, given.path).object(["0", "1"])
    size = int(c["hand"])
    hands = np.zeros((r.SEATS, r.ELEMENTS), np.int64)
    hidden = [seat for seat in range(r.SEATS) if isinstance(by_seat[str(seat)].value, int)]
    for seat in range(r.SEATS):
        field = by_seat[str(seat)]
        if seat in hidden[:1]:
            _exactly(field, size, "the size of a hand")
            continue
        hands[seat] = _counts(field, c, size)
        if hands[seat].sum() != size:
            raise field.fail(f"expected {size} cards, got {hands[seat].sum()}")
        if (hands[seat] < s["hands"][seat]).any():
            raise field.fail("expected at least the cards that are already dealt")
    deck = np.array([r.shuffled(s, c, e) for e in range(r.ELEMENTS)])
    for seat in hidden[:1]:
        hands[seat] = s["hands"][seat]
        for e in range(r.ELEMENTS):
            hands[seat, e] += max(0, min(size - hands[seat].sum(), (deck - hands.sum(axis=0))[e]))
    for e, name in enumerate(ELEMENTS):
        if hands[:, e].sum() > deck[e]:
            raise given.fail(f"there are {deck[e]} cards {name} to deal, got {hands[:, e].sum()}")
    return hands


def some_hand(s: Record, c: Record, viewer: int) -> np.ndarray:
    """A hand that the other seat may hold, by what `viewer` sees; raises PositionError if there is none."""
    bounds = [r.belief(s, c, viewer, e)[:2] for e in range(r.ELEMENTS)]
    size = int(c["hand"] - s["out"][1 - viewer].sum())
    for name, (least, most) in zip(ELEMENTS, bounds, strict=True):
        if least > most:
            raise PositionError("", f"no hand fits: of {name} it needs {least}, {most} are left")
    rest = size - sum(least for least, _ in bounds)
    if rest < 0:
        raise PositionError("", f"no hand of {size} cards fits what has been given and played")
    hand = np.zeros(r.ELEMENTS, np.int64)
    for e, (least, most) in enumerate(bounds):
        hand[e] = least + min(rest, most - least)
        rest -= hand[e] - least
    return hand


class _Reader:
    """Reads one position into record `s`; every check of docs/games/yellowhouse.md, each naming its field."""

    def __init__(self, s: Any, c: Any, given: Object, viewer: int | None) -> None:
        self.s, self.c, self.given, self.viewer = s, c, given, viewer
        self.fields = [player.object(PLAYER_FIELDS) for player in given["players"].items(r.SEATS, r.SEATS)]

    def read(self) -> None:
        """Fills the record."""
        s = self.s
        s["phase"] = PHASES.index(self.given["phase"].choice(PHASES[1:]))
        self.playing = s["phase"] in (r.PLAY, r.OVER)
        for seat in range(r.SEATS):
            self._read_player(seat)
        self._read_trick()
        self._read_winner()
        self._read_round()
        self._read_supports()
        self._read_rows()
        self._check_gifts()
        self._check_cards()
        self._check_phase()

    def _given(self, name: str, read: Any, default: Any) -> Any:
        return read(self.given[name]) if name in self.given else default

    def _read_player(self, seat: int) -> None:
        fields, s, size = self.fields[seat], self.s, int(self.c["hand"])
        if "out" in fields:
            s["out"][seat] = _counts(fields["out"], self.c, size)
        if "palette" in fields:
            most = 1 if self.c["one_round"] else int(self.c["win_total"])
            s["palette"][seat] = self._cards(fields["palette"], most)
        if "gave" in fields:
            s["gave"][seat] = self._cards(fields["gave"], int(self.c["exchange"]))
        if "supports_used" in fields:
            s["used"][seat] = fields["supports_used"].integer(0, int(self.c["supports_per_player"]))
        left = size - int(s["out"][seat].sum()) if s["phase"] != r.DEAL else 0
        if left < 0:
            raise fields["out"].fail(f"expected at most the {size} cards of a hand, got {size - left}")
        if self._is_hidden(seat):
            _exactly(fields["hand"], left, "the cards that are not in out")
            return
        if "hand" in fields:
            s["hands"][seat] = _counts(fields["hand"], self.c, size)
        if s["hands"][seat].sum() != left:
            problem = "no cards in phase deal" if s["phase"] == r.DEAL else f"{left} cards, with those in out {size}"
            raise fields["hand"].fail(f"expected {problem}, got {s['hands'][seat].sum()}")

    def _is_hidden(self, seat: int) -> bool:
        """Whether the seat's hand is hidden; raises PositionError where it may not be, or must."""
        field = self.fields[seat]["hand"]
        number = isinstance(field.value, int) and not isinstance(field.value, bool)
        if self.s["phase"] == r.DEAL:
            if self.viewer is not None:
                raise self.given["viewer"].fail("nothing is hidden in phase deal")
            return False
        if number and self.viewer is None:
            raise field.fail("a hidden hand needs a viewer, the seat that does not know it")
        if number and seat == self.viewer:
            raise field.fail("the viewer knows the own hand")
        if self.viewer is not None and seat != self.viewer and not number:
            raise field.fail(f"expected a number, since seat {self.viewer} views and does not know this hand")
        return number

    def _cards(self, field: Field, most: int) -> np.ndarray:
        """A list of elements as counts."""
        names = ELEMENTS[: self.c["elements"]]
        cards = [names.index(item.choice(names)) for item in field.items(0, most)]
        return np.bincount(np.array(cards, np.int64), minlength=r.ELEMENTS)

    def _read_trick(self) -> None:
        """The trick, who leads it and whose turn it is."""
        s, given = self.s, self.given
        cards = given["trick"].items(0, int(self.c["elements"])) if "trick" in given else []
        if cards and not self.playing:
            raise given["trick"].fail(f"nothing has been claimed in phase {PHASES[s['phase']]}")
        pairs = [card.items(2, 2) for card in cards]
        seats = [seat.integer(0, r.SEATS - 1) for seat, _ in pairs]
        to_act = self._given("to_act", _seat, None)
        if to_act is not None and s["phase"] != r.PLAY:
            raise given["to_act"].fail("it is somebody's turn only in phase play")
        leader = self._given("leader", _seat, seats[0] if seats else to_act or 0)
        for i, (seat, element) in enumerate(pairs):
            e = ELEMENTS.index(element.choice(ELEMENTS[: self.c["elements"]]))
            if e in s["trick"]:
                raise element.fail(f"{element.value} is claimed twice")
            if seats[i] != (leader + i) % r.SEATS:
                raise seat.fail(f"expected seat {(leader + i) % r.SEATS}; they take turns, beginning with the leader")
            if s["out"][seats[i], e] == 0:
                raise element.fail(f"expected a card that seat {seats[i]} has in out")
            s["trick"][i] = e
        s["leader"], s["claims"] = leader, len(cards)
        if to_act is not None and to_act != r.acting_seat(s):
            raise given["to_act"].fail(f"expected seat {r.acting_seat(s)}, by the leader and the cards in the trick")
        s["must_lead"] = self._given("must_lead", Field.boolean, False)
        if s["must_lead"] and (cards or s["phase"] != r.PLAY or not self.c["leader_may_pass"]):
            raise given["must_lead"].fail("true only with leader_may_pass, in phase play, before a lead")

    def _read_winner(self) -> None:
        """Who has won; nobody else has a winning palette (section 7)."""
        s, given = self.s, self.given
        if s["phase"] == r.OVER:
            s["winner"] = _seat(given["winner"])
            self._check_last_claim()
        elif "winner" in given:
            raise given["winner"].fail("there is one only in phase over")
        for seat in range(r.SEATS):
            if self._is_winning(s["palette"][seat]) != (seat == s["winner"]):
                but = "has not won" if seat != s["winner"] else "has won"
                raise self.fields[seat]["palette"].fail(f"does not fit: seat {seat} {but}")

    def _check_last_claim(self) -> None:
        s, winner = self.s, int(self.s["winner"])
        last = s["claims"] - 1
        if last < 0 or (s["leader"] + last) % r.SEATS != winner:
            raise self.given["trick"].fail(f"expected the last claim of the winner, seat {winner}, at its end")
        if s["palette"][winner, s["trick"][last]] == 0:
            raise self.fields[winner]["palette"].fail("expected the card claimed last among those kept")

    def _is_winning(self, kept: np.ndarray) -> bool:
        if self.c["one_round"]:
            return bool(kept.any())
        return bool(kept.max() >= self.c["win_same"] or kept.sum() >= self.c["win_total"])

    def _read_round(self) -> None:
        s = self.s
        s["round"] = int(s["palette"].sum()) + (s["phase"] != r.OVER)
        if "round" in self.given or s["round"] != 1:
            _exactly(self.given["round"], int(s["round"]), "by the cards under both palettes")

    def _read_supports(self) -> None:
        s, supply = self.s, int(self.c["supports"]) - int(self.s["used"].sum())
        if supply < 0:
            raise self.fields[1]["supports_used"].fail(f"expected at most {self.c['supports']} of both seats together")
        if "supply" in self.given:
            _exactly(self.given["supply"], supply, "what both seats have not used")
        if not self.playing and s["used"].any():
            seat = int(np.argmax(s["used"]))
            raise self.fields[seat]["supports_used"].fail(f"none is used in phase {PHASES[s['phase']]}")

    def _read_rows(self) -> None:
        if "rows" not in self.given:
            return
        names = ELEMENTS[: self.c["elements"]]
        rows, low = self.given["rows"].object(names), int(self.c["start_level"])
        high = min(int(self.c["max_level"]), r.MAX_LEVEL) if self.playing else low
        for e, name in enumerate(names):
            if name in rows:
                self.s["rows"][e] = rows[name].integer(low, high)

    def _check_gifts(self) -> None:
        """Both seats gave as many cards as are exchanged, or none where that is not recorded."""
        s, exchange = self.s, int(self.c["exchange"])
        sizes = s["gave"].sum(axis=1)
        if not sizes.any():
            return
        if not (self.playing and self._has_exchange()):
            raise self.fields[int(np.argmax(sizes))]["gave"].fail("nothing has been given in this round")
        for seat in range(r.SEATS):
            if sizes[seat] != exchange:
                raise self.fields[seat]["gave"].fail(f"expected {exchange} cards of both seats, or none of either")
            received, holds = s["gave"][1 - seat], s["hands"][seat] + s["out"][seat]
            if not self._unknown(seat) and (holds < received).any():
                name = ELEMENTS[int(np.argmax(received - holds))]
                raise self.fields[1 - seat]["gave"].fail(f"seat {seat} has got {name} but lacks it in hand and out")

    def _has_exchange(self) -> bool:
        return bool(self.c["exchange"] > 0 and (self.c["exchange_every_round"] or self.s["round"] == 1))

    def _unknown(self, seat: int) -> bool:
        return self.viewer is not None and seat != self.viewer

    def _check_cards(self) -> None:
        """No element has more cards than there are; a hidden hand becomes one that fits."""
        s = self.s
        known = np.add(s["hands"], s["out"], dtype=np.int64).sum(axis=0).tolist()
        for e, name in enumerate(ELEMENTS[: self.c["elements"]]):
            most = int(r.shuffled(s, self.c, e))
            if known[e] > most:
                raise self.given["players"].fail(f"{known[e]} cards {name} in hands and out, expected at most {most}")
        if self.viewer is None:
            return
        other = 1 - self.viewer
        try:
            s["hands"][other] = some_hand(s, self.c, self.viewer)
        except PositionError as error:
            raise self.fields[other]["hand"].fail(error.problem) from None

    def _check_phase(self) -> None:
        s, given = self.s, self.given
        sizes = s["hands"].sum(axis=1)
        if s["phase"] == r.EXCHANGE and not self._has_exchange():
            raise given["phase"].fail("there is no exchange in this round")
        if not self.playing and s["out"].any():
            seat = int(np.argmax(s["out"].sum(axis=1)))
            raise self.fields[seat]["out"].fail(f"nothing has been played in phase {PHASES[s['phase']]}")
        for seat in range(r.SEATS):
            if self.playing and (sizes[seat] == 0) != (seat == s["winner"]):
                expected = "no cards, having won" if seat == s["winner"] else "at least one card"
                raise self.fields[seat]["hand"].fail(f"expected {expected}, got {sizes[seat]}")
        if s["phase"] == r.PLAY and s["claims"] == self.c["elements"] and self.c["auto_end_full_trick"]:
            raise given["trick"].fail("a full trick ends at once, so that the next one is empty")


def _seat(field: Field) -> int:
    return field.integer(0, r.SEATS - 1)


def _exactly(field: Field, number: int, why: str) -> None:
    if type(field.value) is not int or field.value != number:
        raise field.fail(f"expected {number}, {why}, got {shown(field.value)}")


# Writing.


def cards(counts: Any) -> list[str]:
    """Counts as a list of elements."""
    return [name for name, n in zip(ELEMENTS, counts, strict=True) for _ in range(n)]


def named(counts: Any, c: Record) -> dict[str, int]:
    """Counts as an object that lists every element of the game."""
    return {name: int(n) for name, n in zip(ELEMENTS[: c["elements"]], counts, strict=False)}


def _listed(counts: Any, c: Record) -> str:
    """Counts in a few words: R4 V0 G3 Y5."""
    return " ".join(f"{name}{n}" for name, n in named(counts, c).items())


def _one_hot(values: Any, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[np.asarray(values, np.int64)]


def hand_size(s: Record, c: Record, seat: int) -> int:
    """The number of cards in a hand that everybody knows; none before it is taken up."""
    return int(c["hand"] - s["out"][seat].sum()) if s["phase"] > r.DEAL else 0


def _seen_fields(s: Record, c: Record, viewer: int | None) -> Position:
    """The fields of a position as `viewer` sees it (None: everything)."""
    phase = int(s["phase"])
    fields: Position = {"round": int(s["round"]), "phase": PHASES[phase], "leader": int(s["leader"])}
    if phase == r.PLAY:
        fields["to_act"] = int(r.acting_seat(s))
    if s["must_lead"]:
        fields["must_lead"] = True
    if viewer is not None and viewer != WATCHER and phase > r.DEAL:
        fields["viewer"] = viewer
    if phase == r.OVER:
        fields["winner"] = int(s["winner"])
    fields["players"] = [_player_fields(s, c, seat, viewer) for seat in range(r.SEATS)]
    if phase >= r.PLAY:
        fields["rows"] = named(s["rows"], c)
        fields["supply"] = int(c["supports"] - s["used"].sum())
    if s["claims"]:
        seats = [int(s["leader"] + i) % r.SEATS for i in range(s["claims"])]
        fields["trick"] = [[seat, ELEMENTS[e]] for seat, e in zip(seats, s["trick"], strict=False)]
    return fields


def _player_fields(s: Record, c: Record, seat: int, viewer: int | None) -> Position:
    fields: Position = {}
    if s["phase"] > r.DEAL:
        known = viewer is None or viewer == seat
        fields["hand"] = named(s["hands"][seat], c) if known else hand_size(s, c, seat)
    if s["gave"][seat].any() and s["phase"] != r.EXCHANGE:
        fields["gave"] = cards(s["gave"][seat])
    if s["out"][seat].any():
        fields["out"] = named(s["out"][seat], c)
    if s["used"][seat]:
        fields["supports_used"] = int(s["used"][seat])
    if s["palette"][seat].any():
        fields["palette"] = cards(s["palette"][seat])
    return fields
