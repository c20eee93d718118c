"""Properties of The Yellow House over random play with all combinations of parameters."""

import itertools
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from walks import Walk, examples

from voyageur import games
from voyageur.games import rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game, apply_step
from voyageur.games.yellowhouse import rules as yellowhouse

SEEDS = st.integers(0, 2**32 - 1)
PARAMS = st.fixed_dictionaries(
    {
        "elements": st.integers(2, 4),
        "copies": st.sampled_from([3, 4, 5, 7, 7, 20]),
        "hand": st.sampled_from([1, 2, 3, 4, 5, 8, 12]),
        "exchange": st.sampled_from([0, 1, 2, 2, 3, 5]),
        "exchange_every_round": st.booleans(),
        "start_level": st.integers(1, 3),
        "max_level": st.sampled_from([None, 4, 5, 8, 8, 20]),
        "supports": st.integers(0, 6),
        "supports_per_player": st.integers(0, 4),
        "supports_per_turn": st.sampled_from([0, 1, 1, 2, 7]),
        "support_may_pay_all": st.booleans(),
        "leader_may_pass": st.booleans(),
        "kept_cards_leave_deck": st.booleans(),
        "first_leader": st.sampled_from(["random", 0, 1]),
        "win_same": st.integers(1, 3),
        "win_total": st.integers(1, 4),
        "auto_end_full_trick": st.booleans(),
        "scope": st.sampled_from(["match", "match", "round"]),
        "sequential": st.booleans(),
    }
)
ELEMENTS = "RVGY"


def load(params: dict[str, Any]) -> Game:
    """The game; parameters that do not go together are passed over."""
    try:
        return games.load("yellowhouse", **params)
    except games.PositionError as error:
        assert error.field in ("hand", "exchange", "max_level")
        assume(False)
        raise


@examples(150, passed_over=True)
@given(PARAMS, SEEDS)
def test_what_always_holds(params: dict[str, Any], seed: int) -> None:
    """Cards are conserved, tokens only go up, somebody can always act, scratch fields are clean."""
    game = load(params)
    walk = Walk(game, seed, seed % 2 > 0)
    s, c, n = walk.s, walk.c, params["elements"]
    before, decisions, chances = walk.record.copy(), 0, 0
    for _ in walk:
        phase = int(s["phase"])
        assert (s["hands"] >= 0).all() and not s["hands"][:, n:].any() and not s["out"][:, n:].any()
        for e in range(n):
            assert (s["hands"][:, e] + s["out"][:, e]).sum() <= yellowhouse.shuffled(s, c, e)
        if phase in (yellowhouse.EXCHANGE, yellowhouse.PLAY, yellowhouse.OVER):
            assert (s["hands"].sum(axis=1) + s["out"].sum(axis=1) == params["hand"]).all()
        else:
            assert not any(s[name].any() for name in ("gave", "out", "used"))
        if phase == yellowhouse.PLAY:
            gifts = int(s["gave"].sum())
            begun = before[0]["phase"] != yellowhouse.PLAY
            assert gifts in (0, 2 * params["exchange"])
            assert not begun or s["rows"][:n].sum() == n * params["start_level"] + gifts
            assert begun or (s["rows"] >= before[0]["rows"]).all()
            assert s["rows"].max() <= (params["max_level"] or 1000)
            assert s["hands"].sum(axis=1).all()
        assert s["used"].sum() <= params["supports"] and (s["used"] <= params["supports_per_player"]).all()
        assert (s["trick"][: s["claims"]] >= 0).all() and (s["trick"][s["claims"] :] == yellowhouse.NONE).all()
        assert s["round"] == s["palette"].sum() + (phase != yellowhouse.OVER)
        assert not s["must_lead"] or (params["leader_may_pass"] and s["claims"] == 0)
        player = walk.player()
        chances += player == CHANCE
        decisions += player >= 0 or player == SIMULTANEOUS
        for actor in range(2) if player == SIMULTANEOUS else [player] if player >= 0 else []:
            legal = walk.legal(actor)
            assert legal and legal == sorted(set(legal))
            assert legal[0] >= 0 and legal[-1] < game.num_distinct_actions()
        before[:] = walk.record
    assert decisions <= game.max_game_length() and chances <= game.max_chance_nodes_in_history()
    out = np.zeros(2)
    rules.returns(s, c, out)
    assert sorted(out.tolist()) == [-1.0, 1.0] and out[s["winner"]] == 1.0
    assert s["hands"][s["winner"]].sum() == 0


# Turns, by section 3 of the rules, told once more in plain Python.


def plain_turns(position: games.Position, params: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Every turn of the seat to act: cards left in hand, rows and supports used after it."""
    seat = position["to_act"]
    hand, rows = position["players"][seat]["hand"], position["rows"]
    used = position["players"][seat].get("supports_used", 0)
    trick = position.get("trick", [])
    turns: dict[str, tuple[Any, ...]] = {}
    if trick or (params["leader_may_pass"] and not position.get("must_lead")):
        turns["pass"] = (hand, rows, used)
    for e in hand:
        if hand[e] == 0 or e in [claimed for _, claimed in trick]:
            continue
        if not trick or rows[e] > rows[trick[-1][1]]:
            turns[f"claim {e}"] = (hand | {e: hand[e] - 1}, rows, used)
            continue
        row = rows[trick[-1][1]] + 1
        if params["max_level"] is not None and row > params["max_level"]:
            continue
        n = row - rows[e]
        for supports in range(params["supports_per_turn"] + 1):
            allowed = min(position["supply"], params["supports_per_player"] - used)
            most = n if params["support_may_pay_all"] else max(0, n - 1)
            if supports <= min(allowed, most) and hand[e] >= n - supports + 1:
                words = f"strengthen {e}" + ("", " support", f" support {supports}")[min(2, supports)]
                turns[words] = (hand | {e: hand[e] - (n - supports + 1)}, rows | {e: row}, used + supports)
    return turns


@examples(60, passed_over=True)
@given(PARAMS, SEEDS)
def test_turns(params: dict[str, Any], seed: int) -> None:
    """The turns at every decision of a game are those of the rules, and do what they say."""
    game = load(params)
    walk = Walk(game, seed, seed % 2 > 0)
    for s in walk:
        if s["phase"] != yellowhouse.PLAY:
            continue
        state = game.state_with(walk.record)
        position = games.position_of(state)
        wanted = plain_turns(position, params)
        moves = {move.text: move for move in games.moves(state)}
        assert moves.keys() == wanted.keys()
        seat = position["to_act"]
        for words, (hand, rows, used) in wanted.items():
            after = games.position_of(moves[words].after())
            if not any(hand.values()):
                assert after["phase"] in ("deal", "over")
                assert len(after["players"][seat]["palette"]) == len(position["players"][seat].get("palette", [])) + 1
                continue
            assert after["players"][seat]["hand"] == hand
            assert (after["rows"], after["players"][seat].get("supports_used", 0)) == (rows, used)
            other = 1 - seat
            assert after["players"][other] == position["players"][other]
            length = 0 if words == "pass" else len(position.get("trick", [])) + 1
            full = length == params["elements"] and params["auto_end_full_trick"]
            assert len(after.get("trick", [])) == (0 if full else length)
            if words == "pass":
                assert (after["leader"], after["to_act"]) == (other, other)
            elif full:
                assert (after["leader"], after["to_act"]) == (seat, seat)
            else:
                assert after["to_act"] == other


# Positions.


@examples(60, passed_over=True)
@given(PARAMS, SEEDS)
def test_positions_round_trip(params: dict[str, Any], seed: int) -> None:
    """Every decision point that is reached can be written, is accepted again, and comes back byte for byte."""
    game = load(params)
    walk, points = Walk(game, seed, seed % 2 > 0), 0
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
        shorter = {key: value for key, value in position.items() if key not in ("supply", "leader")}
        if position["phase"] == "play":  # there both follow from the rest
            assert games.state_from(shorter).box.record.tobytes() == walk.record.tobytes()
        for viewer in range(2):
            seen = games.position_of(state, viewer=viewer)
            assert isinstance(seen["players"][viewer].get("hand", {}), dict)
            assert isinstance(seen["players"][1 - viewer].get("hand", 0), int)
            if position["phase"] == "deal":
                assert seen == position
                continue
            assert json.dumps(games.view_from(seen).position) == json.dumps(seen)
        points += 1
    assert points >= 2


def test_positions_are_equal_when_records_are() -> None:
    """Over many endings of a small game, which often meet: equal positions have equal bytes, and the other way."""
    game = games.load("yellowhouse", elements=2, copies=4, hand=3, exchange=1, win_total=2)
    by_bytes: dict[bytes, str] = {}
    by_text: dict[str, bytes] = {}
    met = 0
    for seed in range(300):
        walk = Walk(game, seed, seed % 2 > 0)
        for s in walk:
            if not rules.at_decision(s, walk.c):
                continue
            raw, text = walk.record.tobytes(), json.dumps(games.position_of(game.state_with(walk.record)))
            met += raw in by_bytes
            assert by_bytes.setdefault(raw, text) == text
            assert by_text.setdefault(text, raw) == raw
    assert met > 300
    assert len(by_bytes) > 300


# Samples.


@examples(40, passed_over=True)
@given(PARAMS, SEEDS)
def test_samples_are_possible(params: dict[str, Any], seed: int) -> None:
    """Every redraw keeps what is seen and holds no more cards than there are; in time all that fit turn up."""
    game = load(params)
    walk, rng, table = Walk(game, seed, seed % 2 > 0), rules.make_rng(seed), np.zeros(1)
    for s in walk:
        for player in range(2):
            other = walk.record.copy()
            rules.determinize(other[0], walk.c, player, rng, table)
            o = other[0]
            assert rules.information_key(o, walk.c, player) == rules.information_key(s, walk.c, player)
            assert (o["hands"] >= 0).all() and (o["hands"].sum(axis=1) == s["hands"].sum(axis=1)).all()
            for e in range(4):
                assert o["hands"][:, e].sum() + o["out"][:, e].sum() <= yellowhouse.shuffled(o, walk.c, e)
                if o["phase"] >= yellowhouse.PLAY:
                    assert yellowhouse.dealt(o, 1 - player, e) >= o["gave"][1 - player, e]
                if o["chosen"]:
                    assert (o["gave"][0] <= o["hands"][0]).all()


# Symmetries: the seats are alike, and so are the elements.


def turned(record: np.ndarray) -> np.ndarray:
    """The same state with the seats exchanged."""
    other = record.copy()
    for name in ("hands", "gave", "out", "palette", "used"):
        other[name] = record[name][:, ::-1]
    for name in ("leader", "winner"):
        if record[name][0] >= 0:
            other[name] = 1 - record[name]
    return other


@examples(40, passed_over=True)
@given(PARAMS, SEEDS)
def test_seats_are_alike(params: dict[str, Any], seed: int) -> None:
    """With the seats exchanged the same actions are legal and lead to the same states, seats exchanged."""
    params = params | {"sequential": False}  # there seat 0 chooses first
    game = load(params)
    walk, other = Walk(game, seed, seed % 2 > 0), Walk(game, seed, seed % 2 > 0)
    while walk.player() != TERMINAL:
        if walk.player() == CHANCE:  # a deal fills one hand after the other
            walk.step()
            continue
        other.record[:] = turned(walk.record)
        player = walk.player()
        assert other.player() == (1 - player if player >= 0 else player)
        for actor in range(2) if player == SIMULTANEOUS else [player]:
            assert other.legal(1 - actor) == walk.legal(actor)
        step = walk.step()
        apply_step(other.s, walk.c, {1 - actor: action for actor, action in step.items()})
        assert other.record.tobytes() == turned(walk.record).tobytes()


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[1::5])
def test_elements_are_alike(order: tuple[int, ...]) -> None:
    """With the elements renamed the renamed turns are legal and lead to the renamed states."""
    game = games.load("yellowhouse", first_leader=0)
    new = np.array(order)
    back = np.argsort(new)

    def renamed(record: np.ndarray) -> np.ndarray:
        other = record.copy()
        for name in ("hands", "gave", "out", "palette"):
            other[name] = record[name][..., back]
        other["rows"] = record["rows"][:, back]
        other["trick"] = np.where(record["trick"] >= 0, new[record["trick"]], yellowhouse.NONE)
        return other

    def renamed_action(action: int) -> int:
        if action == yellowhouse.PASS:
            return action
        e = int(yellowhouse.element_of(action))
        return action - e + int(new[e])

    for seed in range(12):
        walk, other = Walk(game, seed, seed % 2 > 0), Walk(game, seed, seed % 2 > 0)
        while walk.player() != TERMINAL:
            player = walk.player()
            if player < 0:
                walk.step()
                continue
            other.record[:] = renamed(walk.record)
            assert other.legal(player) == sorted(map(renamed_action, walk.legal(player)))
            (action,) = walk.step().values()
            apply_step(other.s, walk.c, {player: renamed_action(action)})
            assert other.record.tobytes() == renamed(walk.record).tobytes()


# Parameters.


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"hand": 13}, "hand"),
        ({"copies": 6}, "hand"),
        ({"elements": 3}, "hand"),
        ({"win_same": 3}, None),
        ({"win_total": 4}, "hand"),
        ({"win_total": 4, "kept_cards_leave_deck": False}, None),
        ({"win_total": 4, "scope": "round"}, None),
        ({"hand": 14, "scope": "round"}, None),
        ({"hand": 15, "scope": "round"}, "hand"),
        ({"exchange": 4}, "max_level"),
        ({"exchange": 4, "max_level": None}, None),
        ({"start_level": 4}, None),
        ({"start_level": 5}, "max_level"),
        ({"hand": 1, "exchange": 2}, "exchange"),
        ({"first_leader": 2}, "first_leader"),
        ({"next_leader": "loser"}, "next_leader"),
        ({"elements": 5}, "elements"),
        ({"max_level": True}, "max_level"),
        ({"players": 2}, "players"),
    ],
)
def test_parameters_that_go_together(params: dict[str, Any], field: str | None) -> None:
    """The conditions of section 10; refused in one line that names a parameter, in a position too."""
    position = {"game": "yellowhouse", "params": params, "phase": "deal", "players": [{}, {}]}
    if field is None:
        assert games.load("yellowhouse", **params).new_initial_state().is_chance_node()
        assert games.position_of(games.state_from(position))["params"] == params
        return
    for attempt, prefix in (
        (lambda: games.load("yellowhouse", **params), ""),
        (lambda: games.state_from(position), "params."),
    ):
        with pytest.raises(games.PositionError) as error:
            attempt()
        assert error.value.field == prefix + field
        assert len(str(error.value).splitlines()) == 1


def test_longest_match() -> None:
    """Rounds possible: twice what each can keep without winning, and one."""
    for params, rounds in (({}, 5), ({"scope": "round"}, 1), ({"win_total": 2}, 3), ({"win_same": 1}, 1)):
        game = games.load("yellowhouse", **params)
        assert game.max_chance_nodes_in_history() == 24 * rounds + 1
        assert game.max_game_length() == (23 + 22 + 1) * rounds
