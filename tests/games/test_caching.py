"""The cache of compiled code: never older than the rules, in the folder that was asked for, and always somewhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("games", "solvers", "eval", "cli")

# Stands for the search: a compiled function in a file that does not change, which calls a game's rules.
PROBE = """
import json
import os
import numba
import voyageur.games
from voyageur import games
from voyageur.games import rules

@numba.njit(cache=True)
def ask(s, c):
    return rules.mixed(s, c)

os.environ["NUMBA_COLOR_SCHEME"] = "dark_bg"
numba.config.reload_config()  # which numba does by itself where a variable has changed, and forgets its folder
game = games.load("niagara", first_player=0)
answer = bool(ask(game.new_initial_state().box.s, game.c))
print(json.dumps({
    "file": voyageur.games.__file__,
    "answer": answer,
    "loaded": sum(ask.stats.cache_hits.values()),
    "folder": numba.config.CACHE_DIR,
}))
"""

# Which games are loaded once they are registered.
LISTING = """
import json
import sys
import numba
import pyspiel
import voyageur.games
from voyageur.games import spiel

assert set(spiel.DEFINITIONS) <= set(pyspiel.registered_names())
loaded = [name for name in spiel.DEFINITIONS if f"voyageur.games.{name}" in sys.modules]
print(json.dumps({"file": voyageur.games.__file__, "loaded": loaded, "folder": numba.config.CACHE_DIR}))
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the packages, laid out as they are installed, with the probes beside them."""
    folder = tmp_path / "site"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / "voyageur" / package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "probe.py").write_text(PROBE)
    (folder / "listing.py").write_text(LISTING)
    return folder


def run(sources: Path, probe: str = "probe.py", **variables: str) -> dict[str, Any]:
    """What a probe prints in a process of its own."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NUMBA_", "XDG_", "PYTEST", "COV")) and name != "PYTHONPATH"
    }
    result = subprocess.run(
        [sys.executable, sources / probe],
        env=environment | {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert Path(answer["file"]).is_relative_to(sources)
    return answer


def compiled(folder: Path) -> list[Path]:
    """The files of compiled code below a folder."""
    return list(folder.rglob("*.nbc"))


def test_changed_rules_are_seen(sources: Path, tmp_path: Path) -> None:
    """A second process takes what the first compiled; after a change of the rules neither does."""
    cache = tmp_path / "cache"
    first = run(sources, XDG_CACHE_HOME=str(cache))
    assert Path(first["folder"]).is_relative_to(cache / "voyageur")
    assert (first["answer"], first["loaded"]) == (True, 0)
    assert compiled(cache)
    assert run(sources, XDG_CACHE_HOME=str(cache)) == first | {"loaded": 1}

    path = sources / "voyageur" / "games" / "niagara" / "rules.py"
    text = path.read_text(encoding="utf-8")
    edited = text.replace(
        "def mixed(s, c):\n    return s.phase == CHOOSE", "def mixed(s, c):\n    return s.phase == ACT"
    )
    assert edited != text
    path.write_text(edited, encoding="utf-8")
    after = run(sources, XDG_CACHE_HOME=str(cache))
    assert (after["answer"], after["loaded"]) == (False, 0)
    assert after["folder"] != first["folder"]

    path.write_text(text, encoding="utf-8")
    assert run(sources, XDG_CACHE_HOME=str(cache))["answer"] is True


def test_any_source_file_counts(sources: Path, tmp_path: Path) -> None:
    """A new or changed file in a package that compiles means another folder; other files do not."""
    folders = [run(sources, XDG_CACHE_HOME=str(tmp_path / "cache"))["folder"]]
    for package in ("games", "solvers"):
        (sources / "voyageur" / package / "extra.py").write_text("VALUE = 1\n")
        folders.append(run(sources, XDG_CACHE_HOME=str(tmp_path / "cache"))["folder"])
    assert len(set(folders)) == len(folders)
    (sources / "voyageur" / "games" / "notes.txt").write_text("nothing\n")
    for package in ("eval", "solvers/engine"):
        (sources / "voyageur" / package / "extra.py").write_text("VALUE = 1\n")
    assert run(sources, XDG_CACHE_HOME=str(tmp_path / "cache"))["folder"] == folders[-1]


def test_games_are_loaded_when_they_are_asked_for(sources: Path, tmp_path: Path) -> None:
    """Once it is known what there is, registering loads nothing; where what is known is damaged, all games again."""
    cache = str(tmp_path / "cache")
    first = run(sources, "listing.py", XDG_CACHE_HOME=cache)
    assert "niagara" in first["loaded"]
    assert run(sources, "listing.py", XDG_CACHE_HOME=cache)["loaded"] == []
    (kept,) = Path(first["folder"]).glob("games-*.json")
    text = kept.read_text(encoding="utf-8")
    kept.write_text(text[:-9], encoding="utf-8")
    assert run(sources, "listing.py", XDG_CACHE_HOME=cache) == first
    assert kept.read_text(encoding="utf-8") == text


def test_the_variable_of_numba_wins(sources: Path, tmp_path: Path) -> None:
    """With `NUMBA_CACHE_DIR` compiled code goes there and nowhere else."""
    cache, own = tmp_path / "cache", tmp_path / "own"
    answer = run(sources, XDG_CACHE_HOME=str(cache), NUMBA_CACHE_DIR=str(own))
    assert answer["folder"] == str(own)
    assert compiled(own)
    assert not cache.exists()


def test_home_that_cannot_be_written(sources: Path, tmp_path: Path) -> None:
    """Without a writable home the cache goes to a temporary folder."""
    blocked, temporary = tmp_path / "blocked", tmp_path / "temporary"
    blocked.write_text("a file, so that no folder can be made below it")
    temporary.mkdir()
    for variables in ({"HOME": str(blocked / "home")}, {"XDG_CACHE_HOME": str(blocked / "cache")}):
        answer = run(sources, TMPDIR=str(temporary), **variables)
        assert Path(answer["folder"]).is_relative_to(temporary)
        assert answer["answer"] is True
    assert compiled(temporary)


def test_what_is_not_watched_compiles_nothing() -> None:
    """No compiled function in the packages that the folder's name does not depend on."""
    for package in ("eval", "cli", "solvers/engine"):
        for path in (ROOT / package).rglob("*.py"):
            assert "njit" not in path.read_text(encoding="utf-8"), path


WATCHED = """
import sys
from pathlib import Path
from voyageur.games import caching
folder = caching.watch(Path(sys.argv[1]))
import numba, voyageur.solvers
assert numba.config.CACHE_DIR == folder
print(folder)
try:
    caching.watch(Path(sys.argv[1]))
except RuntimeError as error:
    print(error)
"""


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    """Its sources count too, once it is watched, which has to be said before the search is imported."""
    rules = tmp_path / "own" / "rules.py"
    rules.parent.mkdir()
    folders = []
    for text in ("VALUE = 1\n", "VALUE = 2\n", "VALUE = 1\n"):
        rules.write_text(text)
        done = subprocess.run([sys.executable, "-c", WATCHED, rules.parent], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        folder, late = done.stdout.splitlines()
        assert late == "voyageur.solvers is imported already; call watch before that"
        folders.append(folder)
    assert folders[0] == folders[2] != folders[1]
