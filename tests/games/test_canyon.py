"""The cases of tests/data/canyon.jsonl of canyon's own kinds, and its worked examples CAN-01 to CAN-12 and 18 to 20.

The examples of single moves, CAN-13 to CAN-17, are in test_canyon_movement.py.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numba import njit

from voyageur import games
from voyageur.games import rules
from voyageur.games.canyon import board, hidden
from voyageur.games.canyon import rules as canyon
from voyageur.games.canyon.position import CARDS

Case = dict[str, Any]
Player = dict[str, Any]


# Cases.


@pytest.mark.cases("canyon", "deal")
def test_deal(case: Case) -> None:
    """A deal leads to the position given, whatever the order of the cards in a hand."""
    state = games.state_from(case["position"])
    assert state.is_chance_node()
    dealt = games.deal(state, **case["deal"])
    assert games.position_of(dealt) == case["next"]
    by_number = {int(seat): hand for seat, hand in case["deal"]["hands"].items()}
    assert games.position_of(games.deal(state, hands=by_number, trump=case["deal"]["trump"])) == case["next"]
    for hand in by_number.values():
        hand.reverse()
    again = games.deal(state, hands=by_number, trump=case["deal"]["trump"])
    assert again.box.record.tobytes() == dealt.box.record.tobytes()


@njit(cache=True)
def _count_cards(root, c, player, table, rng, number, counts):
    """Redraws `root` so many times; `counts[seat, card]` is how often the seat held the card."""
    box = root.copy()
    for _ in range(number):
        box[0] = root[0]
        hidden.determinize(box[0], c, player, rng, table)
        for seat in range(c.players):
            for card in range(canyon.CARDS):
                counts[seat, card] += box[0].hands[seat] >> card & 1


@pytest.mark.cases("canyon", "belief")
def test_belief(case: Case) -> None:
    """Every card turns up in every hand as often as it should, within 5 standard errors, or never."""
    number, viewer = 20_000, case["viewer"]
    world = games.view_from(case["position"]).world()
    root, c = world.box.record, world.game.c
    table, counts = np.zeros(hidden.TABLE_SIZE), np.zeros((canyon.MAX_PLAYERS, canyon.CARDS), np.int64)
    hidden.prepare(root[0], c, viewer, table)
    _count_cards(root, c, viewer, table, rules.make_rng(1), number, counts)
    wanted = np.zeros((canyon.MAX_PLAYERS, canyon.CARDS))
    players = case["position"]["players"]
    for card in players[viewer].get("hand", []):
        wanted[viewer, CARDS.index(card)] = 1
    for seat, odds in case["marginals"].items():
        for card, chance in odds.items():
            wanted[int(seat), CARDS.index(card)] = chance
        assert sum(odds.values()) == pytest.approx(players[int(seat)].get("hand", 0))
    assert set(case["marginals"]) == {str(seat) for seat in range(len(players)) if seat != viewer}
    wanted[np.isclose(wanted, 1, atol=1e-12)] = 1
    assert (counts[wanted == 0] == 0).all()
    assert (counts[wanted == 1] == number).all()
    error = np.sqrt(wanted * (1 - wanted) / number)
    assert (np.abs(counts / number - wanted) <= 5 * error).all()


def test_every_position_is_canonical(cases: Callable[[str], list[Case]]) -> None:
    """Written again, the positions of all cases but those with outcomes are the same, the order of keys included."""
    seen = 0
    for case in cases("canyon"):
        given = (case[name] for name in ("position", "next", "view") if name in case and "outcomes" not in case)
        for position in given:
            again = (
                games.view_from(position).position
                if "viewer" in position
                else games.position_of(games.state_from(position))
            )
            assert json.dumps(again) == json.dumps(position), case["id"]
            seen += 1
    assert seen > 15


def test_what_may_be_left_out(cases: Callable[[str], list[Case]]) -> None:
    """A position without `to_act` (but in a move), with defaults written out and cards in any order, is the same."""
    for case in cases("canyon"):
        position = case["position"]
        written = json.loads(json.dumps(position))
        if position["phase"] != "move":
            del written["to_act"]
        elif len(position["to_act"]) == 1:
            written["to_act"] = position["to_act"][0]
        written.setdefault("params", {}).setdefault("max_rounds", 42)
        for player in written["players"]:
            player.setdefault("unused" if position["phase"] in ("move", "over") else "bid", None)
            if position["phase"] in ("play", "move"):
                player.setdefault("tricks", 0)
            if position["phase"] in ("bid", "play"):
                player.setdefault("hand", [])
            if isinstance(player.get("hand"), list):
                player["hand"].reverse()
        load = games.view_from if "viewer" in position else games.state_from
        one, other = load(written), load(position)
        if isinstance(one, games.View):
            assert one == other
        else:
            assert one.box.record.tobytes() == other.box.record.tobytes()
            assert str(one.game) == str(other.game)


# Worked examples: rounds, bids and tricks.


def test_can_01_cards_per_round() -> None:
    """CAN-01: 8 down to 1 and up again, endlessly."""
    cards = [8, 7, 6, 5, 4, 3, 2, 1, 2, 3, 4, 5, 6, 7, 8, 7, 6]
    assert [canyon.hand_size(number) for number in range(1, 18)] == cards
    assert [canyon.hand_size(number + 14 * 71) for number in range(1, 18)] == cards


@pytest.mark.parametrize(
    ("players", "number", "dealt", "unseen"), [(6, 1, 48, 1), (4, 1, 32, 17), (6, 8, 6, 43), (3, 8, 3, 46)]
)
def test_can_02_size_of_the_unseen_rest(players: int, number: int, dealt: int, unseen: int) -> None:
    """CAN-02: what is dealt, turned up, and neither."""
    squares = ["a8", "a9", "a10", "a11", "a12", "a13"]
    position = {
        "game": "canyon",
        "round": number,
        "dealer": 0,
        "phase": "deal",
        "players": [{"square": square} for square in squares[:players]],
    }
    state, drawn = games.state_from(position), 0
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[drawn * 7 % len(state.legal_actions())])
        drawn += 1
    after = games.position_of(state)
    assert drawn == dealt + 1
    assert sum(len(player["hand"]) for player in after["players"]) == dealt
    held = set(itertools.chain(*(player["hand"] for player in after["players"])))
    assert len(set(CARDS) - held - {after["trump"]}) == unseen
    assert after["phase"] == "bid"


def orders(state: games.State, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Plays on at random; for each round who deals, and in which order seats dock, bid, lead and move."""
    seen: dict[str, Any] = {}
    while True:
        s = state.box.s
        phase = ("setup", "dock", "deal", "bid", "play", "move", "over")[s["phase"]]
        if seen and (phase == "over" or s["round"] != seen["round"]):
            yield seen
            seen = {}
        if phase == "over":
            return
        seen = seen or {"round": int(s["round"]), "dealer": int(s["dealer"])}
        if not state.is_chance_node():
            seen.setdefault(phase, []).append(state.current_player())
        state.apply_action(int(rng.choice(state.legal_actions())))


def test_can_03_rotation() -> None:
    """CAN-03: dealer and starting player pass on; their order is that of docks, bids, the first trick and moves."""
    wanted = {1: [0, 1, 2, 3], 2: [1, 2, 3, 0], 4: [3, 0, 1, 2], 5: [0, 1, 2, 3]}
    moved = 0
    for seed in range(5):
        game = games.load("canyon", players=4, max_rounds=5)
        state = games.deal(game.new_initial_state(), dealer=3)
        found = {seen["round"]: seen for seen in orders(state, np.random.default_rng(seed))}
        assert list(found) == [1, 2, 3, 4, 5]
        assert found[1]["dock"] == wanted[1]
        for number, order in wanted.items():
            assert found[number]["dealer"] == order[-1]
            assert found[number]["bid"] == order
            assert found[number]["play"][:4] == order
            moves = found[number].get("move", [])
            assert moves == [seat for seat in order if seat in moves]
            moved += len(moves)
    assert moved > 50


def test_leader_is_the_dealer() -> None:
    """D4, leader=dealer: the dealer starts in everything."""
    game = games.load("canyon", players=3, max_rounds=3, leader="dealer")
    for seen in orders(games.deal(game.new_initial_state(), dealer=1), np.random.default_rng(9)):
        order = [(1 + seen["round"] - 1 + i) % 3 for i in range(3)]
        assert seen["dealer"] == order[0]
        assert seen["bid"] == order
        assert seen["play"][:3] == order
        assert seen.get("dock", order) == order
        assert seen.get("move", []) == [seat for seat in order if seat in seen.get("move", [])]


def test_can_04_bidding_in_turn() -> None:
    """CAN-04: every number for everybody, and each sees the bids before."""
    position = {
        "game": "canyon",
        "round": 7,
        "dealer": 1,
        "phase": "deal",
        "players": [{"square": square} for square in ("a8", "a9", "a10", "a11")],
    }
    hands = {0: ["B2", "Y9"], 1: ["G1", "V4"], 2: ["R8", "R10"], 3: ["B7", "Y10"]}
    state = games.deal(games.state_from(position), hands=hands, trump="R5")
    sees: dict[int, int] = {}
    for seat, bid in ((2, 1), (3, 1), (0, 0), (1, 0)):
        assert state.current_player() == seat
        moves = {move.text: move for move in games.view_of(state, seat).moves()}
        assert list(moves) == ["bid 0", "bid 1", "bid 2"]
        shown = games.position_of(state, viewer=seat)["players"]
        assert {other: player["bid"] for other, player in enumerate(shown) if "bid" in player} == sees
        state.apply_action(bid)
        sees[seat] = bid
    assert state.current_player() == 2
    assert games.position_of(state)["phase"] == "play"


def test_hook_leaves_the_others_free() -> None:
    """Section 5, hook=true: only the last bid is restricted, and only by the sum of all; without it nothing is."""
    for hook in (False, True):
        for bids in itertools.product(range(4), repeat=2):
            position = {
                "game": "canyon",
                "params": {"hook": hook},
                "round": 6,
                "dealer": 2,
                "phase": "deal",
                "players": [{"square": square} for square in ("a8", "a9", "a10")],
            }
            hands = {0: ["R1", "R2", "R3"], 1: ["G1", "G2", "G3"], 2: ["B1", "B2", "B3"]}
            state = games.deal(games.state_from(position), hands=hands, trump="V1")
            for bid in bids:
                assert state.legal_actions() == [0, 1, 2, 3]
                state.apply_action(bid)
            forbidden = {3 - sum(bids)} if hook else set()
            assert state.legal_actions() == sorted({0, 1, 2, 3} - forbidden)


def test_simultaneous_bids_have_no_hook() -> None:
    """Section 5: there the restriction is without effect."""
    params = {"bid_mode": "simultaneous", "hook": True}
    for sequential in (False, True):
        game = games.load("canyon", players=2, dock_choice=False, sequential=sequential, **params)
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[-1])
        for seat in range(2):
            if sequential:
                assert state.current_player() == seat
            assert state.legal_actions(seat) == list(range(9))
            if sequential:
                state.apply_action(4)
        if not sequential:
            state.apply_actions([4, 4])
        assert games.position_of(state)["phase"] == "play"
        assert [player["bid"] for player in games.position_of(state)["players"]] == [4, 4]


@pytest.mark.parametrize(
    ("hand", "legal"),
    [
        (["R3", "R9", "B2", "Y10", "G1"], ["B2"]),
        (["R3", "R9", "Y10", "G1"], ["R3", "R9", "G1", "Y10"]),
        (["B1", "B10", "R10"], ["B1", "B10"]),
        (["R1"], ["R1"]),
    ],
    ids=["CAN-05", "CAN-06", "two to follow with", "last card"],
)
def test_legal_cards(hand: list[str], legal: list[str]) -> None:
    """CAN-05, CAN-06: blue is led, red is trump."""
    size = len(hand)
    position = {
        "game": "canyon",
        "viewer": 0,
        "round": 9 - size,
        "dealer": 0,
        "phase": "play",
        "trump": "R5",
        "players": [
            {"square": "a8", "bid": 0, "hand": hand},
            {"square": "a9", "bid": 1, "hand": size - 1},
            {"square": "a10", "bid": 0, "hand": size - 1},
        ],
        "current_trick": {"leader": 1, "cards": ["B7", "B5"]},
    }
    view = games.view_from(position)
    assert [move.text for move in view.moves()] == [f"play {card}" for card in legal]


@pytest.mark.parametrize(
    ("plays", "winner"),
    [
        ([(1, "B5"), (2, "B3"), (3, "B7"), (0, "G5")], 3),
        ([(1, "B10"), (2, "B3"), (3, "B7"), (0, "R1")], 0),
        ([(2, "Y2"), (0, "V10"), (1, "G9")], 2),
        ([(0, "R2"), (1, "R9"), (2, "B10"), (3, "R10")], 3),
        ([(0, "B9"), (1, "R3"), (2, "R2"), (3, "B10")], 1),
    ],
    ids=["CAN-07", "CAN-08", "CAN-09", "trumps led", "two trumps"],
)
def test_tricks(plays: list[tuple[int, str]], winner: int) -> None:
    """CAN-07 to CAN-09: who wins a trick when red is trump, and leads the next."""
    players, leader = len(plays), plays[0][0]
    later = dict(enumerate(["V1", "V2", "V3", "V4"][:players]))  # nobody has to follow suit with these
    position = {
        "game": "canyon",
        "round": 7,
        "dealer": (leader - 1) % players,
        "phase": "bid",
        "trump": "R5",
        "players": [
            {"square": square, "hand": [dict(plays)[seat], later[seat]]}
            for seat, square in enumerate(["a8", "a9", "a10", "a11"][:players])
        ],
    }
    state = games.state_from(position)
    for _ in range(players):
        state.apply_action(0)
    for seat, card in plays:
        assert state.current_player() == seat
        assert state.action_to_string(seat, canyon.CARD + CARDS.index(card)) == f"play {card}"
        state.apply_action(canyon.CARD + CARDS.index(card))
    assert state.current_player() == winner
    after = games.position_of(state)
    assert [player.get("tricks", 0) for player in after["players"]] == [int(seat == winner) for seat in range(players)]
    assert after["tricks_played"] == [{"leader": leader, "cards": [card for _, card in plays]}]
    assert "current_trick" not in after


# Worked examples: points and the river.


def standing(square: str, bid: int, tricks: int, **params: Any) -> tuple[np.ndarray, games.Game]:
    """The record of a game of two in which P0 stands on a square with such a bid and result."""
    game = games.load("canyon", players=2, **params)
    record = game.new_initial_state().box.record
    record["phase"], record["dealer"] = canyon.MOVE, 1
    record["at"][0, :2] = [square_number(square), square_number("a13")]
    record["bid"][0, 0], record["tricks"][0, 0] = bid, tricks
    return record, game


def square_number(name: str) -> int:
    """A square of the default board, counted row by row."""
    if name == "cave":
        return 9
    return 16 * int(name[1:]) + "abcdefghijklmnop".index(name[0])


@pytest.mark.parametrize("square", ["a10", "i2", "o6", "cave"])
@pytest.mark.parametrize(
    ("bid", "tricks", "points"),
    [(0, 0, 1), (0, 2, 2), (1, 1, 3), (1, 0, 0), (1, 4, 4), (2, 2, 5), (3, 3, 6), (4, 3, 3), (5, 5, 8), (8, 8, 11)],
)
def test_can_10_points_on_calm_water(bid: int, tricks: int, points: int, square: str) -> None:
    """CAN-10: tricks, and the bonus for an exact bid; the cave is calm too."""
    record, game = standing(square, bid, tricks)
    assert canyon.points(record[0], game.c, 0) == points
    record, game = standing(square, bid, tricks, bonus=[0, 5, 0, 0, 7, 20, 0, 0, 9])
    bonus = [0, 5, 0, 0, 7, 20, 0, 0, 9][bid]
    assert canyon.points(record[0], game.c, 0) == tricks + (bonus if bid == tricks else 0)
    if square == "cave":
        record, game = standing(square, bid, tricks, cave_is_rapids=True)
        assert canyon.points(record[0], game.c, 0) == ([1, 2, 3, 3, 3, 3, 3, 3, 3][bid] if bid == tricks else 0)


@pytest.mark.parametrize(
    ("bid", "tricks", "points"),
    [(0, 0, 1), (1, 1, 2), (2, 2, 3), (5, 5, 3), (1, 0, None), (0, 1, None), (2, 4, None)],
)
def test_can_11_points_on_the_rapids(bid: int, tricks: int, points: int | None) -> None:
    """CAN-11: only the bonus; without it the canoe drifts by itself, after the last card of the round."""
    record, game = standing("d3", bid, tricks)
    assert canyon.points(record[0], game.c, 0) == (points or 0)
    size = max(bid, tricks, 1)
    others = [{"square": "a9", "bid": 0, "tricks": size - tricks}, {"square": "a10", "bid": 1}]
    state = last_card([{"square": "d3", "bid": bid, "tricks": tricks}, *others], size)
    if points is None:
        assert square_of(state, 0) == "d2"
        assert state.current_player() != 0
    else:
        assert square_of(state, 0) == "d3"
        assert state.current_player() == 0
        assert games.position_of(state)["phase"] == "move"


def test_can_12_reading_the_default_map() -> None:
    """CAN-12, and what section 2 says of the map besides."""
    found = board.load("canyon-reconstructed")
    assert [found.square_name(square) for square in found.docks] == ["a8", "a9", "a10", "a11", "a12", "a13"]
    kinds = {kind: [i for i, other in enumerate(found.kinds) if other == kind] for kind in set(found.kinds)}
    assert [found.square_name(square) for square in kinds["L"]] == ["a2", "a3", "a4"]
    assert [found.square_name(square) for square in kinds["W"]] == [f"{column}0" for column in "bcdefgh"]
    assert (found.cave, found.square_name(found.cave)) == (found.square("cave"), "cave")
    assert found.square("j0") == found.cave
    assert (found.width, len(found.rows), found.name) == (16, 14, "canyon-reconstructed")
    assert sum(found.is_water(square) for square in range(found.size)) == 122
    assert len(kinds["."]) + len(kinds["S"]) == 91
    rapids = [square for square in range(found.size) if found.kinds[square] in "12346789"]
    assert len(rapids) == 28
    assert {found.square_name(square) for square in rapids} == {f"{c}{r}" for c in "bcdefgh" for r in (1, 2, 3, 4)}
    assert [found.square_name(square) for square in found.exits] == ["i1", "j1"]

    game = games.load("canyon", players=6)
    distance = game.c["distance"]
    for name, steps in {"a8": 28, "a13": 28, "h10": 21, "o6": 14, "i2": 8, "h2": 7, "e3": 4, "b1": 1}.items():
        assert distance[square_number(name)] == steps
    assert {int(distance[square]) for square in found.docks} == {28}
    assert distance[found.cave] == 9
    for steps, column in enumerate("bcdefgh", 1):
        assert {int(distance[square_number(f"{column}{row}")]) for row in (1, 2, 3, 4)} == {steps}
    drift = game.c["drift"]
    for name, target in {"e2": "e1", "b4": "b3", "f4": "g3", "g4": "h3", "h4": "h3"}.items():
        assert drift[square_number(name)] == square_number(target)
    assert drift[square_number("e1")] == canyon.FALL
    assert {int(drift[square]) for square in range(found.size) if square not in rapids} == {canyon.STILL}


def last_card(
    players: Sequence[Player], size: int, starter: int = 0, dealt: str = "RGBY", **params: Any
) -> games.State:
    """The state after the last card of a round of `size` tricks, with canoes, bids and tricks as said.

    Each seat has a suit of its own, and violet trumps to win with when somebody else leads.
    """
    n = len(players)
    winners = [seat for seat, player in enumerate(players) for _ in range(player.get("tricks", 0))]
    assert len(winners) == size
    leader, own, trumps, tricks = starter, [0] * n, 0, []
    for winner in winners:
        cards = []
        for seat in [(leader + i) % n for i in range(n)]:
            if seat == winner != leader:
                trumps += 1
                cards.append(f"V{trumps}")
            else:
                own[seat] += 1
                cards.append(f"{dealt[seat]}{own[seat]}")
        tricks.append({"leader": leader, "cards": cards})
        leader = winner
    last = tricks.pop()
    card, seat = last["cards"].pop(), (last["leader"] - 1) % n
    position = {
        "game": "canyon",
        "params": params,
        "round": 9 - size,
        "dealer": (starter - 1) % n,
        "phase": "play",
        "trump": "V10",
        "players": [
            {"square": player["square"], "bid": player["bid"], "tricks": player.get("tricks", 0) - (i == winners[-1])}
            for i, player in enumerate(players)
        ],
        "tricks_played": tricks,
        "current_trick": last,
    }
    position["players"][seat]["hand"] = [card]
    state = games.state_from(position)
    assert state.legal_actions() == [canyon.CARD + CARDS.index(card)]
    state.apply_action(state.legal_actions()[0])
    return state


def square_of(state: games.State, seat: int) -> str:
    """The square of a canoe."""
    return games.position_of(state)["players"][seat]["square"]


def squares_of(state: games.State) -> list[str]:
    """The squares of all canoes."""
    return [player["square"] for player in games.position_of(state)["players"]]


FALLING = [
    {"square": "e2", "bid": 2, "tricks": 4},
    {"square": "e1", "bid": 0, "tricks": 1},
    {"square": "a10", "bid": 1, "tricks": 0},
]


def test_can_18_drift_fall_and_cave() -> None:
    """CAN-18: P0 is blocked by P1 and stays, P1 falls, P2 has no points; then the round is over."""
    after = last_card(FALLING, 5)
    assert squares_of(after) == ["e2", "cave", "a10"]
    assert after.box.record["at"][0, 1] == square_number("j0")
    assert games.position_of(after) == {
        "game": "canyon",
        "round": 5,
        "dealer": 0,
        "phase": "deal",
        "to_act": [],
        "players": [{"square": "e2"}, {"square": "cave"}, {"square": "a10"}],
    }


def test_can_19_the_order_of_drifting_matters() -> None:
    """CAN-19: P1 falls first, then P2, then P0 finds the square free."""
    assert squares_of(last_card(FALLING, 5, starter=1)) == ["e1", "cave", "a10"]


def test_can_20_two_arrivals_in_one_round() -> None:
    """CAN-20: unused points decide."""
    players = [
        {"square": "d3", "bid": 2, "tricks": 2},
        {"square": "b2", "bid": 2, "tricks": 2},
        {"square": "e4", "bid": 1, "tricks": 0},
    ]
    state = last_card(players, 4)
    for seat, square in ((0, "a4"), (1, "a2")):
        assert state.current_player() == seat
        assert not state.is_terminal()
        moves = {move.text: move for move in games.moves(state)}
        state = moves[f"to {square}"].after()
    assert state.is_terminal()
    assert squares_of(state) == ["a4", "a2", "e3"]
    assert [player.get("unused", 0) for player in games.position_of(state)["players"]] == [0, 2, 0]
    assert state.returns() == [0.0, 1.0, 0.0]
    places = np.zeros(canyon.MAX_PLAYERS, np.int64)
    canyon.places(state.box.s, state.game.c, places)
    assert places[:3].tolist() == [2, 1, 3]


# The end (section 9).


def finished(*players: tuple[str, int], **params: Any) -> games.State:
    """A game that is over after P0 was the first to move in its last round; squares and unused points."""
    position = {
        "game": "canyon",
        "params": params,
        "round": 42,
        "dealer": len(players) - 1,
        "phase": "over",
        "players": [{"square": square, "unused": unused} for square, unused in players],
    }
    return games.state_from(position)


@pytest.mark.parametrize(
    ("players", "tie", "places", "winners"),
    [
        ((("a2", 1), ("a3", 1), ("b3", 0)), "shared", [1, 1, 3], [0, 1]),
        ((("a2", 1), ("a3", 1), ("b3", 0)), "earlier_mover", [1, 2, 3], [0]),
        ((("b3", 0), ("a3", 1), ("a2", 1)), "earlier_mover", [3, 1, 2], [1]),
        ((("a4", 0), ("a3", 2), ("a2", 2)), "earlier_mover", [3, 1, 2], [1]),
        ((("b1", 0), ("b4", 0), ("a2", 0)), "shared", [2, 2, 1], [2]),
        ((("b1", 0), ("b4", 0), ("c2", 0)), "shared", [1, 1, 3], [0, 1]),
        ((("b1", 0), ("b4", 0), ("c2", 0)), "earlier_mover", [1, 1, 3], [0, 1]),  # it concerns finishers only
        ((("cave", 0), ("cave", 0), ("i2", 0)), "shared", [2, 2, 1], [2]),
        ((("cave", 0), ("k3", 0), ("l9", 0)), "shared", [1, 2, 3], [0]),
    ],
)
def test_places(players: Any, tie: str, places: list[int], winners: list[int]) -> None:
    """Finishers by unused points, the others by distance, the cave included; equal ones share."""
    state = finished(*players, final_tie=tie)
    assert state.returns() == [1 / len(winners) if seat in winners else 0.0 for seat in range(3)]
    out = np.zeros(canyon.MAX_PLAYERS, np.int64)
    canyon.places(state.box.s, state.game.c, out)
    assert out[:3].tolist() == places


def test_the_last_round_is_completed() -> None:
    """Section 8: at the cap the game ends after the whole round; without a cap it goes on."""
    players = [{"square": "a10", "bid": 1}, {"square": "a11", "bid": 0, "tricks": 1}, {"square": "a12", "bid": 1}]
    for cap, over in ((8, True), (9, False), (None, False)):
        state = last_card(players, 1, max_rounds=cap)
        assert state.current_player() == 1
        state = games.moves(state)[0].after()
        assert state.is_terminal() == over
        position = games.position_of(state)
        assert (position["round"], position["phase"]) == ((8, "over") if over else (9, "deal"))


# Deals that cannot be.

DEALING = {
    "game": "canyon",
    "round": 7,
    "dealer": 1,
    "phase": "deal",
    "players": [{"square": "a8"}, {"square": "a9"}],
}


@pytest.mark.parametrize(
    ("hands", "trump", "field"),
    [
        ({0: ["R1", "R2"], 1: ["G1", "R2"]}, "V1", "hands.1[1]"),
        ({0: ["R1", "R2"], 1: ["G1", "G2"]}, "R1", "trump"),
        ({0: ["R1"], 1: ["G1", "G2"]}, "V1", "hands.0"),
        ({0: ["R1", "R2"]}, "V1", "hands.1"),
        ({0: ["R1", "R2"], 1: ["G1", "G11"]}, "V1", "hands.1[1]"),
        ({0: ["R1", "R2"], 1: ["G1", "G2"], 2: []}, "V1", "hands.2"),
        ({"0": ["R1", "R2"], "1": ["G1", "G2"]}, None, "trump"),
        (None, "V1", "hands"),
    ],
)
def test_wrong_deals(hands: Any, trump: Any, field: str) -> None:
    """What cannot be dealt is refused with the field at fault."""
    with pytest.raises(games.PositionError) as error:
        games.deal(games.state_from(DEALING), hands=hands, trump=trump)
    assert error.value.field == field
    assert len(str(error.value).splitlines()) == 1


def test_deals_where_nothing_is_dealt() -> None:
    """The dealer is drawn first; in the middle of a deal, and elsewhere, nothing can be set."""
    state = games.load("canyon", players=2).new_initial_state()
    for what in ({"dealer": 2}, {"dealer": None}, {"trump": "R1"}, {}):
        with pytest.raises(games.PositionError):
            games.deal(state, **what)
    begun = games.state_from(DEALING)
    begun.apply_action(7)
    with pytest.raises(games.PositionError, match="deal"):
        games.deal(begun, hands={0: ["R8", "R2"], 1: ["G1", "G2"]}, trump="V1")
    with pytest.raises(ValueError, match="nothing is dealt"):
        games.deal(games.deal(state, dealer=1), hands={}, trump="V1")
