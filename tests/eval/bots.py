"""Entrants for tests: one that plays, and others that fail in every way."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pyspiel


class Bot(pyspiel.Bot):
    """Plays the first legal action, or fails as its kind says."""

    def __init__(self, player: int, kind: str, flag: str | None) -> None:
        super().__init__()
        self._player, self._kind, self._flag = player, kind, flag

    def step(self, state: Any) -> Any:
        """The first legal action, unless its kind says otherwise."""
        if self._kind == "raises":
            raise RuntimeError("two\nlines \udcff")  # as in a file's name that is not UTF-8
        if self._kind == "illegal":
            return 999
        if self._kind == "nothing":
            return None
        if self._kind == "dies":
            os._exit(7)
        if self._kind == "interrupted":
            sys.exit(3)
        while self._kind == "hangs":
            pass
        if self._flag and not Path(self._flag).exists():
            Path(self._flag).touch()
            os.kill(os.getppid(), signal.SIGKILL)  # whoever guards this process
            while True:
                pass
        return state.legal_actions(self._player)[0]

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Fails here, if that is its kind."""
        if self._kind == "deaf":
            raise RuntimeError("what?")


def play(game: Any, player: int, seed: int, kind: str = "plays", flag: str | None = None) -> Bot:
    """A bot of that kind; with `flag`, while there is no such file, it makes it and kills what guards its process."""
    if kind == "unloadable":
        raise OSError("no weights")
    return Bot(player, kind, flag) if kind != "absent" else None  # type: ignore[return-value]
