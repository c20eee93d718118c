"""Properties of canyon over random play with all combinations of parameters, and of views and samples in mid-game."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import walks
from hypothesis import given
from hypothesis import strategies as st
from walks import examples

from voyageur import games
from voyageur.games import rules
from voyageur.games.canyon import rules as canyon
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game, apply_step

SEEDS = st.integers(0, 2**32 - 1)
SMALL = (
    "#WWWC####\nL8888..S#\nL2#89.SSS\n#.698..SS",  # a few steps, with everything that a river can have
    "LWC......\nL8.#.#SSS\nL7..4.SSS",
    "; cave_exits: e0\nLL8.6..SSS\n4W9#.#.SSS\nCL1..8.###",
)
PARAMS = st.fixed_dictionaries(
    {
        "players": st.integers(2, 6),
        "board": st.sampled_from(SMALL),
        "dock_choice": st.booleans(),
        "bid_mode": st.sampled_from(["open_sequential", "simultaneous"]),
        "hook": st.booleans(),
        "leader": st.sampled_from(["left_of_dealer", "dealer"]),
        "bonus": st.one_of(st.just([1, 2, 3, 3, 3, 3, 3, 3, 3]), st.lists(st.integers(0, 9), min_size=9, max_size=9)),
        "drift_when": st.sampled_from(["miss_only", "always"]),
        "movement": st.sampled_from(["free_walk", "toward_goal"]),
        "stop_rule": st.sampled_from(["blocked_only", "all_forced", "free_stop"]),
        "cave_is_rapids": st.booleans(),
        "final_tie": st.sampled_from(["shared", "earlier_mover"]),
        "max_rounds": st.one_of(st.integers(1, 4), st.just(None)),
        "sequential": st.booleans(),
    }
)


class Walk(walks.Walk):
    """A random game, whose every deal is from a shuffled deck."""

    def legal(self, player: int) -> list[int]:
        """The legal actions of a seat, or the outcomes of chance, all equally likely."""
        found = super().legal(player)
        if player == CHANCE:
            probs = np.zeros(len(self.out))
            rules.chance_outcomes(self.s, self.c, self.out, probs)
            assert probs[: len(found)].tolist() == [1 / len(found)] * len(found)
        return found


def loaded(params: dict[str, Any]) -> Game:
    """The game with these parameters."""
    return games.load("canyon", **params)


@examples(60)
@given(PARAMS, SEEDS, st.booleans())
def test_what_always_holds(params: dict[str, Any], seed: int, sensible: bool) -> None:
    """Cards are conserved, canoes keep apart, somebody can always act, scratch fields are clean, games end in time.

    Without a cap a game may last for ever, so only its beginning is looked at.
    """
    game = loaded(params)
    walk, players = Walk(game, seed, sensible=sensible), params["players"]
    s, c, steps, chances = walk.s, walk.c, 0, 0
    for _ in itertools.islice(walk, 600 if params["max_rounds"] is None else None):
        phase, size = int(s["phase"]), int(canyon.hand_size(s["round"]))
        hands = [int(hand) for hand in s["hands"][:players]]
        union = 0
        for cards in (*hands, int(s["played"]), 1 << int(s["trump"]) if s["trump"] >= 0 else 0):
            assert union & cards == 0
            union |= cards
        assert union < 1 << canyon.CARDS
        sizes = [hand.bit_count() for hand in hands]
        if phase == canyon.BID:
            assert sizes == [size] * players
            assert s["played"] == 0
        elif phase == canyon.PLAY:
            place = [(seat - s["leader"]) % players for seat in range(players)]
            assert sizes == [size - s["done"] - (place[seat] < s["laid"]) for seat in range(players)]
            assert int(s["played"]).bit_count() == players * s["done"] + s["laid"]
            assert s["tricks"].sum() == s["done"] < size
            assert s["laid"] < players
        elif phase == canyon.DEAL:
            assert sum(sizes) == s["dealt"]
            assert max(sizes) - min(sizes) <= 1
        else:
            assert union == 0
        assert (s["trump"] >= 0) == (phase in (canyon.BID, canyon.PLAY))

        at = [int(square) for square in s["at"][:players]]
        on_river = [square for square in at if square not in (canyon.NONE, int(c["cave"]))]
        assert len(set(on_river)) == len(on_river)
        kinds = [
            params["board"].split("\n")[-int(c["height"]) :][square // c["width"]][square % c["width"]]
            for square in on_river
        ]
        assert not set(kinds) & set("#WC")
        landed = "L" in kinds
        assert not landed or phase in (canyon.MOVE, canyon.OVER)
        for seat in range(players):
            assert s["unused"][seat] == 0 or canyon.landed(s, c, seat)
        if phase != canyon.PLAY:
            assert (s["past"] == canyon.NONE).all() and (s["current"] == canyon.NONE).all()
            assert not s["void"].any() and s["done"] == s["laid"] == s["leader"] == 0
        if phase not in (canyon.PLAY, canyon.MOVE):
            assert not s["tricks"].any()
        if phase not in (canyon.BID, canyon.PLAY, canyon.MOVE):
            assert (s["bid"] == canyon.NONE).all()
        if phase == canyon.MOVE:
            assert s["tricks"].sum() == size
        for unused_seat in range(players, canyon.MAX_PLAYERS):
            assert s["at"][unused_seat] == s["bid"][unused_seat] == canyon.NONE
            assert s["hands"][unused_seat] == s["tricks"][unused_seat] == s["void"][unused_seat] == 0

        for actor in walk.actors() if walk.player() != TERMINAL else []:
            legal = walk.legal(actor)
            assert legal == sorted(set(legal))
            assert legal and legal[0] >= 0
            assert legal[-1] < (50 if actor == CHANCE else game.num_distinct_actions())
            assert len(legal) <= game.rules.max_actions
            if phase == canyon.MOVE:  # who has no choice is not asked
                assert legal != [canyon.SQUARE + s["at"][actor]]
        chances += walk.player() == CHANCE
        steps += walk.player() not in (CHANCE, TERMINAL)
    assert s["phase"] == canyon.OVER or params["max_rounds"] is None
    assert steps <= game.max_game_length()
    assert chances <= game.max_chance_nodes_in_history()
    assert landed or s["phase"] != canyon.OVER or s["round"] == params["max_rounds"]


def test_games_of_full_length_fit_the_bounds() -> None:
    """With as many rounds as possible, and canoes that move but never land, the stated lengths are not exceeded."""
    for players, rounds in ((2, 14), (3, 15), (6, 3)):
        game = games.load("canyon", players=players, max_rounds=rounds, stop_rule="free_stop")
        for seed in range(3):
            walk, steps, chances = Walk(game, seed), 0, 0
            while walk.player() != TERMINAL:
                chances += walk.player() == CHANCE
                steps += walk.player() != CHANCE
                if walk.s["phase"] == canyon.MOVE:  # turn back or stay, so that the game goes on
                    apply_step(walk.s, walk.c, {walk.player(): max(walk.legal(walk.player()))})
                else:
                    walk.step()
            assert walk.s["round"] == rounds
            assert steps <= game.max_game_length()
            assert chances <= game.max_chance_nodes_in_history()
            dealt = sum(int(canyon.hand_size(number)) for number in range(1, rounds + 1))
            assert chances == 1 + rounds + players * dealt
            assert steps >= players * (1 + rounds + dealt)


# The end, by section 9 of the rules, told once more in plain Python.


def places(s: np.void, c: Any, params: dict[str, Any]) -> list[int]:
    """The places of a finished game."""
    players, marks = params["players"], []
    starter = int(s["dealer"]) + (params["leader"] == "left_of_dealer")
    lines = params["board"].split("\n")[-int(c["height"]) :]
    for seat in range(players):
        square = int(s["at"][seat])
        earlier = -((seat - starter) % players) if params["final_tie"] == "earlier_mover" else 0
        if lines[square // c["width"]][square % c["width"]] == "L":
            marks.append((1, int(s["unused"][seat]), earlier))
        else:
            marks.append((0, -int(c["distance"][square]), 0))
    return [1 + sum(other > mark for other in marks) for mark in marks]


@examples(80)
@given(PARAMS, SEEDS, st.data())
def test_the_end(params: dict[str, Any], seed: int, data: st.DataObject) -> None:
    """Returns are the shares of the win and sum to one; places are those of the rules."""
    walk = Walk(loaded(params | {"max_rounds": 1}), seed)
    for _ in walk:
        pass
    finals = [walk.record.copy()]
    # Random games seldom have two finishers, so put some on the stages besides.
    stages = [
        square for square in range(int(walk.c["width"] * walk.c["height"])) if stands_on(params, walk.c, square) == "L"
    ]
    other = walk.record.copy()
    movers = data.draw(st.permutations(range(params["players"])))
    for seat, square in zip(movers, stages, strict=False):
        if square not in other["at"][0]:
            other["at"][0, seat], other["unused"][0, seat] = square, data.draw(st.integers(0, 2))
    finals.append(other)
    for final in finals:
        expected = places(final[0], walk.c, params)
        out, shares = np.zeros(canyon.MAX_PLAYERS, np.int64), np.zeros(canyon.MAX_PLAYERS)
        canyon.places(final[0], walk.c, out)
        rules.returns(final[0], walk.c, shares)
        assert out[: params["players"]].tolist() == expected
        winners = expected.count(1)
        assert shares[: params["players"]].tolist() == [1 / winners if place == 1 else 0.0 for place in expected]
        assert shares.sum() == pytest.approx(1)


def stands_on(params: dict[str, Any], c: Any, square: int) -> str:
    """The character of a square."""
    return params["board"].split("\n")[-int(c["height"]) :][square // c["width"]][square % c["width"]]


# Positions.


@examples(40)
@given(PARAMS, SEEDS)
def test_positions_round_trip(params: dict[str, Any], seed: int) -> None:
    """Every decision point that is reached can be written, is accepted again, and comes back byte for byte."""
    game = loaded(params | {"max_rounds": 2})
    walk, points = Walk(game, seed), 0
    for s in walk:
        state = game.state_with(walk.record)
        if not rules.at_decision(s, walk.c):
            with pytest.raises(games.PositionError):
                games.position_of(state)
            continue
        points += 1
        if s["phase"] in (canyon.DOCK, canyon.BID, canyon.PLAY) and (points + seed) % 9:
            continue  # of the many that are alike a part is enough
        position = games.position_of(state)
        again = games.state_from(position)
        assert again.box.record.tobytes() == walk.record.tobytes()
        assert json.dumps(games.position_of(again)) == json.dumps(position)
        assert again.current_player() == state.current_player() or params["sequential"]
        viewer = points % params["players"]
        seen = games.position_of(state, viewer=viewer)
        assert json.dumps(games.view_from(seen).position) == json.dumps(seen)
        assert games.view_from(position, viewer).position == seen
        hands = [player.get("hand") for player in seen["players"]]
        assert all(hand is None or isinstance(hand, list) == (seat == viewer) for seat, hand in enumerate(hands))
        if s["phase"] not in (canyon.BID, canyon.PLAY):
            assert seen == position | {"viewer": viewer}
    assert points >= 2


def after_deal(players: int, hands: dict[int, list[str]], trump: str, **params: Any) -> games.State:
    """The beginning of the bids in a round with these hands."""
    board = SMALL[0]
    position = {
        "game": "canyon",
        "params": {"board": board, **params},
        "round": 9 - len(hands[0]),
        "dealer": 0,
        "phase": "deal",
        "players": [{"square": square} for square in ("e1", "d3", "cave", "f2")[:players]],
    }
    return games.deal(games.state_from(position), hands=hands, trump=trump)


def test_positions_are_equal_when_records_are() -> None:
    """Over many ways to play one deal, which often meet: equal positions have equal bytes and the other way round."""
    hands = {0: ["R1", "G9", "V3"], 1: ["R7", "G2", "B5"], 2: ["R4", "G4", "V8"]}
    start = after_deal(3, hands, "V10", stop_rule="free_stop")
    by_bytes: dict[bytes, str] = {}
    by_text: dict[str, bytes] = {}
    met = 0
    for seed in range(250):
        walk = Walk(start.game, seed, start=start.box.record)
        for _ in itertools.takewhile(lambda s: s["dealt"] == 0, walk):
            raw, text = walk.record.tobytes(), json.dumps(games.position_of(start.game.state_with(walk.record)))
            met += raw in by_bytes
            assert by_bytes.setdefault(raw, text) == text
            assert by_text.setdefault(text, raw) == raw
    assert met > 500
    assert len(by_bytes) > 1000


# Views and samples in the middle of everything.


def middles(params: dict[str, Any], seed: int) -> Iterator[games.State]:
    """States anywhere whose history begins in mid-game: before a deal, in the bids, in a trick or in the moves."""
    game = loaded(params)
    rng = np.random.default_rng(seed)
    walk = Walk(game, seed)
    starts = [walk.record.copy() for s in walk if rules.at_decision(s, walk.c)]
    for start in rng.choice(len(starts) - 1, 4, replace=False).tolist():
        state = game.state_with(starts[start])
        for _ in range(int(rng.integers(1, 30))):
            if state.is_terminal():
                break
            if state.is_simultaneous_node():
                state.apply_actions([int(rng.choice(state.legal_actions(seat))) for seat in range(params["players"])])
            else:
                state.apply_action(int(rng.choice(state.legal_actions())))
        yield state


@examples(30)
@given(PARAMS, SEEDS)
def test_samples_in_mid_game_were_really_played(params: dict[str, Any], seed: int) -> None:
    """From a beginning that the player cannot tell from the true one, legal actions lead to the sample."""
    rng = np.random.default_rng(seed)
    for state in middles(params | {"max_rounds": 3}, seed):
        game = state.game
        player = int(rng.integers(params["players"]))
        for sample in games.view_of(state, player).states(2, rng):
            start = np.frombuffer(sample.box.start, game.rules.state).copy()
            true = np.frombuffer(state.box.start, game.rules.state).copy()
            assert rules.information_key(start[0], game.c, player) == rules.information_key(true[0], game.c, player)
            again = game.state_with(start)
            for step in sample.steps():
                if again.is_simultaneous_node():
                    again.apply_actions([step[seat] for seat in range(params["players"])])
                else:
                    assert [again.current_player()] == list(step)
                    again.apply_action(next(iter(step.values())))
            assert again.box.record.tobytes() == sample.box.record.tobytes()
            assert again.history() == sample.history()
            assert sample.information_state(player) == state.information_state(player)
            assert sample.observation(player) == state.observation(player)


@examples(30)
@given(PARAMS, SEEDS)
def test_views_in_mid_game_do_not_leak(params: dict[str, Any], seed: int) -> None:
    """Views of a state and of what the player cannot tell from it hold the same, and offer the same moves."""
    rng = np.random.default_rng(seed)
    for state in middles(params | {"max_rounds": 3}, seed):
        player = int(rng.integers(params["players"]))
        one = games.view_of(state, player)
        other = games.view_of(one.sample(rng), player)
        assert other.world().box.record.tobytes() == one.world().box.record.tobytes()
        assert other.world().box.start == one.world().box.start
        if games.at_decision(state):
            assert (
                json.dumps(other.position) == json.dumps(one.position) == json.dumps(games.position_of(state, player))
            )
        if state.current_player() in (player, SIMULTANEOUS):
            moves = [(move.text, move.actions) for move in one.moves()]
            assert [(move.text, move.actions) for move in other.moves()] == moves
            assert [move.text for move in games.moves(state, player)] == [text for text, _ in moves]
        if state.current_player() == player:
            after = [move.after().world().box.record.tobytes() for move in one.moves()]
            assert [move.after().world().box.record.tobytes() for move in other.moves()] == after


def test_the_order_of_a_deal_is_not_seen() -> None:
    """Two deals of the same own hand and trump, in any order and with any other cards, make the same view.

    The history inside it as well: it says nothing of who else was dealt what, or when.
    """
    deals = (
        {0: ["R1", "G9"], 1: ["R7", "B5"], 2: ["R4", "V8"]},
        {0: ["G9", "R1"], 1: ["R7", "B5"], 2: ["R4", "V8"]},
        {0: ["R1", "G9"], 1: ["B5", "R7"], 2: ["V8", "R4"]},
        {0: ["R1", "G9"], 1: ["Y1", "B5"], 2: ["Y2", "R7"]},
    )
    worlds = [games.view_of(after_deal(3, hands, "V10"), 0).world() for hands in deals]
    for world in worlds[1:]:
        assert world.box.record.tobytes() == worlds[0].box.record.tobytes()
        assert world.history() == worlds[0].history()


def test_the_last_bid_that_is_put_down_shows_no_other() -> None:
    """One seat after another, unseen: also after the own bid the last seat does not know those of the others."""
    game = games.load("canyon", players=3, board=SMALL[0], dock_choice=False, bid_mode="simultaneous", sequential=True)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[-1])
    for bid in (2, 7):
        state.apply_action(bid)
    view = games.view_of(state, 2)
    after = view.moves()[4].after()
    found = {tuple(sample.box.record["bid"][0, :2].tolist()) for sample in after.states(40, np.random.default_rng(1))}
    assert len(found) > 10
    assert {int(sample.box.record["bid"][0, 2]) for sample in after.states(5, np.random.default_rng(2))} == {4}


def test_no_bid_is_seen_before_all_are_down() -> None:
    """In simultaneous bids, also one after another, views, texts, tensors and positions say nothing of a bid."""
    game = games.load("canyon", players=3, dock_choice=False, bid_mode="simultaneous", sequential=True)
    start = game.new_initial_state()
    while start.is_chance_node():
        start.apply_action(start.legal_actions()[-1])
    for bids in itertools.product((0, 3, 8), repeat=2):
        state, other = start.clone(), start.clone()
        for seat, bid in enumerate(bids):
            state.apply_action(bid)
            other.apply_action(5 if seat == 0 else bid)
        for player in (1, 2):
            assert state.information_state(player) == other.information_state(player)
            assert state.observation_string(player) == other.observation_string(player)
            assert state.observation_tensor(player) == other.observation_tensor(player)
            assert rules.information_key(state.box.s, game.c, player) == rules.information_key(
                other.box.s, game.c, player
            )
        assert state.information_state(0) != other.information_state(0)
        assert not games.at_decision(state)
        state.apply_action(1)
        assert [player["bid"] for player in games.position_of(state, viewer=2)["players"]] == [*bids, 1]
        assert " ".join(f"P{seat} shows {bid}." for seat, bid in enumerate((*bids, 1))) in state.information_state(0)


# Symmetries: the seats are alike, and so are the suits.


def turned(record: np.ndarray, players: int) -> np.ndarray:
    """The same state with every player one seat further."""
    other = record.copy()
    for name in ("hands", "bid", "tricks", "void", "at", "unused"):
        other[name][0, :players] = np.roll(record[name][0, :players], 1)
    if record["dealer"][0] >= 0:
        other["dealer"] = (record["dealer"] + 1) % players
    if record["phase"][0] == canyon.PLAY:
        other["leader"] = (record["leader"] + 1) % players
    return other


@examples(40)
@given(PARAMS, SEEDS)
def test_seats_are_alike(params: dict[str, Any], seed: int) -> None:
    """With everybody one seat further the same actions are legal and lead to the same states, one seat further."""
    # Without choice docks go by seat; in `sequential` the seats bid in the order of their numbers.
    params = params | {"sequential": False, "dock_choice": True, "max_rounds": 2}
    game, players = loaded(params), params["players"]
    walk, other = Walk(game, seed), Walk(game, seed)
    while walk.player() != TERMINAL:
        other.record[:] = turned(walk.record, players)
        player = walk.player()
        assert other.player() == ((player + 1) % players if player >= 0 else player)
        drawing = walk.s["phase"] == canyon.SETUP
        for actor in walk.actors():
            assert other.legal((actor + 1) % players if actor >= 0 else actor) == walk.legal(actor)
        step = {
            (actor + 1) % players if actor >= 0 else actor: (action + drawing) % (players if drawing else 10**6)
            for actor, action in walk.step().items()
        }
        apply_step(other.s, walk.c, step)
        assert other.record.tobytes() == turned(walk.record, players).tobytes()
    shares, theirs = np.zeros((2, canyon.MAX_PLAYERS))
    rules.returns(walk.s, walk.c, shares)
    rules.returns(other.s, walk.c, theirs)
    assert np.roll(shares[:players], 1).tolist() == theirs[:players].tolist()


def recoloured_cards(cards: int, suits: list[int]) -> int:
    """A set of cards with the suits exchanged."""
    return sum((cards >> 10 * suit & canyon.SUIT) << 10 * there for suit, there in enumerate(suits))


def recoloured(record: np.ndarray, suits: list[int]) -> np.ndarray:
    """The same state with the suits exchanged."""
    other = record.copy()
    for name in ("trump", "current", "past"):
        cards = record[name].astype(int)
        other[name] = np.where(cards < 0, cards, np.array(suits)[cards // 10] * 10 + cards % 10)
    for seat in range(canyon.MAX_PLAYERS):
        other["hands"][0, seat] = recoloured_cards(int(record["hands"][0, seat]), suits)
        voids = int(record["void"][0, seat])
        other["void"][0, seat] = sum((voids >> suit & 1) << there for suit, there in enumerate(suits))
    other["played"] = recoloured_cards(int(record["played"][0]), suits)
    return other


@examples(40)
@given(PARAMS, SEEDS, st.permutations(range(5)))
def test_suits_are_alike(params: dict[str, Any], seed: int, suits: list[int]) -> None:
    """With suits exchanged the exchanged cards are legal and lead to the exchanged states: no suit has a rank."""
    game = loaded(params | {"max_rounds": 1})
    walk, other = Walk(game, seed), Walk(game, seed)
    while walk.player() != TERMINAL:
        other.record[:] = recoloured(walk.record, suits)
        phase = walk.s["phase"]
        first = {canyon.DEAL: 0, canyon.PLAY: canyon.CARD}.get(int(phase))

        def there(action: int, first: int | None = first) -> int:
            return action if first is None else first + suits[(action - first) // 10] * 10 + (action - first) % 10

        assert other.player() == walk.player()
        for actor in walk.actors():
            assert other.legal(actor) == sorted(map(there, walk.legal(actor)))
        apply_step(other.s, walk.c, {actor: there(action) for actor, action in walk.step().items()})
        assert other.record.tobytes() == recoloured(walk.record, suits).tobytes()


def test_chance_is_uniform(play: Callable[..., Any]) -> None:
    """Each card is as likely to come next, each seat to deal."""
    game = games.load("canyon", players=5, board=SMALL[1])
    state = game.new_initial_state()
    assert state.chance_outcomes() == [(seat, 0.2) for seat in range(5)]
    counts: Counter[int] = Counter()
    walk = Walk(game, 0)
    for _ in range(5000):
        counts[walk.choose(CHANCE)] += 1
    assert set(counts) == set(range(5)) and all(abs(count - 1000) < 5 * 28.3 for count in counts.values())
    start = games.deal(state, dealer=3)
    for _ in range(5):
        start.apply_action(start.legal_actions()[0])
    for card in (7, 30, 49):
        start.apply_action(card)
    assert start.chance_outcomes() == [(card, 1 / 47) for card in range(50) if card not in (7, 30, 49)]
    walk, counts = Walk(game, 1, start=start.box.record), Counter()
    for _ in range(47 * 200):
        counts[walk.choose(CHANCE)] += 1
    assert sorted(counts) == [card for card in range(50) if card not in (7, 30, 49)]
    assert all(abs(count - 200) < 5 * 14.1 for count in counts.values())
