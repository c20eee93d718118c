"""Evaluations fitted to self-play: features, fit, and what is written."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import Walk, examples

from voyageur import games
from voyageur.cli.main import main
from voyageur.eval import tuning
from voyageur.games import fitted, rules
from voyageur.games.spiel import DEFINITIONS


def _figures(walk: Walk, seat: int) -> np.ndarray:
    out = np.zeros(len(walk.game.rules.features))
    rules.features(walk.s, walk.c, seat, out)
    return out


@pytest.mark.parametrize("name", games.names())
def test_every_feature_has_a_weight(name: str) -> None:
    """The weights that ship are those of the features that there are."""
    definition = DEFINITIONS[name]
    written = json.loads((Path(games.__file__).parent / name / fitted.FILE).read_text())
    assert list(written["weights"]) == list(definition.rules.features)
    assert written["log_loss"]["these weights"] < written["log_loss"]["knowing nothing"]


@given(st.sampled_from(games.names()), st.integers(0, 10_000))
@examples(30)
def test_evaluations_share_out_the_win(name: str, seed: int) -> None:
    """Wherever a playout may stop, the figures are numbers, and what the seats expect adds up as their returns do."""
    game = games.load(name)
    walk, out = Walk(game, seed, sensible=True), np.zeros(game.num_players())
    for _ in range(60):
        if walk.player() == rules.TERMINAL:
            break
        if rules.quiet(walk.s, walk.c):
            assert all(np.isfinite(_figures(walk, seat)).all() for seat in range(game.num_players()))
            rules.evaluate(walk.s, walk.c, out)
            assert out.sum() == pytest.approx(game.info.utility_sum)
            assert (out >= game.info.min_utility).all() and (out <= game.info.max_utility).all()
        walk.step()


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=4), st.integers(2, 5), st.integers(0, 1000))
@examples(10)
def test_fit_finds_the_weights(weights: list[float], players: int, seed: int) -> None:
    """Fitted to the very shares that some weights foretell, these come out, whatever the figures' scales."""
    rng, true = np.random.default_rng(seed), np.array(weights)
    scale = 10.0 ** rng.integers(-2, 3, len(true))
    figures = rng.normal(size=(3000, players, len(true))) * scale
    shares = tuning.foretold(figures, true / scale)
    group = tuning.Positions(figures, shares, shares, np.arange(3000))
    assert tuning.fit([group], scale) * scale == pytest.approx(true, abs=0.02)


def test_tune(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes weights that foretell better than nothing, the same ones again from the same seed."""
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        assert main(["tune", "yellowhouse", "--games", "300", "--seed", "3", "-o", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    found = json.loads(files[0].read_text())
    assert found["log_loss"]["these weights"] < found["log_loss"]["knowing nothing"]
    assert found["weights"]["cards, logarithm"] < 0
    shown = capsys.readouterr().out
    assert "foretold" in shown and "knowing nothing" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["voyageur_goofspiel", "-o", "w.json"], "game: expected one with an evaluation to fit (canyon, "),
        (["canyon", "-o", "/no/such/folder/w.json"], "-o: cannot write"),
        (["canyon", "-o", "w.json", "--plot", "w.txt"], "--plot: expected a file that ends in"),
    ],
)
def test_tune_refuses(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it cannot do is told in one line before anything is played."""
    monkeypatch.chdir(tmp_path)
    assert main(["tune", *arguments]) == 2
    shown = capsys.readouterr().err
    assert told in shown and shown.count("\n") == 1
    assert not list(tmp_path.iterdir())
