"""`voyageur solve` on the command line."""

import json
from pathlib import Path

import pytest

from voyageur import games
from voyageur.cli import main as cli
from voyageur.solvers import policies


def test_solve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The policy goes to the file, the plot beside it, the figures to standard output."""
    path, picture = tmp_path / "kuhn.policy", tmp_path / "kuhn.svg"
    pytest.importorskip("matplotlib")
    arguments = ["solve", "kuhn_poker", "-o", str(path), "--nashconv", "0.01", "--plot", str(picture), "--json"]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["nash_conv"] <= 0.01
    assert found["values"] == pytest.approx([-1 / 18, 1 / 18], abs=0.01)
    assert "6 + 6 information sets" in printed.err
    header = policies.read(path).header
    assert (header.nash_conv, header.iterations) == (found["nash_conv"], found["iterations"])
    assert picture.read_bytes().startswith(b"<?xml")


def test_several_players(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With three players nothing is promised, and that is said."""
    arguments = ["solve", "kuhn_poker", "--param", "players=3", "-o", str(tmp_path / "k"), "--iterations", "10"]
    assert cli.main(arguments) == 0
    assert "nothing promises an equilibrium" in capsys.readouterr().err


SAMPLED = ["voyageur_kuhn_poker", "--sampling", "external"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "game: unknown game 'nosuch'; ours are"),
        (["kuhn_poker", "--param", "players"], "--param: expected NAME=VALUE"),
        (["kuhn_poker", "--param", "cards=3"], "cards: kuhn_poker has no such parameter; it has players"),
        (["leduc_poker(players=3)", "--param", "players=3"], "--param: the game says its parameters already"),
        (["leduc_poker", "--param", "players=two"], "players: expected a value like 2, got 'two'"),
        (["yellowhouse", "--param", "hand=99"], "hand: expected a whole number"),
        (["yellowhouse", "--param", "scope=round", "--memory", "0.1"], "does not fit"),
        (["kuhn_poker", "--plot", "x.txt"], "--plot: expected a file that ends in .svg"),
        (["kuhn_poker", "--plot", "nowhere/x.svg"], "--plot: cannot write to 'nowhere/x.svg'"),
        ([*SAMPLED, "--checkpoint", "nowhere/x"], "--checkpoint: cannot write to 'nowhere/x'"),
        ([*SAMPLED, "--nashconv", "1"], "--nashconv: only without --sampling"),
        ([*SAMPLED, "--memory", "100000"], "--memory: expected at most the "),
        ([*SAMPLED, "--threads", "1000"], "threads: expected a whole number from 1 to 256, got 1000"),
        (["kuhn_poker", "--seconds", "1"], "--seconds: only with --sampling"),
        (["kuhn_poker", "--checkpoint", "x"], "--checkpoint: only with --sampling"),
        (["kuhn_poker", "-o", "nowhere/x"], "-o: cannot write to 'nowhere/x'"),
        (["kuhn_poker", "--nashconv", "0"], "expected a number above 0"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One line on standard error, status 2, and no file."""
    path = tmp_path / "out.policy"
    try:
        status = cli.main(["solve", "-o", str(path), *arguments])
    except SystemExit as error:
        status = int(str(error.code))
    printed = capsys.readouterr()
    assert status == 2
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1
    assert not path.exists()


def test_no_training_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A policy is not written in place of a checkpoint, be it this one or another."""
    path = str(tmp_path / "kuhn.training")
    arguments = ["solve", *SAMPLED, "--iterations", "40", "--checkpoint"]
    assert cli.main([*arguments, path, "-o", path]) == 2
    assert "-o: expected a file of its own" in capsys.readouterr().err
    assert cli.main([*arguments, path, "-o", str(tmp_path / "kuhn.policy")]) == 0
    for other in (["solve", "kuhn_poker"], [*arguments, str(tmp_path / "other.training")]):
        assert cli.main([*other, "-o", path]) == 2
        assert "holds a training and would be lost" in capsys.readouterr().err
    (tmp_path / "notes.txt").write_text("milk")
    assert cli.main(["solve", "kuhn_poker", "-o", str(tmp_path / "notes.txt")]) == 2
    assert "holds no policy and would be lost" in capsys.readouterr().err
    assert (tmp_path / "notes.txt").read_text() == "milk"


def test_sampling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A training goes on from its checkpoint, and its policy is that of one that was never stopped."""
    path, checkpoint = tmp_path / "kuhn.policy", tmp_path / "kuhn.training"
    arguments = ["solve", "voyageur_kuhn_poker", "--sampling", "external", "-o", str(path)]
    for iterations in ("40", "100"):
        assert cli.main([*arguments, "--iterations", iterations, "--checkpoint", str(checkpoint), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["iterations"] == int(iterations)
    resumed = path.read_bytes()
    assert cli.main([*arguments, "--iterations", "100"]) == 0
    assert path.read_bytes() == resumed
    assert "100 iterations, a policy at" in capsys.readouterr().out
    assert cli.main([*arguments, "--iterations", "150", "--checkpoint", str(checkpoint), "--threads", "2"]) == 0
    assert "150 iterations, a policy at" in capsys.readouterr().out


def test_sampling_of_other_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only our own rules are compiled."""
    assert cli.main(["solve", "kuhn_poker", "--sampling", "outcome", "-o", str(tmp_path / "x")]) == 2
    assert "only for games of ours, not for kuhn_poker" in capsys.readouterr().err


def test_hint_from_a_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hint shows the policy's mixture, and how far that is from an equilibrium."""
    path, position = str(tmp_path / "round.policy"), str(tmp_path / "round.yaml")
    game = games.load(
        "yellowhouse", scope="round", first_leader=0, elements=3, copies=2, hand=2, exchange=1, supports=1
    )
    params = [f"--param={name}={value}" for name, value in game.parameters.items() if name not in ("players",)]
    assert cli.main(["solve", "yellowhouse", *params, "-o", path, "--nashconv", "0.01"]) == 0
    state = game.new_initial_state()
    for action in (0, 1, 0, 2):
        state.apply_action(action)
    games.write(games.position_of(state, viewer=0), position)
    capsys.readouterr()
    assert cli.main(["hint", position, "--solver", f"cfr:policy={path}"]) == 0
    assert "From an equilibrium" in capsys.readouterr().out
    assert cli.main(["hint", position, "--solver", "cfr"]) == 2
    assert "policy: expected a file made by voyageur solve" in capsys.readouterr().err
