"""Tournaments: repeatable, resumable, and none the worse for entrants that fail."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from voyageur.cli import main as cli
from voyageur.eval import arena, entrants, loading, report, schedule, tournaments
from voyageur.eval.arena import Outcome, Player
from voyageur.eval.store import Store, StoreError
from voyageur.eval.tournaments import Config

GAME = "voyageur_tic_tac_toe"
BOTS = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The playing processes find tests/eval/bots.py."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (BOTS, os.environ.get("PYTHONPATH")))))


def content(path: Path) -> list[dict[str, Any]]:
    """All games of a store, without what depends on the clock."""
    store = Store.open(str(path))
    rows = [asdict(outcome) | {"moves": outcome.steps(), "seconds": None} for outcome in store.outcomes(moves=True)]
    store.close()
    return rows


def played(path: Path, processes: int = 1, **values: Any) -> list[dict[str, Any]]:
    """The content of the store of a tournament played to its end."""
    tournament, store = tournaments.start(Config.read({"game": GAME, "games": 12, **values}), str(path))
    numbers = [outcome.number for outcome in tournaments.run(tournament, store, processes)]
    store.close()
    assert sorted(numbers) == list(range(len(numbers))) and len(numbers) >= 12
    return content(path)


def command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """`voyageur tournament` in a process of its own."""
    line = [sys.executable, "-m", "voyageur.cli.main", "tournament", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def test_repeatable(tmp_path: Path) -> None:
    """The same games, moves and results, with one process or two; another seed, other games."""
    field = ["random", "scripted", "bots:play"]
    one = played(tmp_path / "one", entrants=field)
    assert played(tmp_path / "two", 2, entrants=field) == one
    assert played(tmp_path / "three", entrants=field, seed=1) != one
    assert {len(game["seating"]) for game in one} == {2}
    assert all(game["forfeit"] is None for game in one)


def test_any_game_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One game, from the store's configuration and its number alone."""
    path = tmp_path / "store"
    games = played(path, entrants=["random", "scripted"])
    assert cli.main(["tournament", "replay", str(path), "7"]) == 0
    text = capsys.readouterr().out
    assert "The same as in the store." in text
    assert text.count("\n") == 2 + len(games[7]["moves"]) + 2
    with sqlite3.connect(path) as db:
        db.execute("UPDATE games SET moves = '[[0, 1, \"x\"]]' WHERE number = 7")
    assert cli.main(["tournament", "replay", str(path), "7"]) == 1
    assert "'x' as step 1" in capsys.readouterr().out
    assert cli.main(["tournament", "replay", str(path), "99"]) == 2
    assert "no game 99" in capsys.readouterr().err


@pytest.mark.parametrize("game", ["voyageur_goofspiel(num_cards=4)", "voyageur_kuhn_poker", "canyon(players=2)"])
def test_the_same_with_and_without_history(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games among our own bots are played without a history, with the same moves and results."""
    monkeypatch.setattr(arena, "_ROOM", 4)  # so that the log has to grow, also in the middle of a deal
    loaded = loading.load(game)
    field = tuple(entrants.parse(spec, loaded) for spec in ("random", "scripted"))
    player = Player(arena.Rules(str(loaded), field, 3, 1.0, 60.0))
    for pairing in schedule.pairings("round-robin", 2, loaded.num_players(), 8, "balanced", 3):
        bare = player.play(pairing)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arena, "_BareCourse", lambda game, chance, log: arena._Course(game, chance))
            whole = player.play(pairing)
        assert (bare.moves, bare.returns) == (whole.moves, whole.returns)
        assert bare.forfeit is None and bare.steps()


def test_the_same_luck_within_a_block(tmp_path: Path) -> None:
    """Every seating of a block gets the same cards."""
    games = played(tmp_path / "store", game="kuhn_poker", entrants=["random", "bots:play"], games=20)
    deals: dict[int, set[str]] = {}
    for game in games:
        deal = [move for move in game["moves"] if move[0] == -1]
        assert len(deal) == 2
        deals.setdefault(game["block"], set()).add(json.dumps(deal))
    assert all(len(found) == 1 for found in deals.values())
    assert len({next(iter(found)) for found in deals.values()}) > 2


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel(imp_info=True,num_cards=3,points_order=descending)"])
def test_other_games(game: str, tmp_path: Path) -> None:
    """OpenSpiel's games, also those with simultaneous nodes."""
    games = played(tmp_path / "store", game=game, entrants=["random", "bots:play"])
    assert all(game["forfeit"] is None and game["moves"] for game in games)


def test_entrants_that_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each forfeits with a reason, the others play on, and the report lists it."""
    kinds = ("raises", "illegal", "nothing", "dies", "interrupted", "hangs", "deaf", "unloadable", "absent")
    field = {"good": "bots:play"} | {kind: f"bots:play:kind={kind}" for kind in kinds} | {"nowhere": "nowhere:bot"}
    path = tmp_path / "store"
    config = {"game": GAME, "entrants": field, "format": "gauntlet", "games": 20, "timeout": 0.5, "margin": 0.1}
    tournament, store = tournaments.start(Config.read(config), str(path))
    games = list(tournaments.run(tournament, store, 2))
    assert len(games) == 20
    reasons: dict[str, set[str | None]] = {}
    for game in games:
        assert game.forfeit is not None and game.returns[game.forfeit] == -1 and sum(game.returns) == 0
        reasons.setdefault(list(field)[game.seating[game.forfeit]], set()).add(game.reason)
    assert reasons == {
        "raises": {r"raised RuntimeError: two lines \udcff"},
        "illegal": {"illegal action '999' where 9 are legal", "illegal action '999' where 8 are legal"},
        "nothing": {"illegal action 'None' where 9 are legal", "illegal action 'None' where 8 are legal"},
        "dies": {"ended the process that it played in"},
        "hangs": {"hung: took longer than the 0.5 s that a decision may take"},
        "interrupted": {"ended the process that it played in"},
        "deaf": {"raised RuntimeError: what?"},
        "unloadable": {"cannot be loaded: OSError: no weights"},
        "absent": {"cannot be loaded: expected a pyspiel.Bot, got a NoneType"},
        "nowhere": {"cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"},
    }
    found = report.summary(tournament, store)
    assert len(found["forfeits"]) == 20
    assert [entrant["forfeits"] for entrant in found["entrants"]] == [0, *[2] * 10]
    assert cli.main(["tournament", "report", str(path)]) == 0
    assert "Game 0 forfeited by raises" in capsys.readouterr().out
    assert "Forfeits: 20" in (tmp_path / "store.html").read_text()
    assert cli.main(["tournament", "report", str(path), "-o", str(path)]) == 2
    assert "-o: expected a file of its own" in capsys.readouterr().err
    assert cli.main(["tournament", "--resume", str(path), "--store", "x"]) == 2
    assert "--store: nothing to say with --resume" in capsys.readouterr().err


def test_killed_and_resumed(tmp_path: Path) -> None:
    """Killed in the middle of a game, it goes on where it was: the same store as without."""
    path, flag = tmp_path / "store", tmp_path / "flag"
    field = ("random", f"bots:play:flag={flag}")
    arguments = (GAME, *field, "--games", "12", "--processes", "1", "--store", str(path))
    killed = command(*arguments)
    assert killed.returncode == -9
    assert f"--resume {path}" in killed.stderr
    before = content(path)
    again = command("--resume", str(path), "--processes", "1")
    assert again.returncode == 0 and "12 of 12 games" in again.stdout
    assert content(path)[: len(before)] == before
    whole = tmp_path / "whole"
    assert command(*arguments[:-1], str(whole)).returncode == 0
    assert content(path) == content(whole)
    assert command("--resume", str(path)).returncode == 0
    assert content(path) == content(whole)


def test_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    """Its games are played again: the same store as without a cluster."""
    distributed = pytest.importorskip("distributed")
    flag = tmp_path / "flag"
    flag.touch()
    field = ["random", f"bots:play:flag={flag}"]
    expected = played(tmp_path / "local", entrants=field)
    flag.unlink()
    tournament, store = tournaments.start(
        Config.read({"game": GAME, "entrants": field, "games": 12}), str(tmp_path / "cluster")
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        games = list(tournaments.run(tournament, store, scheduler=cluster.scheduler_address))
    store.close()
    assert flag.exists()
    assert sorted(game.number for game in games) == list(range(12))
    assert content(tmp_path / "cluster") == expected


def test_a_sequential_test_ends_it(tmp_path: Path) -> None:
    """As soon as it is decided (here the two play alike); what was played beyond does not count, nothing is added."""
    values = {"game": GAME, "entrants": ["scripted", "random"], "games": 2000, "sprt": {"elo0": 0, "elo1": 200}}
    tournament, store = tournaments.start(Config.read(values), str(tmp_path / "store"))
    games = list(tournaments.run(tournament, store, 2))
    found = report.summary(tournament, store, 50)
    assert len(games) < 400
    assert found["sprt"]["verdict"] == "elo0"
    assert found["sprt"]["blocks"] * 2 == found["games"]["counted"] <= len(games)
    assert list(tournaments.run(tournament, store)) == []
    assert "elo0 accepted" in report.verdicts(found)[1]


def test_only_whole_blocks_count(tmp_path: Path) -> None:
    """A block that is not finished waits."""
    tournament, store = tournaments.start(
        Config.read({"game": GAME, "entrants": ["random", "scripted"], "games": 6}), str(tmp_path / "store")
    )
    for pairing in (tournament.pairings[number] for number in (0, 1, 3)):
        store.add(Outcome(**asdict(pairing), returns=[1.0, -1.0], seconds=[[0.1], []]))
    found = report.summary(tournament, store, 20)
    assert found["games"] == {"planned": 6, "finished": 3, "counted": 2}
    assert [entrant["wins"] for entrant in found["entrants"]] == [1, 1]
    assert found["two"]["pairs"] == [{"score": 0.5, "blocks": 1}]


def test_a_page(tmp_path: Path) -> None:
    """It stands alone, with all tables and pictures, and nothing in a name is taken for markup."""
    field = {"<b>": "random", "plain": "scripted", "first": "bots:play"}
    tournament, store = tournaments.start(
        Config.read({"game": GAME, "entrants": field, "games": 12}), str(tmp_path / "s")
    )
    list(tournaments.run(tournament, store))
    found = report.summary(tournament, store, 50)
    page = report.page(found, report.times(tournament, store))
    assert page.count("<svg") == page.count("</svg>") == 4
    assert page.count("<table") == 3
    assert "<b>" not in page and "&lt;b&gt;" in page
    assert "<script" not in page and "src=" not in page
    assert page == report.page(found, report.times(tournament, store))
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"seed": 5}, "seed: {path} has 0, not 5"),
        ({"games": 99}, "games: {path} has 12, not 99"),
        ({"entrants": ["scripted", "random"]}, "entrants: {path} has"),
        ({"game": "voyageur_connect_four"}, "game: {path} has voyageur_tic_tac_toe(), not voyageur_connect_four()"),
        ({"nodes": 7}, "nodes: {path} has None, not 7"),
    ],
)
def test_a_changed_configuration(given: dict[str, Any], problem: str, tmp_path: Path) -> None:
    """It is refused with what differs; the same one is not."""
    path = str(tmp_path / "store")
    tournaments.start(Config.read({"game": GAME, "entrants": ["random", "scripted"], "games": 12}), path)
    tournaments.reopen(path, {"seed": 0, "entrants": ["random", "scripted"], "game": GAME})
    with pytest.raises(StoreError) as error:
        tournaments.reopen(path, given)
    assert str(error.value).startswith(problem.format(path=path))


def test_another_version(tmp_path: Path) -> None:
    """Games of two versions are not one tournament; looking at it is allowed."""
    path = tmp_path / "store"
    tournaments.start(Config.read({"game": GAME, "entrants": ["random", "scripted"]}), str(path))
    with sqlite3.connect(path) as db:
        db.execute(
            "UPDATE meta SET value = replace(value, '\"voyageur\": \"', '\"voyageur\": \"0.') WHERE key = 'config'"
        )
    with pytest.raises(StoreError, match="made by version 0"):
        tournaments.reopen(str(path))
    tournaments.reopen(str(path), write=False)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """Who resumes a tournament that is being played is told so; looking at it is allowed."""
    path = str(tmp_path / "store")
    _, store = tournaments.start(Config.read({"game": GAME, "entrants": ["random", "scripted"]}), path)
    with pytest.raises(StoreError, match="is being written by another process"):
        tournaments.reopen(path)
    tournaments.reopen(path, write=False)
    store.close()
    tournaments.reopen(path)


def test_a_report_needs_no_files_of_entrants(tmp_path: Path) -> None:
    """Only to go on does a policy have to be where it was."""
    policy, path = tmp_path / "kuhn.policy", str(tmp_path / "store")
    assert cli.main(["solve", "kuhn_poker", "-o", str(policy), "--iterations", "10"]) == 0
    entrants = [f"cfr:policy={policy}", "random"]
    _, store = tournaments.start(Config.read({"game": "kuhn_poker", "entrants": entrants}), path)
    store.close()
    policy.unlink()
    tournaments.reopen(path, write=False, to_play=False)[1].close()
    for write in (True, False):
        with pytest.raises(ValueError, match=r"kuhn\.policy"):
            tournaments.reopen(path, write=write)


def test_names_are_printed_as_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Square brackets are no markup."""
    entrants = {"random [c=0.2]": "random", "[/x] it": "scripted"}
    path = str(tmp_path / "store")
    (tmp_path / "t.json").write_text(json.dumps(PLAIN | {"entrants": entrants}))
    assert cli.main(["tournament", "--config", str(tmp_path / "t.json"), "--store", path, "--processes", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("random [c=0.2]") == 2 and out.count("[/x] it") == 2


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """One line, whatever SQLite says."""
    path = tmp_path / "store"
    _, store = tournaments.start(Config.read({"game": GAME, "entrants": ["random", "scripted"]}), str(path))
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE games")
    store.add(Outcome(0, 0, [0, 1], [1.0, -1.0], seconds=[[], []]))
    with pytest.raises(StoreError, match="cannot be written") as error:
        store.close()
    assert len(str(error.value).splitlines()) == 1


PLAIN = {"game": GAME, "games": 2, "entrants": ["random", "scripted"]}


def test_flags_of_a_test_win_over_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of them alone, too; without a test they have nothing to say."""
    (tmp_path / "t.toml").write_text(f'game = "{GAME}"\ngames = 2\nentrants = ["random", "scripted"]\n')
    plain = ["tournament", "--config", str(tmp_path / "t.toml"), "--processes", "1", "--json", "--beta", "0.2"]
    assert cli.main([*plain, "--store", str(tmp_path / "a")]) == 2
    assert "--beta: only with --sprt" in capsys.readouterr().err
    with (tmp_path / "t.toml").open("a") as file:
        file.write("[sprt]\nelo0 = 0\nelo1 = 100\nalpha = 0.1\n")
    assert cli.main([*plain, "--store", str(tmp_path / "b")]) == 0
    found = json.loads(capsys.readouterr().out)["sprt"]
    assert (found["alpha"], found["beta"], found["elo1"]) == (0.1, 0.2, 100)
    (tmp_path / "t.json").write_text(json.dumps({"sprt": [0, 50, 0.05, 0.05], "nodes": 9} | PLAIN))
    flags = ["--config", str(tmp_path / "t.json"), "--seconds", "1", "--sprt", "0", "120", "--beta", "0.2"]
    assert cli.main(["tournament", *flags, "--store", str(tmp_path / "c"), "--processes", "1", "--json"]) == 0
    config = tournaments.reopen(str(tmp_path / "c"), write=False)[0].config
    assert (config.sprt, config.seconds, config.nodes) == ((0, 120, 0.05, 0.2), 1, None)
    assert cli.main(["tournament", "--resume", str(tmp_path / "c"), "--nodes", "9"]) == 2
    assert "has 1.0, not None; a tournament keeps its configuration" in capsys.readouterr().err
    (tmp_path / "t.json").write_text(json.dumps({"sprt": [0, 50]} | PLAIN))
    assert cli.main(["tournament", *flags[:2], "--beta", "0.2", "--store", str(tmp_path / "d")]) == 2
    assert "sprt: expected numbers elo0, elo1, alpha, beta" in capsys.readouterr().err


WRONG = [
    ({}, "game: must be given"),
    ({"game": GAME}, "entrants: must be given"),
    ({"game": 3, "entrants": ["random", "scripted"]}, "game: expected a name"),
    ({"game": GAME, "entrants": ["random"]}, "entrants: expected two or more"),
    ({"game": GAME, "entrants": ["random", "random"]}, "entrants: random is there twice"),
    ({"game": GAME, "entrants": "random"}, "entrants: expected a list"),
    ({"game": GAME, "entrants": [["a", 3], "random"]}, "entrants: expected a spec"),
    ({"game": GAME, "entrants": ["random", "scripted"], "format": "cup"}, "format: expected round-robin or gauntlet"),
    ({"game": GAME, "entrants": ["random", "scripted"], "seatings": 3}, "seatings: expected balanced or all"),
    ({"game": GAME, "entrants": ["random", "scripted"], "games": 0}, "games: expected a whole number"),
    ({"game": GAME, "entrants": ["random", "scripted"], "games": True}, "games: expected a whole number"),
    ({"game": GAME, "entrants": ["random", "scripted"], "seconds": "1"}, "seconds: expected a number"),
    ({"game": GAME, "entrants": ["random", "scripted"], "sprt": {"elo0": 0}}, "sprt: expected elo0, elo1"),
    ({"game": GAME, "entrants": ["random", "scripted"], "sprt": [1, 0, 0.05, 0.05]}, "sprt: expected elo0 below elo1"),
    ({"game": GAME, "entrants": ["random", "scripted"], "colour": "red"}, "colour: unknown"),
    ({"game": "solitaire", "entrants": ["random", "scripted"]}, "game"),
    ({"game": "2048", "entrants": ["random", "scripted"]}, "game: 2048 has one player"),
    ({"game": GAME, "entrants": ["random", "oracle"]}, "entrant 'oracle'"),
    ({"game": "niagara", "entrants": ["random", "scripted"], "sprt": [0, 10, 0.05, 0.05]}, "sprt: it is for two"),
]


@pytest.mark.parametrize(("values", "problem"), WRONG)
def test_wrong_configurations(values: dict[str, Any], problem: str) -> None:
    """One line that names the field."""
    with pytest.raises(ValueError) as error:
        Config.read(values).load()
    assert str(error.value).startswith(problem)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("name, text", [("t.toml", TOML := """
game = "voyageur_tic_tac_toe"
games = 4
[entrants]
dice = "random"
plain = "scripted"
"""), ("t.yaml", """
game: voyageur_tic_tac_toe
games: 4
entrants: {dice: random, plain: scripted}
""")])  # fmt: skip
def test_a_file(name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A configuration as TOML or YAML; flags win over it."""
    (tmp_path / name).write_text(text)
    store = str(tmp_path / "store")
    arguments = ["tournament", "--config", str(tmp_path / name), "--seed", "3", "--store", store, "--processes", "1"]
    assert cli.main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [entrant["name"] for entrant in found["entrants"]] == ["dice", "plain"]
    assert (found["seed"], found["games"]["counted"]) == (3, 4)
    assert cli.main(arguments) == 2
    assert "go on with --resume" in capsys.readouterr().err


def with_one_game(folder: Path) -> Path:
    """A store of one game, of which no moves are kept."""
    path = folder / "store"
    _, store = tournaments.start(Config.read({"game": GAME, "entrants": ["random", "scripted"]}), str(path))
    store.add(Outcome(0, 0, [0, 1], [1.0, -1.0], seconds=[[], []]))
    store.close()
    return path


def with_game(change: str) -> Callable[[Path], None]:
    """Changes the one game of a store."""

    def harm(path: Path) -> None:
        with sqlite3.connect(path) as db:
            db.execute(f"UPDATE games SET {change} WHERE number = 0")

    return harm


def without_configuration(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM meta WHERE key = 'config'")


def of_another_format(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = '9' WHERE key = 'format'")


BROKEN: list[tuple[Callable[[Path], Any], str]] = [
    (lambda path: path.write_bytes(b"no database at all" * 100), "is no tournament's store"),
    (lambda path: path.write_bytes(b""), "is no tournament's store"),
    (lambda path: path.unlink(), "No such file"),
    (with_game("returns = '{'"), "game 0: returns is not JSON"),
    (with_game("returns = '3'"), "game 0: returns: expected a list, one for each seat"),
    (with_game("returns = '[1, null]'"), "game 0: returns: expected numbers"),
    (with_game("seconds = '[[], 1]'"), "game 0: seconds: expected lists of numbers"),
    (with_game("seating = '{}'"), "game 0: returns: expected a list, one for each seat"),
    (with_game("seating = '[9, 9]'"), "game 0 is no game of this tournament"),
    (with_game("block = 1000000"), "game 0 is no game of this tournament"),
    (with_game("number = -1"), "game -1 is no game of this tournament"),
    (with_game("forfeit = 7"), "game 0: forfeit: expected a seat"),
    (without_configuration, "says nothing of its config"),
    (of_another_format, "has format 9, expected 1"),
]


@pytest.mark.parametrize(("harm", "problem"), BROKEN)
def test_broken_stores(
    harm: Callable[[Path], Any], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit status 2."""
    path = with_one_game(tmp_path)
    harm(path)
    assert cli.main(["tournament", "report", str(path)]) == 2
    error = capsys.readouterr().err
    assert problem in error and len(error.splitlines()) == 1


def test_resume_of_an_empty_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused, and stays empty."""
    path = tmp_path / "empty"
    path.touch()
    assert cli.main(["tournament", "--resume", str(path)]) == 2
    assert "is no tournament's store" in capsys.readouterr().err
    assert path.read_bytes() == b""


def test_resume_of_another_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused, and stays as it is, with nothing beside it."""
    path = tmp_path / "app.db"
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE x (a)")
    before = path.read_bytes()
    assert cli.main(["tournament", "--resume", str(path)]) == 2
    assert "is no tournament's store (no such table: meta)" in capsys.readouterr().err
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("moves", "problem"), [("{", "moves is not JSON"), ("3", "moves: expected a list of seat, action and text")]
)
def test_broken_moves(moves: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Moves are read when a game is replayed."""
    path = with_one_game(tmp_path)
    with_game(f"moves = '{moves}'")(path)
    assert cli.main(["tournament", "replay", str(path), "0"]) == 2
    error = capsys.readouterr().err
    assert f"game 0: {problem}" in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "expected a game and entrants"),
        (("niagara",), "entrants: must be given"),
        (("niagara", "scripted", "random", "--players", "9"), "players: expected a whole number from 3 to 5"),
        (("niagara", "scripted", "random", "--scheduler", "tcp://127.0.0.1:9"), "scheduler"),
        (("niagara", "scripted", "random", "--config", "absent.toml"), "absent.toml"),
        (("--resume", "absent.db"), "absent.db"),
        (("--players", "3"), "--players: it needs a game"),
        (("niagara", "scripted", "random", "--alpha", "0.1"), "--alpha: only with --sprt"),
    ],
)
def test_wrong_arguments(
    arguments: tuple[str, ...],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line, exit status 2."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["tournament", *arguments]) == 2
    assert problem in capsys.readouterr().err.splitlines()[-1]
    assert not list(tmp_path.iterdir())  # no store is begun
