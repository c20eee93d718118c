"""The engine over HTTP; docs/protocol.md is its page, `/openapi.json` the same for programs.

Needs starlette and uvicorn (`pip install 'voyageur[server]'`).
"""

import asyncio
import contextlib
import hmac
import ipaddress
import json
import re
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from voyageur.games import PositionError
from voyageur.games.words import shown
from voyageur.solvers.engine import queries
from voyageur.solvers.engine.core import Answer, Engine, failure
from voyageur.solvers.engine.lines import refusal
from voyageur.solvers.engine.queries import ACTIONS, ANSWERS, FIELDS, Query
from voyageur.solvers.engine.schedule import Job, QueueFull

POSTED = ("analyze", "move", "moves", "apply", "new")
LEFT_OUT = ("session",)  # fields that only the line protocol has
BODY_SECONDS = 30  # in which the body of a request has to arrive
SHORTEST_TOKEN = 16
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s]+")
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
BUSY = "too much is waiting already; try again later"

Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


def loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_access(host: str, token: str | None, cors: Sequence[str] = ()) -> None:
    """Raises PositionError where others could reach the server without a token, or with one that is easily guessed.

    So it does for a `cors` that no browser would call an origin.
    """
    if token is None and not loopback(host):
        raise PositionError("token-file", f"expected a token, because others than this machine can reach {host}")
    if token is not None and not (len(token) >= SHORTEST_TOKEN and token.isascii() and token.isprintable()):
        raise PositionError("token-file", f"expected one line of at least {SHORTEST_TOKEN} plain characters")
    for origin in cors:
        if origin != "*" and not ORIGIN.fullmatch(origin):
            raise PositionError("cors", f"expected an origin like https://example.org, or *, got {shown(origin)}")


def serve(
    engine: Engine, host: str, port: int, token: str | None, cors: Sequence[str], ready: Callable[[str], None]
) -> None:
    """Serves until it is interrupted; `ready` is told the address. Raises OSError where it cannot listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=1024) as listener:
        name = f"[{host}]" if ":" in host else host
        ready(f"http://{name}:{listener.getsockname()[1]}")
        config = uvicorn.Config(
            application(engine, token, cors, local=loopback(host)), log_level="warning", timeout_graceful_shutdown=5
        )
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            engine.stop_all()
            engine.close()


def application(engine: Engine, token: str | None = None, cors: Sequence[str] = (), local: bool = True) -> Starlette:
    """The engine as an ASGI application; `local`: only requests to this machine's own names are answered."""

    def guarded(endpoint: Callable[[Engine, Request], Coroutine[Any, Any, Response]]) -> Endpoint:
        async def answer(request: Request) -> Response:
            _admit(request, token, local)
            return await endpoint(engine, request)

        return answer

    async def health(request: Request) -> Response:
        running, waiting = engine.schedule.load()
        return JSONResponse({"status": "ok", "workers": engine.workers, "running": running, "waiting": waiting})

    async def document(request: Request) -> Response:
        return JSONResponse(openapi())

    routes = [
        *(Route(f"/v1/{name}", guarded(partial(_posted, name)), methods=["POST"]) for name in POSTED),
        Route("/v1/games", guarded(_games)),
        Route("/health", health),
        Route("/openapi.json", document),
    ]
    allowed = {"allow_origins": list(cors), "allow_methods": ["GET", "POST"]}
    headers = ["Authorization", "Content-Type"]
    middleware = [Middleware(CORSMiddleware, allow_headers=headers, **allowed)] if cors else []  # type: ignore[arg-type]
    return Starlette(
        routes=routes,
        middleware=middleware,
        exception_handlers={PositionError: _refused, HTTPException: _refused, QueueFull: _busy, Exception: _failed},
    )


def _admit(request: Request, token: str | None, local: bool) -> None:
    """Turns away whoever may not ask."""
    # A web page can make a browser here ask under a name of its own (DNS rebinding).
    if local and request.url.hostname not in LOCAL_NAMES:
        raise HTTPException(400, f"host: expected one of {', '.join(LOCAL_NAMES)}")
    given = request.headers.get("authorization", "")
    if token is not None and not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        raise HTTPException(401, "authorization: expected Bearer and the token", {"WWW-Authenticate": "Bearer"})


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, PositionError):
        return JSONResponse(refusal(getattr(request.state, "id", None), error), 400)
    assert isinstance(error, HTTPException)
    field, separated, _ = error.detail.partition(": ")
    told = {"id": None, "error": error.detail, "field": field if separated else None}
    return JSONResponse(told, error.status_code, error.headers)


async def _busy(request: Request, error: Exception) -> Response:
    told = {"id": getattr(request.state, "id", None), "error": BUSY, "field": None}
    return JSONResponse(told, 429, {"Retry-After": "1"})


async def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse(failure(getattr(request.state, "id", None), error), 500)


async def _games(engine: Engine, request: Request) -> Response:
    return JSONResponse(await _at_once(engine, Query(None, "games", {})))


async def _posted(action: str, engine: Engine, request: Request) -> Response:
    """Answers a query whose action is in the path, and the rest of it in the body."""
    sent = queries.decode(await _body(request))
    request.state.id = queries.id_of(sent)
    if isinstance(sent, dict):
        for name in LEFT_OUT:
            if name in sent:
                raise PositionError(name, "there are none over HTTP")
        if sent.setdefault("action", action) != action:
            raise PositionError("action", f"expected {action}, as in the path")
    query = queries.read(sent)
    # Ids are the client's own affair: another one may use the same at the same time.
    anonymous = replace(query, id=None)
    if not query.thinks:
        return JSONResponse(await _at_once(engine, anonymous) | {"id": query.id})
    answers: asyncio.Queue[Answer] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def send(answer: Answer) -> None:
        with contextlib.suppress(RuntimeError):  # the server has ended before the search
            loop.call_soon_threadsafe(answers.put_nowait, answer | {"id": query.id})

    source = request.client.host if request.client else None
    job = await run_in_threadpool(engine.submit, anonymous, send, source)
    assert job is not None
    if query["report_every"] is not None:
        return StreamingResponse(_events(engine, job, answers), media_type="text/event-stream")
    answer = await _unless_gone(request, engine, job, answers)
    return JSONResponse(answer, _status(answer))


async def _at_once(engine: Engine, query: Query) -> Answer:
    found: list[Answer] = []
    await run_in_threadpool(engine.submit, query, found.append)
    return found[0]


async def _body(request: Request) -> bytes:
    """The body of a request; raises HTTPException where it is no JSON by its type, too long, or too slow."""
    # What a web page may send elsewhere without asking (a form, plain text) is not accepted.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "content-type: expected application/json")
    body = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > queries.MAX_BYTES:
                    raise HTTPException(413, f"the body is longer than {queries.MAX_BYTES} bytes")
    except TimeoutError:
        raise HTTPException(408, f"the body did not arrive within {BODY_SECONDS} seconds") from None
    return body


async def _unless_gone(request: Request, engine: Engine, job: Job, answers: asyncio.Queue[Answer]) -> Answer:
    """The answer; a client that leaves before ends the search."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    leaving = asyncio.ensure_future(gone())
    answering = asyncio.ensure_future(answers.get())
    try:
        await asyncio.wait({leaving, answering}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            engine.schedule.stop(job)
        return await answering
    finally:
        engine.schedule.stop(job)
        leaving.cancel()
        answering.cancel()


async def _events(engine: Engine, job: Job, answers: asyncio.Queue[Answer]) -> AsyncIterator[str]:
    """The answers as server-sent events: `partial`, and at last `answer` or `error`."""
    try:
        while True:
            answer = await answers.get()
            kind = "error" if "error" in answer else "partial" if answer.get("partial") else "answer"
            yield f"event: {kind}\ndata: {json.dumps(answer)}\n\n"
            if kind != "partial":
                return
    finally:
        engine.schedule.stop(job)


def _status(answer: Answer) -> int:
    if "error" not in answer:
        return 200
    return 500 if answer["field"] is None else 400


def openapi() -> dict[str, Any]:
    """The OpenAPI document, from the same tables that queries are read by."""
    paths: dict[str, Any] = {
        f"/v1/{name}": {"post": _operation(name) | {"requestBody": _content(_request(name), required=True)}}
        for name in POSTED
    }
    paths["/v1/games"] = {"get": _operation("games")}
    paths["/health"] = {"get": {"summary": "tells that it runs, and how busy it is", "responses": {"200": _OK}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "voyageur", "version": version("voyageur")},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }


_OK = {"description": "the answer"}
_ERROR = {
    "type": "object",
    "properties": {
        "id": FIELDS["id"].schema,
        "error": {"type": "string"},
        "field": {"type": ["string", "null"]},
    },
}
_STATUSES = {
    "400": "something is wrong with a field",
    "401": "the token is missing or wrong",
    "408": "the body came too slowly",
    "413": "the body is too long",
    "415": "the body is not JSON",
    "429": "too much is waiting",
}


def _content(schema: Any, kind: str = "application/json", **more: Any) -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}, **more}


def _request(name: str) -> dict[str, Any]:
    action = ACTIONS[name]
    fields = ["id", *(field for field in action.fields if field not in LEFT_OUT)]
    needed = [*action.needs, *(["position"] if "position" in fields else [])]
    properties = {field: FIELDS[field].schema | {"description": FIELDS[field].text} for field in fields}
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _operation(name: str) -> dict[str, Any]:
    fields = {"id": FIELDS["id"].schema, "action": {"const": name}} | ANSWERS[name]
    answer = _content({"type": "object", "properties": fields}, **_OK)
    if "report_every" in ACTIONS[name].fields:  # with it, the answers come as events
        answer["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    errors = {status: _content(_ERROR, description=text) for status, text in _STATUSES.items()}
    return {"operationId": name, "summary": ACTIONS[name].text, "responses": {"200": answer} | errors}
