"""What players know: information states, keys, views, and that nothing hidden gets through any of them."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest
from numba import njit

from voyageur import games
from voyageur.games import rules
from voyageur.games.niagara import rules as niagara
from voyageur.games.rules import CHANCE, SIMULTANEOUS
from voyageur.games.spiel import DEFINITIONS, Game, State
from voyageur.games.words import Field

SomeStates = Callable[..., list[State]]


def seen_by(state: State, player: int) -> str:
    """What `player` sees now, in words."""
    words, s, c = state.game.words, state.box.s, state.game.c
    return f"{words.public_text(s, c)} {words.private_text(s, c, player)}"


def key_of(state: State, player: int) -> int:
    """What `player` sees now, as the compiled key."""
    return int(rules.information_key(state.box.s, state.game.c, player))


def redrawn(state: State, player: int, seed: int) -> np.ndarray:
    """The state's record after the compiled `determinize` for `player`."""
    game, record = state.game, state.box.record.copy()
    table = np.zeros(max(1, game.rules.table_size))
    rules.prepare(record[0], game.c, player, table)
    rules.determinize(record[0], game.c, player, rules.make_rng(seed), table)
    return record


# Perfect recall, by whole trees.

TOO_LARGE = {"voyageur_connect_four", "voyageur_tic_tac_toe"}
TREES = {  # and whether somebody has to act there without telling two nodes apart
    "voyageur_kuhn_poker": True,
    "voyageur_goofspiel(num_cards=3)": False,
    "voyageur_goofspiel(num_cards=3,imp_info=true)": True,
    "voyageur_goofspiel(num_cards=3,sequential=true)": True,
    "voyageur_goofspiel(num_cards=3,imp_info=true,sequential=true)": True,
    "voyageur_goofspiel(players=3,num_cards=2,imp_info=true,sequential=true)": True,
    "yellowhouse(scope=round,elements=2,copies=3,hand=2,exchange=1)": True,
    "yellowhouse(scope=round,elements=2,copies=3,hand=2,exchange=1,first_leader=1,sequential=true)": True,
    "yellowhouse(elements=2,copies=2,hand=1,exchange=1,win_total=2,first_leader=0,sequential=true)": True,
    "virta(turn_limit=3,pawns=1,start_tokens=%5B0%2C0%5D,large=%5B%5D,parts=%7B%22A%22%3A1%2C%22B%22%3A1%7D)": False,
    "niagara simultaneous": True,
    "niagara sequential": True,
    "niagara random river": False,
    "canyon one card": True,
    "canyon two cards": True,
    "canyon simultaneous": True,
    "canyon sequential": True,
}

# The last round of canyon, for three players with one card each or two with two, one behind the other. Every way to
# deal some of these cards, V2 to P0, is a root; violet is trump.
LAST = {
    "game": "canyon", "round": 8, "dealer": 1, "phase": "deal",
    "params": {"max_rounds": 8, "board": "L8SSS", "bonus": [0, 0, 1, 0, 0, 0, 0, 0, 0], "movement": "toward_goal"},
    "players": [{"square": "c0"}, {"square": "d0"}, {"square": "e0"}],
}  # fmt: skip
FEW_CARDS, TRUMP = ("R1", "G5", "G8", "V2", "V3"), "V1"

# The last two rounds of Niagara, with few canoes and few cards.
LATE = {
    "game": "niagara", "round": 5, "weather": -1,
    "players": [
        {"cards": [2, "CLOUD"], "canoes": {"a": {"at": "S2"}, "b": {"at": "FALLEN"}}},
        {"cards": [1, 2], "canoes": {"a": {"at": "S1"}, "b": {"at": "FALLEN"}}},
        {"cards": [1, "CLOUD"], "canoes": {"a": {"at": "SHORE"}, "b": {"at": "FALLEN"}}},
    ],
}  # fmt: skip


def roots_of(text: str) -> list[State]:
    """The roots of one of `TREES`: one, or one for each of a few deals."""
    name, _, kind = text.partition(" ")
    if name.partition("(")[0] not in DEFINITIONS:
        pytest.skip("the game is not registered")
    if not kind:
        return [pyspiel.load_game(name).new_initial_state()]
    if name == "canyon":
        return list(deals_of_canyon(kind))
    params: dict[str, Any] = {"max_rounds": 6}
    if kind == "random river":
        params = {"max_rounds": 6, "fork_mode": "RANDOM", "reveal": "SIMULTANEOUS"}
    reading = DEFINITIONS["niagara"].words.read(Field(LATE | {"params": params}))
    return [games.load("niagara", players=3, sequential=kind == "sequential", **params).state_with(reading.record)]


def deals_of_canyon(kind: str) -> Iterator[State]:
    """The last round of canyon after each of a few deals."""
    params, players, size, cards = dict(LAST["params"]), LAST["players"], 1, FEW_CARDS[1:]
    if kind == "two cards":
        params["max_rounds"], players, size, cards = 7, players[:2], 2, FEW_CARDS
    elif kind != "one card":
        params["bid_mode"] = "simultaneous"
    position = LAST | {"params": params, "players": players, "round": params["max_rounds"]}
    game = games.load("canyon", players=len(players), sequential=kind == "sequential", **params)
    start = game.new_initial_state(position)
    for dealt in itertools.permutations(cards, len(players) * size):
        hands = {seat: list(dealt[seat * size : (seat + 1) * size]) for seat in range(len(players))}
        if "V2" in hands[0] and all(hand == sorted(hand) for hand in hands.values()):
            yield games.deal(start, hands=hands, trump=TRUMP)


def children(state: State) -> Iterator[tuple[dict[int, int], State]]:
    """Every step from `state`, as actions by seat, with the state after it."""
    if state.is_simultaneous_node():
        seats = range(state.num_players())
        for actions in itertools.product(*(state.legal_actions(seat) for seat in seats)):
            after = state.clone()
            after.apply_actions(list(actions))
            yield dict(enumerate(actions)), after
    elif not state.is_terminal():
        actor = CHANCE if state.is_chance_node() else state.current_player()
        for action in state.legal_actions():
            yield {actor: action}, state.child(action)


@pytest.mark.parametrize("text", TREES)
def test_information_states(text: str) -> None:
    """Over a whole tree, for every seat at every node, also for those who do not act.

    Equal information states go with equal own pasts (perfect recall: the same own information states and actions
    before), equal legal actions, equal tensors, equal present observations; and no two seats share one.
    """
    roots = roots_of(text)
    seats = range(roots[0].num_players())
    known: list[dict[str, tuple[Any, ...]]] = [{} for _ in seats]
    nodes, shared = 0, 0
    stack: list[tuple[State, list[tuple[Any, ...]]]] = [(root, [() for _ in seats]) for root in roots]
    while stack:
        state, pasts = stack.pop()
        nodes += 1
        acting = [seat for seat in seats if state.current_player() in (seat, SIMULTANEOUS)]
        information = [state.information_state(seat) for seat in seats]
        for seat in seats:
            fact = (
                pasts[seat] if seat in acting else None,
                tuple(state.legal_actions(seat)) if seat in acting else None,
                None if state.is_chance_node() else tuple(state.information_state_tensor(seat)),
                state.observation(seat),
                state.current_player(),
            )
            shared += seat in acting and information[seat] in known[seat]
            assert known[seat].setdefault(information[seat], fact) == fact
        for step, after in children(state):
            then = [
                (*past, (information[seat], step[seat])) if seat in step else past for seat, past in enumerate(pasts)
            ]
            stack.append((after, then))
    assert nodes > 10
    assert bool(shared) == TREES[text]
    assert len(set().union(*known)) == sum(map(len, known))


def test_trees_are_of_all_small_games() -> None:
    """A game that is registered and has no tree above is one that is too large for that."""
    assert set(DEFINITIONS) - {text.split("(")[0].split()[0] for text in TREES} <= TOO_LARGE


# Keys.


def test_keys_are_equal_when_what_is_seen_is_equal(game: Game, some_states: SomeStates) -> None:
    """Over all pairs of some hundred states and of states that differ from them in hidden things only."""
    by_key: dict[int, str] = {}
    by_text: dict[str, int] = {}
    pairs = 0
    for i, state in enumerate(some_states(game, 150, seed=21)):
        others = [game.state_with(redrawn(state, player, i)) for player in range(game.num_players())]
        for one in (state, *others):
            for player in range(game.num_players()):
                key, text = key_of(one, player), f"P{player} {seen_by(one, player)}"
                pairs += text in by_text
                assert by_key.setdefault(key, text) == text
                assert by_text.setdefault(text, key) == key
    assert pairs >= 100


def test_public_keys_are_equal_when_public_texts_are_equal(game: Game, some_states: SomeStates) -> None:
    """The same for what everybody sees."""
    by_key: dict[int, str] = {}
    by_text: dict[str, int] = {}
    for i, state in enumerate(some_states(game, 150, seed=22)):
        for one in (state, game.state_with(redrawn(state, i % game.num_players(), i))):
            text = game.words.public_text(one.box.s, game.c)
            key = int(rules.public_key(one.box.s, game.c))
            assert by_key.setdefault(key, text) == text
            assert by_text.setdefault(text, key) == key


@njit(cache=True)
def _collect(box, root, c, rng, actions, joint, records, keys):
    """Random games of Niagara one after another, until `records` is full of their states."""
    s = box[0]
    box[0] = root[0]
    for i in range(len(records)):
        player = np.int64(rules.current_player(s, c))
        if player == rules.TERMINAL:
            box[0] = root[0]
        elif player == rules.CHANCE:
            rules.apply_action(s, c, rules.sample_chance(s, c, rng))
        elif player == rules.SIMULTANEOUS:
            for seat in range(c.players):
                n = rules.legal_actions(s, c, seat, actions)
                joint[seat] = actions[rules.random_below(rng, n)]
            rules.apply_joint(s, c, joint)
        else:
            n = rules.legal_actions(s, c, player, actions)
            rules.apply_action(s, c, rules.playout_action(s, c, player, actions, n, rng))
        records[i] = box[0]
        keys[i, 0] = rules.information_key(s, c, 0)
        keys[i, 1] = rules.information_key(s, c, 1)
        keys[i, 2] = rules.public_key(s, c)


def test_keys_do_not_collide() -> None:
    """A million distinct states in which everything is seen have a million distinct keys, for each of two seats."""
    game = games.load("niagara", players=4, reveal="SIMULTANEOUS", max_rounds=30)
    root = game.new_initial_state().box.record
    number = 1_150_000
    records, keys = np.zeros(number, niagara.STATE), np.zeros((number, 3), np.uint64)
    actions, joint = np.zeros(niagara.NUM_ACTIONS, np.int64), np.zeros(4, np.int64)
    _collect(root.copy(), root, game.c, rules.make_rng(23), actions, joint, records, keys)
    raw = records.view(f"V{niagara.STATE.itemsize}")
    raw.sort()
    distinct = 1 + int((raw[1:] != raw[:-1]).sum())
    assert distinct > 1_000_000
    assert len(np.unique(keys[:, 0])) == distinct
    assert len(np.unique(keys[:, 1])) == distinct
    assert len(np.unique(keys[:, 2])) == distinct
    assert len(np.unique(keys[:, :2])) == 2 * distinct


# Nothing leaks.


def test_redrawing_leaves_what_is_seen(game: Game, some_states: SomeStates) -> None:
    """`determinize` changes neither a player's key, nor the own legal actions, nor the words, tensors and position."""
    changed = 0
    for i, state in enumerate(some_states(game, 120, seed=24)):
        for player in range(game.num_players()):
            other = game.state_with(redrawn(state, player, i))
            changed += other.box.record.tobytes() != state.box.record.tobytes()
            assert key_of(other, player) == key_of(state, player)
            assert other.current_player() == state.current_player()
            assert seen_by(other, player) == seen_by(state, player)
            if state.current_player() in (player, SIMULTANEOUS):
                assert other.legal_actions(player) == state.legal_actions(player)
            if not state.is_chance_node():
                assert other.observation_tensor(player) == state.observation_tensor(player)
            assert games.at_decision(other) == games.at_decision(state)
            if games.at_decision(state) and not DEFINITIONS[game.definition.name].reference:
                assert games.position_of(other, viewer=player) == games.position_of(state, viewer=player)
    assert bool(changed) == game.info.hides


def test_redrawing_depends_on_what_is_seen_only(game: Game, some_states: SomeStates) -> None:
    """Two states that a player cannot tell apart are redrawn alike by the same random numbers."""
    for i, state in enumerate(some_states(game, 80, seed=25)):
        for player in range(game.num_players()):
            other = game.state_with(redrawn(state, player, 2 * i))
            assert redrawn(other, player, 2 * i + 1).tobytes() == redrawn(state, player, 2 * i + 1).tobytes()


def test_views_hold_what_is_seen_only(game: Game, some_states: SomeStates) -> None:
    """Views of two states that a player cannot tell apart are the same inside, history and all."""
    rng = np.random.default_rng(26)
    for state in some_states(game, 40, seed=26):
        for player in range(game.num_players()):
            one = games.view_of(state, player)
            other = games.view_of(one.sample(rng), player)
            assert other.world().box.record.tobytes() == one.world().box.record.tobytes()
            assert other.world().box.start == one.world().box.start
            assert other.world().history() == one.world().history()


def test_advice_on_a_move_does_not_look(some_states: SomeStates) -> None:
    """`View.moves` and what they lead to are the same whatever is hidden, and show no card before its time."""
    rng, shown = np.random.default_rng(27), 0
    for text in ("niagara(max_rounds=5)", "niagara(players=3,max_rounds=5,fork_mode=RANDOM)"):
        game = pyspiel.load_game(text)
        for state in some_states(game, 150, seed=27):
            player = state.current_player()
            if player < 0 or not games.at_decision(state):
                continue
            one = games.view_of(state, player)
            other = games.view_of(one.sample(rng), player)
            after = [(move.text, move.actions, move.after().position) for move in one.moves()]
            assert [(move.text, move.actions, move.after().position) for move in other.moves()] == after
            hidden = [seat.get("played") == "?" for seat in one.position["players"]]
            for _, _, position in after:
                if position.get("phase") == "act":
                    assert [seat.get("played") == "?" for seat in position["players"]] == hidden
                    shown += any(hidden)
    assert shown > 20


# Samples.


def test_resampling(game: Game, some_states: SomeStates) -> None:
    """A state drawn for a player says to that player all that the original said, present and past."""
    rng = np.random.default_rng(28)
    for state in some_states(game, 24, seed=28):
        for player in range(game.num_players()):
            for other in (
                state.resample_from_infostate(player, rng.random),
                games.view_of(state, player).sample(rng),
            ):
                assert other.current_player() == state.current_player()
                assert other.information_state(player) == state.information_state(player)
                assert other.observation_string(player) == state.observation_string(player)
                assert key_of(other, player) == key_of(state, player)
                assert len(other.full_history()) == len(state.full_history())
                if state.is_chance_node():
                    # In a deal of The Yellow House another element may have run out.
                    same = len(other.chance_outcomes()) == len(state.chance_outcomes())
                    assert same or game.definition.name == "yellowhouse"
                    continue
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.information_state_tensor(player) == state.information_state_tensor(player)
                assert other.observation_tensor(player) == state.observation_tensor(player)
                if state.current_player() in (player, SIMULTANEOUS):
                    assert other.legal_actions(player) == state.legal_actions(player)


def test_samples_were_really_played(game: Game, some_states: SomeStates) -> None:
    """The history of a sample, played from the beginning by legal actions, leads to the sample."""
    rng = np.random.default_rng(29)
    for state in some_states(game, 30, seed=29):
        for player in range(game.num_players()):
            sample = games.view_of(state, player).sample(rng)
            again = game.new_initial_state()
            for step in sample.steps():
                if again.is_simultaneous_node():
                    again.apply_actions([step[seat] for seat in range(game.num_players())])
                else:
                    assert [again.current_player()] == list(step)
                    again.apply_action(next(iter(step.values())))
            assert again.box.record.tobytes() == sample.box.record.tobytes()
            assert again.history() == sample.history()


# Seat 2 looks: it knows the card of seat 3, who has acted, and of seat 0, who acts; those of 1 and 4 lie face down.
HIDING = {
    "game": "niagara", "viewer": 2, "round": 3, "phase": "act", "first_player": 3,
    "players": [
        {"cards": [1, 3, "CLOUD", 5], "played": 6},
        {"cards": [1, 2, 4, 5, "CLOUD"], "played": "?", "canoes": {"a": {"at": "S4", "gem": "DIA"}}},
        {"cards": [2, 3, 4, 5], "played": 1},
        {"cards": [2, 3, 4, 5], "played": "CLOUD", "acted": True},
        {"cards": [1, 2, 3, 4], "played": 6, "acted": True, "canoes": {"b": {"at": "R7"}}},
    ],
}  # fmt: skip


def hiding(first: int) -> games.Position:
    """`HIDING` with another first player, so that as many cards as possible lie face down."""
    position = json.loads(json.dumps(HIDING)) | {"first_player": first}
    for seat in (3, 4):
        player = position["players"][seat]
        del player["acted"]
        player["cards"] = sorted([*player["cards"], player["played"]], key=str)
        player["played"] = "?"
    return position


@pytest.mark.parametrize("position", [hiding(0), hiding(2)], ids=["0 acts", "viewer acts"])
def test_samples_of_a_position(position: games.Position) -> None:
    """Samples of a view show the view; all unknowns turn up, all alike often and independently."""
    if position["first_player"] == 2:  # the card of seat 0 is face down too
        player = position["players"][0]
        player["cards"], player["played"] = [1, 3, 5, 6, "CLOUD"], "?"
    view = games.view_from(position)
    hidden = [seat for seat, player in enumerate(position["players"]) if player["played"] == "?"]
    assert len(hidden) >= 3
    number, rng = 3000, np.random.default_rng(30)
    single: list[Counter[Any]] = [Counter() for _ in position["players"]]
    pairs: Counter[Any] = Counter()
    for i, state in enumerate(view.states(number, rng)):
        if i < 50:
            assert games.position_of(state, viewer=2) == view.position
            assert games.view_of(state, 2) == view
        cards = [player["played"] for player in games.position_of(state)["players"]] if i < 50 else _cards(state)
        for seat in hidden:
            single[seat][cards[seat]] += 1
        pairs[cards[hidden[0]], cards[hidden[1]]] += 1
        if i == 199:
            for seat in hidden:
                assert set(single[seat]) == set(position["players"][seat]["cards"])
    for seat in hidden:
        _assert_uniform(single[seat], len(position["players"][seat]["cards"]), number)
    _assert_uniform(pairs, 25, number)


def _cards(state: State) -> list[Any]:
    names = [1, 2, 3, 4, 5, 6, "CLOUD"]
    return [names[card] for card in state.box.record["played"][0, : state.num_players()]]


def _assert_uniform(counts: Counter[Any], kinds: int, number: int) -> None:
    """Each of so many kinds is there, within 5 standard errors of as often as the others."""
    assert len(counts) == kinds
    error = (number * (1 / kinds) * (1 - 1 / kinds)) ** 0.5
    assert all(abs(count - number / kinds) < 5 * error for count in counts.values()), counts


def test_a_view_of_a_position_is_the_view_of_its_states() -> None:
    """Making a view complete and looking again changes nothing, in the middle of the choice of cards too."""
    for position in (HIDING, hiding(0), hiding(1), hiding(2)):
        view = games.view_from(position)
        again = games.view_from(view.position)
        assert again == view
        assert hash(again) == hash(view)
        assert again.position == view.position
        complete = games.position_of(view.sample(np.random.default_rng(31)))
        if position["first_player"] == 1:  # complete, the card of seat 1, who acts, is turned up
            continue
        assert games.view_from(complete, viewer=2) == view
        assert games.view_from(complete | {"viewer": 2}) == view
    with pytest.raises(games.PositionError, match="viewer"):
        games.view_from(HIDING, viewer=0)


@pytest.mark.parametrize("player", range(3))
def test_a_choice_half_made(player: int) -> None:
    """Inside a sequential choice there is no position, but views and samples work and hide the cards put down."""
    game = games.load("niagara", players=3, first_player=0, sequential=True, max_rounds=30)
    state = game.new_initial_state()
    state.apply_action(4)
    state.apply_action(2)
    assert state.current_player() == 2
    assert not games.at_decision(state)
    with pytest.raises(games.PositionError):
        games.position_of(state)
    view = games.view_of(state, player)
    with pytest.raises(games.PositionError):
        _ = view.position
    found: list[set[int]] = [set(), set(), set()]
    for sample in view.states(300, np.random.default_rng(32)):
        for seat in range(3):
            found[seat].add(int(sample.box.record["played"][0, seat]))
    for seat, played in enumerate((4, 2, niagara.NOT_PLAYED)):
        assert found[seat] == ({played} if seat == player or played < 0 else set(range(7)))


def test_what_a_history_began_with_is_redrawn_too() -> None:
    """A view of a state that began in mid-game is the same whatever card lay face down there."""
    views = []
    for card, hand in ((2, [1, 3]), (3, [1, 2])):
        position = {
            "game": "niagara",
            "phase": "act",
            "players": [
                {"cards": [1, 2], "played": 3},
                {"cards": [1, 2], "played": 4},
                {"cards": hand, "played": card},
            ],
        }
        state = games.state_from(position)
        for action in games.moves(state)[0].actions:
            state.apply_action(action)
        views.append(games.view_of(state, 1).world())
    assert views[0].information_state(2) == views[1].information_state(2)
    assert views[0].information_state(1) == state.information_state(1)
    assert views[0].box.start == views[1].box.start


def test_new_initial_state_takes_positions_of_its_game() -> None:
    """What only serves the set-up is no part of a position and does not have to agree; the rest does."""
    position = {"game": "niagara", "players": [{}, {}, {}], "weather": 1}
    game = games.load("niagara", players=3, sequential=True, first_player=1)
    assert games.position_of(game.new_initial_state(position)) == position
    with pytest.raises(games.PositionError, match="players"):
        games.load("niagara", players=4).new_initial_state(position)


def test_action_structs_of_any_seat() -> None:
    """At a simultaneous node an action may be one that only a later seat has."""
    players = [{"cards": [1]}, {"cards": [5]}, {"cards": ["CLOUD"]}]
    state = games.state_from({"game": "niagara", "players": players})
    assert state._struct_to_actions({"action": "card CLOUD"}) == [6]
