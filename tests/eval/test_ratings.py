"""Statistics against known truth.

With `--thorough`, and `-n 0 -s` to see the figures, 1,000 tournaments and sequential tests of each kind are simulated.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from voyageur.eval import ratings, schedule
from voyageur.eval.arena import Outcome
from voyageur.eval.ratings import Blocks, Sprt
from voyageur.eval.schedule import Pairing

FOUR = (90.0, 30.0, -30.0, -90.0)


def game(
    number: int, block: int, seating: Sequence[int], returns: Sequence[float], forfeit: int | None = None
) -> Outcome:
    """A finished game."""
    return Outcome(number, block, list(seating), list(returns), forfeit)


def scheduled(form: str, strengths: Sequence[float], players: int, games: int) -> list[tuple[Pairing, np.ndarray]]:
    """The games of a tournament, each with its seats' chances to win."""
    weights = np.exp(np.array(strengths) / ratings.ELO)
    pairings = schedule.pairings(form, len(strengths), players, games, "balanced", 0)
    return [(p, weights[list(p.seating)] / weights[list(p.seating)].sum()) for p in pairings]


def simulated(games: list[tuple[Pairing, np.ndarray]], seed: int) -> list[Outcome]:
    """A tournament of players whose ratings are known."""
    found = []
    for (pairing, chances), drawn in zip(games, np.random.default_rng(seed).random(len(games)), strict=True):
        returns = [0.0] * len(chances)
        returns[min(int(np.searchsorted(np.cumsum(chances), drawn)), len(chances) - 1)] = 1.0
        found.append(game(pairing.number, pairing.block, pairing.seating, returns))
    return found


def true_shares(games: list[tuple[Pairing, np.ndarray]]) -> np.ndarray:
    """The share of games that each entrant is expected to win."""
    seats = np.concatenate([pairing.seating for pairing, _ in games])
    return np.bincount(seats, np.concatenate([chances for _, chances in games])) / np.bincount(seats)


def test_shares() -> None:
    """First places, shared ones, and forfeits, whatever the returns say."""
    assert ratings.shares(game(0, 0, (0, 1, 2), (3, 1, 2))) == [1, 0, 0]
    assert ratings.shares(game(0, 0, (0, 1, 2), (2, 1, 2))) == [0.5, 0, 0.5]
    assert ratings.shares(game(0, 0, (0, 1), (0, 0))) == [0.5, 0.5]
    assert ratings.shares(game(0, 0, (0, 1, 2), (9, 0, 0), forfeit=0)) == [0, 0.5, 0.5]
    assert ratings.shares(game(0, 0, (0, 1, 0), (0, 0, 9), forfeit=0)) == [0, 1, 0]


def test_blocks() -> None:
    """Wins, seats and who won where who took part, by block."""
    blocks = Blocks.of(
        [game(0, 4, (0, 1, 1), (1, 0, 0)), game(1, 4, (1, 0, 1), (0, 0, 1)), game(2, 5, (2, 0, 0), (1, 1, 0))], 3
    )
    assert blocks.wins.tolist() == [[1, 1, 0], [0.5, 0, 0.5]]
    assert blocks.seats.tolist() == [[2, 4, 0], [2, 0, 1]]
    assert blocks.beats[0].tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 0]]
    assert blocks.beats[1].tolist() == [[0, 0, 0.5], [0, 0, 0], [1, 0, 0]]
    assert blocks.tables.tolist() == [0, 1]
    assert blocks.scores(0).tolist() == [0.5, 0.25] and blocks.scores(1).tolist() == [0.25]


@pytest.mark.parametrize(
    ("form", "players", "strengths"),
    [
        ("round-robin", 2, (120.0, 0.0, -120.0)),
        ("round-robin", 4, (100.0, 0.0, 0.0, -100.0)),
        ("gauntlet", 4, (90.0, -90.0)),
    ],
)
def test_ratings_find_the_truth(form: str, players: int, strengths: tuple[float, ...]) -> None:
    """With many games they come close to what the players were given."""
    blocks = Blocks.of(simulated(scheduled(form, strengths, players, 20_000), 1), len(strengths))
    found = ratings.fit(blocks.beats.sum(axis=0))
    assert found == pytest.approx(strengths, abs=12)


@pytest.mark.parametrize(
    ("strengths", "players", "games"),
    [((40.0, -40.0), 2, 120), ((40.0, -40.0), 4, 120), (FOUR, 2, 240), (FOUR, 4, 120)],
)
def test_intervals_cover_the_truth(
    strengths: tuple[float, ...], players: int, games: int, pytestconfig: pytest.Config
) -> None:
    """About 95 of 100 do, of ratings and of shares; too narrow ones would miss it more often."""
    thorough = pytestconfig.getoption("--thorough")
    repeats, entrants = 1000 if thorough else 50, len(strengths)
    plan = scheduled("round-robin", strengths, players, games)
    found, shares = np.zeros((repeats, 2, entrants), bool), true_shares(plan)
    for seed in range(repeats):
        blocks = Blocks.of(simulated(plan, seed), entrants)
        _, drawn = ratings.ratings(blocks)
        for entrant in range(entrants):
            played = blocks.seats[:, entrant] > 0
            low, high = ratings.interval(drawn[:, entrant], int(played.sum()))
            found[seed, 0, entrant] = low <= strengths[entrant] <= high
            low, high = ratings.share_interval(blocks.wins[played, entrant], blocks.seats[played, entrant])
            found[seed, 1, entrant] = low <= shares[entrant] <= high
    covered = found.mean(axis=(0, 2))
    print(f"\n{entrants} entrants, {players} players, {games} games: ratings {covered[0]:.3f}, shares {covered[1]:.3f}")
    assert np.all(np.abs(covered - 0.95) <= (0.02 if thorough else 0.07))


def test_who_always_wins_has_an_interval() -> None:
    """It is wide and finite, for ratings and for shares; one block says nothing."""
    blocks = Blocks.of([game(n, n, (0, 1), (1, 0)) for n in range(10)], 2)
    best, drawn = ratings.ratings(blocks, 500)
    low, high = ratings.interval(drawn[:, 0], 10)
    assert 0 < low < best[0] < high < 1500
    assert high - low > 200
    low, high = ratings.share_interval(blocks.wins[:, 0], blocks.seats[:, 0])
    assert (low, high) == pytest.approx((0.6615, 1.0), abs=1e-4)
    assert ratings.interval(drawn[:, 0], 1) == (-np.inf, np.inf)


def test_many_fits_at_once() -> None:
    """The same as one by one, also of those who lost everything, or did not meet."""
    rng = np.random.default_rng(5)
    beats = rng.integers(0, 9, (20, 5, 5)).astype(float) * (1 - np.eye(5))
    beats[1, 2] = 0
    beats[2, :2, 2:] = beats[2, 2:, :2] = 0
    assert ratings.fits(beats) == pytest.approx(np.array([ratings.fit(one) for one in beats]), abs=1e-2)


def test_paired_luck_narrows_the_interval() -> None:
    """Blocks in which luck decides, and cancels out, tell more than as many games each on luck of its own."""
    wins, seats = np.array([1.0] * 40), np.array([2.0] * 40)
    even = ratings.share_interval(wins, seats)
    loose = ratings.share_interval(np.tile([1.0, 0.0], 40), np.ones(80))
    assert even[0] < 0.5 < even[1]
    assert even[1] - even[0] < loose[1] - loose[0]


def test_likelihood_of_superiority() -> None:
    """One half for even scores, all for clear ones, and sensible in between."""
    assert ratings.likelihood_of_superiority(np.array([0.0, 0.0])) == 0.5
    assert ratings.likelihood_of_superiority(np.array([-1.0, 1.0] * 50)) == pytest.approx(0.5)
    won = [ratings.likelihood_of_superiority(np.ones(blocks)) for blocks in (1, 2, 20)]
    assert 0.8 < won[0] < 0.95 < won[1] < 0.999 < won[2] <= 1
    assert ratings.likelihood_of_superiority(-np.ones(2)) == pytest.approx(1 - won[1])


def test_expected_share() -> None:
    """Odds of 10 to 1 at 400 points; a fair share at none."""
    assert ratings.expected_share(400, 2) == pytest.approx(10 / 11)
    assert ratings.expected_share(0, 4) == 0.25


def test_likelihood_ratio() -> None:
    """For wins and losses alone it is that of two coins, as Wald has it."""
    test = Sprt(0, 100)
    p1 = ratings.expected_share(100, 2)
    scores = np.array([1.0] * 60 + [0.0] * 40)
    expected = 60 * np.log(p1 / 0.5) + 40 * np.log((1 - p1) / 0.5)
    assert test.ratio(scores, 2) == pytest.approx(expected, abs=0.05)
    assert test.ratio(np.full(50, 0.5), 2) < 0 < test.ratio(np.full(50, 1.0), 2)
    assert test.bounds == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert (test.verdict(3.0), test.verdict(-3.0), test.verdict(0.0)) == ("elo1", "elo0", None)


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, "elo1"), (120.0, "elo0")])
@pytest.mark.parametrize("players", [2, 4])
def test_error_rates(truth: float, wrong: str, players: int, pytestconfig: pytest.Config) -> None:
    """A sequential test errs no more often than it says."""
    repeats, most = (1000, 64) if pytestconfig.getoption("--thorough") else (50, 7)  # by chance more: once in 40 times
    test, rng, errors = Sprt(0, 120), np.random.default_rng(4), 0
    for _ in range(repeats):
        scores: list[float] = []
        verdict = None
        while verdict is None:
            scores.append(float(np.mean(rng.random(players) < ratings.expected_share(truth, players))))
            verdict = test.verdict(test.ratio(np.array(scores), players))
        errors += verdict == wrong
    print(f"\n{players} players, truth {truth:g}: {errors} of {repeats} wrong")
    assert errors <= most


@pytest.mark.parametrize("values", [(10, 10), (20, 10), (0, 1e6), (-1e6, 0), (0, 10, 0.5), (0, 10, 0.05, 0)])
def test_wrong_tests(values: tuple[float, ...]) -> None:
    """Hypotheses in the wrong order, error rates that are none."""
    with pytest.raises(ValueError, match=r"sprt|alpha|beta"):
        Sprt(*values)
