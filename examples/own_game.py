"""A game of one's own: the folder `nim` beside this file holds its rules and words, and that is all it takes.

    python examples/own_game.py 21

Prints what to do with so many stones; then a bot plays the game against itself.
"""

import argparse
from pathlib import Path

from voyageur.games import caching

# Compiled code is kept between runs, by the sources it was made from. Ours are to count too.
caching.watch(Path(__file__).parent / "nim")

import nim  # noqa: E402, F401  # registers the game

from voyageur import games, solvers  # noqa: E402


def main() -> None:
    """Advises, and plays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stones", type=int, nargs="?", default=21)
    args = parser.parse_args()
    state = games.state_from({"game": "nim_heap", "stones": args.stones})
    advice = solvers.advise(state, limit=solvers.Limit(nodes=2000))
    print(f"{args.stones} stones: {advice.moves[0].text} ({advice.kind}, {advice.moves[0].value:+.2f})")
    bot = solvers.make_bot("mcts", state.game, limit=solvers.Limit(nodes=200))
    while not state.is_terminal():
        action = bot.step(state) if state.current_player() == 0 else state.legal_actions()[0]
        print(f"P{state.current_player()} {state.action_to_string(action)}")
        state.apply_action(action)
    print("returns", state.returns())


if __name__ == "__main__":
    main()
