"""The games that voyageur comes with, registered without being loaded.

OpenSpiel wants to know a game's parameters when it is registered, but to load a game takes long: each of its functions
is made ready for numba. So what is known of the games is found once, by loading them all, and kept beside their
compiled code under a digest of the sources.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from voyageur.games import caching, spiel
from voyageur.games.words import Info, Listing


def register(modules: Sequence[str], folder: str) -> None:
    """Registers the games in `modules`, each to be imported when it is first asked for.

    What is known of them is kept in `folder`; without that they are all imported.
    """
    path = Path(folder) / f"games-{caching.source_digest()}.json"
    listings = _read(path)
    if list(listings) != list(modules):
        listings = {module: import_module(module).DEFINITION.listing for module in modules}
        _write(path, listings)
    for module, listing in listings.items():
        spiel.register_module(module, listing)


def _read(path: Path) -> dict[str, Listing]:
    """The listings by module; none where they cannot be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {
            module: Listing(**{**entry, "players": tuple(entry["players"]), "info": Info(**entry["info"])})
            for module, entry in found.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _write(path: Path, listings: Mapping[str, Listing]) -> None:
    replacement = path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):  # then the games are loaded again next time
        replacement.write_text(json.dumps({module: asdict(found) for module, found in listings.items()}))
        os.replace(replacement, path)
