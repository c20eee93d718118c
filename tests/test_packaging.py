"""What is installed: every package, with its data, and nothing under a name that is not ours."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOP = ("games", "solvers", "eval", "cli")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
DATA_PATTERNS = SETUPTOOLS["package-data"]["*"]


def package_folders() -> set[str]:
    """Every folder of ours with an `__init__.py`, as a package's name."""
    found = set()
    for top in TOP:
        for path in (ROOT / top).rglob("__init__.py"):
            found.add(".".join(("voyageur", *path.parent.relative_to(ROOT).parts)))
    return found


def data_files() -> set[str]:
    """Every file in a package that is no source, as it is called in a wheel."""
    return {
        f"voyageur/{path.relative_to(ROOT).as_posix()}"
        for top in TOP
        for path in (ROOT / top).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }


def test_every_package_is_listed() -> None:
    """pyproject.toml names each package folder, and nothing else."""
    listed = SETUPTOOLS["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == package_folders()
    assert SETUPTOOLS["package-dir"] == {f"voyageur.{top}": top for top in TOP}


def test_every_source_is_in_a_package() -> None:
    """No folder with sources lacks its `__init__.py`."""
    folders = {path.parent for top in TOP for path in (ROOT / top).rglob("*.py")}
    assert not [str(folder) for folder in folders if not (folder / "__init__.py").is_file()]


@pytest.mark.parametrize("top", TOP)
def test_types_are_announced(top: str) -> None:
    """Each top package has a `py.typed`."""
    assert (ROOT / top / "py.typed").is_file()


def test_every_data_file_has_a_pattern() -> None:
    """No file would be left out of a wheel."""
    for name in data_files():
        assert any(Path(name).match(pattern) for pattern in DATA_PATTERNS), name


def can_build() -> bool:
    """Whether the build backend that pyproject.toml asks for is installed."""
    try:
        major = int(version("setuptools").split(".")[0])
        version("pip")
    except PackageNotFoundError:
        return False
    (required,) = PROJECT["build-system"]["requires"]
    return major >= int(required.removeprefix("setuptools>="))


@pytest.mark.skipif(not can_build(), reason="the build backend is not installed")
def test_wheel(tmp_path: Path) -> None:
    """A wheel holds all sources and data files of `voyageur`, the command, and no other package."""
    source, target = tmp_path / "source", tmp_path / "wheel"
    source.mkdir()
    for top in TOP:
        shutil.copytree(ROOT / top, source / top, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(target), str(source)], check=True, capture_output=True)
    (wheel,) = target.glob("voyageur-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (commands,) = (name for name in names if name.endswith(".dist-info/entry_points.txt"))
        assert "voyageur = voyageur.cli.main:main" in archive.read(commands).decode()
    found = {name for name in names if ".dist-info/" not in name}
    sources = {f"voyageur/{path.relative_to(ROOT).as_posix()}" for top in TOP for path in (ROOT / top).rglob("*.py")}
    assert found == sources | data_files()
    assert {f"voyageur/{top}/py.typed" for top in TOP} <= found


BARE = """
import importlib.util, sys
import voyageur.games
sys.exit(" ".join(name for name in sys.argv[1:] if importlib.util.find_spec(name)) or 0)
"""


def test_no_bare_package_is_importable(tmp_path: Path) -> None:
    """From anywhere else `voyageur.games` is importable, and no plain `games`."""
    done = subprocess.run([sys.executable, "-c", BARE, *TOP, "tests"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_no_bare_package_is_importable_here() -> None:
    """Nor in the tests themselves, where the folders lie next to them."""
    import importlib.util

    assert not [name for name in TOP if importlib.util.find_spec(name)]
