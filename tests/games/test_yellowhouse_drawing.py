"""The drawing of The Yellow House, for every worked position, at several widths."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from voyageur import games
from voyageur.games.yellowhouse import rules as yellowhouse

DATA = Path(__file__).parents[1] / "data" / "yellowhouse.jsonl"
CASES = [
    case for case in map(json.loads, DATA.read_text().splitlines()) if case.get("kind") not in ("invalid", "value")
]
POSITIONS = [pytest.param(case["position"], id=case["id"]) for case in CASES]
OPEN = [param for param in POSITIONS if "viewer" not in param.values[0] and param.values[0]["phase"] != "deal"]
ELEMENTS = "RVGY"


def world_and_viewer(position: dict) -> tuple[games.State, int | None]:
    """The state to draw, any that fits where the position hides something."""
    if "viewer" in position:
        return games.view_from(position).world(), position["viewer"]
    return games.state_from(position), None


def drawing(state: games.State, viewer: int | None, width: int = 80) -> list[str]:
    """The lines of the drawing as they go into a pipe."""
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(state.game.words.draw(state.box.s, state.game.c, viewer))
    return console.file.getvalue().splitlines()


def words_of(lines: list[str], seat: int) -> str:
    """A player's line of the table."""
    return " ".join(next(line for line in lines if line.startswith(f"P{seat} ")).split())


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("position", POSITIONS)
def test_fits_the_width_and_cuts_nothing(position: dict, width: int) -> None:
    """Narrow terminals get more lines, not less to read; every token is in its row."""
    state, viewer = world_and_viewer(position)
    lines = drawing(state, viewer, width)
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    header = next(line for line in lines if "row" in line.split("│")[-2:][0])
    for e, element in enumerate(ELEMENTS):
        (line,) = [line for line in lines if line.startswith("│") and f"│ {element}  " in line]
        track = line.split("│")[2]
        row = str(state.box.s["rows"][e])
        if " 1 2 3" in header:
            assert header.split("│")[2][track.index(element, 3)] == row[-1]
        else:
            assert track.split()[1] == row


@pytest.mark.parametrize("position", POSITIONS)
def test_says_what_goes_on(position: dict) -> None:
    """Round, phase, who decides, the trick, hands, cards out and kept, and what is not in sight."""
    state, viewer = world_and_viewer(position)
    lines = drawing(state, viewer, 100)
    text = "\n".join(lines)
    assert f"round {position['round']}, {position['phase']} " in text
    if viewer is not None:
        assert f"as P{viewer} knows it" in text
    if position["phase"] == "play":
        doing = ("leads", "must lead") if not position.get("trick") else ("follows",)
        assert any(f"P{position['to_act']} {word} " in text for word in doing)
        assert any(word in words_of(lines, position["to_act"]) for word in doing)
    for i, (seat, element) in enumerate(position.get("trick", [])):
        (line,) = [line for line in lines if f"│ {element}  " in line]
        assert f"{i + 1}. P{seat}" in line
        last = i + 1 == len(position["trick"]) and position["phase"] == "play"
        assert ("to beat" in line) == last
    for seat, player in enumerate(position["players"]):
        line = words_of(lines, seat)
        hand = player.get("hand", {})
        if isinstance(hand, int):
            assert f"{hand} cards" in line
        elif sum(hand.values()):
            assert " ".join(f"{e}{n}" for e, n in hand.items() if n) + f" = {sum(hand.values())}" in line
        assert " ".join(player.get("gave", [])) in line
        assert " ".join(f"{e}{n}" for e, n in player.get("out", {}).items() if n) in line
        assert line.endswith(" ".join(player.get("palette", ["-"])))
    undealt = 4 - (position["round"] - 1)
    if position["phase"] != "deal" and not position.get("params"):
        assert f"{undealt} undealt" in text


@pytest.mark.parametrize("position", OPEN)
def test_hides_the_other_hand(position: dict) -> None:
    """The drawing is the same for all worlds that fit."""
    state = games.state_from(position)
    for viewer in range(2):
        lines = drawing(state, viewer)
        for world in games.view_of(state, viewer).states(3, np.random.default_rng(1)):
            assert drawing(world, viewer) == lines


def test_draws_long_tracks_as_numbers() -> None:
    """Without a cap a token may be anywhere."""
    position = {"game": "yellowhouse", "params": {"max_level": None}, "phase": "play", "rows": {"R": 40, "G": 7},
                "players": [{"hand": {"R": 6, "V": 6}}, {"hand": {"G": 6, "Y": 6}}]}  # fmt: skip
    lines = drawing(games.state_from(position), None)
    assert any("│ R   40" in line for line in lines)
    assert any("│ G    7" in line for line in lines)


def test_draws_every_phase() -> None:
    """From the lot for the first leader on, also between the gifts."""
    state = games.load("yellowhouse", sequential=True).new_initial_state()
    seen = []
    while state.box.s["phase"] < yellowhouse.PLAY:
        seen.append(" ".join(drawing(state, None)[2].split()[1:4]))
        state.apply_action(state.legal_actions()[0])
    assert list(dict.fromkeys(seen)) == ["lots are drawn", "the cards are", "P0 gives │", "P1 gives │"]


@pytest.mark.parametrize("name", ["exchange", "lead", "late"])
def test_draws_the_example_positions(name: str) -> None:
    """Those of the documentation, which are views."""
    position = games.read(DATA.parents[2] / "docs" / "positions" / f"yellowhouse-{name}.yaml")
    view = games.view_from(position)
    assert f"as P{view.player} knows it" in "\n".join(drawing(view.world(), view.player))
    assert len(view.moves()) >= 4
