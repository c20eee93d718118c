"""Queries: what can be asked, field by field, and how what somebody sent becomes one.

`FIELDS` and `ACTIONS` are the one place that knows them; the OpenAPI document is made from these too.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn

from voyageur.games import files
from voyageur.games.words import Field, PositionError, shown
from voyageur.solvers.limits import Limit
from voyageur.solvers.registry import SOLVERS

MAX_BYTES = 1 << 20  # of a line, or of the body of a request
MAX_ID = 100  # characters
MAX_MOVES = 10_000
GREATEST = 10**12
WHOLE = 2**53 - 1  # up to here every language tells whole numbers apart
DEFAULT_SECONDS = 1.0
PLAYERS = [name for name, solver in SOLVERS.items() if "policy" not in solver.options]  # files are not for clients

Schema = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A field that a query may have.

    Attributes:
      read: checks what was sent and gives it as Python wants it; raises PositionError.
      schema: its type as a JSON schema, with the default.
      text: what it means.
      null: whether null is a value of its own; elsewhere it is the same as leaving the field out.
    """

    read: Callable[[Field], Any]
    schema: Schema
    text: str
    null: bool = False

    @property
    def default(self) -> Any:
        """Its value where it is left out, as Python wants it."""
        sent = self.schema.get("default")
        return None if sent is None else self.read(Field(sent))


def _name(field: Field) -> str:
    if not isinstance(field.value, str) or not 1 <= len(field.value) <= MAX_ID:
        raise field.fail(f"expected a text of 1 to {MAX_ID} characters, got {shown(field.value)}")
    return field.value


def _id(field: Field) -> str | int:
    if isinstance(field.value, int):
        return field.integer(-WHOLE, WHOLE)
    if isinstance(field.value, float):
        raise field.fail(f"expected a text or a whole number, got {shown(field.value)}")
    return _name(field)


def _object(field: Field) -> dict[str, Any]:
    if not isinstance(field.value, dict):
        raise field.fail(f"expected an object, got {shown(field.value)}")
    return field.value


def _texts(field: Field) -> list[Field]:
    for item in (found := field.items(1, MAX_MOVES)):
        if not isinstance(item.value, str):
            raise item.fail(f"expected the text of a move, got {shown(item.value)}")
    return found


def _number(field: Field, low: float, high: float) -> float:
    value = field.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise field.fail(f"expected a number from {low:g} to {high:g}, got {shown(value)}")
    return float(value)


def _limit(field: Field) -> Limit:
    given = field.object(["seconds", "nodes"])
    if not ("seconds" in given or "nodes" in given):
        raise field.fail("expected seconds or nodes, or both")
    seconds = _number(given["seconds"], 0.001, 1e6) if "seconds" in given else None
    return Limit(seconds, given["nodes"].integer(1, GREATEST) if "nodes" in given else None)


def _whole(low: int, high: int, text: str, default: int | None = None) -> Part:
    schema = {"type": "integer", "minimum": low, "maximum": high} | ({} if default is None else {"default": default})
    return Part(lambda field: field.integer(low, high), schema, text)


_MOVE_TEXTS: Schema = {"type": "array", "minItems": 1, "maxItems": MAX_MOVES, "items": {"type": "string"}}
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_ID}
_ID: Schema = {"oneOf": [_NAME, {"type": "integer", "minimum": -WHOLE, "maximum": WHOLE}]}

FIELDS: dict[str, Part] = {
    "id": Part(_id, _ID, "comes back with every answer"),
    "position": Part(_object, {"type": "object"}, "a position, as the page of its game says"),
    "session": Part(_name, _NAME, "the name of an open session, whose position is meant"),
    "moves": Part(
        lambda field: field.items(0, MAX_MOVES),
        {"type": "array", "maxItems": MAX_MOVES, "items": {"oneOf": [{"type": "string"}, {"type": "object"}]}},
        "what is played from there: texts of moves, objects seat: text where all choose at once, {deal: ...}",
    ),
    "viewer": _whole(0, 9, "the seat that asks; the answer holds only what it can know"),
    "limit": Part(
        _limit,
        {
            "type": "object",
            "properties": {
                "seconds": {"type": "number", "minimum": 0.001, "maximum": 1e6},
                "nodes": {"type": "integer", "minimum": 1, "maximum": GREATEST},
            },
            "additionalProperties": False,
            "minProperties": 1,
            "default": {"seconds": DEFAULT_SECONDS},
        },
        "how long to think: seconds, nodes (simulations), or both, whichever comes first",
    ),
    "solver": Part(
        lambda field: field.choice(PLAYERS),
        {"type": "string", "enum": PLAYERS, "default": "ismcts"},
        "who thinks",
    ),
    "seed": _whole(0, WHOLE, "of all that is drawn; by default a new one each time, which the answer tells"),
    "top": Part(
        lambda field: None if field.value is None else field.integer(1, MAX_MOVES),
        {"type": ["integer", "null"], "minimum": 1, "maximum": MAX_MOVES, "default": 5},
        "moves to tell, the best first; null: all",
        null=True,
    ),
    "avoid": Part(_texts, _MOVE_TEXTS, "moves not to consider"),
    "allow": Part(_texts, _MOVE_TEXTS, "the only moves to consider"),
    "report_every": Part(
        lambda field: _number(field, 0.01, 1e6),
        {"type": "number", "minimum": 0.01, "maximum": 1e6},
        "seconds between partial answers; by default there are none",
    ),
    "priority": _whole(-100, 100, "higher ones are begun before lower ones", 0),
    "target": Part(_id, _ID, "the id of the query to stop"),
    "game": Part(_name, _NAME, "a game's name"),
    "params": Part(_object, {"type": "object", "default": {}}, "its parameters that differ from their defaults"),
}


@dataclass(frozen=True)
class Action:
    """Something that can be asked: what it does, and which fields (besides `id`) it has and needs."""

    text: str
    fields: Sequence[str] = ()
    needs: Sequence[str] = ()
    thinks: bool = False


_WHERE = ("position", "session", "moves", "viewer")
_THINKING = ("limit", "solver", "seed", "avoid", "allow", "priority")

ACTIONS: dict[str, Action] = {
    "analyze": Action(
        "says what the moves of a decision are worth", (*_WHERE, *_THINKING, "top", "report_every"), thinks=True
    ),
    "move": Action("chooses a move", (*_WHERE, *_THINKING), thinks=True),
    "moves": Action("lists the moves of a decision", _WHERE),
    "apply": Action("plays moves, and chance where nobody decides", (*_WHERE, "seed")),
    "new": Action("begins a game", ("game", "params", "viewer", "seed"), ("game",)),
    "games": Action("lists the games"),
    "version": Action("tells the version"),
    "open": Action("opens a session", ("session", "position", "viewer", "seed"), ("session", "position")),
    "play": Action(
        "goes on in a session: by moves, or to a new position", ("session", "moves", "position", "seed"), ("session",)
    ),
    "close": Action("closes a session", ("session",), ("session",)),
    "stop": Action("ends a query early; it answers with what it has found", ("target",), ("target",)),
    "stop_all": Action("ends all queries early"),
    "quit": Action("ends all queries early, and leaves"),
}


_POSITION: Schema = {"type": ["object", "null"]}
_NULL_NUMBER: Schema = {"type": ["number", "null"]}
_INTEGER: Schema = {"type": "integer"}
_BOOLEAN: Schema = {"type": "boolean"}
_TEXT: Schema = {"type": "string"}
_ACTIONS: Schema = {"type": "array", "items": _INTEGER}
_WHERE_NOW: dict[str, Schema] = {
    "position": _POSITION,
    "to_act": {"oneOf": [_INTEGER, {"enum": ["all", "chance", None]}]},
    "returns": {"type": ["array", "null"], "items": {"type": "number"}},
}
_TOLD: dict[str, Schema] = {"stopped": _BOOLEAN, "seed": _INTEGER}


def _items(fields: dict[str, Schema]) -> Schema:
    return {"type": "array", "items": {"type": "object", "properties": fields}}


# The fields of the answers, besides `id` and `action`.
ANSWERS: dict[str, dict[str, Schema]] = {
    "analyze": {
        "partial": _BOOLEAN,
        **_TOLD,
        "game": _TEXT,
        "player": _INTEGER,
        "solver": _TEXT,
        "kind": {"enum": ["exact", "equilibrium", "sampled"]},
        "simulations": _INTEGER,
        "full": _BOOLEAN,
        "values": {"type": ["array", "null"], "items": {"type": "number"}},
        "of": _INTEGER,
        "nash_conv": _NULL_NUMBER,
        "moves": _items(
            {
                "move": _TEXT,
                "actions": _ACTIONS,
                "value": _NULL_NUMBER,
                "low": _NULL_NUMBER,
                "high": _NULL_NUMBER,
                "share": {"type": "number"},
                "visits": _INTEGER,
                "line": {"type": "array", "items": _TEXT},
            }
        ),
    },
    "move": {
        "player": _INTEGER,
        "move": _TEXT,
        "actions": _ACTIONS,
        "share": {"type": "number"},
        "value": _NULL_NUMBER,
        "simulations": _INTEGER,
        **_TOLD,
    },
    "moves": {"moves": _items({"move": _TEXT, "actions": _ACTIONS, "player": _INTEGER, "position": _POSITION})},
    "apply": _WHERE_NOW,
    "new": _WHERE_NOW,
    "open": _WHERE_NOW,
    "play": _WHERE_NOW,
    "close": {},
    "games": {
        "games": _items(
            {
                "name": _TEXT,
                "title": _TEXT,
                "players": {"type": "array", "items": _INTEGER},
                "params": {"type": "object"},
            }
        )
    },
    "version": {"version": _TEXT, "workers": _INTEGER},
    "stop": {"target": _ID, "found": _BOOLEAN},
    "stop_all": {"found": _INTEGER},
    "quit": {"found": _INTEGER},
}


@dataclass(frozen=True)
class Query:
    """Something that was asked, read and checked: `query["limit"]` is a field or its default."""

    id: str | int | None
    action: str
    given: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.given[name] if name in self.given else FIELDS[name].default

    @property
    def thinks(self) -> bool:
        """Whether it takes a search to answer it."""
        return ACTIONS[self.action].thinks


def decode(line: bytes) -> Any:
    """What `line` says in JSON; raises PositionError, in one line, where it does not."""

    def refuse(constant: str) -> NoReturn:
        raise PositionError("", f"not JSON: {constant} is no number")

    try:
        return json.loads(line.decode(), object_pairs_hook=files.no_twins, parse_constant=refuse)
    except UnicodeDecodeError as error:
        raise PositionError("", f"not UTF-8 text (byte {error.start + 1})") from None
    except RecursionError:
        raise PositionError("", "nested too deeply") from None
    except json.JSONDecodeError as error:
        raise PositionError("", f"not JSON: {error.msg} (character {error.pos + 1})") from None
    except ValueError as error:
        if isinstance(error, PositionError):
            raise
        raise PositionError("", "not JSON: a number is too long") from None


def id_of(sent: Any) -> str | int | None:
    """The id of what somebody sent, if it has a valid one: even a wrong query is answered under its id."""
    try:
        return _id(Field(sent["id"]))
    except (TypeError, KeyError, PositionError):
        return None


def read(sent: Any) -> Query:
    """The query that somebody sent as an object; raises PositionError that names the field."""
    if not isinstance(sent, dict):
        raise PositionError("", f"expected an object, got {shown(sent)}")
    if "action" not in sent:
        raise PositionError("action", f"expected one of {', '.join(ACTIONS)}")
    name = Field(sent["action"], "action").choice(list(ACTIONS))
    action = ACTIONS[name]
    fields = Field(sent).object(["id", "action", *action.fields])
    given = {
        field: FIELDS[field].read(fields[field])
        for field in ("id", *action.fields)
        if field in fields and (fields[field].value is not None or FIELDS[field].null)
    }
    for field in action.needs:
        if field not in given:
            raise PositionError(field, f"{name} needs it: {FIELDS[field].text}")
    if "session" in action.fields and "position" in action.fields and name != "open":
        _one_of(given, ("position", "session") if name != "play" else ("position", "moves"))
    return Query(given.pop("id", None), name, MappingProxyType(given))


def _one_of(given: Mapping[str, Any], names: tuple[str, str]) -> None:
    one, other = names
    if (one in given) == (other in given):
        raise PositionError(one, f"expected either {one} or {other}")
