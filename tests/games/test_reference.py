"""The reference games against OpenSpiel's own of the same names; what is hidden in them, against enumeration."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest

from voyageur import games
from voyageur.games import rules
from voyageur.games.reference import connect_four, goofspiel

GOOFSPIELS: list[dict[str, Any]] = [
    {"num_cards": 4},
    {"num_cards": 2, "points_order": "ascending"},
    {"num_cards": 5, "points_order": "random"},
    {"num_cards": 13, "points_order": "random", "imp_info": True, "returns_type": "point_difference"},
    {"num_cards": 5, "points_order": "ascending", "players": 3, "returns_type": "total_points"},
    {"num_cards": 4, "points_order": "random", "players": 3, "imp_info": True},
    {"num_cards": 6, "players": 5},
    {"num_cards": 3, "players": 4, "returns_type": "point_difference"},
]
# Random play hardly ever fills the board without a line.
DRAW = [int(digit) for digit in "361313645534311043046626105524515600224220"]


def ours_and_theirs(name: str, sequential: bool = False, **params: Any) -> tuple[Any, Any]:
    """Our game and OpenSpiel's (its turn-based form for our sequential one)."""
    theirs = pyspiel.load_game(name, {"points_order": "descending"} | params if name == "goofspiel" else params)
    if sequential:
        return games.load(f"voyageur_{name}", sequential=True, **params), pyspiel.convert_to_turn_based(theirs)
    return games.load(f"voyageur_{name}", **params), theirs


def assert_same_node(ours: Any, theirs: Any) -> None:
    """Whether both states offer the same to everybody."""
    assert ours.is_terminal() == theirs.is_terminal()
    assert ours.current_player() == theirs.current_player()
    if ours.is_terminal():
        assert ours.returns() == pytest.approx(theirs.returns())
    elif ours.is_chance_node():
        outcomes, probs = zip(*ours.chance_outcomes(), strict=True)
        their_outcomes, their_probs = zip(*theirs.chance_outcomes(), strict=True)
        assert outcomes == their_outcomes
        assert probs == pytest.approx(their_probs)
    else:
        for player in range(theirs.num_players()):
            assert ours.legal_actions(player) == theirs.legal_actions(player)


def play(ours: Any, theirs: Any, rng: random.Random) -> list[Any]:
    """Plays one random game on both, checked move by move; every state of ours, the last one included."""
    states = [(ours.new_initial_state(), theirs.new_initial_state())]
    while True:
        state, their_state = states[-1]
        assert_same_node(state, their_state)
        if their_state.is_terminal():
            return [state for state, _ in states]
        state, their_state = state.clone(), their_state.clone()
        if their_state.is_simultaneous_node():
            joint = [rng.choice(their_state.legal_actions(player)) for player in range(their_state.num_players())]
            state.apply_actions(joint)
            their_state.apply_actions(joint)
        else:
            action = rng.choice(their_state.legal_actions())
            state.apply_action(action)
            their_state.apply_action(action)
        states.append((state, their_state))


def whole_tree(ours: Any, theirs: Any) -> Iterator[tuple[Any, Any]]:
    """Every pair of states with the same history, checked node by node."""
    stack = [(ours.new_initial_state(), theirs.new_initial_state())]
    while stack:
        state, their_state = stack.pop()
        assert_same_node(state, their_state)
        yield state, their_state
        if not their_state.is_terminal():
            stack += [(state.child(action), their_state.child(action)) for action in their_state.legal_actions()]


def information_states(ours: Any, theirs: Any) -> int:
    """The number of information states at decisions of turn-based games, which must be told apart alike by both."""
    pairs = {
        (state.information_state_string(), their_state.information_state_string())
        for state, their_state in whole_tree(ours, theirs)
        if their_state.current_player() >= 0
    }
    assert len({mine for mine, _ in pairs}) == len(pairs) == len({other for _, other in pairs})
    return len(pairs)


@pytest.mark.parametrize(("name", "plays"), [("tic_tac_toe", 100), ("connect_four", 100), ("kuhn_poker", 60)])
def test_random_games_match(name: str, plays: int) -> None:
    """Move by move; both seats have won at least once."""
    rng = random.Random(1)
    ours, theirs = ours_and_theirs(name)
    ends = {tuple(play(ours, theirs, rng)[-1].returns()) for _ in range(plays)}
    assert {(1.0, -1.0), (-1.0, 1.0)} <= ends


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("params", GOOFSPIELS)
def test_random_goofspiel_matches(params: dict[str, Any], sequential: bool) -> None:
    """Move by move, with simultaneous bids and with bids seat by seat."""
    rng = random.Random(2)
    ours, theirs = ours_and_theirs("goofspiel", sequential, **params)
    ends = {tuple(play(ours, theirs, rng)[-1].returns()) for _ in range(30)}
    assert len(ends) > 1


def test_tic_tac_toe_has_all_states() -> None:
    """5478 different positions, each with the same offers, told apart as OpenSpiel does."""
    ours, theirs = ours_and_theirs("tic_tac_toe")
    found: dict[str, str] = {}
    stack = [(ours.new_initial_state(), theirs.new_initial_state())]
    while stack:
        state, their_state = stack.pop()
        assert_same_node(state, their_state)
        if str(their_state) in found:
            assert found[str(their_state)] == str(state)
            continue
        found[str(their_state)] = str(state)
        stack += [(state.child(action), their_state.child(action)) for action in their_state.legal_actions()]
    assert len(found) == len(set(found.values())) == 5478


def test_connect_four_is_drawn_on_a_full_board() -> None:
    """Whoever filled it."""
    ours, theirs = (game.new_initial_state() for game in ours_and_theirs("connect_four"))
    for action in DRAW:
        assert_same_node(ours, theirs)
        ours.apply_action(action)
        theirs.apply_action(action)
    assert_same_node(ours, theirs)
    assert ours.returns() == [0.0, 0.0]
    assert len(DRAW) == 42


def test_connect_four_finds_every_line() -> None:
    """All 69 of them, and nothing in any with a gap; else as a search of the lines says."""
    cells = [(column, row) for column in range(7) for row in range(6)]
    directions = [(1, 0), (0, 1), (1, 1), (1, -1)]
    lines = [{(x + i * dx, y + i * dy) for i in range(4)} for x, y in cells for dx, dy in directions]
    lines = [line for line in lines if line <= set(cells)]
    assert len(lines) == 69
    rng = random.Random(3)
    boards = [line - {missing} for line in lines for missing in line] + lines
    boards += [set(rng.sample(cells, rng.randint(8, 20))) for _ in range(2000)]
    for board in boards:
        bits = np.uint64(sum(1 << 7 * column + row for column, row in board))
        assert connect_four.four_in_a_row(bits) == any(line <= board for line in lines)


def test_connect_four_keys_tell_boards_apart() -> None:
    """The keys are those of the board and the seat, not of the way there."""
    rng = random.Random(4)
    ours, theirs = ours_and_theirs("connect_four")
    keys: dict[str, int] = {}
    for _ in range(100):
        for state in play(ours, theirs, rng):
            s, board = state.box.s, state.observation_string(0)
            key = int(rules.information_key(s, ours.c, 0))
            assert keys.setdefault(board, key) == key
            assert len({key, int(rules.information_key(s, ours.c, 1)), int(rules.public_key(s, ours.c))}) == 3
    assert len(set(keys.values())) == len(keys) > 1000


def test_kuhn_has_twelve_information_states() -> None:
    """The same as OpenSpiel's."""
    assert information_states(*ours_and_theirs("kuhn_poker")) == 12


@pytest.mark.parametrize(
    ("params", "number"),
    [
        ({"num_cards": 3}, 16),
        ({"num_cards": 4}, 162),
        ({"num_cards": 3, "points_order": "random"}, None),
        ({"num_cards": 3, "players": 3}, None),
    ],
)
def test_goofspiel_has_the_information_states_of_openspiel(params: dict[str, Any], number: int | None) -> None:
    """In our form with bids seat by seat, and in OpenSpiel's of our simultaneous one."""
    ours, theirs = ours_and_theirs("goofspiel", True, imp_info=True, **params)
    found = information_states(ours, theirs)
    assert found == (number or found)
    simultaneous = games.load("voyageur_goofspiel", imp_info=True, **params)
    assert information_states(pyspiel.convert_to_turn_based(simultaneous), theirs) == found


def test_goofspiel_refuses_what_it_cannot_sample() -> None:
    """Too many cards for so many players, but only where their bids stay hidden."""
    games.load("voyageur_goofspiel", players=3, num_cards=6, imp_info=True)
    games.load("voyageur_goofspiel", players=3, num_cards=7)
    with pytest.raises(games.PositionError, match="num_cards: expected at most 6"):
        games.load("voyageur_goofspiel", players=3, num_cards=7, imp_info=True)


def determinizations(state: Any, player: int, n: int) -> Iterator[np.ndarray]:
    """`n` determinizations of `state`, as records."""
    game, rng = state.game, rules.make_rng(5)
    table = np.zeros(game.rules.table_size)
    rules.prepare(state.box.s, game.c, player, table)
    for _ in range(n):
        record = state.box.record.copy()
        rules.determinize(record[0], game.c, player, rng, table)
        yield record


def relived(state: Any) -> bytes:
    """The record to which the history of `state` leads."""
    after = state.game.new_initial_state()
    for step in state.steps():
        if len(step) == 1:
            after.apply_action(*step.values())
        else:
            after.apply_actions(list(step.values()))
    return after.box.record.tobytes()


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("kuhn_poker", {}),
        ("goofspiel", {"num_cards": 4, "imp_info": True, "sequential": True}),
        ("goofspiel", {"num_cards": 3, "imp_info": True, "sequential": True, "points_order": "random"}),
        ("goofspiel", {"num_cards": 3, "imp_info": True, "sequential": True, "players": 3}),
        ("goofspiel", {"num_cards": 3, "sequential": True}),
    ],
)
def test_redraws_uniformly_what_a_player_cannot_tell_apart(name: str, params: dict[str, Any]) -> None:
    """Of each information state, wherever it lies, against the records of all states of the game that are in it."""
    game = games.load(f"voyageur_{name}", **params)
    groups = defaultdict(list)
    for state, _ in whole_tree(game, game):
        for player in range(game.num_players()):
            groups[player, state.information_state_string(player)].append(state)
    assert max(map(len, groups.values())) > 1
    for (player, text), states in groups.items():
        state, worlds = states[0], {state.box.record.tobytes() for state in states}
        assert len(worlds) == len(states)
        assert len({int(rules.information_key(state.box.s, game.c, player)) for state in states}) == 1
        counts = Counter(record.tobytes() for record in determinizations(state, player, 40 * len(worlds)))
        assert set(counts) == worlds, text
        # Chi-square: mean `free`, variance twice that.
        free = len(worlds) - 1
        assert sum((count - 40) ** 2 / 40 for count in counts.values()) <= free + 5 * (2 * free) ** 0.5 + 10, text
        sample = games.view_of(state, player).sample(np.random.default_rng(7))
        assert relived(sample) == sample.box.record.tobytes()
        assert sample.information_state_string(player) == text


@pytest.mark.parametrize(
    "params", [{"num_cards": 13}, {"num_cards": 6, "players": 3}, {"num_cards": 4, "players": 4, "sequential": True}]
)
def test_goofspiel_redraws_bids_that_fit_in_large_games(params: dict[str, Any]) -> None:
    """Bids drawn have the winners that were seen, and hands are the cards not bid."""
    game = games.load("voyageur_goofspiel", imp_info=True, points_order="random", **params)
    for state in play(game, game, random.Random(8)):
        s, others = state.box.s, set()
        for record in determinizations(state, 1, 20):
            bids = record["bids"][0, : game.num_players()]
            assert (bids[1] == s["bids"][1]).all()
            for i in range(int(s["round"])):
                best = np.flatnonzero(bids[:, i] == bids[:, i].max())
                assert s["winners"][i] == (best[0] if len(best) == 1 else goofspiel.NONE)
            for seat, made in enumerate(bids):
                cards = made[: s["round"]].tolist()
                assert record["hands"][0, seat] == (1 << params["num_cards"]) - 1 - sum(1 << card for card in cards)
                assert len(set(cards)) == len(cards)
            others.add(bids.tobytes())
        assert s["round"] != 2 or len(others) > 1


def test_kuhn_redraws_before_all_is_dealt() -> None:
    """A seat without a card may think the other's to be any."""
    state = games.load("voyageur_kuhn_poker").new_initial_state()
    state.apply_action(2)
    assert {int(record["cards"][0, 0]) for record in determinizations(state, 1, 60)} == {0, 1, 2}
    assert {int(record["cards"][0, 0]) for record in determinizations(state, 0, 60)} == {2}


@pytest.mark.parametrize("text", ["voyageur_kuhn_poker", "voyageur_goofspiel(num_cards=5,points_order=random)"])
def test_chance_is_sampled_by_its_probabilities(text: str) -> None:
    """Along one game: what is drawn are the outcomes listed, equally often."""
    game, rng = pyspiel.load_game(text), rules.make_rng(9)
    nodes = [state for state in play(game, game, random.Random(10)) if state.is_chance_node()]
    assert len(nodes) == game.max_chance_nodes_in_history() > 1
    for state in nodes:
        counts = Counter(int(rules.sample_chance(state.box.s, game.c, rng)) for _ in range(2000))
        assert sorted(counts) == state.legal_actions()
        assert min(counts.values()) > 0.8 * max(counts.values())


def test_goofspiel_is_evaluated_by_the_points_so_far() -> None:
    """And by its own kind of returns."""
    state = games.load("voyageur_goofspiel", returns_type="point_difference").new_initial_state()
    state.apply_actions([2, 3])
    out = np.zeros(2)
    rules.evaluate(state.box.s, state.get_game().c, out)
    assert out.tolist() == [-2.0, 2.0]
