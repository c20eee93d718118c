"""What a game's `position.py` provides: the only place that knows the game's words.

`Words` is the interface, one object a game. The adapter, the command line and the line protocol take every text,
field name and parameter from it. `Field` reads what people hand us, and says in one line what is wrong with it.
"""

import functools
import re
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from voyageur.games.rules import Record, Rules
from voyageur.games.table import Table

Position = dict[str, Any]
Value = bool | int | float | str  # what an OpenSpiel parameter can be

MAX_LISTED = 200

_short = reprlib.Repr()
_short.maxlevel, _short.maxlist, _short.maxdict = 1, 3, 2
_short.maxstring, _short.maxother, _short.maxlong = 30, 30, 20


def shown(value: object) -> str:
    """`value` as it is quoted in a message: short, whatever it is."""
    if isinstance(value, int) and abs(value) > 10**30:
        return "a huge number"
    return "null" if value is None else _short.repr(value).replace("\n", " ")


def one_line(message: object) -> str:
    """A message of somebody else's on one line that can be printed, whatever is in it."""
    text = " ".join(str(message).split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def key_text(key: object) -> str:
    """A key of an object as it stands in the path of a field: short, and on one line."""
    return key if isinstance(key, str) and key.isprintable() and 0 < len(key) <= 40 else shown(key)


def _listed(names: Sequence[Any]) -> str:
    """`names` on one line of a bearable length."""
    text = ", ".join(map(str, names))
    return text if len(text) <= MAX_LISTED else f"{text[:MAX_LISTED].rpartition(',')[0]}, …"


class PositionError(ValueError):
    """Something wrong with a position (or a parameter): `.field` says where, `.problem` what; prints as one line."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}" if field else problem)
        self.field = field
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        return PositionError, (self.field, self.problem)


class Field:
    """One value of an object that somebody handed us, with the path by which it was reached."""

    def __init__(self, value: Any, path: str = "") -> None:
        self.value = value
        self.path = path

    def fail(self, problem: str) -> PositionError:
        """The error to raise about this field."""
        return PositionError(self.path, problem)

    def object(self, allowed: Sequence[Any]) -> "Object":
        """This field as an object with no other keys than `allowed`."""
        if not isinstance(self.value, Mapping):
            raise self.fail(f"expected an object, got {shown(self.value)}")
        for key in self.value:
            if key not in allowed:
                raise Field(None, self._join(key_text(key))).fail(f"unknown field; known are {_listed(allowed)}")
        return Object(self)

    def items(self, low: int, high: int) -> list["Field"]:
        """This field as a list of `low` to `high` fields."""
        expected = f"{low}" if low == high else f"{low} to {high}"
        if not isinstance(self.value, list | tuple):
            raise self.fail(f"expected a list of {expected}, got {shown(self.value)}")
        if not low <= len(self.value) <= high:
            raise self.fail(f"expected a list of {expected}, got {len(self.value)}")
        return [Field(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def integer(self, low: int, high: int) -> int:
        """This field as a whole number from `low` to `high`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            expected = f"a whole number from {low} to {high}" if low < high else str(low)
            raise self.fail(f"expected {expected}, got {shown(self.value)}")
        return self.value

    def boolean(self) -> bool:
        """This field as true or false."""
        if not isinstance(self.value, bool):
            raise self.fail(f"expected true or false, got {shown(self.value)}")
        return self.value

    def choice(self, options: Sequence[Any]) -> Any:
        """This field as one of `options` (texts, numbers or null)."""
        for option in options:
            if type(option) is type(self.value) and option == self.value:
                return option
        texts = ", ".join("null" if option is None else str(option) for option in options)
        raise self.fail(f"expected one of {texts}, got {shown(self.value)}")

    def _join(self, key: Any) -> str:
        return f"{self.path}.{key}" if self.path else key


class Object:
    """A field that is an object: `in` tells whether a key is given, `[key]` is its field (null if it is not)."""

    def __init__(self, whole: Field) -> None:
        self.whole = whole

    def __contains__(self, key: object) -> bool:
        return key in self.whole.value

    def __getitem__(self, key: Any) -> Field:
        return Field(self.whole.value.get(key), self.whole._join(key))


@dataclass(frozen=True)
class Parameter:
    """A parameter of a game.

    Attributes:
      name: as in the rules.
      default: what OpenSpiel shows (typed; no null, no lists).
      read: checks a value that a person or a position gives and turns it into OpenSpiel's.
      show: turns OpenSpiel's value into that of Python and of positions.
      in_position: whether `params` of a position may hold it (the others serve the set-up or are fields).
    """

    name: str
    default: Value
    read: Callable[[Field], Value]
    show: Callable[[Any], Any] = field(default=lambda value: value)
    in_position: bool = True


def whole(name: str, default: int, low: int, high: int, **options: Any) -> Parameter:
    """A parameter that is a whole number from `low` to `high`."""
    return Parameter(name, default, lambda f: f.integer(low, high), **options)


def switch(name: str, default: bool, **options: Any) -> Parameter:
    """A parameter that is true or false."""
    return Parameter(name, default, lambda f: f.boolean(), **options)


def options(name: str, *choices: str, **more: Any) -> Parameter:
    """A parameter that is one of some words; the first is the default."""
    return Parameter(name, choices[0], lambda f: f.choice(choices), **more)


def maybe(name: str, default: int, none: int, low: int, high: int, **more: Any) -> Parameter:
    """A parameter that is a whole number from `low` to `high` or null, which OpenSpiel is told as `none`."""

    def read(f: Field) -> int:
        if f.value is None or (f.value == none and not isinstance(f.value, bool)):
            return none
        return f.integer(low, high)

    return Parameter(name, default, read, lambda value: None if value == none else value, **more)


def encoded(text: str) -> str:
    """`text` as an OpenSpiel parameter can hold it, whatever is in it (percent-encoding)."""
    return quote(text, safe="")


def decoded(text: str) -> str:
    """What was `encoded`; a text that `encoded` cannot have made is returned as it is."""
    return unquote(text) if re.fullmatch(r"[A-Za-z0-9_.~%-]*", text) else text


@dataclass(frozen=True)
class Info:
    """What OpenSpiel wants to know of a game with its parameters."""

    players: int
    num_actions: int
    max_chance_outcomes: int
    max_game_length: int
    max_chance_nodes: int
    min_utility: float
    max_utility: float
    utility_sum: float | None
    hides: bool  # some information is ever hidden
    simultaneous: bool  # there are simultaneous nodes


@dataclass(frozen=True)
class Reading:
    """A position that was read: parameters (OpenSpiel's values), record, whose view it is, whether it hides anything.

    Where a position hides something, `record` holds any world that fits it.
    """

    params: dict[str, Value]
    record: np.ndarray
    viewer: int | None
    hides: bool


class Words(ABC):
    """A game in words. Records `s` and constants `c` are np.void elements; `player` is a seat."""

    parameters: Sequence[Parameter]
    writes_viewer = False  # whether `write` itself puts `viewer` where the canonical form has it

    def spread(self, params: Mapping[str, Value]) -> Mapping[str, Value]:
        """`params`, where one that stands for several others (a whole board) is replaced by these."""
        return params

    @abstractmethod
    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """Array of one constants record; raises PositionError for parameters that do not go together."""

    @abstractmethod
    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """Fills `s` (array of one record) with the state in which the game begins."""

    @abstractmethod
    def info(self, params: Mapping[str, Value]) -> Info:
        """The figures for OpenSpiel."""

    @abstractmethod
    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """One action (or, with CHANCE for `player`, one outcome) in words; unique among the legal ones."""

    @abstractmethod
    def public_text(self, s: Record, c: Record) -> str:
        """What everybody sees now; different for different public situations."""

    @abstractmethod
    def private_text(self, s: Record, c: Record, player: int) -> str:
        """What only `player` knows now; empty in games that hide nothing."""

    @abstractmethod
    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """What `player` notices of a step: `actions` by seat (or CHANCE) led from `before` to `after`.

        Empty if nothing. A player's information state is the sequence of these.
        """

    @abstractmethod
    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """`public_text` as float32 arrays; names and shapes are the same for all states of a game."""

    @abstractmethod
    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """`private_text` as float32 arrays."""

    def move_text(self, s: Record, c: Record, player: int, actions: Sequence[int]) -> str:
        """A whole move in words."""
        return " ".join(self.action_text(s, c, player, action) for action in actions)

    def board(self, text: str) -> dict[str, Any]:
        """The parameters (Python values, as `games.load` takes them) of the board in `text`, a board file's content.

        Raises PositionError that names the place in the file.
        """
        raise PositionError("board", "this game's board is always the same")

    def read(self, position: Field) -> Reading:
        """Reads and checks a position; raises PositionError."""
        raise position.fail("this game has no position format")

    def write(self, s: Record, c: Record, viewer: int | None) -> Position:
        """The canonical position at a decision point, without the parameters (the caller adds `params`)."""
        raise PositionError("game", "this game has no position format")

    def deal(self, s: Record, c: Record, what: Mapping[str, Any]) -> list[int]:
        """The outcomes, from the chance node `s` on, that deal as said; raises PositionError."""
        raise PositionError("deal", "this game deals nothing that can be set")

    def draw(self, s: Record, c: Record, viewer: int | None) -> Any:
        """The position as something that `rich` can print."""
        return self.public_text(s, c)


@dataclass(frozen=True)
class Listing:
    """What is known of a game before it is loaded.

    Attributes:
      name, title, players, reference: as in `Definition`.
      defaults: the default of every parameter; `info`: what OpenSpiel is told of the game with these.
    """

    name: str
    title: str
    players: tuple[int, int]
    reference: bool
    defaults: Mapping[str, Value]
    info: Info


@dataclass(frozen=True)
class Definition:
    """A game: its compiled rules and its words, under the name by which OpenSpiel knows it."""

    name: str
    title: str
    rules: Rules
    words: Words
    players: tuple[int, int]  # fewest and most
    reference: bool = False  # a yardstick for tests and benchmarks, not listed among the games
    tuned_on: Mapping[str, Value] = field(default_factory=dict)  # parameters of the games that weights are fitted to
    table: Table = field(default_factory=Table)  # how the game is followed at a table

    @functools.cached_property
    def listing(self) -> Listing:
        """What can be told of the game without loading it."""
        defaults = {p.name: p.default for p in self.words.parameters}
        return Listing(self.name, self.title, self.players, self.reference, defaults, self.words.info(defaults))
