"""Policies in files, the bots that play them, and files that are none."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voyageur import games, solvers
from voyageur.solvers import cfr, flatten, policies, sealed

ROUND = {"scope": "round", "first_leader": 0, "elements": 3, "copies": 2, "hand": 2, "exchange": 1, "supports": 1}


def solved(game: Any, path: Path) -> tuple[flatten.Flat, np.ndarray]:
    """Solves `game` roughly and writes the policy to `path`; returns it too."""
    flat = flatten.flatten(game)
    solver, gap = cfr.solve(flat, cfr.VARIANTS["pcfr+"], 50, 0.0)
    policy = solver.average_policy()
    policies.write(policies.from_flat(flat, policy, "pcfr+", solver.iterations, gap), path)
    return flat, policy


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy for OpenSpiel's Kuhn poker."""
    path = tmp_path_factory.mktemp("policies") / "kuhn.policy"
    solved(pyspiel.load_game("kuhn_poker"), path)
    return path


@pytest.fixture(scope="module")
def small_round(tmp_path_factory: pytest.TempPathFactory) -> tuple[games.Game, Path, flatten.Flat, np.ndarray]:
    """A reduced round of The Yellow House, with its policy in a file and as it was."""
    game = games.load("yellowhouse", **ROUND)
    path = tmp_path_factory.mktemp("policies") / "round.policy"
    return game, path, *solved(game, path)


def test_reads_what_was_written(small_round: Any) -> None:
    """Every set has its actions and probabilities, to the last bit."""
    _, path, flat, policy = small_round
    found = policies.read(path)
    assert found.header.game == flat.game
    assert found.header.nash_conv == cfr.nash_conv(flat, policy)
    for i, key in enumerate(flat.keys.tolist()):
        start, end = flat.form.first[i], flat.form.first[i + 1]
        expected = dict(zip(flat.actions[start:end].tolist(), policy[start:end].tolist(), strict=True))
        assert found.at(key) == expected
    assert found.at(12345) is None


def resigned(data: bytes) -> bytes:
    """`data` with a checksum that fits."""
    return data[:-32] + hashlib.blake2b(data[:-32], digest_size=32).digest()


def with_header(data: bytes, **changes: Any) -> bytes:
    """The file with other header fields (None: left out), and a checksum that fits."""
    length = int.from_bytes(data[12:16], "little")
    fields = json.loads(data[16 : 16 + length]) | changes
    header = json.dumps({key: value for key, value in fields.items() if value is not ...}).encode()
    return resigned(data[:12] + len(header).to_bytes(4, "little") + header + data[16 + length :])


WRONG = {
    "empty": (lambda data: b"", "no policy"),
    "other": (lambda data: b"PK\x03\x04" + data, "no policy"),
    "version": (lambda data: data[:8] + b"\x09\0\0\0" + data[12:], "version 9, expected 1"),
    "truncated": (lambda data: data[:-1], "truncated or damaged"),
    "changed": (lambda data: data[:-40] + b"\xff" + data[-39:], "truncated or damaged"),
    "field": (lambda data: with_header(data, game=...), "header: expected an object with game"),
    "kind": (lambda data: with_header(data, iterations="many"), "header: iterations: expected a whole number"),
    "flag": (lambda data: with_header(data, recall=1), "header: recall: expected true or false"),
    "gap": (lambda data: with_header(data, nash_conv="0"), "header: nash_conv: expected a number or null"),
    "sets": (lambda data: with_header(data, sets=10**15), "bytes, expected"),
    "no header": (lambda data: resigned(data[:12] + b"\xff" * 4 + data[16:]), "header: expected an object"),
    "probs": (lambda data: resigned(data[:-40] + b"\xff" * 40), "probs: expected probabilities"),
}


@pytest.mark.parametrize(("spoil", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_files(spoil: Any, message: str, kuhn: Path, tmp_path: Path) -> None:
    """Each gets one line that names the file and what is wrong."""
    path = tmp_path / "wrong.policy"
    path.write_bytes(spoil(kuhn.read_bytes()))
    with pytest.raises(sealed.SealedError, match=message) as caught:
        policies.read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 900), byte=st.integers(0, 255), fitting=st.booleans())
def test_damaged_files(at: int, byte: int, fitting: bool, kuhn: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Any byte changed, with or without a checksum that fits, gives a policy or one line."""
    data = bytearray(kuhn.read_bytes())
    data[at % len(data)] = byte
    path = tmp_path_factory.mktemp("damaged") / "damaged.policy"
    path.write_bytes(resigned(bytes(data)) if fitting else bytes(data))
    try:
        policies.read(path)
    except sealed.SealedError as error:
        assert "\n" not in str(error)


def test_bot_plays_the_policy(small_round: Any, asked: Callable[..., Any]) -> None:
    """In every state of some games the bot's probabilities are those of the policy, whatever the other holds."""
    game, path, flat, policy = small_round
    bots = [solvers.make_bot(f"cfr:policy={path}", game, player) for player in range(2)]
    place = {int(key): i for i, key in enumerate(flat.keys)}
    for seed in range(5):
        for state, player, bot in asked(game, bots, seed):
            i = place[flatten.information(state, player)]
            said = [prob for _, prob in bot.get_policy(state)]
            assert said == pytest.approx(policy[flat.form.first[i] : flat.form.first[i + 1]])


def test_advice_from_a_policy(small_round: Any) -> None:
    """Of a state the policy's own answer; of its position, without a history, the average of those that fit."""
    game, path, flat, policy = small_round
    state = game.new_initial_state()
    for action in (0, 1, 0, 2):
        state.apply_action(action)
    seen = solvers.advise(state, player=0, solver="cfr", policy=str(path), top=None)
    assert seen.kind == "equilibrium"
    assert seen.nash_conv == cfr.nash_conv(flat, policy)
    view = games.view_from(games.position_of(state, viewer=0))
    from_position = solvers.advise(view, solver=f"cfr:policy={path}", top=None)
    assert {m.text: m.share for m in from_position.moves} == pytest.approx({m.text: m.share for m in seen.moves})


def test_likelihood_is_that_of_being_met(small_round: Any) -> None:
    """In a game that is won or lost the sets of a player's first decision are met with probability 1 together."""
    _, _, flat, policy = small_round
    met = cfr.likelihood(flat, policy)
    for player in range(2):
        assert met[(flat.form.parent == player) & (flat.owner == player)].sum() == pytest.approx(1.0)


def test_openspiel_bot(kuhn: Path) -> None:
    """The policy of a game that is not ours is played too."""
    game = pyspiel.load_game("kuhn_poker")
    bot = solvers.make_bot("cfr", game, 0, policy=str(kuhn))
    state = game.new_initial_state()
    for action in (0, 1):
        state.apply_action(action)
    found = policies.read(kuhn).at(flatten.information(state, 0))
    assert dict(bot.step_with_policy(state)[0]) == pytest.approx(found)
    advice = solvers.advise(state, solver=f"cfr:policy={kuhn}", top=None)
    assert {move.actions[0]: move.share for move in advice.moves} == pytest.approx(found)


def test_refused_bots(kuhn: Path, tmp_path: Path) -> None:
    """A policy of another game, no file, a file that is not there: one line each, when the bot is made."""
    game = games.load("voyageur_kuhn_poker")
    for policy, message in (
        (str(kuhn), r"is for kuhn_poker\(\), not for voyageur_kuhn_poker"),
        ("", "expected a file made by voyageur solve"),
        (str(tmp_path / "none"), "No such file"),
    ):
        for asked in (game, pyspiel.load_game("leduc_poker")):
            with pytest.raises(ValueError, match=message if asked is game or not policy else "policy: "):
                solvers.make_bot("cfr", asked, 0, policy=policy)
    with pytest.raises(ValueError, match="expected cfr:OPTION=VALUE, got 'x'"):
        solvers.make_bot("cfr:x", game, 0)
    with pytest.raises(ValueError, match="no such option"):
        solvers.make_bot("cfr:x=1", pyspiel.load_game("kuhn_poker"), 0)
