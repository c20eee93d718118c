"""Endings in equilibrium, against what is known of them otherwise."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voyageur import games, solvers
from voyageur.cli import main as cli
from voyageur.games import positions
from voyageur.games.rules import CHANCE, SIMULTANEOUS
from voyageur.games.spiel import Game, State
from voyageur.solvers import Advice, Limit, endings, flatten

Advise = Callable[..., Advice]
SMALL = {
    "scope": "round",
    "first_leader": 0,
    "elements": 3,
    "copies": 2,
    "hand": 2,
    "exchange": 1,
    "supports": 1,
    "supports_per_player": 1,
}
JACK, QUEEN, KING = range(3)
PASS = 0


def deals(state: State, chance: float = 1.0) -> Iterator[tuple[State, float]]:
    """Every way in which chance goes on from `state` to a decision, and its probability."""
    if state.current_player() != CHANCE:
        yield state, chance
        return
    for action, probability in state.chance_outcomes():
        yield from deals(state.child(action), chance * probability)


def played(game: Game, length: int, rng: np.random.Generator) -> tuple[State, list[list[int]]]:
    """A random state after so many decisions or fewer, and all that was done to come there, deals left out."""
    state, done = positions.rolled(game.new_initial_state(), rng), []
    while len(done) < length:
        before = state.clone()
        together = state.current_player() == SIMULTANEOUS
        seats = range(2) if together else [state.current_player()]
        done.append([int(rng.choice(state.legal_actions(seat))) for seat in seats])
        follow(state, done[-1])
        if state.is_terminal():
            return before, done[:-1]
    return state, done


def follow(state: State, actions: list[int]) -> None:
    """Does what a seat, or both, have done, to `state`."""
    if len(actions) == 1:
        state.apply_action(actions[0])
    else:
        state.apply_actions(actions)


def fits(state: State, done: list[list[int]]) -> bool:
    """Whether all that was done can be done from `state`, which it changes."""
    for actions in done:
        together = state.current_player() == SIMULTANEOUS
        seats = range(2) if together else [state.current_player()]
        if any(a not in state.legal_actions(seat) for seat, a in zip(seats, actions, strict=True)):
            return False
        follow(state, actions)
    return True


@settings(max_examples=25, deadline=None)
@given(length=st.integers(0, 6), seed=st.integers(0, 10**6))
def test_worlds_are_all_deals_that_fit(length: int, seed: int) -> None:
    """Those worlds, as likely as these deals, from which all that was seen can be done: found by trying all deals."""
    game = games.load("yellowhouse", **SMALL)
    state, done = played(game, length, np.random.default_rng(seed))
    expected: Counter[bytes] = Counter()
    for start, chance in deals(game.new_initial_state()):
        world = start.clone()
        if fits(world, done):
            expected[world.box.record.tobytes()] += chance
    view = games.view_of(state, 0)
    records, chance = endings.worlds(view, lambda number: None)
    found = {record.tobytes(): probability for record, probability in zip(records, chance.tolist(), strict=True)}
    total = sum(expected.values())
    assert found == pytest.approx({world: weight / total for world, weight in expected.items()})


def test_kuhn_poker(state_after: Callable[..., State], advise: Advise) -> None:
    """At its first decision all of the game is left: worth -1/18, and bets as in one of its equilibria."""
    found = [advise(state_after("voyageur_kuhn_poker", card, (card + 1) % 3), nodes=2000) for card in range(3)]
    assert {advice.kind for advice in found} == {"equilibrium"}
    assert all(advice.nash_conv is not None and 0 <= advice.nash_conv < 1e-3 for advice in found)
    assert sum(advice.values[0] for advice in found if advice.values) / 3 == pytest.approx(-1 / 18, abs=1e-3)
    bets = [next(move.share for move in advice.moves if move.text == "bet") for advice in found]
    assert bets[JACK] <= 1 / 3 + 0.01
    assert bets[QUEEN] < 0.01
    assert bets[KING] == pytest.approx(3 * bets[JACK], abs=0.02)


def test_a_bluff_is_a_mixture(state_after: Callable[..., State], advise: Advise) -> None:
    """After a pass that tells nothing, the jack bluffs just so often that the queen may as well call: every third time.

    The king always bets, so that a bet is a jack's one time in four, and a call wins 2 then and loses 2 else, where
    folding loses 1 in any case.
    """
    jack, king = (advise(state_after("voyageur_kuhn_poker", QUEEN, card, PASS), nodes=2000) for card in (JACK, KING))
    assert next(move.share for move in jack.moves if move.text == "bet") == pytest.approx(1 / 3, abs=0.01)
    assert king.moves[0].text == "bet" and king.moves[0].share > 0.99
    best = jack.moves[0]
    assert best.low < best.value < best.high and best.high - best.low == pytest.approx(2 * jack.nash_conv)


@pytest.mark.cases("yellowhouse", "value")
def test_a_round_from_the_exchange(case: dict[str, Any], advise: Advise) -> None:
    """Over all hands, a reduced round is worth what it is worth; larger ones are left to the search."""
    game = games.load("yellowhouse", **case["params"])
    if case["terminal_histories"] > 1000:
        state = positions.rolled(game.new_initial_state(), np.random.default_rng(1))
        assert advise(state, player=0, nodes=50).kind == "sampled"
        return
    values: dict[int, float] = {}
    total = 0.0
    for state, chance in deals(game.new_initial_state()):
        hand = flatten.information(state, 0)
        if hand not in values:
            found = endings.solve(games.view_of(state, 0), Limit(seconds=60), 10**6, 1 << 30, lambda: False)
            assert found is not None and found.nash_conv < 1e-3
            values[hand] = float(found.shares @ found.values)
        total += chance * values[hand]
    assert total == pytest.approx(case["value"], abs=1e-3)


def test_hidden_cards_do_not_matter(advise: Advise, as_bytes: Callable[[Advice], bytes]) -> None:
    """What the other seat holds does not change an equilibrium, and the same limit of nodes gives the same bytes."""
    game, rng, solved = games.load("yellowhouse", **SMALL), np.random.default_rng(2), 0
    for length in (0, 0, 0, 1, 1, 1, 1, 2, 2, 2):
        state, _ = played(game, length, rng)
        seat = max(state.current_player(), 0)
        expected = advise(state, player=seat, nodes=1000, seed=1)
        solved += expected.kind == "equilibrium"
        for twin in games.view_of(state, seat).states(3, rng):
            assert as_bytes(advise(twin, player=seat, nodes=1000, seed=1)) == as_bytes(expected)
    assert solved >= 4


def test_what_is_too_much(state_after: Callable[..., State], advise: Advise) -> None:
    """Too many histories, too few simulations, too little memory, no time: the search does it."""
    state = state_after("voyageur_goofspiel(num_cards=4)")
    view, limit = games.view_of(state, 0), Limit(nodes=1000)
    assert endings.solve(view, limit, 1000, 1 << 20, lambda: False) is not None
    assert endings.solve(view, limit, 100, 1 << 20, lambda: False) is None
    assert endings.solve(view, Limit(nodes=10), 1000, 1 << 20, lambda: False) is None
    assert endings.solve(view, Limit(seconds=1e-4), 1000, 1 << 20, lambda: False) is None
    assert endings.solve(view, limit, 1000, 1 << 10, lambda: False) is None
    assert endings.solve(view, limit, 1000, 1 << 20, lambda: True) is None
    found = advise(state, player=0, nodes=100, endings=0)
    assert (found.kind, found.nash_conv) == ("sampled", None)
    for wrong in (-1, "many"):
        with pytest.raises(ValueError, match=r"^endings: expected a whole number from 0 to 1000000000, got "):
            advise(state, player=0, nodes=100, endings=wrong)


def test_what_hangs_on_what_others_like(state_after: Callable[..., State], advise: Advise) -> None:
    """A bid that lies face down is no draw of chance: such an ending is searched."""
    state = state_after("voyageur_goofspiel(num_cards=3,sequential=true)", 2)
    assert advise(state, nodes=1000).kind == "sampled"
    assert advise(state_after("voyageur_goofspiel(num_cards=3,sequential=true)"), nodes=1000).kind == "equilibrium"


def test_estimates() -> None:
    """Exact where all ways branch alike: nine pairs of bids, and four after each; more where a deal comes next."""
    game = games.load("voyageur_goofspiel", num_cards=3)
    root = game.new_initial_state().box.record
    assert flatten.estimate(game, root) == pytest.approx(9 + 36)
    round_ = games.load("yellowhouse")
    assert flatten.estimate(round_, round_.new_initial_state().box.record) > flatten.HOPELESS


def test_bots_mix(state_after: Callable[..., State]) -> None:
    """A bot plays by the shares of the equilibrium."""
    state = state_after("voyageur_kuhn_poker", QUEEN, JACK, PASS)
    bot = solvers.make_bot("ismcts", state.get_game(), 1, Limit(nodes=2000), seed=1)
    policy = dict(bot.step_with_policy(state)[0])
    assert math.isclose(sum(policy.values()), 1.0)
    assert policy[1] == pytest.approx(1 / 3, abs=0.01)


def test_on_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`voyageur hint` says that an ending was solved, and how well."""
    game = games.load("yellowhouse", **SMALL)
    state = next(state for state, _ in deals(game.new_initial_state()) if len(state.legal_actions(0)) > 1)
    path = tmp_path / "late.yaml"
    games.write(games.position_of(state, viewer=0), path)
    assert cli.main(["hint", str(path), "--seconds", "5"]) == 0
    assert "From an equilibrium" in capsys.readouterr().out


def test_an_ending_that_can_only_be_drawn(advise: Advise) -> None:
    """Nothing is at stake any more, so that whatever is played is in equilibrium."""
    state = games.load("voyageur_goofspiel", num_cards=4, points_order="random").new_initial_state()
    for prize, bids in ((1, ("3", "1")), (4, ("4", "2"))):
        outcomes = {state.action_to_string(CHANCE, action): action for action, _ in state.chance_outcomes()}
        state.apply_action(next(action for text, action in outcomes.items() if str(prize) in text))
        texts = [{state.action_to_string(seat, a): a for a in state.legal_actions(seat)} for seat in range(2)]
        state.apply_actions([next(a for t, a in texts[seat].items() if bid in t) for seat, bid in enumerate(bids)])
    state = positions.rolled(state, np.random.default_rng(0))
    advice = advise(state, nodes=100, player=0)
    assert advice.kind == "equilibrium" and advice.values == [0.0, 0.0]
