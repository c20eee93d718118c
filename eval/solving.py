"""What `voyageur solve` needs around the solver: games by name, what will be needed, how far it is, and a plot."""

import importlib.util
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyspiel

from voyageur import games
from voyageur.games.spiel import DEFINITIONS
from voyageur.games.words import shown
from voyageur.solvers import cfr
from voyageur.solvers.flatten import Flat

PICTURES = (".svg", ".png", ".pdf")


def load(name: str, params: Sequence[str] = ()) -> Any:
    """A game of ours or of OpenSpiel's, with parameters as texts `name=value`.

    Raises ValueError, in one line, for a name or a parameter that there is not.
    """
    given: dict[str, Any] = {}
    for text in params:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ValueError(f"--param: expected NAME=VALUE, got {shown(text)}")
        given[key] = _value(value)
    if name in DEFINITIONS:
        return games.load(name, **given)
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        raise ValueError(
            f"game: unknown game {shown(name)}; ours are {', '.join(games.names())}, or any of OpenSpiel's"
        )
    known = kinds[name].parameter_specification
    for key, value in given.items():  # OpenSpiel itself would write to standard error
        if key not in known:
            raise ValueError(f"{key}: {name} has no such parameter; it has {', '.join(sorted(known)) or 'none'}")
        if type(known[key]) in (bool, int, str) and type(value) is not type(known[key]):
            raise ValueError(f"{key}: expected a value like {known[key]}, got {shown(value)}")
    return pyspiel.load_game(name, given) if given else pyspiel.load_game(name)


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "null": None}.get(text.lower(), text)


def size(name: str, flat: Flat) -> str:
    """What solving the game takes, in a line; and what its NashConv does not promise, where that is so."""
    sets = " + ".join(f"{n:,}" for n in (flat.form.infos[1:] - flat.form.infos[:-1]).tolist())
    lines = [
        f"{name}: {sets} information sets, {len(flat.actions):,} sequences, {flat.histories:,} ends; "
        f"{flat.bytes / 1e6:,.0f} MB laid flat, {cfr.Cfr.bytes(flat) / 1e6:,.0f} MB more to solve"
    ]
    if flat.players > 2 or not flat.zero_sum:
        lines.append("Not a zero-sum game of two: nothing promises an equilibrium; NashConv says how far it gets.")
    return "\n".join(lines)


def part(points: Sequence[tuple[int, float]], iterations: int, target: float) -> float:
    """How far along a solver is, from 0 to 1: by iterations, or by the orders of magnitude of NashConv."""
    (_, first), (done, gap) = points[0], points[-1]
    by_gap = math.log(first / gap) / math.log(first / target) if first > target and gap > 0 else 1.0
    return min(1.0, max(0.0, by_gap, done / iterations))


def check_writable(option: str, path: str) -> None:
    """Raises ValueError, in one line, if no file can be written to `path`: better now than when all is done."""
    if os.path.isdir(path) or not os.access(Path(path).parent, os.W_OK):
        raise ValueError(f"{option}: cannot write to {shown(path)}")


def check_plot(path: str) -> None:
    """Raises ValueError, in one line, if no plot can be written to `path`."""
    if Path(path).suffix not in PICTURES:
        raise ValueError(f"--plot: expected a file that ends in {', '.join(PICTURES)}, got {shown(path)}")
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("--plot: needs matplotlib (pip install voyageur[plot])")
    check_writable("--plot", path)


def plot(path: str, curves: Mapping[str, Sequence[tuple[int, float]]], title: str) -> None:
    """Draws NashConv by iterations, both on logarithmic scales, a curve an algorithm."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    for name, points in curves.items():
        axes.loglog(*zip(*points, strict=True), label=name)
    axes.set(xlabel="iterations", ylabel="NashConv", title=title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
