"""OpenSpiel bots over the solvers.

A bot is handed full states, as OpenSpiel does; it takes its player's view of each before it does anything else.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pyspiel

from voyageur.games import positions, rules
from voyageur.games.spiel import Game, State
from voyageur.solvers import registry
from voyageur.solvers.limits import Limit, check_threads


class SolverBot(pyspiel.Bot):
    """A solver as an OpenSpiel bot for one seat.

    The move is planned when its first action is asked for, and the rest of it is played without thinking again.
    """

    def __init__(
        self, name: str, game: Game, player: int, limit: Limit, seed: int, threads: int, options: Mapping[str, Any]
    ) -> None:
        super().__init__()
        self._solver = registry.find(name, game, options)
        self._arguments = (name, game, player, limit, seed, threads, options)
        self._player, self._limit, self._threads, self._options = player, limit, threads, options
        self._rng = np.random.default_rng(seed)
        self._plan: list[tuple[int, int]] = []  # (what the player then sees, action) of the rest of a move

    @property
    def history(self) -> bool:
        """Whether it looks at how a state came about; else a state without its history does."""
        return self._solver.history

    def step(self, state: State) -> int:
        """The action to play in `state`."""
        return self._choice(state)[0]

    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """(policy, action): the probability of each legal action, and one drawn by them."""
        action, shares = self._choice(state)
        return [(other, shares.get(other, 0.0)) for other in state.legal_actions(self._player)], action

    def _choice(self, state: State) -> tuple[int, Mapping[int, float]]:
        """The action to play in `state`, and the probability of each that could have been drawn."""
        key = self._key(state)
        if self._plan and self._plan[0][0] == key:
            action = self._plan.pop(0)[1]
            return action, {action: 1.0}
        view = registry.view_for(self._solver, state, self._player)
        seed = int(self._rng.integers(2**63))
        result = self._solver.act(view, self._limit, self._options, self._threads, seed)
        if result.interrupted:
            raise KeyboardInterrupt  # a bot plays nothing that it has not thought through
        firsts: dict[int, float] = {}
        for chain, share in zip(result.chains, result.shares.tolist(), strict=True):
            firsts[chain[0]] = firsts.get(chain[0], 0.0) + share
        upper = result.shares.cumsum()
        move = int((upper / upper[-1]).searchsorted(self._rng.random(), side="right"))
        self._plan = self._steps(view, result.chains[move])
        return result.chains[move][0], firsts

    def get_policy(self, state: State) -> list[tuple[int, float]]:
        """The probability of each legal action in `state`, as `step_with_policy` would tell; the bot stays as it is."""
        return self.clone().step_with_policy(state)[0]

    def restart(self) -> None:
        """Forgets the game that was being played."""
        self._plan = []

    def restart_at(self, state: State) -> None:
        """Forgets the game that was being played, to go on from `state`."""
        self._plan = []

    def inform_action(self, state: State, player: int, action: int) -> None:
        """Hears what `player` did in `state`; the bot's own action may have been chosen by somebody else."""
        if player == self._player and self._plan and self._plan[0] == (self._key(state), action):
            self._plan.pop(0)

    def inform_actions(self, state: State, actions: list[int]) -> None:
        """Hears what everybody did at a simultaneous node."""

    def force_action(self, state: State, action: int) -> None:
        """Hears that it has to play `action` in `state`; it plans anew after that."""
        self._plan = []

    def provides_policy(self) -> bool:
        """Whether `step_with_policy` and `get_policy` work: yes."""
        return True

    def provides_force_action(self) -> bool:
        """Whether `force_action` works: yes."""
        return True

    def is_clonable(self) -> bool:
        """Whether `clone` works: yes."""
        return True

    def clone(self) -> "SolverBot":
        """A bot that goes on exactly as this one would."""
        twin = SolverBot(*self._arguments)
        twin._rng.bit_generator.state = self._rng.bit_generator.state
        twin._plan = list(self._plan)
        return twin

    def _key(self, state: State) -> int:
        return int(rules.information_key(state.box.s, state.game.c, self._player))

    def _steps(self, view: positions.View, chain: tuple[int, ...]) -> list[tuple[int, int]]:
        """The plan after the first action of `chain`."""
        steps = []
        world = view.world()
        for played, action in pairwise(chain):
            world.apply_action(played)
            steps.append((self._key(world), action))
        return steps


def make_bot(
    name: str,
    game: Any,
    player: int = 0,
    limit: Limit | None = None,
    seed: int = 0,
    threads: int = 1,
    **options: Any,
) -> pyspiel.Bot:
    """A bot for seat `player` of `game`, ours or any of OpenSpiel's.

    `name` and `options` are those of `voyageur.solvers.names`. Raises ValueError for a name, an option or a game that
    does not fit, in one line.
    """
    if not 0 <= player < game.num_players():
        raise ValueError(f"player: expected a seat from 0 to {game.num_players() - 1}, got {player}")
    check_threads(threads)
    limit = limit or Limit(seconds=1)
    name, options = registry.parse(name, options)
    if not isinstance(game, Game):
        from voyageur.solvers import foreign

        return foreign.make_bot(name, game, player, limit, seed, options)
    return SolverBot(name, game, player, limit, seed, threads, options)
