"""What the companion thinks: what may come of a move, ahead of time, and after the game."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from voyageur import games, solvers
from voyageur.eval import analysis
from voyageur.eval.outlook import outlook
from voyageur.eval.record import POSITION, Event, Header
from voyageur.eval.session import Session
from voyageur.eval.thinking import Effort, Thinker
from voyageur.games.following import Known

# Ann holds one card, and may claim it to win the match; if she passes, Bob leads his last card.
LAST: dict[str, Any] = {
    "game": "yellowhouse",
    "round": 5,
    "phase": "play",
    "leader": 1,
    "to_act": 0,
    "viewer": 0,
    "players": [
        {"hand": {"Y": 1}, "out": {"R": 3, "V": 4, "G": 4}, "palette": ["R", "Y"]},
        {"hand": 1, "out": {"R": 3, "V": 3, "G": 1, "Y": 4}, "palette": ["G", "Y"]},
    ],
    "rows": {"R": 2, "V": 3, "G": 4, "Y": 5},
    "trick": [[1, "R"]],
}
QUICK = Effort(limit=solvers.Limit(nodes=200))


def table(*texts: tuple[int, str]) -> Session:
    session = Session(Header("yellowhouse", ("Ann", "Bob"), 0))
    session.enter(Event(POSITION, json.dumps(LAST)))
    for event in texts:
        session.enter(Event(*event))
    return session


def test_a_win_thrown_away_is_found(tmp_path: Path):
    found = analysis.analyze(table((0, "pass"), (1, "claim G")), QUICK)
    (decision,) = found.decisions
    assert (decision.entry, decision.played, decision.best) == (2, "pass", "claim Y")
    assert decision.value is not None and decision.value <= -0.5  # proved to lose, not by how much
    assert (decision.best_value, decision.loss, decision.sure) == (1.0, 1.0 - decision.value, True)
    assert [(answer.seat, answer.value) for answer in decision.fears] == [(1, -1.0)]
    assert found.worst() == [decision] and found.returns == [-1.0, 1.0]
    assert json.loads(json.dumps(found.to_dict()))["worst"] == [2]
    for name, start in (("plot.svg", b"<?xml"), ("plot.png", b"\x89PNG")):
        analysis.plot(found, tmp_path / name)
        drawn = (tmp_path / name).read_bytes()
        assert drawn.startswith(start)
        analysis.plot(found, tmp_path / name)
        assert (tmp_path / name).read_bytes() == drawn
    with pytest.raises(ValueError, match="xyz"):
        analysis.plot(found, tmp_path / "plot.xyz")


def test_ctrl_c_keeps_whole_decisions(monkeypatch: pytest.MonkeyPatch):
    """One that it cut short is not taken for a whole one."""

    def stop(done: int, part: float) -> None:
        raise KeyboardInterrupt

    session = table((0, "pass"), (1, "claim G"))
    found = analysis.analyze(session, QUICK, stop)
    assert found.interrupted and [decision.entry for decision in found.decisions] == [2]
    whole = Effort.advise
    monkeypatch.setattr(Effort, "advise", lambda *of: replace(whole(*of), interrupted=True))
    found = analysis.analyze(session, QUICK)
    assert found.interrupted and not found.decisions


def test_a_win_taken_loses_nothing():
    found = analysis.analyze(table((0, "claim Y")), QUICK)
    assert [(decision.loss, decision.sure, decision.fears) for decision in found.decisions] == [(0.0, False, [])]
    assert found.worst() == [] and found.returns == [1.0, -1.0]


def test_a_solver_without_values_compares_nothing():
    with pytest.raises(ValueError, match="scripted tells no values"):
        analysis.analyze(table((0, "pass")), Effort("scripted", solvers.Limit(nodes=1)))


def test_the_worst_are_those_that_lost_most():
    made = [
        analysis.Decision(n, "a", 0.0, "b", loss, loss, False, [], [], [0.0, 0.0], 2)
        for n, loss in enumerate([0.2, 0.0, 0.5, 0.2, 0.1])
    ]
    found = analysis.Analysis("yellowhouse", ("Ann", "Bob"), 0, made, None)
    assert [decision.entry for decision in found.worst()] == [2, 0, 3]
    assert len(found.worst(9)) == 4


def test_what_may_come_of_a_move():
    view = games.view_from(LAST)
    by_text = {move.text: move for move in view.moves()}
    won = outlook(view, by_text["claim Y"], worlds=3, nodes=20)
    assert (won.value, won.low, won.high, won.answers) == (1.0, 1.0, 1.0, [])
    lost = outlook(view, by_text["pass"], worlds=3, nodes=20)
    assert lost.value == -1.0
    assert sum(answer.times for answer in lost.answers) == 3
    assert all(answer.seat == 1 and answer.text.startswith("claim") for answer in lost.answers)


def test_what_may_come_of_a_choice_made_at_once():
    view = games.view_from(games.position_of(games.state_from({"game": "niagara", "players": [{}, {}, {}]}), 1))
    seen = outlook(view, view.moves()[2], seed=1, worlds=3, nodes=30)
    assert 0.0 <= seen.low <= seen.value <= seen.high <= 1.0
    assert all(answer.seat == 0 for answer in seen.answers)  # who acts first
    again = outlook(view, view.moves()[2], seed=1, worlds=3, nodes=30)
    assert seen == again


def test_thought_ahead_is_there_at_once():
    mine = Known.at(LAST, 0)
    thinker = Thinker(QUICK)
    thinker.start(mine)
    assert thinker._thread is not None
    thinker._thread.join()
    assert (
        thinker.advise(mine.view, progress=lambda done, part: pytest.fail("searched again")).moves[0].text == "claim Y"
    )


def test_thinking_ahead_of_decisions_that_may_come():
    mine = Known.at(LAST, 0).after(0, "pass")
    thinker = Thinker(QUICK)
    thinker.start(mine)  # Bob leads his last card: nothing is left to decide
    assert thinker._thread is not None
    thinker._thread.join()
    assert not thinker._found
    game = games.load("niagara", players=3, first_player=1)
    known = Known.start(game, 0).after(0, "card 3").after(1, "shows card 2")
    thinker = Thinker(Effort(limit=solvers.Limit(nodes=20)))
    thinker.start(known)
    assert thinker._thread is not None
    thinker._thread.join()
    assert thinker._found
    for key in thinker._found:
        position = json.loads(key)
        assert position["viewer"] == 0 and position["players"][0]["played"] == 3


def test_thinking_ahead_stops():
    mine = Known.at({"game": "niagara", "viewer": 0, "players": [{}, {}, {}]}, 0)
    thinker = Thinker(Effort(limit=solvers.Limit(nodes=10**11)))
    thinker.start(mine)
    assert thinker._thread is not None
    thinker.stop()
    thinker._thread.join()
    assert not thinker._found
