"""Games that are not ours: `random`, `mcts` and `ismcts` hand over to OpenSpiel's own bots.

OpenSpiel's C++ bots play its C++ games only (on games written in Python they crash), its Python bots play all.
"""

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.bots import uniform_random
from open_spiel.python.bots.policy import PolicyBot

from voyageur.solvers import flatten, policies
from voyageur.solvers.advice import Z95, Advice, MoveAdvice
from voyageur.solvers.limits import Limit

EXPLORATION = 1.4
MEMORY_MB = 1024


def make_bot(name: str, game: Any, player: int, limit: Limit, seed: int, options: Mapping[str, Any]) -> pyspiel.Bot:
    """OpenSpiel's bot of that kind; raises ValueError, in one line, for what it does not do."""
    kind = game.get_type()
    if name == "cfr":
        if options.keys() - {"policy"}:
            raise ValueError(f"{min(options.keys() - {'policy'})}: cfr has no such option; it has policy")
        return PolicyBot(player, np.random.RandomState(seed % 2**32), Solved(game, options.get("policy", "")))
    if options:
        raise ValueError(f"{next(iter(options))}: OpenSpiel's bots take no such option")
    if name == "random":
        return uniform_random.UniformRandomBot(player, np.random.RandomState(seed % 2**32))
    if name not in ("mcts", "ismcts"):
        raise ValueError(f"solver: {name} plays only our own games, not {kind.short_name}")
    check_kind(name, kind)
    hides = kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION
    if name == "mcts" and hides:
        raise ValueError(f"solver: mcts is for games that hide nothing, {kind.short_name} does; use ismcts")
    if _in_python(game):
        return python_bot(game, limit, seed)
    if name == "mcts" or not hides:
        return _CppMcts(game, limit, seed)
    return _CppIsmcts(limit, seed)


def check_kind(name: str, kind: pyspiel.GameType) -> None:
    """Raises ValueError, in one line, for games that OpenSpiel's searches do not play."""
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise ValueError(f"solver: OpenSpiel's {name} needs turns, and {kind.short_name} has simultaneous nodes")
    if kind.reward_model != pyspiel.GameType.RewardModel.TERMINAL:
        raise ValueError(f"solver: OpenSpiel's {name} needs rewards at the end, {kind.short_name} gives them before")


class Solved(policy.Policy):
    """The policy in a file, for a game that is not ours."""

    def __init__(self, game: Any, path: str) -> None:
        super().__init__(game, list(range(game.num_players())))
        self._policy = policies.for_game(path, game)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Probabilities by action; see `policy.Policy`."""
        player = state.current_player() if player_id is None else player_id
        found = self._policy.at(flatten.information(state, player))
        if found is None:
            raise ValueError(f"policy: nothing is said about {state}")
        return found


def _in_python(game: Any) -> bool:
    """Whether a game is written in Python, or is one of OpenSpiel's transforms around one that is."""
    inner = [value for value in game.get_parameters().values() if isinstance(value, dict) and "name" in value]
    wraps = any(_in_python(pyspiel.load_game(value["name"])) for value in inner)
    return wraps or not type(game).__module__.startswith("pyspiel")


class _CppMcts(pyspiel.MCTSBot):
    """OpenSpiel's C++ MCTS, kept together with its evaluator (it does not keep it alive itself)."""

    def __init__(self, game: Any, limit: Limit, seed: int) -> None:
        self.evaluator = pyspiel.RandomRolloutEvaluator(1, seed % 2**31)
        super().__init__(
            game,
            self.evaluator,
            EXPLORATION,
            _simulations(limit),
            MEMORY_MB,
            True,
            seed % 2**31,
            False,
            max_wall_clock_time=limit.seconds or -1.0,
        )


class _CppIsmcts(pyspiel.ISMCTSBot):
    """OpenSpiel's C++ ISMCTS, kept together with its evaluator likewise."""

    def __init__(self, limit: Limit, seed: int) -> None:
        self.evaluator = pyspiel.RandomRolloutEvaluator(1, seed % 2**31)
        super().__init__(
            seed % 2**31, self.evaluator, EXPLORATION, _simulations(limit), max_wall_clock_time=limit.seconds or -1.0
        )


def _simulations(limit: Limit) -> int:
    return min(limit.most_simulations(), 2**31 - 1)


class _TimeIsUp(Exception):
    """The limit is reached."""


class _Clock:
    """Ends a search that has begun by `start` when its seconds are over."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._started = math.inf if seconds is None else seconds, 0.0

    def start(self) -> None:
        self._started = time.monotonic()

    def check(self, something_found: bool) -> None:
        if something_found and time.monotonic() - self._started >= self._seconds:
            raise _TimeIsUp


def _rollouts(seed: int) -> tuple[np.random.RandomState, mcts.RandomRolloutEvaluator]:
    """What a search in Python draws from, and its evaluator, which draws from it too."""
    random_state = np.random.RandomState(seed % 2**32)
    return random_state, mcts.RandomRolloutEvaluator(1, random_state)


class _PythonMcts(mcts.MCTSBot):
    """OpenSpiel's Python MCTS with one random rollout a simulation, ended by `limit`, also by its seconds."""

    def __init__(self, game: Any, limit: Limit, seed: int) -> None:
        random_state, evaluator = _rollouts(seed)
        super().__init__(game, EXPLORATION, limit.most_simulations(), evaluator, random_state=random_state)
        self._clock, self._root = _Clock(limit.seconds), None

    def mcts_search(self, state: Any) -> Any:
        """The root of the tree; see `mcts.MCTSBot`."""
        self._clock.start()
        try:
            return super().mcts_search(state)
        except _TimeIsUp:
            return self._root

    def _apply_tree_policy(self, root: Any, state: Any) -> Any:
        self._root = root
        self._clock.check(root.explore_count > 1)
        return super()._apply_tree_policy(root, state)


class _PythonIsmcts(ismcts.ISMCTSBot):
    """OpenSpiel's Python ISMCTS likewise."""

    def __init__(self, game: Any, limit: Limit, seed: int) -> None:
        random_state, evaluator = _rollouts(seed)
        super().__init__(game, evaluator, EXPLORATION, limit.most_simulations(), random_state=random_state)
        self._clock = _Clock(limit.seconds)

    def run_search(self, state: Any) -> list[tuple[int, float]]:
        """The policy found; see `ismcts.ISMCTSBot`."""
        self._clock.start()
        try:
            return super().run_search(state)
        except _TimeIsUp:
            return self.get_final_policy(state, self._root_node)

    def sample_root_state(self, state: Any) -> Any:
        """A state for the next simulation; see `ismcts.ISMCTSBot`."""
        self._clock.check(self._root_node.total_visits > 0)
        return super().sample_root_state(state)


def python_bot(game: Any, limit: Limit, seed: int) -> pyspiel.Bot:
    """OpenSpiel's Python ISMCTS, or where nothing is hidden its MCTS; raises ValueError for what it does not play."""
    if game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        return _PythonMcts(game, limit, seed)
    if type(game.new_initial_state()).resample_from_infostate is pyspiel.State.resample_from_infostate:
        name = game.get_type().short_name
        raise ValueError(f"solver: OpenSpiel's ismcts needs resample_from_infostate, which {name} has not")
    return _PythonIsmcts(game, limit, seed)


def advise(
    state: Any, player: int, name: str, limit: Limit, seed: int, top: int | None, options: Mapping[str, Any]
) -> Advice:
    """Advice on a state of a game that is not ours, from OpenSpiel's bot; actions are its moves."""
    game = state.get_game()
    decides = state.current_player() in (player, pyspiel.PlayerId.SIMULTANEOUS)
    if not (decides and 0 <= player < game.num_players()):
        raise ValueError(f"player: it is not the decision of seat {player}")
    bot = make_bot(name, game, player, limit, seed, options)
    found = _mcts_moves(bot, state, game) if hasattr(bot, "mcts_search") else _policy_moves(bot, state, player)
    found.sort(key=lambda move: (-move.share, -move.visits, move.actions))
    return Advice(
        game=str(game),
        player=player,
        solver=name,
        kind="sampled",
        moves=found[:top],
        values=None,
        simulations=sum(move.visits for move in found),
        of=len(found),
    )


def _mcts_moves(bot: Any, state: Any, game: Any) -> list[MoveAdvice]:
    root = bot.mcts_search(state)
    best = root.best_child().action
    low, high = game.min_utility(), game.max_utility()
    moves = []
    for child in root.children:
        n = child.explore_count
        value = child.total_reward / n if n else (low + high) / 2
        error = Z95 * (high - low) / 2 / math.sqrt(max(1, n))
        moves.append(
            MoveAdvice(
                text=state.action_to_string(state.current_player(), child.action),
                actions=(child.action,),
                value=value,
                low=max(low, value - error),
                high=min(high, value + error),
                share=float(child.action == best),
                visits=n,
                line=[],
            )
        )
    return moves


def _policy_moves(bot: Any, state: Any, player: int) -> list[MoveAdvice]:
    policy, _ = bot.step_with_policy(state)
    return [
        MoveAdvice(state.action_to_string(player, action), (action,), None, None, None, float(share), 0, [])
        for action, share in policy
    ]
