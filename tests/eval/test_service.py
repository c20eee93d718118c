"""What measures how the engine bears up, on a small scale."""

import json
import random

from voyageur.eval import service


def test_fuzz_lines() -> None:
    """The same seed, the same lines; each is one line, sound ones are JSON with their id, there are many of both."""
    lines = list(service.fuzz_lines(2000, seed=1))
    assert lines == list(service.fuzz_lines(2000, seed=1)) != list(service.fuzz_lines(2000, seed=2))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line, _ in lines)
    sound = [(json.loads(line)["id"], name) for line, name in lines if name is not None]
    assert 300 < len(sound) < 500 and all(told == name for told, name in sound)
    assert max(len(line) for line, _ in lines) > 1 << 19


def test_damage_is_done() -> None:
    """Broken lines differ from what they were made of."""
    rng, line = random.Random(1), b'{"action": "version", "id": 123456}\n'
    assert sum(service._damaged(line, rng) != line for _ in range(100)) > 90


def test_fuzz() -> None:
    """A small run: everything sound is answered, and the engine leaves in peace."""
    found = service.fuzz(60, seed=3)
    assert found["sound"] == found["answered"] > 5
    assert found["alive"] and found["status"] == 0 and len(found["memory"]) == 10


def test_clients() -> None:
    """A few clients for a moment: every answer is the one that was asked for."""
    found = service.clients(number=4, seconds=0.5, nodes=20)
    assert found["wrong"] == 0 and found["answers"] >= 4
    assert 0 < found["milliseconds"][50] <= found["milliseconds"][99] <= found["milliseconds"][100]


def test_overhead_and_start() -> None:
    """Figures of one round."""
    start = service.start(rounds=1)
    assert all(value > 0 for value in (*start["engine"], *start["imports"], *start["ratio"]))
    least = service.overhead(rounds=2, nodes=20)["least"]
    assert least["query"] > 0 and least["search"] > 0
