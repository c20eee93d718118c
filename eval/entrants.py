"""Who plays in a tournament: entrants, as people write them and as bots.

An entrant is written `SOLVER` or `SOLVER:option=value,option=value` for one of ours, as in
`ismcts:seconds=1,threads=1`, or `MODULE:FACTORY` (and options after a further colon) for anything that can be imported.
A factory is called as `factory(game, player, seed, **options)` and returns a `pyspiel.Bot`.
"""

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyspiel

from voyageur import solvers
from voyageur.games.words import one_line
from voyageur.solvers import Limit, registry

_LIMITS = ("seconds", "nodes")


@dataclass(frozen=True)
class Entrant:
    """One entrant.

    Attributes:
      name: what it is called in tables.
      spec: as it was written.
      made_by: the solver's name, or `module:factory`.
      options: those of the spec, limits and threads included.
    """

    name: str
    spec: str
    made_by: str
    options: Mapping[str, Any]

    @property
    def seconds(self) -> float | None:
        """How long it means to think about a move, where it says so."""
        return self.options.get("seconds")

    def bot(self, game: Any, player: int, seed: int) -> pyspiel.Bot:
        """A bot of its own; raises ValueError, in one line, whatever is wrong with what is imported or called."""
        try:
            found = self._made(game, player, seed)
        except Exception as error:
            raise ValueError(f"cannot be loaded: {type(error).__name__}: {one_line(error)}") from None
        if not isinstance(found, pyspiel.Bot):
            raise ValueError(f"cannot be loaded: expected a pyspiel.Bot, got a {type(found).__name__}")
        return found

    def _made(self, game: Any, player: int, seed: int) -> Any:
        if ":" not in self.made_by:
            return self._solver(game, player, seed)
        module, name = self.made_by.split(":")
        return getattr(importlib.import_module(module), name)(game, player, seed, **self.options)

    def _solver(self, game: Any, player: int, seed: int) -> pyspiel.Bot:
        options = dict(self.options)
        given = {name: options.pop(name) for name in _LIMITS if name in options}
        limit = Limit(**given) if given else None
        return solvers.make_bot(self.made_by, game, player, limit, seed, options.pop("threads", 1), **options)


@contextlib.contextmanager
def from_here() -> Iterator[None]:
    """Meanwhile modules are found in the current folder too, as with `python -m`."""
    sys.path.insert(0, here := os.getcwd())
    try:
        yield
    finally:
        sys.path.remove(here)  # the first of its kind: none from elsewhere is lost


def parse(
    spec: str, game: Any, name: str | None = None, seconds: float | None = None, nodes: int | None = None
) -> Entrant:
    """The entrant that `spec` says, for `game`; `seconds` and `nodes` are for a solver that says no limit itself.

    Whether it fits is not looked at where `game` is None.
    Raises ValueError, in one line, for a spec that cannot be read, and for a solver of ours that does not fit the game.
    What is to be imported is not looked at: an entrant that fails to load forfeits its games.
    """
    try:
        return _read(spec, game, name or spec, {"seconds": seconds} if nodes is None else {"nodes": nodes})
    except (ValueError, TypeError) as error:
        raise ValueError(f"entrant {spec!r}: {error}") from None


def _read(spec: str, game: Any, name: str, limit: Mapping[str, Any]) -> Entrant:
    first, _, rest = spec.partition(":")
    if first not in registry.SOLVERS:
        factory, options = registry.parse(rest, {}, {})
        _check_seconds(options)
        if not (factory.isidentifier() and all(part.isidentifier() for part in first.split("."))):
            known = ", ".join(registry.SOLVERS)
            raise ValueError(f"expected a solver ({known}) with options, or module:factory")
        return Entrant(name, spec, f"{first}:{factory}", options)
    _, options = registry.parse(spec, {})
    if not registry.SOLVERS[first].instant and not any(key in options for key in _LIMITS):
        options |= limit if None not in limit.values() else {"seconds": 1.0}
    _check_seconds(options)
    entrant = Entrant(name, spec, first, options)
    if game is not None:
        entrant._solver(game, 0, 0)
    return entrant


def _check_seconds(options: Mapping[str, Any]) -> None:
    value = options.get("seconds", 1)
    if type(value) not in (int, float) or not 0 < value < 1e6:
        raise ValueError(f"seconds: expected a number above 0, got {value}")
