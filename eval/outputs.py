"""Files that are asked for, checked before the work whose results they are to hold; and plots."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from voyageur.games.words import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".svg", ".png")  # the same plot makes the same file, which no .pdf is


def check_writable(option: str, path: str, *others: str | None, whole: bool = False) -> None:
    """Raises ValueError, in one line, if no file can be written to `path`: better now than when all is done.

    Nor may it be one of the `others`, which are read, or written too. `whole`: it is written under another name first.
    """
    places = [path] if os.path.exists(path) else []
    if whole or not places:
        places.append(os.path.dirname(path) or ".")
    if os.path.isdir(path) or not all(os.access(place, os.W_OK) for place in places):
        raise ValueError(f"{option}: cannot write to {shown(path)}")
    if any(other is not None and os.path.realpath(path) == os.path.realpath(other) for other in others):
        raise ValueError(f"{option}: expected a file of its own, got {shown(path)}")


def check_plot(path: str, *others: str | None) -> None:
    """Raises ValueError, in one line, if no plot can be written to `path`; see `check_writable`."""
    if Path(path).suffix not in PICTURES:
        raise ValueError(f"--plot: expected a file that ends in {', '.join(PICTURES)}, got {shown(path)}")
    check_writable("--plot", path, *others)


def save_plot(figure: "Figure", path: str | os.PathLike[str]) -> None:
    """Writes a figure, the same one always to the same bytes; raises ValueError for what matplotlib cannot write."""
    import matplotlib  # takes long to load, and only a plot needs it

    with matplotlib.rc_context({"svg.hashsalt": "voyageur"}):
        figure.savefig(path, metadata={"Date": None} if Path(path).suffix == ".svg" else None)
