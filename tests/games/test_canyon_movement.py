"""Canyon's moves against a second set of rules in plain Python, which tries all walks one after another.

`River` reads a board and `ends` walks on it by section 6 of the rules as they stand there; nothing of the game's own
code is used for either. Squares are numbered row by row, as the game does.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from walks import examples

from voyageur import games
from voyageur.games import rules
from voyageur.games.canyon import board
from voyageur.games.canyon import rules as canyon

MOVEMENTS = ("free_walk", "toward_goal")
STOP_RULES = ("blocked_only", "all_forced", "free_stop")
ARROWS = {"7": (-1, -1), "8": (-1, 0), "9": (-1, 1), "4": (0, -1), "6": (0, 1), "1": (1, -1), "2": (1, 0), "3": (1, 1)}
FAR = 10**6


# The second set of rules.


class River:
    """A board: `kinds` by square, the squares around each, the ways out of the cave and all distances."""

    def __init__(self, text: str) -> None:
        lines = [line for line in text.split("\n") if line]
        rows = [line for line in lines if line[0] != ";"]
        self.width, self.height = len(rows[0]), len(rows)
        self.kinds = "".join(rows)
        self.cave = self.kinds.find("C")
        self.around = [list(self._around(square)) for square in range(len(self.kinds))]
        self.exits = [square for square in self.around[self.cave] if self.is_water(square)] if self.cave >= 0 else []
        for line in lines:
            if line.startswith("; cave_exits:"):
                names = line.partition(":")[2].split()
                self.exits = [self.width * int(name[1:]) + ord(name[0]) - ord("a") for name in names]
        self.far = self._distances()

    def step(self, square: int, way: tuple[int, int]) -> int | None:
        """The square that lies `way`, None off the map."""
        row, column = square // self.width + way[0], square % self.width + way[1]
        return row * self.width + column if 0 <= row < self.height and 0 <= column < self.width else None

    def leads_to(self, square: int) -> str | None:
        """What the arrow of a square points at."""
        there = self.step(square, ARROWS[self.kinds[square]]) if self.kinds[square] in ARROWS else None
        return None if there is None else self.kinds[there]

    def _around(self, square: int) -> Iterator[int]:
        for way in itertools.product((-1, 0, 1), repeat=2):
            there = self.step(square, way)
            if there is not None and there != square:
                yield there

    def is_water(self, square: int) -> bool:
        """Whether it can be entered by paddling."""
        return self.kinds[square] not in "#WC"

    def _distances(self) -> list[int]:
        far = [0 if kind == "L" else FAR for kind in self.kinds]
        before: list[int] = []
        while far != before:
            before = far.copy()
            for square in range(len(far)):
                if self.is_water(square):
                    far[square] = min([far[square], *(1 + far[there] for there in self.around[square])])
        if self.exits:
            far[self.cave] = 1 + min(far[square] for square in self.exits)
        return far

    def name(self, square: int) -> str:
        """As people write it."""
        return f"{'abcdefghijklmnopqrstuvwxyz'[square % self.width]}{square // self.width}"

    def number(self, name: str) -> int:
        """The square of that name."""
        return self.cave if name == "cave" else self.width * int(name[1:]) + ord(name[0]) - ord("a")


@dataclass(frozen=True)
class Params:
    """Those parameters that have to do with moving."""

    movement: str = "free_walk"
    stop_rule: str = "blocked_only"
    always_drift: bool = False
    cave_is_rapids: bool = False
    bonus: tuple[int, ...] = (1, 2, 3, 3, 3, 3, 3, 3, 3)


def ends(river: River, start: int, others: set[int], points: int, params: Params) -> dict[int, tuple[int, int]]:
    """Where a canoe may end: the fewest and the most steps by which it gets there."""
    found: dict[int, tuple[int, int]] = {}
    stack = [(start, 0, frozenset([start]))]
    seen = set(stack)
    while stack:
        square, steps, visited = stack.pop()
        near = river.exits if square == river.cave else river.around[square]
        free = [there for there in near if river.is_water(there) and there not in others]
        nearer = [there for there in free if river.far[there] < river.far[square]]
        allowed = free
        if params.movement == "toward_goal":
            level = [there for there in free if river.far[there] == river.far[square] and there not in visited]
            allowed = nearer or level
        landed = river.kinds[square] == "L"
        early = {"blocked_only": not nearer, "all_forced": not allowed, "free_stop": True}[params.stop_rule]
        if landed or early or steps == points:
            fewest, most = found.get(square, (steps, steps))
            found[square] = min(fewest, steps), max(most, steps)
        if landed or steps == points:
            continue
        for there in allowed:
            # Only `toward_goal` asks where the canoe has been, and of that only what is as far away as it is now.
            been = visited | {there} if params.movement == "toward_goal" else visited
            been = frozenset(square for square in been if river.far[square] == river.far[there])
            after = there, steps + 1, been if params.movement == "toward_goal" else visited
            if after not in seen:
                seen.add(after)
                stack.append(after)
    return found


@dataclass
class Phase4:
    """Canoes, bids and tricks by seat, and which seats have moved, in the order of seats."""

    river: River
    params: Params
    at: list[int]
    bids: list[int]
    tricks: list[int]
    unused: list[int]
    turn: int

    def on_rapids(self, seat: int) -> bool:
        """Where only a bonus counts."""
        in_cave = self.at[seat] == self.river.cave
        return self.params.cave_is_rapids if in_cave else self.river.kinds[self.at[seat]] in ARROWS

    def points(self, seat: int) -> int:
        """The table of section 6."""
        exact = self.bids[seat] == self.tricks[seat]
        tricks = 0 if self.on_rapids(seat) else self.tricks[seat]
        return tricks + (self.params.bonus[self.bids[seat]] if exact else 0)

    def ends(self, seat: int) -> dict[int, tuple[int, int]]:
        """Where the seat's canoe may end."""
        others = {square for other, square in enumerate(self.at) if other != seat}
        return ends(self.river, self.at[seat], others, self.points(seat), self.params)

    def drift(self, seat: int) -> None:
        """One square along the arrow."""
        kind = self.river.kinds[self.at[seat]]
        target = self.river.step(self.at[seat], ARROWS[kind]) if kind in ARROWS else None
        if target is not None and self.river.kinds[target] == "W":
            self.at[seat] = self.river.cave
        elif target is not None and self.river.is_water(target) and target not in self.at:
            self.at[seat] = target

    def move_on(self) -> None:
        """Moves canoes without a choice, up to the first that has one."""
        while self.turn < len(self.at) and set(self.ends(self.turn)) == {self.at[self.turn]}:
            if self.params.always_drift or self.bids[self.turn] != self.tricks[self.turn]:
                self.drift(self.turn)
            self.turn += 1

    def move(self, square: int) -> None:
        """The next canoe goes to `square`, then those without a choice."""
        seat = self.turn
        if self.river.kinds[square] == "L":
            self.unused[seat] = self.points(seat) - self.ends(seat)[square][0]
        self.at[seat] = square
        if self.params.always_drift:
            self.drift(seat)
        self.turn += 1
        self.move_on()


# The game's rules in the same terms.


class Compiled:
    """A game on a board, its constants set to some parameters, and a record in the phase of moves, P0 first."""

    def __init__(self, text: str, players: int, params: Params) -> None:
        self.game = games.load("canyon", players=players, board=text)
        self.record = self.game.new_initial_state().box.record
        self.constants = self.game.constants.copy()
        self.c, self.players = self.constants[0], players
        self.set(params)

    def set(self, params: Params) -> None:
        """Other parameters, the same board."""
        self.constants["toward_goal"] = MOVEMENTS.index(params.movement)
        self.constants["stop_rule"] = STOP_RULES.index(params.stop_rule)
        self.constants["always_drift"] = params.always_drift
        self.constants["cave_is_rapids"] = params.cave_is_rapids
        self.constants["bonus"] = params.bonus

    def put(self, told: Phase4) -> None:
        """The record that says what `told` says."""
        s, n = self.record[0], self.players
        s["phase"], s["dealer"], s["round"], s["turn"] = canyon.MOVE, n - 1, 5, told.turn
        for name, values in (("at", told.at), ("bid", told.bids), ("tricks", told.tricks), ("unused", told.unused)):
            s[name][:n] = values

    def legal(self, seat: int) -> list[int]:
        """The squares that the seat's canoe may go to."""
        out = np.zeros(self.game.rules.max_actions, np.int64)
        n = rules.legal_actions(self.record[0], self.c, seat, out)
        return (out[:n] - canyon.SQUARE).tolist()

    def unused(self, seat: int, square: int) -> int:
        """Points left when the seat's canoe goes to a landing stage."""
        after = self.record.copy()
        after["turn"] = seat
        rules.apply_action(after[0], self.c, canyon.SQUARE + square)
        return int(after[0]["unused"][seat])


# Random rivers.

CHARACTERS = "##" + "." * 8 + "LLWWWW" + "12346789" * 2


@st.composite
def rivers(draw: st.DrawFn) -> str:
    """The text of any small board that can be played on by six."""
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 6))
    size = width * height
    kinds = draw(st.lists(st.sampled_from(CHARACTERS), min_size=size, max_size=size))
    if "L" not in kinds:
        kinds[draw(st.integers(0, size - 1))] = "L"
    river = River(rows(kinds, width))
    shores = [
        square
        for square in range(size)
        if kinds.count("L") > (kinds[square] == "L") and any(river.far[there] < FAR for there in river.around[square])
    ]
    if shores and draw(st.integers(0, 3)) > 0:
        kinds[draw(st.sampled_from(shores))] = "C"
        river = River(rows(kinds, width))
    if river.cave < 0 or river.far[river.cave] >= FAR:
        kinds = ["#" if kind in "WC" else kind for kind in kinds]
    calm = [square for square, kind in enumerate(kinds) if kind == "." and river.far[square] < FAR]
    assume(len(calm) >= 6)
    for square in calm[:6]:
        kinds[square] = "S"
    head = ""
    if "C" in kinds and draw(st.booleans()):
        found = River(rows(kinds, width))
        water = [square for square in range(size) if found.far[square] < FAR and square != found.cave]
        exits = draw(st.lists(st.sampled_from(water), min_size=1, max_size=4, unique=True))
        head = f"; cave_exits: {' '.join(map(found.name, exits))}\n"
    return head + rows(kinds, width)


def rows(kinds: list[str], width: int) -> str:
    """Characters as the rows of a board."""
    return "\n".join("".join(kinds[i : i + width]) for i in range(0, len(kinds), width))


PARAMS = st.builds(
    Params,
    movement=st.sampled_from(MOVEMENTS),
    stop_rule=st.sampled_from(STOP_RULES),
    always_drift=st.booleans(),
    cave_is_rapids=st.booleans(),
    bonus=st.one_of(st.just(Params.bonus), st.tuples(*[st.integers(0, 6)] * 9)),
)


@st.composite
def scenes(draw: st.DrawFn, text: str, params: Params, players: int, landed: bool) -> Phase4:
    """Canoes on a board, near each other or not, with any bids and results; some may have `landed`."""
    river = River(text)
    afloat = [square for square, far in enumerate(river.far) if 0 < far < FAR and square != river.cave]
    if draw(st.booleans()):  # so that they block each other
        afloat.sort(key=river.far.__getitem__)
        first = draw(st.integers(0, len(afloat) - players))
        afloat = afloat[first : first + players + 1]
    at = draw(st.lists(st.sampled_from(afloat), min_size=players, max_size=players, unique=True))
    edge = [square for square in afloat if river.leads_to(square) == "W" and square not in at]
    if edge and draw(st.booleans()):
        at[-1] = draw(st.sampled_from(edge))
    stages = [square for square, kind in enumerate(river.kinds) if kind == "L"]
    for seat in range(players - 1):
        if river.cave >= 0 and draw(st.integers(0, 4)) == 0:
            at[seat] = river.cave
        elif landed and seat > 0 and stages and draw(st.integers(0, 4)) == 0:
            at[seat] = stages.pop()
    bids = draw(st.lists(st.integers(0, 8), min_size=players, max_size=players))
    missed = draw(st.lists(st.sampled_from([0, 0, -1, 1, 4]), min_size=players, max_size=players))
    tricks = [min(8, max(0, bid + by)) for bid, by in zip(bids, missed, strict=True)]
    return Phase4(river, params, at, bids, tricks, [0] * players, 0)


def check_ends(told: Phase4, compiled: Compiled) -> dict[int, dict[int, tuple[int, int]]]:
    """For every seat afloat the same points, ends, points left and choice; the ends by seat."""
    compiled.put(told)
    all_ends = {}
    for seat, start in enumerate(told.at):
        if told.river.kinds[start] == "L":
            continue
        found, points = told.ends(seat), told.points(seat)
        assert canyon.points(compiled.record[0], compiled.c, seat) == points
        assert compiled.legal(seat) == sorted(found), (told, seat)
        assert canyon.has_choice(compiled.record[0], compiled.c, seat) == (set(found) != {start}), (told, seat)
        for square, (fewest, _) in found.items():
            if told.river.kinds[square] == "L":
                assert compiled.unused(seat, square) == points - fewest, (told, seat)
        all_ends[seat] = found
    return all_ends


def test_where_canoes_may_end() -> None:
    """On any board, by every way of moving and stopping."""
    met: Counter[str] = Counter()

    @examples(250, passed_over=True)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        text, players = data.draw(rivers()), data.draw(st.integers(2, 6))
        told = data.draw(scenes(text, data.draw(PARAMS), players, landed=True))
        bonus, far = told.params.bonus, told.river.far
        compiled = Compiled(text, players, told.params)
        assert compiled.c["distance"][: len(far)].tolist() == [min(steps, canyon.FAR) for steps in far]
        for movement, stop_rule, cave_is_rapids in itertools.product(MOVEMENTS, STOP_RULES, (False, True)):
            told.params = Params(movement, stop_rule, False, cave_is_rapids, bonus)
            compiled.set(told.params)
            for seat, found in check_ends(told, compiled).items():
                start = told.at[seat]
                met[stop_rule] += any(most < told.points(seat) for _, most in found.values())
                level = any(far[square] == far[start] for square in set(found) - {start})
                met["level"] += level and movement == "toward_goal"
                met["out of the cave"] += start == told.river.cave and len(found) > 1

    check()
    assert len(met) == 5
    assert min(met.values()) > 10, met


@examples(40, passed_over=True)
@given(st.data())
def test_where_canoes_may_end_on_the_default_board(data: st.DataObject) -> None:
    """The same, with more points than there can be by default."""
    text = board_text()
    told = data.draw(scenes(text, data.draw(PARAMS), 6, landed=True))
    told.params = Params(**(told.params.__dict__ | {"bonus": (1, 2, 3, 3, 9, 3, 3, 3, 20)}))
    assert check_ends(told, Compiled(text, 6, told.params))


def board_text() -> str:
    """The shipped board, as text."""
    return "\n".join(board.load("canyon-reconstructed").rows)


def test_what_follows_a_move() -> None:
    """Drifts, falls, arrivals and canoes without a choice follow by themselves, then the next choice or round."""
    met: Counter[str] = Counter()

    @examples(300, passed_over=True)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        text, players = data.draw(rivers()), data.draw(st.integers(2, 6))
        told = data.draw(scenes(text, data.draw(PARAMS), players, landed=False))
        while told.turn < players and set(told.ends(told.turn)) == {told.at[told.turn]}:
            told.turn += 1  # these stand where they came to stand
        assume(told.turn < players)
        compiled = Compiled(text, players, told.params)
        compiled.put(told)
        seat = told.turn
        found = told.ends(seat)
        assert compiled.legal(seat) == sorted(found)
        met["from the cave"] += told.at[seat] == told.river.cave
        for square in data.draw(st.lists(st.sampled_from(sorted(found)), min_size=1, max_size=5, unique=True)):
            after = Phase4(**(told.__dict__ | {"at": told.at.copy(), "unused": told.unused.copy()}))
            after.move(square)
            assert_follows(compiled, square, after)
            met["landed"] += told.river.kinds[square] == "L"
            met["unused"] += after.unused[seat] > 0
            met["fell"] += after.at.count(told.river.cave) > told.at.count(told.river.cave)
            met["drifted"] += any(
                one != other for one, other in zip(after.at[seat + 1 :], told.at[seat + 1 :], strict=True)
            )

    check()
    assert len(met) == 5
    assert min(met.values()) > 5, met


def assert_follows(compiled: Compiled, square: int, after: Phase4) -> None:
    """When the seat whose turn it is goes to `square`, all that is said in `after` follows."""
    record, players = compiled.record.copy(), compiled.players
    rules.apply_action(record[0], compiled.c, canyon.SQUARE + square)
    s = record[0]
    assert s["at"][:players].tolist() == after.at, after
    assert s["unused"][:players].tolist() == after.unused, after
    landed = any(after.river.kinds[there] == "L" for there in after.at)
    if after.turn < players:
        assert (s["phase"], s["turn"], s["round"]) == (canyon.MOVE, after.turn, 5)
    elif landed:
        assert (s["phase"], s["turn"], s["round"], s["dealer"]) == (canyon.OVER, 0, 5, players - 1)
    else:
        assert (s["phase"], s["turn"], s["round"], s["dealer"]) == (canyon.DEAL, 0, 6, 0)


# Boards that are odd, but can be played on.

ODD = {
    "one row": "WC3L88.6.4.SSSSSS",
    "26 columns": "L888888888888WC...........\n#.#.#.#.#.#.......#.SSSSSS",
    "one column": "L\n8\n8\n.\n.\nS\nS\nS\nS\nS\nS",
    "no waterfall": "; name: pond\nL..44.SS\nL.......\n....22SS\n#.....SS",
    "a cave, but no waterfall": "LC.SSS\nL..SSS",
    "exits listed": "; cave_exits: g0 a1\nL8W.C#....\n.88..#SSSS\n......SS..",
    "exits far from the cave": "; cave_exits: j0\nL8WC#....S\n.88##.SSSS\n......S...",
    "a landing stage as exit": "; cave_exits: a0\nL8WC#....S\n.88##.SSSS\n......S...",
    "cave in the middle": "LLL.....\n.8W8CW4S\n..666..S\nSSSS....",
    "landing stages beside arrows": "#L4L\n4L8L\n.9L7\nSSSS\nSSSS",
    "arrows to everything": "7W9C3L\n4L864#\n1.2S3L\nSSSSS.",
    "32 rows": "\n".join(["L#"] + ["8."] * 28 + ["SS"] * 3),
    "832 squares": "\n".join(["L" * 26] + ["8." * 13] * 15 + ["#." * 13] * 15 + ["S." * 13]),
    "crowded with docks": "LSSSSSSSSSSSSSSSSSSSSSSSSS\n" + "S" * 26,
}


@pytest.mark.parametrize("name", ODD)
def test_odd_boards(name: str) -> None:
    """Moves on them are those of the second set of rules, and a whole game can be played."""
    text, rng = ODD[name], np.random.default_rng(len(name))
    river, choices = River(text), 0
    afloat = [square for square, kind in enumerate(river.kinds) if kind not in "#WCL"]
    compiled = Compiled(text, 6, Params())
    for movement, stop_rule in itertools.product(MOVEMENTS, STOP_RULES):
        params = Params(movement, stop_rule)
        at = rng.permutation(afloat)[:6].tolist()
        if river.cave >= 0:
            at[5] = river.cave
        bids = rng.integers(0, 9, 6).tolist()
        tricks = [bid if rng.random() < 0.6 else int(rng.integers(9)) for bid in bids]
        compiled.set(params)
        told = Phase4(river, params, at, bids, tricks, [0] * 6, 0)
        choices += sum(set(found) != {at[seat]} for seat, found in check_ends(told, compiled).items())
    assert choices > 6

    game = games.load("canyon", players=3, board=text, max_rounds=4)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.box.s["phase"] in (canyon.DEAL, canyon.MOVE) and games.at_decision(state):
            again = games.state_from(games.position_of(state))
            assert again.box.record.tobytes() == state.box.record.tobytes()
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert sum(state.returns()) == pytest.approx(1)


def test_who_must_come_back_has_no_choice() -> None:
    """stop_rule=all_forced: two points, and one free square from which the only way is back; so the canoe stays."""
    text = "L.SSS"
    told = Phase4(River(text), Params(stop_rule="all_forced"), [2, 0, 3], [0, 1, 1], [2, 0, 0], [0] * 3, 0)
    found = check_ends(told, Compiled(text, 3, told.params))
    assert found[0] == {2: (2, 2)}
    told.tricks[0] = 3
    found = check_ends(told, Compiled(text, 3, told.params))
    assert found[0] == {1: (3, 3)}


def test_squares_that_have_no_way_out() -> None:
    """Water that is cut off from the finish can still be there, and a canoe on it can still move."""
    text = "L.SS\n####\n...4"
    river = River(text)
    told = Phase4(river, Params(), [2, 8], [1, 0], [0, 0], [0, 0], 0)
    compiled = Compiled(text, 2, Params())
    assert river.far[8] == FAR
    assert compiled.c["distance"][8] == canyon.FAR
    found = check_ends(told, compiled)
    assert [sorted(found[seat]) for seat in (0, 1)] == [[2], [8, 9]]


# Worked examples.


def move_from(
    at: str, bid: int, tricks: int, others: list[str], **params: Any
) -> tuple[games.State, dict[str, games.State]]:
    """The state in which P0 moves from `at`, and the states after it by the square that it went to."""
    size = max(bid, tricks, 1)
    seats = [{"square": at, "bid": bid, "tricks": tricks}]
    seats += [{"square": square, "bid": 0, "tricks": 0} for square in others or ["a13"]]
    seats[1]["tricks"] = size - tricks
    position = {"game": "canyon", "params": params, "round": 9 - size, "dealer": len(seats) - 1, "phase": "move",
                "to_act": 0, "players": seats}  # fmt: skip
    state = games.state_from(position)
    after = {move.text.split()[-1]: move.after() for move in games.moves(state)}
    return state, after


def unused_of(at: str, points: int, others: list[str], **params: Any) -> dict[str, int]:
    """Destinations with unused points by the second set of rules."""
    river = River(board_text())
    blocked = {river.number(other) for other in others}
    found = ends(river, river.number(at), blocked, points, Params(**params))
    return {
        river.name(square): points - (fewest if river.kinds[square] == "L" else most)
        for square, (fewest, most) in found.items()
    }


N7, N8 = {"n7": 1, "o7": 0, "m8": 0, "n8": 0, "o8": 0}, {"n8": 1, "m8": 0, "o8": 0, "m9": 0, "n9": 0, "o9": 0}


@pytest.mark.parametrize(
    ("at", "points", "others", "params", "wanted"),
    [
        ("a10", 1, ["a9", "a11"], {}, {"b9": 0, "b10": 0, "b11": 0}),
        ("n7", 1, ["o6"], {}, N7),
        ("n7", 1, ["o6"], {"stop_rule": "all_forced"}, {name: 0 for name in N7 if name != "n7"}),
        ("n7", 1, ["o6"], {"movement": "toward_goal"}, {"n7": 1, "o7": 0}),
        ("n7", 1, ["o6"], {"movement": "toward_goal", "stop_rule": "all_forced"}, {"o7": 0}),
        ("n8", 1, ["n7", "o7"], {}, N8),
        ("n8", 1, ["n7", "o7"], {"stop_rule": "all_forced"}, {name: 0 for name in N8 if name != "n8"}),
        ("cave", 1, ["e2", "a10"], {}, {"i1": 0, "j1": 0}),
    ],
    ids=["CAN-13", "CAN-14", "CAN-14 forced", "CAN-14 toward", "CAN-14 both", "CAN-15", "CAN-15 forced", "CAN-18"],
)
def test_destinations(at: str, points: int, others: list[str], params: dict[str, Any], wanted: dict[str, int]) -> None:
    """CAN-13 to CAN-15 and the way out of CAN-18: exactly these squares, with these unused points."""
    exact = {"bid": 0, "tricks": 0} if points == 1 else {}
    state, after = move_from(at, others=others, **exact, **params)
    assert canyon.points(state.box.s, state.game.c, 0) == points
    assert set(after) == set(wanted)
    assert unused_of(at, points, others, **params) == wanted


@pytest.mark.parametrize(
    ("at", "bid", "tricks", "points", "includes", "excludes"),
    [
        ("i2", 3, 5, 5, {"d1": 0, "d2": 0, "d3": 0, "d4": 0}, ["c2", "a2"]),
        ("d3", 2, 2, 3, {"a2": 0, "a3": 0, "a4": 0}, []),
        ("d3", 1, 1, 2, {"b2": 0, "b3": 0, "b4": 0, "d3": 0}, ["a2", "a3", "a4"]),
        ("c3", 2, 2, 3, {"a2": 1, "a3": 1, "a4": 1}, []),
    ],
    ids=["CAN-16", "CAN-17", "CAN-17 also", "nearer"],
)
def test_some_destinations(
    at: str, bid: int, tricks: int, points: int, includes: dict[str, int], excludes: list[str]
) -> None:
    """CAN-16 and CAN-17: into the rapids and through them, without a drift, and with these unused points."""
    state, after = move_from(at, bid, tricks, [])
    assert canyon.points(state.box.s, state.game.c, 0) == points
    assert not set(excludes) & set(after)
    told = unused_of(at, points, ["a13"])
    assert set(after) == set(told)
    for square, unused in includes.items():
        player = games.position_of(after[square])["players"][0]
        assert player["square"] == square
        assert player.get("unused", 0) == (unused if square[0] == "a" else 0)
        assert told[square] == unused


def test_no_single_move_has_more_ends_than_stated() -> None:
    """Section 13: 11 points from l9, nobody else on the river, lead to 99 squares."""
    _, after = move_from("l9", 8, 8, ["cave"])
    assert len(after) == 99
    river = River(board_text())
    lengths = {
        len(ends(river, square, set(), 11, Params()))
        for square in range(len(river.kinds))
        if river.is_water(square) and river.kinds[square] in ".S"
    }
    assert max(lengths) == 99


# What is wrong with a board, in one line that says where.

GOOD = ["#WWC##", "L88.SS", "L88.SS"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#WWC##\nL8?.SS\nL88.SS", ["row 1", "column c", "'?'"]),
        ("#WWC##\nL85.SS\nL88.SS", ["row 1", "column c", "'5'"]),
        ("#WWC##\nL 8.SS\nL88.SS", ["row 1", "column b", "' '"]),
        ("#WWC##\nl88.SS\nL88.SS", ["row 1", "column a", "'l'"]),
        ("#WWC##\nL88.SS\nL88.SS\n\t#####", ["row 3", "column a", r"'\t'"]),
        ("#WWC##\nL88.SS\nL88.S\N{SUPERSCRIPT TWO}", ["row 2", "column f"]),
        ("#WWC##\nL88.SS\nL88.S", ["row 2", "column f", "row 2 has 5 squares", "row 0 has 6"]),
        ("#WWC##\nL88.SSS\nL88.SS", ["row 1", "column g", "'S'", "row 1 has 7 squares", "row 0 has 6"]),
        ("#WWC##\n.88.SS\n.88.SS", ["landing stage L", "none"]),
        ("#WWC##\nL88...\nL88...", ["dock S", "none"]),
        ("#WWC##\nL88.S.\nL88...", ["2 docks S", "1"]),
        ("#WW###\nL88.SS\nL88.SS", ["row 0", "column b", "'W'", "cave C"]),
        ("#WWC##\nL88.SS\nL88CSS", ["row 2", "column d", "'C'", "second"]),
        ("#WWC##\nL88#SS\nL88#SS", ["row 1", "column e", "'S'", "no way"]),
        ("#WWC#S\nL88.##\nL88.SS", ["row 0", "column f", "'S'", "no way"]),
        ("C#W###\n##8.SS\nL88.SS", ["row 0", "column a", "'C'", "no way"]),
        ("#WW##C\nL88.##\nL88SSS", ["row 0", "column f", "'C'", "no way"]),
        ("; cave_exits: d1 z9\n#WWC##\nL88.SS", ["cave_exits", "'z9'"]),
        ("; cave_exits: a0\n#WWC##\nL88.SS", ["cave_exits", "'a0'"]),
        ("; cave_exits: d0\n#WWC##\nL88.SS", ["cave_exits", "'d0'"]),
        ("; cave_exits: cave\n#WWC##\nL88.SS", ["cave_exits", "'cave'"]),
        ("; cave_exits: b0\n#WWC##\nL88.SS", ["cave_exits", "'b0'"]),
        ("; cave_exits: d1, e1\n#WWC##\nL88.SS", ["cave_exits", "'d1,'"]),
        ("; cave_exits: d01\n#WWC##\nL88.SS", ["cave_exits", "'d01'"]),
        ("; cave_exits:\n#WWC##\nL88.SS", ["'C'", "no way"]),
        ("; cave_exits: f2\n#WWC##\nL88.SS\n######\n8...88", ["cave_exits", "'f2'"]),
        ("; cave_exits: f3\n#WWC##\nL88.SS\n######\n8...88", ["row 0", "column d", "'C'", "no way"]),
        ("L" + "." * 26 + "SS", ["row 0", "29 squares", "26"]),
        ("\n".join(["LSS"] * 33), ["rows", "33"]),
        ("", ["rows", "0"]),
        ("; name: nothing", ["rows", "0"]),
        ("canyon", ["canyon-reconstructed", "'canyon'"]),
        ("Canyon-Reconstructed", ["canyon-reconstructed", "'Canyon-Reconstructed'"]),
    ],
)
def test_wrong_boards(text: str, said: list[str]) -> None:
    """Refused as a parameter and in a position: one short line with row, column and character, or what is missing."""
    players = [{"square": "d1"}, {"square": "d2"}]
    position = {"game": "canyon", "round": 1, "dealer": 0, "phase": "deal", "players": players}
    for field, load in (
        ("board", lambda: games.load("canyon", players=2, board=text)),
        ("params.board", lambda: games.state_from(position | {"params": {"board": text}})),
    ):
        with pytest.raises(games.PositionError) as error:
            load()
        assert error.value.field == field
        assert len(str(error.value).splitlines()) == 1
        assert str(error.value).isprintable()
        assert len(str(error.value)) < 200
        for words in said:
            assert words in error.value.problem


@pytest.mark.parametrize("value", [None, 3, True, ["L.SS"], {"rows": []}, b"L.SS"])
def test_boards_that_are_no_text(value: Any) -> None:
    """The same one line."""
    with pytest.raises(games.PositionError) as error:
        games.load("canyon", players=2, board=value)
    assert error.value.field == "board"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(GOOD),
        "; name: creek\n; anything at all\n;\n\n#WWC##\n\nL88.SS\n; between rows\nL88.SS",
        "#WWC##  \r\nL88.SS\r\nL88.SS\r",
        "; name: creek # with 100 % of (odd), characters=1\n#WWC##\nL88.SS\nL88.SS",
        "; name: \N{SNOWMAN}\n#WWC##\nL88.SS\nL88.SS",
    ],
)
def test_comments_and_spaces(text: str) -> None:
    """They change nothing; and the text goes through parameters, positions and OpenSpiel as it was."""
    game = games.load("canyon", players=3, board=text)
    plain = games.load("canyon", players=3, board="\n".join(GOOD))
    assert game.constants.tobytes() == plain.constants.tobytes()
    position = games.position_of(games.deal(game.new_initial_state(), dealer=1))
    assert position["params"]["board"] == text
    again = games.state_from(position)
    assert games.position_of(again) == position
    assert again.game.constants.tobytes() == plain.constants.tobytes()
    assert str(again.game) == str(game)


def test_a_line_break_at_the_end_is_no_part_of_a_board() -> None:
    """YAML leaves one there."""
    text = "\n".join(GOOD)
    one, other = (games.load("canyon", players=2, board=board) for board in (text, text + "\n"))
    assert str(one) == str(other)


def test_a_board_for_fewer_players() -> None:
    """Docks are counted against the players that there are."""
    text = "L8.SSS"
    for players in (2, 3):
        games.load("canyon", players=players, board=text)
    for players in (4, 5, 6):
        with pytest.raises(games.PositionError, match=f"expected {players} docks S.* got 3"):
            games.load("canyon", players=players, board=text)


def test_docks_in_reading_order() -> None:
    """Section 3, dock_choice=false: row by row; on the default map from the top."""
    game = games.load("canyon", players=3, board="S.L.S\n.S...\nS...S", dock_choice=False)
    after = games.deal(game.new_initial_state(), dealer=0)
    assert [player["square"] for player in games.position_of(after)["players"]] == ["a0", "e0", "b1"]
    game = games.load("canyon", players=6, dock_choice=False)
    after = games.deal(game.new_initial_state(), dealer=5)
    position = games.position_of(after)
    assert [player["square"] for player in position["players"]] == ["a8", "a9", "a10", "a11", "a12", "a13"]
    assert position["phase"] == "deal"
