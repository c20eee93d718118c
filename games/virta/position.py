"""virta in words: parameters, positions, texts and tensors (docs/games/virta.md)."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import njit

from voyageur.games.rules import CHANCE, Record, box_of
from voyageur.games.virta import board
from voyageur.games.virta import rules as r
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
    switch,
    whole,
)

PHASES = ("setup", "spiral", "action", "over")
PAWNS = "abcdef"
SYMBOLS = ("F{}", "R", "+{}", "V", "G")

FIELDS = ("game", "params", "phase", "to_act", "first_player", "turns_done", "flow_free", "river", "players", "viewer")
PLAYER_FIELDS = ("action", "tokens", "points", "flow_tokens", "delivered", "pawns")
# Without a turn limit there is no longest game; OpenSpiel still wants a number.
UNCAPPED_TURNS = 100_000


def _any_seat(f: Field) -> int:
    if f.value is None or (f.value == -1 and not isinstance(f.value, bool)):
        return -1
    return f.integer(0, r.MAX_PLAYERS - 1)


PARAMETERS = (
    whole("players", 2, 2, r.MAX_PLAYERS, in_position=False),
    Parameter("first_player", -1, _any_seat, lambda value: None if value < 0 else value, in_position=False),
    board.BOARD,
    *board.KEYS,
    switch("sequential", False, in_position=False),
)


class Virta(Words):
    """virta's words."""

    parameters = PARAMETERS

    def spread(self, params: Mapping[str, Value]) -> Mapping[str, Value]:
        """See `Words.spread`."""
        return board.spread(params)

    def board(self, text: str) -> dict[str, Any]:
        """See `Words.board`."""
        values = board.file_keys(text)
        self.constants({p.name: p.default for p in PARAMETERS} | values)
        return {key: board.BY_NAME[key].show(value) for key, value in values.items()}

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        return _constants(tuple(params.items())).copy()

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`."""
        r.setup(s, c)

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        players, pawns = int(params["players"]), int(params["pawns"])
        turns = int(params["turn_limit"]) or UNCAPPED_TURNS
        parts = board.DEFAULT["parts"] if params["parts"] == board.SAME else board.unpacked(params["parts"])
        return Info(
            players=players,
            num_actions=r.NUM_ACTIONS,
            max_chance_outcomes=max(players, len(parts)),
            # A space, what is done there, and what each pawn carries then (the last one carries what is left).
            max_game_length=turns * (2 + max(1, pawns - 1)),
            max_chance_nodes=sum(parts.values()) + (params["first_player"] == -1),
            min_utility=0.0,
            max_utility=1.0,
            utility_sum=1.0,
            hides=False,
            simultaneous=False,
        )

    # Texts.

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        if player == CHANCE:
            if s["turn"] < 0:
                return f"P{action} starts"
            return f"{letter_name(c, action)} on {circle_name(c, c['start_circles'][r.dealt(s, c)])}"
        if action < r.TAKE:
            return f"space {action}"
        if action == r.TAKE:
            return "take 1 token"
        if action == r.GAIN:
            space = s["space"][player]
            return "gain 1 point" if c["symbol"][space] == r.POINT else f"gain {_tokens(c['number'][space])}"
        if action < r.EXCHANGE:
            return _walk_text(s, c, player, *divmod(action - r.GO, r.MAX_AREAS))
        if action == r.EXCHANGE:
            return "exchange"
        if action < r.LIFT:
            return _carry_text(c, s["settled"], action - r.LOAD)
        if action < r.RETURN:
            return _rake_text(s, c, player, action - r.LIFT)
        circle, _ = _raked(box_of(s), box_of(c), player, int(s["pawn"]))
        return f"{letter_name(c, action - r.RETURN - 1)} into {circle_name(c, circle)}"

    def move_text(self, s: Record, c: Record, player: int, actions: Sequence[int]) -> str:
        """See `Words.move_text`; like `a: N1 > N3 for 1 token, a carries B, b carries AC`."""
        record = np.empty(1, r.STATE)
        record[0] = s
        for action in actions:
            r.apply_action(record[0], c, action)
        if not r.at_decision(record[0], c):  # a part of a move
            return ", ".join(_each_text(self, s, c, player, actions))
        if s["phase"] == r.SPIRAL:
            return f"space {actions[0]} ({', '.join(_landing(s, c, player, actions[0]))})"
        start = _under_way(s, c, player) if s["step"] else self.action_text(s, c, player, actions[0])
        return start + _consequences(s, record[0], c, player)

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`."""
        return json.dumps(_fields(s, c, True) | _chain_fields(s), separators=(",", ":"))

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`."""
        return ""

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`."""
        ((actor, action),) = actions.items()
        who = "" if actor == CHANCE else f"P{actor} "
        return f"{who}{self.action_text(before, c, actor, action)}."

    # Tensors.

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`."""
        n, pawns, letters = int(c["players"]), int(c["pawns"]), int(c["letters"])
        areas, copies = int(c["areas"]), np.maximum(1, c["parts"][:letters])
        return {
            "phase": _one_hot(s["phase"], len(PHASES)),
            "turn": _one_hot(s["turn"] + 1, n + 1),
            "first": _one_hot(s["first"], n),
            "turns": np.array([s["turns"] / max(1, c["turn_limit"])], np.float32),
            "river": _bits(s["river"][:letters], int(c["circles"])),
            "spaces": _one_hot(s["space"][:n] + 1, int(c["spaces"]) + 1),
            "tokens": (s["tokens"][:n] / 10).astype(np.float32),
            "points": (s["points"][:n] / 10).astype(np.float32),
            "flow_tokens": s["flow_tokens"][:n].astype(np.float32),
            "delivered": (counts_of(s["delivered"][:n], letters) / copies).astype(np.float32),
            "unknown": counts_of(s["unknown"][:n], letters).sum(axis=1, dtype=np.float32),
            "at": _one_hot(s["at"][:n, :pawns], areas),
            "loads": _load_counts(s["load"][:n, :pawns], letters),
            "step": _one_hot(s["step"], 3),
            "pawn": _one_hot(min(s["pawn"], pawns), pawns + 1),
            "goal": _one_hot(s["goal"], areas),
            "settled": _one_hot(s["settled"], pawns + 1),
            "carry": _load_counts(s["carry"][:pawns], letters),
        }

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`."""
        return {}

    # Positions.

    def read(self, position: Field) -> Reading:
        """See `Words.read`."""
        given = position.object(FIELDS)
        players = given["players"].items(2, r.MAX_PLAYERS)
        params: dict[str, Value] = {p.name: p.default for p in PARAMETERS}
        if "params" in given:
            params |= _read_params(given["params"])
        params["players"] = len(players)
        try:
            c = self.constants(params)
        except PositionError as error:
            raise PositionError(f"params.{error.field}", error.problem) from None
        s = np.zeros(1, r.STATE)
        r.setup(s, c)
        viewer = given["viewer"].integer(0, len(players) - 1) if "viewer" in given else None
        _Reader(s[0], c[0], given, players).read()
        return Reading(params, s, viewer, bool(s["piles"][0]))

    def write(self, s: Record, c: Record, viewer: int | None) -> Position:
        """See `Words.write`."""
        return _fields(s, c, viewer is not None)

    def deal(self, s: Record, c: Record, what: Mapping[str, Any]) -> list[int]:
        """See `Words.deal`: `first_player` where it is drawn, and `parts`, letters on the start circles in order."""
        drawn = s["turn"] < 0
        given = Field(what).object(["first_player", "parts"] if drawn else ["parts"])
        outcomes = [given["first_player"].integer(0, int(c["players"]) - 1)] if drawn else []
        letters = _letters(c)
        left = [int(c["parts"][i]) - int(s["river"][i]).bit_count() for i in range(len(letters))]
        for item in given["parts"].items(sum(left), sum(left)):
            letter = letters.index(item.choice(letters))
            if left[letter] == 0:
                raise item.fail(f"there are only {c['parts'][letter]} parts {letters[letter]}")
            left[letter] -= 1
            outcomes.append(letter)
        return outcomes

    def draw(self, s: Record, c: Record, viewer: int | None) -> Any:
        """See `Words.draw`."""
        from voyageur.games.virta.drawing import board  # rich is slow to import, and seldom needed

        return board(s, c, viewer)


@functools.lru_cache(maxsize=16)  # the tables of a board take milliseconds, and every position is read with them
def _constants(params: tuple[tuple[str, Value], ...]) -> np.ndarray:
    c, given = board.new_constants(), dict(params)
    c["players"], c["first_player"] = given["players"], given["first_player"]
    if c["first_player"][0] >= c["players"][0]:
        raise PositionError("first_player", f"expected a seat from 0 to {c['players'][0] - 1}")
    board.fill(c[0], given)
    return c


# Names.


def _text(row: np.ndarray) -> str:
    return row.astype("<u4").tobytes().decode("utf-32-le").rstrip("\0")


def circle_name(c: Record, circle: int) -> str:
    """The name of a circle."""
    return _text(c["circle_names"][circle])


def area_name(c: Record, area: int) -> str:
    """The name of an area."""
    return _text(c["area_names"][area])


def letter_name(c: Record, letter: int) -> str:
    """The name of a letter, by its number counted from 0."""
    return _text(c["letter_names"][letter])


def symbol_name(c: Record, space: int) -> str:
    """What stands on a space of the spiral."""
    return SYMBOLS[c["symbol"][space]].format(c["number"][space])


def carried(load: int) -> list[int]:
    """The letters of a load, counted from 0."""
    return sorted(letter - 1 for letter in (int(load) >> 4, int(load) & 15) if letter)


def parts_text(c: Record, letters: Sequence[int]) -> str:
    """Letters side by side (with signs between them where that would be unclear)."""
    names = sorted(letter_name(c, letter) for letter in letters)
    return ("" if all(len(name) == 1 for name in names) else "+").join(names)


def _letters(c: Record) -> list[str]:
    return [letter_name(c, i) for i in range(c["letters"])]


def _circles(c: Record) -> list[str]:
    return [circle_name(c, i) for i in range(c["circles"])]


def _areas(c: Record) -> list[str]:
    return [area_name(c, i) for i in range(c["areas"])]


# Pieces of texts.


def _tokens(number: int) -> str:
    return "1 token" if number == 1 else f"{number} tokens"


@njit(cache=True)
def _raked(box: np.ndarray, constants: np.ndarray, player: int, pawn: int) -> tuple[int, int]:
    """The circle from which `pawn` would rake, and the part there, counted from 1."""
    s, c = box[0], constants[0]
    circle = r.target(c, r.in_river(s, c), np.int64(s.at[player, pawn]))
    return circle, r.letter_at(s, c, circle)


def _walk_text(s: Record, c: Record, player: int, pawn: int, goal: int) -> str:
    return f"{PAWNS[pawn]}: {area_name(c, s['at'][player, pawn])} > {area_name(c, goal)}"


def _rake_text(s: Record, c: Record, player: int, pawn: int) -> str:
    circle, letter = _raked(box_of(s), box_of(c), player, pawn)
    return f"{PAWNS[pawn]} rakes {letter_name(c, letter - 1)} from {circle_name(c, circle)}"


def _carry_text(c: Record, pawn: int, load: int) -> str:
    return f"{PAWNS[pawn]} carries {parts_text(c, carried(load)) or 'nothing'}"


def _each_text(words: Words, s: Record, c: Record, player: int, actions: Sequence[int]) -> list[str]:
    """The texts of the actions one by one."""
    record, texts = np.empty(1, r.STATE), []
    record[0] = s
    for action in actions:
        texts.append(words.action_text(record[0], c, player, action))
        r.apply_action(record[0], c, action)
    return texts


def _under_way(s: Record, c: Record, player: int) -> str:
    """The beginning of the action that is under way."""
    if s["step"] == r.DROP:
        return _rake_text(s, c, player, s["pawn"])
    return "exchange" if s["pawn"] == r.MAX_PAWNS else _walk_text(s, c, player, s["pawn"], s["goal"])


def _landing(s: Record, c: Record, player: int, space: int) -> list[str]:
    """What a space offers, costs and causes."""
    said, price = [symbol_name(c, space)], r.price_of_space(s, c, player, space)
    if price:
        said.append(_tokens(price))
    if r.flows_at(s, c, player, space):
        said.append("flow")
    return said


def _consequences(s: Record, after: Record, c: Record, player: int) -> str:
    """What an action has cost, who carries what else after it, and what went to other places."""
    said = ""
    paid = s["tokens"][player] - after["tokens"][player]
    if paid > 0:
        said += f" for {_tokens(paid)}"
    if c["symbol"][s["space"][player]] == r.RAKE:
        for letter in range(c["letters"]):
            for circle in range(c["circles"]):
                if (after["river"][letter] & ~s["river"][letter]) >> circle & 1:
                    said += f", {letter_name(c, letter)} into {circle_name(c, circle)}"
        return said
    for pawn in range(c["pawns"]):
        home = c["homes"] >> after["at"][player, pawn] & 1
        if s["load"][player, pawn] != after["load"][player, pawn] and not home:
            said += f", {_carry_text(c, pawn, after['load'][player, pawn])}"
    gained = counts_of(after["delivered"][player] - s["delivered"][player], c["letters"])
    letters = [letter for letter in range(c["letters"]) for _ in range(gained[letter])]
    return said + (f", delivers {parts_text(c, letters)}" if letters else "")


def _one_hot(values: Any, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[np.asarray(values, np.int64)]


def counts_of(packed: Any, letters: int) -> np.ndarray:
    """Counts that are kept a byte a letter, on a last axis."""
    return np.asarray(packed)[..., None] >> 8 * np.arange(letters) & 255


def _bits(masks: np.ndarray, size: int) -> np.ndarray:
    return (masks[:, None] >> np.arange(size) & 1).astype(np.float32)


def _load_counts(loads: np.ndarray, letters: int) -> np.ndarray:
    """How many of each letter (on a last axis) are in loads."""
    numbers = np.arange(1, letters + 1)
    both = (loads[..., None] >> 4 == numbers).astype(np.float32)
    return (both + (loads[..., None] & 15 == numbers)) / np.float32(2)


# Writing.


def _chain_fields(s: Record) -> Position:
    """The action under way."""
    if not s["step"]:
        return {}
    return {name: s[name].tolist() for name in ("step", "pawn", "goal", "settled", "carry")}


def _fields(s: Record, c: Record, hidden: bool) -> Position:
    """The fields of a position without the parameters; `hidden`: unknown letters stay so."""
    written: Position = {"phase": PHASES[s["phase"]]}
    if s["phase"] != r.OVER:
        written["to_act"] = int(s["turn"])
    if c["by_round"]:
        written["first_player"] = int(s["first"])
    if c["turn_limit"]:
        written["turns_done"] = int(s["turns"])
    written["flow_free"] = int(r.free_flow_tokens(s, c))
    river = int(r.in_river(s, c))
    written["river"] = {
        name: letter_name(c, r.letter_at(s, c, i) - 1) for i, name in enumerate(_circles(c)) if river >> i & 1
    }
    written["players"] = [_player_fields(s, c, seat, hidden) for seat in range(c["players"])]
    return written


def _player_fields(s: Record, c: Record, seat: int, hidden: bool) -> Position:
    space = int(s["space"][seat])
    fields: Position = {"action": None if space == r.NOT_PLACED else space, "tokens": int(s["tokens"][seat])}
    for name in ("points", "flow_tokens"):
        if s[name][seat]:
            fields[name] = int(s[name][seat])
    counts = counts_of(s["delivered"][seat] + s["unknown"][seat], c["letters"])
    if hidden and s["piles"] >> seat & 1:
        fields["delivered"] = int(counts.sum())
    elif counts.any():
        fields["delivered"] = {name: int(n) for name, n in zip(_letters(c), counts, strict=False) if n}
    pawns: Position = {}
    for i in range(c["pawns"]):
        if s["at"][seat, i] != c["home"]:
            pawns[PAWNS[i]] = {"at": area_name(c, s["at"][seat, i])}
            if s["load"][seat, i]:
                letters = sorted(letter_name(c, letter) for letter in carried(s["load"][seat, i]))
                pawns[PAWNS[i]]["carries"] = letters
    if pawns:
        fields["pawns"] = pawns
    return fields


# Reading.


def _read_params(field: Field) -> dict[str, Value]:
    """The parameters of a position, which may be a whole board file."""
    given = field.object([board.BOARD.name, *board.BY_NAME])
    if board.BOARD.name in given:
        given[board.BOARD.name].choice((board.SAME,))
    return {key: p.read(given[key]) for key, p in board.BY_NAME.items() if key in given}


class _Reader:
    """Reads one position into record `s`; every check of docs/games/virta.md, each naming its field."""

    def __init__(self, s: Any, c: Any, given: Object, players: list[Field]) -> None:
        self.s, self.c, self.given = s, c, given
        self.n = len(players)
        self.fields = [player.object(PLAYER_FIELDS) for player in players]
        self.letters, self.circles, self.areas = _letters(c), _circles(c), _areas(c)

    def read(self) -> None:
        """Fills the record."""
        s, c, given = self.s, self.c, self.given
        phase = given["phase"].choice(PHASES[1:])
        s["phase"] = PHASES.index(phase)
        s["turn"] = self._to_act()
        first = given["first_player"].integer(0, self.n - 1) if "first_player" in given else 0
        s["first"] = first if c["by_round"] else 0
        turns = given["turns_done"].integer(0, board.MAX_TURNS) if "turns_done" in given else 0
        s["turns"] = turns if c["turn_limit"] else 0
        self._read_river()
        for seat in range(self.n):
            self._read_counts(seat)
            self._read_pawns(seat)
        self._check_action_pawns()
        self._check_flow_tokens()
        self._check_phase()
        self._check_parts()

    def _to_act(self) -> int:
        field = self.given["to_act"]
        if self.s["phase"] == r.OVER:
            field.choice((None,))
            return 0
        return field.integer(0, self.n - 1)

    def _read_river(self) -> None:
        if "river" not in self.given:
            return
        river = self.given["river"].object(self.circles)
        for i, circle in enumerate(self.circles):
            if circle in river:
                self.s["river"][self.letters.index(river[circle].choice(self.letters))] |= 1 << i

    def _read_counts(self, seat: int) -> None:
        s, fields = self.s, self.fields[seat]
        if fields["action"].value is not None:
            s["space"][seat] = fields["action"].integer(0, int(self.c["spaces"]) - 1)
        for name in ("tokens", "points"):
            s[name][seat] = fields[name].integer(0, board.MAX_COUNT) if name in fields else 0
        if "flow_tokens" in fields:
            s["flow_tokens"][seat] = fields["flow_tokens"].integer(0, int(self.c["flow_tokens"]))
        if "delivered" not in fields:
            return
        total = int(self.c["parts"].sum())
        if isinstance(fields["delivered"].value, Mapping):
            counts = fields["delivered"].object(self.letters)
            for i, letter in enumerate(self.letters):
                if letter in counts:
                    s["delivered"][seat] += counts[letter].integer(0, total) << 8 * i
        elif fields["delivered"].integer(0, total):
            s["piles"] |= 1 << seat

    def _read_pawns(self, seat: int) -> None:
        s, c = self.s, self.c
        if "pawns" not in self.fields[seat]:
            return
        names = PAWNS[: c["pawns"]]
        pawns = self.fields[seat]["pawns"].object(tuple(names))
        for i, name in enumerate(names):
            if name not in pawns:
                continue
            pawn = pawns[name].object(("at", "carries"))
            area = self.areas.index(pawn["at"].choice(self.areas)) if "at" in pawn else int(c["home"])
            if not c["homes"] >> area & 1:
                for other in range(self.n):
                    if any(s["at"][other, k] == area for k in range(c["pawns"]) if (other, k) < (seat, i)):
                        raise pawn["at"].fail(f"another pawn stands on {self.areas[area]}, which holds only one")
            s["at"][seat, i] = area
            if "carries" in pawn:
                s["load"][seat, i] = self._load(pawn["carries"], area)

    def _load(self, field: Field, area: int) -> int:
        letters = [self.letters.index(item.choice(self.letters)) + 1 for item in field.items(0, 2)]
        if letters and self.c["homes"] >> area & 1:
            raise field.fail(f"a pawn in {self.areas[area]} carries nothing, it has delivered")
        if len(letters) == 2 and any(self.c["large"] >> (letter - 1) & 1 for letter in letters):
            raise field.fail("expected one large part, or up to two small ones")
        low, high = sorted([0, 0, *letters])[-2:]
        return high << 4 | low

    def _check_action_pawns(self) -> None:
        s = self.s
        taken: dict[int, int] = {}
        for seat in range(self.n):
            space = int(s["space"][seat])
            if space > r.START and space in taken:
                raise self.fields[seat]["action"].fail(f"space {space} holds the action pawn of seat {taken[space]}")
            taken[space] = seat
        if s["phase"] == r.ACT and s["space"][s["turn"]] == r.NOT_PLACED:
            raise self.fields[s["turn"]]["action"].fail("expected a space: in phase action it has been placed")

    def _check_flow_tokens(self) -> None:
        s, c, total = self.s, self.c, int(self.c["flow_tokens"])
        held = int(s["flow_tokens"].sum())
        if held > total:
            raise PositionError("players", f"hold {held} flow tokens, but there are {total}")
        if "flow_free" in self.given:
            free = self.given["flow_free"].integer(0, total)
            if free + held != total:
                raise self.given["flow_free"].fail(
                    f"expected {total - held}, as {held} of {total} are held, got {free}"
                )
        if s["phase"] != r.SPIRAL:
            return
        before = s["flow_tokens"].copy()
        r.return_flow_tokens(s, c)
        for seat in range(self.n):
            if before[seat] != s["flow_tokens"][seat]:
                raise self.fields[seat]["flow_tokens"].fail("expected 0: they came back as this turn began")

    def _check_phase(self) -> None:
        s, c = self.s, self.c
        over, limit = s["phase"] == r.OVER, int(c["turn_limit"])
        if limit and s["turns"] > limit:
            raise self.given["turns_done"].fail(f"expected at most {limit}, the turn limit, got {s['turns']}")
        empty, done = r.in_river(s, c) == 0, limit > 0 and s["turns"] == limit
        if not over and (empty or done):
            why = "no part is left in the river" if empty else f"{limit} turns are done"
            raise self.given["phase"].fail(f"expected over, as {why}")
        if over and not (empty or done):
            raise self.given["phase"].fail("parts are left in the river, so it is not over")

    def _check_parts(self) -> None:
        """No letter occurs too often; then unknown piles get letters that are left, whichever."""
        s, c = self.s, self.c
        owned = np.sum([counts_of(r.copies(s, c, seat), len(self.letters)) for seat in range(self.n)], axis=0)
        left = []
        for i, letter in enumerate(self.letters):
            there = int(s["river"][i]).bit_count() + int(owned[i])
            if there > c["parts"][i]:
                where = "in the river, carried and delivered"
                raise PositionError(
                    "river", f"{where} there are {there} parts {letter}, but {c['parts'][i]} in the box"
                )
            left += [i] * (int(c["parts"][i]) - there)
        for seat in range(self.n):
            if s["piles"] >> seat & 1:
                pile = self.fields[seat]["delivered"]
                if pile.value > len(left):
                    raise pile.fail(f"expected at most {len(left)}, the parts that are nowhere else, got {pile.value}")
                for _ in range(pile.value):
                    s["unknown"][seat] += 1 << 8 * left.pop()
