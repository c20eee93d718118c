"""Evaluations fitted to self-play, as chess engines tune theirs.

Plain players, sometimes loose ones, play games of every number of players; of each, some positions at which a playout
might stop are kept, with the figures about every seat and the shares of the win that the seats got in the end. The
weights are those under which these shares were likeliest: a conditional logit (McFadden 1974), softmax over the seats
of weights times figures, by L-BFGS on the mean log-loss with a little ridge. One game in five is kept apart, to tell
how well the fit foretells games that it has not seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from voyageur import games
from voyageur.eval.outputs import save_plot
from voyageur.games import rules
from voyageur.games.spiel import DEFINITIONS
from voyageur.solvers.playout import self_play

RIDGE = 1e-5
KEPT = 8  # positions of a game, at most
UNSEEN = 5  # every so manieth game is not fitted to
BINS = 10
BATCH = 500  # games between two reports


@dataclass(frozen=True)
class Positions:
    """Positions from self-play with so many players.

    Attributes:
      figures: [N, P, F] of every seat.
      shares: [N, P] of the win, in the end.
      before: [N, P] as the evaluation has foretold them so far.
      game: [N] number of the game.
    """

    figures: np.ndarray
    shares: np.ndarray
    before: np.ndarray
    game: np.ndarray

    def where(self, chosen: np.ndarray) -> "Positions":
        """Those positions that are `chosen`."""
        return Positions(self.figures[chosen], self.shares[chosen], self.before[chosen], self.game[chosen])


@dataclass(frozen=True)
class Tuned:
    """Weights fitted to self-play, and positions to judge them by.

    Attributes:
      weights: [F], in the order of the game's features.
      games, positions: how many were played, and kept of them.
      unseen: positions of the games that were not fitted to, by number of players.
    """

    name: str
    weights: np.ndarray
    games: int
    seed: int
    positions: int
    unseen: list[Positions]

    def log_losses(self) -> dict[str, float]:
        """Mean over unseen positions of -sum(shares * log(foretold)): of knowing nothing, the old weights, the new."""
        n = sum(len(group.shares) for group in self.unseen)

        def mean(told: Callable[[Positions], np.ndarray]) -> float:
            return sum(log_loss(group.shares, told(group)) for group in self.unseen) / n

        return {
            "knowing nothing": mean(lambda group: np.full_like(group.shares, 1 / group.shares.shape[1])),
            "weights so far": mean(lambda group: group.before),
            "these weights": mean(lambda group: foretold(group.figures, self.weights)),
        }

    def calibration(self) -> list[tuple[float, float, int]]:
        """(mean foretold, mean got, how many) of unseen seats, from the least foretold, in BINS groups as large."""
        told = np.concatenate([foretold(group.figures, self.weights).ravel() for group in self.unseen])
        got = np.concatenate([group.shares.ravel() for group in self.unseen])
        parts = np.array_split(np.argsort(told, kind="stable"), BINS)
        return [(float(told[part].mean()), float(got[part].mean()), len(part)) for part in parts]

    def tables(self) -> list[tuple[str, Sequence[str], Sequence[tuple[str, ...]]]]:
        """(title, headings, rows) for people."""
        losses = [(name, f"{value:.4f}") for name, value in self.log_losses().items()]
        bins = [(f"{told:.3f}", f"{got:.3f}", f"{n:,}") for told, got, n in self.calibration()]
        unseen = f"Games not fitted to, of {self.games:,} in all"
        return [
            (f"{self.name}: log-loss. {unseen}", ("foretold by", "a position"), losses),
            ("Calibration: seats in groups by the share of the win foretold", ("foretold", "got", "seats"), bins),
        ]

    def to_dict(self) -> dict[str, Any]:
        """As `weights.json` holds it."""
        names = list(DEFINITIONS[self.name].rules.features)
        return {
            "game": self.name,
            "games": self.games,
            "seed": self.seed,
            "positions": self.positions,
            "log_loss": {name: round(value, 4) for name, value in self.log_losses().items()},
            "weights": dict(zip(names, self.weights.round(5).tolist(), strict=True)),
        }


def play(game: games.Game, number: int, seed: Sequence[int], progress: Callable[[int], None]) -> Positions:
    """Positions of `number` games of self-play; `progress` hears now and then how many are over."""
    kind, players, rng = game.rules, game.info.players, rules.make_rng(np.random.SeedSequence(seed))
    figures = np.zeros((number, KEPT, players, len(kind.features)))
    before, shares = np.zeros((number, KEPT, players)), np.zeros((number, KEPT, players))
    root, world, kept = game.new_initial_state().box.record, np.zeros(1, kind.state), np.zeros(number, np.int64)
    scratch = np.zeros(kind.max_actions, np.int64), np.zeros(players, np.int64)
    for i in range(number):
        kept[i] = self_play(root, game.constants, world, rng, *scratch, figures[i], before[i], shares[i])
        if i % BATCH == BATCH - 1:
            progress(i + 1)
    used = np.arange(KEPT) < kept[:, None]
    low, width = game.info.min_utility, game.info.max_utility - game.info.min_utility
    return Positions(figures[used], (shares[used] - low) / width, (before[used] - low) / width, used.nonzero()[0])


def foretold(figures: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Every seat's share [N, P] by its `figures` [N, P, F]."""
    scores = figures @ weights
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def log_loss(shares: np.ndarray, told: np.ndarray) -> float:
    """Sum over positions of -sum(shares * log(told)), both [N, P]."""
    return float(-(shares * np.log(np.maximum(told, 1e-12))).sum())


def fit(groups: Sequence[Positions], scale: np.ndarray) -> np.ndarray:
    """The weights [F] that foretell the shares of all `groups` best; figures are first divided by `scale` [F]."""
    total = sum(len(group.shares) for group in groups)
    figures = [group.figures / scale for group in groups]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = RIDGE * float(weights @ weights), 2 * RIDGE * weights
        for group, scaled in zip(groups, figures, strict=True):
            told = foretold(scaled, weights)
            value += log_loss(group.shares, told) / total
            slope = slope + np.einsum("np,npf->f", told - group.shares, scaled) / total
        return value, slope

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    return found.x / scale


def tune(name: str, number: int, seed: int, progress: Callable[[int, float], None]) -> Tuned:
    """Fits the weights of game `name` to `number` games of self-play, spread over its numbers of players.

    Raises ValueError for a game that has nothing to fit.
    """
    definition = DEFINITIONS.get(name)
    if definition is None or not definition.rules.features:
        able = ", ".join(game for game in games.names() if DEFINITIONS[game].rules.features)
        raise ValueError(f"game: expected one with an evaluation to fit ({able}), got {name!r}")
    players = range(definition.players[0], definition.players[1] + 1)
    each = max(UNSEEN, number // len(players))
    groups = []
    for i, n in enumerate(players):
        params = {**definition.tuned_on, **({"players": n} if len(players) > 1 else {})}

        def told(done: int, before: int = i * each) -> None:
            progress(before + done, (before + done) / (each * len(players)))

        groups.append(play(games.load(name, **params), each, (seed, n), told))
    seen = [group.where(group.game % UNSEEN != 0) for group in groups]
    unseen = [group.where(group.game % UNSEEN == 0) for group in groups]
    spread = np.concatenate([group.figures.reshape(-1, len(definition.rules.features)) for group in seen]).std(axis=0)
    weights = fit(seen, np.where(spread > 0, spread, 1.0))
    return Tuned(name, weights, each * len(players), seed, sum(len(group.shares) for group in groups), unseen)


def plot(path: str, tuned: Tuned) -> None:
    """Draws the shares that seats got by those foretold, for games not fitted to."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.8, 4.8), layout="constrained")
    axes = figure.subplots()
    axes.axline((0, 0), slope=1, color="0.7", linewidth=1)
    told, got, _ = zip(*tuned.calibration(), strict=True)
    axes.plot(told, got, "o-")
    axes.set(xlabel="share of the win foretold", ylabel="share got", title=f"{tuned.name}, unseen games")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.grid(alpha=0.3)
    save_plot(figure, path)
