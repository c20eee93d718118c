"""Endings solved: what is left of a game of two with opposite interests, laid flat and brought to an equilibrium.

Such a game begins with a draw of chance between all worlds that fit what *both* players have seen, each as likely as
the deals that lead to it; so neither knows the other's hand, and the answer is what the equilibrium does at what the
advised player really sees. What earlier choices may tell of a hand is left out of these beliefs. That is endgame
solving as in Ganzfried and Sandholm 2015, "Endgame solving in large imperfect-information games"; played move after
move it need not be an equilibrium of the whole game (Burch, Johanson and Bowling 2014, "Solving imperfect information
games using decomposition"), unless everything is seen at the beginning of the ending, as in goofspiel with open bids.

An ending is small enough if it has no more histories than `SearchOptions.endings`, than HISTORIES_PER_NODE for every
simulation of the limit and HISTORIES_PER_SECOND for its seconds, and takes no more memory than the search may. With a
limit of simulations only, how far it is solved is counted too, so that the answer is always the same.
"""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyspiel

from voyageur.games import rules
from voyageur.games.positions import View, load
from voyageur.games.spiel import Game
from voyageur.solvers import cfr, flatten
from voyageur.solvers.limits import Limit

HISTORIES_PER_NODE = 4
HISTORIES_PER_SECOND = 100_000
SWEPT_PER_NODE = 1000  # returns looked at, an iteration looking at all; that takes about as long as the simulation
DOUBT = 3  # an ending that seems so many times too large may still fit
PART = 0.7  # of the time; what is not solved by then is searched
EXACTNESS = 1e-4  # NashConv, in parts of the range of returns, at which it is well enough
TOLERANCE = 1e-2  # and that it may have if there is no more time


@dataclass(frozen=True)
class Ending:
    """A decision in an ending that was solved.

    Attributes:
      shares, values: [M] how likely the equilibrium makes each of the player's actions, in their order, and what the
        player gets after it, on the game's own scale.
      nash_conv: how far all is from an equilibrium, on average of what chance has drawn.
    """

    shares: np.ndarray
    values: np.ndarray
    nash_conv: float


class _TooMuch(Exception):
    """The ending is too large, or there is no more time."""


def solvable(view: View, chains: list[tuple[int, ...]]) -> bool:
    """Whether `solve` can do anything for `view` with the moves `chains`, each of one action; if so, it is compiled.

    The game is one of two with opposite interests, whose worlds can be listed.
    """
    out = np.empty(view.game.rules.max_actions, np.int64)
    legal = out[: rules.legal_actions(view.record()[0], view.game.c, view.player, out)].tolist()
    if chains != [(action,) for action in legal]:
        return False
    _compile(view.game.definition.name)
    return True


@functools.cache
def _compile(name: str) -> None:
    flatten.compile_for(load(name))
    flat = flatten.flatten(pyspiel.load_game("kuhn_poker"))
    _equilibrium(flat, 0.0, 1, lambda: False)
    cfr.worth(flat, cfr.uniform(flat), 0)


def solve(view: View, limit: Limit, most: int, memory: int, stop: Callable[[], bool]) -> Ending | None:
    """The decision of the player of a `solvable` view in equilibrium; None where that is too much.

    `most` bounds the histories, `memory` the bytes. `stop` is asked now and then; once it is true, no more is tried.
    """
    started = time.monotonic()
    if limit.nodes is not None:
        most = min(most, HISTORIES_PER_NODE * limit.nodes)
    if limit.seconds is not None:
        most = min(most, int(HISTORIES_PER_SECOND * limit.seconds))

    def late() -> bool:
        return stop() or (limit.seconds is not None and time.monotonic() - started >= PART * limit.seconds)

    def check(histories: int) -> None:
        if histories > most or late():
            raise _TooMuch

    try:
        each = flatten.estimate(view.game, view.record()) / DOUBT
        roots, chance = worlds(view, lambda number: check(max(number, int(number * each))))
        flat = flatten.flatten_from(view.game, roots, chance, memory, check)
    except (_TooMuch, flatten.OutOfMemory):
        return None
    info = view.game.info
    looks = max(1, len(flat.form.payoff))  # returns of 0 are not among them
    sweeps = np.inf if limit.nodes is None else SWEPT_PER_NODE * limit.nodes // looks
    width = info.max_utility - info.min_utility
    policy, gap = _equilibrium(flat, EXACTNESS * width, sweeps, late)
    if gap > TOLERANCE * width:
        return None
    seen = int(rules.information_key(view.record()[0], view.game.c, view.player))
    mine = [int(rules.information_key(root, view.game.c, view.player)) == seen for root in roots]
    at = int(np.flatnonzero(flat.keys == flatten.begins(view.player, np.uint64(seen)))[0])
    actions = slice(flat.form.first[at], flat.form.first[at + 1])
    values = cfr.worth(flat, policy, view.player)[actions] / chance[mine].sum()
    return Ending(policy[actions], np.clip(values, info.min_utility, info.max_utility), gap)  # sums round


def worlds(view: View, check: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    """(records [N], probabilities [N]) of all worlds that fit what both players see, from one that `view` fits.

    What either player might hold in a world of the other's view counts, and so on. `check` is called with their number.
    """
    game, record = view.game, view.record()
    weights, waiting, met = {record.tobytes(): 1.0}, [record], set()
    while waiting:
        record = waiting.pop()
        for player in range(game.info.players):
            key = player, int(rules.information_key(record[0], game.c, player))
            if key in met:
                continue
            met.add(key)
            fitting = _fitting(game, record, player, check)
            scale = weights[record.tobytes()] / fitting[record.tobytes()]
            for world, ways in fitting.items():
                if world not in weights:
                    weights[world] = scale * ways
                    waiting.append(rules.record_of(world, game.rules.state))
            check(len(weights))
    chance = np.array(list(weights.values()))
    return np.frombuffer(b"".join(weights), game.rules.state).copy(), chance / chance.sum()


def _fitting(game: Game, record: np.ndarray, player: int, check: Callable[[int], None]) -> dict[bytes, float]:
    """The worlds, as bytes, that fit what `player` sees in `record`, and in how many ways each comes about."""
    found: dict[bytes, float] = {}
    world, ways = rules.copied(record), 0.0
    while (total := rules.world_at(world[0], game.c, player, ways)) > ways:
        found[world.tobytes()], ways = total - ways, total
        check(len(found))
    return found


def _equilibrium(
    flat: flatten.Flat, target: float, sweeps: float, late: Callable[[], bool]
) -> tuple[np.ndarray, float]:
    """(policy [S], NashConv) after at most `sweeps` iterations, fewer if it gets to `target`, or late."""
    solver, gap = cfr.Cfr(flat), np.inf
    while gap > target and solver.iterations < sweeps and not late():
        solver.run(1 + solver.iterations // 4)
        gap = cfr.nash_conv(flat, solver.average_policy())
    return solver.average_policy(), gap
