"""virta's rules told once more, in plain Python on positions, step by step where the compiled ones reckon.

Random positions of random games, on boards drawn at random too, must lead to the same positions by both.
"""

import copy
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voyageur import games
from voyageur.games import rules

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = json.loads((ROOT / "games" / "virta" / "default_board.json").read_text(encoding="utf-8"))
PAWNS = "abcdef"
Load = tuple[str, ...]  # letters in order


def text(position: games.Position) -> str:
    """A position as text that is equal for equal positions."""
    return json.dumps(position, sort_keys=True)


class Model:
    """All that can follow from one position, by the rules as a person reads them."""

    def __init__(self, position: games.Position) -> None:
        self.before = position
        self.board = DEFAULT | position.get("params", {})
        self.seat = position["to_act"]
        self.found: set[str] = set()
        self.pawns = PAWNS[: self.board["pawns"]]
        self.banks = self.board["banks"]

    def outcomes(self) -> set[str]:
        """The positions after the decision, as texts."""
        if self.before["phase"] == "spiral":
            self.step()
        else:
            symbol = self.board["spiral"][self.me(self.before)["action"]][0]
            self.end_turn(self.changed(tokens=1))
            if symbol[0] == "+":
                self.end_turn(self.changed(tokens=int(symbol[1:])))
            elif symbol[0] == "F":
                self.walks(int(symbol[1:]))
            else:
                {"V": self.point, "G": self.arrow, "R": self.rakes}[symbol]()
        return self.found

    # Looking at positions and changing them.

    def me(self, position: games.Position) -> Any:
        """The player to act."""
        return position["players"][self.seat]

    def changed(self, tokens: int = 0) -> games.Position:
        """A copy of the position, in which the player to act has gained tokens."""
        after = copy.deepcopy(self.before)
        self.me(after)["tokens"] += tokens
        return after

    def at(self, seat: int, pawn: str) -> str:
        """The area of a pawn."""
        return self.before["players"][seat].get("pawns", {}).get(pawn, {}).get("at", self.board["pawn_start"])

    def load(self, pawn: str) -> Load:
        """What a pawn of the player to act carries."""
        return tuple(self.me(self.before).get("pawns", {}).get(pawn, {}).get("carries", ()))

    def put(self, after: games.Position, pawn: str, area: str, load: Load) -> None:
        """Puts a pawn of the player to act somewhere; in a collection place it delivers."""
        me = self.me(after)
        pawns = me.setdefault("pawns", {})
        pawns.pop(pawn, None)
        if area in self.board["collection"]:
            delivered = me.setdefault("delivered", {})
            for letter in load:
                delivered[letter] = delivered.get(letter, 0) + 1
            load = ()
        if area != self.board["pawn_start"]:
            pawns[pawn] = {"at": area} | ({"carries": sorted(load)} if load else {})
        for name in ("pawns", "delivered"):
            if not me.get(name, True):
                del me[name]

    def note(self, after: games.Position) -> None:
        """One more position that can follow."""
        for player in after["players"]:
            for name in ("points", "flow_tokens"):
                if player.get(name) == 0:
                    del player[name]
        self.found.add(text(after))

    def end_turn(self, after: games.Position) -> None:
        """Ends the turn: the end of the game, or flow tokens that come back to the next player."""
        limit = self.board["turn_limit"]
        if limit is not None:
            after["turns_done"] += 1
        if not after["river"] or (limit is not None and after["turns_done"] >= limit):
            after["phase"] = "over"
            del after["to_act"]
        else:
            after["phase"] = "spiral"
            after["to_act"] = (self.seat + 1) % len(after["players"])
            if self.board["flow_return"] == "own_turn":
                back = [after["to_act"]]
            else:
                back = list(range(len(after["players"]))) if after["to_act"] == after["first_player"] else []
            for seat in back:
                after["flow_free"] += after["players"][seat].pop("flow_tokens", 0)
        self.note(after)

    # The action pawn and the river.

    def step(self) -> None:
        """The spaces, each at its lowest price."""
        me = self.me(self.before)
        if me["action"] is None:
            self.land(0, 0)
            return
        taken = {p["action"] for i, p in enumerate(self.before["players"]) if i != self.seat} - {0, None}
        ahead = [space for space in range(me["action"] + 1, len(self.board["spiral"])) if space not in taken]
        prices = dict(zip(ahead, itertools.count(), strict=False))
        for space in self.board["restart_choices"]:
            if space not in taken:
                prices[space] = min(prices.get(space, len(ahead)), len(ahead))
        for space, price in prices.items():
            if price <= me["tokens"]:
                self.land(space, price)

    def land(self, space: int, price: int) -> None:
        """The action pawn on a space, and the flow that follows."""
        after = self.changed(-price)
        brown = self.board["spiral"][space][1] and self.me(self.before)["action"] is not None
        self.me(after)["action"] = space
        after["phase"] = "action"
        if brown and after["flow_free"]:
            after["flow_free"] -= 1
            self.me(after)["flow_tokens"] = self.me(after).get("flow_tokens", 0) + 1
            after["river"] = self.flowed(after["river"])
        self.note(after)

    def flowed(self, river: dict[str, str]) -> dict[str, str]:
        """The river after one flow: the right of way first, then whoever is stuck, then all others move."""
        following, first = self.board["next"], self.board["priority_feeder"]
        frozen = {
            c for c in river
            if following[c] in first and first[following[c]] != c and first[following[c]] in river
        }  # fmt: skip
        movers = set(river) - frozen
        while stuck := {c for c in movers if following[c] in river and following[c] not in movers}:
            movers -= stuck
        moved = {following[c] if c in movers else c: letter for c, letter in river.items()}
        assert len(moved) == len(river)
        return {c: moved[c] for c in self.board["circles"] if c in moved}

    # Plain actions.

    def point(self) -> None:
        """V."""
        after = self.changed()
        self.me(after)["points"] = self.me(after).get("points", 0) + 1
        self.end_turn(after)

    def arrow(self) -> None:
        """G."""
        for pawn, home in itertools.product(self.pawns, self.board["collection"]):
            if self.at(self.seat, pawn) not in self.board["collection"]:
                after = self.changed()
                self.put(after, pawn, home, self.load(pawn))
                self.end_turn(after)

    # Walks.

    def fits(self, load: Load) -> bool:
        """Whether a pawn can carry this."""
        return len(load) < 2 or (len(load) == 2 and not set(load) & set(self.board["large"]))

    def near(self, area: str) -> Iterator[str]:
        """The neighbours of an area."""
        yield from self.banks.get(area, {"near": []})["near"]
        if area in self.board["collection"]:
            yield from (bank for bank, about in self.banks.items() if area in about["near"])

    def walks(self, free: int) -> None:
        """Every walk of every pawn, area by area, with every redistribution; the cheapest way to each result."""
        budget = free + self.me(self.before)["tokens"]
        foreign = {
            self.at(seat, pawn) for seat in range(len(self.before["players"])) if seat != self.seat
            for pawn in self.pawns
        } - set(self.board["collection"])  # fmt: skip
        cheapest: dict[str, tuple[int, games.Position]] = {}
        now = text(self.me(self.before))
        for walker in self.pawns:
            start = self.at(self.seat, walker)
            own = {self.at(self.seat, pawn): pawn for pawn in self.pawns if pawn != walker}
            for home in self.board["collection"]:
                own.pop(home, None)
            loads = tuple(self.load(pawn) for pawn in self.pawns)
            level, seen = {(start, loads)}, {(start, loads)}
            for steps in range(1, budget + 1):
                level = {
                    (area, after)
                    for here, held in level
                    for area in self.near(here)
                    if area not in foreign
                    for after in self.redistributed(held, walker, own.get(area))
                } - seen
                if not level:
                    break
                seen |= level
                for area, after in level:
                    if area not in own:
                        self.result(walker, area, after, max(0, steps - free), cheapest)
        cheapest.pop(now, None)
        for price, after in cheapest.values():
            self.me(after)["tokens"] -= price
            self.end_turn(after)

    def redistributed(self, held: tuple[Load, ...], walker: str, met: str | None) -> set[tuple[Load, ...]]:
        """All loads after the walking pawn has met another (or nobody)."""
        found = {held}
        if met is None:
            return found
        one, other = PAWNS.index(walker), PAWNS.index(met)
        parts = held[one] + held[other]
        for chosen in itertools.product((True, False), repeat=len(parts)):
            first = tuple(sorted(part for part, mine in zip(parts, chosen, strict=True) if mine))
            second = tuple(sorted(part for part, mine in zip(parts, chosen, strict=True) if not mine))
            if self.fits(first) and self.fits(second):
                after = list(held)
                after[one], after[other] = first, second
                found.add(tuple(after))
        return found

    def result(
        self,
        walker: str,
        area: str,
        loads: tuple[Load, ...],
        price: int,
        cheapest: dict[str, tuple[int, games.Position]],
    ) -> None:
        """Notes what a walk leads to, unless it is known to be cheaper."""
        after = self.changed()
        for pawn, load in zip(self.pawns, loads, strict=True):
            self.put(after, pawn, area if pawn == walker else self.at(self.seat, pawn), load)
        key = text(self.me(after))
        if key not in cheapest or cheapest[key][0] > price:
            cheapest[key] = (price, after)

    # Rakes.

    def rakes(self) -> None:
        """Every rake, and every choice of what goes back."""
        river = self.before["river"]
        for pawn in self.pawns:
            touched = self.banks.get(self.at(self.seat, pawn), {"touch": []})["touch"]
            target = next((circle for circle in touched if circle in river), None)
            if target is None:
                continue
            new, load = river[target], self.load(pawn)
            large = set(self.board["large"])
            price = int(new in large)
            if price > self.me(self.before)["tokens"]:
                continue
            keeps = len(load) < 2 and not large & {new, *load}
            for order in {tuple(order) for order in itertools.permutations(load)}:
                after = self.changed(-price)
                if not load or keeps:
                    back: Load = ()
                elif new in large:
                    back = order
                else:
                    back = order[:1]
                kept = list(load)
                for letter in back:
                    kept.remove(letter)
                if price == 0 and back and back[0] == new:
                    continue
                del after["river"][target]
                spots = [target, *self.upstream(target)]
                for letter in back:
                    spot = next((circle for circle in spots if circle not in after["river"]), None)
                    if spot is None:
                        break
                    after["river"][spot] = letter
                else:
                    after["river"] = {c: after["river"][c] for c in self.board["circles"] if c in after["river"]}
                    self.put(after, pawn, self.at(self.seat, pawn), tuple(sorted([*kept, new])))
                    self.end_turn(after)

    def upstream(self, circle: str) -> list[str]:
        """The circles upstream of one, in order."""
        order, here = [circle], circle
        while True:
            feeders = [c for c in self.board["circles"] if self.board["next"][c] == here]
            here = self.board["priority_feeder"].get(here, feeders[0]) if feeders else None
            if here is None or here in order:
                break
            order.append(here)
        return order[1:] + [c for c in self.board["upstream_tail"] if c not in order]


# Random boards.


def random_board(dice: random.Random) -> dict[str, Any]:
    """A board of its own: a river with a loop or two, land with crossroads, another spiral, other parts."""
    parts = {letter: dice.randint(1, 3) for letter in dice.sample("ABCDEFXY", dice.randint(2, 5))}
    number = sum(parts.values()) + dice.randint(1, 6)
    circles = [f"c{i}" for i in range(number)]
    following = {f"c{i}": f"c{i + 1}" for i in range(number - 1)}
    joint = dice.randrange(number - 1)
    following[circles[-1]] = circles[joint]
    first = {f"c{joint}": dice.choice([circles[-1], f"c{joint - 1}"])} if joint else {}
    tail = circles[::-1]
    dice.shuffle(tail)
    collection = ["H", "J"][: dice.randint(1, 2)]
    banks: dict[str, dict[str, list[str]]] = {f"b{i}": {"near": [], "touch": []} for i in range(dice.randint(3, 9))}
    for name, about in banks.items():
        at = dice.randrange(number)
        about["touch"] = circles[max(0, at - dice.randint(0, 2)) : at + 1][::-1]
        for other in dice.sample(sorted(banks), 2):
            if other != name and other not in about["near"]:
                about["near"].append(other)
                banks[other]["near"].append(name)
        if dice.random() < 0.4:
            about["near"].append(dice.choice(collection))
    symbols = ["F2", "F3", "F1", "R", "R", "+1", "V", "G", "F4", "+12"]
    spiral = [["F2", dice.random() < 0.3]]
    spiral += [[dice.choice(symbols), dice.random() < 0.5] for _ in range(dice.randint(4, 12))]
    large = [letter for letter in parts if letter in "XY"]
    board = {
        "circles": circles, "next": following, "priority_feeder": first, "upstream_tail": tail,
        "collection": collection, "banks": banks, "spiral": spiral, "large": large, "parts": parts,
        "restart_choices": sorted({0, *dice.sample(range(len(spiral)), 3)}), "pawns": dice.randint(1, 4),
        "pawn_start": dice.choice(collection), "flow_tokens": dice.randint(0, 2),
        "flow_return": dice.choice(["own_turn", "round"]), "turn_limit": dice.choice([None, 60]),
    }  # fmt: skip
    return board if sum(parts.values()) < number else random_board(dice)


def random_positions(params: dict[str, Any], seed: int, turns: int) -> Iterator[games.Position]:
    """Positions on the way of one game, of random actions and sensible ones, with loads and tokens to spare."""
    state = games.load("virta", **params).new_initial_state()
    rng, bits, out = np.random.default_rng(seed), rules.make_rng(seed), np.zeros(state.game.rules.max_actions, np.int64)
    for _ in range(turns):
        while state.is_chance_node():
            outcomes, probs = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=probs)))
        if state.is_terminal():
            return
        if games.at_decision(state):
            yield games.position_of(state)
        player = state.current_player()
        n = rules.legal_actions(state.box.s, state.game.c, player, out)
        choice = out[rng.integers(n)]
        if rng.random() < 0.5:
            choice = rules.playout_action(state.box.s, state.game.c, player, out, n, bits)
        state.apply_action(int(choice))


def disturbed(position: games.Position, dice: random.Random) -> games.Position:
    """The position with more tokens, and with parts out of the river in the hands of pawns on banks."""
    position = copy.deepcopy(position)
    board = DEFAULT | position.get("params", {})
    for player in position["players"]:
        player["tokens"] += dice.choice([0, 0, 1, 3, 8])
        for pawn in player.get("pawns", {}).values():
            loose = list(position["river"])
            while loose[1:] and pawn["at"] not in board["collection"] and dice.random() < 0.6:
                circle = loose.pop(dice.randrange(len(loose)))
                load = sorted([*pawn.get("carries", []), position["river"][circle]])
                if len(load) > 2 or (len(load) == 2 and set(load) & set(board["large"])):
                    break
                pawn["carries"] = load
                del position["river"][circle]
    return position


def assert_same(position: games.Position) -> int:
    """The compiled rules lead where the model leads, each by one move; how many moves there are."""
    state = games.state_from(position)
    moves = games.moves(state)
    after = [text(games.position_of(move.after())) for move in moves]
    assert sorted(after) == sorted(Model(position).outcomes()), json.dumps(position)
    assert len({move.text for move in moves}) == len(moves)
    return len(moves)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_default_board(players: int) -> None:
    """Games on the board that is given."""
    dice, most = random.Random(players), 0
    for seed in range(4):
        params = {"players": players, "flow_return": dice.choice(["own_turn", "round"])}
        for position in random_positions(params, seed, 120):
            assert_same(position)
            most = max(most, assert_same(disturbed(position, dice)))
    assert most > 60


@pytest.mark.parametrize("seed", range(12))
def test_random_boards(seed: int) -> None:
    """Games on boards of all kinds, with any number of players and pawns."""
    dice = random.Random(seed)
    for _ in range(2):
        board = random_board(dice)
        for position in random_positions({"players": dice.randint(2, 4), **board}, seed, 60):
            assert_same(position)
            assert_same(disturbed(position, dice))


@pytest.mark.cases("virta", "outcomes")
def test_the_model_itself(case: dict[str, Any]) -> None:
    """The model agrees with the worked cases, too."""
    if "viewer" not in case["position"]:
        assert Model(case["position"]).outcomes() == {text(position) for position in case["outcomes"]}
