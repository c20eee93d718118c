"""The engine over HTTP: the same answers, refusals that name the field, and nothing done for those who have left."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from voyageur.cli import main as cli
from voyageur.games import PositionError
from voyageur.solvers.engine import Engine, http
from voyageur.solvers.engine.queries import FIELDS, MAX_BYTES

DEAL: dict[str, Any] = {"game": "yellowhouse", "phase": "deal", "players": [{}, {}]}
ASKED: dict[str, Any] = {"position": DEAL, "viewer": 0, "limit": {"nodes": 100}, "seed": 1}
ENDLESS = ASKED | {"limit": {"nodes": 10**9}}
HOST = "http://127.0.0.1"
TOKEN = "a token that nobody guesses"


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine with one worker and room for two that wait."""
    made = Engine(1, most_waiting=2, most_seconds=600)
    yield made
    made.stop_all()
    made.close()


def until(engine: Engine, wanted: Callable[[tuple[int, int]], bool]) -> None:
    """Waits until so many queries run and wait."""
    with engine.schedule.changed:
        assert engine.schedule.changed.wait_for(lambda: wanted(engine.schedule.load()), timeout=60)


@pytest.fixture
def client(engine: Engine) -> TestClient:
    """A client of it, on the same machine."""
    return TestClient(http.application(engine), base_url=HOST)


def test_answers(client: TestClient) -> None:
    """Every path answers with the object that the line protocol would send."""
    analysis = client.post("/v1/analyze", json=ASKED | {"id": "a", "top": 1})
    assert analysis.status_code == 200
    told = analysis.json()
    assert told["id"] == "a" and told["action"] == "analyze" and told["simulations"] == 100 and len(told["moves"]) == 1
    move = client.post("/v1/move", json=ASKED).json()
    assert move["id"] is None and move["move"].startswith("give ") and move["player"] == 0
    moves = client.post("/v1/moves", json={"position": DEAL, "viewer": 1, "id": 5}).json()
    assert moves["id"] == 5 and all(found["player"] == 1 for found in moves["moves"])
    after = client.post("/v1/apply", json={"position": DEAL, "action": "apply"}).json()
    assert after["to_act"] == "all" and after["position"]["phase"] == "exchange"
    new = client.post("/v1/new", json={"game": "niagara", "seed": 1, "params": {"players": 3}}).json()
    assert len(new["position"]["players"]) == 3
    assert {game["name"] for game in client.get("/v1/games").json()["games"]} >= {"niagara", "yellowhouse"}
    assert client.get("/health").json() == {"status": "ok", "workers": 1, "running": 0, "waiting": 0}


@pytest.mark.parametrize(
    ("path", "body", "field"),
    (
        ("analyze", {}, "position"),
        ("analyze", ASKED | {"solver": "mcts"}, "solver"),
        ("analyze", ASKED | {"solver": "cfr"}, "solver"),
        ("analyze", ASKED | {"viewer": None}, "viewer"),
        ("analyze", ASKED | {"limit": {"seconds": 601}}, "limit.seconds"),
        ("analyze", ASKED | {"action": "move"}, "action"),
        ("move", ASKED | {"top": 1}, "top"),
        ("move", {"session": "s"}, "session"),
        ("apply", {"position": DEAL, "moves": ["pass"]}, "moves[0]"),
        ("new", {"game": "ludo"}, "game"),
        ("new", [], None),
    ),
)
def test_wrong_queries(client: TestClient, path: str, body: Any, field: str | None) -> None:
    """What is wrong gets status 400 and the field's name."""
    if isinstance(body, dict):
        body = body | {"id": "x"}
    answer = client.post(f"/v1/{path}", json=body)
    assert answer.status_code == 400
    assert answer.json()["field"] == field and "\n" not in answer.json()["error"]
    assert answer.json()["id"] == ("x" if isinstance(body, dict) else None)


def test_refused_requests(client: TestClient) -> None:
    """What is no query at all gets its own status, and one line."""
    json_type = {"Content-Type": "application/json"}
    large = client.post("/v1/moves", content=b" " * (MAX_BYTES + 1), headers=json_type)
    statuses = {
        400: client.post("/v1/moves", content=b"{", headers=json_type),
        404: client.get("/v1/nothing"),
        405: client.get("/v1/analyze"),
        413: large,
        415: client.post("/v1/moves", content=json.dumps({"position": DEAL}), headers={"Content-Type": "text/plain"}),
    }
    for status, answer in statuses.items():
        assert answer.status_code == status
        assert set(answer.json()) == {"id", "error", "field"}
    assert statuses[415].json()["field"] == "content-type"


def test_other_names_are_refused(engine: Engine) -> None:
    """A page that had its own name point to this machine gets nothing; without that rule any name will do."""
    client = TestClient(http.application(engine), base_url="http://evil.example")
    answer = client.get("/v1/games")
    assert (answer.status_code, answer.json()["field"]) == (400, "host")
    assert (
        TestClient(http.application(engine, TOKEN, local=False), base_url="http://a.example").get("/health").is_success
    )


def test_token(engine: Engine) -> None:
    """With a token, only those who show it are answered; health is open."""
    client = TestClient(http.application(engine, TOKEN), base_url=HOST)
    for headers in ({}, {"Authorization": TOKEN}, {"Authorization": f"Bearer {TOKEN}x"}):
        answer = client.get("/v1/games", headers=headers)
        assert (answer.status_code, answer.json()["field"]) == (401, "authorization")
        assert client.post("/v1/moves", json={"position": DEAL}, headers=headers).status_code == 401
    assert client.get("/v1/games", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize(
    ("host", "token"), (("0.0.0.0", None), ("example.org", None), ("127.0.0.1", "short"), ("::", "a\nb" * 9))
)
def test_access_that_is_refused(host: str, token: str | None) -> None:
    """Nobody serves others by accident, or with a token that is guessed."""
    with pytest.raises(PositionError, match=r"^token-file: expected"):
        http.check_access(host, token)


@pytest.mark.parametrize("origin", ("foo", "", "https://", "https://example.org/page", "HTTPS://a b"))
def test_origins_that_are_refused(origin: str) -> None:
    """What is no origin would never match."""
    with pytest.raises(PositionError, match=r"^cors: expected an origin"):
        http.check_access("127.0.0.1", None, ["*", origin])


def test_access_that_is_fine() -> None:
    """This machine alone needs no token."""
    for host, token in (("127.0.0.1", None), ("::1", None), ("localhost", None), ("0.0.0.0", TOKEN)):
        http.check_access(host, token, ["*", "https://example.org", "http://localhost:8000"])


def test_serve_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Wrong flags end with status 2 and one line."""
    token = tmp_path / "token"
    token.write_text("short\n")
    for flags in (["--host", "0.0.0.0"], ["--token-file", str(token)], ["--token-file", str(tmp_path / "none")]):
        assert cli.main(["serve", *flags]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_cors_is_off_unless_asked(engine: Engine) -> None:
    """A browser hears that a page may ask only if its origin was named."""
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    allowed = "access-control-allow-origin"
    off = TestClient(http.application(engine), base_url=HOST)
    assert allowed not in off.options("/v1/move", headers=asked).headers
    assert allowed not in off.get("/v1/games", headers=asked).headers
    named = TestClient(http.application(engine, cors=["https://a.example"]), base_url=HOST)
    assert named.options("/v1/move", headers=asked).headers[allowed] == "https://a.example"
    assert allowed not in named.get("/v1/games", headers={"Origin": "https://b.example"}).headers


def test_too_much(client: TestClient, engine: Engine) -> None:
    """Beyond what may wait there is status 429; afterwards things go on."""
    answers: list[int] = []

    def ask() -> None:
        answers.append(client.post("/v1/move", json=ENDLESS).status_code)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    until(engine, lambda load: load == (1, 2))
    refused = client.post("/v1/move", json=ASKED | {"id": 9})
    assert refused.status_code == 429 and refused.json()["id"] == 9 and refused.headers["Retry-After"] == "1"
    engine.stop_all()
    for thread in threads:
        thread.join()
    assert answers == [200, 200, 200]


def test_events(client: TestClient, engine: Engine) -> None:
    """Partial answers come as events, and the last one is the answer."""
    body = ASKED | {"limit": {"nodes": 100_000}, "report_every": 0.01, "id": "e"}
    answer = client.post("/v1/analyze", json=body)
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [dict(line.split(": ", 1) for line in event.split("\n")) for event in answer.text.strip().split("\n\n")]
    kinds = [event["event"] for event in events]
    assert kinds == ["partial"] * (len(kinds) - 1) + ["answer"] and len(kinds) > 1
    told = [json.loads(event["data"]) for event in events]
    assert all(one["id"] == "e" and one["partial"] == (one is not told[-1]) for one in told)
    assert told[-1]["simulations"] == 100_000


@pytest.fixture
def port(engine: Engine) -> Iterator[int]:
    """The port of a real server on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(http.application(engine), log_level="warning"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        yield listener.getsockname()[1]
        engine.stop_all()
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("more", ({}, {"report_every": 0.01}), ids=("answer", "events"))
def test_who_leaves_is_forgotten(port: int, engine: Engine, more: dict[str, Any]) -> None:
    """The search of a client that hangs up ends by itself."""
    body = json.dumps(ENDLESS | more).encode()
    head = (
        f"POST /v1/analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    )
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(head.encode() + b"\r\n\r\n" + body)
        until(engine, lambda load: load == (1, 0))
    until(engine, lambda load: load == (0, 0))


def test_document(client: TestClient) -> None:
    """The OpenAPI document has every path, and its requests the fields that there are, with what they mean."""
    document = client.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {*(f"/v1/{name}" for name in http.POSTED), "/v1/games", "/health"}
    for name in http.POSTED:
        operation = document["paths"][f"/v1/{name}"]["post"]
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        assert "session" not in schema["properties"] and set(schema["required"]) <= set(schema["properties"])
        for field, described in schema["properties"].items():
            assert described["description"] == FIELDS[field].text
        assert {"200", "400", "401", "413", "415", "429"} <= set(operation["responses"])


@pytest.mark.parametrize("broken", ("voyageur.solvers.advise", "voyageur.solvers.engine.situations.seen_at"))
def test_faults_of_ours(engine: Engine, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """Should the server itself fail at something, the answer is status 500, in JSON, and it goes on."""

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a fault")

    client = TestClient(http.application(engine), base_url=HOST, raise_server_exceptions=False)
    with monkeypatch.context() as patch:
        patch.setattr(broken, fail)
        answer = client.post("/v1/move", json=ASKED | {"id": 4})
    assert (answer.status_code, answer.json()) == (
        500,
        {"id": 4, "error": "internal error (RuntimeError)", "field": None},
    )
    assert client.post("/v1/move", json=ASKED).status_code == 200
