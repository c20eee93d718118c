"""Canyon's drawing: for every worked position at several widths, on odd boards, and all through a game."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from voyageur import games
from voyageur.games.canyon import board
from voyageur.games.canyon.position import PHASES
from voyageur.games.words import decoded

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "canyon.jsonl"
CASES = [json.loads(line) for line in DATA.read_text().splitlines()]
POSITIONS = [pytest.param(case["position"], id=case["id"]) for case in CASES]
SECRETS = [
    pytest.param(case["position"], id=case["id"])
    for case in CASES
    if "viewer" not in case["position"] and case["position"]["phase"] in ("bid", "play")
]
EXAMPLES = ("bid", "play", "rapids")

SIGNS = dict(zip("12346789.SLC#W", [*"↙↓↘←→↖↑↗·SLC", "▒", "≈"], strict=True))
CARD = re.compile(r"\b[RGBYV](?:10|[1-9])\b")

WIDE = "\n".join(["#" + "W" * 24 + "C", "L" + "8" * 24 + "7", "L" + "." * 25, "S" * 26])
TALL = "\n".join(["L6", "..", *["S."] * 6, *[".."] * 24])
LINE = "LSSSSSS"


def world_and_viewer(position: dict[str, Any]) -> tuple[games.State, int | None]:
    """The state to draw, any that fits where the position hides something."""
    if "viewer" in position:
        return games.view_from(position).world(), position["viewer"]
    return games.state_from(position), None


def drawing(state: games.State, viewer: int | None, width: int = 80) -> list[str]:
    """The lines of the drawing as they go into a pipe."""
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(state.game.words.draw(state.box.s, state.game.c, viewer))
    return console.file.getvalue().splitlines()


def heading(line: str) -> str:
    """The letters of the columns in a line that begins with them."""
    words = line.split()
    start = board.COLUMNS.index(words[0])
    return "".join(word for word, letter in zip(words, board.COLUMNS[start:], strict=False) if word == letter)


def river(lines: list[str]) -> dict[str, tuple[str, str]]:
    """What each square of the drawn river shows: the canoe, and the sign of the square itself."""
    found: dict[str, tuple[str, str]] = {}
    letters, left = "", 0
    for line in lines:
        if re.match(r" {4,5}[a-z]( |$)", line):
            letters, left = heading(line), len(line) - len(line.lstrip()) - 2
        elif letters and line[:2].strip().isdecimal():
            for i, letter in enumerate(letters):
                cell = line[left + 3 * i : left + 3 * i + 3]
                found[f"{letter}{int(line[:2])}"] = ("" if cell[0] in "▒≈" else cell[:2].strip(), cell[2])
        else:
            letters = ""
    return found


def row(lines: list[str], seat: int) -> list[str]:
    """The words of a player's line in the table."""
    return next(line.split() for line in lines if re.match(rf"[> ]P{seat}( |$)", line) and "·" not in line)


def board_of(state: games.State) -> board.Board:
    """The board on which a state is."""
    return board.load(decoded(state.game.parameters["board"]))


def check_river(state: games.State, lines: list[str]) -> None:
    """Every square is drawn as it is, every canoe where it is, and nowhere else."""
    found, s = board_of(state), state.box.s
    at = {int(s["at"][seat]): f"P{seat}" for seat in range(state.num_players()) if s["at"][seat] >= 0}
    cave = [f"P{seat}" for seat in range(state.num_players()) if s["at"][seat] == found.cave >= 0]
    expected = {}
    for square, kind in enumerate(found.kinds):
        row_number, column = divmod(square, found.width)
        canoe = "" if square == found.cave else at.get(square, "")
        expected[f"{board.COLUMNS[column]}{row_number}"] = (canoe, SIGNS[kind])
    assert river(lines) == expected
    said = re.findall(r"cave: ((?:P\d ?)+)", "\n".join(lines))
    assert [words.split() for words in said] == ([cave] if cave else [])


def loaded(players: int, text: str = board.DEFAULT, **params: Any) -> games.Game:
    """A game with those parameters on a board."""
    return games.load("canyon", players=players, board=text, **params)


def wander(state: games.State, rng: np.random.Generator) -> None:
    """One step at random."""
    if state.is_chance_node():
        state.apply_action(int(rng.choice([outcome for outcome, _ in state.chance_outcomes()])))
    elif state.is_simultaneous_node():
        state.apply_actions([int(rng.choice(state.legal_actions(seat))) for seat in range(state.num_players())])
    else:
        state.apply_action(int(rng.choice(state.legal_actions())))


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("position", POSITIONS)
def test_fits_the_width_and_shows_every_canoe(position: dict[str, Any], width: int) -> None:
    """Narrow terminals get more lines, not less to read."""
    state, viewer = world_and_viewer(position)
    lines = drawing(state, viewer, width)
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    check_river(state, lines)


@pytest.mark.parametrize("position", POSITIONS)
def test_says_what_every_player_has(position: dict[str, Any]) -> None:
    """Square, distance, bid, tricks, hand; who decides; round, trump and whose knowledge it is."""
    state, viewer = world_and_viewer(position)
    lines, c = drawing(state, viewer), state.game.c
    phase, deciding = position["phase"], position["to_act"]
    text = "\n".join(lines)
    assert f"round {position['round']} of at most {c['max_rounds']}" in text
    who = {"deal": "cards are dealt", "over": "the game is over"}.get(phase)
    assert f"{phase}: {who or (f'P{deciding[0]}' if len(deciding) == 1 else 'all at once')}" in text
    assert (f"as P{viewer} knows it" in text) == (viewer is not None)
    if "trump" in position:
        assert f"trump {position['trump']}" in text
    for seat, player in enumerate(position["players"]):
        words = row(lines, seat)
        assert words[0].startswith(">") == (seat in deciding)
        assert ("dealer" in words or "dealer," in words) == (seat == position["dealer"] and phase != "over")
        square = player.get("square", "-")
        distance = "-" if square == "-" else str(c["distance"][board_of(state).square(square)])
        seen = [square, distance]
        if phase in ("bid", "play", "move"):
            seen.append(str(player.get("bid", "-")))
        if phase in ("play", "move"):
            seen.append(str(player.get("tricks", 0)))
        first = words.index(square)
        assert words[first : first + len(seen)] == seen
        if isinstance(player.get("hand"), list):
            assert words[-len(player["hand"]) :] == player["hand"]
        elif "hand" in player:
            assert words[-2:] == [str(player["hand"]), "card" if player["hand"] == 1 else "cards"]


@pytest.mark.parametrize("position", SECRETS)
def test_hides_what_the_viewer_does_not_know(position: dict[str, Any]) -> None:
    """The drawing is the same for all worlds that fit, and names no card that the viewer has not seen."""
    state = games.state_from(position)
    rng = np.random.default_rng(1)
    for viewer in range(state.num_players()):
        lines = drawing(state, viewer)
        for world in games.view_of(state, viewer).states(2, rng):
            assert drawing(world, viewer) == lines
        seen = set(CARD.findall(json.dumps(games.position_of(state, viewer))))
        assert set(CARD.findall("\n".join(lines))) <= seen


MIDDLE = {
    "game": "canyon",
    "round": 4,
    "dealer": 0,
    "phase": "play",
    "trump": "R4",
    "to_act": [3],
    "players": [
        {"square": "k10", "bid": 3, "hand": ["R5", "G6", "B1", "V6"]},
        {"square": "n7", "bid": 0, "tricks": 1, "hand": ["R6", "B8", "Y3"]},
        {"square": "cave", "bid": 1, "hand": ["R8", "Y4", "Y10"]},
        {"square": "e3", "bid": 2, "hand": ["R3", "G7", "B7", "Y2"]},
    ],
    "tricks_played": [{"leader": 1, "cards": ["Y8", "Y7", "Y5", "B3"]}],
    "current_trick": {"leader": 1, "cards": ["G9", "V5"]},
}


def test_shows_the_tricks_the_voids_and_what_a_bid_is_worth() -> None:
    """Each card under the seat that played it; the points of an exact bid, on calm water with the tricks."""
    lines = drawing(games.state_from(MIDDLE), None)
    first = next(i for i, line in enumerate(lines) if line.startswith("trick"))
    tricks = [line.split() for line in lines[first:]]
    assert tricks[0] == ["trick", "led", "by", "P0", "P1", "P2", "P3", "won", "by"]
    assert tricks[2:] == [
        ["1", "P1", "B3", "Y8", "Y7", "Y5", "P1"],
        ["2", "P1", "-", "G9", "V5", "-", "P1", "so", "far"],
    ]
    assert " ".join(row(lines, 0)) == "P0 dealer k10 18 3 0 6 Y R5 G6 B1 V6"
    assert " ".join(row(lines, 1)) == "P1 starts n7 15 0 1 missed R6 B8 Y3"
    assert " ".join(row(lines, 2)) == "P2 cave 9 1 0 3 G R8 Y4 Y10"
    assert " ".join(row(lines, 3)) == ">P3 e3 4 2 0 3 R3 G7 B7 Y2"
    assert "5 cards each, bids 6" in "\n".join(lines)


def test_missing_a_bid_shows_as_soon_as_it_is_sure() -> None:
    """P0 holds four cards and needs three tricks more; with two cards that would be too late."""
    late = json.loads(json.dumps(MIDDLE))
    late["players"][0] |= {"bid": 5}
    assert "missed" in row(drawing(games.state_from(late), None), 0)
    late["players"][0] |= {"bid": 4}
    assert "missed" not in row(drawing(games.state_from(late), None), 0)


def test_says_with_how_many_points_canoes_move() -> None:
    """Those who have moved, those on the rapids who have missed, and those who land."""
    move = {
        "game": "canyon",
        "round": 5,
        "dealer": 2,
        "phase": "move",
        "to_act": [1],
        "players": [
            {"square": "a4", "unused": 1, "bid": 2, "tricks": 2},
            {"square": "b2", "bid": 2, "tricks": 2},
            {"square": "e4", "bid": 1},
        ],
    }
    lines = drawing(games.state_from(move), None)
    assert " ".join(row(lines, 0)) == "P0 starts a4 0 2 2 1 left"
    assert " ".join(row(lines, 1)) == ">P1 b2 1 2 2 3"
    assert " ".join(row(lines, 2)) == "P2 dealer e4 4 1 0 drifts"
    assert "move: P1, 3 points" in "\n".join(lines)
    move["to_act"], move["players"][0] = [1], {"square": "o6", "bid": 2, "tricks": 2}
    assert row(drawing(games.state_from(move), None), 0)[-1] == "moved"


def test_a_canoe_that_stays_in_the_cave_does_not_drift() -> None:
    """With `cave_is_rapids` a wrong bid is no points there, and there is no current."""
    move = {
        "game": "canyon",
        "params": {"cave_is_rapids": True},
        "round": 7,
        "dealer": 0,
        "phase": "move",
        "to_act": [1],
        "players": [{"square": "cave", "bid": 2, "tricks": 1}, {"square": "k3", "bid": 1, "tricks": 1}],
    }
    lines = drawing(games.state_from(move), None)
    assert [row(lines, seat)[-1] for seat in range(2)] == ["0", "3"]


def test_ranks_a_finished_game() -> None:
    """Places, ties included, and the points left of those who landed; nobody has a part in a round any more."""
    players = [{"square": "b2"}, {"square": "a3", "unused": 1}, {"square": "cave"}, {"square": "c2"}, {"square": "b4"}]
    over = {"game": "canyon", "round": 9, "dealer": 0, "phase": "over", "to_act": [], "players": players}
    lines = drawing(games.state_from(over), None)
    assert [row(lines, seat)[1] for seat in range(5)] == ["2", "1", "5", "4", "2"]
    assert " ".join(row(lines, 1)) == "P1 1 a3 0 1"
    assert "dealer" not in "".join(lines)


@pytest.mark.parametrize("text", [WIDE, TALL, LINE, board.DEFAULT], ids=["wide", "tall", "line", "default"])
@pytest.mark.parametrize("players", [2, 6])
def test_draws_all_of_a_game_on_any_board(text: str, players: int) -> None:
    """States of a random game, among them some in mid-deal, where nobody has looked at a card yet."""
    state = loaded(players, text, max_rounds=3, drift_when="always").new_initial_state()
    rng = np.random.default_rng(players)
    drawn: set[str] = set()
    while True:
        phase = PHASES[state.box.s["phase"]]
        if phase not in drawn or rng.random() < 0.03:
            lines = drawing(state, None)
            assert f"{phase}: " in "\n".join(lines)
            assert max(map(len, lines)) <= 80
            check_river(state, lines)
            check_river(state, drawing(state, None, int(rng.choice([50, 120]))))
            assert bool(CARD.search("\n".join(lines))) == (phase in ("bid", "play"))
            drawn.add(phase)
        if state.is_terminal():
            break
        wander(state, rng)
    assert drawn == set(PHASES)


def test_bids_lie_face_down_until_all_are_shown() -> None:
    """Simultaneous bids, one seat after another: each sees the own one only, and the sum tells nothing."""
    state = loaded(4, bid_mode="simultaneous", sequential=True).new_initial_state()
    rng = np.random.default_rng(2)
    while PHASES[state.box.s["phase"]] != "bid":
        wander(state, rng)
    for bid in (1, 3, 5):
        state.apply_action(bid)
    assert [row(drawing(state, 1), seat)[-3:] for seat in (0, 2, 3)] == [["?", "8", "cards"]] * 2 + [
        ["-", "8", "cards"]
    ]
    assert row(drawing(state, 1), 1)[-10:-8] == ["3", "6"]
    assert "bids" not in "\n".join(drawing(state, 1))
    assert "bid: P3" in "\n".join(drawing(state, 1))
    other = state.clone()
    other.box.s["bid"][[0, 2]] = 7
    assert drawing(other, 1) == drawing(state, 1)
    assert drawing(other, 0) != drawing(state, 0)


def test_everybody_bids_at_once() -> None:
    """All are marked as deciding, and no bid is shown."""
    state = loaded(3, bid_mode="simultaneous").new_initial_state()
    rng = np.random.default_rng(3)
    while not state.is_simultaneous_node():
        wander(state, rng)
    lines = drawing(state, 2)
    assert "bid: all at once" in "\n".join(lines)
    assert all(row(lines, seat)[0] == f">P{seat}" for seat in range(3))


def test_wide_boards_use_the_whole_width_and_split_where_they_must() -> None:
    """All 26 columns fit into 80 characters; with less room they go one part below the other."""
    state = loaded(2, WIDE).new_initial_state()
    assert [len(line) for line in drawing(state, None) if line.startswith("    a")] == [80]
    heads = [heading(line) for line in drawing(state, None, 60) if re.match(r" {4}[at]  ", line)]
    assert heads == ["abcdefghijklmnopqrs", "tuvwxyz"]


def test_a_canoe_leaves_its_square_to_be_seen() -> None:
    """On the rapids the arrow stays, without any colour."""
    squares = river(drawing(games.state_from(MIDDLE), None))
    assert squares["e3"] == ("P3", "↑")
    assert squares["n7"] == ("P1", "·")
    assert squares["f4"] == ("", "↗")


def test_leader_deals_and_starts() -> None:
    """With `leader=dealer` one seat has both parts."""
    lines = drawing(games.state_from(MIDDLE | {"params": {"leader": "dealer"}, "dealer": 1}), None)
    assert row(lines, 1)[:3] == ["P1", "dealer,", "starts"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_draws_the_example_positions(name: str) -> None:
    """Those of the documentation, which are views."""
    view = games.view_from(games.read(ROOT / "docs" / "positions" / f"canyon-{name}.yaml"))
    lines = drawing(view.world(), view.player)
    assert f"as P{view.player} knows it" in "\n".join(lines)
    assert len(view.moves()) >= 3
    check_river(view.world(), lines)


def test_draws_the_example_board() -> None:
    """The home-made one of the documentation, which has room for four."""
    text = (ROOT / "docs" / "boards" / "canyon-brook.txt").read_text()
    state = loaded(4, text).new_initial_state()
    check_river(state, drawing(state, None))


def test_colours_on_a_terminal_only() -> None:
    """The text is the same in both cases."""
    state = games.state_from(MIDDLE)
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    console.print(state.game.words.draw(state.box.s, state.game.c, None))
    coloured = console.file.getvalue()
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines() == drawing(state, None)
