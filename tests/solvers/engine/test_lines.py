"""The line protocol: whole sessions, good and bad, and what has to hold whatever is sent."""

import io
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from voyageur.solvers.engine import Engine, Lines
from voyageur.solvers.engine.queries import ACTIONS, ANSWERS, MAX_BYTES

SESSIONS = Path(__file__).resolve().parents[2] / "data" / "sessions"
DEAL: dict[str, Any] = {"game": "yellowhouse", "phase": "deal", "players": [{}, {}]}
ENDLESS = {"nodes": 10**9}


def talk(*lines: Any, workers: int = 2) -> list[dict[str, Any]]:
    """What a new engine answers to these lines (objects, or bytes as they are)."""
    asked = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    answers = io.BytesIO()
    Lines(Engine(workers), io.BytesIO(asked), answers).run()
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def contains(answer: Any, expected: Any) -> bool:
    """Whether `answer` has everything that `expected` has, in objects and lists alike."""
    if isinstance(expected, dict):
        return isinstance(answer, dict) and all(k in answer and contains(answer[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        return isinstance(answer, list) and len(answer) == len(expected) and all(map(contains, answer, expected))
    return type(answer) is type(expected) and answer == expected


@pytest.mark.parametrize("name", ("good", "bad", "session"))
def test_session(name: str) -> None:
    """A scripted session gets the answers that it says, each query exactly one."""
    script = (SESSIONS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    asked = [line[2:].encode() + b"\n" for line in script if line.startswith(">")]
    expected = [json.loads(line[2:]) for line in script if line.startswith("<")]
    assert len(expected) == sum(bool(line.strip()) for line in asked)
    answers = talk(*asked)
    assert len(answers) == len(expected)
    for want in expected:
        same_id = [answer for answer in answers if answer["id"] == want["id"]]
        assert any(contains(answer, want) for answer in same_id), f"{want} is not among {same_id}"
        assert all(("error" in want or "field" in want) == ("error" in a) for a in same_id if contains(a, want))


def test_fields_of_answers() -> None:
    """Answers have the fields that the table of answers says, no others."""
    where = {"position": DEAL, "viewer": 0}
    thinking = {"limit": {"nodes": 50}}
    asked: dict[str, dict[str, Any]] = {
        "analyze": where | thinking,
        "move": where | thinking,
        "moves": where,
        "apply": where,
        "new": {"game": "yellowhouse"},
        "games": {},
        "version": {},
        "open": {"session": "a", "position": DEAL},
        "play": {"session": "a", "moves": []},
        "close": {"session": "a"},
        "stop": {"target": "b"},
        "stop_all": {},
        "quit": {},
    }
    assert list(asked) == list(ACTIONS)
    answers = talk(*({"id": name, "action": name} | fields for name, fields in asked.items()))
    assert sorted(answer["id"] for answer in answers) == sorted(asked)
    for answer in answers:
        assert set(answer) == {"id", "action", *ANSWERS[answer["action"]]}, answer
        for name, schema in ANSWERS[answer["action"]].items():
            if schema.get("type") == "array" and "properties" in schema["items"]:
                assert set(answer[name][0]) == set(schema["items"]["properties"])


def test_an_oversized_line_harms_only_itself() -> None:
    """A line of over 1 MiB is refused, one of just 1 MiB is read, and the next ones are answered."""
    version = b'{"id": "%s", "action": "version"}\n'
    padded = b'{"action": "version", "id": "%s"}'
    largest = padded % b"a" + b" " * (MAX_BYTES - len(padded % b"a") - 1) + b"\n"
    assert len(largest) == MAX_BYTES
    answers = talk(b"x" * (3 * MAX_BYTES) + b"\n", largest, b" " + largest, version % b"b")
    assert [answer["id"] for answer in answers] == [None, "a", None, "b"]
    assert all("longer than" in answer["error"] for answer in answers if answer["id"] is None)


def test_an_oversized_last_line() -> None:
    """The end of input may come in the middle of it."""
    (answer,) = talk(b"x" * (MAX_BYTES + 5))
    assert "longer than" in answer["error"]


def test_bytes_that_are_no_text() -> None:
    """What is not UTF-8, deeply nested, or a number beyond all bounds gets one line."""
    answers = talk(b"\xff\xfe\n", b"[" * 100_000 + b"\n", b'{"id": ' + b"9" * 5000 + b"}\n", b"\0\n")
    assert len(answers) == 4 and all(answer["field"] is None for answer in answers)


def test_quit_leaves_what_follows() -> None:
    """Nothing after `quit` is read; what runs answers as stopped."""
    endless = {"id": "e", "action": "analyze", "position": DEAL, "viewer": 0, "limit": ENDLESS}
    answers = talk(endless, {"id": "q", "action": "quit"}, {"id": "v", "action": "version"})
    found = {answer["id"]: answer for answer in answers}
    assert set(found) == {"e", "q"}
    assert found["q"]["found"] == 1 and found["e"]["stopped"]


class Pipe:
    """A conversation with an engine that runs in a thread of its own."""

    def __init__(self, workers: int) -> None:
        to_engine, write = os.pipe()
        read, from_engine = os.pipe()
        self._write, self._read = os.fdopen(write, "wb", 0), os.fdopen(read, "rb")
        self._ends = os.fdopen(to_engine, "rb"), os.fdopen(from_engine, "wb", 0)
        self.engine = Engine(workers)
        self._thread = threading.Thread(target=Lines(self.engine, *self._ends).run)
        self._thread.start()

    def ask(self, **query: Any) -> None:
        """Sends a query."""
        self._write.write(json.dumps(query).encode() + b"\n")

    def hear(self) -> dict[str, Any]:
        """The next answer."""
        return json.loads(self._read.readline())

    def leave(self) -> None:
        """Stops listening."""
        self._read.close()

    def end(self) -> None:
        """Ends the input and waits for the engine to leave."""
        self._write.close()
        self._thread.join(60)
        assert not self._thread.is_alive()
        for end in (self._read, *self._ends):
            end.close()


@pytest.fixture
def pipe() -> Iterator[Callable[[int], Pipe]]:
    """A function of a number of workers: a conversation, ended after the test."""
    opened: list[Pipe] = []

    def start(workers: int) -> Pipe:
        opened.append(Pipe(workers))
        return opened[-1]

    yield start
    for conversation in opened:
        conversation.engine.stop_all()
        conversation.end()


def test_partial_answers_and_stop(pipe: Callable[[int], Pipe]) -> None:
    """Partial answers come while the search runs; stopped, it answers with what it has."""
    talking = pipe(1)
    where = {"position": DEAL, "viewer": 0, "seed": 1, "limit": ENDLESS}
    talking.ask(id="e", action="analyze", report_every=0.01, top=3, **where)
    first, second = talking.hear(), talking.hear()
    for answer in (first, second):
        assert answer["id"] == "e" and answer["partial"] and not answer["stopped"] and len(answer["moves"]) == 3
    assert 0 < first["simulations"] < second["simulations"]
    talking.ask(id="s", action="stop", target="e")
    rest: dict[str, dict[str, Any]] = {}
    while set(rest) != {"e", "s"}:  # in any order, and with what was on its way already
        answer = talking.hear()
        if not answer.get("partial"):
            rest[answer["id"]] = answer
    assert rest["s"] == {"id": "s", "action": "stop", "target": "e", "found": True}
    assert rest["e"]["stopped"] and rest["e"]["simulations"] >= second["simulations"]


def test_a_waiting_query_can_be_stopped(pipe: Callable[[int], Pipe]) -> None:
    """Though the only worker is busy, what is stopped before it began is answered once the worker is free."""
    talking = pipe(1)
    where = {"position": DEAL, "viewer": 0, "limit": ENDLESS}
    for name in ("a", "b", "c"):
        talking.ask(id=name, action="move", **where)
    talking.ask(id="again", action="move", target="c")
    assert talking.hear()["field"] == "target"
    talking.ask(id="c", action="move", **where)
    refused = talking.hear()
    assert (refused["id"], refused["field"]) == ("c", "id")
    talking.ask(id="stop c", action="stop", target="c")
    assert talking.hear()["found"]
    talking.ask(id="stop a", action="stop", target="a")
    heard = [talking.hear() for _ in range(3)]
    assert [answer["id"] for answer in heard if "move" in answer] == ["a", "c"]
    talking.ask(id="stop b", action="stop", target="b")
    heard += [talking.hear() for _ in range(2)]
    assert all(answer["found"] for answer in heard if "target" in answer)
    moves = [answer for answer in heard if "move" in answer]
    assert all(answer["stopped"] and answer["move"].startswith("give ") for answer in moves)


def test_higher_priority_first(pipe: Callable[[int], Pipe]) -> None:
    """Of what waits, the highest priority is begun first; then in order."""
    talking = pipe(1)
    talking.ask(id="e", action="analyze", position=DEAL, viewer=0, limit=ENDLESS)
    for i, priority in enumerate((0, 5, -5, 5)):
        talking.ask(id=str(i), action="move", position=DEAL, viewer=0, solver="random", priority=priority)
    talking.ask(id="s", action="stop", target="e")  # only now may another begin
    ids = [talking.hear()["id"] for _ in range(6)]
    assert [i for i in ids if i not in "es"] == ["1", "3", "0", "2"]


def test_nobody_listens(pipe: Callable[[int], Pipe]) -> None:
    """When the reader of the answers has left, the engine stops thinking and leaves."""
    talking = pipe(1)
    talking.leave()
    talking.ask(id="e", action="analyze", position=DEAL, viewer=0, limit=ENDLESS)
    talking.ask(id="v", action="version")


def test_same_bytes() -> None:
    """The same seed and nodes: the same bytes, from run to run."""
    query = {"id": 1, "action": "analyze", "position": DEAL, "viewer": 1, "limit": {"nodes": 200}, "seed": 5}
    assert talk(query) == talk(query)
    one, other = talk(query | {"id": 1, "seed": None}, query | {"id": 2, "seed": None})
    assert one["seed"] != other["seed"]


def test_faults_of_ours(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Should the engine itself fail at something, that query hears so, and the others are answered."""

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a fault")

    where = {"position": DEAL, "viewer": 0, "limit": {"nodes": 10}}
    queries = [{"id": 1, "action": "move", **where}, {"id": 2, "action": "version"}]
    for broken in ("voyageur.solvers.advise", "voyageur.solvers.engine.situations.seen_at"):
        with monkeypatch.context() as patch:
            patch.setattr(broken, fail)
            answers = {answer["id"]: answer for answer in talk(*queries)}
        assert answers[1] == {"id": 1, "error": "internal error (RuntimeError)", "field": None}
        assert answers[2]["version"] and "a fault" in capsys.readouterr().err
