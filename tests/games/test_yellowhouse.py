"""The worked cases of tests/data/yellowhouse.jsonl, the worked examples S1 to S19 that are not among them, and solving.

Solving is by plain means, written here, over the compiled rules: minimax with open hands, and for whole reduced rounds
the linear program of their sequence form (Koller, Megiddo and von Stengel 1996), which is exact.
"""

import functools
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
import pyspiel
import pytest
from scipy import optimize, sparse

from voyageur import games
from voyageur.games import rules
from voyageur.games.rules import CHANCE, TERMINAL
from voyageur.games.yellowhouse import rules as yellowhouse

ELEMENTS = "RVGY"
Case = dict[str, Any]
Counts = tuple[int, ...]


def text(position: games.Position) -> str:
    """A position as text that is equal for equal positions."""
    return json.dumps(position, sort_keys=True)


def texts(positions: Any) -> list[str]:
    """Positions as sorted texts, to be compared as a set whose members count."""
    return sorted(text(position) for position in positions)


def counts(named: Any) -> Counts:
    """An object element: number, or a list of elements, as numbers."""
    return tuple(Counter(named)[element] for element in ELEMENTS)


def legal(s: Any, c: Any) -> list[int]:
    """The legal actions of the seat to act."""
    out = np.zeros(yellowhouse.MAX_GIFTS, np.int64)
    return out[: yellowhouse.legal_actions(s, c, yellowhouse.current_player(s, c), out)].tolist()


def after(record: np.ndarray, c: Any, action: int) -> np.ndarray:
    """The record to which an action leads."""
    record = record.copy()
    yellowhouse.apply_action(record[0], c, action)
    return record


@pytest.mark.cases("yellowhouse", "outcomes")
def test_outcomes(case: Case) -> None:
    """A turn leads to exactly the positions listed, and to each by one move."""
    position = case["position"]
    if "viewer" in position:
        view = games.view_from(position)
        assert view.current_player() == case["player"]
        assert texts(move.after().position for move in view.moves()) == texts(case["outcomes"])
        return
    state = games.state_from(position)
    assert state.current_player() == case["player"]
    assert texts(games.position_of(move.after()) for move in games.moves(state)) == texts(case["outcomes"])


def test_positions_of_cases_are_canonical(cases: Any) -> None:
    """Written again they are the same, the order of the keys included."""
    for case in cases("yellowhouse"):
        if case.get("kind") in ("invalid", "value"):
            continue
        for position in (case["position"], *case.get("outcomes", ()), *filter(None, [case.get("next")])):
            hidden = "viewer" in position
            again = games.view_from(position).position if hidden else games.position_of(games.state_from(position))
            assert json.dumps(again) == json.dumps(position), case["id"]


@pytest.mark.cases("yellowhouse", "choices")
def test_choices(case: Case) -> None:
    """Both gifts lead to the position given; seat by seat too."""
    gifts = {int(seat): f"give {' '.join(cards)}" for seat, cards in case["choices"].items()}
    state = games.state_from(case["position"])
    assert games.position_of(games.joint(state, gifts)) == case["next"]
    state = games.load("yellowhouse", sequential=True).state_with(state.box.record)
    for seat in range(2):
        assert state.current_player() == seat
        state.apply_action(next(move.actions[0] for move in games.moves(state) if move.text == gifts[seat]))
    assert games.position_of(state) == case["next"]


@pytest.mark.cases("yellowhouse", "options")
def test_options(case: Case) -> None:
    """The gifts that a seat may choose."""
    moves = games.moves(games.state_from(case["position"]), player=case["player"])
    assert [move.text for move in moves] == [f"give {' '.join(option)}" for option in case["options"]]


@pytest.mark.cases("yellowhouse", "deal")
def test_deal(case: Case) -> None:
    """Hands set by hand; one of them may be left open, and is then any that fits."""
    state = games.state_from(case["position"])
    hands = {int(seat): hand for seat, hand in case["deal"].items()}
    assert games.position_of(games.deal(state, hands=hands)) == case["next"]
    for viewer in range(2):
        seen = games.deal(state, hands=hands | {1 - viewer: 12})
        assert games.position_of(seen, viewer) == games.position_of(games.state_from(case["next"]), viewer)


@pytest.mark.cases("yellowhouse", "returns")
def test_returns(case: Case) -> None:
    """Returns of a finished game."""
    state = games.state_from(case["position"])
    assert state.is_terminal()
    assert state.returns() == case["returns"]


@pytest.mark.cases("yellowhouse", "view")
def test_view(case: Case) -> None:
    """What a seat knows of a position."""
    state = games.state_from(case["position"])
    assert json.dumps(games.position_of(state, viewer=case["viewer"])) == json.dumps(case["seen"])
    assert games.view_of(state, case["viewer"]).position == case["seen"]
    assert games.view_from(case["seen"]) == games.view_of(state, case["viewer"])


@pytest.mark.cases("yellowhouse", "invalid")
def test_invalid(case: Case) -> None:
    """What is no position is refused, with the field at fault in one line."""
    for load in (games.state_from, games.view_from):
        with pytest.raises(games.PositionError) as error:
            load(case["position"])
        assert error.value.field
        assert str(error.value) == f"{error.value.field}: {error.value.problem}"
        assert len(str(error.value).splitlines()) == 1


# The deal.


def deals(state: games.State, wanted: dict[int, Counts]) -> float:
    """The chance that the seats are dealt the hands `wanted`, over the chance nodes."""
    size = int(state.game.c["hand"])
    found: dict[bytes, float] = {state.box.record.tobytes(): 1.0}
    outcomes, probs = np.zeros(yellowhouse.MAX_GIFTS, np.int64), np.zeros(yellowhouse.MAX_GIFTS)
    for i in range(2 * size):
        following: dict[bytes, float] = defaultdict(float)
        for raw, chance in found.items():
            record = np.frombuffer(raw, yellowhouse.STATE)
            n = yellowhouse.chance_outcomes(record[0], state.game.c, outcomes, probs)
            for e, probability in zip(outcomes[:n].tolist(), probs[:n].tolist(), strict=True):
                dealt = after(record, state.game.c, e)
                seat = i // size
                if seat not in wanted or dealt["hands"][0, seat, e] <= wanted[seat][e]:
                    following[dealt.tobytes()] += chance * probability
        found = following
    return sum(found.values())


@pytest.mark.cases("yellowhouse", "deal_probability")
def test_deal_probability(case: Case) -> None:
    """The chance to be dealt a hand, card by card; where the other's is known, given that."""
    state, player = games.state_from(case["position"]), case["player"]
    wanted = {player: counts(case["hand"])}
    given = {1 - player: counts(case["given"])} if "given" in case else {}
    chance = deals(state, wanted | given) / (deals(state, given) if given else 1.0)
    assert chance == pytest.approx(float(Fraction(case["probability"])), rel=1e-9)


def test_s1_all_deals() -> None:
    """S1: 315 hands and 7,499 pairs of them; both seats get theirs with the chances of a uniform deal of cards."""
    hands = [hand for hand in product(range(8), repeat=4) if sum(hand) == 12]
    pairs = [(a, b) for a in hands for b in hands if all(x + y <= 7 for x, y in zip(a, b, strict=True))]
    assert (len(hands), len(pairs)) == (315, 7499)
    state = games.load("yellowhouse", first_leader=0).new_initial_state()
    for a, b in pairs[::1500]:
        ways = prod(comb(7, x) * comb(7 - x, y) for x, y in zip(a, b, strict=True))
        assert deals(state, {0: a, 1: b}) == pytest.approx(ways / (comb(28, 12) * comb(16, 12)), rel=1e-9)
    assert deals(state, {0: (3, 3, 3, 3)}) == pytest.approx(1500625 / 30421755)


# What can be known of the other hand.


def other_hands(position: games.Position) -> dict[Counts, Fraction]:
    """The hands that the viewer's opponent may hold, with their probabilities, by the formula."""
    viewer = position["viewer"]
    own, other = position["players"][viewer], position["players"][1 - viewer]
    gave, got = counts(own.get("gave", ())), counts(other.get("gave", ()))
    out = counts(other.get("out", {}))
    kept = [sum(counts(player.get("palette", ()))[e] for player in position["players"]) for e in range(4)]
    weights = {}
    dealt = [counts(own["hand"])[e] + counts(own.get("out", {}))[e] + gave[e] - got[e] for e in range(4)]
    unseen = [7 - kept[e] - dealt[e] for e in range(4)]
    for hand in product(range(8), repeat=4):
        theirs = [hand[e] + out[e] + got[e] - gave[e] for e in range(4)]
        if sum(hand) == other["hand"] and all(got[e] <= theirs[e] <= unseen[e] for e in range(4)):
            weights[hand] = prod(comb(n, k) for n, k in zip(unseen, theirs, strict=True))
    return {hand: Fraction(weight, sum(weights.values())) for hand, weight in weights.items()}


@pytest.mark.cases("yellowhouse", "belief")
def test_belief(case: Case) -> None:
    """The other hand is drawn by the odds of the deal: compared with the formula, and that with the case."""
    exact = other_hands(case["position"])
    likeliest = sorted(exact.items(), key=lambda item: (-item[1], [-n for n in item[0]]))[:10]
    assert len(exact) == case["hands_possible"]
    assert likeliest == [(counts(item["hand"]), Fraction(item["probability"])) for item in case["likeliest"]]
    view, number = games.view_from(case["position"]), 20_000
    other = 1 - view.player
    found = Counter(tuple(state.box.record["hands"][0, other]) for state in sampled(view, number))
    assert found.keys() <= exact.keys()
    for hand, chance in exact.items():
        assert_often(found[hand], chance, number)
    for e, element in enumerate(ELEMENTS):
        marginal: dict[int, Fraction] = defaultdict(Fraction)
        for hand, chance in exact.items():
            marginal[hand[e]] += chance
        assert dict(marginal) == {int(n): Fraction(chance) for n, chance in case["marginals"][element].items()}
        for n, chance in marginal.items():
            assert_often(sum(times for hand, times in found.items() if hand[e] == n), chance, number)


def sampled(view: games.View, number: int) -> Iterator[games.State]:
    """States drawn for the view."""
    return view.states(number, np.random.default_rng(1))


def assert_often(times: int, chance: Fraction, number: int) -> None:
    """Within five standard errors of the expected number."""
    error = (number * chance * (1 - chance)) ** 0.5
    assert abs(times - number * chance) <= 5 * error + 1e-9


def test_belief_of_the_position_page() -> None:
    """Seat 0, dealt R and V, gave V and got R: seat 1 holds R,V with probability 1/5 and V,V with 4/5."""
    params = {"elements": 2, "copies": 3, "hand": 2, "exchange": 1, "scope": "round"}
    position = {"game": "yellowhouse", "params": params, "phase": "play", "viewer": 0,
                "players": [{"hand": {"R": 2}, "gave": ["V"]}, {"hand": 2, "gave": ["R"]}],
                "rows": {"R": 2, "V": 2}}  # fmt: skip
    found = Counter(
        tuple(state.box.record["hands"][0, 1, :2].tolist()) for state in sampled(games.view_from(position), 20_000)
    )
    assert found.keys() == {(1, 1), (0, 2)}
    assert_often(found[1, 1], Fraction(1, 5), 20_000)


# Open hands.


class Endgames:
    """Everything that can still happen in a round, found by looking at it, over the records of one game."""

    def __init__(self, c: Any) -> None:
        self.c = c
        self.winner = functools.cache(self._winner)
        self.count = functools.cache(self._count)

    def children(self, raw: bytes) -> list[np.ndarray]:
        """The records after each legal action."""
        record = np.frombuffer(raw, yellowhouse.STATE)
        return [after(record, self.c, action) for action in legal(record[0], self.c)]

    def _winner(self, raw: bytes) -> int:
        s = np.frombuffer(raw, yellowhouse.STATE)[0]
        if s["phase"] == yellowhouse.OVER:
            return int(s["winner"])
        seat = int(yellowhouse.acting_seat(s))
        return seat if any(self.winner(child.tobytes()) == seat for child in self.children(raw)) else 1 - seat

    def _count(self, raw: bytes) -> tuple[int, int, Counter[str]]:
        """(sequences, decision nodes, sequences by winner and card kept) from a record on to the end of its round."""
        s = np.frombuffer(raw, yellowhouse.STATE)[0]
        if s["phase"] in (yellowhouse.OVER, yellowhouse.DEAL):
            winner = int(s["winner"] if s["phase"] == yellowhouse.OVER else s["leader"])
            (kept,) = [ELEMENTS[e] for e in range(4) if s["palette"][winner, e]]
            return 1, 0, Counter([f"{winner}:{kept}"])
        parts = [self.count(child.tobytes()) for child in self.children(raw)]
        results = sum((part[2] for part in parts), Counter())
        return sum(part[0] for part in parts), 1 + sum(part[1] for part in parts), results


@pytest.mark.cases("yellowhouse", "count")
def test_count(case: Case) -> None:
    """All ways in which a round can end."""
    state = games.state_from(case["position"])
    sequences, nodes, results = Endgames(state.game.c).count(state.box.record.tobytes())
    assert (sequences, nodes, dict(results)) == (case["sequences"], case["nodes"], case["results"])


@pytest.mark.cases("yellowhouse", "solve")
def test_solve(case: Case) -> None:
    """Who wins with open hands, and by which moves."""
    state = games.state_from(case["position"])
    endgames, player = Endgames(state.game.c), case["player"]
    assert state.current_player() == player
    assert endgames.winner(state.box.record.tobytes()) == case["winner"]
    ends = [move.after() for move in games.moves(state)]
    winning = [end for end in ends if endgames.winner(end.box.record.tobytes()) == player]
    assert texts(map(games.position_of, winning)) == texts(case["winning"])


# Whole reduced rounds.


class Round:
    """All of a reduced round in its sequential form, deals of the same hands taken together.

    A node is told by what the two seats have noticed. `decisions` and `ends` hold, for each pair of texts, the chance
    that the deals come (times the return at an end) and each seat's last (information state, action) before.
    """

    def __init__(self, **params: Any) -> None:
        game = games.load("yellowhouse", scope="round", first_leader=0, exchange=1, sequential=True, **params)
        self.c, self.words = game.c, game.words
        self.decisions: dict[tuple[str, str], int] = {}
        self.ends: dict[tuple[str, str], tuple[Any, Any, float]] = {}
        self.states: tuple[dict[str, Any], dict[str, Any]] = ({}, {})  # information state: (its past, legal actions)
        for record, chance in self._deals(game.new_initial_state().box.record):
            seen = tuple(self.words.event_text(self.before, record[0], self.c, {CHANCE: 0}, seat) for seat in (0, 1))
            self._walk(record, seen, (None, None), chance)

    def _deals(self, record: np.ndarray) -> list[tuple[np.ndarray, float]]:
        found = {record.tobytes(): 1.0}
        outcomes, probs = np.zeros(yellowhouse.MAX_GIFTS, np.int64), np.zeros(yellowhouse.MAX_GIFTS)
        for _ in range(2 * int(self.c["hand"])):
            following: dict[bytes, float] = defaultdict(float)
            for raw, chance in found.items():
                self.before = np.frombuffer(raw, yellowhouse.STATE)[0]
                n = yellowhouse.chance_outcomes(self.before, self.c, outcomes, probs)
                for e, probability in zip(outcomes[:n].tolist(), probs[:n].tolist(), strict=True):
                    dealt = after(np.frombuffer(raw, yellowhouse.STATE), self.c, e)
                    following[dealt.tobytes()] += chance * probability
            found = following
        return [(np.frombuffer(raw, yellowhouse.STATE), chance) for raw, chance in found.items()]

    def _walk(self, record: np.ndarray, seen: Any, pasts: tuple[Any, Any], chance: float) -> None:
        s, c = record[0], self.c
        player = int(yellowhouse.current_player(s, c))
        if player == TERMINAL:
            assert seen not in self.ends
            self.ends[seen] = (*pasts, chance if s["winner"] == 0 else -chance)
            return
        assert seen not in self.decisions
        self.decisions[seen] = player
        actions = legal(s, c)
        known = self.states[player].setdefault(seen[player], (pasts[player], actions))
        assert known == (pasts[player], actions)  # perfect recall
        for action in actions:
            child = after(record, c, action)
            more = [self.words.event_text(s, child[0], c, {player: action}, seat) for seat in (0, 1)]
            past = list(pasts)
            past[player] = (seen[player], action)
            self._walk(child, tuple(f"{old} {new}" for old, new in zip(seen, more, strict=True)), tuple(past), chance)

    def value(self) -> float:
        """The value to seat 0, by the linear program of the sequence form."""
        indices, constraints = zip(*(self._sequences(seat) for seat in (0, 1)), strict=True)
        rows, columns, values = zip(
            *((indices[0][one], indices[1][two], value) for one, two, value in self.ends.values()), strict=True
        )
        payoffs = sparse.csr_array((values, (rows, columns)), (len(indices[0]), len(indices[1])))
        # Seat 0's plan x and a bound on what seat 1's best answer leaves: most p[0] where E x = e, F' p <= A' x.
        (plan, plan_is), (answer, _) = constraints
        n, m = payoffs.shape[0], answer.shape[0]
        solved = optimize.linprog(
            np.concatenate([np.zeros(n), [-1.0], np.zeros(m - 1)]),
            A_ub=sparse.hstack([-payoffs.T, answer.T]),
            b_ub=np.zeros(payoffs.shape[1]),
            A_eq=sparse.hstack([plan, sparse.csr_array((plan.shape[0], m))]),
            b_eq=plan_is,
            bounds=[(0, None)] * n + [(None, None)] * m,
            method="highs",
        )
        assert solved.status == 0
        return -solved.fun

    def _sequences(self, seat: int) -> tuple[dict[Any, int], tuple[Any, np.ndarray]]:
        """Numbers of the seat's sequences, and what makes weights of them a plan: matrix and right-hand side."""
        index: dict[Any, int] = {None: 0}
        entries = [(0, 0, 1.0)]
        for state, (_, actions) in self.states[seat].items():
            for action in actions:
                index[state, action] = len(index)
        for row, (state, (past, actions)) in enumerate(self.states[seat].items(), 1):
            entries += [(row, index[past], -1.0)] + [(row, index[state, action], 1.0) for action in actions]
        rows, columns, values = zip(*entries, strict=True)
        shape = (len(self.states[seat]) + 1, len(index))
        return index, (sparse.csr_array((values, (rows, columns)), shape), np.eye(1, shape[0])[0])


# elements, copies, hand, supports, supports of each; information states of both, decision and terminal histories.
REDUCED = [
    ((2, 3, 2, 1, 1), (23, 29), 89, 40),
    ((3, 2, 2, 1, 1), (120, 138), 480, 222),
    ((3, 3, 3, 1, 1), (2224, 2530), 11119, 4716),
    ((4, 2, 3, 2, 1), (9808, 11344), 44428, 21684),
]


def reduced(numbers: Counts) -> dict[str, int]:
    """Parameters of a reduced round."""
    names = ("elements", "copies", "hand", "supports", "supports_per_player")
    return dict(zip(names, numbers, strict=True))


@pytest.mark.parametrize(("numbers", "states", "decisions", "ends"), REDUCED)
def test_sizes_of_reduced_rounds(numbers: Counts, states: Counts, decisions: int, ends: int) -> None:
    """The numbers of rules section 11, histories told apart by what both seats have noticed."""
    whole = Round(**reduced(numbers))
    assert tuple(map(len, whole.states)) == states
    assert (len(whole.decisions), len(whole.ends)) == (decisions, ends)


@pytest.mark.parametrize(("numbers", "states", "decisions", "ends"), REDUCED[:2])
def test_sizes_of_the_openspiel_tree(numbers: Counts, states: Counts, decisions: int, ends: int) -> None:
    """The same numbers by OpenSpiel's own states, where every order of the deal is a history."""
    game = games.load("yellowhouse", scope="round", first_leader=0, exchange=1, sequential=True, **reduced(numbers))
    found: list[set[Any]] = [set(), set()]
    histories: dict[bool, set[Any]] = {True: set(), False: set()}
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if not state.is_chance_node():
            pair = tuple(state.information_state_string(seat) for seat in (0, 1))
            histories[state.is_terminal()].add(pair)
            if not state.is_terminal():
                found[state.current_player()].add(pair[state.current_player()])
        if not state.is_terminal():
            stack += [state.child(action) for action in state.legal_actions()]
    assert tuple(map(len, found)) == states
    assert (len(histories[False]), len(histories[True])) == (decisions, ends)


@pytest.mark.cases("yellowhouse", "value")
def test_value(case: Case) -> None:
    """The value of a reduced round with hidden hands, exactly, and the size of its tree."""
    params = dict(case["params"])
    assert (params.pop("scope"), params.pop("first_leader"), params.pop("exchange")) == ("round", 0, 1)
    whole = Round(**params)
    assert whole.value() == pytest.approx(float(Fraction(case["fraction"])), abs=case["tolerance"])
    assert whole.value() == pytest.approx(case["value"], abs=case["tolerance"])
    assert list(map(len, whole.states)) == case["information_states"]
    assert (len(whole.decisions), len(whole.ends)) == (case["decision_histories"], case["terminal_histories"])


KINDS = ("outcomes", "choices", "deal", "returns", "options", "view", "deal_probability", "count", "belief", "solve",
         "value", "invalid")  # fmt: skip


def test_every_case_is_tested(cases: Any) -> None:
    """No case is of a kind that nothing above reads."""
    kinds = Counter(
        case.get("kind") or next((key for key in KINDS if key in case), "none") for case in cases("yellowhouse")
    )
    assert set(kinds) == set(KINDS)
    assert kinds.total() >= 62


# Worked examples that no case covers.


def position(players: list[Counts], rows: Counts, trick: str, first: int, **params: Any) -> games.Position:
    """A position in phase play with these hands and a trick; with so many cards that any `out` fits."""
    written = []
    for seat, hand in enumerate(players):
        out = [sum(name == e for name in trick[(seat - first) % 2 :: 2]) for e in ELEMENTS]
        out[3 * seat] += 12 - sum(hand) - sum(out)
        written.append({"hand": named(hand), "out": named(out)})
    claims = [[(first + i) % 2, element] for i, element in enumerate(trick)]
    return {"game": "yellowhouse", "params": {"copies": 20, **params}, "phase": "play", "leader": first,
            "players": written, "rows": named(rows), "trick": claims}  # fmt: skip


def named(numbers: Any) -> dict[str, int]:
    """Numbers in the order of the elements as an object."""
    return dict(zip(ELEMENTS, numbers, strict=True))


def supported(state: games.Position, *used: int) -> games.Position:
    """A position after so many supports of each seat."""
    players = [player | {"supports_used": n} for player, n in zip(state["players"], used, strict=True)]
    return state | {"players": players}


def move_texts(state: games.State) -> set[str]:
    """The texts of the moves of the seat to act."""
    return {move.text for move in games.moves(state)}


def play(state: games.State, move: str) -> games.State:
    """The state after a move."""
    return next(found for found in games.moves(state) if found.text == move).after()


@pytest.mark.parametrize("kept", [["R"], ["R", "R"], ["R", "V"]])
def test_a_round_alone_keeps_one_card(kept: list[str]) -> None:
    """`scope: round` begins with empty palettes, so that more than the card claimed last is no position."""
    players = [{"out": {"R": 5, "V": 4, "G": 3}, "palette": kept}, {"hand": {"V": 2, "G": 3, "Y": 7}}]
    over = {"game": "yellowhouse", "params": {"scope": "round"}, "round": len(kept), "phase": "over",
            "leader": 0, "winner": 0, "players": players, "trick": [[0, "R"]]}  # fmt: skip
    if len(kept) == 1:
        assert games.state_from(over).returns() == [1.0, -1.0]
    else:
        with pytest.raises(games.PositionError, match=r"^players\[0\]\.palette: "):
            games.state_from(over)


def test_s2_nobody_sees_the_first_gift() -> None:
    """S2: seat 1 chooses in the same information state whatever seat 0 has chosen, out of ten gifts."""
    state = games.load("yellowhouse", first_leader=0, sequential=True).new_initial_state()
    state = games.deal(state, hands={0: {"R": 4, "V": 2, "G": 3, "Y": 3}, 1: {"R": 2, "V": 4, "G": 3, "Y": 3}})
    chosen = [move.after() for move in games.moves(state)]
    assert len(chosen) == 10
    assert len({after.information_state_string(1) for after in chosen}) == 1
    assert len({after.information_state_string(0) for after in chosen}) == 10
    for after_one in chosen:
        assert not games.at_decision(after_one)
        with pytest.raises(games.PositionError):
            games.position_of(after_one)
        assert after_one.current_player() == 1


def test_the_second_gift_shows_nothing_of_the_first() -> None:
    """Right after it seat 1 still does not know what seat 0 gives, so that nothing of it is in its view."""
    state = games.load("yellowhouse", first_leader=0, sequential=True).new_initial_state()
    state = games.deal(state, hands={0: {"R": 4, "V": 2, "G": 3, "Y": 3}, 1: {"R": 2, "V": 4, "G": 3, "Y": 3}})
    seen = set()
    for first in games.moves(state):
        view = games.view_of(first.after(), 1)
        end = next(move for move in view.moves() if move.text == "give V V").after()
        assert end.current_player() == CHANCE
        with pytest.raises(games.PositionError):
            _ = end.position
        worlds = [world.box.record["gave"][0].tolist() for world in end.states(40, np.random.default_rng(2))]
        assert all(given[1] == [0, 2, 0, 0] for given in worlds)
        assert len({tuple(given[0]) for given in worlds}) > 5
        seen.add((end.world().information_state(1), end.world().box.record.tobytes()))
        turned_up = end.world()
        assert turned_up.chance_outcomes() == [(0, 1.0)]
        turned_up.apply_action(0)
        assert games.position_of(turned_up)["players"][1]["gave"] == ["V", "V"]
    assert len(seen) == 1


S17 = [
    ("0R 0R", 0), ("0R 1R 0V 1V 0G", 0), ("0R 1R 1V", None), ("0R 1R 1V 0R", 0), ("0R 0V 1Y 1G", None),
]  # fmt: skip


@pytest.mark.parametrize(("kept", "winner"), S17)
def test_s17_match_end(kept: str, winner: int | None) -> None:
    """S17: round by round, each won with a last card of the element that is kept."""
    state = games.load("yellowhouse", first_leader=0).new_initial_state()
    record = state.box.record
    for i, (seat, element) in enumerate((int(part[0]), ELEMENTS.index(part[1])) for part in kept.split()):
        assert record["phase"][0] == yellowhouse.DEAL
        assert record["round"][0] == i + 1
        deck = [int(yellowhouse.shuffled(record[0], state.game.c, e)) for e in range(4)]
        assert sum(deck) == 28 - i
        record["phase"], record["leader"] = yellowhouse.PLAY, seat
        record["hands"][0, seat, element] = 1
        record["hands"][0, 1 - seat] = 2
        yellowhouse.apply_action(record[0], state.game.c, yellowhouse.CLAIM + element)
        assert record["leader"][0] == seat
    over = record["phase"][0] == yellowhouse.OVER
    assert (int(record["winner"][0]) if over else None) == winner
    assert over or sum(yellowhouse.shuffled(record[0], state.game.c, e) for e in range(4)) == 28 - len(kept.split())


S19 = """
0 claim R 4 | 1 strengthen G 6 | 0 strengthen Y support 3 | 1 strengthen V 3 | 1 claim R 3 | 0 claim V 4 | 1 pass 1 |
0 claim Y 3 | 1 claim V 2 | 0 strengthen G support 2 | 1 pass 1 | 0 claim R 2 | 1 claim Y 2 | 0 pass 1 | 1 claim R 1 |
0 pass 2 | 1 claim R 1
"""


def test_s19_a_whole_round() -> None:
    """S19: from the deal to the card that is kept, with the number of legal turns at each."""
    state = games.load("yellowhouse", first_leader=0).new_initial_state()
    state = games.deal(state, hands={0: {"R": 4, "V": 2, "G": 3, "Y": 3}, 1: {"R": 2, "V": 4, "G": 3, "Y": 3}})
    state = games.joint(state, {0: "give R V", 1: "give Y Y"})
    for line in S19.replace("\n", " ").split("|"):
        seat, *words, number = line.split()
        assert state.current_player() == int(seat)
        assert len(games.moves(state)) == int(number)
        state = play(state, " ".join(words))
    assert games.position_of(state) == {
        "game": "yellowhouse", "params": {"first_leader": 0}, "round": 2, "phase": "deal", "leader": 1,
        "players": [{}, {"palette": ["R"]}],
    }  # fmt: skip
    assert "P0 is dealt R4 V2 G3 Y3." in state.information_state(0)
    assert "P1 is dealt" not in state.information_state(0)


TWO_KINDS = [(0, 0, 2, 3), (4, 2, 1, 3)]


@pytest.mark.parametrize(("used", "more"), [((3, 1), False), ((2, 3), False), ((2, 2), True)])
def test_s11_limits_of_supports(used: Counts, more: bool) -> None:
    """S11 and section 9.6: three a player and five in all, whichever is reached first."""
    state = games.state_from(supported(position(TWO_KINDS, (3, 1, 3, 2), "R", 1), *used))
    supports = {"strengthen G support", "strengthen Y support"} if more else set()
    assert move_texts(state) == {"pass", "strengthen G", "strengthen Y"} | supports


def test_several_supports_in_a_turn() -> None:
    """supports_per_turn: every number up to the steps, the supply and the player's limit."""
    seen = position(TWO_KINDS, (4, 1, 2, 2), "R", 1, supports_per_turn=3)
    moves = {"strengthen G support 2", "strengthen G support 3", "strengthen Y support"}
    moves |= {"pass", "strengthen Y support 2", "strengthen Y support 3"}
    assert move_texts(games.state_from(seen)) == moves
    few = moves - {"strengthen G support 3", "strengthen Y support 3"}
    assert move_texts(games.state_from(supported(seen, 1, 2))) == few
    assert move_texts(games.state_from(supported(seen, 0, 3))) == few
    not_all = position(TWO_KINDS, (4, 1, 2, 2), "R", 1, supports_per_turn=3, support_may_pay_all=False)
    assert move_texts(games.state_from(not_all)) == few
    after_one = games.position_of(play(games.state_from(seen), "strengthen Y support 2"))
    assert after_one["players"][0] == {
        "hand": {"R": 0, "V": 0, "G": 2, "Y": 1}, "out": {"R": 7, "V": 0, "G": 0, "Y": 2}, "supports_used": 2
    }  # fmt: skip
    assert (after_one["supply"], after_one["rows"]["Y"]) == (3, 5)


# What a past round has hidden stays hidden.


def test_the_past_is_redrawn() -> None:
    """In round 2 the other hand of round 1 is still unknown: it varies in samples, and nothing of it is in a view."""
    game = games.load("yellowhouse", first_leader=0)
    state, rng = game.new_initial_state(), np.random.default_rng(5)
    state = games.deal(state, hands={0: {"R": 4, "V": 2, "G": 3, "Y": 3}, 1: {"R": 2, "V": 4, "G": 3, "Y": 3}})
    state = games.joint(state, {0: "give R V", 1: "give Y Y"})
    for line in S19.replace("\n", " ").split("|"):
        state = play(state, " ".join(line.split()[1:-1]))
    state = games.deal(state, hands={0: {"R": 3, "V": 3, "G": 3, "Y": 3}, 1: {"R": 3, "V": 4, "G": 2, "Y": 3}})
    for player, varies in ((0, False), (1, True)):  # seat 1 went out, so that seat 0 has seen all its cards
        past = Counter()
        for sample in games.view_of(state, player).states(40, rng):
            assert sample.information_state(player) == state.information_state(player)
            deal = sample.history()[12 * (1 - player) :][:12]
            past[tuple(deal)] += 1
            again = game.new_initial_state()
            for step in sample.steps():
                if len(step) == 1:
                    again.apply_action(*step.values())
                else:
                    again.apply_actions(list(step.values()))
            assert again.box.record.tobytes() == sample.box.record.tobytes()
        assert (len(past) > 5) == varies


# OpenSpiel's own players and solvers.


def test_openspiel_solves_a_reduced_round() -> None:
    """Its CFR+ comes near the value of the smallest round, which is that of the linear program."""
    from open_spiel.python.algorithms import cfr, expected_game_score

    params = reduced(REDUCED[0][0])
    game = games.load("yellowhouse", scope="round", first_leader=0, exchange=1, sequential=True, **params)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(15):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values[0] == pytest.approx(Round(**params).value(), abs=0.02)


def test_openspiel_ismcts_plays() -> None:
    """Its information-set MCTS, which redraws through our resampler, plays a match against ours, seat by seat."""
    from open_spiel.python.algorithms import ismcts, mcts

    from voyageur import solvers

    game = games.load("yellowhouse", elements=3, copies=4, hand=3, exchange=1, win_total=2, sequential=True)
    random_state = np.random.RandomState(3)
    theirs = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, random_state), 1.4, 8, random_state=random_state)
    ours = solvers.make_bot("ismcts", game, 1, solvers.Limit(nodes=50), seed=3)
    state = game.new_initial_state()
    returns = pyspiel.evaluate_bots(state, [theirs, ours], 3)
    assert sorted(returns) == [-1.0, 1.0]
    assert state.is_terminal()


# The plain player.


def test_the_plain_player_beats_a_random_one() -> None:
    """Of 200 matches against random play it wins more than nine in ten."""
    game = games.load("yellowhouse")
    c, actions, joint, out = game.c, np.zeros(64, np.int64), np.zeros(2, np.int64), np.zeros(2)
    rng, bits, won = np.random.default_rng(1), rules.make_rng(1), 0
    for played in range(200):
        record = game.new_initial_state().box.record
        s = record[0]

        def chosen(seat: int, s: Any = s, played: int = played) -> int:
            n = yellowhouse.legal_actions(s, c, seat, actions)
            if seat == played % 2:
                return int(rules.scripted_action(s, c, seat, actions, n, bits))
            return int(actions[rng.integers(n)])

        while (player := yellowhouse.current_player(s, c)) != TERMINAL:
            if player == CHANCE:
                yellowhouse.apply_action(s, c, int(yellowhouse.sample_chance(s, c, bits)))
            elif player == rules.SIMULTANEOUS:
                joint[:] = chosen(0), chosen(1)
                yellowhouse.apply_joint(s, c, joint)
            else:
                yellowhouse.apply_action(s, c, chosen(player))
        yellowhouse.returns(s, c, out)
        won += out[played % 2] > 0
    assert won > 180
