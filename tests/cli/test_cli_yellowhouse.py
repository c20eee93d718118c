"""The command line with The Yellow House: from an opening to advice."""

import json
from pathlib import Path

import pytest

from voyageur import games
from voyageur.cli import main as cli

POSITIONS = Path(__file__).parents[2] / "docs" / "positions"
REPEATABLE = ("--nodes", "300", "--seed", "1", "--threads", "1")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    capsys.readouterr()
    try:
        status = cli.main(arguments)
    except SystemExit as left:
        assert isinstance(left.code, int)
        status = left.code
    return (status, *capsys.readouterr())


@pytest.mark.parametrize("viewer", [(), ("--viewer", "1")])
def test_new(viewer: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An opening is dealt up to the exchange, and can be shown again."""
    path = tmp_path / "opening.yaml"
    assert run(capsys, "new", "yellowhouse", "--seed", "3", *viewer, "-o", str(path)) == (0, "", "")
    position = games.read(path)
    assert position["phase"] == "exchange"
    assert isinstance(position["players"][0]["hand"], int) == bool(viewer)
    status, out, err = run(capsys, "show", str(path))
    assert (status, err) == (0, "")
    assert "both choose a gift" in out
    assert ("12 cards" in out) == bool(viewer)


def test_moves_at_the_end_of_a_round(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Moves in words; one that ends the round leads to the next deal, which is a position too."""
    path = tmp_path / "last.json"
    hands = [{"hand": {"R": 1}, "out": {"R": 4, "V": 4, "G": 3}}, {"hand": {"V": 1}, "out": {"V": 1, "G": 4, "Y": 6}}]
    games.write({"game": "yellowhouse", "phase": "play", "players": hands}, path)
    assert run(capsys, "moves", str(path)) == (0, "claim R\n", "")
    (line,) = run(capsys, "moves", str(path), "--json")[1].splitlines()
    assert json.loads(line)["position"] == {
        "game": "yellowhouse", "round": 2, "phase": "deal", "leader": 0, "players": [{"palette": ["R"]}, {}]
    }  # fmt: skip


@pytest.mark.parametrize("name", ["exchange", "lead", "late"])
def test_hint(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Advice on each example: a mixture for the exchange, a move elsewhere; the same bytes each time."""
    path = str(POSITIONS / f"yellowhouse-{name}.yaml")
    status, out, err = run(capsys, "hint", path, *REPEATABLE)
    assert (status, err) == (0, "")
    assert ("Mix: " in out) == (name == "exchange")
    assert "Expected returns: P0 " in out
    found = run(capsys, "hint", path, *REPEATABLE, "--json", "--top", "20")
    assert found == run(capsys, "hint", path, *REPEATABLE, "--json", "--top", "20")
    moves = json.loads(found[1])["moves"]
    assert {move["move"] for move in moves} == {move.text for move in games.view_from(games.read(path)).moves()}


HANDS = [{"hand": {"R": 6, "V": 6}}, {"hand": {"G": 6, "Y": 6}}]
BAD = {
    "exchange without viewer": (
        {"phase": "exchange", "players": HANDS},
        "viewer: expected a seat, as in viewer: 0 (everybody decides at once",
    ),
    "deal": ({"phase": "deal", "players": [{}, {}]}, "nobody decides here: chance is next"),
    "hidden": ({"phase": "play", "players": [{"hand": 12}, HANDS[1]]}, "players[0].hand: a hidden hand"),
    "both known": ({"phase": "play", "viewer": 0, "players": HANDS}, "players[1].hand: expected a number"),
    "no phase": ({"players": [{}, {}]}, "phase: expected one of deal, exchange, play, over, got null"),
    "three players": ({"phase": "deal", "players": [{}, {}, {}]}, "players: expected a list of 2, got 3"),
}


@pytest.mark.parametrize(("position", "message"), BAD.values(), ids=BAD)
def test_bad_positions(
    position: games.Position, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Exit status 2, and one line that says where."""
    path = tmp_path / "bad.yaml"
    games.write({"game": "yellowhouse", **position}, path)
    status, out, err = run(capsys, "hint", str(path), "--nodes", "5")
    assert (status, out) == (2, "")
    assert err.startswith(f"voyageur hint: {message}") and err.count("\n") == 1
