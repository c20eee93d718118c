"""virta: the worked cases of tests/data/virta.jsonl, boards and parameters, hidden piles, and what always holds."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import Walk, examples

from voyageur import games, solvers
from voyageur.games import rules
from voyageur.games.rules import CHANCE, TERMINAL
from voyageur.games.virta import rules as virta

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "docs" / "boards" / "virta-small.yaml"
Case = dict[str, Any]
ONE_PART = {"M1": "A"}


def text(position: games.Position) -> str:
    """A position as text that is equal for equal positions."""
    return json.dumps(position, sort_keys=True)


def scores(state: games.State) -> list[int]:
    """Everybody's points."""
    return [int(virta.score(state.box.s, state.game.c, seat)) for seat in range(state.num_players())]


def after_all(state: games.State) -> dict[str, games.State]:
    """What every move leads to, by its position."""
    return {text(games.position_of(after)): after for after in (move.after() for move in games.moves(state))}


def small_board() -> dict[str, Any]:
    """The parameters of the small board in docs/boards."""
    return games.load("virta").words.board(SMALL.read_text(encoding="utf-8"))


def position(**fields: Any) -> games.Position:
    """Two players in phase spiral with a part on M1, and whatever else is said."""
    players = [{"action": 0, "tokens": 0}, {"action": 0, "tokens": 0}]
    return {"game": "virta", "phase": "spiral", "to_act": 0, "river": ONE_PART, "players": players} | fields


# The worked cases.


@pytest.mark.cases("virta", "outcomes")
def test_outcomes(case: Case) -> None:
    """A decision leads to exactly the positions listed, and to each by one move."""
    if "viewer" in case["position"]:
        assert_seen_outcomes(case)
        return
    state = games.state_from(case["position"])
    assert state.current_player() == case["player"]
    moves = games.moves(state)
    assert sorted(text(games.position_of(move.after())) for move in moves) == sorted(map(text, case["outcomes"]))
    assert len({move.text for move in moves}) == len(moves)


def assert_seen_outcomes(case: Case) -> None:
    """The same where a pile is hidden, as the viewer sees it."""
    viewer = case["position"]["viewer"]
    world = games.view_from(case["position"]).world()
    found = [games.position_of(move.after(), viewer=viewer) for move in games.moves(world, case["player"])]
    assert sorted(map(text, found)) == sorted(text(outcome | {"viewer": viewer}) for outcome in case["outcomes"])


@pytest.mark.cases("virta", "outcomes")
def test_canonical_inputs(case: Case) -> None:
    """Positions of the cases are canonical: written again they are the same, the order of the keys included."""
    for given_position in (case["position"], *case["outcomes"]):
        if "viewer" not in case["position"]:
            assert json.dumps(games.position_of(games.state_from(given_position))) == json.dumps(given_position)


@pytest.mark.cases("virta", "returns")
def test_returns(case: Case) -> None:
    """Points and shares of the win of a finished game."""
    state = games.state_from(case["position"])
    assert state.is_terminal()
    assert scores(state) == case["scores"]
    assert state.returns() == pytest.approx(case["returns"])
    assert games.position_of(state) == case["position"]


@pytest.mark.cases("virta", "perft")
def test_perft(case: Case) -> None:
    """How many positions one, two, ... successive decisions lead to."""
    states, found = [games.state_from(case["position"])], []
    for _ in case["perft"]:
        states = list({key: after for state in states for key, after in after_all(state).items()}.values())
        found.append(len(states))
    assert found == case["perft"]


@pytest.mark.cases("virta", "solve")
def test_the_rules_agree_with_solved_positions(case: Case) -> None:
    """By trying everything: what the player can force, and the moves that do not give it away."""
    state = games.state_from(case["position"])
    turns = case.get("horizon", 1000)
    worths = {key: value_of(after, case["player"], turns, {}) for key, after in after_all(state).items()}
    assert max(worths.values()) == case["value"]
    assert {key for key, value in worths.items() if value == case["value"]} == {text(best) for best in case["best"]}


def value_of(state: games.State, player: int, turns: int, known: dict[bytes, float]) -> float:
    """What `player` can force from `state` on; a game that is not over after so many turns counts as lost."""
    record = state.box.record.tobytes()
    if record not in known:
        known[record] = _value_of(state, player, turns, known)
    return known[record]


def _value_of(state: games.State, player: int, turns: int, known: dict[bytes, float]) -> float:
    if state.is_terminal():
        return state.returns()[player]
    own = state.current_player() == player
    best = 0.0 if own else 1.0
    spiral = state.box.s["phase"] == virta.SPIRAL
    if spiral and turns == 0:
        return 0.0
    for move in games.moves(state):
        worth = value_of(move.after(), player, turns - spiral, known)
        best = max(best, worth) if own else min(best, worth)
        if best == (1.0 if own else 0.0):
            break
    return best


KINDS = {"outcomes", "returns", "perft", "solve"}


def test_every_case_is_tested(cases: Any) -> None:
    """No case is of a kind that nothing above reads."""
    found = [case.get("kind") or next(key for key in ("outcomes", "returns") if key in case) for case in cases("virta")]
    assert len(found) >= 52
    assert set(found) == KINDS


# Boards.


def test_the_default_board_is_the_file() -> None:
    """Giving all of it says nothing new, in a position and as parameters, as text and as an object."""
    content = (ROOT / "games" / "virta" / "default_board.json").read_text(encoding="utf-8")
    board = json.loads(content)
    plain = games.load("virta")
    for given_board in (content, board, json.dumps(board)):
        assert games.load("virta", board=given_board).constants.tobytes() == plain.constants.tobytes()
    assert games.load("virta", **board).constants.tobytes() == plain.constants.tobytes()
    assert games.load("virta", **plain.words.board(content)).constants.tobytes() == plain.constants.tobytes()
    state = games.state_from(position(params=board | {"board": "default"}))
    assert games.position_of(state) == games.position_of(games.state_from(position()))


def test_a_board_as_text_and_as_keys() -> None:
    """A game by a whole board and one by its keys are the same; OpenSpiel's text of either brings it back."""
    content = SMALL.read_text(encoding="utf-8")
    one, other = games.load("virta", players=3, board=content), games.load("virta", players=3, **small_board())
    assert str(one) == str(other)
    assert one.parameters == other.parameters
    for game in (one, other):
        again = pyspiel.load_game(str(game))
        assert again.parameters == game.parameters
        assert again.constants.tobytes() == game.constants.tobytes()
    board = one.parameters | {"board": "default"}
    encoded = f"virta(players=3,board={games.load('virta').words.parameters[2].read(_field(content))})"
    assert pyspiel.load_game(encoded).parameters == board


def _field(value: Any) -> Any:
    from voyageur.games.words import Field

    return Field(value, "board")


def test_keys_beside_a_board_come_first() -> None:
    """One key can be changed."""
    game = games.load("virta", board=SMALL.read_text(encoding="utf-8"), pawns=4, turn_limit=9)
    assert (game.parameters["pawns"], game.parameters["turn_limit"]) == (4, 9)
    assert int(game.c["circles"]) == 11


@pytest.mark.parametrize("players", [2, 3, 4])
def test_small_board(players: int) -> None:
    """Whole games on a board with other circles and another spiral; positions of it say the board."""
    game = games.load("virta", players=players, **small_board())
    rng, bits, out = np.random.default_rng(players), rules.make_rng(players), np.zeros(virta.MAX_ACTIONS, np.int64)
    for _ in range(3):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice(state.legal_actions())))
                continue
            n = rules.legal_actions(state.box.s, game.c, state.current_player(), out)
            state.apply_action(int(rules.playout_action(state.box.s, game.c, state.current_player(), out, n, bits)))
        assert sum(state.returns()) == pytest.approx(1)
        written = games.position_of(state)
        assert written["params"] == {k: v for k, v in small_board().items() if k in written["params"]}
        assert {"circles", "next", "banks", "spiral", "parts", "pawns"} <= set(written["params"])
        assert games.position_of(games.state_from(written)) == written
    with pytest.raises(games.PositionError, match="start_tokens"):
        games.load("virta", players=4, board={"start_tokens": [1, 2, 3]})


def changed(board: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy of the board with one thing changed; `value` None takes it away."""
    board = json.loads(json.dumps(board))
    holder: Any = board
    for key in path[:-1]:
        holder = holder[key]
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return board


WRONG: tuple[tuple[tuple[Any, ...], Any, str], ...] = (
    (("next", "B3"), None, "next.B3: expected the circle that comes after it"),
    (("next", "B3"), "Z", "next.B3: unknown circle Z"),
    (("next", "Z"), "B1", "next.Z: unknown circle Z"),
    (("next", "B7"), "B5", "next: B4, B7, T1 all flow into B5; two circles can at most"),
    (("priority_feeder",), {}, "priority_feeder.B5: expected B4 or T1, got none"),
    (("priority_feeder", "B5"), "B6", "priority_feeder.B5: expected B4 or T1, got B6"),
    (("priority_feeder", "Z"), "B6", "priority_feeder.Z: unknown circle Z"),
    (("upstream_tail", 2), "Z", "upstream_tail[2]: unknown circle Z"),
    (("banks", "L1", "near"), ["H"], "banks.L2.near[0]: L1 does not name L2 as its neighbour in turn"),
    (("banks", "L1", "near", 1), "Z", "banks.L1.near[1]: unknown area Z"),
    (("banks", "L1", "near", 1), "L1", "banks.L1.near[1]: L1 is no neighbour of itself"),
    (("banks", "L1", "touch"), ["B4", "B5"], "banks.L1.touch[1]: expected the most downstream first, but B5 lies"),
    (("banks", "L1", "touch"), ["B5", "Z"], "banks.L1.touch[1]: unknown circle Z"),
    (("banks", "H"), {"near": ["L1"], "touch": []}, "banks.H: it is a collection place too"),
    (("parts", "A"), 7, "circles: expected more than the 11 parts, got 11"),
    (("parts", "A"), 0.5, "parts.A: expected a whole number from 0 to 60, got 0.5"),
    (("start_circles",), ["B1", "B2"], "start_circles: expected at least 7, one for each part, got 2"),
    (("spiral", 0, 0), "R", "spiral[0][0]: expected a foot"),
    (("spiral", 2, 0), 2, "spiral[2][0]: expected \"F2\", \"+3\""),
    (("spiral", 2), ["R"], "spiral[2]: expected a list of 2, got 1"),
    (("spiral", 2, 1), "no", "spiral[2][1]: expected true or false, got 'no'"),
    (("restart_choices",), [1, 2], "restart_choices: expected 0, the start circle, among the choices"),
    (("restart_choices", 1), 8, "restart_choices[1]: expected a space from 0 to 7, got 8"),
    (("pawn_start",), "L1", "pawn_start: unknown collection place L1"),
    (("large",), ["Y"], "large[0]: unknown letter Y"),
    (("pawns",), 7, "pawns: expected a whole number from 1 to 6, got 7"),
    (("circles", 1), "B1", "circles[1]: B1 is listed twice"),
    (("circles", 1), "a b", "circles[1]: expected a name of 1 to 8 characters without spaces, got 'a b'"),
    (("flow_return",), "never", "flow_return: expected one of own_turn, round, got 'never'"),
    (("turn_limit",), -1, "turn_limit: expected a whole number from 1 to 1000000, got -1"),
    (("colour",), "red", "colour: unknown field"),
)  # fmt: skip


@pytest.mark.parametrize(("path", "value", "message"), WRONG)
def test_wrong_boards(path: tuple[Any, ...], value: Any, message: str) -> None:
    """One line that names the key: in a file, as a parameter, and in a position."""
    board = changed(small_board(), path, value)
    with pytest.raises(games.PositionError) as error:
        games.load("virta").words.board(json.dumps(board))
    assert str(error.value).startswith(message)
    assert str(error.value).isprintable() and len(str(error.value)) < 300
    with pytest.raises(games.PositionError) as error:
        games.load("virta", board=board)
    assert str(error.value).removeprefix("board.").startswith(message)
    with pytest.raises(games.PositionError) as error:
        games.state_from(position(params=board, river={"B1": "A"}))
    assert str(error.value).startswith(f"params.{message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "file: expected a board"),
        ("[1, 2]", "file: expected a board"),
        ("circles: [B1, B2\nnext: {}\n", "file: neither YAML nor JSON (line 2: "),
        ("circles: [B1, B2]\npawns: 2\npawns: 3\n", "pawns: given twice (line 3)"),
        ("{}", "expected a board, with some of pawns"),
        ("board: default", "board: unknown field; known are pawns"),
    ],
)
def test_files_that_are_no_boards(content: str, message: str) -> None:
    """The line of what cannot be read at all."""
    with pytest.raises(games.PositionError) as error:
        games.load("virta").words.board(content)
    assert str(error.value).startswith(message)


def test_boards_at_their_bounds() -> None:
    """The largest board plays; one more of anything is told in one line."""
    circles = [f"c{i}" for i in range(virta.MAX_CIRCLES)]
    banks = {f"b{i}": {"near": ["H", f"b{i ^ 1}"], "touch": circles[8 * i % 50 : 8 * i % 50 + 8][::-1]}
             for i in range(virta.MAX_AREAS - 2)}  # fmt: skip
    board: dict[str, Any] = {
        "circles": circles, "next": dict(zip(circles, [*circles[1:], circles[0]], strict=True)),
        "priority_feeder": {}, "upstream_tail": [], "banks": banks, "collection": ["H", "J"],
        "parts": dict.fromkeys("ABCDEFGH", 7), "large": list("GH"), "pawns": virta.MAX_PAWNS,
        "spiral": [["F9", False], ["R", True]] * (virta.MAX_SPACES // 2),
    }  # fmt: skip
    state = games.load("virta", players=4, turn_limit=60, **board).new_initial_state()
    rng = np.random.default_rng(1)
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert games.position_of(games.state_from(games.position_of(state))) == games.position_of(state)
    for key, value in (
        ("circles", [*circles, "one"]),
        ("banks", banks | {"x": {"near": [], "touch": []}, "y": {"near": [], "touch": []}}),
        ("spiral", [*board["spiral"], ["R", True]]),
        ("parts", dict.fromkeys("ABCDEFGHI", 1)),
    ):
        with pytest.raises(games.PositionError, match=f"^{key}: expected"):
            games.load("virta", **board | {key: value})


def test_where_nothing_is_free_upstream_an_exchange_is_not_offered() -> None:
    """A short `upstream_tail` can leave no circle for the second part that goes back."""
    params = {"upstream_tail": [], "next": {f"M{i}": f"M{i % 20 + 1}" for i in range(1, 21)} | {"R1": "R2", "R2": "M1"},
              "priority_feeder": {"M1": "R2"}}  # fmt: skip
    players = [{"action": 5, "tokens": 1, "pawns": {"a": {"at": "N1", "carries": ["A", "B"]}}}, {"action": 0}]
    river = {"M9": "X", **{f"M{i}": letter for i, letter in enumerate("AABBCCDD", start=1)}}
    for river_now, number in ((river | {"R1": "C", "R2": "D"}, 1), (river, 3)):
        state = games.state_from(position(phase="action", params=params, players=players, river=river_now))
        assert len(games.moves(state)) == number


def test_the_arrow_chooses_between_collection_places() -> None:
    """For a pawn on a bank; one that is in any of them already stays (sections 2.5, 7 and 8)."""
    banks = {"x": {"near": ["H", "y"], "touch": ["M9"]}, "y": {"near": ["x", "K"], "touch": ["M12"]}}
    params = {"collection": ["H", "K"], "banks": banks}
    pawns = {"a": {"at": "x", "carries": ["B"]}, "b": {"at": "K"}}
    for mine, moves in (
        (pawns, {"a: x > H, delivers B", "a: x > K, delivers B", "take 1 token"}),
        ({}, {"take 1 token"}),
    ):
        players = [{"action": 9, "pawns": mine}, {"action": 0}]
        state = games.state_from(position(phase="action", params=params, players=players))
        assert {move.text for move in games.moves(state)} == moves


def test_a_letter_is_shown_by_its_whole_name() -> None:
    """Names may have several characters, in any script."""
    params = {"parts": {"Käsi": 2, "Pää": 1}, "large": ["Pää"]}
    pawns = {"a": {"at": "N1", "carries": ["Käsi", "Käsi"]}}
    state = games.state_from(position(params=params, river={"M1": "Pää"}, phase="action",
                                      players=[{"action": 4, "pawns": pawns}, {"action": 0}]))  # fmt: skip
    assert "a: N1 > H, delivers Käsi+Käsi" in [move.text for move in games.moves(state)]
    assert games.position_of(state)["players"][0]["pawns"] == pawns


# Parameters and the set-up.


@pytest.mark.parametrize("sequential", [False, True])
def test_the_set_up_is_dealt_by_chance(sequential: bool) -> None:
    """First player, then part by part, each letter as likely as there are parts left of it."""
    state = games.load("virta", players=3, sequential=sequential, start_tokens=[0, 5, 1, 7]).new_initial_state()
    assert state.chance_outcomes() == [(seat, pytest.approx(1 / 3)) for seat in range(3)]
    assert state.action_to_string(CHANCE, 2) == "P2 starts"
    state.apply_action(2)
    assert state.chance_outcomes() == [(letter, pytest.approx(0.2)) for letter in range(5)]
    assert state.action_to_string(CHANCE, 4) == "X on M1"
    for _ in range(3):
        state.apply_action(0)
    assert state.chance_outcomes() == [(letter, pytest.approx(0.25)) for letter in range(1, 5)]
    for letter in (1, 1, 1, 2, 2, 2, 3, 3, 3):
        state.apply_action(letter)
    while state.is_chance_node():
        assert state.chance_outcomes() == [(4, 1.0)]
        state.apply_action(4)
    written = games.position_of(state)
    assert written["to_act"] == 2
    assert list(written["river"].values()) == list("AAABBBCCCDDDXXX")
    assert [player["tokens"] for player in written["players"]] == [0, 5, 1]


def test_deal() -> None:
    """The set-up said by the letters on the start circles."""
    state = games.load("virta", flow_return="round").new_initial_state()
    after = games.deal(state, first_player=1, parts=list("AXBCDABXCDABXCD"))
    written = games.position_of(after)
    assert (written["to_act"], written["first_player"]) == (1, 1)
    assert "".join(written["river"].values()) == "AXBCDABXCDABXCD"
    fixed = games.load("virta", first_player=0).new_initial_state()
    assert games.deal(fixed, parts=list("AXBCDABXCDABXCD")).current_player() == 0
    fixed.apply_action(4)
    assert games.position_of(games.deal(fixed, parts=list("AXBCDABCDABXCD")))["river"]["M1"] == "X"
    for what, field in (
        ({"parts": list("AXBCDABXCDABXCD")}, "first_player"),
        ({"first_player": 2, "parts": list("AXBCDABXCDABXCD")}, "first_player"),
        ({"first_player": 0}, "parts"),
        ({"first_player": 0, "parts": list("AAAABCDABXCDABX")}, "parts[3]"),
        ({"first_player": 0, "parts": list("AXBCDABXCDABXC")}, "parts"),
        ({"first_player": 0, "parts": ["Z"] * 15}, "parts[0]"),
        ({"first_player": 0, "hands": []}, "hands"),
    ):
        with pytest.raises(games.PositionError) as error:
            games.deal(state, **what)
        assert error.value.field == field


def test_no_turn_limit_still_has_a_greatest_length() -> None:
    """OpenSpiel's number; null and 0 both mean none."""
    game = games.load("virta", turn_limit=None)
    assert game.parameters["turn_limit"] == 0
    assert game.max_game_length() == 400_000
    assert games.load("virta", turn_limit=10).max_game_length() == 40


# Positions.

TWO = [{"action": 3, "tokens": 1}, {"action": 5}]
BAD_POSITIONS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"phase": None}, "phase: expected one of spiral, action, over, got null"),
    ({"phase": "setup"}, "phase: expected one of"),
    ({"phase": "over"}, "to_act: expected one of null, got 0"),
    ({"phase": "over", "to_act": None}, "phase: parts are left in the river, so it is not over"),
    ({"river": {}}, "phase: expected over, as no part is left in the river"),
    ({"to_act": 2}, "to_act: expected a whole number from 0 to 1, got 2"),
    ({"to_act": None}, "to_act: expected a whole number from 0 to 1, got null"),
    ({"params": {"turn_limit": 5}, "turns_done": 5}, "phase: expected over, as 5 turns are done"),
    ({"params": {"turn_limit": 5}, "turns_done": 6}, "turns_done: expected at most 5, the turn limit, got 6"),
    ({"flow_free": 1}, "flow_free: expected 2, as 0 of 2 are held, got 1"),
    ({"players": [{"action": 3}, {"flow_tokens": 3}]}, "players[1].flow_tokens: expected a whole number from 0 to 2"),
    ({"players": [{"flow_tokens": 1}, {"flow_tokens": 2}]}, "players: hold 3 flow tokens, but there are 2"),
    ({"players": [{"flow_tokens": 1}, {}]}, "players[0].flow_tokens: expected 0: they came back as this turn began"),
    ({"params": {"flow_return": "round"}, "players": [{}, {"flow_tokens": 1}]}, "players[1].flow_tokens: expected 0"),
    ({"players": [{"action": 3}, {"action": 3}]}, "players[1].action: space 3 holds the action pawn of seat 0"),
    ({"players": [{"action": 15}, {}]}, "players[0].action: expected a whole number from 0 to 14, got 15"),
    ({"phase": "action", "players": [{}, {}]}, "players[0].action: expected a space: in phase action it has been"),
    ({"players": [{"pawns": {"a": {"at": "N1"}}}, {"pawns": {"b": {"at": "N1"}}}]},
     "players[1].pawns.b.at: another pawn stands on N1, which holds only one"),
    ({"players": [{"pawns": {"a": {"at": "N1"}, "c": {"at": "N1"}}}, {}]}, "players[0].pawns.c.at: another pawn"),
    ({"players": [{"pawns": {"d": {"at": "N1"}}}, {}]}, "players[0].pawns.d: unknown field; known are a, b, c"),
    ({"players": [{"pawns": {"a": {"carries": ["A"]}}}, {}]}, "players[0].pawns.a.carries: a pawn in H carries"),
    ({"players": [{"pawns": {"a": {"at": "N1", "carries": ["A", "X"]}}}, {}]},
     "players[0].pawns.a.carries: expected one large part, or up to two small ones"),
    ({"players": [{"pawns": {"a": {"at": "N1", "carries": list("ABC")}}}, {}]}, "players[0].pawns.a.carries: expected"),
    ({"players": [{"delivered": {"A": 3}}, {}]},
     "river: in the river, carried and delivered there are 4 parts A, but 3 in the box"),
    ({"players": [{"delivered": {"Q": 3}}, {}]}, "players[0].delivered.Q: unknown field"),
    ({"players": [{"delivered": 15}, {}]}, "players[0].delivered: expected at most 14"),
    ({"players": [{"tokens": -1}, {}]}, "players[0].tokens: expected a whole number from 0 to 1000000, got -1"),
    ({"players": [{}] * 5}, "players: expected a list of 2 to 4, got 5"),
    ({"river": {"M1": "Q"}}, "river.M1: expected one of A, B, C, D, X, got 'Q'"),
    ({"river": {"M99": "A"}}, "river.M99: unknown field"),
    ({"params": {"players": 2}}, "params.players: unknown field"),
    ({"params": {"board": "mine"}}, "params.board: expected one of default, got 'mine'"),
    ({"params": {"circles": ["M1"] * 3}}, "params.circles[1]: M1 is listed twice"),
    ({"viewer": 2}, "viewer: expected a whole number from 0 to 1, got 2"),
)  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), BAD_POSITIONS)
def test_bad_positions(fields: dict[str, Any], message: str) -> None:
    """One line that begins with the field."""
    for load in (games.state_from, lambda wrong: games.view_from(wrong, 0)):
        with pytest.raises(games.PositionError) as error:
            load(position(players=TWO) | fields)
        assert str(error.value).startswith(message)
        assert len(str(error.value).splitlines()) == 1


def test_positions_by_hand() -> None:
    """What is left out has its default; null is as good as left out where there is a default of null."""
    written = games.position_of(games.state_from({"game": "virta", "phase": "spiral", "to_act": 1, "river": ONE_PART,
                                                  "players": [{}, {"action": None}]}))  # fmt: skip
    player = {"action": None, "tokens": 0}
    assert written == {"game": "virta", "phase": "spiral", "to_act": 1, "flow_free": 2, "river": ONE_PART,
                       "players": [player, player]}  # fmt: skip


def test_turns_are_counted_only_with_a_limit() -> None:
    """And the first player is known only where flow tokens come back once a round."""
    state = games.state_from(position(turns_done=7, first_player=1))
    assert not {"turns_done", "first_player"} & set(games.position_of(state))
    state = games.state_from(position(turns_done=7, first_player=1, params={"turn_limit": 9, "flow_return": "round"}))
    written = games.position_of(state)
    assert (written["turns_done"], written["first_player"]) == (7, 1)


# Hidden piles.

HIDDEN = position(
    viewer=1,
    phase="action",
    river={"M1": "C", "M9": "A"},
    players=[
        {"action": 9, "tokens": 1, "delivered": 4, "pawns": {"a": {"at": "N4", "carries": ["A", "B"]}}},
        {"action": 0, "tokens": 0, "delivered": {"A": 1, "C": 2}},
    ],
)
LEFT = {"B": 2, "D": 3, "X": 3}  # neither in the river nor carried nor in P1's pile


def test_a_hidden_pile_is_one_of_those_that_are_left() -> None:
    """Each part that is not accounted for lies in it as likely as any other; a complete position is wanted for play."""
    view = games.view_from(HIDDEN)
    assert view.position == HIDDEN | {"flow_free": 2}
    found: Counter[str] = Counter()
    number = 2000
    for state in view.states(number, np.random.default_rng(1)):
        pile = games.position_of(state)["players"][0]["delivered"]
        assert sum(pile.values()) == 4
        assert all(pile[letter] <= LEFT[letter] for letter in pile)
        found += Counter(pile)
        assert games.view_of(state, 1) == view
    for letter, copies in LEFT.items():
        assert found[letter] == pytest.approx(number * 4 * copies / 8, abs=4 * number**0.5)
    with pytest.raises(games.PositionError, match="hides something"):
        games.state_from(HIDDEN)
    with pytest.raises(games.PositionError, match="viewer"):
        games.view_from({key: value for key, value in HIDDEN.items() if key != "viewer"})


def test_deliveries_add_to_a_hidden_pile() -> None:
    """The parts that were seen stay known inside, whatever is drawn for the rest, in the history too."""
    state = games.view_from(HIDDEN).world()
    move = next(move for move in games.moves(state) if "delivers" in move.text)
    after = games.view_of(move.after(), 1)
    assert after.position["players"][0]["delivered"] == 6
    piles = set()
    for sample in after.states(60, np.random.default_rng(2)):
        pile = games.position_of(sample)["players"][0]["delivered"]
        assert pile["A"] == 1 and pile["B"] >= 1
        piles.add(text(pile))
        assert list(sample.steps()) == [{0: action} for action in move.actions]
    assert len(piles) > 5


def test_advice_with_a_hidden_pile_does_not_look() -> None:
    """It is the same, byte for byte, whatever lies in the pile; the search goes on as usual."""
    view = games.view_from(HIDDEN | {"viewer": 0})
    limit = solvers.Limit(nodes=200)
    expected = json.dumps(solvers.advise(view, limit=limit, seed=1).to_dict())
    for state in view.states(3, np.random.default_rng(3)):
        assert json.dumps(solvers.advise(games.view_of(state, 0), limit=limit, seed=1).to_dict()) == expected
    assert solvers.advise(view, solver="mcts", limit=limit, seed=1).simulations == 200


# What always holds.

SEEDS = st.integers(0, 2**32 - 1)
PARAMS = st.fixed_dictionaries(
    {
        "players": st.integers(2, 4),
        "pawns": st.integers(1, 6),
        "flow_tokens": st.integers(0, 3),
        "flow_return": st.sampled_from(["own_turn", "round"]),
        "turn_limit": st.sampled_from([1, 30, 90]),
        "start_tokens": st.sampled_from([[2, 2, 2, 2], [0, 1, 6, 30]]),
        "first_player": st.one_of(st.none(), st.integers(0, 1)),
        "large": st.sampled_from([["X"], [], ["A", "X"], ["A", "B", "X"]]),
        "parts": st.sampled_from([dict.fromkeys("ABCDX", 3), dict.fromkeys("ABCDX", 4), {"A": 1, "B": 2, "X": 2}]),
    }
)


@examples(80)
@given(PARAMS, SEEDS)
def test_invariants(params: dict[str, Any], seed: int) -> None:
    """No part is lost, banks hold one pawn, pawns in H nothing, spaces one action pawn, scratch fields are clean."""
    walk = Walk(games.load("virta", **params), seed, seed % 2 > 0)
    s, c, n = walk.s, walk.c, params["players"]
    scratch = ("step", "pawn", "goal", "settled", "carry")
    for _ in walk:
        player = walk.player()
        if player == CHANCE:
            assert walk.legal(player)
            continue
        river = s["river"].tolist()
        assert sum(mask.bit_count() for mask in river) == int(virta.in_river(s, c)).bit_count()
        for letter, (name, copies) in enumerate(params["parts"].items()):
            owned = sum(int(virta.copies(s, c, seat)) >> 8 * letter & 255 for seat in range(n))
            assert owned + river[letter].bit_count() == copies, name
        at, loads = s["at"][:n, : params["pawns"]], s["load"][:n, : params["pawns"]]
        banks = Counter(at[at > 0].tolist())
        assert not banks or max(banks.values()) == 1
        assert not loads[at == 0].any()
        for load in loads[loads > 0].tolist():
            letters = [list(params["parts"])[i - 1] for i in (load >> 4, load & 15) if i]
            assert len(letters) == 1 or not set(letters) & set(params["large"])
        spaces = [space for space in s["space"][:n].tolist() if space > 0]
        assert len(spaces) == len(set(spaces))
        assert (s["tokens"] >= 0).all()
        assert s["flow_tokens"].sum() <= params["flow_tokens"]
        assert s["turns"] <= params["turn_limit"]
        assert bool(s["phase"] == virta.OVER) == (not any(river) or s["turns"] == params["turn_limit"])
        if player >= 0:
            legal = walk.legal(player)
            assert legal == sorted(set(legal))
            assert legal[0] >= 0 and legal[-1] < virta.NUM_ACTIONS and len(legal) <= virta.MAX_ACTIONS
        if rules.at_decision(s, c):
            assert not any(np.any(s[name]) for name in scratch)


@examples(25)
@given(PARAMS, SEEDS)
def test_positions_round_trip(params: dict[str, Any], seed: int) -> None:
    """Every decision point that is reached can be written, is accepted again, and comes back byte for byte."""
    game = games.load("virta", **params)
    walk, points = Walk(game, seed, seed % 2 > 0), 0
    for _ in walk:
        state = game.state_with(walk.record)
        if not rules.at_decision(walk.s, walk.c):
            with pytest.raises(games.PositionError):
                games.position_of(state)
            continue
        written = games.position_of(state)
        again = games.state_from(written)
        assert again.box.record.tobytes() == walk.record.tobytes()
        assert json.dumps(games.position_of(again)) == json.dumps(written)
        assert games.view_from(games.position_of(state, viewer=1)).position == written | {"viewer": 1}
        points += 1
    assert points >= 2


@pytest.mark.parametrize("flow_return", ["own_turn", "round"])
def test_positions_are_equal_when_records_are(flow_return: str) -> None:
    """Over the beginnings of many games, which often meet: equal positions have equal bytes and the other way round."""
    game = games.load("virta", first_player=0, parts={"A": 1}, large=[], turn_limit=6, flow_return=flow_return)
    by_bytes: dict[bytes, str] = {}
    by_text: dict[str, bytes] = {}
    met = 0
    for seed in range(300):
        walk = Walk(game, 2 * seed)
        for _ in walk:
            if rules.at_decision(walk.s, walk.c):
                raw, written = walk.record.tobytes(), text(games.position_of(game.state_with(walk.record)))
                met += raw in by_bytes
                assert by_bytes.setdefault(raw, written) == written
                assert by_text.setdefault(written, raw) == raw
    assert met > 200
    assert len(by_bytes) > 500


def turned(record: np.ndarray, players: int) -> np.ndarray:
    """The same state with every player one seat further."""
    other = record.copy()
    for name in ("unknown", "delivered", "at", "load", "tokens", "points", "space", "flow_tokens"):
        other[name][0, :players] = np.roll(record[name][0, :players], 1, axis=0)
    if record["phase"][0] != virta.OVER and record["turn"][0] >= 0:
        other["turn"] = (record["turn"] + 1) % players
    return other


@examples(40)
@given(PARAMS, SEEDS)
def test_seats_are_alike(params: dict[str, Any], seed: int) -> None:
    """With everybody one seat further the same actions are legal and lead to the same states, one seat further."""
    params = params | {"flow_return": "own_turn", "start_tokens": [2, 2, 2, 2], "first_player": None}
    game, players = games.load("virta", **params), params["players"]
    walk, other = Walk(game, seed, seed % 2 > 0), Walk(game, seed, seed % 2 > 0)
    before = None
    for _ in walk:
        player = walk.player()
        if before is not None:
            stepped = turned(before, players)
            legal = np.zeros(virta.MAX_ACTIONS, np.int64)
            seat = int(rules.current_player(stepped[0], walk.c))
            if seat >= 0:
                n = rules.legal_actions(stepped[0], walk.c, seat, legal)
                afters = []
                for action in legal[:n].tolist():
                    after = stepped.copy()
                    rules.apply_action(after[0], walk.c, action)
                    afters.append(after.tobytes())
                assert turned(walk.record, players).tobytes() in afters
        if player >= 0:
            other.record[:] = turned(walk.record, players)
            assert int(rules.current_player(other.s, walk.c)) == (player + 1) % players
            assert other.legal((player + 1) % players) == walk.legal(player)
        before = walk.record.copy() if player >= 0 else None
    shares, moved = np.zeros(4), np.zeros(4)
    rules.returns(walk.s, walk.c, shares)
    rules.returns(turned(walk.record, players)[0], walk.c, moved)
    assert np.roll(shares[:players], 1).tolist() == moved[:players].tolist()
    assert shares.sum() == pytest.approx(1)


def test_values_of_unfinished_games() -> None:
    """They are shares of the win, and who is far ahead is likely to win."""
    game = games.load("virta", players=3)
    out = np.zeros(3)
    walk = Walk(game, 1, sensible=True)
    for _ in walk:
        player = walk.player()
        if player >= 0:
            rules.evaluate(walk.s, walk.c, out)
            assert out.sum() == pytest.approx(1)
            assert (out >= 0).all()
    ahead = games.state_from(position(players=[{"action": 0, "delivered": {"B": 3, "C": 3, "X": 3}}, {"action": 0}]))
    rules.evaluate(ahead.box.s, ahead.game.c, out)
    assert out[0] > 0.99


def test_the_plain_player_beats_random_ones() -> None:
    """Nearly always; by compiled code alone, as whole matches take their time."""
    game = games.load("virta", turn_limit=400)
    out, wins, played = np.zeros(virta.MAX_ACTIONS, np.int64), 0.0, 30
    for seed in range(played):
        walk, own = Walk(game, seed, seed % 2 > 0), seed % 2
        s, c, rng = walk.s, walk.c, walk.rng
        while (player := int(rules.current_player(s, c))) != TERMINAL:
            if player == CHANCE:
                action = int(rules.sample_chance(s, c, rng))
            else:
                n = rules.legal_actions(s, c, player, out)
                action = int(out[rules.random_below(rng, n)])
                if player == own:
                    action = int(rules.scripted_action(s, c, player, out, n, rng))
            rules.apply_action(s, c, action)
        shares = np.zeros(2)
        rules.returns(s, c, shares)
        wins += shares[own]
    assert wins >= 0.9 * played
