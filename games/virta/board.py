"""Boards as data: the keys of a board file as parameters, every check of them, and the tables made from them.

The default board is `default_board.json` beside this file. A key that is given replaces the default's value whole.
As OpenSpiel's parameters the keys that hold lists, objects or names are text, `"default"` or the value as encoded JSON
(docs/games/virta.md, section 11).
"""

import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files as package_files
from typing import Any

import numpy as np

from voyageur.games import files
from voyageur.games.virta import rules as r
from voyageur.games.words import Field, Parameter, PositionError, Value, decoded, encoded, maybe, options, shown, whole

DEFAULT: dict[str, Any] = json.loads(package_files(__package__).joinpath("default_board.json").read_text("utf-8"))
SAME = "default"  # OpenSpiel's value of a key that has the default board's

MAX_COUNT = 1_000_000  # of tokens, of points
MAX_TURNS = 1_000_000
MAX_NUMBER = 99  # in a symbol
SYMBOLS = {"F": r.FOOT, "+": r.TOKENS, "R": r.RAKE, "V": r.POINT, "G": r.ARROW}


# The shapes of values. What only makes sense together with other keys is checked by `fill`.


def _name(f: Field) -> str:
    """A name of a circle, an area or a letter."""
    value = f.value
    if not (isinstance(value, str) and 0 < len(value) <= r.NAME_LENGTH and value.isprintable() and " " not in value):
        raise f.fail(f"expected a name of 1 to {r.NAME_LENGTH} characters without spaces, got {shown(value)}")
    return value


def _names(low: int, high: int) -> Callable[[Field], list[str]]:
    """A list of different names."""

    def read(f: Field) -> list[str]:
        names: list[str] = []
        for item in f.items(low, high):
            if _name(item) in names:
                raise item.fail(f"{item.value} is listed twice")
            names.append(item.value)
        return names

    return read


def _entries(f: Field, low: int, high: int) -> dict[str, Field]:
    """An object of `low` to `high` names, each with the field under it."""
    if not isinstance(f.value, Mapping):
        raise f.fail(f"expected an object, got {shown(f.value)}")
    if not low <= len(f.value) <= high:
        raise f.fail(f"expected {low} to {high} names, got {len(f.value)}")
    for key in f.value:
        _name(Field(key, f.path))
    whole_object = f.object(tuple(f.value))
    return {key: whole_object[key] for key in f.value}


def _links(f: Field) -> dict[str, str]:
    return {key: _name(field) for key, field in _entries(f, 0, r.MAX_CIRCLES).items()}


def _banks(f: Field) -> dict[str, dict[str, list[str]]]:
    banks = {}
    for key, field in _entries(f, 1, r.MAX_AREAS - 1).items():
        bank = field.object(("near", "touch"))
        near = _names(0, r.MAX_AREAS)(bank["near"])
        banks[key] = {"near": near, "touch": _names(0, r.MAX_TOUCHED)(bank["touch"])}
    return banks


def _spiral(f: Field) -> list[list[Any]]:
    spaces = []
    for item in f.items(2, r.MAX_SPACES):
        symbol, brown = item.items(2, 2)
        _symbol(symbol)
        spaces.append([symbol.value, brown.boolean()])
    return spaces


def _symbol(f: Field) -> tuple[int, int]:
    """The kind of a symbol and its number."""
    found = re.fullmatch(r"([F+])([1-9][0-9]?)|[RVG]", f.value) if isinstance(f.value, str) else None
    if found is None:
        raise f.fail(f'expected "F2", "+3" (with any numbers to {MAX_NUMBER}), "R", "V" or "G", got {shown(f.value)}')
    return SYMBOLS[found[0][0]], int(found[2] or 0)


def _restart(f: Field) -> list[int]:
    choices: list[int] = []
    for item in f.items(1, r.MAX_SPACES):
        if item.integer(0, r.MAX_SPACES - 1) in choices:
            raise item.fail(f"{item.value} is listed twice")
        choices.append(item.value)
    if 0 not in choices:
        raise f.fail("expected 0, the start circle, among the choices")
    return choices


def _parts(f: Field) -> dict[str, int]:
    counts = {key: field.integer(0, r.MAX_CIRCLES) for key, field in _entries(f, 1, r.MAX_LETTERS).items()}
    if not any(counts.values()):
        raise f.fail("expected at least one part")
    return counts


def _start_tokens(f: Field) -> list[int]:
    return [item.integer(0, MAX_COUNT) for item in f.items(2, r.MAX_PLAYERS)]


# The parameters.


def _unpacked(f: Field) -> Field:
    """The value that OpenSpiel's text says, where it is one; else the field as it is."""
    if not (isinstance(f.value, str) and f.value.startswith(("%5B", "%7B", "%22"))):
        return f
    try:
        return Field(json.loads(decoded(f.value)), f.path)
    except (ValueError, RecursionError):
        raise f.fail(f"expected encoded JSON, got {shown(f.value)}") from None


def packed(value: Any) -> str:
    """A value as OpenSpiel's text."""
    return encoded(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def unpacked(text: Any) -> Any:
    """The value that was `packed`."""
    return text if text == SAME else json.loads(decoded(text))


def _data(name: str, shape: Callable[[Field], Any], in_position: bool = True) -> Parameter:
    """A parameter that is a key of the board file, and no single number or word."""

    def read(f: Field) -> Value:
        if f.value == SAME:
            return SAME
        value = shape(_unpacked(f))
        return SAME if value == DEFAULT.get(name) else packed(value)

    return Parameter(name, SAME, read, unpacked, in_position)


def _start_circles(f: Field) -> list[str]:
    return _names(1, r.MAX_CIRCLES)(f)


# `start_circles` left out are the board's first circles, so that they need not be said of a board that has others.
_FIRST_CIRCLES = Parameter(
    "start_circles", SAME, lambda f: SAME if f.value == SAME else packed(_start_circles(_unpacked(f))), unpacked, False
)

KEYS: tuple[Parameter, ...] = (
    whole("pawns", DEFAULT["pawns"], 1, r.MAX_PAWNS),
    _data("start_tokens", _start_tokens, in_position=False),
    whole("flow_tokens", DEFAULT["flow_tokens"], 0, 9),
    options("flow_return", "own_turn", "round"),
    maybe("turn_limit", 0, 0, 1, MAX_TURNS),
    _data("circles", _names(2, r.MAX_CIRCLES)),
    _data("next", _links),
    _data("priority_feeder", _links),
    _data("upstream_tail", _names(0, r.MAX_CIRCLES)),
    _FIRST_CIRCLES,
    _data("collection", _names(1, r.MAX_AREAS - 1)),
    _data("banks", _banks),
    _data("spiral", _spiral),
    _data("restart_choices", _restart),
    _data("parts", _parts),
    _data("large", _names(0, r.MAX_LETTERS)),
    _data("pawn_start", _name),
)
BY_NAME = {p.name: p for p in KEYS}


def _read_board(f: Field) -> Value:
    if f.value == SAME:
        return SAME
    content = f
    if isinstance(f.value, str):
        try:
            content = Field(parse(decoded(f.value)), f.path)
        except PositionError as error:
            raise PositionError(f.path, str(error)) from None
    return packed({key: BY_NAME[key].show(value) for key, value in _read_keys(content).items()})


BOARD = Parameter("board", SAME, _read_board, unpacked, in_position=False)


def parse(text: str) -> dict[str, Any]:
    """The object in a board file's text."""
    return files.parse(text, "a board (an object with circles, banks, spiral, ...)")


def _read_keys(f: Field) -> dict[str, Value]:
    """The keys of a whole board, as OpenSpiel's values."""
    given = f.object(tuple(BY_NAME))
    if not f.value:
        raise f.fail(f"expected a board, with some of {', '.join(BY_NAME)}")
    return {key: BY_NAME[key].read(given[key]) for key in BY_NAME if key in given}


def file_keys(text: str) -> dict[str, Value]:
    """The keys of the board in a board file's text, as OpenSpiel's values."""
    return _read_keys(Field(parse(text)))


def spread(params: Mapping[str, Value]) -> dict[str, Value]:
    """`params` with a whole `board` spread over its keys; those given besides, other than as default, come first."""
    spread = dict(params)
    board = BOARD.read(Field(spread.get("board", SAME), "board"))
    if board == SAME:
        return spread
    for key, value in _read_keys(Field(unpacked(board), "board")).items():
        if spread.get(key, BY_NAME[key].default) == BY_NAME[key].default:
            spread[key] = value
    return spread | {"board": SAME}


# The tables. Each function takes the board's values by key and fills its part of the constants `c`.


def fill(c: Any, params: Mapping[str, Value]) -> None:
    """Fills the board's tables in `c`, a constants record; raises PositionError for keys that do not go together."""
    board = dict(DEFAULT)
    for parameter in KEYS:
        if params[parameter.name] != SAME:
            board[parameter.name] = parameter.show(params[parameter.name])
    if params["start_circles"] == SAME:
        board["start_circles"] = board["circles"][: sum(board["parts"].values())]
    _fill_parts(c, board)
    _fill_river(c, board)
    _fill_land(c, board)
    _fill_spiral(c, board)
    for key in ("pawns", "flow_tokens"):
        c[key] = board[key]
    c["by_round"] = board["flow_return"] == "round"
    c["turn_limit"] = params["turn_limit"]
    tokens = board["start_tokens"]
    if len(tokens) < c["players"]:
        raise PositionError("start_tokens", f"expected {c['players']} numbers, one for each player, got {len(tokens)}")
    c["start_tokens"][: len(tokens)] = tokens


def _write_names(rows: Any, names: Sequence[str]) -> None:
    for row, name in zip(rows, names, strict=False):
        row[: len(name)] = [ord(character) for character in name]


def _number(names: Sequence[str], name: str, field: str, what: str) -> int:
    """The number of a name that has to be known."""
    if name not in names:
        raise PositionError(field, f"unknown {what} {name}")
    return names.index(name)


def _fill_parts(c: Any, board: Mapping[str, Any]) -> None:
    letters = list(board["parts"])
    c["letters"] = len(letters)
    c["parts"][: len(letters)] = list(board["parts"].values())
    for i, letter in enumerate(board["large"]):
        c["large"] |= 1 << _number(letters, letter, f"large[{i}]", "letter")
    _write_names(c["letter_names"], letters)


def _fill_river(c: Any, board: Mapping[str, Any]) -> None:
    circles, total = board["circles"], sum(board["parts"].values())
    if len(circles) <= total:
        raise PositionError("circles", f"expected more than the {total} parts, got {len(circles)}")
    c["circles"] = len(circles)
    _write_names(c["circle_names"], circles)
    for circle in board["next"]:
        _number(circles, circle, f"next.{circle}", "circle")
    feeders: list[list[str]] = [[] for _ in circles]
    for i, circle in enumerate(circles):
        if circle not in board["next"]:
            raise PositionError(f"next.{circle}", "expected the circle that comes after it, got none")
        after = _number(circles, board["next"][circle], f"next.{circle}", "circle")
        feeders[after].append(circle)
        c["next"][i] = after
        c["straight"] |= (after == i + 1) << i
    for circle in board["priority_feeder"]:
        _number(circles, circle, f"priority_feeder.{circle}", "circle")
    for i, circle in enumerate(circles):
        first = _first_feeder(circle, feeders[i], board["priority_feeder"])
        c["feeder"][i] = r.NONE if first is None else circles.index(first)
        for name in feeders[i]:
            if name != first:
                second = circles.index(name)
                c["second"][i], c["rival"][second] = second, c["feeder"][i]
                c["waiting"] |= 1 << second
    tail = [_number(circles, name, f"upstream_tail[{i}]", "circle") for i, name in enumerate(board["upstream_tail"])]
    c["tail_length"], c["tail"][: len(tail)] = len(tail), tail
    start = [_number(circles, name, f"start_circles[{i}]", "circle") for i, name in enumerate(board["start_circles"])]
    if len(start) < total:
        raise PositionError("start_circles", f"expected at least {total}, one for each part, got {len(start)}")
    c["start_circles"][: len(start)] = start


def _first_feeder(circle: str, feeders: Sequence[str], named: Mapping[str, str]) -> str | None:
    """The feeder that has right of way; sets nothing where there is only one."""
    if len(feeders) > 2:
        raise PositionError("next", f"{', '.join(feeders)} all flow into {circle}; two circles can at most")
    if circle in named and named[circle] not in feeders:
        expected = " or ".join(feeders) or "none, as nothing flows into it"
        raise PositionError(f"priority_feeder.{circle}", f"expected {expected}, got {named[circle]}")
    if len(feeders) == 2 and circle not in named:
        raise PositionError(f"priority_feeder.{circle}", f"expected {feeders[0]} or {feeders[1]}, got none")
    return named.get(circle, feeders[0] if feeders else None)


def _fill_land(c: Any, board: Mapping[str, Any]) -> None:
    banks, homes = board["banks"], board["collection"]
    areas = [*homes, *banks]
    for name in banks:
        if name in homes:
            raise PositionError(f"banks.{name}", "it is a collection place too")
    if len(areas) > r.MAX_AREAS:
        raise PositionError("banks", f"expected at most {r.MAX_AREAS} areas in all, got {len(areas)}")
    c["areas"], c["homes"] = len(areas), (1 << len(homes)) - 1
    c["home"] = _number(homes, board["pawn_start"], "pawn_start", "collection place")
    _write_names(c["area_names"], areas)
    for bank, about in banks.items():
        here = areas.index(bank)
        for i, name in enumerate(about["near"]):
            field = f"banks.{bank}.near[{i}]"
            there = _number(areas, name, field, "area")
            if here == there:
                raise PositionError(field, f"{bank} is no neighbour of itself")
            if name in banks and bank not in banks[name]["near"]:
                raise PositionError(field, f"{name} does not name {bank} as its neighbour in turn")
            c["near"][here] |= 1 << there
            c["near"][there] |= 1 << here
        touched = [
            _number(board["circles"], name, f"banks.{bank}.touch[{i}]", "circle")
            for i, name in enumerate(about["touch"])
        ]
        for i, (lower, upper) in enumerate(itertools.pairwise(touched)):
            if _drift(c, lower, upper) < _drift(c, upper, lower):
                names = f"{about['touch'][i + 1]} lies downstream of {about['touch'][i]}"
                raise PositionError(f"banks.{bank}.touch[{i + 1}]", f"expected the most downstream first, but {names}")
        c["touch"][here, : len(touched)] = touched
        _fill_coming(c, here)
    for area in range(len(areas)):
        c["home_steps"][area] = min(r.distance(c, area, home, 0) for home in range(len(homes)))


def _fill_coming(c: Any, area: int) -> None:
    """What drifts by the bank `area`, backwards from the most downstream circle that it touches."""
    first = int(c["touch"][area, 0])
    circles = set() if first == r.NONE else {first}
    for flows in range(r.AHEAD):
        c["coming"][area, flows] = sum(1 << circle for circle in circles)
        circles = {circle for circle in range(int(c["circles"])) if int(c["next"][circle]) in circles}


def _drift(c: Any, start: int, end: int) -> int:
    """Flows that bring a part from one circle to another, or FAR."""
    here, steps = start, 0
    while here != end and steps <= c["circles"]:
        here, steps = int(c["next"][here]), steps + 1
    return steps if here == end else r.FAR


def _fill_spiral(c: Any, board: Mapping[str, Any]) -> None:
    spiral = board["spiral"]
    c["spaces"] = len(spiral)
    for i, (text, brown) in enumerate(spiral):
        c["symbol"][i], c["number"][i] = _symbol(Field(text, f"spiral[{i}][0]"))
        c["brown"] |= brown << i
    if c["symbol"][0] != r.FOOT:
        raise PositionError("spiral[0][0]", f'expected a foot like "F2" on the start circle, got {spiral[0][0]!r}')
    for i, space in enumerate(board["restart_choices"]):
        if space >= len(spiral):
            raise PositionError(f"restart_choices[{i}]", f"expected a space from 0 to {len(spiral) - 1}, got {space}")
        c["restart"] |= 1 << space


def new_constants() -> np.ndarray:
    """Array of one constants record with nothing in it."""
    c = np.zeros(1, r.CONSTANTS)
    for field in ("feeder", "second", "rival", "touch"):
        c[field] = r.NONE
    return c
