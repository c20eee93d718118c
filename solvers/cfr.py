"""Counterfactual regret minimization on a game laid flat: sweeps over arrays, compiled once for all games.

An iteration for one player is three passes. What every own sequence earns where it ends the game, given the others'
plans, is a sparse matrix times their realization plan; going up, information set by information set, gives
counterfactual values and regrets, from which the next strategy follows at once; going down gives the new realization
plan, while the old one is added to the average. Nothing visits a history.

- CFR: Zinkevich, Johanson, Bowling and Piccione 2007, "Regret minimization in games with incomplete information".
- CFR+: Tammelin 2014, "Solving large imperfect information games using CFR+".
- DCFR: Brown and Sandholm 2019, "Solving imperfect-information games via discounted regret minimization".
- PCFR+: Farina, Kroer and Sandholm 2021, "Faster game solving via predictive Blackwell approachability".

What is proved: in two-player games whose returns add up to a constant, the average converges to an equilibrium, and
NashConv bounds how far off it is. With more players, or other returns, there is no such promise (the average converges
to the coarse correlated equilibria), and NashConv says how far it got.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from voyageur.solvers.flatten import Flat


@dataclass(frozen=True)
class Variant:
    """What an algorithm does with regrets, and by which weights it averages.

    Attributes:
      positive, negative: accumulated regrets above and below 0 are multiplied by t**x / (t**x + 1) after iteration t;
        infinite: kept as they are, and minus infinity: forgotten.
      predictive: whether the last regret is expected to come again.
      averaging: the plan of iteration t has weight t**averaging.
      alternating: whether players are updated in turn, each seeing what the ones before have just learnt.
    """

    positive: float = math.inf
    negative: float = math.inf
    predictive: bool = False
    averaging: float = 0.0
    alternating: bool = True


VARIANTS = {
    "cfr": Variant(),
    "cfr+": Variant(negative=-math.inf, averaging=1.0),
    "dcfr": Variant(positive=1.5, negative=0.0, averaging=2.0),
    "pcfr+": Variant(negative=-math.inf, predictive=True, averaging=2.0),
}


class Cfr:
    """An algorithm at work on one game.

    Attributes:
      flat, variant: what is solved, how. iterations: done so far.
      policy [S]: the present strategy. average [S]: sum of the weighted realization plans.
    """

    def __init__(self, flat: Flat, variant: Variant = VARIANTS["pcfr+"]) -> None:
        self.flat, self.variant, self.iterations = flat, variant, 0
        self.policy = uniform(flat)
        self.average = np.zeros(len(flat.actions))
        self._regrets, self._values = np.zeros(len(flat.actions)), np.zeros(len(flat.actions))
        self._plan = plan(flat, self.policy)

    @staticmethod
    def bytes(flat: Flat) -> int:
        """Bytes that solving `flat` takes besides `flat`, its best responses included."""
        return 8 * 8 * len(flat.actions)

    def run(self, iterations: int) -> None:
        """So many iterations more."""
        v = self.variant
        _iterate(
            self.flat.form,
            self.iterations,
            iterations,
            v.alternating,
            v.positive,
            v.negative,
            v.predictive,
            v.averaging,
            self._regrets,
            self.policy,
            self._plan,
            self.average,
            self._values,
        )
        self.iterations += iterations

    def average_policy(self) -> np.ndarray:
        """The average strategy [S], uniform at sets that no plan has reached."""
        return _behaviour(self.flat.form, self.average)


def solve(
    flat: Flat,
    variant: Variant,
    iterations: int,
    target: float,
    report: Callable[[int, float], None] = lambda done, gap: None,
) -> tuple[Cfr, float]:
    """Runs `variant` on `flat` until NashConv is at most `target` or `iterations` are done: (solver, NashConv).

    `report` is called with (iterations so far, NashConv) each time it has been measured: at 1, 2, 4 … iterations until
    these steps are long, then every eighth of what was done. Ctrl-C stops early and keeps what was done.
    """
    solver, found = Cfr(flat, variant), math.inf
    try:
        while solver.iterations < iterations and found > target:
            solver.run(min(max(1, solver.iterations // 8), iterations - solver.iterations))
            found = nash_conv(flat, solver.average_policy())
            report(solver.iterations, found)
    except KeyboardInterrupt:
        if not solver.iterations:
            raise
    return solver, nash_conv(flat, solver.average_policy())


# Policies: probabilities by sequence [S], 1 for the empty ones. Plans: products of these from the beginning.


def uniform(flat: Flat) -> np.ndarray:
    """All actions alike."""
    counts = np.diff(flat.form.first)
    return np.concatenate((np.ones(flat.players), np.repeat(1.0 / counts, counts)))


def plan(flat: Flat, policy: np.ndarray) -> np.ndarray:
    """The realization plan [S] of `policy`: each player's probability to play all actions of a sequence."""
    found = np.ones(len(policy))
    _realize(flat.form, policy, found)
    return found


def expected(flat: Flat, policy: np.ndarray) -> np.ndarray:
    """Everybody's expected return [P] when all play `policy`."""
    return np.array([worth(flat, policy, player)[player] for player in range(flat.players)])


def worth(flat: Flat, policy: np.ndarray, player: int) -> np.ndarray:
    """What each sequence of `player` is worth to it [S] when all play `policy` from there on.

    Times the probability that chance and the others let it come about, as in counterfactual values.
    """
    values = np.zeros(len(policy))
    _look_ahead(flat.form, player, policy, plan(flat, policy), values)
    return values


def best_response(flat: Flat, policy: np.ndarray, player: int) -> tuple[float, np.ndarray]:
    """(value, policy [S]): what `player` gets at best against the others' `policy`, and how; the others stay."""
    answer = policy.copy()
    return _respond(flat.form, player, plan(flat, policy), answer), answer


def nash_conv(flat: Flat, policy: np.ndarray) -> float:
    """How much all players together could gain, each by a best response to the others' `policy`; 0 in equilibrium."""
    found = plan(flat, policy)
    answers = sum(_respond(flat.form, player, found, policy.copy()) for player in range(flat.players))
    return float(answers - expected(flat, policy).sum())


def exploitability(flat: Flat, policy: np.ndarray) -> float:
    """NashConv a player; in two-player zero-sum games, what a best response wins from `policy` on average of seats."""
    return nash_conv(flat, policy) / flat.players


def likelihood(flat: Flat, policy: np.ndarray) -> np.ndarray:
    """How likely each information set [I] is to be met when all play `policy`, up to one factor.

    Ends count by the size of the return; so it is exact in games in which every return has the same size.
    """
    form, plans = flat.form, plan(flat, policy)
    return _meet(form._replace(payoff=np.abs(form.payoff)), flat.players, plans)


# Compiled passes. `form` is that of the flat game; arrays are [S].


@njit(cache=True, fastmath={"reassoc", "contract"})
def _earn(rows, others, payoff, plans, first, end, values):
    """Writes what sequences `first` to `end` - 1 earn where they end the game, given the others' `plans`."""
    two, other = len(others) == 1, others[0]
    e = rows[first]
    for s in range(first, end):
        total, last = 0.0, rows[s + 1]
        while two and e < last:
            total += payoff[e] * plans[other[e]]
            e += 1
        while e < last:
            product = payoff[e]
            for k in range(len(others)):
                product *= plans[others[k, e]]
            total += product
            e += 1
        values[s] = total


@njit(cache=True)
def _evaluate(form, player, plans, values):
    """Writes what each sequence of `player` earns to `values`."""
    first, end = form.first[form.infos[player]], form.first[form.infos[player + 1]]
    _earn(form.rows, form.others, form.payoff, plans, player, player + 1, values)
    _earn(form.rows, form.others, form.payoff, plans, first, end, values)


@njit(cache=True)
def _learn(form, player, kept, left, predictive, values, regrets, policy):
    """Going up: from earnings to counterfactual values, regrets and the next policy of `player`."""
    starts, parent = form.first, form.parent
    for i in range(form.infos[player + 1] - 1, form.infos[player] - 1, -1):
        start, end = starts[i], starts[i + 1]
        value, total = 0.0, 0.0
        for s in range(start, end):
            value += policy[s] * values[s]
        values[parent[i]] += value
        for s in range(start, end):
            old, regret = regrets[s], values[s] - value
            now = old * (kept if old > 0.0 else left) + regret
            if left == 0.0:
                now = max(now, 0.0)
            regrets[s] = now
            policy[s] = max(now + regret if predictive else now, 0.0)
            total += policy[s]
        scale, even = (1.0 / total, 0.0) if total > 0.0 else (0.0, 1.0 / (end - start))
        for s in range(start, end):
            policy[s] = policy[s] * scale + even


@njit(cache=True)
def _descend(form, player, weight, policy, plans, average):
    """Going down: adds the old plan of `player` to the average and makes the new one."""
    starts, parent = form.first, form.parent
    for i in range(form.infos[player], form.infos[player + 1]):
        reach = plans[parent[i]]
        for s in range(starts[i], starts[i + 1]):
            average[s] += weight * plans[s]
            plans[s] = reach * policy[s]


@njit(cache=True)
def _discount(t, power):
    if power == -np.inf:
        return 0.0
    # Not 0 at first either, where it counts for nothing: 0 cuts off negative regrets.
    return 1.0 if power == np.inf or t == 0 else t**power / (t**power + 1.0)


@njit(cache=True, nogil=True)
def _iterate(
    form, done, n, alternating, positive, negative, predictive, averaging, regrets, policy, plans, average, values
):
    players = len(form.infos) - 1
    for t in range(done, done + n):
        kept, left, weight = _discount(t, positive), _discount(t, negative), (t + 1.0) ** averaging
        for turn in range(players if alternating else 1):
            first, end = (turn, turn + 1) if alternating else (0, players)
            for player in range(first, end):
                _evaluate(form, player, plans, values)
            for player in range(first, end):
                _learn(form, player, kept, left, predictive, values, regrets, policy)
                _descend(form, player, weight, policy, plans, average)


@njit(cache=True)
def _realize(form, policy, plans):
    for i in range(len(form.parent)):
        for s in range(form.first[i], form.first[i + 1]):
            plans[s] = plans[form.parent[i]] * policy[s]


@njit(cache=True)
def _behaviour(form, plans):
    policy = np.ones(len(plans))
    for i in range(len(form.parent)):
        start, end = form.first[i], form.first[i + 1]
        total = plans[start:end].sum()
        for s in range(start, end):
            policy[s] = plans[s] / total if total > 0.0 else 1.0 / (end - start)
    return policy


@njit(cache=True)
def _look_ahead(form, player, policy, plans, values):
    """Writes what each sequence of `player` earns in the end to `values`."""
    _evaluate(form, player, plans, values)
    for i in range(form.infos[player + 1] - 1, form.infos[player] - 1, -1):
        for s in range(form.first[i], form.first[i + 1]):
            values[form.parent[i]] += policy[s] * values[s]


@njit(cache=True)
def _respond(form, player, plans, policy):
    """The best that `player` can do against the others' `plans`, written to `policy`; returns what it is worth."""
    values = np.zeros(len(plans))
    _evaluate(form, player, plans, values)
    for i in range(form.infos[player + 1] - 1, form.infos[player] - 1, -1):
        start, end = form.first[i], form.first[i + 1]
        best = start + np.argmax(values[start:end])
        policy[start:end] = 0.0
        policy[best] = 1.0
        values[form.parent[i]] += values[best]
    return values[player]


@njit(cache=True)
def _meet(form, players, plans):
    """For each set, the sum of what its sequences earn in the end times the probability to play them."""
    values, met = np.zeros(len(plans)), np.zeros(len(form.parent))
    for player in range(players):
        _evaluate(form, player, plans, values)
    for i in range(len(form.parent) - 1, -1, -1):
        for s in range(form.first[i], form.first[i + 1]):
            met[i] += plans[s] * values[s]
        before = form.parent[i]
        if plans[before] > 0.0:
            values[before] += met[i] / plans[before]
    return met
