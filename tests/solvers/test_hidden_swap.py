"""What must stay true for ever: nothing that a player cannot see changes what that player is told or does.

States from random games are taken, everything that the player does not see is redrawn in several ways, and the
answers are compared byte for byte.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest

from voyageur import games, solvers
from voyageur.games.spiel import State
from voyageur.solvers import Limit

HIDING = (
    "canyon(players=3,max_rounds=1)",
    "canyon(players=3,max_rounds=2,bid_mode=simultaneous,sequential=true,board=W88L%0AC8.S%0ASSSS)",
    "niagara(max_rounds=5)",
    "niagara(players=3,max_rounds=5,sequential=true)",
    "niagara(players=5,max_rounds=3,fork_mode=RANDOM,reveal=SIMULTANEOUS,sequential=true)",
    "yellowhouse",
    "yellowhouse(elements=3,copies=5,hand=4,exchange=1,win_total=2,sequential=true)",
    "voyageur_goofspiel(num_cards=5,imp_info=true)",
    "voyageur_goofspiel(num_cards=5,imp_info=true,sequential=true)",
    "voyageur_goofspiel(num_cards=5,sequential=true)",
    "voyageur_kuhn_poker",
)
NODES = 60


def twins(state: State, player: int, rng: np.random.Generator) -> Iterator[State]:
    """States that `player` cannot tell from `state`, made in different ways."""
    view = games.view_of(state, player)
    yield view.world()
    yield view.sample(rng)
    yield from view.states(2, rng)
    yield state.resample_from_infostate(player, rng.random)
    if state.game.definition.name in games.names() and games.at_decision(state):
        # Through positions, which hold neither the history nor the parameters of the set-up.
        seen = games.view_from(games.position_of(state, viewer=player)).sample(rng)
        whole = games.state_from(games.position_of(view.sample(rng)))
        yield from (state.game.state_with(twin.box.record) for twin in (seen, whole))


def answer(seen: Any, player: int, solver: str, seed: int) -> bytes:
    """What `solver` tells `player`, as bytes."""
    limit = Limit(nodes=NODES)
    return json.dumps(solvers.advise(seen, player, solver, limit, seed=seed, top=None).to_dict()).encode()


@pytest.mark.parametrize("game", HIDING)
@pytest.mark.parametrize("solver", ("ismcts", "scripted", "random"))
def test_advice(
    game: str, solver: str, some_states: Callable[..., list[State]], deciders: Callable[[State], list[int]]
) -> None:
    """Advice is the same, byte for byte, whatever lies under the cards that the advised player does not see."""
    rng = np.random.default_rng(5)
    asked = swapped = 0
    for seed, state in enumerate(some_states(pyspiel.load_game(game), 24, seed=4)):
        for player in deciders(state):
            expected = answer(state, player, solver, seed)
            assert answer(games.view_of(state, player), player, solver, seed) == expected
            asked += 1
            for twin in twins(state, player, rng):
                assert answer(twin, player, solver, seed) == expected, f"P{player} in {state}"
                swapped += twin.box.record.tobytes() != state.box.record.tobytes()
    assert asked >= 10
    assert swapped >= 10 or not any_hidden(game)


def any_hidden(game: str) -> bool:
    """Whether random states of a game hide anything from the seats that decide there."""
    return "reveal=SIMULTANEOUS" not in game


@pytest.mark.parametrize("game", HIDING)
def test_advice_of_two_threads(
    game: str, some_states: Callable[..., list[State]], deciders: Callable[[State], list[int]]
) -> None:
    """The same holds of trees that grow side by side."""
    rng = np.random.default_rng(6)
    for seed, state in enumerate(some_states(pyspiel.load_game(game), 8, seed=9)):
        for player in deciders(state):
            twin = games.view_of(state, player).sample(rng)
            limit = Limit(nodes=NODES)
            one, other = (
                solvers.advise(seen, player, "ismcts", limit, threads=2, seed=seed).to_dict() for seen in (state, twin)
            )
            assert json.dumps(one) == json.dumps(other)


@pytest.mark.parametrize("keys", ("public", "staged"))
def test_advice_whatever_the_keys(
    keys: str, some_states: Callable[..., list[State]], deciders: Callable[[State], list[int]]
) -> None:
    """The other ways to keep the opponents' entries do not look either."""
    rng = np.random.default_rng(7)
    for seed, state in enumerate(some_states(pyspiel.load_game(HIDING[3]), 12, seed=5)):
        for player in deciders(state):
            one, other = (
                solvers.advise(seen, player, limit=Limit(nodes=NODES), seed=seed, keys=keys, stage=5).to_dict()
                for seen in (state, games.view_of(state, player).sample(rng))
            )
            assert json.dumps(one) == json.dumps(other)


@pytest.mark.parametrize("game", HIDING)
@pytest.mark.parametrize("solver", ("ismcts", "scripted", "random"))
def test_bots(
    game: str, solver: str, some_states: Callable[..., list[State]], deciders: Callable[[State], list[int]]
) -> None:
    """A bot is handed whole states; it plays the same in all that its player cannot tell apart."""
    loaded, rng = pyspiel.load_game(game), np.random.default_rng(8)
    for seed, state in enumerate(some_states(loaded, 16, seed=6)):
        for player in deciders(state):

            def played(in_state: State, player: int = player, seed: int = seed) -> tuple[Any, int]:
                bot = solvers.make_bot(solver, loaded, player, Limit(nodes=NODES), seed=seed)
                return bot.step_with_policy(in_state)

            expected = played(state)
            for twin in twins(state, player, rng):
                assert played(twin) == expected, f"P{player} in {state}"
