"""How the engine bears up: start-up, overhead, broken input, and many clients at once.

`python -m voyageur.eval.service --help` says what can be measured; each prints one JSON line.
"""

import argparse
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from voyageur import games, solvers
from voyageur.solvers import registry

Query = dict[str, Any]

ENGINE = [sys.executable, "-m", "voyageur.cli.main", "engine"]
SERVE = [sys.executable, "-m", "voyageur.cli.main", "serve", "--port", "0", "--max-waiting", "1000"]
IMPORTS = [sys.executable, "-c", "import numba, pyspiel"]

EXCHANGE = {
    "game": "yellowhouse",
    "phase": "exchange",
    "viewer": 0,
    "players": [{"hand": {"R": 4, "V": 4, "G": 2, "Y": 2}}, {"hand": 12}],
}
ANSWER = {
    "game": "yellowhouse",
    "phase": "play",
    "viewer": 1,
    "players": [{"hand": 11, "out": {"R": 1}}, {"hand": {"R": 3, "V": 3, "G": 3, "Y": 3}}],
    "rows": {"R": 2, "V": 3, "G": 3, "Y": 4},
    "trick": [[0, "R"]],
}
CANOES = {"game": "niagara", "round": 2, "players": [{}, {"gems": {"AME": 1}}, {}]}
# Of every kind, and none that takes long or ends the engine.
SOUND: tuple[Query, ...] = (
    {"action": "version"},
    {"action": "games"},
    {"action": "new", "game": "yellowhouse", "seed": 3},
    {"action": "new", "game": "niagara", "params": {"players": 3}, "viewer": 1},
    {"action": "moves", "position": EXCHANGE},
    {"action": "moves", "position": CANOES, "viewer": 2},
    {"action": "apply", "position": ANSWER, "moves": ["claim V"]},
    {"action": "apply", "position": CANOES, "moves": [{"0": "card 1", "1": "card 6", "2": "card CLOUD"}], "viewer": 0},
    {"action": "move", "position": ANSWER, "limit": {"nodes": 20, "seconds": 0.1}, "avoid": ["pass"]},
    {"action": "move", "position": CANOES, "viewer": 0, "solver": "scripted"},
    {"action": "analyze", "position": EXCHANGE, "limit": {"nodes": 20, "seconds": 0.1}, "top": 2, "seed": 4},
    {"action": "stop", "target": "nobody"},
)
# These change what later ones mean, so that an answer to them may be an error.
UNSOUND: tuple[Query, ...] = (
    {"action": "open", "session": "a", "position": ANSWER},
    {"action": "play", "session": "a", "position": ANSWER},
    {"action": "play", "session": "a", "moves": ["claim V"]},
    {"action": "analyze", "session": "a", "limit": {"nodes": 20, "seconds": 0.1}, "report_every": 0.01},
    {"action": "close", "session": "a"},
    {"action": "stop_all"},
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**40,
    0.5,
    "",
    "x" * 200,
    "\u2028\ud800",
    [],
    [[]],
    {},
    {"a": 1},
    "pass",
)


def fuzz_lines(count: int, seed: int) -> Iterator[tuple[bytes, str | None]]:
    """`count` lines for the engine, most of them broken; with the id of each that is sound, else None."""
    rng = random.Random(seed)
    for i in range(count):
        kind = rng.random()
        if kind < 0.2:
            name = f"sound-{i}-{rng.getrandbits(64)}"
            yield _line({"id": name} | rng.choice(SOUND)), name
        elif kind < 0.3:
            yield rng.randbytes(rng.randrange(200)).replace(b"\n", b"") + b"\n", None
        elif kind < 0.3005:
            yield b"[" * rng.randrange(1 << 19, 1 << 21) + b"\n", None
        elif kind < 0.65:
            yield _line(_replaced({"id": i} | rng.choice(SOUND + UNSOUND), rng)), None
        else:
            yield _damaged(_line({"id": i} | rng.choice(SOUND + UNSOUND)), rng), None


def _line(query: Query) -> bytes:
    return json.dumps(query).encode() + b"\n"


def _replaced(query: Query, rng: random.Random) -> Query:
    """`query` with one value, anywhere in it, replaced, and sometimes a field too many."""
    copy = json.loads(json.dumps(query))
    holder = copy
    while True:
        key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        inner = holder[key]
        if not (isinstance(inner, dict | list) and inner and rng.random() < 0.7):
            break
        holder = inner
    if key != "limit":
        holder[key] = rng.choice(VALUES)
    if rng.random() < 0.2:
        copy[rng.choice(("moves", "viewer", "top", "colour"))] = rng.choice(VALUES)
    return copy


def _damaged(line: bytes, rng: random.Random) -> bytes:
    """`line` with some bytes changed, left out, or twice there."""
    text = bytearray(line[:-1])
    for _ in range(rng.randrange(1, 4)):
        at, n = rng.randrange(len(text) + 1), rng.randrange(1, 9)
        how = rng.randrange(4)
        if how == 0:
            text[at : at + n] = rng.randbytes(n)
        elif how == 1:
            del text[at : at + n]
        elif how == 2:
            text[at:at] = text[at : at + n]
        else:
            del text[at:]
    return bytes(text.replace(b"\n", b" ")) + b"\n"


def fuzz(count: int, seed: int) -> dict[str, Any]:
    """Sends `count` lines to an engine: how many were sound and answered, and its memory (MB) as it went on."""
    engine = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin is not None and engine.stdout is not None
    answered: dict[Any, int] = {}
    errors = 0

    def listen() -> None:
        nonlocal errors
        assert engine.stdout is not None
        for line in engine.stdout:
            answer = json.loads(line)
            errors += "error" in answer
            if isinstance(answer["id"], str) and "error" not in answer:
                answered[answer["id"]] = answered.get(answer["id"], 0) + 1

    listener = threading.Thread(target=listen)
    listener.start()
    sound, memory = [], []
    for i, (line, name) in enumerate(tqdm(fuzz_lines(count, seed), total=count, disable=None)):
        engine.stdin.write(line)
        if name is not None:
            sound.append(name)
        if i % 1000 == 999:  # whatever the damage has made think for ever
            engine.stdin.write(_line({"action": "stop_all"}))
        if (i + 1) % max(1, count // 10) == 0:
            engine.stdin.flush()
            memory.append(_resident(engine.pid))
    alive = engine.poll() is None
    engine.stdin.write(_line({"action": "stop_all"}))
    engine.stdin.close()
    listener.join()
    return {
        "lines": count,
        "sound": len(sound),
        "answered": sum(answered.get(name) == 1 for name in sound),
        "errors": errors,
        "alive": alive,
        "status": engine.wait(),
        "memory": [round(size, 1) for size in memory],
    }


def _resident(pid: int) -> float:
    """Memory of a process in MB (Linux)."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    assert found is not None
    return int(found[1]) / 1024


def overhead(rounds: int, nodes: int) -> dict[str, Any]:
    """Milliseconds of a query to the engine, of its search alone, and what is between.

    Median and least of each by the clock, and the mean of what the processor spent, which does not depend on what else
    the machine does.
    """
    engine = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin is not None and engine.stdout is not None
    view, solver = games.view_from(EXCHANGE), registry.find("ismcts")
    asked, alone = [], []
    engine_spent = search_spent = 0.0
    for i in range(rounds + 5):
        if i == 5:
            engine_spent, search_spent = -_spent(engine.pid), 0.0
        started = time.perf_counter()
        line = _line({"id": i, "action": "analyze", "position": EXCHANGE, "limit": {"nodes": nodes}, "seed": i})
        engine.stdin.write(line)
        engine.stdin.flush()
        engine.stdout.readline()
        asked.append(time.perf_counter() - started)
        started, spent = time.perf_counter(), time.thread_time()
        solver.decide(view, solvers.Limit(nodes=nodes), {"memory": 1 << 28}, 1, i)
        alone.append(time.perf_counter() - started)
        search_spent += time.thread_time() - spent
    engine_spent += _spent(engine.pid)
    engine.stdin.close()
    engine.wait()
    found: dict[str, Any] = {"rounds": rounds, "nodes": nodes}
    for name, query, bare in (
        ("median", statistics.median(asked[5:]), statistics.median(alone[5:])),
        ("least", min(asked[5:]), min(alone[5:])),
        ("processor", engine_spent / rounds, search_spent / rounds),
    ):
        parts = {"query": query, "search": bare, "overhead": query - bare}
        found[name] = {part: round(1000 * seconds, 2) for part, seconds in parts.items()}
    return found


def _spent(pid: int) -> float:
    """Seconds of the processor that a process has spent so far, to 10 ms (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(rounds: int) -> dict[str, Any]:
    """Seconds from the start of an engine to its first answer, and of the imports alone, in turn; and their ratio."""
    line = _line({"id": 1, "action": "analyze", "position": EXCHANGE, "limit": {"nodes": 1}})
    _seconds(ENGINE, line)
    pairs = [(_seconds(ENGINE, line), _seconds(IMPORTS, b"")) for _ in range(rounds)]
    ratios = [engine / imports for engine, imports in pairs]
    return {
        "rounds": rounds,
        "engine": _spread([pair[0] for pair in pairs]),
        "imports": _spread([pair[1] for pair in pairs]),
        "ratio": _spread(ratios),
    }


def _seconds(command: Sequence[str], line: bytes) -> float:
    """Until the first line of output, or the end of the process."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        process.stdout.readline()
        taken = time.perf_counter() - started
        process.stdin.close()
    return taken


def _spread(values: Sequence[float]) -> list[float]:
    """Median, least and greatest."""
    return [round(value, 3) for value in (statistics.median(values), min(values), max(values))]


def clients(number: int, seconds: float, nodes: int) -> dict[str, Any]:
    """So many clients that ask a server over and over for so long: answers, wrong ones, milliseconds by percentile."""
    server = subprocess.Popen(SERVE, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    port = int(server.stderr.readline().rsplit(":", 1)[1])
    texts = [move.text for move in games.view_from(EXCHANGE).moves()]
    taken: list[float] = []
    wrong: list[Any] = []
    _ask(port, {"position": EXCHANGE, "limit": {"nodes": 1}}, [])
    end = time.monotonic() + seconds

    def client(index: int) -> None:
        rng, count = random.Random(index), 0
        while time.monotonic() < end:
            count += 1
            move, seed = rng.choice(texts), rng.getrandbits(32)
            query = {"id": f"{index}/{count}", "position": EXCHANGE, "seed": seed, "allow": [move]}
            answer = _ask(port, query | {"limit": {"nodes": nodes}}, taken)
            if [answer.get(key) for key in ("id", "seed", "move")] != [query["id"], seed, move]:
                wrong.append(answer)

    threads = [threading.Thread(target=client, args=(index,)) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in tqdm(threads, desc="clients", disable=None):
        thread.join()
    server.terminate()
    server.wait()
    taken.sort()
    percentiles = {p: round(1000 * taken[min(len(taken) - 1, len(taken) * p // 100)], 1) for p in (50, 90, 99, 100)}
    return {
        "clients": number,
        "seconds": seconds,
        "nodes": nodes,
        "answers": len(taken),
        "wrong": len(wrong),
        "milliseconds": percentiles,
    }


def leave(rounds: int) -> dict[str, Any]:
    """Milliseconds until a server is idle again after the only client has hung up on an endless query."""
    server = subprocess.Popen(SERVE, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    port = int(server.stderr.readline().rsplit(":", 1)[1])
    _ask(port, {"position": EXCHANGE, "limit": {"nodes": 1}}, [])
    taken = []
    for _ in range(rounds):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        endless = json.dumps({"position": EXCHANGE, "limit": {"nodes": 10**9}})
        connection.request("POST", "/v1/move", endless, {"Content-Type": "application/json"})
        while _running(port) == 0:
            pass
        connection.close()
        started = time.perf_counter()
        while _running(port) > 0:
            pass
        taken.append(1000 * (time.perf_counter() - started))
    server.terminate()
    server.wait()
    return {"rounds": rounds, "milliseconds": _spread(taken)}


def _running(port: int) -> int:
    """Searches that a server is busy with."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/health")
    found = json.loads(connection.getresponse().read())
    connection.close()
    return found["running"]


def _ask(port: int, query: Query, taken: list[float]) -> dict[str, Any]:
    """The answer to a query for a move; how long it took goes to `taken`."""
    started = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/v1/move", json.dumps(query), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    taken.append(time.perf_counter() - started)
    return answer


def main() -> None:
    """Measures what the arguments say and prints it."""
    parser = argparse.ArgumentParser(prog="python -m voyageur.eval.service", description=__doc__)
    parser.add_argument("what", choices=["start", "overhead", "fuzz", "clients", "leave"])
    parser.add_argument("--rounds", type=int, default=10, help="of start, leave and, times 20, overhead (default 10)")
    parser.add_argument("--nodes", type=int, default=100, help="simulations of a query (default 100)")
    parser.add_argument("--lines", type=int, default=100_000, help="of fuzz (default 100000)")
    parser.add_argument("--seed", type=int, default=0, help="of fuzz")
    parser.add_argument("--clients", type=int, default=64, help="at the same time (default 64)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of clients (default 60)")
    args = parser.parse_args()
    measured = {
        "start": lambda: start(args.rounds),
        "overhead": lambda: overhead(20 * args.rounds, args.nodes),
        "fuzz": lambda: fuzz(args.lines, args.seed),
        "clients": lambda: clients(args.clients, args.seconds, args.nodes),
        "leave": lambda: leave(args.rounds),
    }[args.what]()
    print(json.dumps({args.what: measured}))


if __name__ == "__main__":
    main()
