"""virta's drawing, for every worked position, at several widths, on other boards, and with hidden piles."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from voyageur import games
from voyageur.games.virta import rules as virta

ROOT = Path(__file__).parents[2]
CASES = [json.loads(line) for line in (ROOT / "tests" / "data" / "virta.jsonl").read_text().splitlines()]
POSITIONS = [pytest.param(case["position"], id=case["id"]) for case in CASES]
DEFAULT = json.loads((ROOT / "games" / "virta" / "default_board.json").read_text())


def drawn(position: games.Position, width: int = 80, terminal: bool = False) -> str:
    """The drawing as it goes into a pipe (or onto a terminal)."""
    viewer = position.get("viewer")
    state = games.state_from(position) if viewer is None else games.view_from(position).world()
    colours = "standard" if terminal else None
    console = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=colours)
    console.print(state.game.words.draw(state.box.s, state.game.c, viewer))
    return console.file.getvalue()


def section(drawing: str, first: str, last: str) -> str:
    """The part of a drawing from a line that begins with `first` up to one that begins with `last`."""
    found = re.search(rf"^{first}.*?(?=^{last}|\Z)", drawing, re.MULTILINE | re.DOTALL)
    assert found, drawing
    return found[0]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("position", POSITIONS)
def test_everything_is_there(position: games.Position, width: int) -> None:
    """Circles with their parts, pawns with their loads, action pawns, tokens, piles and points, at any width."""
    board = DEFAULT | position.get("params", {})
    drawing = drawn(position, width)
    assert max(map(len, drawing.splitlines())) <= width
    assert "…" not in drawing
    river = section(drawing, "river", " area").split()
    for circle in board["circles"]:
        assert river[river.index(circle) + 1] == position["river"].get(circle, "·")
    land = section(drawing, " area", "spiral")
    spiral = section(drawing, "spiral", " +tokens")
    for seat, player in enumerate(position["players"]):
        for name in "abcdef"[: board["pawns"]]:
            pawn = player.get("pawns", {}).get(name, {"at": board["pawn_start"]})
            load = f"[{''.join(pawn['carries'])}]" if pawn.get("carries") else ""
            row = section(land, f" {pawn['at']} ", " [A-Z]")
            assert f"P{seat}{name}{load}" in row.split()
        if player["action"] is None:
            assert re.search(rf"not\s+yet\s+placed: .*P{seat}", spiral)
        else:
            brown = "~" * board["spiral"][player["action"]][1]
            symbol = re.escape(board["spiral"][player["action"]][0] + brown)
            assert re.search(rf"\b{player['action']} {symbol} [P0-9,]*P{seat}\b", spiral)


@pytest.mark.parametrize("position", POSITIONS)
def test_players(position: games.Position) -> None:
    """Tokens, flow tokens, piles, what is carried, points, score; and the returns at the end."""
    drawing = drawn(position, 120)
    state = None if "viewer" in position else games.state_from(position)
    for seat, player in enumerate(position["players"]):
        row = next(line for line in drawing.splitlines() if re.match(rf" P{seat}\*? +\d", line))
        cells = [cell for cell in re.split(r"  +", row.strip()) if cell]
        assert cells[1:3] == [str(player["tokens"]), str(player.get("flow_tokens", 0))]
        pile = player.get("delivered", {})
        hidden = isinstance(pile, int)
        letters = " ".join(letter * number for letter, number in sorted(pile.items())) if not hidden else ""
        assert cells[3] == (f"{pile} face down" if hidden else letters or "·")
        assert cells[5] == str(player.get("points", 0))
        if state is not None:
            assert cells[6] == str(virta.score(state.box.s, state.game.c, seat))
            assert cells[7:] == ([f"{state.returns()[seat]:.3g}"] if state.is_terminal() else [])
        elif hidden:
            assert cells[6] == "?"


def test_says_who_does_what() -> None:
    """The first line."""
    by_id = {case["id"]: case["position"] for case in CASES}
    assert drawn(by_id["virta-s03"]).startswith("P0 moves on the spiral\n")
    assert drawn(by_id["virta-s13"]).startswith("P0 acts on space 7: F3\n")
    assert drawn(by_id["virta-s44"]).startswith("P0 acts on space")
    assert "(29 of 30 turns are done)" in drawn(by_id["virta-s44"])
    assert drawn(by_id["virta-s24"]).startswith("the game is over")
    assert " P0* " in drawn(by_id["virta-s43"])


def test_draws_boards_of_all_kinds() -> None:
    """A river with two sources and a loop without any, several collection places, and a game that is being dealt."""
    params = {
        "circles": ["a1", "a2", "b1", "c1", "c2"],
        "next": {"a1": "a2", "a2": "c1", "b1": "a2", "c1": "c2", "c2": "c2"},
        "priority_feeder": {"a2": "b1", "c2": "c1"},
        "upstream_tail": [],
        "parts": {"A": 2},
        "large": [],
        "collection": ["H", "Jä"],
        "banks": {"x": {"near": ["H", "Jä"], "touch": ["a2", "a1"]}},
    }
    state = games.load("virta", **params).new_initial_state()
    console = Console(file=io.StringIO(), width=80, color_system=None)
    console.print(state.game.words.draw(state.box.s, state.game.c, None))
    drawing = console.file.getvalue()
    assert drawing.startswith("the parts are being dealt")
    for row in ("a1 · +a2 · +c1 · +c2 · +> c2", "b1 · +> a2", r"Jä +collection +x", "x +a2 · a1 · +H Jä"):
        assert re.search(rf"^ {row} *$", drawing, re.MULTILINE), drawing


@pytest.mark.parametrize("name", ["midgame", "ending"])
def test_draws_the_example_positions(name: str) -> None:
    """Those of the documentation, in which there is something to decide."""
    position = games.read(ROOT / "docs" / "positions" / f"virta-{name}.yaml")
    assert drawn(position).startswith(f"P{position['to_act']} ")
    assert len(games.moves(games.state_from(position))) >= 3


def test_colours_only_on_a_terminal() -> None:
    """The text is the same in both cases."""
    position = CASES[2]["position"]
    coloured = drawn(position, terminal=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == drawn(position)
