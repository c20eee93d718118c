"""Whether hints about one position agree with one another, whatever the seed.

With `--thorough`, and `-n 0 -s` to see the figures, ten seeds have 5 seconds each in 20 positions of every game (an
hour and more) instead of three seeds 300 simulations in three.
"""

from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np
import pyspiel
import pytest

from voyageur import games, solvers
from voyageur.games.spiel import State
from voyageur.solvers import Advice, MoveAdvice

Advise = Callable[..., Advice]
Asked = Callable[..., Iterator[tuple[State, int, pyspiel.Bot]]]


def position(name: str, seed: int, asked: Asked) -> tuple[State, int]:
    """Any decision of a game of plain players in which there is a choice, and whose it is."""
    game, rng = games.load(name), np.random.default_rng(seed)
    bots = [solvers.make_bot("scripted", game, player, seed=seed) for player in range(game.num_players())]
    played = asked(game, bots, seed)
    found = [(state.clone(), seat) for state, seat, _ in played if len(state.legal_actions(seat)) > 1]
    return found[int(rng.integers(len(found)))]


def agree(one: MoveAdvice, other: MoveAdvice) -> bool:
    """Whether the first moves of two hints are the same, or what one is worth lies in the interval of the other."""
    assert one.value is not None and other.low is not None and other.high is not None
    return one.actions == other.actions or other.low <= one.value <= other.high


@pytest.mark.parametrize("game", ("canyon", "niagara", "virta", "yellowhouse"))
def test_hints_agree_with_themselves(game: str, pytestconfig: pytest.Config, asked: Asked, advise: Advise) -> None:
    """In most pairs of hints the first moves are the same, or the value of one lies in the interval of the other."""
    thorough = pytestconfig.getoption("--thorough")
    positions, seeds, limit = (20, 10, {"seconds": 5}) if thorough else (3, 3, {"nodes": 300})
    same, agreed, pairs = 0, 0, 0
    for number in range(positions):
        state, player = position(game, number, asked)
        view = games.view_of(state, player)
        hints = [advise(view, **limit, seed=seed, top=1).moves[0] for seed in range(seeds)]
        for one, other in permutations(hints, 2):
            same, agreed, pairs = same + (one.actions == other.actions), agreed + agree(one, other), pairs + 1
    print(f"{game}: of {pairs} pairs {same} name the same move, {agreed} agree")
    assert agreed >= (0.95 if thorough else 0.8) * pairs
