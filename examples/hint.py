"""A hint: what to do in a position from a file, and what a draw of the hidden cards may look like.

python examples/hint.py docs/positions/yellowhouse-late.yaml --seconds 1
"""

import argparse

import numpy as np

from voyageur import games, solvers


def main() -> None:
    """Prints the three best moves with what they are worth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("position")
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    try:
        view = games.view_from(games.read(args.position))
    except games.PositionError as error:
        raise SystemExit(f"{args.position}: {error}") from None
    advice = solvers.advise(view, limit=solvers.Limit(seconds=args.seconds), top=3)
    for move in advice.moves:
        print(f"{move.share:5.0%}  {move.text}: {move.value:.2f} ({move.low:.2f} to {move.high:.2f})")
    print("it might be:", view.sample(np.random.default_rng(1)))


if __name__ == "__main__":
    main()
