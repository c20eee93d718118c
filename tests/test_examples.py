"""The examples run, each in a process of its own, and do what they say."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ENGINE = (sys.executable, "-m", "voyageur.cli.main", "engine")


def run(*command: str) -> list[str]:
    """What a command prints, line by line."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def example(name: str, *arguments: str) -> list[str]:
    """What an example in Python prints."""
    return run(sys.executable, f"examples/{name}.py", *arguments)


def test_bots() -> None:
    """Matches are played to their ends."""
    *matches, last = example("bots", "--games", "2", "--nodes", "20")
    assert len(matches) == 2 and all("won as seat" in line for line in matches)
    assert last.startswith("ismcts won") and last.endswith("of 2")


def test_hint() -> None:
    """The best moves, and a deal that fits."""
    *moves, world = example("hint", "docs/positions/yellowhouse-lead.yaml", "--seconds", "0.05")
    assert 1 <= len(moves) <= 3 and all("%" in line for line in moves) and world.startswith("it might be:")


def test_own_game() -> None:
    """The winning move from 21 stones leaves 20, and whoever plays on from there wins."""
    first, *moves, last = example("own_game", "21")
    assert first == "21 stones: take 1 (exact, +1.00)"
    assert moves[0] == "P0 take 1" and last == "returns [1.0, -1.0]"


def test_frontend() -> None:
    """A whole match against the engine."""
    *moves, last = example("frontend", "--random", "--nodes", "20")
    assert last in ("you won", "the engine won")
    assert len(moves) > 10 and all(line.startswith("seat ") for line in moves)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_frontend_in_node() -> None:
    """The same without a line of Python on the frontend's side."""
    *moves, last = run("node", "examples/frontend.mjs", "20", *ENGINE)
    assert last in ("chance won", "the engine won")
    assert len(moves) > 10 and all(line.startswith("round ") for line in moves)


def test_train() -> None:
    """A learning agent of OpenSpiel's goes through its environment."""
    before, after = example("train", "--seconds", "0.5", "--episodes", "3")
    assert before.startswith("before: the learner wins") and "episodes: the learner wins" in after
