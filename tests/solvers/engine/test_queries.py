"""Queries as they are read: the tables of fields and actions, their defaults, their page, and broken lines."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voyageur.eval import service
from voyageur.games import PositionError
from voyageur.solvers import Limit
from voyageur.solvers.engine import Engine, Lines, queries
from voyageur.solvers.engine.queries import ACTIONS, ANSWERS, FIELDS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """A section of the protocol's page."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_page_has_every_action_and_field() -> None:
    """The page lists each action with all its fields, and each field; and no others."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", section("Queries"), re.MULTILINE)[1:])
    assert list(rows) == list(ACTIONS)
    for name, row in rows.items():
        told = set(re.findall(r"`(\w+)`", row)) | (
            {"position", "session", "moves", "viewer"} if "a situation" in row else set()
        )
        assert told == set(ACTIONS[name].fields), name
    fields = re.findall(r"^\| `(\w+)` \|", section("Fields"), re.MULTILINE)
    assert fields == ["id", "action", *list(FIELDS)[1:]]


def test_page_has_every_field_of_answers() -> None:
    """So it does those of the answers, at whatever depth."""
    told = set(re.findall(r"`(\w+)`", section("Answers")))
    for answer in ANSWERS.values():
        for name, schema in answer.items():
            assert {name, *schema.get("items", {}).get("properties", {})} <= told


def test_defaults() -> None:
    """What is left out, or null, has its default."""
    position = {"game": "yellowhouse"}
    for more in ({}, dict.fromkeys(ACTIONS["analyze"].fields) | {"position": position, "top": 5, "id": None}):
        query = queries.read({"action": "analyze", "position": position} | more)
        assert query.id is None and query["limit"] == Limit(seconds=1) and query["solver"] == "ismcts"
        assert query["top"] == 5 and query["priority"] == 0
        for name in ("moves", "viewer", "seed", "avoid", "allow", "report_every", "session"):
            assert query[name] is None
    assert queries.read({"action": "analyze", "position": position, "top": None})["top"] is None
    assert queries.read({"action": "new", "game": "niagara"})["params"] == {}


WRONG = (-1, 10**400, 0.5, "x" * 101, "", [], [[]], {}, {"a": 1}, True, float("inf"))


@pytest.mark.parametrize("name", FIELDS)
def test_wrong_values(name: str) -> None:
    """Every field refuses what it cannot be, in one line of a bearable length that names it."""
    refused = 0
    for value in WRONG:
        action = next(action for action in ACTIONS if name in ("id", *ACTIONS[action].fields))
        needed: dict[str, Any] = {"game": "niagara", "position": {}, "session": "s", "target": 1}
        sent = {"action": action} | {field: needed[field] for field in ACTIONS[action].needs}
        sent |= {"position": {}} if action == "analyze" and name != "session" else {}
        try:
            queries.read(sent | {name: value})
        except PositionError as error:
            refused += 1
            assert error.field.split(".")[0].split("[")[0] == name
            assert len(str(error)) < 300 and "\n" not in str(error)
    assert refused >= 5


# The first example is slow where the machine is busy.
relaxed = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*FIELDS, "game", "x"]), inner, max_size=5)
    ),
    max_leaves=20,
)


@relaxed
@given(st.dictionaries(st.sampled_from(["action", *FIELDS]), json_values | st.sampled_from(list(ACTIONS)), max_size=8))
def test_any_object(sent: dict[str, Any]) -> None:
    """Whatever object is sent, it is read, or refused in one line."""
    try:
        query = queries.read(sent)
        assert query.action in ACTIONS and set(query.given) <= set(FIELDS)
    except PositionError as error:
        assert str(error) and "\n" not in str(error)


@relaxed
@given(st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_line(line: bytes) -> None:
    """Whatever bytes come, they are JSON, or refused in one line."""
    try:
        decoded = queries.decode(line)
    except PositionError as error:
        assert str(error) and "\n" not in str(error)
    else:
        assert decoded == json.loads(line)


def test_fuzzed_lines() -> None:
    """Among hundreds of broken lines, every sound query is answered; `voyageur.eval.service fuzz` sends many more."""
    lines = list(service.fuzz_lines(400, seed=2))
    answers = io.BytesIO()
    asked = b"".join(line for line, _ in lines) + json.dumps({"id": "end", "action": "stop_all"}).encode() + b"\n"
    Lines(Engine(2), io.BytesIO(asked), answers).run()
    told = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert all(
        ("\n" not in answer["error"]) and set(answer) == {"id", "error", "field"}
        for answer in told
        if "error" in answer
    )
    final = [answer["id"] for answer in told if "error" not in answer and not answer.get("partial")]
    sound = [name for _, name in lines if name is not None]
    assert len(sound) > 50
    for name in sound:
        assert final.count(name) == 1
