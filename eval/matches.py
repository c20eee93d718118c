"""One bot alone against others of a kind: does it win more than its share?

`python -m voyageur.eval.matches --help` says how to run such a match from the shell.
"""

import argparse
import json
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from tqdm import tqdm

from voyageur import games, solvers
from voyageur.eval import openspiel, solving
from voyageur.solvers.advice import Z95


@dataclass(frozen=True)
class Match:
    """The outcome of a match: returns of the bot that sat alone, one a game, in 0..1, and its fair share of them."""

    returns: list[float]
    fair: float

    def mean(self) -> float:
        """Mean return; for a game of shares of the win, the part of the games won."""
        return float(np.mean(self.returns))

    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean: Wilson's (1927), which holds for few games too."""
        n, p = len(self.returns), self.mean()
        middle = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
        half = Z95 / (1 + Z95**2 / n) * np.sqrt(p * (1 - p) / n + Z95**2 / (4 * n * n))
        return float(middle - half), float(middle + half)


def load(game_name: str, players: int | None, *bots: str) -> games.Game:
    """The game that is played; with one of OpenSpiel's bots its seats take turns wherever they could choose at once."""
    params: dict[str, Any] = {} if players is None else {"players": players}
    if openspiel.NAME in bots:
        params["sequential"] = True
    name, *rest = game_name.split(":", 1)
    return solving.load(name, [*(rest[0].split(",") if rest else ()), *(f"{k}={v}" for k, v in params.items())])


def make_bot(name: str, game: games.Game, player: int, limit: solvers.Limit, seed: int) -> pyspiel.Bot:
    """One of our bots, or OpenSpiel's."""
    if name == openspiel.NAME:
        return openspiel.IsmctsBot(game, limit, seed)
    return solvers.make_bot(name, game, player, limit, seed)


def play(
    game_name: str, players: int | None, alone: str, others: str, limit: solvers.Limit, seed: int, index: int
) -> float:
    """The return, scaled to 0..1, of bot `alone` in game `index` of a match, in seat `index` modulo the players.

    Chance and bots are seeded by (seed, index), so that any game can be played again by itself.
    """
    game = load(game_name, players, alone, others)
    players = game.num_players()
    chance, *bots = np.random.SeedSequence([seed, index]).generate_state(1 + players, np.uint32).tolist()
    seat, rng = index % players, np.random.default_rng(chance)
    table = [
        make_bot(alone if player == seat else others, game, player, limit, bots[player]) for player in range(players)
    ]
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probs = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=probs)))
        elif state.current_player() == pyspiel.PlayerId.SIMULTANEOUS:
            state.apply_actions([bot.step(state) for bot in table])
        else:
            state.apply_action(table[state.current_player()].step(state))
    low, high = game.min_utility(), game.max_utility()
    return (state.returns()[seat] - low) / (high - low)


def match(
    game_name: str,
    players: int | None,
    alone: str,
    others: str,
    limit: solvers.Limit,
    rounds: int,
    seed: int = 0,
    processes: int = 1,
) -> Iterator[float]:
    """The returns of `alone` against `others` in `rounds` games, as they finish."""
    tasks = [(game_name, players, alone, others, limit, seed, index) for index in range(rounds)]
    # Ctrl-C reaches the whole process group; the workers leave it to us, who end after the games under way.
    pool = ProcessPoolExecutor(processes, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        yield from pool.map(play, *zip(*tasks, strict=True))
    finally:
        pool.shutdown(cancel_futures=True)


def main() -> None:
    """Plays a match and prints wins, games and interval."""
    parser = argparse.ArgumentParser(prog="python -m voyageur.eval.matches", description=__doc__)
    parser.add_argument("game", help="its name, with parameters as in yellowhouse:scope=round")
    parser.add_argument("--players", type=int, help="default: the game's own")
    parser.add_argument("--alone", default="ismcts", help=f"the solver in one seat, which rotates; or {openspiel.NAME}")
    parser.add_argument("--others", default="scripted", help=f"the solver in all other seats; or {openspiel.NAME}")
    parser.add_argument("--seconds", type=float, help="a move")
    parser.add_argument("--nodes", type=int, help="a move")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    if args.seconds is None and args.nodes is None:
        args.seconds = 1.0
    try:
        limit = solvers.Limit(seconds=args.seconds, nodes=args.nodes)
        game = load(args.game, args.players, args.alone, args.others)
        for name in (args.alone, args.others):
            make_bot(name, game, 0, limit, args.seed)
    except ValueError as error:
        parser.error(str(error))
    returns: list[float] = []
    played = match(args.game, args.players, args.alone, args.others, limit, args.games, args.seed, args.processes)
    try:
        for value in tqdm(played, total=args.games, unit="game", disable=None):
            returns.append(value)
    except KeyboardInterrupt:
        pass  # what was played is reported
    if returns:
        print(json.dumps(report(Match(returns, 1 / game.num_players()))))


def report(found: Match) -> dict[str, Any]:
    """A match as plain objects."""
    low, high = found.interval()
    return {
        "games": len(found.returns),
        "wins": round(sum(found.returns), 3),
        "mean": round(found.mean(), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "fair": round(found.fair, 4),
    }


if __name__ == "__main__":
    main()
