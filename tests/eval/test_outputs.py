"""Whether a file can be written, before there is anything to write."""

import os
from pathlib import Path

import pytest

from voyageur.eval.outputs import check_writable


@pytest.mark.parametrize(
    ("closed", "refused", "refused_whole"), [("", False, False), ("old", True, True), (".", False, True)]
)
def test_what_may_be_written(
    closed: str, refused: bool, refused_whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is there by itself; where it is written under another name first, its folder too."""
    (tmp_path / "old").touch()
    monkeypatch.setattr(os, "access", lambda place, mode: not closed or Path(place) != tmp_path / closed)
    for whole, expected in ((False, refused), (True, refused_whole)):
        if expected:
            with pytest.raises(ValueError, match=r"^-o: cannot write to "):
                check_writable("-o", str(tmp_path / "old"), whole=whole)
        else:
            check_writable("-o", str(tmp_path / "old"), whole=whole)


def test_a_new_file_needs_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is none, nothing can be written; nor to a folder."""
    monkeypatch.chdir(tmp_path)
    check_writable("-o", "new")
    for path in ("nowhere/new", "."):
        with pytest.raises(ValueError, match=r"^-o: cannot write to "):
            check_writable("-o", path)
