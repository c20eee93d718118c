"""Endings that are proved, against plain minimax over the same rules.

With `--thorough`, and `-s` to see the figures, sampled intervals are compared with 500 proofs instead of 60.
"""

import functools
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from voyageur import games, solvers
from voyageur.games.spiel import State
from voyageur.solvers import Advice, Limit, proof, registry
from voyageur.solvers.advice import from_result
from voyageur.solvers.proof import Prover, provable, prove_within
from voyageur.solvers.search import SearchOptions, root_moves, search

Advise = Callable[..., Advice]


def minimax(state: State, seat: int, known: dict[bytes, float]) -> float:
    """What `seat` gets under best play of both."""
    key = state.box.record.tobytes()
    if key not in known:
        if state.is_terminal():
            known[key] = state.returns()[seat]
        else:
            values = [minimax(state.child(action), seat, known) for action in state.legal_actions()]
            known[key] = max(values) if state.current_player() == seat else min(values)
    return known[key]


def random_states(name: str, plies: tuple[int, int], number: int) -> list[State]:
    """Unfinished states of random games, so many plies on."""
    game, rng, found = games.load(name), np.random.default_rng(1), []
    while len(found) < number:
        state = game.new_initial_state()
        for _ in range(rng.integers(*plies)):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            found.append(state)
    return found


@pytest.mark.parametrize(
    "name, plies, number", [("voyageur_tic_tac_toe", (0, 8), 80), ("voyageur_connect_four", (32, 41), 40)]
)
def test_values_and_best_moves(name: str, plies: tuple[int, int], number: int, advise: Advise) -> None:
    """The best value, and which moves keep it, are those of minimax; bounds hold what every move is worth."""
    known: tuple[dict[bytes, float], ...] = ({}, {})
    seen = set()
    for state in random_states(name, plies, number):
        seat = state.current_player()
        worth = {
            state.action_to_string(seat, action): minimax(state.child(action), seat, known[seat])
            for action in state.legal_actions()
        }
        best = max(worth.values())
        found = advise(state, seconds=20, solver="mcts")
        assert found.kind == "exact"
        assert found.values is not None and found.values[seat] == best == -found.values[1 - seat]
        assert [move.share for move in found.moves] == [1.0] + [0.0] * (len(worth) - 1)
        for move in found.moves:
            assert move.low is not None and move.high is not None
            assert move.low <= worth[move.text] <= move.high
            assert (move.low == best) == (worth[move.text] == best)
        seen.add(best)
    assert seen == {-1.0, 0.0, 1.0}


def test_intervals_hold_what_moves_are_worth(pytestconfig: pytest.Config, advise: Advise) -> None:
    """Of moves advised by sampling alone, the 95 % intervals of nine in ten hold what the moves are worth."""
    number, held, errors, widths = 500 if pytestconfig.getoption("--thorough") else 60, 0, [], []
    for seed, state in enumerate(random_states("voyageur_connect_four", (24, 36), number)):
        seat = state.current_player()
        view = games.view_of(state, seat)
        result = search(view, root_moves(view), Limit(nodes=1000), SearchOptions(), seed)
        found = from_result(view, "mcts", result, top=1).moves[0]
        after = state.child(found.actions[0])
        values = after.returns() if after.is_terminal() else advise(after, seconds=20, solver="mcts").values
        assert values is not None and found.value is not None and found.low is not None and found.high is not None
        held += found.low <= values[seat] <= found.high
        errors.append(abs(found.value - values[seat]))
        widths.append(found.high - found.low)
    print(f"{held} of {number} hold; mean error {np.mean(errors):.3f}, mean width {np.mean(widths):.3f}")
    assert held >= 0.9 * number
    assert np.mean(errors) > 0.02  # else there would be nothing to be unsure of
    assert np.mean(widths) < 0.5  # of 2


def test_nodes_are_still_searched(advise: Advise) -> None:
    """A limit of simulations means that many, also where the ending is proved; the answer is repeatable."""
    (state,) = random_states("voyageur_tic_tac_toe", (5, 6), 1)
    one, other = (advise(state, nodes=5_000, seed=3) for _ in range(2))
    assert one.kind == "exact"
    assert one.simulations == sum(move.visits for move in one.moves) == 5_000
    assert one.to_dict() == other.to_dict()


def test_what_is_not_proved_is_sampled(advise: Advise) -> None:
    """Too few states to look at, or hidden cards: no word of a proof, however small what is left may be."""
    start = games.load("voyageur_connect_four").new_initial_state()
    assert advise(start, nodes=200).kind == "sampled"
    dealt = games.load("voyageur_kuhn_poker").new_initial_state()
    dealt.apply_action(0)
    dealt.apply_action(1)
    assert not provable(games.view_of(dealt, 0))
    assert advise(dealt, player=0, nodes=200, endings=0).kind == "sampled"
    assert not provable(games.view_of(games.load("voyageur_goofspiel").new_initial_state(), 0))
    assert not provable(games.view_of(games.load("niagara").new_initial_state(), 0))


def test_a_proof_goes_on_where_it_stopped() -> None:
    """Many small budgets find what one large one finds."""
    (state,) = random_states("voyageur_connect_four", (30, 31), 1)
    arguments = (state.game, state.box.record, state.current_player())
    small, large = Prover(*arguments), Prover(*arguments)
    while not small.proof.solved:
        before = small.visited
        small.run(500)
        assert before < small.visited <= before + 600
    large.run(10_000_000)
    assert large.proof.solved and not large.exhausted
    assert large.proof.best == small.proof.best
    assert ((large.proof.low == large.proof.best) == (small.proof.low == small.proof.best)).all()


def test_limits() -> None:
    """States in proportion to the simulations of a limit, and not much more."""
    start = games.load("voyageur_connect_four").new_initial_state()
    prover = Prover(start.game, start.box.record, 0)
    assert not prove_within(prover, Limit(nodes=1_000)).solved
    assert 4_000 <= prover.visited < 4_200


def test_bots_play_what_is_proved() -> None:
    """A bot makes the one move that wins."""
    state = games.load("voyageur_connect_four").new_initial_state()
    for action in (3, 0, 3, 0, 3, 0):  # three in a column each, first to move
        state.apply_action(action)
    bot = solvers.make_bot("mcts", state.game, 0, Limit(seconds=5), seed=1)
    assert bot.step(state) == 3


def test_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    """A proof is told as one."""
    from voyageur.cli import tables

    (state,) = random_states("voyageur_tic_tac_toe", (5, 6), 1)
    found: Any = solvers.advise(state, limit=Limit(seconds=5), top=None)
    tables.print_advice(found)
    text = capsys.readouterr().out
    assert "Proved:" in text and "proved" in text and "Sure?" not in text and "untried" not in text


def test_how_many_are_equally_good(capsys: pytest.CaptureFixture[str]) -> None:
    """Not more is said than is known of the moves that are not shown."""
    from voyageur.cli import tables

    state = games.load("voyageur_tic_tac_toe").new_initial_state()
    for action in (0, 4, 8):  # opposite corners: any side draws, either corner loses
        state.apply_action(action)
    for top, told in ((None, "4 moves"), (2, "2 or more moves"), (1, "no other move is better")):
        tables.print_advice(solvers.advise(state, limit=Limit(nodes=500), top=top))
        assert f"Proved: {told}" in capsys.readouterr().out


def test_warming_up_compiles_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ending with nothing hidden may come in a game that hides something; it is not to be waited for then."""
    met = []
    monkeypatch.setattr(proof, "prove", lambda *arguments: met.append(arguments) or proof.UNKNOWN)
    for name in ("yellowhouse", "voyageur_goofspiel"):
        state = games.load(name, **({"first_leader": 0} if name == "yellowhouse" else {})).new_initial_state()
        view = games.view_of(games.positions.rolled(state, np.random.default_rng(0)), 0)
        registry.SOLVERS["ismcts"].warm_up(view, {})
        assert met.pop()[2] == 0 and not met


@pytest.mark.cases("virta", "solve")
def test_solve_cases(case: dict[str, Any]) -> None:
    """The worked cases: the value that the player can force, and all first decisions that keep it."""
    state = games.state_from(case["position"])
    found = solvers.advise(state, solver="mcts", limit=Limit(seconds=60), top=None)
    assert found.kind == "exact"
    assert found.moves[0].value == case["value"]
    after = {move.text: games.position_of(move.after()) for move in games.moves(state)}
    kept = [after[move.text] for move in found.moves if move.low == case["value"]]
    key = functools.partial(json.dumps, sort_keys=True)
    assert sorted(kept, key=key) == sorted(case["best"], key=key)


@pytest.mark.cases("yellowhouse", "solve")
def test_open_endings(case: dict[str, Any]) -> None:
    """The worked cases with open hands: who wins, and all moves that do."""
    state = games.state_from(case["position"])
    player, wins = case["player"], case["winner"] == case["player"]
    found = solvers.solve_open(state)
    assert found.kind == "exact" and found.player == player and found.moves[0].value == (1 if wins else -1)
    after = {move.text: games.position_of(move.after()) for move in games.moves(state)}
    assert len(found.moves) == found.of == len(after)
    winning = [after[move.text] for move in found.moves if move.low == 1]
    key = functools.partial(json.dumps, sort_keys=True)
    assert sorted(winning, key=key) == sorted(case["winning"], key=key)


def test_what_is_no_open_ending() -> None:
    """Nobody's decision, everybody's, too many players, too long: one line each."""
    match, three = games.load("yellowhouse"), games.load("virta", players=3).new_initial_state()
    while three.is_chance_node():
        three.apply_action(three.legal_actions()[0])
    for state, message in (
        (match.new_initial_state(), "decision of one seat"),
        (games.load("voyageur_goofspiel").new_initial_state(), "decision of one seat"),
        (three, "two players"),
        (games.load("voyageur_connect_four").new_initial_state(), "not solved"),
    ):
        with pytest.raises(ValueError, match=message):
            solvers.solve_open(state, Limit(nodes=50))


def test_a_rare_world_is_a_world() -> None:
    """Nine cards of one element have been played by the other seat, whose tenth is one of 200 times in 201 another."""
    params = {"elements": 2, "copies": 20, "hand": 10, "exchange": 0, "scope": "round"}
    other = {"hand": 1, "out": {"R": 0, "V": 9}}
    position = {"game": "yellowhouse", "params": params, "round": 1, "phase": "play", "leader": 0, "to_act": 0,
                "viewer": 0, "players": [{"hand": {"R": 0, "V": 10}}, other]}  # fmt: skip
    view = games.view_from(position)
    hands = {
        json.dumps(games.position_of(state)["players"][1]["hand"])
        for state in view.states(2000, np.random.default_rng(1))
    }
    assert len(hands) == 2
    assert not provable(view)
