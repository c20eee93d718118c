"""Canyon in words: parameters, positions, texts and tensors (docs/games/canyon.md)."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit

from voyageur.games.canyon import board, hidden, scripted
from voyageur.games.canyon import rules as r
from voyageur.games.rules import CHANCE, Record, box_of, make_rng
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
    decoded,
    encoded,
    maybe,
    options,
    switch,
    whole,
)

SUITS = "RGBYV"
PHASES = ("setup", "dock", "deal", "bid", "play", "move", "over")
WATCHER = -1  # a seat that sees only what everybody sees
HIDDEN = "?"

FIELDS = ("game", "params", "viewer", "round", "dealer", "phase", "trump", "to_act", "players", "tricks_played",
          "current_trick")  # fmt: skip
PLAYER_FIELDS = ("square", "unused", "bid", "tricks", "hand")
TRICK_FIELDS = ("leader", "cards")
CARDS = tuple(f"{suit}{value}" for suit in SUITS for value in range(1, r.VALUES + 1))
MAX_ROUND = 1_000_000
# Without a cap there is no longest game; OpenSpiel still wants a number.
UNCAPPED_ROUNDS = 100_000
DEFAULT_BONUS = "1 2 3 3 3 3 3 3 3"


def _board(f: Field) -> str:
    if not isinstance(f.value, str):
        raise f.fail(f"expected {board.DEFAULT} or the text of a board, got {board.shown(f.value)}")
    text = decoded(f.value).rstrip("\n")
    try:
        text.encode()
        board.load(text)
    except UnicodeEncodeError as error:
        raise f.fail(f"expected text, got half a character at {error.start + 1}") from None
    except PositionError as error:
        raise f.fail(error.problem) from None
    return text if text == board.DEFAULT else encoded(text)


def _bonus(f: Field) -> str:
    numbers = f.value
    if isinstance(numbers, str):
        words = numbers.split()
        numbers = [int(word) if word.isascii() and word.isdecimal() and len(word) < 9 else word for word in words]
    items = Field(numbers, f.path).items(r.MOST_TRICKS + 1, r.MOST_TRICKS + 1)
    return " ".join(str(item.integer(0, r.MAX_STEPS - r.MOST_TRICKS)) for item in items)


PARAMETERS = (
    whole("players", 4, 2, r.MAX_PLAYERS, in_position=False),
    Parameter("board", board.DEFAULT, _board, decoded),
    switch("dock_choice", True),
    options("bid_mode", "open_sequential", "simultaneous"),
    switch("hook", False),
    options("leader", "left_of_dealer", "dealer"),
    Parameter("bonus", DEFAULT_BONUS, _bonus, lambda text: [int(word) for word in text.split()]),
    options("drift_when", "miss_only", "always"),
    options("drift_blocked", "stay", in_position=False),
    options("movement", "free_walk", "toward_goal"),
    options("stop_rule", "blocked_only", "all_forced", "free_stop"),
    switch("cave_is_rapids", False),
    options("cave_capacity", "unlimited", in_position=False),
    whole("landing_capacity", 1, 1, 1, in_position=False),
    options("final_tie", "shared", "earlier_mover"),
    maybe("max_rounds", 42, 0, 1, MAX_ROUND),
    switch("sequential", False, in_position=False),
)
IN_POSITION = tuple(p for p in PARAMETERS if p.in_position)


class Canyon(Words):
    """Canyon's words."""

    parameters = PARAMETERS

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        found = board.load(decoded(str(params["board"])))
        if len(found.docks) < int(params["players"]):
            raise PositionError("board", f"expected {params['players']} docks S, one a player, got {len(found.docks)}")
        c = _tables(found).copy()
        for name in ("players", "dock_choice", "hook", "cave_is_rapids", "max_rounds", "sequential"):
            c[name] = params[name]
        c["simultaneous"] = params["bid_mode"] == "simultaneous"
        c["dealer_leads"] = params["leader"] == "dealer"
        c["always_drift"] = params["drift_when"] == "always"
        c["toward_goal"] = params["movement"] == "toward_goal"
        c["stop_rule"] = ("blocked_only", "all_forced", "free_stop").index(str(params["stop_rule"]))
        c["earlier_mover"] = params["final_tie"] == "earlier_mover"
        c["bonus"] = [int(word) for word in str(params["bonus"]).split()]
        return c

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`."""
        r.setup(s, c)

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        players = int(params["players"])
        rounds = int(params["max_rounds"]) or UNCAPPED_ROUNDS
        found = board.load(decoded(str(params["board"])))
        hands = sum(int(r.hand_size(number)) for number in range(1, r.WHEEL + 1))
        wheels = -(-rounds // r.WHEEL)
        simultaneous = params["bid_mode"] == "simultaneous" and not params["sequential"]
        return Info(
            players=players,
            num_actions=r.SQUARE + found.size,
            max_chance_outcomes=r.CARDS,
            # Every round a bid and a move each, and all cards; before the first, a dock each.
            max_game_length=players * (1 + 2 * rounds + wheels * hands),
            max_chance_nodes=1 + rounds + wheels * hands * players,
            min_utility=0.0,
            max_utility=1.0,
            utility_sum=1.0,
            hides=True,
            simultaneous=simultaneous,
        )

    def board(self, text: str) -> dict[str, Any]:
        """See `Words.board`."""
        board.load(text.rstrip("\n"))
        return {"board": text.rstrip("\n")}

    # Texts.

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        if player == CHANCE:
            if s["phase"] == r.SETUP:
                return f"P{action} deals"
            seat = _dealt_to(box_of(s), box_of(c))
            return f"trump {CARDS[action]}" if seat == r.NONE else f"{CARDS[action]} to P{seat}"
        if action < r.CARD:
            return f"bid {action}"
        if action < r.SQUARE:
            return f"play {CARDS[action - r.CARD]}"
        square = action - r.SQUARE
        if s["phase"] == r.DOCK:
            return f"dock {square_name(c, square)}"
        return f"stay on {square_name(c, square)}" if square == s["at"][player] else f"to {square_name(c, square)}"

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`; of the finished tricks only what still matters, in no order."""
        fields = _seen_fields(s, c, WATCHER)
        fields.pop("tricks_played", None)
        for player in fields["players"]:
            player.pop("hand", None)
        if s["played"]:
            fields["played"] = card_names(s["played"])
        voids = {f"P{seat}": suit_names(s["void"][seat]) for seat in range(int(c["players"])) if s["void"][seat]}
        return json.dumps(fields | ({"voids": voids} if voids else {}), separators=(",", ":"))

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`."""
        if not hidden.hand_seen(s):
            return ""
        own = "" if s["bid"][player] == r.NONE or c["simultaneous"] == 0 else f"; bid {s['bid'][player]}"
        return f"[P{player} holds {' '.join(card_names(s['hands'][player])) or 'nothing'}{own}]"

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`."""
        seats = range(int(c["players"]))
        if before["phase"] == r.DEAL:  # the hands lie on the table until the deal is over
            if after["phase"] == r.DEAL:
                return ""
            return f"P{player} is dealt {' '.join(card_names(after['hands'][player]))}, trump {CARDS[after['trump']]}."
        if before["phase"] != r.BID or c["simultaneous"] == 0:
            return " ".join(
                f"{'' if actor == CHANCE else f'P{actor} '}{self.action_text(before, c, actor, action)}."
                for actor, action in actions.items()
            )
        seen = []
        if player in actions:
            seen.append(f"P{player} bid {actions[player]}")
        elif c["sequential"]:
            seen.append(f"P{next(iter(actions))} puts down a bid.")
        if after["phase"] != r.BID:
            seen.append(" ".join(f"P{seat} shows {after['bid'][seat]}." for seat in seats))
        return " ".join(seen)

    # Tensors.

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`."""
        n, squares = int(c["players"]), int(c["width"] * c["height"])
        bids = [-1 if hidden.bid_hidden(s, c, seat, WATCHER) else int(s["bid"][seat]) for seat in range(n)]
        seats = np.arange(n)
        trick = np.zeros((n, r.CARDS), np.float32)
        for i in range(int(s["laid"])):
            trick[(s["leader"] + i) % n, s["current"][i]] = 1
        return {
            "phase": _one_hot(s["phase"], len(PHASES)),
            "round": np.array([s["round"] / max(1, c["max_rounds"])], np.float32),
            "dealer": _one_hot(s["dealer"] + 1, n + 1),
            "turn": _one_hot(s["turn"], n + 1),
            "leader": _one_hot(s["leader"], n),
            "trump": _one_hot(s["trump"] + 1, r.CARDS + 1),
            "bids": _one_hot(np.array(bids) + 1, r.MOST_TRICKS + 2),
            "tricks": _one_hot(s["tricks"][:n], r.MOST_TRICKS + 1),
            "played": _bits(int(s["played"]), r.CARDS),
            "trick": trick,
            "voids": np.stack([_bits(int(s["void"][seat]), r.SUITS) for seat in seats]),
            "at": _one_hot(s["at"][:n] + 1, squares + 1),
            "unused": (s["unused"][:n] / r.MAX_STEPS).astype(np.float32),
        }

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`."""
        hand = int(s["hands"][player]) if hidden.hand_seen(s) else 0
        return {"own_hand": _bits(hand, r.CARDS), "own_bid": _one_hot(s["bid"][player] + 1, r.MOST_TRICKS + 2)}

    # Positions.

    def read(self, position: Field) -> Reading:
        """See `Words.read`."""
        given = position.object(FIELDS)
        params: dict[str, Value] = {p.name: p.default for p in PARAMETERS}
        if "params" in given:
            written = given["params"].object([p.name for p in IN_POSITION])
            params |= {p.name: p.read(written[p.name]) for p in IN_POSITION if p.name in written}
        players = given["players"].items(2, r.MAX_PLAYERS)
        params["players"] = len(players)
        try:
            c = self.constants(params)
        except PositionError as error:
            raise PositionError(f"params.{error.field}", error.problem) from None
        s = np.zeros(1, r.STATE)
        r.setup(s, c)
        s["at"] = r.NONE
        viewer = given["viewer"].integer(0, len(players) - 1) if "viewer" in given else None
        found = board.load(decoded(str(params["board"])))
        hides = _Reader(s[0], c[0], found, given, players, viewer).read()
        return Reading(params, s, viewer, hides)

    def write(self, s: Record, c: Record, viewer: int | None) -> Position:
        """See `Words.write`."""
        return _seen_fields(s, c, viewer)

    def deal(self, s: Record, c: Record, what: Mapping[str, Any]) -> list[int]:
        """See `Words.deal`: `hands` (by seat) and `trump`, at the very beginning `dealer`."""
        players = int(c["players"])
        if s["phase"] == r.SETUP:
            return [Field(what).object(["dealer"])["dealer"].integer(0, players - 1)]
        if s["dealt"]:
            raise PositionError("deal", "expected a deal that has not begun")
        given = Field(what).object(["hands", "trump"])
        size = int(r.hand_size(s["round"]))
        seats = given["hands"].object([*range(players), *map(str, range(players))])
        seen: set[int] = set()
        hands = []
        for seat in range(players):
            key: Any = seat if seat in seats else str(seat)
            hands.append([_new_card(card, seen) for card in seats[key].items(size, size)])
        order = [(int(r.starter(s, c)) + i) % players for i in range(size * players)]
        return [hands[seat].pop(0) for seat in order] + [_new_card(given["trump"], seen)]

    def draw(self, s: Record, c: Record, viewer: int | None) -> Any:
        """See `Words.draw`."""
        from voyageur.games.canyon.drawing import board_and_table  # rich is slow to import, and seldom needed

        return board_and_table(s, c, viewer)


class _Reader:
    """Reads one position into record `s`; every check of docs/games/canyon.md, each naming its field."""

    def __init__(
        self, s: Any, c: Any, found: board.Board, given: Object, players: list[Field], viewer: int | None
    ) -> None:
        self.s, self.c, self.board, self.given, self.viewer = s, c, found, given, viewer
        self.n = len(players)
        self.fields = [player.object(PLAYER_FIELDS) for player in players]
        self.seen: set[int] = set()  # cards found so far
        self.voids = [0] * self.n
        self.hidden = False

    def read(self) -> bool:
        """Fills the record; whether the position hides anything."""
        s, given = self.s, self.given
        s["round"] = given["round"].integer(1, int(self.c["max_rounds"]) or MAX_ROUND)
        s["dealer"] = given["dealer"].integer(0, self.n - 1)
        phase = given["phase"].choice(PHASES[1:])
        s["phase"] = PHASES.index(phase)
        self.phase = phase
        self.size = int(r.hand_size(s["round"]))
        first = int(r.starter(s, self.c))
        self.order = [(first + i) % self.n for i in range(self.n)]
        self._only("trump", given, ("bid", "play"))
        self._only("tricks_played", given, ("play",))
        self._only("current_trick", given, ("play",))
        for seat in range(self.n):
            self._read_canoe(seat)
            self._read_bid(seat)
        {
            "dock": self._read_dock,
            "deal": lambda: None,
            "bid": self._read_bidding,
            "play": self._read_play,
            "move": self._read_move,
            "over": self._read_over,
        }[phase]()
        self._check_turn()
        self._check_canoes()
        return self.hidden

    def _only(self, name: str, fields: Object, phases: tuple[str, ...]) -> bool:
        """Whether `name` is given; it may be in some phases only."""
        if name not in fields or fields[name].value is None:
            return False
        if self.phase not in phases:
            raise fields[name].fail(f"expected only in {', '.join(phases)}, not in phase {self.phase}")
        return True

    # Canoes.

    def _read_canoe(self, seat: int) -> None:
        fields, s = self.fields[seat], self.s
        if "square" in fields and fields["square"].value is not None:
            name = fields["square"].value
            square = self.board.square(name) if isinstance(name, str) else -1
            in_cave = name == "cave" and square >= 0
            if not in_cave and (square < 0 or not self.board.is_water(square)):
                raise fields["square"].fail(f"expected a square of water like a9, or cave, got {board.shown(name)}")
            s["at"][seat] = square
        elif self.phase != "dock":
            raise fields["square"].fail(f"expected the square of the canoe in phase {self.phase}")
        if self._only("unused", fields, ("move", "over")):
            s["unused"][seat] = fields["unused"].integer(0, r.MAX_STEPS)
            if s["unused"][seat] and not r.landed(s, self.c, seat):
                raise fields["unused"].fail("expected only of a canoe on a landing stage")

    def _check_canoes(self) -> None:
        s = self.s
        at = [int(square) for square in s["at"][: self.n]]
        for seat, square in enumerate(at):
            where = self.fields[seat]["square"]
            if square in at[:seat] and square not in (r.NONE, self.board.cave):
                raise where.fail(f"P{at.index(square)} is on {self.board.square_name(square)} too")
            if r.landed(s, self.c, seat) and not (self.phase == "over" or self._has_moved(seat)):
                raise where.fail("is a landing stage, so the game would be over")

    def _has_moved(self, seat: int) -> bool:
        return self.phase == "move" and self.order.index(seat) < self.s["turn"]

    # Bids and tricks won.

    def _read_bid(self, seat: int) -> None:
        fields, s = self.fields[seat], self.s
        if self._only("bid", fields, ("bid", "play", "move")):
            face_down = self.phase == "bid" and self.c["simultaneous"]
            if not (face_down and fields["bid"].value == HIDDEN):
                s["bid"][seat] = fields["bid"].integer(0, self.size)
                if face_down:
                    raise fields["bid"].fail('expected no bid yet, or "?" for one that lies face down')
        if self._only("tricks", fields, ("play", "move")):
            s["tricks"][seat] = fields["tricks"].integer(0, self.size)

    def _check_bids(self, most: int) -> int:
        """How many have bid, in order; each of the first `most` may."""
        bids = [int(self.s["bid"][seat]) for seat in self.order]
        made = self._first_of("bid", [bid != r.NONE for bid in bids])
        if made > most:
            raise self.fields[self.order[-1]]["bid"].fail("everybody has bid, so the phase is play")
        if self.c["hook"] and not self.c["simultaneous"] and made == self.n and sum(bids) == self.size:
            raise self.fields[self.order[-1]]["bid"].fail(f"hook: the bids may not add up to {self.size}")
        return made

    def _first_of(self, name: str, has: list[bool]) -> int:
        """How many seats, in order, have something that the first ones of the order have."""
        for i, given in enumerate(has):
            if given and not all(has[:i]):
                missing = self.order[has.index(False)]
                raise self.fields[missing][name].fail(f"expected before that of P{self.order[i]}, who comes later")
        return sum(has)

    # Cards.

    def _read_hands(self) -> None:
        """Reads hands and the trump; cards that were played have been read before."""
        s = self.s
        s["trump"] = _new_card(self.given["trump"], self.seen)
        for seat in range(self.n):
            left = int(hidden.hand_left(s, self.c, seat))
            field = self.fields[seat]["hand"]
            if isinstance(field.value, int) and not isinstance(field.value, bool):
                field.integer(left, left)
                if left and seat == self.viewer:
                    raise field.fail("expected the cards: the viewer knows the own hand")
                self.hidden = self.hidden or left > 0
                continue
            if field.value is None:
                field = Field([], field.path)
            for item in field.items(left, left):
                card = _new_card(item, self.seen)
                if self.voids[seat] >> card // r.VALUES & 1:
                    raise item.fail(f"P{seat} has not followed suit {SUITS[card // r.VALUES]}, so holds none of it")
                s["hands"][seat] |= 1 << card
        if self.hidden:
            if self.viewer is None:
                raise self.given["viewer"].fail(
                    "expected a seat, since the position hides hands: whose knowledge is this?"
                )
            for seat in range(self.n):
                if seat != self.viewer and s["hands"][seat]:
                    problem = "expected a number of cards, as of the other hidden hand: the viewer sees neither"
                    raise self.fields[seat]["hand"].fail(problem)
            self._deal_hidden()

    def _deal_hidden(self) -> None:
        """Some deal that fits, so that the record is a world."""
        table = np.empty(hidden.TABLE_SIZE)
        hidden.prepare(self.s, self.c, self.viewer, table)
        if table[hidden.TOTAL] < 0.5:
            raise self.given["players"].fail(
                "no deal fits the sizes of the hands, the cards seen and who has not followed suit"
            )
        hidden.determinize(self.s, self.c, self.viewer, make_rng(0), table)

    def _read_trick(self, field: Field, leader: int, least: int, most: int) -> list[int]:
        """The cards of one trick, led by `leader`, in order."""
        trick = field.object(TRICK_FIELDS)
        if trick["leader"].integer(0, self.n - 1) != leader:
            raise trick["leader"].fail(f"expected P{leader}, who has to lead it, got P{trick['leader'].value}")
        cards: list[int] = []
        for i, item in enumerate(trick["cards"].items(least, most)):
            card = _new_card(item, self.seen)
            cards.append(card)
            seat, suit, led = (leader + i) % self.n, card // r.VALUES, cards[0] // r.VALUES
            if self.voids[seat] >> suit & 1:
                raise item.fail(f"P{seat} has not followed suit {SUITS[suit]} before, so holds none of it")
            if suit != led:
                self.voids[seat] |= 1 << led
            self.s["played"] |= 1 << card
        return cards

    def _read_tricks(self) -> None:
        s, given = self.s, self.given
        trump = Field(given["trump"].value, given["trump"].path)
        suit = _new_card(trump, set())
        leader, won = self.order[0], [0] * self.n
        finished = given["tricks_played"].items(0, self.size - 1) if given["tricks_played"].value is not None else []
        for i, field in enumerate(finished):
            cards = self._read_trick(field, leader, self.n, self.n)
            s["past"][i, : self.n] = cards
            leader = (leader + int(r.winning_place(np.array(cards), self.n, suit))) % self.n
            won[leader] += 1
        s["leader"], s["done"] = leader, len(finished)
        if given["current_trick"].value is not None:
            cards = self._read_trick(given["current_trick"], leader, 1, self.n - 1)
            s["current"][: len(cards)] = cards
            s["laid"] = len(cards)
        s["void"][: self.n] = self.voids
        for seat in range(self.n):
            if s["tricks"][seat] != won[seat]:
                raise self.fields[seat]["tricks"].fail(f"expected {won[seat]}, the tricks that P{seat} has won so far")

    # Phases.

    def _read_dock(self) -> None:
        s = self.s
        if not self.c["dock_choice"]:
            raise self.given["phase"].fail("without dock_choice nobody chooses a dock")
        s["turn"] = self._first_of("square", [s["at"][seat] != r.NONE for seat in self.order])
        if s["turn"] == self.n:
            raise self.given["phase"].fail("everybody has a dock, so the phase is deal")
        for seat in self.order[: s["turn"]]:
            if int(s["at"][seat]) not in self.board.docks:
                raise self.fields[seat]["square"].fail("expected a dock")

    def _read_bidding(self) -> None:
        self.s["turn"] = 0 if self.c["simultaneous"] else self._check_bids(self.n - 1)
        self._read_hands()

    def _read_play(self) -> None:
        if self._check_bids(self.n) < self.n:
            raise self.given["phase"].fail("expected everybody's bid")
        self._read_tricks()
        self._read_hands()

    def _read_move(self) -> None:
        if self._check_bids(self.n) < self.n:
            raise self.given["phase"].fail("expected everybody's bid")
        won = int(self.s["tricks"].sum())
        if won != self.size:
            raise self.given["players"].fail(f"expected tricks that add up to {self.size}, got {won}")

    def _read_over(self) -> None:
        ended = any(r.landed(self.s, self.c, seat) for seat in range(self.n))
        if not ended and self.s["round"] != self.c["max_rounds"]:
            raise self.given["phase"].fail("nobody has landed, so it is not over")

    def _check_turn(self) -> None:
        """`to_act` agrees with the rest; in a move it says who comes next."""
        s, field = self.s, self.given["to_act"]
        for seat in range(self.n):
            self._only("hand", self.fields[seat], ("bid", "play"))
        listed = field.value if isinstance(field.value, list | tuple) else [field.value]
        if self.phase == "move":
            if len(listed) != 1:
                raise field.fail("expected the seat that moves now")
            seat = Field(listed[0], field.path).integer(0, self.n - 1)
            s["turn"] = self.order.index(seat)
            if not r.has_choice(s, self.c, seat):
                raise field.fail(f"P{seat} has no choice, so its canoe moves by itself")
            return
        expected = _to_act(s, self.c)
        if field.value is not None and listed != expected:
            raise field.fail(f"expected {expected}, got {board.shown(field.value)}")


@lru_cache
def _tables(found: board.Board) -> np.ndarray:
    """Constants with the board's part filled in."""
    c = np.zeros(1, r.CONSTANTS)
    board.fill_tables(c, found, scripted.square_costs(found))
    return c


@njit(cache=True)
def _dealt_to(box: np.ndarray, constants: np.ndarray) -> int:
    return r.dealt_to(box[0], constants[0])


def square_name(c: Record, square: int) -> str:
    """`a9`, or `cave`."""
    if square == c["cave"]:
        return "cave"
    row, column = divmod(int(square), int(c["width"]))
    return f"{board.COLUMNS[column]}{row}"


def card_names(cards: int) -> list[str]:
    """A set of cards in words, sorted by suit, then value."""
    return [name for card, name in enumerate(CARDS) if int(cards) >> card & 1]


def suit_names(suits: int) -> list[str]:
    """A set of suits in words."""
    return [name for suit, name in enumerate(SUITS) if int(suits) >> suit & 1]


def _new_card(field: Field, seen: set[int]) -> int:
    """The card in `field`, which may not have been `seen` before."""
    if not isinstance(field.value, str) or field.value not in CARDS:
        raise field.fail(f"expected a card like B7, got {board.shown(field.value)}")
    card = CARDS.index(field.value)
    if card in seen:
        raise field.fail(f"card {field.value} occurs twice")
    seen.add(card)
    return card


def _to_act(s: Record, c: Record) -> list[int]:
    """The seats that must decide now."""
    if s["phase"] in (r.SETUP, r.DEAL, r.OVER):
        return []
    if s["phase"] == r.BID and c["simultaneous"]:
        return list(range(int(s["turn"]) if c["sequential"] else 0, int(c["players"])))
    return [int(r.current_player(s, c))]


def _one_hot(values: Any, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[np.asarray(values, np.int64)]


def _bits(bits: int, size: int) -> np.ndarray:
    return np.array([bits >> i & 1 for i in range(size)], np.float32)


def _seen_fields(s: Record, c: Record, viewer: int | None) -> Position:
    """The fields of a position as `viewer` sees it (None: everything), defaults left out."""
    n = int(c["players"])
    written: Position = {"round": int(s["round"]), "dealer": int(s["dealer"]), "phase": PHASES[s["phase"]]}
    if s["trump"] != r.NONE:
        written["trump"] = CARDS[s["trump"]]
    written["to_act"] = _to_act(s, c)
    written["players"] = [_player_fields(s, c, seat, viewer) for seat in range(n)]
    tricks, leader = [], int(r.starter(s, c))
    for i in range(int(s["done"])):
        cards = s["past"][i]
        tricks.append({"leader": leader, "cards": [CARDS[card] for card in cards[:n]]})
        leader = (leader + int(r.winning_place(cards, n, s["trump"]))) % n
    if tricks:
        written["tricks_played"] = tricks
    if s["laid"]:
        laid = [CARDS[card] for card in s["current"][: s["laid"]]]
        written["current_trick"] = {"leader": int(s["leader"]), "cards": laid}
    return written


def _player_fields(s: Record, c: Record, seat: int, viewer: int | None) -> Position:
    fields: Position = {}
    if s["at"][seat] != r.NONE:
        fields["square"] = square_name(c, s["at"][seat])
    if s["unused"][seat]:
        fields["unused"] = int(s["unused"][seat])
    bid = int(s["bid"][seat])
    if bid != r.NONE:
        hides = viewer is not None and hidden.bid_hidden(s, c, seat, viewer)
        fields["bid"] = HIDDEN if hides else bid
    if s["tricks"][seat]:
        fields["tricks"] = int(s["tricks"][seat])
    if hidden.hand_seen(s) and s["hands"][seat]:
        cards = card_names(s["hands"][seat])
        fields["hand"] = cards if viewer in (None, seat) else len(cards)
    return fields
