"""OpenSpiel's own checks over all games, and what its Python games often get wrong: copies, pickles, lifetimes.

The golden playthroughs in tests/data/playthroughs show what OpenSpiel sees of a game. After a wanted change, write
them anew with `WRITE_PLAYTHROUGHS=1 pytest tests/games/test_openspiel.py -k playthrough`, and read the difference.
"""

import gc
import os
import pickle
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from voyageur import games
from voyageur.games import spiel

# OpenSpiel's tests list the registered games when they are imported, so that ours have to come before them.
from open_spiel.integration_tests import api_test  # isort: skip
from open_spiel.python import rl_environment  # isort: skip
from open_spiel.python.algorithms import generate_playthrough, get_all_states  # isort: skip
from open_spiel.python.bots import uniform_random  # isort: skip
from open_spiel.python.tests import games_sim_test  # isort: skip

Play = Callable[..., Iterator[games.State]]
SomeStates = Callable[..., list[games.State]]

# Small games whose whole tree is checked, and OpenSpiel's own of the same size.
FULL_TREES = {
    "voyageur_kuhn_poker": "kuhn_poker",
    "voyageur_goofspiel(num_cards=3,imp_info=true,sequential=true)": (
        "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=3,points_order=descending))"
    ),
    "voyageur_goofspiel(num_cards=4,imp_info=true,sequential=true)": (
        "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=4,points_order=descending))"
    ),
}

PLAYTHROUGHS = {
    "canyon": "canyon(players=3,max_rounds=1,dock_choice=false,board=W88L%0AC8.S%0ASSSS)",
    "niagara": "niagara(players=3,max_rounds=2)",
    "yellowhouse": "yellowhouse(elements=3,copies=4,hand=4,win_total=2)",
    "virta": "virta(turn_limit=6)",
    "voyageur_tic_tac_toe": "voyageur_tic_tac_toe",
    "voyageur_connect_four": "voyageur_connect_four",
    "voyageur_kuhn_poker": "voyageur_kuhn_poker",
    "voyageur_goofspiel": "voyageur_goofspiel(num_cards=4,imp_info=true)",
}


def sequential(game: games.Game) -> Any:
    """The game itself where its players take turns, else OpenSpiel's turn-based form of it."""
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(game)
    return game


def run_case(base: type, **attributes: Any) -> int:
    """Runs all tests of a unittest class with some attributes set; returns how many there were."""
    case = type(base.__name__, (base,), attributes)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert not result.failures + result.errors, "\n".join(text for _, text in result.failures + result.errors)
    assert not result.skipped
    return result.testsRun


# OpenSpiel's checks.


def test_random_simulation(game: games.Game) -> None:
    """OpenSpiel's basic test in C++: random games, with serialisation on the way."""
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def test_simulation(game: games.Game) -> None:
    """OpenSpiel's simulation test in Python: clones, pickles, serialisation, returns within their bounds."""
    np.random.seed(1)
    games_sim_test.GamesSimTest().sim_game(game)


def test_simulation_turn_based(game: games.Game) -> None:
    """The same on the turn-based form of a simultaneous game."""
    if sequential(game) is game:
        pytest.skip("the players take turns anyway")
    np.random.seed(2)
    games_sim_test.GamesSimTest().sim_game(pyspiel.convert_to_turn_based(game))


class _WithWholeGames(api_test.EnforceAPIOnPartialTreeBase):
    """OpenSpiel's conformance test, also on states from whole games: by itself it stays near the beginning."""

    __test__ = False  # only with a game, by `run_case`

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.some_states += cls.further_states


def test_api(game_string: str, game: games.Game, some_states: SomeStates) -> None:
    """OpenSpiel's conformance test on a sample of states."""
    further = some_states(game, 24, seed=15)
    assert run_case(_WithWholeGames, game=game, game_name=game_string, further_states=further) >= 5


def test_api_turn_based(game_string: str, game: games.Game) -> None:
    """The same on the turn-based form; of a simultaneous game the test above sees the first state only."""
    if sequential(game) is game:
        pytest.skip("the players take turns anyway")
    turn_based = pyspiel.convert_to_turn_based(game)
    assert run_case(api_test.EnforceAPIOnPartialTreeBase, game=turn_based, game_name=game_string) >= 5


@pytest.mark.parametrize("text", FULL_TREES)
def test_api_full_tree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSpiel's conformance test on the whole tree, which has the size of OpenSpiel's own game of that name."""
    if text.partition("(")[0] not in spiel.DEFINITIONS:
        pytest.skip("the game is not registered")
    theirs = pyspiel.load_game(FULL_TREES[text])
    states = list(get_all_states.get_all_states(theirs, include_chance_states=True).values())
    ends = sum(state.is_terminal() for state in states)
    chances = sum(state.is_chance_node() for state in states)
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, text, (chances, len(states) - ends - chances, ends))
    seen = {
        (state.current_player(), state.information_state_string())
        for state in states
        if not state.is_terminal() and not state.is_chance_node()
    }
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, text, len(seen))
    assert run_case(api_test.EnforceAPIOnFullTreeBase, game=pyspiel.load_game(text), game_name=text) >= 8


@pytest.mark.parametrize("name", sorted(PLAYTHROUGHS))
def test_playthrough(name: str, data: Path) -> None:
    """What OpenSpiel sees of one game is what it saw before."""
    if name not in spiel.DEFINITIONS:
        pytest.skip("the game is not registered")
    path = data / "playthroughs" / f"{name}.txt"
    text = generate_playthrough.playthrough(PLAYTHROUGHS[name], None, seed=1)
    if os.environ.get("WRITE_PLAYTHROUGHS"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_every_game_has_a_playthrough() -> None:
    """No registered game is without a golden playthrough."""
    assert set(spiel.DEFINITIONS) <= set(PLAYTHROUGHS)


def test_games_are_what_was_registered() -> None:
    """OpenSpiel lists every game, before it is loaded, as what it is with its defaults."""
    registered = {kind.short_name: kind for kind in pyspiel.registered_games()}
    for name, definition in spiel.DEFINITIONS.items():
        assert spiel.LISTINGS[name] == definition.listing
        assert registered[name].pretty_print() == pyspiel.load_game(name).get_type().pretty_print()


def test_uniform_random_bots(game: games.Game) -> None:
    """OpenSpiel's random bots play a game to its end."""
    bots = [uniform_random.UniformRandomBot(seat, np.random.RandomState(seat)) for seat in range(game.num_players())]
    returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 7)
    assert len(returns) == game.num_players()
    if game.utility_sum() is not None:
        assert sum(returns) == pytest.approx(game.utility_sum())


def test_rl_environment(game: games.Game) -> None:
    """One episode of OpenSpiel's learning environment, on the turn-based form."""
    environment = rl_environment.Environment(sequential(game), chance_event_sampler=_Sampler())
    rng = np.random.default_rng(3)
    step = environment.reset()
    size = environment.observation_spec()["info_state"][0]
    while not step.last():
        seat = step.observations["current_player"]
        assert len(step.observations["info_state"][seat]) == size
        step = environment.step([int(rng.choice(step.observations["legal_actions"][seat]))])
    assert len(step.rewards) == game.num_players()


class _Sampler(rl_environment.ChanceEventSampler):
    """Chance from a seed of its own."""

    def __init__(self) -> None:
        super().__init__(seed=5)


# Copies.


def facts(state: games.State) -> tuple[Any, ...]:
    """All that a state says of itself."""
    seats = range(state.num_players())
    return (
        str(state),
        state.history(),
        state.current_player(),
        state.returns(),
        state.box.record.tobytes(),
        [] if state.is_chance_node() else [state.information_state_string(seat) for seat in seats],
        [] if state.is_chance_node() else [state.legal_actions(seat) for seat in seats],
    )


def go_on(state: games.State) -> None:
    """Plays the last legal action (of everybody) until three steps are done or the game is over."""
    for _ in range(3):
        if state.is_simultaneous_node():
            state.apply_actions([state.legal_actions(seat)[-1] for seat in range(state.num_players())])
        elif not state.is_terminal():
            state.apply_action(state.legal_actions()[-1])


def from_pickle(state: games.State) -> games.State:
    """The state through pickle."""
    return pickle.loads(pickle.dumps(state))


def from_text(state: games.State) -> games.State:
    """The state through OpenSpiel's serialisation, which carries the game along."""
    return pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))[1]


def from_game(state: games.State) -> games.State:
    """The state through OpenSpiel's serialisation by a game that is there."""
    return state.get_game().deserialize_state(state.serialize())


def from_clone(state: games.State) -> games.State:
    """The state's clone."""
    return state.clone()


COPIES = pytest.mark.parametrize("copy", [from_clone, from_pickle, from_text, from_game])


@COPIES
def test_copies_are_equal_and_apart(
    game: games.Game, some_states: SomeStates, copy: Callable[[games.State], games.State]
) -> None:
    """A copy says what the original says; playing on in either leaves the other as it was; both go the same way."""
    for state in some_states(game, 12, seed=11):
        before = facts(state)
        other = copy(state)
        assert facts(other) == before
        go_on(other)
        assert facts(state) == before
        after = facts(other)
        go_on(state)
        assert facts(other) == after
        assert facts(state) == after


# Positions in mid-game, each with the actions of everybody or of one seat that lead on.
STARTS: dict[str, tuple[games.Position, list[int]]] = {
    "canyon": (
        {"game": "canyon", "round": 7, "dealer": 2, "phase": "bid", "trump": "V3", "params": {"hook": True},
         "players": [{"square": "a8", "hand": ["R1", "R2"]}, {"square": "cave", "hand": ["G1", "V2"]},
                     {"square": "e3", "hand": ["Y1", "Y2"]}]},
        [2],
    ),
    "niagara": (
        {"game": "niagara", "round": 5, "weather": 1, "params": {"max_rounds": 7},
         "players": [{"cards": [1, 2]}, {"cards": [3, 4]}, {"cards": [5, 6]}]},
        [0, 2, 4],
    ),
}  # fmt: skip


@COPIES
@pytest.mark.parametrize("name", STARTS)
def test_copies_of_a_state_from_a_position(name: str, copy: Callable[[games.State], games.State]) -> None:
    """A state that begins in mid-game stays one, with what was known there."""
    position, actions = STARTS[name]
    state = games.state_from(position)
    known = state.observation_string(1)
    state.apply_actions(actions) if len(actions) > 1 else state.apply_action(actions[0])
    other = copy(state)
    assert facts(other) == facts(state)
    assert other.get_game().parameters == state.get_game().parameters
    assert f'"round":{position["round"]}' in known
    assert other.information_state_string(1).startswith(known)
    go_on(other)
    assert state.history() == actions


def test_a_pickled_box_is_checked() -> None:
    """A state's bytes from outside are refused if their version, game or length is not ours."""
    state = pyspiel.load_game("niagara").new_initial_state()
    restore, (version, name, record, start) = state.box.__reduce__()
    assert restore(version, name, record, start).record.tobytes() == record
    for wrong in (
        (version + 1, name, record, start),
        (version, "chess", record, start),
        (version, name, record[:-1], start),
        (version, name, record, start + b"\0"),
    ):
        with pytest.raises(ValueError, match="serialized state"):
            restore(*wrong)


def test_games_are_equal_after_pickling(game: games.Game) -> None:
    """A game through pickle is the same game with the same parameters."""
    other = pickle.loads(pickle.dumps(game))
    assert str(other) == str(game)
    assert other.parameters == game.parameters
    assert facts(other.new_initial_state()) == facts(game.new_initial_state())


def test_a_game_outlives_its_last_reference(game_string: str) -> None:
    """A state keeps its game, also the part of it that lives in Python, and so do clones and pickles."""
    states = [pyspiel.load_game(game_string).new_initial_state() for _ in range(2)]
    states[1] = states[1].clone()
    states.append(pickle.loads(pickle.dumps(states[0])))
    gc.collect()
    for i, state in enumerate(states):
        while not state.is_terminal():
            go_on(state)
        assert state.get_game().parameters == pyspiel.load_game(game_string).parameters
        states[i] = None
        del state
        gc.collect()


def test_parameters_survive_as_text(game_string: str) -> None:
    """`load_game(str(game))` is the same game, for the defaults and for each other value of each parameter."""
    name = game_string.partition("(")[0]
    tried = 0
    for text in (name, game_string, *_other_values(name)):
        game = pyspiel.load_game(text)
        again = pyspiel.load_game(str(game))
        assert again.parameters == game.parameters
        assert str(again) == str(game)
        assert again.constants.tobytes() == game.constants.tobytes()
        tried += 1
    assert tried > 1 or not spiel.DEFINITIONS[name].words.parameters


def _other_values(name: str) -> Iterator[str]:
    """The game with one parameter changed, for each value that its rules take."""
    for parameter in spiel.DEFINITIONS[name].words.parameters:
        for value in (-1, 0, 1, 2, 3, 4, 5, True, False, "LEFT", "RIGHT", "RANDOM", "SIMULTANEOUS", "IMMEDIATE",
                      "FIRST", "VALUE_SUM", "ascending", "descending", "simultaneous", "dealer", "always",
                      "toward_goal", "all_forced", "free_stop", "earlier_mover", "0 1 2 3 4 5 6 7 20", "L8SSSS",
                      "%3B%20name%3A%20a%25b%0AL8SSSS"):  # fmt: skip
            if type(value) is not type(parameter.default) or value == parameter.default:
                continue
            try:
                games.load(name, **{parameter.name: value})
            except games.PositionError:
                continue
            yield f"{name}({parameter.name}={value})"


def test_wrong_parameters_are_refused(game_string: str) -> None:
    """An unknown name, or a value that the rules do not have, is one line that names the parameter."""
    name = game_string.partition("(")[0]
    with pytest.raises(games.PositionError, match="nonsense"):
        games.load(name, nonsense=1)
    for parameter in spiel.DEFINITIONS[name].words.parameters:
        for value in (-7, 10**40, "nonsense", [1], {}, float("nan")):
            with pytest.raises(games.PositionError) as error:
                games.load(name, **{parameter.name: value})
            assert error.value.field.split(".")[0].split("[")[0] == parameter.name
            assert len(str(error.value).splitlines()) == 1


def test_illegal_actions_are_refused(game: games.Game, some_states: SomeStates) -> None:
    """Compiled rules trust their input, so that nothing illegal may reach them; and nothing changes."""
    for state in some_states(game, 12, seed=12):
        if state.is_terminal():
            continue
        before = str(state)
        if state.is_simultaneous_node():
            legal = [state.legal_actions(seat) for seat in range(game.num_players())]
            with pytest.raises(ValueError, match="illegal action"):
                state.clone().apply_actions([game.num_distinct_actions()] + [actions[0] for actions in legal[1:]])
        else:
            legal_here = state.legal_actions()
            for action in (game.num_distinct_actions() + 5, 10**6):
                assert action not in legal_here
                with pytest.raises(ValueError, match="illegal action"):
                    state.clone().apply_action(action)
        assert str(state) == before


def test_legal_actions_are_sorted_and_named_apart(game: games.Game, some_states: SomeStates) -> None:
    """Legal actions ascend, are in range, and no two have the same text."""
    for state in some_states(game, 60, seed=13):
        if state.is_terminal():
            continue
        seats = range(game.num_players()) if state.is_simultaneous_node() else [state.current_player()]
        for seat in seats:
            actions = state.legal_actions() if state.is_chance_node() else state.legal_actions(seat)
            limit = game.max_chance_outcomes() if state.is_chance_node() else game.num_distinct_actions()
            assert actions == sorted(set(actions))
            assert actions
            assert actions[0] >= 0
            assert actions[-1] < limit
            names = [state.action_to_string(seat, action) for action in actions]
            assert len(set(names)) == len(actions)
            if not state.is_simultaneous_node():  # there OpenSpiel looks among joint actions
                assert [state.string_to_action(seat, name) for name in names] == actions


def test_games_end_within_their_stated_length(game: games.Game, play: Play) -> None:
    """No random game is longer, or has more chance nodes, than the game says."""
    rng = np.random.default_rng(14)
    for sensible in (False, True, False, True):
        chances = 0
        for state in play(game, rng, sensible):
            chances += state.is_chance_node()
        assert len(state.full_history()) - chances <= game.max_game_length() * game.num_players()
        assert state.move_number() - chances <= game.max_game_length()
        assert chances <= game.max_chance_nodes_in_history()
        returns = state.returns()
        assert all(game.min_utility() <= value <= game.max_utility() for value in returns)
        if game.utility_sum() is not None:
            assert sum(returns) == pytest.approx(game.utility_sum())


@pytest.mark.parametrize("name", STARTS)
def test_positions_as_structs(name: str) -> None:
    """OpenSpiel's struct methods speak positions: a state to and from one, and what a player knows."""
    position, actions = STARTS[name]
    state = games.state_from(position)
    state.apply_actions(actions) if len(actions) > 1 else state.apply_action(actions[0])
    assert state._to_struct() == games.position_of(state)
    assert state._to_observation_struct(1) == games.position_of(state, viewer=1)
    player, action = state.current_player(), state.legal_actions()[0]
    assert state._struct_to_actions(state._action_to_struct(player, action)) == [action]
    again = state.get_game().new_initial_state(state._to_struct())
    assert again.box.record.tobytes() == state.box.record.tobytes()


def test_states_that_agents_may_not_have(game: games.Game) -> None:
    """Environments that hand out whole states are told not to, where a game hides anything."""
    assert game.new_initial_state().hides_state_from_agents() == game.info.hides
