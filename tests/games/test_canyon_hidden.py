"""Canyon's cards: tricks against OpenSpiel's `oh_hell`, and hidden hands against all deals, counted one by one."""

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyspiel
import pytest
from numba import njit

from voyageur import games
from voyageur.games import rules
from voyageur.games.canyon import hidden
from voyageur.games.canyon import rules as canyon
from voyageur.games.canyon.position import CARDS

SUITS = "RGBYV"
DOCKS = ("a8", "a9", "a10", "a11", "a12", "a13")


@functools.cache
def _before_deal(players: int, number: int, dealer: int, params: tuple[tuple[str, Any], ...]) -> games.State:
    seats = [{"square": square} for square in DOCKS[:players]]
    position = {"game": "canyon", "params": dict(params), "round": number, "dealer": dealer, "phase": "deal",
                "players": seats}  # fmt: skip
    return games.state_from(position)


def before_deal(players: int, number: int, dealer: int = 0, **params: Any) -> games.State:
    """The state before the deal of a round, everybody on a dock."""
    return _before_deal(players, number, dealer, tuple(params.items())).clone()


def random_round(players: int, number: int, rng: np.random.Generator) -> Iterator[games.State]:
    """The states of a round in which somebody plays a card, without their histories."""
    state = before_deal(players, number, int(rng.integers(players)))
    while state.box.s["phase"] in (canyon.DEAL, canyon.BID, canyon.PLAY):
        if state.box.s["phase"] == canyon.PLAY:
            yield state.game.state_with(state.box.record)
        state.apply_action(int(rng.choice(state.legal_actions())))


# Tricks, by OpenSpiel's own game of the same family.


def dealt_theirs(theirs: pyspiel.State, rng: np.random.Generator) -> list[int]:
    """Goes through the chance nodes of `oh_hell`; the cards in the order in which they were dealt, the trump last."""
    cards = []
    for i in itertools.count():
        if not theirs.is_chance_node():
            return cards
        outcome = int(rng.choice([outcome for outcome, _ in theirs.chance_outcomes()]))
        if i > 1:  # before that the numbers of tricks and the dealer
            cards.append(outcome)
        theirs.apply_action(outcome)
    raise AssertionError


@pytest.mark.parametrize(("players", "most"), [(3, 8), (4, 8), (5, 7), (6, 6)])
def test_tricks_are_those_of_oh_hell(players: int, most: int) -> None:
    """Who bids and leads, legal bids (with the hook), legal cards and winners agree card for card in random rounds.

    The other game has four suits at most, so that one of ours stays in the pack.
    """
    rng = np.random.default_rng(players)
    for size in [1, 2, *rng.integers(3, most + 1, 8).tolist(), most]:
        text = f"oh_hell(players={players},num_suits=4,num_cards_per_suit=10,num_tricks_fixed={size})"
        theirs = pyspiel.load_game(text).new_initial_state()
        cards = dealt_theirs(theirs, rng)
        bidding = theirs.current_player()
        suits = rng.permutation(5)[:4]
        ours_of = {card: int(suits[card % 4]) * 10 + card // 4 for card in range(40)}
        hands = {
            seat: [CARDS[ours_of[card]] for card in cards[seat : players * size : players]] for seat in range(players)
        }
        ours = before_deal(players, 9 - size, (bidding - 1) % players, hook=True)
        ours = games.deal(ours, hands=hands, trump=CARDS[ours_of[cards[-1]]])
        for _ in range(players):
            assert ours.current_player() == theirs.current_player()
            bids = [action - 40 for action in theirs.legal_actions()]
            assert ours.legal_actions() == bids
            bid = int(rng.choice(bids))
            ours.apply_action(bid)
            theirs.apply_action(40 + bid)
        while not theirs.is_terminal():
            assert ours.current_player() == theirs.current_player()
            legal = theirs.legal_actions()
            assert ours.legal_actions() == sorted(canyon.CARD + ours_of[card] for card in legal)
            card = int(rng.choice(legal))
            ours.apply_action(canyon.CARD + ours_of[card])
            theirs.apply_action(card)
        tricks = ours.box.record["tricks"][0, :players].tolist()  # somebody has won one, and so can move
        assert tricks == [int(score) % 10 for score in theirs.returns()]


# All deals that fit, by their definition.


class Known:
    """What a seat knows of a state: cards not seen, sizes of the other hands and their voids."""

    def __init__(self, state: games.State, viewer: int) -> None:
        position, self.viewer = games.position_of(state, viewer), viewer
        self.n = len(position["players"])
        seen = {position["trump"], *position["players"][self.viewer].get("hand", [])}
        self.sizes = {
            seat: player.get("hand", 0) for seat, player in enumerate(position["players"]) if seat != self.viewer
        }
        self.voids: dict[int, set[str]] = {seat: set() for seat in self.sizes}
        current = [position["current_trick"]] if "current_trick" in position else []
        for trick in position.get("tricks_played", []) + current:
            for i, card in enumerate(trick["cards"]):
                seat = (trick["leader"] + i) % self.n
                seen.add(card)
                if card[0] != trick["cards"][0][0] and seat != self.viewer:
                    self.voids[seat].add(trick["cards"][0][0])
        self.unseen = [card for card in CARDS if card not in seen]

    def most(self) -> int:
        """How many deals there would be without voids."""
        left, ways = len(self.unseen), 1
        for size in self.sizes.values():
            ways *= math.comb(left, size)
            left -= size
        return ways

    def deals(self) -> Iterator[tuple[int, ...]]:
        """Every deal that fits, as the sets of cards that the other seats hold."""

        def go(seats: Sequence[int], left: list[str]) -> Iterator[tuple[int, ...]]:
            if not seats:
                yield ()
                return
            own = [card for card in left if card[0] not in self.voids[seats[0]]]
            for hand in itertools.combinations(own, self.sizes[seats[0]]):
                bits = sum(1 << CARDS.index(card) for card in hand)
                for rest in go(seats[1:], [card for card in left if card not in hand]):
                    yield (bits, *rest)

        return go(list(self.sizes), self.unseen)

    def ways_that_do_not_matter(self) -> int:
        """In how many ways cards can be split within a group of equal voids, and within the pool of all others."""
        present = {card[0] for card in self.unseen}
        groups: dict[frozenset[str], list[int]] = {}
        for seat, size in self.sizes.items():
            groups.setdefault(frozenset(self.voids[seat] & present if size else ()), []).append(size)
        pool = groups.pop(frozenset(), [])
        ways = 1
        for sizes in groups.values():
            ways *= math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
        left = len(self.unseen) - sum(sum(sizes) for sizes in groups.values())
        for size in pool:
            ways *= math.comb(left, size)
            left -= size
        return ways

    def groups(self) -> int:
        """How many different voids there are."""
        return len({frozenset(voids) for seat, voids in self.voids.items() if voids and self.sizes[seat]})


@njit(cache=True)
def _redraw(root, c, player, table, rng, hands, bids):
    """Redraws `root` as often as `hands` has rows."""
    box = root.copy()
    for i in range(len(hands)):
        box[0] = root[0]
        hidden.determinize(box[0], c, player, rng, table)
        for seat in range(c.players):
            hands[i, seat] = box[0].hands[seat]
            bids[i, seat] = box[0].bid[seat]


def redraw(state: games.State, player: int, number: int, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """So many samples for `player`: hands (sets of cards) and bids by seat."""
    table = np.zeros(hidden.TABLE_SIZE)
    hidden.prepare(state.box.s, state.game.c, player, table)
    hands, bids = np.zeros((2, number, state.num_players()), np.int64)
    _redraw(state.box.record, state.game.c, player, table, rules.make_rng(seed), hands, bids)
    return hands, bids


def assert_uniform(found: np.ndarray, kinds: int) -> Counter[tuple[int, ...]]:
    """Rows of `found` are of so many kinds, all equally likely: chi-square within 5 standard errors of its mean."""
    counts = Counter(map(tuple, found.tolist()))
    assert len(counts) == kinds
    expected = len(found) / kinds
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert abs(chi_square - (kinds - 1)) <= 5 * math.sqrt(2 * max(1, kinds - 1))
    return counts


# Rounds in which few deals fit: many cards are out, or few are in a hand.
FEW = [(6, 1), (6, 1), (6, 1), (6, 2), (5, 1), (4, 8), (3, 8), (3, 7), (2, 6), (2, 7)]


def few_deals(seed: int, most: int) -> Iterator[tuple[games.State, Known]]:
    """States in random rounds that at most so many deals would fit without voids."""
    rng = np.random.default_rng(seed)
    for players, number in FEW:
        for state in random_round(players, number, rng):
            known = Known(state, int(rng.integers(players)))
            if 1 < known.most() <= most:
                yield state, known


def test_all_deals_are_counted() -> None:
    """The table's total is the number of deals but for the ways in which cards can be split among seats alike."""
    table, checked, groups = np.zeros(hidden.TABLE_SIZE), 0, 0
    for seed in range(3):
        for state, known in few_deals(seed, 11_000):
            hidden.prepare(state.box.s, state.game.c, known.viewer, table)
            number = sum(1 for _ in known.deals())
            assert number > 0
            assert table[hidden.TOTAL] * known.ways_that_do_not_matter() == number
            checked += 1
            groups += known.groups() > 1
    assert checked > 60
    assert groups > 20


def test_all_deals_are_equally_likely() -> None:
    """Samples are those deals, all of them, and each as often as the others."""
    checked, groups = 0, 0
    for seed in range(3, 9):
        for state, known in few_deals(seed, 11_000):
            if known.groups() < 2 and groups < checked:
                continue
            deals = list(itertools.islice(known.deals(), 400))
            if not 2 <= len(deals) < 400:
                continue
            hands, _ = redraw(state, known.viewer, 25 * len(deals))
            assert set(assert_uniform(hands[:, list(known.sizes)], len(deals))) == set(deals)
            assert (hands[:, known.viewer] == state.box.s["hands"][known.viewer]).all()
            checked += 1
            groups += known.groups() > 1
    assert groups > 20
    assert checked > 30


def test_nothing_is_known_before_the_deal_is_over() -> None:
    """In the middle of a deal every hand is drawn from the whole pack, the viewer's own as well."""
    state = before_deal(3, 7, dealer=0)
    for card in (0, 1, 2, 3):  # to P1, P2, P0, P1
        state.apply_action(card)
    for player in range(3):
        hands, _ = redraw(state, player, 20_000)
        cards = hands[:, :, None] >> np.arange(50) & 1
        assert (cards.sum(axis=2) == [1, 2, 1]).all()
        assert (cards.sum(axis=1) <= 1).all()
        odds = np.array([1, 2, 1])[:, None] / 50
        error = np.sqrt(odds * (1 - odds) / 20_000)
        assert (np.abs(cards.mean(axis=0) - odds) < 5 * error).all()
        assert_uniform(hands[:, [2]], 50)


def test_bids_that_lie_face_down() -> None:
    """Every number for every seat that has put one down, independent of each other; the own one stays."""
    game = games.load("canyon", players=4, bid_mode="simultaneous", sequential=True)
    record = before_deal(4, 6, bid_mode="simultaneous").box.record
    state = game.state_with(record)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[7])
    for bid in (1, 3, 2):
        state.apply_action(bid)
    _, bids = redraw(state, 1, 6_000)
    assert (bids[:, [1, 3]] == [3, canyon.NONE]).all()
    assert_uniform(bids[:, [0, 2]], 16)
    for player in (0, 2, 3):
        _, bids = redraw(state, player, 4_000)
        assert_uniform(bids, 16 if player < 3 else 64)


def test_a_sample_agrees_with_what_is_seen() -> None:
    """Any state anywhere in a round: sizes, cards and voids fit, by their definition."""
    rng = np.random.default_rng(77)
    checked = 0
    for players, number in ((2, 1), (3, 2), (4, 1), (5, 3), (6, 1), (6, 2)):
        for state in random_round(players, number, rng):
            known = Known(state, int(rng.integers(players)))
            hands, _ = redraw(state, known.viewer, 10, checked)
            unseen = sum(1 << CARDS.index(card) for card in known.unseen)
            for row in hands.tolist():
                assert row[known.viewer] == state.box.s["hands"][known.viewer]
                union = 0
                for seat, size in known.sizes.items():
                    assert row[seat].bit_count() == size
                    assert union & row[seat] == 0
                    union |= row[seat]
                    assert not {CARDS[card][0] for card in range(50) if row[seat] >> card & 1} & known.voids[seat]
                assert union & ~unseen == 0
            checked += 1
    assert checked > 150


# The size of the table.


def needed(groups: Sequence[int], suits: int) -> int:
    """Entries of the table for groups of such sizes, whose voids are in so many suits."""
    states = math.prod(size + 1 for size in groups)
    return hidden.TABLE + states * (1 + suits * len(groups) * hidden.LEFT)


def partitions(seats: Sequence[int]) -> Iterator[list[list[int]]]:
    """Every way to put some of the seats into groups; the others are in the pool."""
    if not seats:
        yield []
        return
    for rest in partitions(seats[1:]):
        yield rest
        yield [[seats[0]], *rest]
        for i, group in enumerate(rest):
            yield [*rest[:i], [seats[0], *group], *rest[i + 1 :]]


def test_the_table_is_large_enough() -> None:
    """Over all rounds, numbers of players and cards played, and all voids that the tricks so far could show.

    A void is in a suit that was led, one a trick; who has yet to play to the running trick can have shown none in it.
    """
    most = 0
    for players in range(2, canyon.MAX_PLAYERS + 1):
        all_partitions = list(partitions(range(players - 1)))
        for size in range(1, canyon.MOST_TRICKS + 1):
            for done, laid, viewer in itertools.product(range(size), range(players), range(players)):
                if done + (laid > 1) == 0:
                    continue
                # The other seats by their place in the running trick: those before `laid` have played to it.
                others = [place for place in range(players) if place != viewer]
                before, now = min(done, canyon.SUITS), min(done + (laid > 1), canyon.SUITS)
                for groups in all_partitions:
                    sizes = [sum(size - done - (others[i] < laid) for i in group) for group in groups]
                    # Groups whose seats have all followed the leader may have shown one suit more than the others.
                    further = sum(all(0 < others[i] < laid for i in group) for group in groups)
                    possible = len(groups) - further < 2**before and len(groups) < 2 ** (now if further else before)
                    if possible and 0 not in sizes:
                        most = max(most, needed(sizes, now if further else before))
    assert most <= hidden.TABLE_SIZE


# P0 has led three times, and each other seat has shown its own voids: blue; red and blue; red; green; red and green.
WIDEST = {
    "game": "canyon", "round": 1, "dealer": 5, "phase": "play", "trump": "V10", "to_act": [3],
    "players": [
        {"square": "a8", "bid": 3, "tricks": 2, "hand": ["R9", "G9", "B9", "Y9", "Y10"]},
        {"square": "a9", "bid": 1, "hand": ["R4", "R5", "R8", "G4", "V1"]},
        {"square": "a10", "bid": 1, "hand": ["G6", "G7", "G8", "V2", "V3"]},
        {"square": "a11", "bid": 1, "hand": ["G5", "B1", "B2", "B3", "V4", "V5"]},
        {"square": "a12", "bid": 1, "hand": ["R6", "R7", "B4", "B5", "V6", "V7"]},
        {"square": "a13", "bid": 1, "hand": ["B6", "B7", "B8", "Y8", "V8", "V9"]},
    ],
    "tricks_played": [
        {"leader": 0, "cards": ["R10", "R1", "Y1", "Y2", "R3", "Y3"]},
        {"leader": 0, "cards": ["G10", "G1", "G2", "G3", "Y4", "Y5"]},
    ],
    "current_trick": {"leader": 0, "cards": ["B10", "Y6", "Y7"]},
}  # fmt: skip


def test_the_largest_table_has_room() -> None:
    """Nothing is written behind the table in the position that needs most of it; then it can be viewed and sampled."""
    state = games.state_from(WIDEST)
    table = np.full(4_000_000, np.nan)
    hidden.prepare(state.box.s, state.game.c, 0, table)
    last = int(np.flatnonzero(~np.isnan(table))[-1])
    assert last < needed([5, 5, 6, 6, 6], 3) <= hidden.TABLE_SIZE
    assert Known(state, 0).groups() == 5
    view = games.view_from(games.position_of(state, viewer=0))
    for sample in view.states(20, np.random.default_rng(3)):
        assert games.position_of(sample, viewer=0) == view.position


def test_random_tables_end_where_they_should() -> None:
    """Nothing is written behind the entries that the groups of a position need."""
    rng, most, table = np.random.default_rng(8), 0, np.zeros(4_000_000)
    for i in range(12):
        for state in random_round(6 if i % 3 else 5, 1 + i % 2, rng):
            known = Known(state, int(rng.integers(state.num_players())))
            present = {card[0] for card in known.unseen}
            groups: dict[frozenset[str], int] = {}
            for seat, size in known.sizes.items():
                voids = frozenset(known.voids[seat] & present)
                if voids and size:
                    groups[voids] = groups.get(voids, 0) + size
            if len(groups) < 3:
                continue
            bound = needed(list(groups.values()), len(frozenset().union(*groups)))
            table[: bound + 10] = np.nan
            hidden.prepare(state.box.s, state.game.c, known.viewer, table)
            assert np.isnan(table[bound : bound + 10]).all()
            assert not np.isnan(table[: bound // 2]).all()
            assert bound <= hidden.TABLE_SIZE
            most = max(most, bound)
    assert most > hidden.TABLE_SIZE / 50


def test_likelihood_knows_bids() -> None:
    """The hands that plain players bid on are, on average, likelier for these bids than hands redrawn at random."""
    game = games.load("canyon", players=4)
    true, redrawn = [], []
    out, table = np.zeros(game.rules.max_actions, np.int64), np.zeros(game.rules.table_size)
    for seed in range(40):
        rng, record = rules.make_rng(seed), game.new_initial_state().box.record
        s, c = record[0], game.c
        while s["phase"] != canyon.PLAY:
            player = rules.current_player(s, c)
            if player == rules.CHANCE:
                rules.apply_action(s, c, rules.sample_chance(s, c, rng))
            else:
                n = rules.legal_actions(s, c, player, out)
                rules.apply_action(s, c, rules.scripted_action(s, c, player, out, n, rng))
        true.append(rules.likelihood(s, c, 0))
        rules.prepare(s, c, 0, table)
        rules.determinize(s, c, 0, rng, table)
        redrawn.append(rules.likelihood(s, c, 0))
    assert all(0 < value <= 1 for value in true + redrawn)
    assert np.mean(true) > 2 * np.mean(redrawn)
