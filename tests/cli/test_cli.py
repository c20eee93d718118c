"""The command line: what it prints, and how it ends."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from voyageur import games, solvers
from voyageur.cli import main as cli

CHOOSE: dict[str, Any] = {"game": "niagara", "round": 2, "players": [{}, {"gems": {"AME": 1}}, {}]}
ACT: dict[str, Any] = {
    "game": "niagara",
    "phase": "act",
    "first_player": 1,
    "players": [
        {"cards": [2, 5, 6], "played": 4},
        {"cards": [1, 3, "CLOUD"], "played": 5, "acted": True, "canoes": {"a": {"at": "S5"}}},
        {"cards": [1, 3, "CLOUD"], "played": 4, "canoes": {"a": {"at": "S3"}, "b": {"at": "S2", "gem": "AME"}}},
    ],
}
# The same as P2 knows it: P0's card lies face down.
SEEN: dict[str, Any] = ACT | {"viewer": 2, "players": [{"cards": [2, 4, 5, 6], "played": "?"}, *ACT["players"][1:]]}
OVER: dict[str, Any] = {
    "game": "niagara",
    "phase": "over",
    "players": [
        {"played": 4, "acted": True, "gems": {"AME": 4}},
        {"played": 4, "acted": True},
        {"played": 4, "acted": True},
    ],
}


@dataclass
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Lines of standard output."""
        return self.out.splitlines()


Run = Callable[..., Ended]
Write = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """A function of arguments: runs `voyageur` in this process."""

    def voyageur(*arguments: str) -> Ended:
        capsys.readouterr()
        try:
            status = cli.main(arguments)
        except SystemExit as left:  # argparse's way
            assert isinstance(left.code, int)
            status = left.code
        out, err = capsys.readouterr()
        return Ended(status, out, err)

    return voyageur


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function of a position (or any text): the path of a file that holds it."""

    def to_file(content: Any, name: str = "position.yaml") -> str:
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            games.write(content, path)
        return str(path)

    return to_file


def standard_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Puts `text` on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))


# games, new, show.


def test_games(run: Run) -> None:
    """The games with their players and every parameter."""
    ended = run("games")
    assert (ended.status, ended.err) == (0, "")
    assert "niagara" in ended.out and "max_rounds=200" in ended.out and "3 to 5" in ended.out
    assert "voyageur_" not in ended.out


def test_games_as_json(run: Run) -> None:
    """One array, the games that `games.names` lists, parameters as Python values."""
    ended = run("games", "--json")
    assert (ended.status, ended.err) == (0, "")
    assert len(ended.lines) == 1
    found = {game["name"]: game for game in json.loads(ended.out)}
    assert list(found) == games.names()
    niagara = found["niagara"]
    assert niagara["players"] == [3, 5] and niagara["title"] == "Niagara"
    assert niagara["params"]["first_player"] is None and niagara["params"]["unload_any_site"] is True
    for name, game in found.items():
        games.load(name, **game["params"])


@pytest.mark.parametrize("name", ("board.yaml", "board.json"))
@pytest.mark.parametrize("viewer", ((), ("--viewer", "1")))
@pytest.mark.parametrize("players", (3, 4, 5))
def test_new(players: int, viewer: tuple[str, ...], name: str, run: Run, tmp_path: Path) -> None:
    """An opening for each number of players, to standard output and to files, that is read back as it is."""
    arguments = ("new", "niagara", "--players", str(players), "--seed", "3", *viewer)
    path = tmp_path / name
    assert run(*arguments, "-o", str(path)) == Ended(0, "", "")
    position = games.read(path)
    assert json.loads(path.read_text()) == position if name.endswith("json") else path.read_text().startswith("game:")
    assert len(position["players"]) == players
    assert position.get("viewer") == (1 if viewer else None)
    view = games.view_from(position, 1)
    assert view.position == position | {"viewer": 1}
    if not viewer:
        assert games.position_of(games.state_from(position)) == position
    printed = run(*arguments)
    assert (printed.status, printed.err) == (0, "")
    assert games.read(io.StringIO(printed.out)) == position


def test_new_draws_by_the_seed(run: Run) -> None:
    """The seed says who begins; by default four play."""
    drawn = [run("new", "niagara", "--seed", str(seed)).out for seed in range(12)]
    assert drawn == [run("new", "niagara", "--seed", str(seed)).out for seed in range(12)]
    positions = [games.read(io.StringIO(text)) for text in drawn]
    assert {position.get("first_player", 0) for position in positions} == {0, 1, 2, 3}
    assert {len(position["players"]) for position in positions} == {4}


def test_show(run: Run, write: Write) -> None:
    """The board, as everybody sees it and as one seat does: only the former tells P0's card."""
    path = write(ACT)
    whole, seen = run("show", path), run("show", path, "--viewer", "2")
    assert (whole.status, whole.err, seen.status, seen.err) == (0, "", 0, "")
    assert len(whole.lines) > 10
    assert whole.out != seen.out
    assert run("show", write(SEEN)).out == seen.out
    assert "face down" in seen.out and "face down" not in whole.out


# A game whose board is a file.

BOARD = Path(__file__).resolve().parents[2] / "docs" / "boards" / "virta-small.yaml"


@pytest.mark.parametrize("players", (2, 3, 4))
def test_new_with_a_board(players: int, run: Run, write: Write, tmp_path: Path) -> None:
    """The position holds the board, and goes through every command."""
    path = str(tmp_path / "new.yaml")
    ended = run("new", "virta", "--board", str(BOARD), "--players", str(players), "--seed", "3", "-o", path)
    assert ended == Ended(0, "", "")
    position = games.read(path)
    assert len(position["players"]) == players
    assert list(position["river"]) == [f"B{i}" for i in range(1, 8)]
    assert position["params"]["parts"] == {"A": 3, "B": 3, "X": 1}
    assert "B10 ·" in run("show", path).out
    assert run("moves", path).lines == ["space 0 (F2)"]
    advice = json.loads(run("hint", path, *REPEATABLE, "--json").out)
    assert [move["move"] for move in advice["moves"]] == ["space 0 (F2)"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    (
        ("T1: B5", "T1: Z", "next.T1: unknown circle Z"),
        ("{B5: B4}", "{}", "priority_feeder.B5: expected B4 or T1, got none"),
        ("near: [H, L2]", "near: [H]", "banks.L2.near[0]: L1 does not name L2 as its neighbour in turn"),
        ("touch: [B5, B4]", "touch: [B4, B5]", "banks.L1.touch[1]: expected the most downstream first"),
        ('["+2", false]', "[+2, false]", 'spiral[2][0]: expected "F2", "+3" (with any numbers to 99), "R", "V" or "G"'),
        ("large: [X]", "large: [X", "file: neither YAML nor JSON (line "),
    ),
)
def test_wrong_boards(old: str, new: str, message: str, run: Run, write: Write) -> None:
    """One line names the key, or the line."""
    text = BOARD.read_text(encoding="utf-8")
    assert old in text
    assert_refused(run("new", "virta", "--board", write(text.replace(old, new))), f"voyageur new: {message}")


def test_boards_that_no_game_takes(run: Run) -> None:
    """Niagara's board is always the same, and a file has to be there."""
    assert_refused(run("new", "niagara", "--board", str(BOARD)), "board: this game's board is always the same")
    assert_refused(run("new", "virta", "--board", "/no/such/board.yaml"), "/no/such/board.yaml")


# moves.


def test_moves(run: Run, write: Write) -> None:
    """Every move, one a line."""
    ended = run("moves", write(ACT))
    assert (ended.status, ended.err) == (0, "")
    assert ended.lines == [move.text for move in games.moves(games.state_from(ACT))]
    assert len(ended.lines) > 10


def test_moves_as_json(run: Run, write: Write) -> None:
    """One line each, with the position that the move leads to."""
    ended = run("moves", write(ACT, "position.json"), "--json")
    assert (ended.status, ended.err) == (0, "")
    state = games.state_from(ACT)
    expected = [
        {"move": m.text, "actions": list(m.actions), "player": 2, "position": games.position_of(m.after())}
        for m in games.moves(state)
    ]
    assert [json.loads(line) for line in ended.lines] == expected


def test_moves_of_everybody_at_once(run: Run, write: Write) -> None:
    """At a simultaneous decision those of all seats, with no position after them."""
    path = write(CHOOSE)
    cards = [*range(1, 7), "CLOUD"]
    assert run("moves", path).lines == [f"P{seat} card {card}" for seat in range(3) for card in cards]
    found = [json.loads(line) for line in run("moves", path, "--json").lines]
    assert [(line["player"], line["move"]) for line in found] == [
        (s, f"card {card}") for s in range(3) for card in cards
    ]
    assert {line["position"] for line in found} == {None}


def test_moves_of_a_viewer(run: Run, write: Write) -> None:
    """Exactly the viewer's moves, with what the viewer knows after them."""
    path = write(SEEN)
    view = games.view_from(SEEN)
    assert run("moves", path).lines == [move.text for move in view.moves()]
    found = [json.loads(line) for line in run("moves", path, "--json").lines]
    assert [line["position"] for line in found] == [move.after().position for move in view.moves()]
    assert all(line["position"]["players"][0]["played"] == "?" for line in found)
    cards = run("moves", write(CHOOSE | {"viewer": 1})).lines
    assert cards == [f"P1 card {card}" for card in (*range(1, 7), "CLOUD")]


@pytest.mark.parametrize("suffix", ("yaml", "json"))
def test_standard_input(suffix: str, run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads what a file would hold, as YAML or JSON."""
    path = write(ACT, f"position.{suffix}")
    expected = run("moves", path)
    standard_input(monkeypatch, Path(path).read_text())
    assert run("moves", "-") == expected


# hint.

REPEATABLE = ("--nodes", "300", "--seed", "1", "--threads", "1")


@pytest.mark.parametrize("position", (ACT, SEEN, CHOOSE | {"viewer": 0}), ids=("act", "seen", "choose"))
def test_hint_as_json(position: dict[str, Any], run: Run, write: Write) -> None:
    """JSON only, the same bytes each time, and what `solvers.advise` says."""
    path = write(position)
    ended = run("hint", path, *REPEATABLE, "--json")
    assert (ended.status, ended.err) == (0, "")
    assert len(ended.lines) == 1
    assert run("hint", path, *REPEATABLE, "--json").out == ended.out
    seen = games.view_from(position) if "viewer" in position else games.state_from(position)
    limit = solvers.Limit(nodes=300)
    assert json.loads(ended.out) == json.loads(json.dumps(solvers.advise(seen, limit=limit, seed=1).to_dict()))
    other = run("hint", path, "--nodes", "300", "--seed", "2", "--threads", "1", "--json")
    assert other.out != ended.out


def test_hint_in_another_process(run: Run, write: Write) -> None:
    """The same bytes; the position is on standard input, and there is nothing on standard error."""
    here = run("hint", write(SEEN), *REPEATABLE, "--json")
    there = subprocess.run(
        [sys.executable, "-m", "voyageur.cli.main", "hint", "-", *REPEATABLE, "--json"],
        input=json.dumps(SEEN),
        capture_output=True,
        text=True,
    )
    assert (there.returncode, there.stdout, there.stderr) == (0, here.out, "")


def test_hint_for_people(run: Run, write: Write) -> None:
    """Whose decision, the moves with their figures, and a verdict."""
    path = write(SEEN)
    ended = run("hint", path, *REPEATABLE)
    assert (ended.status, ended.err) == (0, "")
    best = json.loads(run("hint", path, *REPEATABLE, "--json").out)["moves"][0]
    assert "P2 to decide" in ended.lines[0] and "300 simulations" in ended.lines[0]
    for heading in ("move", "value", "95 %", "share", "visits"):
        assert heading in ended.out
    assert f"Play: {best['move']}" in ended.lines
    assert f"{best['value']:.3f}" in ended.out
    assert any(line.startswith("Expected returns: P0 ") for line in ended.lines)


def test_hint_for_people_who_choose_at_once(run: Run, write: Write) -> None:
    """A mixture is shown as one."""
    ended = run("hint", write(CHOOSE | {"viewer": 0}), *REPEATABLE)
    assert any(line.startswith("Mix: ") for line in ended.lines)
    assert "card CLOUD" in run("hint", write(CHOOSE | {"viewer": 0}), *REPEATABLE, "--top", "7").out


@pytest.mark.parametrize("solver", ("ismcts", "scripted", "random"))
def test_hint_by_each_solver(solver: str, run: Run, write: Write) -> None:
    """Each is asked by name; `--top` says how many moves."""
    path = write(ACT)
    found = json.loads(run("hint", path, "--solver", solver, *REPEATABLE, "--top", "2", "--json").out)
    assert (found["solver"], len(found["moves"])) == (solver, 2)
    ended = run("hint", path, "--solver", solver, *REPEATABLE)
    assert (ended.status, ended.err) == (0, "")
    assert found["moves"][0]["move"] in ended.out


def test_hint_for_some_time(run: Run, write: Write) -> None:
    """`--seconds` is a limit too."""
    ended = run("hint", write(ACT), "--seconds", "0.05", "--threads", "2", "--json")
    assert ended.status == 0
    assert json.loads(ended.out)["simulations"] > 0


def test_interrupted_hint(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found so far is printed, and the exit status tells."""
    from contextlib import contextmanager

    from voyageur.cli import progress

    @contextmanager
    def impatient(what: str) -> Any:
        def report(done: int, part: float) -> None:
            raise KeyboardInterrupt

        yield report

    monkeypatch.setattr(progress, "bar", impatient)
    arguments = ("hint", write(ACT), "--nodes", "1000000000", "--threads", "1")
    ended = run(*arguments)
    assert (ended.status, ended.err) == (130, "")
    assert "Interrupted: this is what was found so far." in ended.lines
    assert json.loads(run(*arguments, "--json").out)["simulations"] < 10**9


@pytest.mark.parametrize("command", ("games", "moves", "hint"))
def test_interrupted_elsewhere(command: str, run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is printed then."""
    from voyageur.cli import commands

    def interrupted(args: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(commands.COMMANDS, command, interrupted)
    assert run(command, *([] if command == "games" else [write(ACT)])) == Ended(130, "", "")


def test_version_and_help(run: Run) -> None:
    """What is asked for without a command."""
    assert run("--version").out.startswith("voyageur ")
    for arguments in ((), ("--help",), ("hint", "--help")):
        ended = run(*arguments)
        assert (ended.status, ended.err) == (0, "")
        assert "usage: voyageur" in ended.out


def test_a_reader_who_leaves(write: Write) -> None:
    """Whoever reads only the first line is no error."""
    command = [sys.executable, "-m", "voyageur.cli.main", "moves", write(ACT), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


# Canyon: a board from a file, and what P0 knows in a trick.

PLAY: dict[str, Any] = {
    "game": "canyon", "round": 6, "dealer": 2, "phase": "play", "trump": "V1", "to_act": [0],
    "players": [
        {"square": "a10", "bid": 1, "hand": ["R2", "R9", "B4"]},
        {"square": "e3", "bid": 0, "tricks": 0, "hand": ["R1", "G1", "V3"]},
        {"square": "cave", "bid": 2, "hand": ["Y1", "Y2", "Y3"]},
    ],
}  # fmt: skip
TRICK: dict[str, Any] = PLAY | {
    "viewer": 0,
    "dealer": 0,
    "players": [PLAY["players"][0], *(player | {"hand": 2} for player in PLAY["players"][1:])],
    "current_trick": {"leader": 1, "cards": ["R5", "V2"]},
}


@pytest.mark.parametrize("viewer", ((), ("--viewer", "1")))
@pytest.mark.parametrize("players", range(2, 7))
def test_new_canyon(players: int, viewer: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    """An opening for each number of players; the seed says who deals."""
    dealers = set()
    for seed in range(24):
        ended = run("new", "canyon", "--players", str(players), "--seed", str(seed), *viewer)
        assert (ended.status, ended.err) == (0, "")
        position = games.read(io.StringIO(ended.out))
        assert position["players"] == [{}] * players
        assert position["phase"] == "dock"
        assert position["to_act"] == [(position["dealer"] + 1) % players]
        assert position.get("viewer") == (1 if viewer else None)
        dealers.add(position["dealer"])
    assert dealers == set(range(players))


def test_new_canyon_on_a_board(run: Run, write: Write, tmp_path: Path, brook: str) -> None:
    """The board goes into the position as it stands in the file, and is found again."""
    board, path = write(brook + "\n", "brook.txt"), tmp_path / "opening.yaml"
    assert run("new", "canyon", "--board", board, "--players", "3", "-o", str(path)) == Ended(0, "", "")
    position = games.read(path)
    assert position["params"] == {"board": brook}
    assert run("moves", str(path)).lines == ["dock h1", "dock i2", "dock h3", "dock i3"]
    assert run("show", str(path)).status == 0


@pytest.mark.parametrize("name", ("position.yaml", "position.json"))
def test_moves_of_canyon(name: str, run: Run, write: Write) -> None:
    """Those of the viewer, who has to follow suit; with positions that say what the viewer knows."""
    path = write(TRICK, name)
    assert run("moves", path).lines == ["play R2", "play R9"]
    for line in map(json.loads, run("moves", path, "--json").lines):
        assert line["player"] == 0
        assert line["position"]["viewer"] == 0
        assert line["position"]["players"][2] == {"square": "cave", "bid": 2, "tricks": 1, "hand": 2}
        assert line["position"]["to_act"] == [2]


def test_moves_of_canyon_bidding_at_once(run: Run, write: Write) -> None:
    """Everybody's bids, with no position after them."""
    players = [{key: value for key, value in player.items() if key in ("square", "hand")} for player in PLAY["players"]]
    path = write(
        PLAY | {"phase": "bid", "to_act": [0, 1, 2], "params": {"bid_mode": "simultaneous"}, "players": players}
    )
    assert run("moves", path).lines == [f"P{seat} bid {bid}" for seat in range(3) for bid in range(4)]


def test_hint_of_canyon(run: Run, write: Write) -> None:
    """The same bytes each time, whatever the others hold."""
    path = write(TRICK)
    ended = run("hint", path, *REPEATABLE, "--json")
    assert (ended.status, ended.err) == (0, "")
    found = json.loads(ended.out)
    assert {move["move"] for move in found["moves"]} == {"play R2", "play R9"}
    complete = [TRICK["players"][0], *(seat | {"hand": hand} for seat, hand in zip(
        TRICK["players"][1:], (["G1", "V3"], ["Y1", "Y2"]), strict=True))]  # fmt: skip
    assert run("hint", write(TRICK | {"players": complete}), *REPEATABLE, "--json").out == ended.out


def test_show_canyon(run: Run, write: Write) -> None:
    """The hands that the viewer does not see are not shown."""
    whole, seen = run("show", write(PLAY)), run("show", write(PLAY), "--viewer", "0")
    assert (whole.status, whole.err, seen.status, seen.err) == (0, "", 0, "")
    assert "Y3" in whole.out and "Y3" not in seen.out
    assert "R9" in seen.out


# Wrong input.

FULL = {"AME": 1, "RUB": 8}
BAD_POSITIONS: dict[str, tuple[Any, str]] = {
    "weather": (CHOOSE | {"weather": 7}, "weather: expected a whole number from -1 to 2, got 7"),
    "rubies": (CHOOSE | {"players": [{"gems": FULL}, {}, {}]}, "players[0].gems.RUB: "),
    "more rubies": (
        CHOOSE | {"players": [{"gems": {"RUB": 3}}] * 2 + [{"gems": {"RUB": 2}}]},
        "sites.RUB: there are 8 ",
    ),
    "two first players": (
        "game: niagara\nfirst_player: 0\nfirst_player: 1\nplayers: [{}, {}, {}]\n",
        "first_player: given twice",
    ),
    "two first players in JSON": (
        '{"game": "niagara", "first_player": 0, "first_player": 1, "players": [{}, {}, {}]}',
        "first_player: given twice",
    ),
    "a list of first players": (CHOOSE | {"first_player": [0, 1]}, "first_player: expected a whole number"),
    "empty": ("", "file: expected a position"),
    "garbage": ('{"game": "niagara", ', "file: neither YAML nor JSON"),
    "more garbage": ("\x00\x01", "file: neither YAML nor JSON"),
    "a list": ("[1, 2]", "file: expected a position"),
    "no game": ({"players": [{}, {}, {}]}, "game: "),
    "unknown game": (CHOOSE | {"game": "chess"}, "game: expected one of "),
    "unknown field": (CHOOSE | {"colour": 1}, "colour: unknown field"),
    "a card of another hand size": (CHOOSE | {"players": [{"cards": [1]}, {}, {}]}, "players[1].cards: "),
    "two players": (CHOOSE | {"players": [{}, {}]}, "players: expected a list of 3 to 5, got 2"),
    "hidden without a viewer": ({k: v for k, v in SEEN.items() if k != "viewer"}, "players[0].played: "),
    "a viewer too many": (CHOOSE | {"viewer": 3}, "viewer: expected a whole number from 0 to 2, got 3"),
    "a card twice": (TRICK | {"trump": "R9"}, "players[0].hand[1]: card R9 occurs twice"),
    "a hand that cannot be": (
        TRICK | {"players": [*TRICK["players"][:2], TRICK["players"][2] | {"hand": 3}]},
        "players[2].hand: expected 2, got 3",
    ),
    "a bad board": (TRICK | {"params": {"board": "L8S\nL?S"}}, "params.board: row 1, column b: '?'"),
}


BAD_BOARDS: dict[str, tuple[str, str]] = {
    "nothing": ("", "board: expected 1 to 32 rows, got 0"),
    "an unknown square": ("L8SSSS\nL8S5SS\n", "board: row 1, column d: '5' is no square"),
    "a short row": ("L8SSSS\nL8SS\n", "board: row 1, column e: "),
    "no stage": ("88SSSS\n", "board: expected at least one landing stage L, got none"),
    "a dock cut off": ("L8SSSS#S\n", "board: row 0, column h: 'S' has no way to a landing stage L"),
    "a waterfall alone": ("L8SSSSW\n", "board: row 0, column g: 'W' is a waterfall, so a cave C is expected"),
    "two caves": ("CL8SSSSC\n", "board: row 0, column h: 'C' is a second cave"),
    "a wrong exit": ("; cave_exits: z1\nCL8SSSS\n", "board: cave_exits: "),
    "few docks": ("L8SSS\n", "board: expected 4 docks S, one a player, got 3"),
    "a position": ("game: canyon\n", "board: "),
}


@pytest.mark.parametrize(("text", "message"), BAD_BOARDS.values(), ids=BAD_BOARDS)
def test_bad_boards(text: str, message: str, run: Run, write: Write) -> None:
    """A board that cannot be played on: one line that says where."""
    assert_refused(run("new", "canyon", "--board", write(text, "board.txt")), f"voyageur new: {message}")


def test_board_files_that_are_none(run: Run, tmp_path: Path) -> None:
    """No file, a folder, or no text; and a game whose board is always the same."""
    (tmp_path / "bytes").write_bytes(b"L8\xffSS\n")
    (tmp_path / "board").write_text("L8SSSS\n")
    assert_refused(run("new", "canyon", "--board", str(tmp_path / "missing")), "missing")
    assert_refused(run("new", "canyon", "--board", str(tmp_path)), str(tmp_path))
    assert_refused(run("new", "canyon", "--board", str(tmp_path / "bytes")), "not UTF-8")
    assert_refused(run("new", "niagara", "--board", str(tmp_path / "board")), "board: ")


def assert_refused(ended: Ended, message: str) -> None:
    """Exit status 2, and one line that says so."""
    assert ended.status == 2
    assert ended.out == ""
    assert ended.err.endswith("\n") and ended.err.count("\n") == 1, ended.err
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert len(ended.err) < 400


@pytest.mark.parametrize("command", ("show", "moves", "hint"))
@pytest.mark.parametrize(("position", "message"), BAD_POSITIONS.values(), ids=BAD_POSITIONS)
def test_bad_positions(command: str, position: Any, message: str, run: Run, write: Write) -> None:
    """One line names the field, for every command that reads one, from a file as from standard input."""
    assert_refused(run(command, write(position)), f"voyageur {command}: {message}")


def test_bad_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same on standard input."""
    for text, message in (("", "file: expected a position"), ("game: [", "file: neither YAML nor JSON")):
        standard_input(monkeypatch, text)
        assert_refused(run("hint", "-", "--nodes", "5"), message)


BAD_ARGUMENTS = (
    ("hint", "{act}", "--nodes", "0"),
    ("hint", "{act}", "--nodes", "-5"),
    ("hint", "{act}", "--nodes", "1.5"),
    ("hint", "{act}", "--seconds", "x"),
    ("hint", "{act}", "--seconds", "0"),
    ("hint", "{act}", "--seconds", "nan"),
    ("hint", "{act}", "--seconds", "1", "--nodes", "5"),
    ("hint", "{act}", "--threads", "0"),
    ("hint", "{act}", "--seed", "-1"),
    ("hint", "{act}", "--top", "none"),
    ("hint", "{act}", "--solver", "best", "--nodes", "5"),
    ("hint", "{act}", "--solver", "mcts", "--nodes", "5"),
    ("hint", "{over}", "--nodes", "5"),
    ("hint", "{choose}", "--nodes", "5"),
    ("hint", "{waiting}", "--nodes", "5"),
    ("hint",),
    ("hint", "{act}", "{act}"),
    ("moves", "{missing}"),
    ("moves", "{folder}"),
    ("moves", "{over}"),
    ("moves", "{waiting}"),
    ("moves", "{act}", "--viewer", "0"),
    ("show", "{act}", "--viewer", "3"),
    ("show", "{act}", "--viewer", "x"),
    ("show", "{seen}", "--viewer", "0"),
    ("new", "chess"),
    ("new", "niagara", "--players", "2"),
    ("new", "niagara", "--players", "6"),
    ("new", "niagara", "--players", "many"),
    ("new", "niagara", "--viewer", "4"),
    ("new", "niagara", "-o", "{missing}/position.yaml"),
    ("new", "niagara", "-o", "{folder}"),
    ("new", "canyon", "--players", "1"),
    ("new", "canyon", "--players", "7"),
    ("new", "canyon", "--viewer", "4"),
    ("new", "canyon", "--board"),
    ("new", "voyageur_kuhn_poker"),
    ("new",),
    ("win", "niagara"),
    ("games", "--yaml"),
    ("bench", "everything"),
)


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=" ".join)
def test_bad_arguments(arguments: tuple[str, ...], run: Run, write: Write, tmp_path: Path) -> None:
    """Exit status 2 and one line, whatever is wrong."""
    files = {
        "{act}": write(ACT, "act.yaml"),
        "{seen}": write(SEEN, "seen.yaml"),
        "{over}": write(OVER, "over.yaml"),
        "{choose}": write(CHOOSE, "choose.yaml"),
        "{waiting}": write(ACT | {"viewer": 0}, "waiting.yaml"),
        "{missing}": str(tmp_path / "missing"),
        "{folder}": str(tmp_path),
    }
    filled = []
    for argument in arguments:
        for name, path in files.items():
            argument = argument.replace(name, path)
        filled.append(argument)
    assert_refused(run(*filled), "voyageur")


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        (("--nodes", "0"), "argument --nodes: expected a whole number from 1 to 1000000000000, got '0'"),
        (("--seconds", "x"), "argument --seconds: expected a number of seconds above 0 and below 1000000, got 'x'"),
        (("--nodes", "5", "--solver", "best"), "solver: unknown 'best'; known are ismcts, mcts, scripted, random"),
        (("--nodes", "5", "--solver", "mcts"), "it is for games that hide nothing; ismcts plays every game"),
    ),
)
def test_messages(arguments: tuple[str, ...], message: str, run: Run, write: Write) -> None:
    """What, where, and what was expected."""
    assert_refused(run("hint", write(ACT), *arguments), message)


def test_message_about_who_asks(run: Run, write: Write) -> None:
    """A simultaneous decision needs a viewer, a file has to be there."""
    assert_refused(
        run("hint", write(CHOOSE), "--nodes", "5"),
        "viewer: expected a seat, as in viewer: 0 (everybody decides at once",
    )
    assert_refused(run("hint", write(OVER), "--nodes", "5"), "nobody decides here: the game is over")
    assert_refused(run("show", "/no/such/file.yaml"), "/no/such/file.yaml: No such file or directory")
    assert_refused(run("show", ""), "'': No such file or directory")


def test_no_traceback_in_a_process_of_its_own(tmp_path: Path) -> None:
    """The installed entry point ends the same way."""
    command = [sys.executable, "-m", "voyageur.cli.main", "hint", str(tmp_path), "--nodes", "5"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert_refused(Ended(done.returncode, done.stdout, done.stderr), str(tmp_path))


@pytest.mark.parametrize("arguments", [("games",), ("games", "--json")])
def test_whoever_reads_may_leave(arguments: tuple[str, ...]) -> None:
    """Output that nobody reads any more is no error."""
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "voyageur.cli.main", *arguments]
    done = subprocess.run(command, stdout=written, stderr=subprocess.PIPE, text=True)
    os.close(written)
    assert (done.returncode, done.stderr) == (0, "")
