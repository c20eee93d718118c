"""Statistics of a tournament, over blocks of games on the same luck.

Ratings are those of the Plackett-Luce model (Luce 1959, Plackett 1975): among the entrants in a game, each wins with
probability in proportion to its strength. Strengths come from choix (Maystre and Grossglauser 2015, iterative Luce
spectral ranking on a matrix of who won where whom else took part): by Luce's choice axiom, of two entrants in a game
the one wins against the other as if the two were alone, given that one of them wins. choix was chosen because it is
small, plain numpy and maximum likelihood (openskill updates in the order of play, so that the order would matter;
evalica knows pairs only by name). Ratings are on Elo's scale, 400 points for odds of 10 to 1, and 0 on average.

Intervals are of 95 %, by a bootstrap over blocks (Efron 1979); its resamples are fitted all at once.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import choix
import numpy as np
from scipy import optimize, special, stats

from voyageur.eval.arena import Outcome

ELO = 400 / math.log(10)
RESAMPLES = 1000
TRACE = 1e-2  # games won by each against each beforehand, so that all ratings are finite
_SEED = 0  # of the bootstrap, so that the same games give the same report
_SCORE_TRACE = 0.25  # how often each extreme score counts as seen beforehand in the likelihood ratio


@dataclass(frozen=True)
class Blocks:
    """What counts of a tournament's games; B blocks, E entrants.

    Attributes:
      wins: [B, E] games won, shared first places by their share.
      seats: [B, E] seats taken.
      beats: [B, E, E] games that the first won where the second took part, counted a seat of the second each.
      tables: [B] number of the group of entrants that met.
    """

    wins: np.ndarray
    seats: np.ndarray
    beats: np.ndarray
    tables: np.ndarray

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], entrants: int) -> "Blocks":
        """From games in their order; those of one block stand together."""
        numbers: dict[int, int] = {}
        groups: dict[tuple[int, ...], int] = {}
        wins: list[np.ndarray] = []
        seats: list[np.ndarray] = []
        beats: list[np.ndarray] = []
        tables: list[int] = []
        for outcome in outcomes:
            if outcome.block not in numbers:
                numbers[outcome.block] = len(numbers)
                tables.append(groups.setdefault(tuple(sorted(outcome.seating)), len(groups)))
                for rows, shape in ((wins, entrants), (seats, entrants), (beats, (entrants, entrants))):
                    rows.append(np.zeros(shape))
            block = numbers[outcome.block]
            for seat, share in enumerate(shares(outcome)):
                entrant = outcome.seating[seat]
                seats[block][entrant] += 1
                wins[block][entrant] += share
                for other in outcome.seating:
                    beats[block][entrant, other] += share * (other != entrant)
        shape = (len(wins), entrants)
        return cls(
            np.array(wins).reshape(shape),
            np.array(seats).reshape(shape),
            np.array(beats).reshape(*shape, entrants),
            np.array(tables, int),
        )

    def scores(self, entrant: int) -> np.ndarray:
        """[B'] wins a seat of `entrant`, of the blocks in which it took part."""
        played = self.seats[:, entrant] > 0
        return self.wins[played, entrant] / self.seats[played, entrant]


def shares(outcome: Outcome) -> list[float]:
    """Every seat's share of the first place: 1 for the one with the greatest return, split where several have it.

    Where one forfeits, it is split among the seats of the other entrants.
    """
    if outcome.forfeit is not None:
        first = [entrant != outcome.seating[outcome.forfeit] for entrant in outcome.seating]
    else:
        best = max(outcome.returns)
        first = [value == best for value in outcome.returns]
    return [won / sum(first) for won in first]


def fit(beats: np.ndarray) -> np.ndarray:
    """[E] ratings from [E, E] wins, 0 on average."""
    params = choix.ilsr_pairwise_dense(beats + TRACE * (1 - np.eye(len(beats))), max_iter=1000, tol=1e-6)
    return ELO * (params - params.mean())


def fits(beats: np.ndarray) -> np.ndarray:
    """[R, E] ratings, each as `fit` finds it, from [R, E, E] wins: Newton's method on all at once."""
    wins = beats + TRACE * (1 - np.eye(beats.shape[-1]))
    games = wins + wins.transpose(0, 2, 1)
    params = np.zeros(wins.shape[:2])
    step = np.full(1, np.inf)
    while np.abs(step).max() > 1e-6:
        chances = special.expit(params[:, :, None] - params[:, None, :])
        weights = games * chances * (1 - chances)
        # One is added everywhere since otherwise only differences of parameters are determined.
        curvature = weights.sum(axis=2)[:, :, None] * np.eye(beats.shape[-1]) - weights + 1
        step = np.linalg.solve(curvature, (wins - games * chances).sum(axis=2)[:, :, None])[:, :, 0]
        params += np.clip(step, -2, 2)  # farther than that the second derivatives say little
    return ELO * (params - params.mean(axis=1, keepdims=True))


def ratings(blocks: Blocks, resamples: int = RESAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """([E] ratings, [R, E] those of resamples of the blocks).

    To the blocks of every table comes one in which each two of its entrants have won half a game of each other. Without
    it who always wins would be rated infinitely high, and every resample alike: with it the interval of such an entrant
    is about that of the rule of three.
    """
    n = blocks.seats.shape[1]
    _, firsts = np.unique(blocks.tables, return_index=True)
    met = (blocks.seats[firsts] > 0).astype(float)
    even = 0.5 * met[:, :, None] * met[:, None, :] * (1 - np.eye(n))
    beats = np.concatenate([blocks.beats, even])
    weights = np.random.default_rng(_SEED).multinomial(len(beats), np.full(len(beats), 1 / len(beats)), resamples)
    return fit(beats.sum(axis=0)), fits(np.tensordot(weights, beats, axes=1))


def interval(values: np.ndarray, blocks: int) -> tuple[float, float]:
    """95 % interval from `values` [R] resampled from so many `blocks`; everything is possible from fewer than 2.

    Percentiles, moved outwards as far as Student's t asks for with few blocks (the expanded percentile interval of
    Hesterberg 2015).
    """
    if blocks < 2:
        return -math.inf, math.inf
    tail = 100 * float(stats.norm.cdf(math.sqrt(blocks / (blocks - 1)) * stats.t.ppf(0.025, blocks - 1)))
    low, high = np.percentile(values, (tail, 100 - tail))
    return float(low), float(high)


def share_interval(wins: np.ndarray, seats: np.ndarray) -> tuple[float, float]:
    """95 % interval of the share of games won, from [B] wins and games a block.

    Wilson's (1927), with the number of games divided by the design effect of the blocks (Kish 1965) and corrected for
    few blocks by Student's t (Korn and Graubard 1998): it holds for few games and for who always wins, too.
    """
    n, p = seats.sum(), wins.sum() / seats.sum()
    blocks, spread = len(wins), p * (1 - p)
    if blocks > 1:
        error = np.sum((wins - p * seats) ** 2) * blocks / (blocks - 1) / n**2
        effect = max(error * n / spread, 1 / seats.max()) if spread > 0 else 1.0
        n /= effect * (stats.t.ppf(0.975, blocks - 1) / stats.norm.ppf(0.975)) ** 2
    return _wilson(p, n)


def _wilson(p: float, n: float) -> tuple[float, float]:
    z = float(stats.norm.ppf(0.975))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def likelihood_of_superiority(margins: np.ndarray) -> float:
    """Probability that the true mean of block `margins` [B] is above 0 (normal approximation).

    As in `ratings` an even block comes to them, so that a few that are all won are no certainty.
    """
    margins = np.append(margins, 0.0)
    error = margins.std() / math.sqrt(len(margins))
    return float(stats.norm.cdf(margins.mean() / error)) if error else 0.5


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test (Wald 1945) of one entrant, alone against others all alike.

    The hypotheses are that it is `elo0` or `elo1` points stronger, so that it wins the share that Plackett-Luce gives.
    The likelihood ratio is the generalised one for the mean of block scores: each hypothesis takes the distribution
    with its mean that makes the observed scores likeliest (Van den Bergh, "The generalized maximum likelihood ratio
    for the expectation value of a distribution", as in Fishtest); it needs no model of draws or of paired luck.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -2000 <= self.elo0 < self.elo1 <= 2000:
            raise ValueError(f"sprt: expected elo0 below elo1, from -2000 to 2000, got {self.elo0} and {self.elo1}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name}: expected a number between 0 and 0.5, got {getattr(self, name)}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which elo0 and elo1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, scores: np.ndarray, players: int) -> float:
        """The log-likelihood ratio of elo1 to elo0 after block `scores` [B]."""
        values, counts = np.unique(scores, return_counts=True)
        values = np.concatenate([values, [0.0, 1.0]])
        counts = np.concatenate([counts, [_SCORE_TRACE, _SCORE_TRACE]])
        fits = [_log_fit(values, counts / counts.sum(), expected_share(elo, players)) for elo in (self.elo0, self.elo1)]
        return float(counts @ (fits[1] - fits[0]))

    def verdict(self, ratio: float) -> str | None:
        """The hypothesis that `ratio` is enough to accept, `elo0` or `elo1`; None while it is not."""
        low, high = self.bounds
        return "elo1" if ratio >= high else "elo0" if ratio <= low else None


def expected_share(elo: float, players: int) -> float:
    """The share of games won by who is `elo` points stronger than each of the others."""
    return 1 / (1 + (players - 1) * 10 ** (-elo / 400))


def _log_fit(values: np.ndarray, probs: np.ndarray, mean: float) -> np.ndarray:
    """Logarithms, up to the same constants, of the likeliest probabilities of `values` that have this `mean`."""
    away = values - mean
    low, high = -1 / away.max(), -1 / away.min()
    margin = 1e-9 * (high - low)
    theta = optimize.brentq(lambda t: np.sum(probs * away / (1 + t * away)), low + margin, high - margin)
    return -np.log1p(theta * away)
