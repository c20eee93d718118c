"""OpenSpiel's own information-set MCTS as an opponent, with the same limits as our bots."""

import time
from typing import Any

import numpy as np
from open_spiel.python.algorithms import ismcts as algorithm
from open_spiel.python.algorithms import mcts

from voyageur.solvers import Limit

EXPLORATION = 1.4


class _TimeIsUp(Exception):
    """The limit is reached."""


def ismcts(game: Any, player: int, seed: int, seconds: float | None = None, nodes: int | None = None) -> "IsmctsBot":
    """The bot as an entrant of a tournament, `voyageur.eval.openspiel:ismcts:seconds=1`."""
    return IsmctsBot(game, Limit(seconds=seconds, nodes=nodes), seed)


class IsmctsBot(algorithm.ISMCTSBot):
    """OpenSpiel's Python bot with one random rollout a simulation, ended by `limit`, also by its seconds.

    It needs a game in turns, so one of ours loaded with `sequential`.
    """

    def __init__(self, game: Any, limit: Limit, seed: int) -> None:
        random_state = np.random.RandomState(seed % 2**32)
        evaluator = mcts.RandomRolloutEvaluator(1, random_state)
        super().__init__(game, evaluator, EXPLORATION, limit.most_simulations(), random_state=random_state)
        self._seconds = limit.seconds
        self._started = 0.0

    def run_search(self, state: Any) -> list[tuple[int, float]]:
        """The policy found; see `ismcts.ISMCTSBot`."""
        self._started = time.monotonic()
        try:
            return super().run_search(state)
        except _TimeIsUp:
            return self.get_final_policy(state, self._root_node)

    def sample_root_state(self, state: Any) -> Any:
        """A state for the next simulation; see `ismcts.ISMCTSBot`."""
        late = self._seconds is not None and time.monotonic() - self._started >= self._seconds
        if late and self._root_node.total_visits > 0:
            raise _TimeIsUp
        return super().sample_root_state(state)
