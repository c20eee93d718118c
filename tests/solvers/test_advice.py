"""Advice: what is in it, for whom it is, and what is refused."""

import math
from collections.abc import Callable
from typing import Any

import pyspiel
import pytest

from voyageur import games, solvers
from voyageur.games.rules import SIMULTANEOUS
from voyageur.games.spiel import State
from voyageur.solvers import Advice, Limit

StateAfter = Callable[..., State]

Advise = Callable[..., Advice]
SomeStates = Callable[..., list[State]]
Deciders = Callable[[State], list[int]]

NIAGARA = "niagara(max_rounds=6)"
GAMES = (
    NIAGARA,
    "niagara(players=3,max_rounds=6,max_recover_per_round=2,sequential=true)",
    "yellowhouse(elements=3,copies=5,hand=5,exchange=1)",
    "yellowhouse(elements=2,copies=5,hand=4,scope=round,sequential=true)",
    "voyageur_goofspiel(num_cards=4)",
    "voyageur_goofspiel(num_cards=4,imp_info=true,sequential=true)",
    "voyageur_kuhn_poker",
    "voyageur_connect_four",
    "voyageur_tic_tac_toe",
)


@pytest.fixture
def turn() -> State:
    """A whole turn of niagara with both canoes to paddle: P2 acts, P3 and P0 still have their cards face down."""
    return games.state_from(
        {
            "game": "niagara",
            "round": 2,
            "phase": "act",
            "first_player": 1,
            "players": [
                {"cards": [1, 3, 4, 5, "CLOUD"], "played": 2, "canoes": {"a": {"at": "S2", "gem": "AME"}}},
                {"cards": [1, 2, 3, 5, "CLOUD"], "played": 4, "acted": True, "canoes": {"a": {"at": "S4"}}},
                {
                    "cards": [1, 2, 4, 6, "CLOUD"],
                    "played": 5,
                    "canoes": {"a": {"at": "S3"}, "b": {"at": "S5", "gem": "DIA"}},
                },
                {"cards": [1, 2, 3, 4, 6], "played": 5, "canoes": {"b": {"at": "S5"}}},
            ],
        }
    )


@pytest.mark.parametrize("solver", ("ismcts", "scripted", "random"))
@pytest.mark.parametrize("game", GAMES)
def test_figures(game: str, solver: str, some_states: SomeStates, deciders: Deciders, advise: Advise) -> None:
    """Shares, order, intervals and seats' values, from anywhere in a game."""
    loaded = pyspiel.load_game(game)
    low, high, total = loaded.min_utility(), loaded.max_utility(), loaded.utility_sum()
    asked = 0
    for seed, state in enumerate(some_states(loaded, 12, seed=1)):
        for player in deciders(state):
            advice = advise(state, 80, player=player, solver=solver, seed=seed)
            moves = advice.moves
            asked += 1
            assert (advice.game, advice.player, advice.solver) == (str(loaded), player, solver)
            assert advice.kind == "sampled" or (advice.kind in ("exact", "equilibrium") and solver == "ismcts")
            assert sum(move.share for move in moves) == pytest.approx(1)
            assert all(0 <= move.share <= 1 for move in moves)
            order = [(-m.share, -m.low if advice.kind == "exact" else 0, -m.visits) for m in moves]
            assert order == sorted(order)
            assert advice.of == len(moves) == len({move.actions for move in moves}) == len({m.text for m in moves})
            if solver == "ismcts":
                visits = sum(move.visits for move in moves)
                assert advice.simulations == 80
                assert 0 < visits < 80 if loaded.rules.ranges else visits == 80
                assert all(low <= m.low <= m.value <= m.high <= high for m in moves)
                assert advice.values is not None and sum(advice.values) == pytest.approx(total)
                assert all(low <= value <= high for value in advice.values)
            else:
                assert advice.simulations == 0 and advice.values is None
                assert all((m.value, m.low, m.high, m.visits, m.line) == (None, None, None, 0, []) for m in moves)
    assert asked > 5


@pytest.mark.parametrize("game", GAMES)
def test_moves_are_those_of_the_state(game: str, some_states: SomeStates, deciders: Deciders, advise: Advise) -> None:
    """Texts and actions are exactly those of `games.moves`, and so are the view's."""
    for state in some_states(pyspiel.load_game(game), 12, seed=2):
        for player in deciders(state):
            expected = {(move.text, move.actions) for move in games.moves(state, player)}
            assert {(m.text, m.actions) for m in advise(state, 1, player=player).moves} == expected
            assert {(m.text, m.actions) for m in games.view_of(state, player).moves()} == expected


@pytest.mark.parametrize("game", GAMES)
def test_view_and_state_give_the_same(game: str, some_states: SomeStates, deciders: Deciders, advise: Advise) -> None:
    """Only the view of a state is used, so its view gives the same advice."""
    for state in some_states(pyspiel.load_game(game), 8, seed=3):
        for player in deciders(state):
            view = games.view_of(state, player)
            assert advise(view, 60).to_dict() == advise(state, 60, player=player).to_dict()
            assert advise(view, 60, player=player).to_dict() == advise(view, 60).to_dict()


def test_top(turn: State, advise: Advise) -> None:
    """`top` moves are told, five by default, the best of all of them."""
    everything = advise(turn, 300)
    assert everything.of == len(everything.moves) > 10
    for top in (1, 3, 1000):
        some = advise(turn, 300, top=top)
        assert some.of == everything.of
        assert some.moves == everything.moves[:top]
    assert len(solvers.advise(turn, limit=Limit(nodes=300)).moves) == 5


def test_mixed_choices_are_shown_as_mixtures(advise: Advise) -> None:
    """Several cards have a share at a simultaneous decision; a turn that everybody sees is one move."""
    state = pyspiel.load_game("niagara(first_player=0)").new_initial_state()
    cards = advise(state, 500, player=3, purify=0)
    assert sum(move.share > 0.02 for move in cards.moves) > 1
    pure = {move.text: move.share for move in advise(state, 500, player=3).moves}
    total = sum(move.share for move in cards.moves if pure[move.text] > 0)  # Niagara leaves small shares out
    assert [pure[move.text] for move in cards.moves] == pytest.approx(
        [move.share / total if move.share >= 0.6 * cards.moves[0].share else 0 for move in cards.moves]
    )
    state.apply_actions([3, 3, 3, 3])
    assert [move.share for move in advise(state, 500).moves][:2] == [1, 0]


# Lines.


def follow(state: State, player: int, move: tuple[int, ...], line: list[str]) -> int:
    """Plays `move` and then `line` on the words of whole moves; returns how many of these were played.

    Fails where a text is not that of a whole move of the seat that it names, or names a seat that does not decide.
    """
    joint = {player: move[0]} if state.current_player() == SIMULTANEOUS else None
    state = state.clone()
    if joint is None:
        for action in move:
            state.apply_action(action)
    for i, text in enumerate(line):
        seat, words = int(text[1]), text[3:]
        assert text.startswith(f"P{seat} ")
        if joint is not None:
            joint[seat] = next(m.actions[0] for m in games.moves(state, seat) if m.text == words)
            if len(joint) == state.num_players():
                state.apply_actions([joint[s] for s in sorted(joint)])
                joint = None
            continue
        assert state.current_player() == seat, f"{text}: it is not the decision of that seat"
        chosen = next((m for m in all_ways(state) if m[0] == words), None)
        assert chosen is not None, f"{text}: no whole move of {state}"
        for action in chosen[1]:
            state.apply_action(action)
        if state.is_chance_node():
            assert i == len(line) - 1, "goes on after chance"
    return len(line)


def all_ways(state: State) -> list[tuple[str, tuple[int, ...]]]:
    """(text, actions) of every chain of actions that is a whole move, also of several that lead to the same."""
    player, words, s, c = state.current_player(), state.game.words, state.box.s, state.game.c
    found, stack = [], [(state, ())]
    while stack:
        now, chain = stack.pop()
        for action in now.legal_actions():
            after = now.clone()
            after.apply_action(action)
            if after.current_player() != player or games.at_decision(after):
                found.append((words.move_text(s, c, player, (*chain, action)), (*chain, action)))
            else:
                stack.append((after, (*chain, action)))
    return found


# With closed cards a line of niagara ends at the next player, whose card is not known; with open ones it goes on.
@pytest.mark.parametrize("game", [*GAMES, "niagara(max_rounds=6,reveal=SIMULTANEOUS)"])
def test_lines_are_whole_moves(game: str, some_states: SomeStates, deciders: Deciders, advise: Advise) -> None:
    """What is expected to follow a move can be played, move by move, by the seats that it names."""
    played = 0
    for seed, state in enumerate(some_states(pyspiel.load_game(game), 8, seed=5)):
        for player in deciders(state):
            advice = advise(state, 600, player=player, seed=seed)
            world = games.view_of(state, player).world()
            for move in advice.moves[:3]:
                played += follow(world, player, move.actions, move.line)
    hidden = game == "voyageur_kuhn_poker" or game == "niagara(max_rounds=6)"  # what follows hangs on a hidden card
    assert played > 0 or hidden


def test_lines_where_only_first_actions_are_compared(
    turn: State, monkeypatch: pytest.MonkeyPatch, advise: Advise
) -> None:
    """There the line begins with the whole move."""
    from voyageur.solvers import search

    monkeypatch.setattr(search, "MAX_ROOT_MOVES", 1)
    advice = advise(turn, 2000)
    assert all(len(move.actions) == 1 for move in advice.moves)
    whole = {text for text, _ in all_ways(turn)}
    assert advice.moves[0].line[0][3:] in whole
    for move in advice.moves:
        assert not move.line or move.line[0][3:] in whole


# Whom it is for.


def test_the_player_to_act_is_advised(turn: State, advise: Advise) -> None:
    """By default; at a simultaneous decision it has to be said who."""
    assert advise(turn, 10).player == turn.current_player() == 2
    state = pyspiel.load_game("niagara(first_player=0)").new_initial_state()
    assert [advise(state, 10, player=seat).player for seat in range(4)] == [0, 1, 2, 3]
    with pytest.raises(ValueError, match=r"^player: everybody decides at once here[^\n]*$"):
        advise(state, 10)


def test_advice_inside_a_move(turn: State, advise: Advise) -> None:
    """A state between the actions of a move gets advice about the rest of the move."""
    whole = max(games.moves(turn), key=lambda move: len(move.actions))
    assert len(whole.actions) >= 4
    state = turn.clone()
    for i, action in enumerate(whole.actions[:-1]):
        state.apply_action(action)
        assert not games.at_decision(state)
        found = advise(state, 40).moves
        assert len({move.actions for move in found}) == len(found)
        after = turn.clone()
        for step in (*whole.actions[: i + 1], *found[0].actions):
            after.apply_action(step)
        assert after.current_player() != 2


def refused(message: str, call: Callable[[], Any]) -> None:
    """Fails unless `call` raises a ValueError of one line that begins with `message`."""
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_refusals(turn: State, advise: Advise) -> None:
    """Every refusal is one line that names what is wrong."""
    view = games.view_of(turn, 2)
    refused("player: it is the decision of seat 2, not of seat 1", lambda: advise(turn, 5, player=1))
    refused("player: expected a seat from 0 to 3", lambda: advise(turn, 5, player=4))
    refused("player: this is the view of seat 2, not of seat 0", lambda: advise(view, 5, player=0))
    refused("player: it is the decision of seat 2", lambda: advise(games.view_of(turn, 0), 5))
    refused("solver: unknown 'best'; known are ismcts, mcts", lambda: advise(turn, 5, solver="best"))
    refused("solver: mcts cannot play niagara", lambda: advise(turn, 5, solver="mcts"))
    refused("depth: ismcts has no such option", lambda: advise(turn, 5, depth=3))
    refused("exploration: random has no such option", lambda: advise(turn, 5, solver="random", exploration=1.0))
    refused("threads: expected a whole number from 1 to 256", lambda: advise(turn, 5, threads=0))
    kuhn = pyspiel.load_game("voyageur_kuhn_poker").new_initial_state()
    refused("nobody decides here: chance is next", lambda: advise(kuhn, 5))
    for action in (0, 1, 0, 0):
        kuhn.apply_action(action)
    refused("nobody decides here: the game is over", lambda: advise(kuhn, 5))


def test_names() -> None:
    """Every solver is listed with its options and what it can play."""
    known = solvers.names()
    assert list(known) == ["ismcts", "mcts", "scripted", "random", "cfr"]
    assert "niagara" in known["ismcts"].games and "niagara" not in known["mcts"].games
    assert "voyageur_connect_four" in known["mcts"].games
    assert known["random"].options == {} and known["ismcts"].options["keys"] is None
    assert all(info.summary for info in known.values())


def test_scripted_and_random_shares(turn: State, advise: Advise) -> None:
    """The plain player is sure of its move, the random one of none."""
    scripted, anything = (advise(turn, 1, solver=solver).moves for solver in ("scripted", "random"))
    assert [move.share for move in scripted] == [1] + [0] * (len(scripted) - 1)
    assert {move.share for move in anything} == {1 / len(anything)}


def test_values_where_a_move_was_only_tried_early(state_after: StateAfter) -> None:
    """Returns that no longer count for want of late visits leave no gap in the values, whatever the seed."""
    state = state_after("voyageur_goofspiel(num_cards=13)")
    for seed in range(30):
        advice = solvers.advise(state, player=0, limit=Limit(nodes=2_049), seed=seed, top=None)
        assert all(math.isfinite(value) for value in advice.values or [math.nan])
        assert all(math.isfinite(move.value) for move in advice.moves if move.value is not None)


def test_shares_before_any_simulation_counts(state_after: StateAfter) -> None:
    """Where the advised player held something else in every simulation, the choice is still a proper one."""
    for seed in range(5):
        advice = solvers.advise(state_after("voyageur_kuhn_poker", 0, 1), limit=Limit(nodes=1), seed=seed)
        assert sum(move.share for move in advice.moves) == pytest.approx(1)
