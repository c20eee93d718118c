"""The benchmark of solvers: what it measures, and how it is told."""

import json

import pytest

from voyageur.cli import main as cli
from voyageur.eval import cfr_bench
from voyageur.eval.cfr_bench import CPP, OURS, CfrBench, Measured


@pytest.fixture
def made_up() -> CfrBench:
    """Ours is twice, five and four times as fast."""
    ours = Measured("Leduc poker", OURS, [200.0, 500.0, 400.0], [100.0, 100.0, 100.0], [1.0, 2.0, 3.0], 100, 0.0125)
    theirs = Measured("Leduc poker", CPP, [100.0, 100.0, 100.0], [50.0, 20.0, 10.0], [0.1, 0.1, 0.1], 100, 0.0125)
    return CfrBench([ours, theirs], {"Leduc poker": 800})


def test_tables(made_up: CfrBench) -> None:
    """Medians, with the least and the greatest; seconds are iterations needed over the rate."""
    speed, setup = made_up.tables()
    assert speed[2] == [
        ("Leduc poker", OURS, "400", "", "", "0.012500", "2.000"),
        ("Leduc poker", CPP, "100", "4.00 (2.00 to 5.00)", "5", "0.012500", "8.000"),
    ]
    assert setup[2][0] == ("Leduc poker", OURS, "2.00 (1.00 to 3.00)")
    for _, headings, rows in made_up.tables():
        assert {len(row) for row in rows} == {len(headings)}


def test_to_dict(made_up: CfrBench) -> None:
    """Round by round."""
    found = json.loads(json.dumps(made_up.to_dict()))
    assert found["measured"][1]["ratios"] == [2.0, 5.0, 4.0]
    assert found["measured"][1]["processor_ratios"] == [2.0, 5.0, 10.0]


def test_measure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each solver is measured in turn, and all have the same exploitability after the same iterations."""
    game = "Leduc poker"
    monkeypatch.setattr(cfr_bench, "COUNTS", {game: {OURS: 20, CPP: 2}})
    monkeypatch.setattr(cfr_bench, "CHECK", {game: 3})
    monkeypatch.setattr(cfr_bench.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(cfr_bench.bench, "_json", lambda command: run(command[3:], capsys))
    told: list[float] = []
    found = cfr_bench.measure(2, lambda done, part: told.append(part))
    assert [(m.solver, len(m.rates), len(m.setup)) for m in found.measured] == [(OURS, 2, 2), (CPP, 2, 2)]
    assert found.measured[0].exploitability == pytest.approx(found.measured[1].exploitability, abs=1e-9)
    assert found.needed[game] > 100
    assert told == [0.25, 0.5, 0.75, 1.0]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """A measurement in this process."""
    solver, game, check, count = arguments
    cfr_bench.main(solver, game, int(check or 0), int(count))
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_command(made_up: CfrBench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`voyageur bench cfr` prints what was measured."""
    monkeypatch.setattr(cfr_bench, "measure", lambda rounds, progress: made_up)
    assert cli.main(["bench", "cfr", "--rounds", "2"]) == 0
    assert "2.00 (1.00 to 3.00)" in capsys.readouterr().out
