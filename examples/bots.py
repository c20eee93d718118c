"""Bot against bot: two of our bots play matches of The Yellow House, by OpenSpiel's own tools.

python examples/bots.py --games 4 --nodes 500
"""

import argparse

import numpy as np
from open_spiel.python.algorithms import evaluate_bots

from voyageur import games, solvers


def main() -> None:
    """Plays the matches and prints who won."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--nodes", type=int, default=500, help="simulations a move")
    args = parser.parse_args()
    game = games.load("yellowhouse")
    rng = np.random.RandomState(1)
    won = 0.0
    for number in range(args.games):
        thinker = number % 2  # the seats change
        limit = solvers.Limit(nodes=args.nodes)
        names = ["ismcts" if seat == thinker else "scripted" for seat in range(2)]
        bots = [solvers.make_bot(name, game, seat, limit, seed=number) for seat, name in enumerate(names)]
        returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)
        won += returns[thinker] > 0
        print(f"match {number + 1}: {names[int(np.argmax(returns))]} won as seat {int(np.argmax(returns))}")
    print(f"ismcts won {won:.0f} of {args.games}")


if __name__ == "__main__":
    main()
