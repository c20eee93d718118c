"""Matches of one bot alone against others of a kind."""

import sys

import pytest

from voyageur.eval import matches, openspiel
from voyageur.eval.matches import Match
from voyageur.solvers import Limit

SCRIPTED = ("niagara", 3, "scripted", "scripted", Limit(nodes=1))


def test_interval_and_report() -> None:
    """Wilson's interval of 81 wins in 100 games, and of nothing but losses."""
    found = matches.report(Match([1.0] * 81 + [0.0] * 19, 1 / 3))
    assert (found["games"], found["wins"], found["mean"]) == (100, 81.0, 0.81)
    assert (found["low"], found["high"]) == (0.7222, 0.8749)
    assert Match([0.0] * 10, 0.5).interval() == pytest.approx((0.0, 0.2775), abs=1e-4)


def test_any_game_can_be_played_again() -> None:
    """A game depends on the seed and its number, not on the games before it; the seat rotates."""
    again = [matches.play(*SCRIPTED, 3, index) for index in range(6)]
    assert list(matches.match(*SCRIPTED, rounds=6, seed=3)) == again
    assert set(again) == {0.0, 1.0}


def test_returns_are_scaled() -> None:
    """Those of a game from -1 to 1 too, which has a number of players of its own."""
    played = [matches.play("yellowhouse", None, "scripted", "random", Limit(nodes=1), 3, index) for index in range(8)]
    assert set(played) <= {0.0, 1.0}
    assert sum(played) >= 5


@pytest.mark.parametrize("limit", [Limit(nodes=2), Limit(seconds=0.001)])
def test_openspiel_plays(limit: Limit) -> None:
    """Its own bot plays a game in turns, with either limit."""
    assert matches.play("yellowhouse", None, "ismcts", openspiel.NAME, limit, 3, 0) in (0.0, 1.0)
    game = matches.load("yellowhouse", None, "ismcts", openspiel.NAME)
    assert game.parameters["sequential"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("atlantis",), "unknown game"),
        (("niagara", "--players", "7"), "from 3 to 5"),
        (("niagara", "--others", "oracle"), "unknown 'oracle'"),
        (("niagara", "--nodes", "0"), "nodes"),
    ],
)
def test_wrong_arguments(
    arguments: tuple[str, ...], problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They end with exit status 2 and say what is wrong."""
    monkeypatch.setattr(sys, "argv", ["matches", *arguments])
    with pytest.raises(SystemExit) as ended:
        matches.main()
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err.splitlines()[-1]
