"""Our games as PettingZoo environments (Terry et al. 2021): agents act one after another, each sees only its own side.

Needs pettingzoo (`pip install 'voyageur[pettingzoo]'`).
"""

from typing import Any

import gymnasium
import numpy as np
import pyspiel
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from voyageur.games import positions
from voyageur.games.rules import SIMULTANEOUS, TERMINAL

AGENT = "player_{}"


def env(game: str, max_steps: int | None = None, render_mode: str | None = None, **params: Any) -> AECEnv:
    """The environment of `game` with `params` (as `games.load` takes them), with PettingZoo's usual wrappers.

    An illegal action ends the game with the worst return for its agent. See `raw_env`.
    """
    raw = raw_env(game, max_steps, render_mode, **params)
    checked = wrappers.TerminateIllegalWrapper(raw, illegal_reward=raw.game.min_utility())
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(AECEnv):
    """A game as an environment of agents `player_0`, `player_1`, …; an action is one of OpenSpiel's.

    Where everybody chooses at once the agents are asked one after another, and none sees what the others chose. Chance
    happens by itself, drawn by the seed of `reset`. An observation is an object of `observation`, what the agent
    sees as a vector of float32, and `action_mask`, its legal actions, all zeros when it is not its turn. Rewards are
    the returns at the end, and 0 before. After `max_steps` actions (None: never) a game is cut off, truncated.

    Raises PositionError for a game or parameters that there are not, and ValueError for an illegal action.
    """

    def __init__(self, game: str, max_steps: int | None = None, render_mode: str | None = None, **params: Any) -> None:
        super().__init__()
        self.game = positions.load(game, **params)
        self.max_steps, self.render_mode = max_steps, render_mode
        self.metadata = {"render_modes": ["ansi"], "name": f"{game}_v0", "is_parallelizable": False}
        self._observer = self.game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=False))
        self._state = self.game.new_initial_state()
        self._chosen: list[int] = []  # by the first seats, where everybody chooses at once
        self._rng = np.random.default_rng()
        self._steps = 0
        self.possible_agents = [AGENT.format(seat) for seat in range(self.game.num_players())]
        box = gymnasium.spaces.Box(-np.inf, np.inf, self._observer.tensor.shape, np.float32)
        size = self.game.num_distinct_actions()
        mask = gymnasium.spaces.Box(0, 1, (size,), np.int8)
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict({"observation": box, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(size) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> gymnasium.Space:
        """What `observe` gives `agent`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space:
        """What `step` takes of `agent`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new game; the same `seed` draws the same, None goes on with what was drawn before."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._state, self._chosen, self._steps = self.game.new_initial_state(), [], 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What `agent` sees now, and what it may do if it is its turn."""
        seat = self.possible_agents.index(agent)
        self._observer.set_from(self._state, seat)
        mask = np.zeros(self.game.num_distinct_actions(), np.int8)
        if agent == self.agent_selection and not self._over():
            mask[self._state.legal_actions(seat)] = 1
        return {"observation": self._observer.tensor.copy(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Does `action` for the agent whose turn it is (None once its game is over)."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        if action is None or int(action) not in self._state.legal_actions(seat):
            raise ValueError(f"illegal action {action} of {agent}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._state.current_player() == SIMULTANEOUS:
            self._chosen.append(int(action))
            if len(self._chosen) == len(self.possible_agents):
                self._state.apply_actions(self._chosen)
                self._chosen = []
        else:
            self._state.apply_action(int(action))
        self._steps += 1
        self._go_on()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """What everybody sees, as text."""
        if self.render_mode is None:
            gymnasium.logger.warn("render: give the environment a render_mode")
            return None
        return self.game.words.public_text(self._state.box.s, self.game.c)

    def close(self) -> None:
        """Nothing to let go of."""

    def _go_on(self) -> None:
        """Lets chance happen, and finds whose turn it is or that the game is over."""
        state = positions.rolled(self._state, self._rng)
        current = state.current_player()
        if current == TERMINAL:
            self.rewards = dict(zip(self.possible_agents, state.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.max_steps is not None and self._steps >= self.max_steps:
            self.truncations = dict.fromkeys(self.agents, True)
        seat = len(self._chosen) if current == SIMULTANEOUS else max(current, 0)
        self.agent_selection = self.possible_agents[seat]

    def _over(self) -> bool:
        return any(self.terminations.values()) or any(self.truncations.values())
