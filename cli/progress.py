"""Progress on standard error, and nothing where that is no terminal."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


class _Compiling(event.Listener):
    """Tells that functions are being compiled, which only the first use of a game does."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._functions = 0

    def on_start(self, event: Any) -> None:
        """One more function is being compiled."""
        self._functions += 1
        self._bar.delay = 0
        self._bar.set_description_str(f"compiling the rules, this once ({self._functions} functions)")

    def on_end(self, event: Any) -> None:
        """Nothing to tell."""


@contextmanager
def bar(what: str, delay: float = 0.0) -> Iterator[Callable[..., None]]:
    """A progress bar; yields what is to be called with (how much was done, part of all there is to do, a note).

    With a `delay` in seconds it is not shown before, unless something has to be compiled.
    """
    from tqdm import tqdm  # slow to import, and whoever serves other programs shows no bar

    tqdm.set_lock(threading.RLock())  # its own serves several processes, and takes long to make
    look = "{desc}: {bar} {postfix}"
    with tqdm(total=100, desc=what, unit="%", leave=False, disable=None, bar_format=look, delay=delay) as shown:

        def report(done: int, part: float, note: str = "") -> None:
            shown.set_description_str(what)
            shown.set_postfix_str(f"{done:,} {note}", refresh=False)
            shown.update(round(100 * part) - shown.n)

        with event.install_listener("numba:compile", _Compiling(shown)):
            yield report
