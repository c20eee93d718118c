"""Niagara's drawing, for every worked position, at several widths."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from voyageur import games
from voyageur.games.niagara.position import CANOES, CARDS, GEMS, SPACES

DATA = Path(__file__).parents[1] / "data" / "niagara.jsonl"
CASES = [case for case in map(json.loads, DATA.read_text().splitlines()) if case.get("kind") != "invalid"]
POSITIONS = [pytest.param(case["position"], id=case["id"]) for case in CASES if "position" in case]
FULL = [param for param in POSITIONS if "viewer" not in param.values[0]]


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


def cells(lines: list[str]) -> dict[str, list[str]]:
    """The words in each space's cell of the river, and under "sites" those of the gem sites."""
    found: dict[str, list[str]] = {space: [] for space in SPACES}
    found["sites"] = []
    now = [""] * 3
    for line in lines:
        if line.startswith("├"):
            now = [""] * 3
        if not line.startswith("│"):
            continue
        for column, text in enumerate(line.split("│")[1:4]):
            words = text.split()
            if words and words[0] in SPACES:
                now[column] = words.pop(0)
            elif words and words[1:2] == ["site:"]:
                now[column] = "sites"
            elif words and text[1] != " " and now[column] != "sites":
                now[column] = ""
            found.setdefault(now[column], []).extend(words)
    return found


def row(lines: list[str], seat: int) -> str:
    """A player's line of the table."""
    return next(line for line in lines if line.startswith((f"P{seat} ", f"P{seat}* ")) and "[" not in line)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("position", POSITIONS)
def test_fits_the_width_and_cuts_nothing(position: dict, width: int) -> None:
    """Narrow terminals get more lines, not less to read."""
    state, viewer = world_and_viewer(position)
    lines = drawing(state, viewer, width)
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    s = state.box.s
    drawn = cells(lines)
    for space, name in enumerate(SPACES):
        there = []
        for k in range(2 * state.num_players()):
            if s["at"][k] == space:
                gem = "" if s["gem"][k] < 0 else f"[{GEMS[s['gem'][k]]}]"
                there.append(f"P{k // 2}{CANOES[k % 2]}{gem}")
        assert drawn[name] == there


@pytest.mark.parametrize("position", POSITIONS)
def test_says_what_lies_in_the_sites_and_what_is_owned(position: dict) -> None:
    """Foreign gems too."""
    state, viewer = world_and_viewer(position)
    lines, s = drawing(state, viewer, 120), state.box.s
    expected = []
    for site, gem in enumerate(GEMS):
        content = [f"{n} {other}" for other, n in zip(GEMS, s["sites"][site], strict=True) if n]
        expected.append(f"{gem} site: {', '.join(content) or 'empty'}")
    assert " ".join(cells(lines)["sites"]) == " ".join(expected)
    for seat in range(state.num_players()):
        numbers = " ".join(str(n) if n else "-" for n in s["owned"][seat])
        assert f" {numbers} " in " ".join(row(lines, seat).split())


@pytest.mark.parametrize("position", POSITIONS)
def test_says_round_weather_fork_and_who_decides(position: dict) -> None:
    """Beside the trunk."""
    state, viewer = world_and_viewer(position)
    s = state.box.s
    text = "\n".join(drawing(state, viewer))
    assert f"round {s['round']}, {position.get('phase', 'choose')} " in text
    assert ["[-1]", "[0]", "[+1]", "[+2]"][s["weather"] + 1] in text
    assert f"first player P{s['first']}*" in text
    if position.get("params", {}).get("fork_mode") != "RANDOM":
        side = position.get("fork", "LEFT")
        assert f"next push {side} " in text
        assert f"{side.lower()} arm (next push)" in text
    player = state.current_player()
    deciding = range(state.num_players()) if position.get("phase", "choose") == "choose" else [player]
    for seat in deciding:
        if seat >= 0:
            assert any(word in row(text.splitlines(), seat) for word in ("chooses", "acts", "answers"))


@pytest.mark.parametrize("position", FULL)
def test_hides_what_the_viewer_does_not_know(position: dict) -> None:
    """The drawing is the same for all worlds that fit, and says "face down" where a card is unknown."""
    state = games.state_from(position)
    rng = np.random.default_rng(1)
    for viewer in range(state.num_players()):
        lines = drawing(state, viewer)
        seats = games.position_of(state, viewer)["players"]
        if any(seen.get("played") == "?" for seen in seats):
            for world in games.view_of(state, viewer).states(2, rng):
                assert drawing(world, viewer) == lines
        for seat, seen in enumerate(seats):
            assert ("face down" in row(lines, seat)) == (seen.get("played") == "?")
            cards = seen.get("cards", [card for card in CARDS if card != seen.get("played")])
            shown = "face down" if seen.get("played") == "?" else str(seen.get("played", ""))
            assert f"{shown} {' '.join(map(str, cards))}".strip() in " ".join(row(lines, seat).split())


def test_ranks_a_finished_game() -> None:
    """Places instead of turns."""
    for case in CASES:
        if "places" in case:
            lines = drawing(games.state_from(case["position"]), None)
            places = [int(row(lines, seat).split()[1]) for seat in range(len(case["places"]))]
            assert places == case["places"]


@pytest.mark.parametrize("name", ["midgame", "choose"])
def test_draws_the_example_positions(name: str) -> None:
    """Those of the documentation, which are views."""
    position = games.read(DATA.parents[2] / "docs" / "positions" / f"niagara-{name}.yaml")
    view = games.view_from(position)
    text = "\n".join(drawing(view.world(), view.player))
    assert f"as P{view.player} knows it" in text
    assert text.count("face down ") == sum(player.get("played") == "?" for player in position["players"])
    assert len(view.moves()) >= 3


def test_colours_gems_only_on_a_terminal() -> None:
    """The text is the same in both cases."""
    state = games.state_from({"game": "niagara", "players": [{}, {}, {}]})
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    console.print(state.game.words.draw(state.box.s, state.game.c, None))
    assert "\x1b[" in console.file.getvalue()
    assert "\x1b" not in "".join(drawing(state, None))
