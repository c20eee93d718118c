"""The worked cases of the kinds that games share, all others of Niagara's, and its worked examples N01 to N17."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voyageur import games
from voyageur.games import rules
from voyageur.games.niagara import rules as niagara

SPACES = ("SHORE", "S1", "S2", "S3", "S4", "S5", "L6", "L7", "R6", "R7", "FALLEN")
GEMS = ("AME", "DIA", "AMB", "SAP", "RUB")
Case = dict[str, Any]


def text(position: games.Position) -> str:
    """A position as text that is equal for equal positions."""
    return json.dumps(position, sort_keys=True)


def texts(positions: Any) -> list[str]:
    """Positions as sorted texts, to be compared as a set whose members count."""
    return sorted(text(position) for position in positions)


@pytest.mark.cases("canyon", "outcomes")
@pytest.mark.cases("niagara", "outcomes")
def test_outcomes(case: Case) -> None:
    """A decision leads to exactly the positions listed, and to each by one move."""
    position = case["position"]
    if "viewer" in position:
        view = games.view_from(position)
        assert view.current_player() == case["player"]
        assert texts(move.after().position for move in view.moves()) == texts(case["outcomes"])
        return
    state = games.state_from(position)
    assert state.current_player() == case["player"]
    assert texts(games.position_of(move.after()) for move in games.moves(state)) == texts(case["outcomes"])


@pytest.mark.cases("canyon", "outcomes")
@pytest.mark.cases("niagara", "outcomes")
def test_canonical_inputs(case: Case) -> None:
    """Positions of the cases are canonical: written again they are the same, the order of the keys included."""
    for position in (case["position"], *case["outcomes"]):
        again = games.view_from(position).position if "viewer" in position else _rewritten(position)
        assert json.dumps(again) == json.dumps(position)


def _rewritten(position: games.Position) -> games.Position:
    return games.position_of(games.state_from(position))


@pytest.mark.cases("canyon", "choices")
@pytest.mark.cases("niagara", "choices")
def test_choices(case: Case) -> None:
    """Everybody's choice leads to the position given."""
    word = {"canyon": "bid", "niagara": "card"}[case["position"]["game"]]
    choices = {int(seat): f"{word} {choice}" for seat, choice in case["choices"].items()}
    after = games.joint(games.state_from(case["position"]), choices)
    assert games.position_of(after) == case["next"]


@pytest.mark.cases("niagara", "options")
def test_options(case: Case) -> None:
    """The cards that a seat may choose."""
    moves = games.moves(games.state_from(case["position"]), player=case["player"])
    assert [move.text for move in moves] == [f"card {card}" for card in case["options"]]


@pytest.mark.cases("canyon", "returns")
@pytest.mark.cases("niagara", "returns")
def test_returns(case: Case) -> None:
    """Returns and places of a finished game."""
    state = games.state_from(case["position"])
    assert state.is_terminal()
    assert state.returns() == case["returns"]
    if "places" in case:
        places = np.zeros(niagara.MAX_PLAYERS, np.int64)
        niagara.places(state.box.s, state.game.c, places)
        assert places[: len(case["places"])].tolist() == case["places"]


@pytest.mark.cases("niagara", "chance")
def test_chance(case: Case) -> None:
    """The sides of all pushes lead to the position given; each outcome is as likely."""
    state = games.state_from(case["position"])
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    assert games.position_of(games.deal(state, sides=case["sides"])) == case["next"]


@pytest.mark.cases("canyon", "view")
@pytest.mark.cases("niagara", "view")
def test_view(case: Case) -> None:
    """What a seat knows of a position."""
    state = games.state_from(case["position"])
    seen = case["seen"] if "seen" in case else case["view"]
    assert games.position_of(state, viewer=case["viewer"]) == seen
    assert games.view_of(state, case["viewer"]).position == seen
    assert games.view_from(seen).position == seen
    assert games.view_from(seen) == games.view_of(state, case["viewer"])


@pytest.mark.cases("niagara", "canonical")
def test_canonical(case: Case) -> None:
    """A position as somebody may write it becomes the canonical one."""
    assert json.dumps(_rewritten(case["position"])) == json.dumps(case["canonical"])


@pytest.mark.cases("niagara", "invalid")
def test_invalid(case: Case) -> None:
    """What is no position is refused, by state_from and view_from, with the field at fault in one line."""
    for load in (games.state_from, games.view_from):
        with pytest.raises(games.PositionError) as error:
            load(case["position"])
        assert error.value.field.split("[")[0].split(".")[0] in ("players", "sites")
        assert str(error.value) == f"{error.value.field}: {error.value.problem}"
        assert len(str(error.value).splitlines()) == 1


@pytest.mark.cases("niagara", "perft")
def test_perft(case: Case) -> None:
    """How many positions one decision and two successive decisions lead to."""
    levels = [[games.state_from(case["position"])]]
    for _ in case["perft"]:
        levels.append(list({text(games.position_of(after)): after for after in _after_all(levels[-1])}.values()))
    assert [len(level) for level in levels[1:]] == case["perft"]


def _after_all(states: list[games.State]) -> list[games.State]:
    return [move.after() for state in states for move in games.moves(state)]


@pytest.mark.cases("niagara", "perft")
def test_perft_counting_all(case: Case) -> None:
    """The same by walking all chains of actions, with none left out because it leads where another does."""
    found = [{text(case["position"])}]
    for _ in case["perft"]:
        found.append(set())
        for position in found[-2]:
            stack = [games.state_from(json.loads(position))]
            player = stack[0].current_player()
            while stack:
                state = stack.pop()
                for action in state.legal_actions(player):
                    after = state.child(action)
                    if games.at_decision(after):
                        found[-1].add(text(games.position_of(after)))
                    else:
                        assert after.current_player() == player
                        stack.append(after)
    assert [len(positions) for positions in found[1:]] == case["perft"]


@pytest.mark.cases("niagara", "river")
def test_river(case: Case) -> None:
    """Pushes alone, on a board that need not be a decision point."""
    board, fork = case["position"], ("LEFT", "RIGHT").index(case["fork"])
    record, c = _board(board)
    for _ in range(case["n"]):
        niagara.push(record[0], c, fork)
        fork = 1 - fork
    wanted, _ = _board(case["after"])
    assert ("LEFT", "RIGHT")[fork] == case["after"].get("fork", "LEFT")
    for field in ("at", "gem", "owned", "sites"):
        assert record[field].tolist() == wanted[field].tolist(), field


def _board(board: games.Position) -> tuple[np.ndarray, Any]:
    """Canoes, gems and sites of a board as a record, with the constants of its game."""
    params = {"players": len(board["players"]), **board.get("params", {})}
    game = games.load("niagara", **params)
    record = np.zeros(1, niagara.STATE)
    record["gem"] = niagara.NO_GEM
    for seat, player in enumerate(board["players"]):
        for name, canoe in player.get("canoes", {}).items():
            k = 2 * seat + "ab".index(name)
            record["at"][0, k] = SPACES.index(canoe["at"])
            record["gem"][0, k] = GEMS.index(canoe["gem"]) if canoe.get("gem") else niagara.NO_GEM
        for gem, number in player.get("gems", {}).items():
            record["owned"][0, seat, GEMS.index(gem)] = number
    for site, content in board.get("sites", {}).items():
        for gem, number in content.items():
            record["sites"][0, GEMS.index(site), GEMS.index(gem)] = number
    for colour, site in enumerate(GEMS):
        if site not in board.get("sites", {}):
            elsewhere = record["owned"][0, :, colour].sum() + record["sites"][0, :, colour].sum()
            record["sites"][0, colour, colour] = 7 - elsewhere - (record["gem"] == colour).sum()
    return record, game.c


@pytest.mark.cases("niagara", "positions")
def test_traces(case: Case) -> None:
    """A whole game: each position is one of those that the one before can lead to."""
    for before, after in zip(case["positions"], case["positions"][1:], strict=False):
        state = games.state_from(before)
        if state.is_simultaneous_node():
            cards = {seat: f"card {player['played']}" for seat, player in enumerate(after["players"])}
            assert games.position_of(games.joint(state, cards)) == after
        elif state.is_chance_node():
            assert text(after) in {text(games.position_of(deal)) for deal in _all_deals(state)}
        else:
            assert text(after) in {text(games.position_of(move.after())) for move in games.moves(state)}
    last = games.state_from(case["positions"][-1])
    assert last.is_terminal() == case["finished"]
    if case["returns"] is not None:
        assert last.returns() == case["returns"]


def _all_deals(state: games.State) -> list[games.State]:
    if not state.is_chance_node():
        return [state]
    return [end for outcome, _ in state.chance_outcomes() for end in _all_deals(state.child(outcome))]


KINDS = ("positions", "outcomes", "choices", "options", "returns", "chance", "view", "canonical", "invalid", "perft",
         "river")  # fmt: skip


def test_every_case_is_tested(cases: Any) -> None:
    """No case is of a kind that nothing above reads."""
    found = [
        case.get("kind") or next((key for key in KINDS if key in case), "none of the known keys")
        for case in cases("niagara")
    ]
    assert len(found) >= 68
    assert set(found) <= set(KINDS)


def test_data_is_a_copy(shared: Path, data: Path) -> None:
    """Every case file here is the one from which it was copied, and no game that exists lacks its own."""
    for name in games.names():
        assert (data / f"{name}.jsonl").read_bytes() == (shared / "cases" / f"{name}.jsonl").read_bytes()


# Worked examples that no case covers.


def ends(position: games.Position) -> set[tuple[Any, ...]]:
    """Where P0's turn can leave canoe a: space and gem aboard."""
    found = set()
    for move in games.moves(games.state_from(position)):
        canoe = games.position_of(move.after())["players"][0].get("canoes", {}).get("a", {"at": "SHORE"})
        found.add((canoe["at"], canoe.get("gem")))
    return found


def act(first: dict[str, Any], **more: Any) -> games.Position:
    """Three players in phase act, P0 to act, the others with a 4."""
    return {"game": "niagara", "phase": "act", "players": [first, {"played": 4}, {"played": 4}], **more}


@pytest.mark.parametrize("card", [1, 2, 3, 4])
def test_n02_launching_with_a_low_card(card: int) -> None:
    """N02: with 1 to 4 a canoe from SHORE has one plan (no load is possible: S1 and S2 touch no site)."""
    only_a = act({"played": card, "canoes": {"b": {"at": "FALLEN"}}})
    assert ends(only_a) == {(f"S{card}", None)}
    assert len(games.moves(games.state_from(act({"played": card})))) == 2


@pytest.mark.parametrize(("weather", "after"), [(-1, {0}), (0, {-1, 1}), (1, {0, 2}), (2, {1})])
def test_n13_cloud_moves_the_marker_by_one(weather: int, after: set[int]) -> None:
    """N13: one step up or down, never none; the canoes stay."""
    state = games.state_from(act({"played": "CLOUD", "canoes": {"a": {"at": "S4"}}}, weather=weather))
    positions = [games.position_of(move.after()) for move in games.moves(state)]
    assert {position.get("weather", 0) for position in positions} == after
    assert len(positions) == len(after)
    assert all(position["players"][0]["canoes"] == {"a": {"at": "S4"}} for position in positions)


def test_n14_flow_of_a_whole_round() -> None:
    """N14: cards CLOUD, 3, 4, 6 and weather +1 make a flow of 4, pushed by the game itself after the last turn."""
    players = [
        {"played": "CLOUD", "acted": True, "canoes": {"a": {"at": "S1"}, "b": {"at": "S2"}}},
        {"played": 3, "acted": True, "canoes": {"a": {"at": "S4"}, "b": {"at": "S5", "gem": "AMB"}}},
        {"played": 4, "acted": True, "canoes": {"a": {"at": "L7", "gem": "RUB"}, "b": {"at": "R6"}}},
        {"played": 6, "canoes": {"a": {"at": "SHORE"}, "b": {"at": "FALLEN"}}, "gems": {"AME": 1}},
    ]
    state = games.state_from({"game": "niagara", "phase": "act", "weather": 1, "players": players})
    move = next(move for move in games.moves(state) if move.text.endswith("to L6") or move.text.endswith("> L6"))
    after = games.position_of(move.after())
    assert [player.get("canoes", {}) for player in after["players"]] == [
        {"a": {"at": "S5"}, "b": {"at": "R6"}},
        {"a": {"at": "R7"}, "b": {"at": "L7", "gem": "AMB"}},
        {"b": {"at": "FALLEN"}},  # both fell, nothing is owned: a comes back free
        {"a": {"at": "FALLEN"}, "b": {"at": "FALLEN"}},  # L6 falls with the third push to the left
    ]
    assert "fork" not in after
    assert "sites" not in after
    assert (after["phase"], after["first_player"], after["round"]) == ("recover", 1, 2)


def test_n15_nobody_plays_a_number() -> None:
    """N15: three CLOUDs from weather 0; P1 has one answer to -1; the river stands still and the marker passes."""
    canoes = [{}, {"a": {"at": "R7", "gem": "RUB"}}, {"a": {"at": "S5"}}]
    position = {"game": "niagara", "phase": "act",
                "players": [{"played": "CLOUD", "canoes": canoe} for canoe in canoes]}  # fmt: skip
    state = games.state_from(position)
    for weathers in ([-1, 1], [0], [-1, 1]):
        after = [move.after() for move in games.moves(state)]
        assert sorted(games.position_of(one).get("weather", 0) for one in after) == weathers
        state = next(one for one in after if games.position_of(one).get("weather", 0) == weathers[0])
    end = games.position_of(state)
    assert [player.get("canoes", {}) for player in end["players"]] == canoes
    assert "fork" not in end
    assert (end["first_player"], end["round"], end["weather"]) == (1, 2, -1)


def test_n16_buying_a_canoe_back() -> None:
    """N16: with a gem a choice of three; who owns nothing has no choice and the canoe stays; a bought one launches."""
    canoes = {"a": {"at": "FALLEN"}}
    recover = {"game": "niagara", "phase": "recover",
               "players": [{"acted": True}, {"canoes": canoes, "gems": {"AME": 1, "RUB": 1}}, {}]}  # fmt: skip
    moves = games.moves(games.state_from(recover))
    assert {move.text for move in moves} == {"pay nothing", "pay AME for a", "pay RUB for a"}
    paid = next(move for move in moves if move.text == "pay AME for a").after()
    assert games.position_of(paid) == {"game": "niagara", "players": [{}, {"gems": {"RUB": 1}}, {}]}
    acting = games.joint(paid, {0: "card 1", 1: "card 2", 2: "card 3"})
    acting = games.moves(acting)[0].after()
    after = [games.position_of(move.after())["players"][1]["canoes"] for move in games.moves(acting)]
    assert sorted(map(text, after)) == sorted([text({"a": {"at": "S2"}}), text({"b": {"at": "S2"}})])

    poor = {"game": "niagara", "phase": "recover", "players": [{"acted": True}, {"canoes": canoes}, {}]}
    with pytest.raises(games.PositionError, match="phase"):
        games.state_from(poor)
    last = {"game": "niagara", "phase": "act", "players": [
        {"played": 1, "acted": True}, {"played": 1, "acted": True, "canoes": canoes}, {"played": "CLOUD"}]}  # fmt: skip
    for move in games.moves(games.state_from(last)):
        next_round = games.position_of(move.after())
        assert "phase" not in next_round
        assert next_round["players"][1]["canoes"] == canoes


def test_n17_end_of_the_game() -> None:
    """N17: from P1's landing to the result."""
    players = [
        {"played": 2, "acted": True},
        {"played": 1, "canoes": {"a": {"at": "S1", "gem": "AME"}}, "gems": {"AME": 3}},
        {"played": 3, "canoes": {"a": {"at": "L7", "gem": "RUB"}}},
    ]
    state = games.state_from({"game": "niagara", "phase": "act", "players": players})
    landed = next(move for move in games.moves(state) if move.text == "a: S1 > shore").after()
    assert games.position_of(landed)["players"][1]["gems"] == {"AME": 4}
    assert landed.current_player() == 2
    over = next(move for move in games.moves(landed) if move.text == "a: L7 > S4").after()
    assert over.is_terminal()
    assert over.returns() == [0.0, 1.0, 0.0]
    end = games.position_of(over)
    assert end["players"][2]["canoes"] == {"a": {"at": "S4", "gem": "RUB"}}
    assert "first_player" not in end
    places = np.zeros(niagara.MAX_PLAYERS, np.int64)
    niagara.places(over.box.s, over.game.c, places)
    assert places[:3].tolist() == [2, 1, 2]


def test_moves_end_where_the_decision_ends() -> None:
    """A move's actions are all of one player, and only the last one ends the decision."""
    state = games.state_from(act({"played": 6, "canoes": {"a": {"at": "S3", "gem": "DIA"}, "b": {"at": "R7"}}}))
    for move in games.moves(state):
        after = state.clone()
        for i, action in enumerate(move.actions):
            assert after.current_player() == 0
            assert i == 0 or not games.at_decision(after)
            after.apply_action(action)
        assert games.at_decision(after)
        assert after.box.record.tobytes() == move.after().box.record.tobytes()
        assert rules.current_player(after.box.s, state.game.c) == 1
