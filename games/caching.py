"""Where compiled rules are kept between runs.

Numba's on-disk cache looks only at the file of the cached function. A search compiled against a game's rules
would therefore survive a change of those rules. Here the cache folder is named by a digest of every source file
of the package (and by numba's version), so that any change starts an empty folder.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import numba

_PACKAGES = ("games", "solvers", "eval", "cli")


def source_digest(root: Path) -> str:
    """Digest of all Python sources of the four packages below `root` (16 hexadecimal digits)."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
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


def use_cache_folder() -> str:
    """Points numba's cache at this package's own folder and returns it; call before the first `njit`.

    `NUMBA_CACHE_DIR` wins where it is set. Without a writable home the cache goes to a temporary folder.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        return str(numba.config.CACHE_DIR)
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    name = f"numba-{numba.__version__}-{source_digest(Path(__file__).resolve().parent.parent)}"
    folder = base / "voyageur" / name
    if not _writable(folder):
        user = os.getuid() if hasattr(os, "getuid") else "user"
        folder = Path(tempfile.gettempdir()) / f"voyageur-{user}" / name
        folder.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(folder)
    return str(folder)
