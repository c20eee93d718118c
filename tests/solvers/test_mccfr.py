"""Sampling CFR: what it converges to, its table, and trainings that are stopped and go on."""

import signal
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voyageur import games, solvers
from voyageur.solvers import cfr, flatten, mccfr, policies, sealed

KUHN = "voyageur_kuhn_poker"
ROUND = {"scope": "round", "first_leader": 0, "elements": 3, "copies": 2, "hand": 2, "exchange": 1, "supports": 1}


def gap(training: mccfr.Mccfr) -> float:
    """NashConv of what was learnt, all else being uniform."""
    flat, learnt = flatten.flatten(training.game), training.policy()
    policy = cfr.uniform(flat)
    for i, seen in enumerate(flat.seen.tolist()):
        start, end = flat.form.first[i], flat.form.first[i + 1]
        found = learnt.at(seen)
        if found is not None:
            policy[start:end] = [found[action] for action in flat.actions[start:end].tolist()]
    return cfr.nash_conv(flat, policy)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sampling", mccfr.SAMPLINGS)
@pytest.mark.parametrize(("name", "params", "most"), [(KUHN, {}, 0.03), ("yellowhouse", ROUND, 0.08)])
def test_comes_close_to_equilibrium(
    sampling: str, name: str, params: dict[str, Any], most: float, threads: int
) -> None:
    """More samples, a smaller NashConv, and in the end a small one."""
    training = mccfr.Mccfr(games.load(name, **params), sampling, seed=1, threads=threads)
    training.run(300)
    before = gap(training)
    training.run(60_000)
    assert gap(training) < min(most, before / 2)


def test_baselines_are_of_the_player_who_chooses() -> None:
    """Where returns add up to 1, an action is worth about a half; what it brings the other seat does not count."""
    training = mccfr.Mccfr(games.load("canyon", players=2, max_rounds=1), "outcome", seed=1, memory=10**8)
    training.run(3000)
    baseline = training.table.baseline[: training.table.used[1]]
    assert 0.4 < baseline[baseline != 0].mean() < 0.6


@pytest.mark.parametrize("sampling", mccfr.SAMPLINGS)
def test_table_is_bounded(sampling: str) -> None:
    """A full table takes no more sets; training goes on with those it has."""
    game = games.load("yellowhouse", **ROUND)
    training = mccfr.Mccfr(game, sampling, memory=1)
    training.table = mccfr._table(16)
    training.run(200)
    assert training.full
    assert training.sets == 12
    sums = training.table.sum.sum()
    training.run(200)
    assert training.table.sum.sum() > sums
    assert (np.diff(training.policy().keys.astype(object)) > 0).all()


@pytest.mark.parametrize("sampling", mccfr.SAMPLINGS)
def test_threads_share_a_table(sampling: str) -> None:
    """Sets that several threads add at once are there once each, with actions of their own, and all are counted."""
    training = mccfr.Mccfr(games.load("yellowhouse", scope="round"), sampling, memory=1, threads=4)
    for _ in range(10):
        training.table = mccfr._table(1 << 12)
        training.run(3000)
        table = training.table
        used = np.flatnonzero(table.key)
        used = used[np.argsort(table.first[used])]
        assert training.sets == len(used) == len(np.unique(table.key[used]))
        assert 4 * len(used) <= 3 << 12
        ends = np.cumsum(table.size[used])
        assert np.array_equal(table.first[used], ends - table.size[used])
        assert table.used[1] == ends[-1] <= len(table.action)
        within = np.delete(np.diff(table.action[: ends[-1]]), ends[:-1] - 1)
        assert (within > 0).all()  # legal actions are in order


def same(one: mccfr.Mccfr, other: mccfr.Mccfr) -> bool:
    """Whether two trainings know the same, to the last bit."""
    slots = [np.flatnonzero(t.table.key)[np.argsort(t.table.key[t.table.key > 0])] for t in (one, other)]
    keys = [t.table.key[s] for t, s in zip((one, other), slots, strict=True)]
    arrays = ("action", "regret", "sum", "baseline")
    equal = all(np.array_equal(getattr(one.table, name), getattr(other.table, name)) for name in arrays)
    return equal and np.array_equal(*keys) and one.iterations == other.iterations


@pytest.mark.parametrize("sampling", mccfr.SAMPLINGS)
def test_goes_on_as_if_never_stopped(sampling: str, tmp_path: Path) -> None:
    """Saved, resumed and run on, a training is what it would have been; however it is cut into slices."""
    game, path = games.load(KUHN), tmp_path / "kuhn.training"
    whole = mccfr.Mccfr(game, sampling, seed=4)
    whole.run(500)
    first = mccfr.Mccfr(game, sampling, seed=4)
    first.run(123)
    first.save(path)
    second = mccfr.Mccfr(game, sampling, seed=4)
    assert not mccfr.train(second, 60.0, 500, str(path))
    assert same(whole, second)
    third = mccfr.Mccfr(game, sampling, seed=4)
    third.resume(str(path))
    assert same(whole, third)


def test_one_thread_is_repeatable(tmp_path: Path) -> None:
    """One thread writes the same file every time, which does not even say that there was one."""
    files = []
    for arguments in ({}, {"threads": 1}):
        training = mccfr.Mccfr(games.load(KUHN), seed=4, **arguments)
        training.run(500)
        training.save(tmp_path / "kuhn.training")
        files.append((tmp_path / "kuhn.training").read_bytes())
    assert files[0] == files[1]
    assert b"threads" not in files[0]


def test_as_many_threads_as_there_are(tmp_path: Path) -> None:
    """A checkpoint does not say how many threads learnt, and any number may go on."""
    game, path = games.load(KUHN), tmp_path / "kuhn.training"
    first, (second, third) = mccfr.Mccfr(game, seed=4), (mccfr.Mccfr(game, seed=4, threads=3) for _ in range(2))
    first.run(100)
    first.save(path)
    for other in (second, third):
        other.resume(str(path))
        assert same(first, other)
    assert np.array_equal(second._rngs, third._rngs)
    assert not mccfr.train(second, 60.0, 100, str(path))
    assert same(first, second)
    assert len(np.unique(second._rngs)) == 6
    second.run(2)  # not a share for everyone
    assert second.iterations == 102
    second.save(path)
    first.resume(str(path))
    assert same(first, second)


def test_ctrl_c_waits_for_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it comes, what the threads do is done and counted before the training ends."""
    training, waits = mccfr.Mccfr(games.load(KUHN), threads=2), [KeyboardInterrupt, KeyboardInterrupt]
    wait = mccfr.wait

    def impatient(shares: list[Future[None]]) -> None:
        if waits:
            raise waits.pop()
        wait(shares)

    monkeypatch.setattr(mccfr, "wait", impatient)
    with pytest.raises(KeyboardInterrupt):
        training.run(20_000)
    assert training.iterations == 20_000
    waits.append(KeyboardInterrupt)
    assert mccfr.train(training, 60.0, 10**9)


KILLED = """
import sys
from voyageur import games
from voyageur.solvers import mccfr
training = mccfr.Mccfr(games.load("voyageur_kuhn_poker"), "external", seed=4)
mccfr.train(training, 600.0, 10**12, sys.argv[1], 0.001, lambda *told: print("on", flush=True))
"""


def test_survives_kill(tmp_path: Path) -> None:
    """Killed in the middle, a training goes on from its last checkpoint to the same table."""
    path = tmp_path / "kuhn.training"
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while not path.exists():
            assert process.stdout.readline() == "on\n"
        process.send_signal(signal.SIGKILL)
    game = games.load(KUHN)
    resumed, whole = mccfr.Mccfr(game, seed=4), mccfr.Mccfr(game, seed=4)
    resumed.resume(str(path))
    resumed.run(50)
    whole.run(resumed.iterations)
    assert same(whole, resumed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 5}, "seed: it has 4, this training 5"),
        ({"sampling": "outcome"}, "sampling: it has external, this training outcome"),
        ({"memory": 1000}, None),
    ],
)
def test_other_trainings(change: dict[str, Any], message: str | None, tmp_path: Path) -> None:
    """A checkpoint of another training is refused in one line; one for which there is just room is not."""
    game, path = games.load(KUHN), tmp_path / "kuhn.training"
    training = mccfr.Mccfr(game, seed=4)
    training.run(100)
    training.save(path)
    other = mccfr.Mccfr(game, **({"seed": 4} | change))
    if message is None:
        other.resume(str(path))
        return
    with pytest.raises(sealed.SealedError, match=message):
        other.resume(str(path))


def test_damaged_checkpoint(tmp_path: Path) -> None:
    """A file cut short, or a policy in place of a training, gets one line."""
    game, path = games.load(KUHN), tmp_path / "kuhn.training"
    training = mccfr.Mccfr(game)
    training.run(100)
    training.save(path)
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(sealed.SealedError, match="truncated or damaged"):
        training.resume(str(path))
    policies.write(training.policy(), path)
    with pytest.raises(sealed.SealedError, match="no checkpoint"):
        training.resume(str(path))
    with pytest.raises(ValueError, match="sampling: expected one of external, outcome, got 'all'"):
        mccfr.Mccfr(game, "all")
    with pytest.raises(ValueError, match="threads: expected a whole number from 1 to 256, got 0"):
        mccfr.Mccfr(game, threads=0)


def test_trained_bot(tmp_path: Path) -> None:
    """A trained policy is played, also where nothing was learnt, and shows what it was trained on."""
    game, path = games.load("yellowhouse", **ROUND), tmp_path / "round.policy"
    training = mccfr.Mccfr(game)
    training.run(3)
    policies.write(training.policy(), path)
    header = policies.read(path).header
    assert (header.algorithm, header.iterations, header.nash_conv) == ("mccfr external", 3, None)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
            continue
        bots = [solvers.make_bot(f"cfr:policy={path}", game, player) for player in range(2)]
        if state.is_simultaneous_node():
            state.apply_actions([bot.step(state) for bot in bots])
        else:
            state.apply_action(bots[state.current_player()].step(state))
    assert sum(state.returns()) == 0
