"""Where compiled rules are kept between runs.

Numba's on-disk cache looks only at the file of the cached function. A search compiled against a game's rules
would therefore survive a change of those rules. Here the cache folder is named by a digest of every source file
that can hold compiled functions (and by numba's version), so that any change starts an empty folder.
"""

import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numba

ROOT = Path(__file__).resolve().parent.parent
_SOURCES = ("games/**/*.py", "games/**/*.json", "solvers/*.py")  # where anything is compiled, or goes into what is
_KEPT_DAYS = 30  # folders of other versions that nobody has used for so long are removed


_folder = ""  # that was chosen; empty where `NUMBA_CACHE_DIR` says it


@functools.cache
def source_digest() -> str:
    """Digest of the sources that compiled code hangs on (16 hexadecimal digits)."""
    return _digest(ROOT, [path for pattern in _SOURCES for path in sorted(ROOT.glob(pattern))])


def _digest(root: Path, paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _own_temporary_folder() -> Path:
    """A folder for this user below the temporary one; what is cached gets executed, so nobody else's will do."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"voyageur-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder if folder.stat().st_uid == user and not folder.is_symlink() else Path(tempfile.mkdtemp())


def use_cache_folder() -> str:
    """Points numba's cache at this package's own folder and returns it; call before the first `njit`.

    `NUMBA_CACHE_DIR` wins where it is set. Without a writable home the cache goes to a temporary folder.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        return str(numba.config.CACHE_DIR)
    base = Path(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"))
    name = f"numba-{numba.__version__}-{source_digest()}"
    folder = base / "voyageur" / name
    if not base.is_absolute() or not _writable(folder):  # "~" stays where there is no home
        folder = _own_temporary_folder() / name
        folder.mkdir(parents=True, exist_ok=True)
    _remove_old(folder)
    return _choose(folder)


def _choose(folder: Path) -> str:
    global _folder
    _folder = str(folder)
    set_folder()
    return _folder


def set_folder() -> None:
    """Points numba's cache at the chosen folder again: numba forgets it whenever a variable `NUMBA_...` changes."""
    if _folder:
        numba.config.CACHE_DIR = _folder


def _remove_old(folder: Path) -> None:
    """Removes the folders beside `folder` that have long been out of use; every change of the sources leaves one."""
    try:
        os.utime(folder)
        for other in folder.parent.iterdir():
            if time.time() - other.stat().st_mtime > _KEPT_DAYS * 86_400:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        pass  # somebody else is at it


def watch(folder: Path) -> str:
    """Has the sources in `folder`, a game of your own, count as well; returns the folder of the cache.

    To be called before that game and `voyageur.solvers` are imported; raises RuntimeError afterwards, when functions
    have been given their place already.
    """
    if "voyageur.solvers" in sys.modules:
        raise RuntimeError("voyageur.solvers is imported already; call watch before that")
    sources = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".json"))
    return _choose(Path(numba.config.CACHE_DIR) / _digest(folder, sources))
