"""`voyageur engine` as a process, and what ends it."""

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from voyageur.cli import main as cli
from voyageur.solvers.engine import Engine, Lines

COMMAND = [sys.executable, "-m", "voyageur.cli.main", "engine", "--workers", "1"]
ENDLESS: dict[str, Any] = {
    "id": "e",
    "action": "move",
    "position": {"game": "yellowhouse", "phase": "deal", "players": [{}, {}]},
    "viewer": 0,
    "limit": {"nodes": 10**9},
}


def test_process() -> None:
    """It answers a line a query, says nothing else, and leaves at the end of input with status 0."""
    asked = b'{"id": 1, "action": "version"}\nnonsense\n{"id": 2, "action": "version"}'
    done = subprocess.run(COMMAND, input=asked, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    first, second, third = (json.loads(line) for line in done.stdout.splitlines())
    assert first["workers"] == 1 and second["error"] and third["id"] == 2


def test_wrong_flags(capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2 and one line."""
    for flags in (["--workers", "0"], ["--workers", "1000"], ["--threads", "2"]):
        with pytest.raises(SystemExit) as left:
            cli.main(["engine", *flags])
        assert left.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


class Interrupted(io.BytesIO):
    """A stream at whose end the user hits Ctrl-C."""

    def readline(self, size: int | None = -1) -> bytes:
        """The next line."""
        line = super().readline(size)
        if not line:
            raise KeyboardInterrupt
        return line


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends what runs, which still answers; the status is 130."""
    answers = io.BytesIO()
    with pytest.raises(KeyboardInterrupt):
        Lines(Engine(1), Interrupted(json.dumps(ENDLESS).encode() + b"\n"), answers).run()
    answer = json.loads(answers.getvalue())
    assert answer["id"] == "e" and answer["stopped"] and answer["move"].startswith("give ")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Interrupted(b"")))
    assert cli.main(["engine"]) == 130
