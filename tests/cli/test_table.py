"""`voyageur table`, `play`, `replay`, `analyze`: what is typed and what is seen."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pyte
import pytest

from voyageur import games
from voyageur.cli import main as cli
from voyageur.eval import outlook
from voyageur.eval.players import Players
from voyageur.eval.session import Session
from voyageur.eval.thinking import Thinker

YELLOW = ("table", "yellowhouse", "--players", "Me,Ann", "--set", "first_leader=0", "--nodes", "60", "--threads", "1")


@dataclass
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    def refused(self) -> list[str]:
        """What was refused, a line each."""
        return [line.removeprefix("No: ") for line in self.out.splitlines() if line.startswith("No: ")]


Type = Callable[..., Ended]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Type:
    """A function of lines and arguments: runs `voyageur` in a folder of its own with these lines typed into a pipe."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def voyageur(lines: list[str], *arguments: str) -> Ended:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        capsys.readouterr()
        try:
            status = cli.main(arguments)
        except SystemExit as left:
            assert isinstance(left.code, int)
            status = left.code
        out, err = capsys.readouterr()
        assert "\x1b" not in out
        return Ended(status, out, err)

    return voyageur


def test_a_game_is_typed_and_kept(typed: Type):
    ended = typed(["4233", "rv", "Ann: ?", "rr", "r", "p"], *YELLOW, "--record", "game.txt")
    assert ended.status == 0 and ended.refused() == []
    assert "   1  table: R4 V2 G3 Y3\n" in ended.out
    assert "   3  Ann: has chosen\n" in ended.out
    assert Path("game.txt").read_text() == (
        "voyageur record 1\ngame: yellowhouse\nplayers: Me, Ann\nme: Me\n"
        'rules: {"first_leader": 0}\n\n'
        "table: R4 V2 G3 Y3\nMe: give R V\nAnn: ?\nAnn: give R R\nMe: claim R\nAnn: pass\n"
    )
    assert max(map(len, ended.out.splitlines())) <= 80


def test_without_a_name_the_record_is_a_new_file_here(typed: Type, tmp_path: Path):
    assert typed(["4233"], *YELLOW).status == 0
    (path,) = tmp_path.glob("voyageur-yellowhouse-*.txt")
    assert len(Session.open(path).entries) == 1


def test_players_are_asked_for(typed: Type):
    ended = typed(["Zoe, Ann", "0"], "table", "yellowhouse", "--me", "ann", "--record", "game.txt")
    assert "Who plays" in ended.out and "   1  table: Zoe leads" in ended.out
    assert Session.open("game.txt").header.me == 1
    ended = typed(["Zoe, Ann", "Ann", "Zoe"], "table", "yellowhouse", "--record", "other.txt")
    assert "Which of them are you" in ended.out and "   1  table: Zoe leads" in ended.out
    assert Session.open("other.txt").header.me == 1


def test_wrong_entries_are_told_in_a_line(typed: Type):
    wrong = [
        "hand",
        "vvv",
        "ann: rr",
        "gg",
        "sr",
        "undo 9",
        "undo x",
        "edit x y",
        "edit 9 r",
        "delete",
        "redo",
        "what if rr",
    ]
    ended = typed(["4234", "4233", "rv", "rr", *wrong, "r", "hint", "what if r", "r"], *YELLOW)
    assert ended.status == 0
    refused = ended.refused()
    assert len(refused) == 1 + len(wrong) + 3
    assert refused[0] == "hands.0: expected 12 cards, got 13"
    assert refused[3] == "it is the turn of Me, not of Ann"
    assert refused[-1] == "R has been claimed in this trick; that contradicts entry 4 (Me: claim R): undo, or edit 4"


def test_a_hint_and_why(typed: Type):
    ended = typed(["4233", "hint", "why", "what if give v v", "w", "h"], *YELLOW)
    assert ended.refused() == []
    assert ended.out.count("yellowhouse, P0 to decide between 10 moves (ismcts, 60 simulations") == 2
    assert ended.out.count("worlds looked into)") == 3
    again = typed(["4233"], *YELLOW, "--auto", "--record", "other.txt")
    assert again.out.count("P0 to decide") == 1


def test_taking_back(typed: Type):
    typed(["4233", "rv", "rr", "r", "undo 2", "vv", "undo", "redo", "edit 2 gg", "misdeal", "5223", "log"],
          *YELLOW, "--record", "game.txt")  # fmt: skip
    lines = Path("game.txt").read_text().splitlines()[6:]
    assert lines == [
        "table: R4 V2 G3 Y3", "Me: give R V", "Ann: give R R", "Me: claim R", "undo 2", "Ann: give V V", "undo 1",
        "redo 1", "edit 2 Me: give G G", "undo 3", "table: R5 V2 G2 Y3",
    ]  # fmt: skip
    ended = typed(["show"], "table", "--resume", "game.txt")
    assert "R5 V2 G2 Y3 = 12" in ended.out


def test_rules_positions_save(typed: Type):
    position = {"game": "yellowhouse", "round": 1, "phase": "exchange", "leader": 1, "viewer": 0,
                "players": [{"hand": {"R": 3, "V": 3, "G": 3, "Y": 3}}, {"hand": 12}]}  # fmt: skip
    games.write(position, "position.yaml")
    ended = typed(
        ["4233", "set supports=3", "set nothing=1", "set", "position position.yaml", "position no.yaml", "save b.txt"],
        *YELLOW, "--record", "a.txt",
    )  # fmt: skip
    assert len(ended.refused()) == 3
    assert Session.open("a.txt").entries == Session.open("b.txt").entries
    assert Session.open("b.txt").now.known.position == position
    begun = typed(["show"], "table", "yellowhouse", "--players", "Me,Ann", "--position", "position.yaml")
    assert "R3 V3 G3 Y3 = 12" in begun.out


def test_replay_and_analyze(typed: Type):
    typed(["4233", "rv", "rr", "r", "p", "v", "p"], *YELLOW, "--record", "game.txt")
    ended = typed([], "replay", "game.txt")
    assert "   7  Ann: pass" in ended.out and "P0 Me  P1 Ann" in ended.out
    assert json.loads(typed([], "replay", "game.txt", "--json", "--to", "1").out)["phase"] == "exchange"
    found = json.loads(typed([], "analyze", "game.txt", "--json", "--nodes", "40", "--threads", "1").out)
    assert [decision["entry"] for decision in found["decisions"]] == [2, 4, 6]
    assert found["returns"] is None
    text = typed([], "analyze", "game.txt", "--nodes", "40", "--threads", "1", "--plot", "game.svg").out
    assert "3 decisions of Me" in text
    assert "<svg" in Path("game.svg").read_text()
    Path("game.txt").rename("record.svg")
    for path, refused in (
        ("game.txt", "expected a file that ends in"),
        ("nowhere/game.svg", "cannot write to"),
        ("record.svg", "expected a file of its own"),
    ):
        ended = typed([], "analyze", "record.svg", "--plot", path)
        assert ended.status == 2 and refused in ended.err


def test_play_against_bots(typed: Type):
    arguments = [
        "play",
        "yellowhouse",
        "--players",
        "me,scripted",
        "--nodes",
        "10",
        "--seed",
        "3",
        "--record",
        "game.txt",
    ]
    # One after another, whatever is possible; what is not is refused.
    keys = ["rr", "rv", "rg", "ry", "vv", "vg", "vy", "gg", "gy", "yy", *("r", "v", "g", "y", "p") * 4] * 20
    ended = typed(keys, *arguments)
    assert ended.status == 0 and "Over: Me" in ended.out
    assert "P1 R" not in ended.out.split("Over:")[0]  # no hand of the bot is shown
    assert "P1 R" in Path("game.txt").read_text()
    session = Session.open("game.txt")
    assert session.now.known.ask.kind == "over" and session.header.plays == ("me", "scripted")
    back = typed(["undo 2", "help"], "play", "--resume", "game.txt", "--nodes", "10")
    assert back.refused() == [] and "misdeal" not in back.out and "misdeal" in typed(["help"], *YELLOW).out
    assert "'edit" in typed(["edit 1 x"], "play", "--resume", "game.txt", "--nodes", "10").refused()[0]
    assert Session.open("game.txt").now.known.ask.seat == 0


def test_play_against_a_policy(typed: Type):
    rules = ("scope=round", "elements=2", "copies=3", "hand=2", "exchange=1", "max_level=3")
    solved = typed(
        [], "solve", "yellowhouse", *(word for rule in rules for word in ("--param", rule)), "-o", "k.policy"
    )
    assert solved.status == 0
    sets = [word for rule in rules for word in ("--set", rule)]
    ended = typed(
        ["r", "v"], "play", "yellowhouse", *sets, "--players", "me,cfr:policy=k.policy", "--record", "game.txt"
    )
    assert ended.status == 0
    assert "plays: me, cfr:policy=k.policy" in Path("game.txt").read_text()
    assert len(Session.open("game.txt").entries) >= 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("table",), "expected GAME"),
        (("table", "chess"), "unknown game"),
        (("table", "yellowhouse"), "players: expected who plays"),
        (("table", "voyageur_kuhn_poker", "--players", "A,B"), "game: expected one of canyon"),
        (("table", "yellowhouse", "--players", "A,B,C"), "expected 2 names, got 3"),
        (("table", "yellowhouse", "--players", "A,a"), "occurs twice"),
        (("table", "yellowhouse", "--players", "A,B", "--me", "C"), "me: expected one of A, B"),
        (("table", "yellowhouse", "--players", "A,B", "--set", "supports"), "NAME=VALUE"),
        (("table", "yellowhouse", "--players", "A,B", "--set", "supports=[}"), "expected a value"),
        (("table", "yellowhouse", "--players", "A,B", "--set", "no=1"), "no: unknown field"),
        (("table", "yellowhouse", "--players", "A,B", "--solver", "genius"), "solver: unknown"),
        (("table", "yellowhouse", "--players", "A,B", "--solver", "ismcts:nodes=9"), "nodes: no option of ismcts here"),
        (("play", "yellowhouse", "--players", "me,mine:bot"), "solver: unknown 'mine'"),
        (("table", "yellowhouse", "--players", "A,B", "--position", "none.yaml"), "none.yaml"),
        (("table", "yellowhouse", "--players", "A,B", "--position", "p", "--set", "a=1"), "--set have nothing to say"),
        (("table", "--resume", "none.txt"), "none.txt: No such file"),
        (("table", "--resume", "none.txt", "--me", "Ann"), "me: nothing to say with --resume"),
        (("table", "yellowhouse", "--resume", "none.txt"), "game: nothing to say with --resume"),
        (("play", "yellowhouse"), "players: expected who plays"),
        (("play", "yellowhouse", "--players", "scripted,scripted"), "expected one me"),
        (("play", "yellowhouse", "--players", "me,genius"), "unknown 'genius'"),
        (("play", "yellowhouse", "--players", "me,cfr:policy=none.policy"), "none.policy"),
        (("play", "yellowhouse", "--players", "me,ismcts:trust=x"), "trust: expected a whole number"),
        (("play", "yellowhouse", "--players", "me,scripted,scripted"), "is for 2"),
        (("replay", "none.txt"), "none.txt"),
        (("analyze", "none.txt"), "none.txt"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...], problem: str, typed: Type, tmp_path: Path):
    ended = typed([], *arguments)
    assert ended.status == 2
    assert problem in ended.err and ended.err.count("\n") == 1
    assert not list(tmp_path.iterdir())  # no record is begun


def test_ctrl_c_leaves_and_says_where_the_record_is(typed: Type, monkeypatch: pytest.MonkeyPatch):
    def interrupted(players: Players, session: Session) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Players, "next_event", interrupted)
    ended = typed([], "play", "yellowhouse", "--players", "me,scripted", "--record", "game.txt")
    assert ended.status == 130 and "The record is in game.txt." in ended.out


def test_ctrl_c_while_a_question_is_thought_about_ends_only_that(typed: Type, monkeypatch: pytest.MonkeyPatch):
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Thinker, "advise", interrupted)
    monkeypatch.setattr(outlook, "outlook", interrupted)
    ended = typed(["4233", "hint", "why", "what if rv", "rv"], *YELLOW, "--record", "game.txt")
    assert (ended.status, ended.out.count("Interrupted.\n")) == (0, 3)
    assert len(Session.open("game.txt").entries) == 2


def test_a_record_goes_on_where_it_belongs(typed: Type):
    typed(["4233"], *YELLOW, "--record", "real.txt")
    typed([], "play", "yellowhouse", "--players", "me,scripted", "--record", "bots.txt")
    assert "voyageur table --resume" in typed([], "play", "--resume", "real.txt").err
    assert "voyageur play --resume" in typed([], "table", "--resume", "bots.txt").err
    assert "solver: unknown 'genius'" in typed([], "table", "--resume", "real.txt", "--solver", "genius").err
    assert "File exists" in typed([], *YELLOW, "--record", "real.txt").err
    ended = typed([], "analyze", "real.txt", "--solver", "scripted")
    assert ended.status == 0  # nothing to decide yet


# A real terminal.


class Terminal:
    """A command in an emulated terminal of 80 columns and 40 lines."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.screen = pyte.Screen(80, 40)
        self._stream = pyte.Stream(self.screen)
        plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "voyageur.cli.main", *arguments],
            env=plain | {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"} | environment,
            dimensions=(40, 80),
            encoding="utf-8",
            timeout=120,
        )

    def wait(self, text: str) -> list[str]:
        """The lines used of the screen, as soon as there is `text` and, at its end, a prompt."""
        while True:
            used = [line.rstrip() for line in self.screen.display if line.strip()]
            if used and used[-1].endswith(":") and any(text in line for line in used):
                return used
            self._stream.feed(self.child.read_nonblocking(4096, timeout=120))

    def type(self, text: str) -> None:
        """Types a line."""
        self.child.send(f"{text}\r")

    def colours(self) -> set[str]:
        """The colours and weights on the screen."""
        cells = (cell for line in self.screen.buffer.values() for cell in line.values())
        return {cell.fg for cell in cells if cell.fg != "default"} | {"bold" for cell in cells if cell.bold}


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    """A function of arguments: a terminal in which the command runs, until the test is over."""
    started: list[Terminal] = []

    def start(*arguments: str, **environment: str) -> Terminal:
        started.append(Terminal(*arguments, **environment))
        return started[-1]

    yield start
    for one in started:
        one.child.close(force=True)


def test_screens(terminal: Callable[..., Terminal], tmp_path: Path):
    path = tmp_path / "game.txt"
    table = terminal(*YELLOW, "--record", str(path))
    table.wait("how many R V G Y (like 4 2 3 3):")
    table.type("4233")
    seen = table.wait("you choose:")
    assert "P0 Me  P1 Ann" in "\n".join(seen)
    assert any("R4 V2 G3 Y3 = 12" in line for line in seen)
    assert any(line.startswith("rr  give R R") for line in seen)
    table.type("hint")
    table.wait("Expected returns:")
    table.type("gx")
    table.wait("No: 'gx' is not possible here")
    assert table.colours()
    table.type("rv")
    table.wait("what Ann has chosen:")
    table.type("rr")
    seen = table.wait("your move:")
    assert any("2  Me: give R V" in line for line in seen)
    table.child.kill(9)
    table.child.wait()
    assert len(Session.open(path).entries) == 3
    again = terminal("table", "--resume", str(path), NO_COLOR="1")
    seen = again.wait("your move:")
    assert any("P0 leads" in line for line in seen)
    assert not again.colours()
    again.type("quit")
    again.child.expect(pexpect.EOF)
