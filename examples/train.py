"""Learning agents: OpenSpiel's tabular Q-learner on a small round of The Yellow House, through `rl_environment`.

    python examples/train.py --seconds 60

Prints how often the learner wins against a random player, before and after.
"""

import argparse
import time
from typing import Any

import numpy as np
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import random_agent, tabular_qlearner

from voyageur import games

ROUND = {"elements": 3, "copies": 3, "hand": 3, "exchange": 1, "supports": 1, "supports_per_player": 1}


def play(environment: Any, agents: list[Any], learning: bool) -> float:
    """One episode; the return of seat 0."""
    step = environment.reset()
    while not step.last():
        player = step.observations["current_player"]
        step = environment.step([agents[player].step(step, is_evaluation=not learning).action])
    for agent in agents:
        agent.step(step, is_evaluation=not learning)
    return step.rewards[0]


def won(environment: Any, learner: Any, stranger: Any, episodes: int) -> float:
    """Part of the episodes that the learner wins."""
    return float(np.mean([play(environment, [learner, stranger], learning=False) > 0 for _ in range(episodes)]))


def main() -> None:
    """Trains the learner against itself."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="of training")
    parser.add_argument("--episodes", type=int, default=500, help="of each evaluation")
    args = parser.parse_args()
    np.random.seed(1)
    game = games.load("yellowhouse", **ROUND, scope="round", sequential=True)
    environment = rl_environment.Environment(game, seed=1)
    actions = environment.action_spec()["num_actions"]
    learners = [tabular_qlearner.QLearner(seat, actions) for seat in range(2)]
    stranger = random_agent.RandomAgent(1, actions)
    print(f"before: the learner wins {won(environment, learners[0], stranger, args.episodes):.1%}")
    episodes, end = 0, time.monotonic() + args.seconds
    while time.monotonic() < end:
        play(environment, learners, learning=True)
        episodes += 1
    print(f"after {episodes} episodes: the learner wins {won(environment, learners[0], stranger, args.episodes):.1%}")


if __name__ == "__main__":
    main()
