"""The PettingZoo environments: its own checks, turns at simultaneous nodes, the ends of games, and hidden things.

With `--thorough`, 1,000 random games of each are played instead of 8.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
import pytest
from pettingzoo.test import api_test, seed_test

from voyageur import games
from voyageur.games import PositionError, pettingzoo
from voyageur.games.rules import SIMULTANEOUS
from voyageur.games.spiel import State

# Random play hardly ever ends some games by itself.
SMALL: dict[str, dict[str, Any]] = {
    "canyon": {"players": 3, "max_rounds": 1},
    "niagara": {"players": 3, "max_rounds": 3},
    "virta": {"turn_limit": 12},
    "yellowhouse": {"win_total": 1},
    "voyageur_kuhn_poker": {},
    "voyageur_goofspiel": {"num_cards": 4, "imp_info": True},
}


def play(env: Any, rng: np.random.Generator) -> tuple[dict[str, float], int]:
    """One game of random agents: what each was rewarded in all, and the number of actions."""
    total, actions = dict.fromkeys(env.agents, 0.0), 0
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        if terminated or truncated:
            assert not seen["action_mask"].any()
            env.step(None)
            continue
        for other in env.agents:
            assert other == agent or not env.observe(other)["action_mask"].any()
        env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        actions += 1
    return total, actions


@pytest.mark.parametrize("game", SMALL)
def test_their_checks(game: str) -> None:
    """PettingZoo's own tests pass."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Observation")  # they want vectors, and masks come beside them
        api_test(pettingzoo.env(game, **SMALL[game]), num_cycles=60)
        seed_test(lambda: pettingzoo.env(game, **SMALL[game]), num_cycles=30)


@pytest.mark.parametrize("game", SMALL)
def test_random_games(game: str, request: pytest.FixtureRequest) -> None:
    """Games end, and rewards are the returns."""
    env, rng = pettingzoo.env(game, **SMALL[game]), np.random.default_rng(1)
    env.reset(seed=2)
    for _ in range(1000 if request.config.getoption("--thorough") else 8):
        env.reset()
        total, actions = play(env, rng)
        raw = env.unwrapped
        assert list(total.values()) == raw._state.returns() and raw._state.is_terminal() and actions > 0
        assert not env.agents


def test_truncation() -> None:
    """A game that is cut off is truncated, not terminated, for everybody, and rewards nothing."""
    env, rng = pettingzoo.env("niagara", max_steps=10, players=3), np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(10):
        seen, _, terminated, truncated, _ = env.last()
        assert not terminated and not truncated
        env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    assert env.truncations == dict.fromkeys(env.possible_agents, True)
    assert env.terminations == dict.fromkeys(env.possible_agents, False)
    total, actions = play(env, rng)
    assert (set(total.values()), actions) == ({0.0}, 0)


def test_an_end_at_the_limit_is_an_end() -> None:
    """The last action before the cut may end the game: then it is terminated."""
    env, rng = pettingzoo.env("voyageur_kuhn_poker", max_steps=2), np.random.default_rng(1)
    ends = []
    for seed in range(20):
        env.reset(seed=seed)
        while not (any(env.terminations.values()) or any(env.truncations.values())):
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        ends.append((all(env.terminations.values()), all(env.truncations.values())))
    assert set(ends) == {(True, False), (False, True)}


def test_choices_at_once_are_turns_in_the_dark() -> None:
    """Where all choose at once they do so one after another, and what was chosen shows only when all have."""
    env = pettingzoo.raw_env("niagara", players=3, first_player=0)
    env.reset(seed=1)
    assert env._state.current_player() == SIMULTANEOUS
    before = {agent: env.observe(agent)["observation"] for agent in env.agents}
    for seat in range(3):
        assert env.agent_selection == f"player_{seat}"
        for agent, seen in before.items():
            assert np.array_equal(env.observe(agent)["observation"], seen)
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[seat]))
    assert any(not np.array_equal(env.observe(agent)["observation"], seen) for agent, seen in before.items())


def test_illegal_actions() -> None:
    """They are refused; the wrapped environment ends the game with the worst return for whoever tries."""
    raw = pettingzoo.raw_env("yellowhouse")
    raw.reset(seed=1)
    illegal = int(np.flatnonzero(raw.last()[0]["action_mask"] == 0)[0])
    for action in (illegal, -1, raw.game.num_distinct_actions(), None):
        with pytest.raises(ValueError, match="illegal action"):
            raw.step(action)
    env = pettingzoo.env("yellowhouse")
    env.reset(seed=1)
    env.step(illegal)
    assert all(env.terminations.values()) and env.rewards["player_0"] == -1


@pytest.mark.parametrize("wrong", ({"game": "ludo"}, {"game": "niagara", "players": 9}, {"game": "virta", "colour": 1}))
def test_wrong_games(wrong: dict[str, Any]) -> None:
    """A game or parameter that there is not is told in one line."""
    with pytest.raises(PositionError):
        pettingzoo.env(**wrong)


def test_same_seed_same_game() -> None:
    """`reset` with a seed begins the same game again; without, another one."""

    def dealt(env: Any) -> list[bytes]:
        return [env.observe(agent)["observation"].tobytes() for agent in env.agents]

    env = pettingzoo.env("yellowhouse")
    env.reset(seed=5)
    first = dealt(env)
    env.reset()
    assert dealt(env) != first
    env.reset(seed=5)
    assert dealt(env) == first


@pytest.mark.parametrize("game", ("canyon(players=3,max_rounds=1)", "niagara(players=3,max_rounds=5)", "yellowhouse"))
def test_hidden_things(game: str, some_states: Callable[..., list[State]]) -> None:
    """What an agent observes has the same bytes, whatever it does not see."""
    loaded, rng, swapped = pyspiel.load_game(game), np.random.default_rng(3), 0
    params = loaded.get_parameters()
    env = pettingzoo.raw_env(loaded.definition.name, render_mode="ansi", **params)
    env.reset(seed=1)
    for state in some_states(loaded, 30, seed=8):
        if state.is_chance_node() or state.is_terminal():
            continue
        for seat in range(state.num_players()):
            acting = state.current_player() in (seat, SIMULTANEOUS)
            env.agent_selection = f"player_{seat if acting else max(state.current_player(), 0)}"
            answers = []
            for twin in (state, *games.view_of(state, seat).states(2, rng)):
                env._state = twin
                seen = env.observe(f"player_{seat}")
                answers.append((seen["observation"].tobytes(), seen["action_mask"].tobytes(), env.render()))
                swapped += twin.box.record.tobytes() != state.box.record.tobytes()
            assert len(set(answers)) == 1 and (b"\1" in answers[0][1]) == acting
    assert swapped > 10
