"""The benchmark's shape: what it measures and how it is told. No figure is judged here."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from voyageur.cli import main as cli
from voyageur.eval import bench, workloads
from voyageur.eval.bench import Bench, Comparison, Start


@pytest.fixture
def made_up() -> Bench:
    """A benchmark with figures that are easy to follow."""
    return Bench(
        comparisons=[Comparison("A against B", "a", "b", [20.0, 3000.0, 60.0], [10.0, 1000.0, 20.0], [8.0], [2.0])],
        starts=[Start("chess", [0.5, 0.4], [1.0, 1.2], [9.0, 8.0])],
        bytes_per_entry={"chess": 99.6},
        microseconds_per_action={"chess": 0.456},
    )


def test_ratios(made_up: Bench) -> None:
    """Ours over the other's, round by round, of wall-clock and of processor time."""
    (comparison,) = made_up.comparisons
    assert comparison.ratios() == [2, 3, 3]
    assert comparison.ratios(processor=True) == [4]
    assert made_up.starts[0].ratios() == pytest.approx([2, 3])


def test_to_dict(made_up: Bench) -> None:
    """Everything measured and the ratios, fit for JSON."""
    found = json.loads(json.dumps(made_up.to_dict()))
    assert found["comparisons"] == [
        {
            "name": "A against B",
            "ours": "a",
            "other": "b",
            "ours_rates": [20, 3000, 60],
            "other_rates": [10, 1000, 20],
            "ours_processor": [8],
            "other_processor": [2],
            "ratios": [2, 3, 3],
            "processor_ratios": [4],
        }
    ]
    (start,) = found["starts"]
    assert start.pop("ratios") == pytest.approx([2, 3])
    assert start == {"game": "chess", "imports": [0.5, 0.4], "warm": [1, 1.2], "cold": [9, 8]}
    assert found["bytes_per_entry"] == {"chess": 99.6}
    assert found["microseconds_per_action"] == {"chess": 0.456}


def test_tables(made_up: Bench) -> None:
    """Medians with the least and the greatest."""
    rates, starts, games = made_up.tables()
    assert rates[2] == [
        ("A against B", "60 (20 to 3,000)", "20 (10 to 1,000)", "3.00 (2.00 to 3.00)", "4.00 (4.00 to 4.00)")
    ]
    assert starts[2] == [
        ("chess", "0.45 (0.40 to 0.50)", "1.10 (1.00 to 1.20)", "2.50 (2.00 to 3.00)", "8.50 (8.00 to 9.00)")
    ]
    assert games[2] == [("chess", "100", "0.46")]
    for _, headings, rows in made_up.tables():
        assert {len(row) for row in rows} == {len(headings)}


@pytest.mark.parametrize("name", workloads.WORKLOADS)
def test_workloads(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each one runs, and prints one line with what it did and what that took."""
    workloads.main(name, 2)
    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert found.keys() == {"count", "wall", "processor"}
    assert found["count"] == 2 and found["wall"] > 0 and found["processor"] >= 0


def test_every_comparison_is_of_workloads_that_there_are() -> None:
    """By name; every workload is used."""
    used = {name for _, ours, _, other, _ in bench._COMPARISONS for name in (ours, other)}
    assert used == set(workloads.WORKLOADS)


@pytest.fixture
def tiny_bench(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """One comparison of a few simulations; processes are started without being timed, and noted."""
    started: list[Any] = []

    def noted(command: list[str], position: str, environment: dict[str, str] | None = None) -> float:
        started.append((command, environment))
        return float(len(started))

    comparison = ("ours against theirs", "connect-four", 300, "connect-four-cpp", 200)
    monkeypatch.setattr(bench, "_COMPARISONS", (comparison,))
    monkeypatch.setattr(bench, "_seconds", noted)
    return started


def test_search(tiny_bench: list[Any]) -> None:
    """A round measures both sides of each comparison, both starts, the memory of an entry and the time of an action."""
    told: list[tuple[int, float]] = []
    measured = bench.search(1, lambda done, part: told.append((done, part)))
    (comparison,) = measured.comparisons
    assert (comparison.ours, comparison.other) == ("connect-four", "connect-four-cpp")
    for rates in (comparison.ours_rates, comparison.other_rates, comparison.ours_processor, comparison.other_processor):
        assert len(rates) == 1 and rates[0] > 0
    assert [start.game for start in measured.starts] == list(workloads.MIDDLES)
    assert all([len(start.imports), len(start.warm), len(start.cold)] == [1, 1, 1] for start in measured.starts)
    folders = [environment["NUMBA_CACHE_DIR"] for _, environment in tiny_bench if environment]
    assert len(folders) == len(measured.starts)  # only the cold start has a cache folder of its own
    assert measured.bytes_per_entry.keys() == {workloads.CONNECT_FOUR, *workloads.MIDDLES}
    assert all(20 < size < 2000 for size in measured.bytes_per_entry.values())
    assert measured.microseconds_per_action.keys() == measured.bytes_per_entry.keys()
    assert all(taken > 0 for taken in measured.microseconds_per_action.values())
    jobs = 1 + len(workloads.MIDDLES)
    assert told == [(done, pytest.approx(done / jobs)) for done in range(1, jobs + 1)]
    json.dumps(measured.to_dict())


def test_a_workload_that_fails() -> None:
    """Its last words are in the error."""
    with pytest.raises(RuntimeError, match="KeyError"):
        bench._measure("chess", 1)


@pytest.mark.parametrize("arguments", ((), ("--json",)))
def test_bench_command(
    arguments: tuple[str, ...], made_up: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`voyageur bench search` prints what was measured, for people or as JSON only."""
    asked: list[int] = []

    def measure(rounds: int, progress: Callable[[int, float], None]) -> Bench:
        asked.append(rounds)
        progress(1, 1.0)
        return made_up

    monkeypatch.setattr(bench, "search", measure)
    assert cli.main(["bench", "search", "--rounds", "2", *arguments]) == 0
    out, err = capsys.readouterr()
    assert (asked, err) == ([2], "")
    if arguments:
        assert json.loads(out) == json.loads(json.dumps(made_up.to_dict()))
    else:
        for title, _, _ in made_up.tables():
            assert title in out
