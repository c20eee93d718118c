"""Asking a person for a line: with completion on a terminal, plainly where there is none."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any


class Prompt:
    """Reads lines. On a terminal it completes them, and tells `touched` as soon as anything is typed."""

    def __init__(self, touched: Callable[[], None]) -> None:
        self._session: Any = None
        self.on_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        if self.on_terminal and os.environ.get("TERM") != "dumb":
            from prompt_toolkit import PromptSession

            self._session = PromptSession(complete_while_typing=False)
            self._session.default_buffer.on_text_changed += lambda buffer: touched()

    def ask(self, question: str, words: Sequence[str] = ()) -> str:
        """One line, without spaces around it; raises EOFError when there are no more."""
        if self._session is None:
            return self._ask_plainly(question)
        from prompt_toolkit.completion import WordCompleter

        completer = WordCompleter(list(words), ignore_case=True, sentence=True, match_middle=True)
        return self._session.prompt(question, completer=completer).strip()

    def _ask_plainly(self, question: str) -> str:
        print(question, end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            print()
            raise EOFError
        if not self.on_terminal:
            print(line.rstrip("\n"))
        return line.strip()
