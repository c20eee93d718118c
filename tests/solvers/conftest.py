"""What the tests of the solvers share: states to decide in, games between bots, advice as bytes, and the tiny games."""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyspiel
import pytest

from voyageur import solvers
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game, State
from voyageur.solvers import Advice, Limit


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """The module of tiny games, loaded once: a record layout can be registered only once."""
    spec = importlib.util.spec_from_file_location("tiny_games", Path(__file__).parent / "tiny_games.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where compiled searches that are kept on disk look for it
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def biased_rps(tiny: ModuleType) -> State:
    """The one decision of biased rock, paper, scissors."""
    return Game(tiny.BIASED_RPS, {}).new_initial_state()


@pytest.fixture(scope="session")
def hidden_hands(tiny: ModuleType) -> State:
    """The first decision of the game of hidden hands."""
    return Game(tiny.HIDDEN_HANDS, {}).new_initial_state()


@pytest.fixture(scope="session")
def hidden_coins(tiny: ModuleType) -> State:
    """The first decision of the game of hidden coins."""
    return Game(tiny.HIDDEN_COINS, {}).new_initial_state()


@pytest.fixture(scope="session")
def state_after() -> Callable[..., State]:
    """A function of a game string and actions: the state that these lead to."""

    def play(game: str, *actions: int) -> State:
        state = pyspiel.load_game(game).new_initial_state()
        for action in actions:
            state.apply_action(action)
        return state

    return play


@pytest.fixture(scope="session")
def deciders() -> Callable[[State], list[int]]:
    """A function of a state: the seats that decide there."""

    def seats(state: State) -> list[int]:
        current = state.current_player()
        if current == SIMULTANEOUS:
            return list(range(state.num_players()))
        return [] if current in (CHANCE, TERMINAL) else [current]

    return seats


@pytest.fixture(scope="session")
def asked() -> Callable[..., Iterator[tuple[State, int, pyspiel.Bot]]]:
    """A function of a game, bots (one a seat) and a seed that plays one game.

    Before each step it yields the state, the seat, and its bot, whose `step` is then called.
    """

    def play(game: Any, bots: list[pyspiel.Bot], seed: int = 0) -> Iterator[tuple[State, int, pyspiel.Bot]]:
        rng = np.random.default_rng(seed)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, probs = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=probs)))
                continue
            simultaneous = state.is_simultaneous_node()
            actions = []
            for seat in range(state.num_players()) if simultaneous else [state.current_player()]:
                yield state, seat, bots[seat]
                actions.append(bots[seat].step(state))
                assert actions[-1] in state.legal_actions(seat)
            if simultaneous:
                state.apply_actions(actions)
            else:
                state.apply_action(actions[0])
        assert sum(state.returns()) == pytest.approx(game.utility_sum())

    return play


@pytest.fixture(scope="session")
def advise() -> Callable[..., Advice]:
    """`solvers.advise` about all moves, with `nodes` and `seconds` in place of a limit."""

    def ask(seen: Any, nodes: int | None = None, seconds: float | None = None, **options: Any) -> Advice:
        options.setdefault("top", None)
        return solvers.advise(seen, limit=Limit(seconds=seconds, nodes=nodes), **options)

    return ask


@pytest.fixture(scope="session")
def as_bytes() -> Callable[[Advice], bytes]:
    """A function of advice: the bytes that it is printed as."""
    return lambda advice: json.dumps(advice.to_dict()).encode()
