"""Properties of Niagara's rules over random play with all combinations of parameters."""

import itertools
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import Walk, examples

from voyageur import games
from voyageur.games import rules
from voyageur.games.niagara import rules as niagara
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game, apply_step

SEEDS = st.integers(0, 2**32 - 1)
PARAMS = st.fixed_dictionaries(
    {
        "players": st.integers(3, 5),
        "gems_per_colour": st.sampled_from([1, 2, 6, 7, 8, 20]),
        "initial_weather": st.integers(-1, 2),
        "initial_fork": st.sampled_from(["LEFT", "RIGHT", "RANDOM"]),
        "fork_mode": st.sampled_from(["ALTERNATE", "RANDOM"]),
        "min_flow": st.integers(0, 1),
        "reveal": st.sampled_from(["SEQUENTIAL", "SIMULTANEOUS"]),
        "end_timing": st.sampled_from(["FINISH_PHASE2", "IMMEDIATE"]),
        "tiebreak": st.sampled_from(["COUNT_THEN_FIRST", "FIRST", "VALUE_SUM"]),
        "max_recover_per_round": st.integers(1, 2),
        "unload_any_site": st.booleans(),
        "steal_requires_empty_move": st.booleans(),
        "handle_after_steal": st.booleans(),
        "first_player": st.one_of(st.none(), st.integers(0, 2)),
        "max_rounds": st.integers(1, 20),
        "sequential": st.booleans(),
    }
)
VALUES = (1, 2, 3, 4, 5)


@examples(120)
@given(PARAMS, SEEDS)
def test_what_always_holds(params: dict[str, Any], seed: int) -> None:
    """Gems are conserved, hands are equally large, somebody can always act, scratch fields are clean."""
    walk = Walk(games.load("niagara", **params), seed, seed % 4 > 0)
    s, players = walk.s, params["players"]
    for _ in walk:
        for colour in range(5):
            gems = s["owned"][:, colour].sum() + s["sites"][:, colour].sum() + (s["gem"] == colour).sum()
            assert gems == params["gems_per_colour"]
        assert (s["owned"] >= 0).all()
        assert (s["sites"] >= 0).all()
        assert ((s["gem"] >= niagara.NO_GEM) & (s["gem"] < 5)).all()
        assert ((s["at"] >= niagara.SHORE) & (s["at"] <= niagara.FALLEN)).all()
        assert -1 <= s["weather"] <= 2
        assert s["round"] <= params["max_rounds"]
        aboard = s["gem"] != niagara.NO_GEM
        assert not aboard[(s["at"] == niagara.SHORE) | (s["at"] == niagara.FALLEN)].any()
        played = [int(card) for card in s["played"][:players]]
        sizes = [int(hand).bit_count() + (card >= 0) for hand, card in zip(s["hands"], played, strict=False)]
        assert len(set(sizes)) == 1
        assert 1 <= sizes[0] <= 7
        assert not any(card >= 0 and hand >> card & 1 for hand, card in zip(s["hands"].tolist(), played, strict=False))

        player = walk.player()
        acting = range(players) if player == SIMULTANEOUS else [player] if player >= 0 or player == CHANCE else []
        for actor in acting:
            legal = walk.legal(actor)
            assert legal == sorted(set(legal))
            assert legal
            assert legal[0] >= 0
            assert legal[-1] < niagara.NUM_ACTIONS
        if rules.at_decision(s, walk.c):
            assert not any(s[name] for name in ("step", "may", "must", "canoe", "points", "handled", "upstream"))
            assert player == CHANCE or s["pushes"] == 0
        if s["phase"] in (niagara.CHOOSE, niagara.ACT):  # nobody gets this far without a canoe
            afloat = s["at"].reshape(-1, 2)[:players] != niagara.FALLEN
            turn_taken = [(seat - s["first"]) % players < s["turn"] for seat in range(players)]
            assert all(own.any() for own, taken in zip(afloat, turn_taken, strict=True) if not taken)
    assert s["phase"] == niagara.OVER


@examples(40)
@given(PARAMS, SEEDS)
def test_positions_round_trip(params: dict[str, Any], seed: int) -> None:
    """Every decision point that is reached can be written, is accepted again, and comes back byte for byte."""
    game = games.load("niagara", **params)
    walk, points = Walk(game, seed, seed % 4 > 0), 0
    for s in walk:
        state = game.state_with(walk.record)
        if not rules.at_decision(s, walk.c):
            with pytest.raises(games.PositionError):
                games.position_of(state)
            continue
        position = games.position_of(state)
        again = games.state_from(position)
        assert again.box.record.tobytes() == walk.record.tobytes()
        assert json.dumps(games.position_of(again)) == json.dumps(position)
        assert again.current_player() == state.current_player() or params["sequential"]
        for viewer in range(params["players"]):
            seen = games.position_of(state, viewer=viewer)
            assert json.dumps(games.view_from(seen).position) == json.dumps(seen)
            hidden = sum(player.get("played") == "?" for player in seen["players"])
            assert hidden == 0 or (seen["phase"] == "act" and params["reveal"] == "SEQUENTIAL")
        points += 1
    assert points >= 2


@pytest.mark.parametrize("params", [{"players": 3, "first_player": 0}, {"players": 3, "fork_mode": "RANDOM"}])
def test_positions_are_equal_when_records_are(params: dict[str, Any]) -> None:
    """Over the beginnings of many games, which often meet: equal positions have equal bytes and the other way round."""
    game = games.load("niagara", max_rounds=2, **params)
    by_bytes: dict[bytes, str] = {}
    by_text: dict[str, bytes] = {}
    met = 0
    for seed in range(400):
        walk = Walk(game, 4 * seed)
        for s in itertools.islice(walk, 30):
            if not rules.at_decision(s, walk.c):
                continue
            raw, text = walk.record.tobytes(), json.dumps(games.position_of(game.state_with(walk.record)))
            met += raw in by_bytes
            assert by_bytes.setdefault(raw, text) == text
            assert by_text.setdefault(text, raw) == raw
    assert met > 300
    assert len(by_bytes) > 1000


# The end, by section 7 of the rules, told once more in plain Python.


def places(s: np.void, params: dict[str, Any]) -> list[int]:
    """The places of a finished game."""
    seats, marks = range(params["players"]), []
    for seat in seats:
        owned = s["owned"][seat].tolist()
        count, value = sum(owned), sum(n * worth for n, worth in zip(owned, VALUES, strict=True))
        finished = max(owned) >= 4 or min(owned) >= 1 or count >= 7
        earlier = -((seat - int(s["first"])) % params["players"])
        if finished:
            order = {"COUNT_THEN_FIRST": (count,), "FIRST": (), "VALUE_SUM": (value, count)}[params["tiebreak"]]
            marks.append((1, *order, earlier))
        else:
            marks.append((0, value, count))
    return [1 + sum(other > mark for other in marks) for mark in marks]


@examples(200)
@given(PARAMS, SEEDS, st.booleans())
def test_the_end(params: dict[str, Any], seed: int, full: bool) -> None:
    """Returns are the shares of the win and sum to one; places are those of the rules."""
    walk = Walk(games.load("niagara", **params), seed, seed % 4 > 0)
    for _ in walk:
        pass
    finals = [walk.record.copy()]
    if full:  # random games seldom have two finishers, so hand out gems at random besides
        rng = np.random.default_rng(seed)
        for most in (1, 2, 4):
            finals.append(walk.record.copy())
            finals[-1]["owned"][0, : params["players"]] = rng.integers(0, most + 1, (params["players"], 5))
    for final in finals:
        expected = places(final[0], params)
        out, shares = np.zeros(niagara.MAX_PLAYERS, np.int64), np.zeros(niagara.MAX_PLAYERS)
        niagara.places(final[0], walk.c, out)
        rules.returns(final[0], walk.c, shares)
        assert out[: params["players"]].tolist() == expected
        winners = expected.count(1)
        assert shares[: params["players"]].tolist() == [1 / winners if place == 1 else 0.0 for place in expected]
        assert shares.sum() == pytest.approx(1)
        finished = any(niagara.meets_goal(final[0], seat) for seat in range(params["players"]))
        assert winners == 1 or not finished


# The river, by the table of section 5.5.

RIVER = {
    "S1": "S2 S3 S4 S5 L6 L6 L7 L7",
    "S2": "S3 S4 S5 R6 R6 R7 R7 F",
    "S3": "S4 S5 L6 L6 L7 L7 F F",
    "S4": "S5 R6 R6 R7 R7 F F F",
    "S5": "L6 L6 L7 L7 F F F F",
    "L6": "L7 L7 F F F F F F",
    "R6": "R6 R7 R7 F F F F F",
    "L7": "F F F F F F F F",
    "R7": "R7 F F F F F F F",
    "SHORE": " ".join(["SHORE"] * 8),
    "F": "F F F F F F F F",
}
SPACES = ["SHORE", "S1", "S2", "S3", "S4", "S5", "L6", "L7", "R6", "R7", "F"]
MIRROR = [0, 1, 2, 3, 4, 5, 8, 9, 6, 7, 10]


@pytest.mark.parametrize("start", RIVER)
@pytest.mark.parametrize("fork", [niagara.LEFT, niagara.RIGHT])
def test_river_table(start: str, fork: int) -> None:
    """Where one to eight pushes take a canoe, and its gem; the table is for LEFT first, its mirror for RIGHT."""
    game = games.load("niagara", players=3)
    record = game.new_initial_state().box.record
    side = (lambda space: space) if fork == niagara.LEFT else MIRROR.__getitem__
    record["at"][0, 2] = side(SPACES.index(start))
    loaded = start not in ("SHORE", "F")
    if loaded:
        record["gem"][0, 2] = 3
        record["sites"][0, 3, 3] -= 1
    for n, end in enumerate(RIVER[start].split()):
        niagara.push(record[0], game.c, (fork + n) % 2)
        assert record["at"][0, 2] == side(SPACES.index(end))
        kept = loaded and end != "F"
        assert record["gem"][0, 2] == (3 if kept else niagara.NO_GEM)
        assert record["sites"][0, 3, 3] == (6 if kept else 7)


@pytest.mark.parametrize("weather", [-1, 0, 1, 2])
@pytest.mark.parametrize("min_flow", [0, 1])
def test_flow(weather: int, min_flow: int) -> None:
    """n = max(min_flow, lowest card + weather), CLOUDs ignored, over all cards of three players."""
    game = games.load("niagara", players=3, min_flow=min_flow)
    record = game.new_initial_state().box.record
    record["weather"] = weather
    for cards in itertools.product(range(7), repeat=3):
        record["played"][0, :3] = cards
        lowest = min([card + 1 for card in cards if card != niagara.CLOUD], default=0)
        assert niagara.river_flow(record[0], game.c) == max(min_flow, lowest + weather)


# Symmetries: the river's two arms are alike, and so are the seats.


def mirrored(record: np.ndarray, game: Game) -> np.ndarray:
    """The same state with left and right exchanged."""
    other = record.copy()
    other["at"] = np.array(MIRROR)[record["at"]]
    if record["fork"][0] != niagara.RANDOM_FORK and game.parameters["fork_mode"] == "ALTERNATE":
        other["fork"] = 1 - record["fork"]
    return other


def mirrored_action(action: int, actor: int, s: np.void) -> int:
    """The same action with left and right exchanged."""
    if actor == CHANCE:
        return action if s["first"] < 0 else 1 - action
    if niagara.MOVE <= action < niagara.NO_THEFT:
        return niagara.MOVE + MIRROR[action - niagara.MOVE]
    return action


@examples(60)
@given(PARAMS, SEEDS)
def test_left_and_right_are_alike(params: dict[str, Any], seed: int) -> None:
    """In the mirror the mirrored actions are legal and lead to the mirrored states."""
    game = games.load("niagara", **params)
    walk, other = Walk(game, seed, seed % 4 > 0), Walk(game, seed, seed % 4 > 0)
    while walk.player() != TERMINAL:
        other.record[:] = mirrored(walk.record, game)
        before, player = walk.record.copy(), walk.player()
        assert other.player() == player
        for actor in range(params["players"]) if player == SIMULTANEOUS else [player]:
            wanted = sorted(mirrored_action(action, actor, before[0]) for action in walk.legal(actor))
            assert other.legal(actor) == wanted
        step = walk.step()
        apply_step(other.s, walk.c, {a: mirrored_action(action, a, before[0]) for a, action in step.items()})
        assert other.record.tobytes() == mirrored(walk.record, game).tobytes()


def turned(record: np.ndarray, players: int) -> np.ndarray:
    """The same state with every player one seat further."""
    other = record.copy()
    for name in ("hands", "played", "owned"):
        other[name][0, :players] = np.roll(record[name][0, :players], 1, axis=0)
    for name in ("at", "gem"):
        other[name][0, : 2 * players] = np.roll(record[name][0, : 2 * players], 2)
    if record["first"][0] >= 0:
        other["first"] = (record["first"] + 1) % players
    return other


def turned_action(action: int, actor: int, s: np.void, players: int) -> int:
    """The same action with every player one seat further."""
    if actor == CHANCE and s["first"] < 0:
        return (action + 1) % players
    if actor >= 0 and niagara.THEFT <= action < niagara.DECLINE:
        return niagara.THEFT + (action - niagara.THEFT + 2) % (2 * players)
    return action


@examples(60)
@given(PARAMS, SEEDS)
def test_seats_are_alike(params: dict[str, Any], seed: int) -> None:
    """With everybody one seat further the same actions are legal and lead to the same states, one seat further."""
    params = params | {"sequential": False}  # there the seats choose in the order of their numbers
    game, players = games.load("niagara", **params), params["players"]
    walk, other = Walk(game, seed, seed % 4 > 0), Walk(game, seed, seed % 4 > 0)
    while walk.player() != TERMINAL:
        other.record[:] = turned(walk.record, players)
        before, player = walk.record.copy(), walk.player()
        assert other.player() == ((player + 1) % players if player >= 0 else player)
        for actor in range(players) if player == SIMULTANEOUS else [player]:
            wanted = sorted(turned_action(action, actor, before[0], players) for action in walk.legal(actor))
            assert other.legal((actor + 1) % players if actor >= 0 else actor) == wanted
        step = {
            (actor + 1) % players if actor >= 0 else actor: turned_action(action, actor, before[0], players)
            for actor, action in walk.step().items()
        }
        apply_step(other.s, walk.c, step)
        assert other.record.tobytes() == turned(walk.record, players).tobytes()
