"""Searches steered from outside: stopped, reported on, restricted to some moves, and continued."""

from typing import Any

import numpy as np
import pytest

from voyageur import games, solvers
from voyageur.games import View
from voyageur.solvers import Advice, Control, Limit, Trees
from voyageur.solvers.search import KEPT_BYTES, Search

CONNECT_FOUR = "voyageur_connect_four"


@pytest.fixture
def opening() -> View:
    """The first decision of connect four."""
    return games.view_of(games.load(CONNECT_FOUR).new_initial_state(), 0)


@pytest.fixture
def exchange() -> View:
    """A gift to choose in The Yellow House: a mixture."""
    hand = {"R": 4, "V": 4, "G": 2, "Y": 2}
    return games.view_from(
        {"game": "yellowhouse", "phase": "exchange", "viewer": 0, "players": [{"hand": hand}, {"hand": 12}]}
    )


@pytest.mark.parametrize("threads", (1, 2))
def test_stop(opening: View, threads: int) -> None:
    """Once `stop` is true the search ends and keeps what it has."""
    asked: list[bool] = []

    def third_time() -> bool:
        asked.append(True)
        return len(asked) >= 3

    advice = solvers.advise(opening, limit=Limit(nodes=10**9), threads=threads, control=Control(stop=third_time))
    assert advice.interrupted and 0 < advice.simulations < 10**9
    assert advice.moves[0].visits > 0 and 3 <= len(asked) <= 4
    assert not solvers.advise(opening, limit=Limit(nodes=100), control=Control()).interrupted


def test_stop_before_it_begins(exchange: View) -> None:
    """Even then there is an answer."""
    control = Control(stop=lambda: True)
    advice = solvers.advise(exchange, limit=Limit(seconds=1000), top=None, control=control)
    assert advice.interrupted and sum(move.share for move in advice.moves) == pytest.approx(1)


def test_stop_while_proving() -> None:
    """A proof under way is stopped too."""
    state = games.load(CONNECT_FOUR).new_initial_state()
    asked: list[bool] = []

    def second_time() -> bool:
        asked.append(True)
        return len(asked) >= 2

    control = Control(stop=second_time)
    advice = solvers.advise(state, limit=Limit(seconds=100_000), control=control)
    assert advice.interrupted and advice.kind == "sampled"


@pytest.mark.parametrize("threads", (1, 2))
def test_reports(exchange: View, threads: int) -> None:
    """Reports are advice, of more and more simulations, and leave the search as it would be without."""
    reports: list[Advice] = []
    control = Control(report=reports.append, every=1e-9)
    limit = Limit(nodes=20_000)
    advice = solvers.advise(exchange, limit=limit, seed=3, threads=threads, top=2, control=control)
    done = [report.simulations for report in reports]
    assert len(done) > 2 and done == sorted(done) and done[-1] <= 20_000
    assert all(len(report.moves) == 2 and report.player == 0 for report in reports)
    assert advice.to_dict() == solvers.advise(exchange, limit=limit, seed=3, threads=threads, top=2).to_dict()


def test_reports_leave_a_canyon_search_alone() -> None:
    """Also where worlds are drawn by a table, which lines of play follow."""
    state = games.load("canyon", players=3).new_initial_state()
    rng = np.random.default_rng(1)
    while state.is_chance_node() or not games.at_decision(state) or len(games.moves(state)) < 3:
        actions = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(int(rng.choice(actions)))
    limit, control = Limit(nodes=3000), Control(report=lambda _: None, every=1e-9)
    with_reports = solvers.advise(state, limit=limit, control=control).to_dict()
    assert with_reports == solvers.advise(state, limit=limit).to_dict()


@pytest.mark.parametrize("solver", ("ismcts", "scripted", "random"))
def test_among(exchange: View, solver: str) -> None:
    """Only the moves that are left are compared, and shares add up to 1."""
    moves = exchange.moves()
    for left in (moves[:1], moves[2:5], moves):
        among = {move.actions for move in left}
        control = Control(among=among)
        advice = solvers.advise(exchange, solver=solver, limit=Limit(nodes=200), top=None, control=control)
        assert {move.actions for move in advice.moves} == among and advice.of == len(among)
        assert sum(move.share for move in advice.moves) == pytest.approx(1)
        assert {move.text for move in advice.moves} == {move.text for move in left}


def test_all_among_is_all(exchange: View) -> None:
    """A restriction that leaves everything changes nothing."""
    among = {move.actions for move in exchange.moves()}
    free, bound = (
        solvers.advise(exchange, limit=Limit(nodes=500), seed=1, control=control).to_dict()
        for control in (None, Control(among=among))
    )
    assert free == bound


def line_of_play(view: View, moves: int) -> View:
    """The view after so many moves of connect four in the first columns."""
    world = view.world()
    for i in range(moves):
        world.apply_action(world.legal_actions()[i % 3])
    return games.view_of(world, world.current_player())


def test_trees_go_on(opening: View) -> None:
    """A second search finds what the first has learnt about its position; the first answer is as without."""
    trees, limit = Trees(), Limit(nodes=20_000)
    first = solvers.advise(opening, limit=limit, seed=1, control=Control(trees=trees))
    assert first.to_dict() == solvers.advise(opening, limit=limit, seed=1).to_dict()
    (tree,) = trees.kept
    before = tree.entries
    later = line_of_play(opening, 2)
    solvers.advise(later, limit=Limit(nodes=100), seed=2, control=Control(trees=trees))
    assert trees.kept == [tree] and tree.entries > 100 + before - 1
    # Below the new root most entries are known, so that hardly any simulation ends at its first steps.
    fresh = Trees()
    solvers.advise(later, limit=Limit(nodes=100), seed=2, control=Control(trees=fresh))
    assert tree.entries - before <= fresh.kept[0].entries


def test_trees_that_go_on_count_only_new_simulations(opening: View) -> None:
    """Visits and intervals are of the search that was asked for."""
    trees = Trees()
    for moves in (0, 2, 4):
        view = line_of_play(opening, moves)
        advice = solvers.advise(view, limit=Limit(nodes=700), top=None, control=Control(trees=trees))
        assert advice.simulations == 700 and sum(move.visits for move in advice.moves) == 700
        for move in advice.moves:
            assert move.low is not None and move.value is not None and move.high is not None
            assert -1 <= move.low <= move.value <= move.high <= 1


def test_same_position_again(exchange: View) -> None:
    """A mixture that goes on from itself, time and again: its statistics begin anew, its tree does not."""
    trees = Trees()
    for i in range(4):
        advice = solvers.advise(exchange, limit=Limit(nodes=2000), seed=i, top=None, control=Control(trees=trees))
        assert advice.simulations == 2000 and sum(move.share for move in advice.moves) == pytest.approx(1)
        assert sum(move.visits for move in advice.moves) == 2000


@pytest.mark.parametrize("change", ("seat", "game", "options", "threads"))
def test_trees_of_something_else(opening: View, exchange: View, change: str) -> None:
    """What was learnt for another seat, game, option or number of threads is not used."""
    trees, limit = Trees(), Limit(nodes=200)
    solvers.advise(opening, limit=limit, control=Control(trees=trees))
    kept = list(trees.kept)
    view = {"seat": line_of_play(opening, 1), "game": exchange}.get(change, opening)
    more: dict[str, Any] = {"options": {"exploration": 0.3}, "threads": {"threads": 2}}.get(change, {})
    advice = solvers.advise(view, limit=limit, seed=4, control=Control(trees=trees), **more)
    assert not set(map(id, kept)) & set(map(id, trees.kept))
    assert advice.to_dict() == solvers.advise(view, limit=limit, seed=4, **more).to_dict()


def test_large_trees_are_not_kept(opening: View, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a bound a tree is given up, so that sessions do not grow for ever."""
    trees, limit = Trees(), Limit(nodes=200)
    solvers.advise(opening, limit=limit, control=Control(trees=trees))
    (small,) = trees.kept
    solvers.advise(opening, limit=limit, control=Control(trees=trees))
    assert trees.kept == [small] and small.size < KEPT_BYTES
    monkeypatch.setattr(Search, "size", KEPT_BYTES + 1)
    advice = solvers.advise(opening, limit=limit, control=Control(trees=trees))
    assert trees.kept == [] and advice.simulations == 200


def test_root_moves_beyond_the_arena(opening: View) -> None:
    """A tree that is rooted again and again makes room for its roots' moves."""
    trees = Trees()
    for i in range(300):
        solvers.advise(opening, limit=Limit(nodes=1), seed=i, control=Control(trees=trees))
    (tree,) = trees.kept
    assert tree.work["edges"][0] >= 300 * 7
    advice = solvers.advise(opening, limit=Limit(nodes=500), top=None, control=Control(trees=trees))
    assert sum(move.visits for move in advice.moves) == 500
