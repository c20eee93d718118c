"""Games laid flat and solved: the same figures as OpenSpiel's, the worked values, and what is refused."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import discounted_cfr, exploitability

from voyageur import games
from voyageur.games.spiel import State
from voyageur.solvers import cfr, flatten

# Of OpenSpiel: poker for two and three, a bidding game, and simultaneous moves taken in turn.
FOREIGN = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(dice_sides=4)",
    "turn_based_simultaneous_game(game=goofspiel(num_cards=4,imp_info=True))",
)
Flat = flatten.Flat


def decisions(game: Any) -> dict[str, tuple[int, list[int]]]:
    """Every information set of a sequential game by its text: (fingerprint, legal actions)."""
    found, stack = {}, [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            player = state.current_player()
            found[state.information_state_string()] = (flatten.information(state, player), state.legal_actions())
        stack += [state.child(action) for action in state.legal_actions()]
    return found


def random_policy(flat: Flat, seed: int) -> np.ndarray:
    """A policy, some of whose actions are never played."""
    rng = np.random.default_rng(seed)
    weights = rng.random(len(flat.actions)) * (rng.random(len(flat.actions)) < 0.7)
    return cfr._behaviour(flat.form, weights)


def table(flat: Flat, policy: np.ndarray, game: Any) -> dict[str, list[tuple[int, float]]]:
    """A policy as OpenSpiel takes it."""
    place = {int(key): i for i, key in enumerate(flat.keys)}
    found = {}
    for text, (key, legal) in decisions(game).items():
        start, end = flat.form.first[place[key]], flat.form.first[place[key] + 1]
        assert flat.actions[start:end].tolist() == legal
        found[text] = list(zip(legal, policy[start:end].tolist(), strict=True))
    return found


@pytest.mark.parametrize("name", FOREIGN)
def test_same_figures_as_openspiel(name: str) -> None:
    """NashConv and expected returns of arbitrary policies, to 1e-9."""
    game = pyspiel.load_game(name)
    flat = flatten.flatten(game)
    for seed in range(3):
        policy = random_policy(flat, seed)
        theirs = table(flat, policy, game)
        assert cfr.nash_conv(flat, policy) == pytest.approx(pyspiel.nash_conv(game, theirs), abs=1e-9)
        values = pyspiel.expected_returns(game.new_initial_state(), pyspiel.TabularPolicy(theirs), -1, True)
        assert cfr.expected(flat, policy) == pytest.approx(values, abs=1e-9)
        if flat.players == 2:
            found = pyspiel.exploitability(game, theirs)
            assert cfr.exploitability(flat, policy) == pytest.approx(found, abs=1e-9)


def in_step(theirs: Any, ours: cfr.Cfr) -> Iterator[tuple[Any, float]]:
    """After every third iteration: the average policy of OpenSpiel's solver, and the NashConv of that of ours."""
    for _ in range(4):
        for _ in range(3):
            theirs.evaluate_and_update_policy()
        ours.run(3)
        yield theirs.average_policy(), cfr.nash_conv(ours.flat, ours.average_policy())


@pytest.mark.parametrize("name", ["leduc_poker", "kuhn_poker(players=3)"])
@pytest.mark.parametrize(("variant", "solver"), [("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)])
def test_same_iterations_as_openspiel(name: str, variant: str, solver: Any) -> None:
    """Each iteration leads to the average policy of OpenSpiel's C++ solver."""
    game = pyspiel.load_game(name)
    for policy, found in in_step(solver(game), cfr.Cfr(flatten.flatten(game), cfr.VARIANTS[variant])):
        assert found == pytest.approx(pyspiel.nash_conv(game, policy), abs=1e-9)


@pytest.mark.parametrize("name", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_same_iterations_as_openspiel_with_discounts(name: str) -> None:
    """Likewise, of its solver in Python."""
    game = pyspiel.load_game(name)
    theirs, ours = discounted_cfr.DCFRSolver(game), cfr.Cfr(flatten.flatten(game), cfr.VARIANTS["dcfr"])
    for policy, found in in_step(theirs, ours):
        assert found == pytest.approx(exploitability.nash_conv(game, policy), abs=1e-9)


def test_best_responses_are_worth_what_they_say() -> None:
    """Playing a best response against the policy that it answers earns its value."""
    flat = flatten.flatten(pyspiel.load_game("leduc_poker"))
    policy = random_policy(flat, 5)
    gain = 0.0
    for player in range(2):
        value, answer = cfr.best_response(flat, policy, player)
        assert cfr.expected(flat, answer)[player] == pytest.approx(value, abs=1e-12)
        gain += value
    assert cfr.nash_conv(flat, policy) == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize("variant", cfr.VARIANTS)
@pytest.mark.parametrize("alternating", [True, False])
def test_every_variant_finds_the_equilibrium(variant: str, alternating: bool) -> None:
    """Kuhn poker is worth -1/18 to the first player."""
    flat = flatten.flatten(pyspiel.load_game("kuhn_poker"))
    v = cfr.VARIANTS[variant]
    solver = cfr.Cfr(flat, cfr.Variant(v.positive, v.negative, v.predictive, v.averaging, alternating))
    solver.run(2000)
    policy = solver.average_policy()
    assert cfr.expected(flat, policy) == pytest.approx([-1 / 18, 1 / 18], abs=5e-3)
    assert cfr.nash_conv(flat, policy) < 2e-2


@pytest.mark.cases("yellowhouse", "value")
def test_yellowhouse_values(case: dict[str, Any]) -> None:
    """The worked values of reduced rounds to 1e-4, in as many information sets and ends as were counted."""
    flat = flatten.flatten(games.load("yellowhouse", **case["params"]))
    assert np.diff(flat.form.infos).tolist() == case["information_states"]
    assert flat.histories == case["terminal_histories"]
    solver, found = cfr.solve(flat, cfr.VARIANTS["pcfr+"], 2000, 1e-4, lambda done, gap: None)
    assert found <= 1e-4
    assert cfr.expected(flat, solver.average_policy())[0] == pytest.approx(case["value"], abs=1e-4)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("voyageur_kuhn_poker", "kuhn_poker"),
        (
            "voyageur_goofspiel(num_cards=4,imp_info=true)",
            "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
        ),
        (
            "voyageur_goofspiel(num_cards=3,imp_info=true,sequential=true,points_order=random)",
            "goofspiel(num_cards=3,imp_info=True)",
        ),
    ],
)
def test_own_rules_give_the_game_of_openspiel(name: str, theirs: str) -> None:
    """Walked by compiled rules or by states, a game has the same sets, and the same iterations."""
    found = []
    for text in (name, theirs):
        flat = flatten.flatten(pyspiel.load_game(text))
        solver = cfr.Cfr(flat, cfr.VARIANTS["cfr+"])
        solver.run(10)
        gap = cfr.nash_conv(flat, solver.average_policy())
        found.append((*np.diff(flat.form.infos).tolist(), round(gap, 9), *cfr.expected(flat, solver.policy).round(9)))
    assert found[0] == found[1]


def test_what_a_player_knows(game: games.Game, some_states: Any) -> None:
    """States are told apart by the fingerprint of a seat's knowledge just where its text tells them apart."""
    texts: dict[str, int] = {}
    fingerprints: dict[int, str] = {}
    states: list[State] = some_states(game, 20)
    for state in states:
        for player in range(game.num_players()):
            text, key = state.information_state(player), flatten.information(state, player)
            assert texts.setdefault(text, key) == key
            assert fingerprints.setdefault(key, text) == text


def test_refused_when_it_does_not_fit() -> None:
    """A whole round of The Yellow House is refused with the numbers, and so is a game of OpenSpiel."""
    game = games.load("yellowhouse", scope="round", first_leader=0)
    with pytest.raises(flatten.OutOfMemory, match=r"does not fit: after [\d,]+ histories it needs at least 0\.\d GB"):
        flatten.flatten(game, memory=10**8)
    with pytest.raises(flatten.OutOfMemory, match=r"and 0\.0 GB may be used$"):
        flatten.flatten(pyspiel.load_game("liars_dice"), memory=10**6)


def test_refused_without_perfect_recall() -> None:
    """OpenSpiel's goofspiel with open bids does not tell a player in which order it bid."""
    with pytest.raises(ValueError, match="no perfect recall"):
        flatten.flatten(pyspiel.load_game("goofspiel(num_cards=4,points_order=descending)"))


def test_interrupted() -> None:
    """Ctrl-C keeps what was done."""
    flat = flatten.flatten(pyspiel.load_game("kuhn_poker"))

    def report(done: int, gap: float) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    solver, found = cfr.solve(flat, cfr.VARIANTS["cfr+"], 1000, 0.0, report)
    assert solver.iterations == 4
    assert found == cfr.nash_conv(flat, solver.average_policy())
