"""Niagara in words: parameters, positions, texts and tensors (docs/games/niagara.md)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voyageur.games.niagara import rules as r
from voyageur.games.rules import CHANCE, Record
from voyageur.games.words import (
    Field,
    Info,
    Object,
    Parameter,
    Position,
    PositionError,
    Reading,
    Value,
    Words,
    maybe,
    options,
    switch,
    whole,
)

SPACES = ("SHORE", "S1", "S2", "S3", "S4", "S5", "L6", "L7", "R6", "R7", "FALLEN")
GEMS = ("AME", "DIA", "AMB", "SAP", "RUB")
CARDS: tuple[int | str, ...] = (1, 2, 3, 4, 5, 6, "CLOUD")
SIDES = ("LEFT", "RIGHT")
PHASES = ("setup", "recover", "choose", "act", "river", "over")
CANOES = ("a", "b")
HIDDEN = "?"
WATCHER = -1  # a seat that sees only what everybody sees

FIELDS = ("game", "params", "viewer", "round", "phase", "first_player", "weather", "fork", "players", "sites")
PLAYER_FIELDS = ("cards", "played", "acted", "canoes", "gems")
MAX_ROUND = 1_000_000
# A turn takes at most 2 canoes x 5 choices; a round, a recovery of 2 choices and a card besides.
ACTIONS_A_ROUND = 13
# Without a cap there is no longest game; OpenSpiel still wants a number.
UNCAPPED_ROUNDS = 100_000


def _any_seat(f: Field) -> int:
    if f.value in (None, "RANDOM", -1) and not isinstance(f.value, bool):
        return -1
    return f.integer(0, r.MAX_PLAYERS - 1)


PARAMETERS = (
    whole("players", 4, 3, r.MAX_PLAYERS, in_position=False),
    whole("gems_per_colour", 7, 1, 20),
    whole("initial_weather", 0, -1, 2, in_position=False),
    options("initial_fork", "LEFT", "RIGHT", "RANDOM", in_position=False),
    options("fork_mode", "ALTERNATE", "RANDOM"),
    whole("min_flow", 0, 0, 1),
    options("reveal", "SEQUENTIAL", "SIMULTANEOUS"),
    options("end_timing", "FINISH_PHASE2", "IMMEDIATE"),
    options("tiebreak", "COUNT_THEN_FIRST", "FIRST", "VALUE_SUM"),
    whole("max_recover_per_round", 1, 1, 2),
    switch("unload_any_site", True),
    switch("steal_requires_empty_move", True),
    switch("handle_after_steal", True),
    Parameter("first_player", -1, _any_seat, lambda value: None if value < 0 else value, in_position=False),
    maybe("max_rounds", 200, 0, 1, MAX_ROUND),
    switch("sequential", False, in_position=False),
)
IN_POSITION = tuple(p for p in PARAMETERS if p.in_position)


class Niagara(Words):
    """Niagara's words."""

    parameters = PARAMETERS

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        c = np.zeros(1, r.CONSTANTS)
        for name in ("players", "gems_per_colour", "initial_weather", "min_flow", "max_recover_per_round"):
            c[name] = params[name]
        for name in ("unload_any_site", "steal_requires_empty_move", "handle_after_steal", "sequential"):
            c[name] = params[name]
        c["first_player"], c["max_rounds"] = params["first_player"], params["max_rounds"]
        c["initial_fork"] = ("LEFT", "RIGHT", "RANDOM").index(str(params["initial_fork"]))
        c["random_pushes"] = params["fork_mode"] == "RANDOM"
        c["open_cards"] = params["reveal"] == "SIMULTANEOUS"
        c["immediate"] = params["end_timing"] == "IMMEDIATE"
        c["tiebreak"] = ("COUNT_THEN_FIRST", "FIRST", "VALUE_SUM").index(str(params["tiebreak"]))
        if c["first_player"][0] >= c["players"][0]:
            raise PositionError("first_player", f"expected a seat from 0 to {c['players'][0] - 1}")
        return c

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`."""
        r.setup(s, c)

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        players = int(params["players"])
        rounds = int(params["max_rounds"]) or UNCAPPED_ROUNDS
        begins = (params["first_player"] == -1) + (
            params["initial_fork"] == "RANDOM" and params["fork_mode"] != "RANDOM"
        )
        pushes = 8 * rounds if params["fork_mode"] == "RANDOM" else 0
        return Info(
            players=players,
            num_actions=r.NUM_ACTIONS,
            max_chance_outcomes=max(2, players),
            max_game_length=rounds * players * ACTIONS_A_ROUND,
            max_chance_nodes=begins + pushes,
            min_utility=0.0,
            max_utility=1.0,
            utility_sum=1.0,
            hides=True,
            simultaneous=not params["sequential"],
        )

    # Texts.

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        if player == CHANCE:
            if s["phase"] == r.SETUP and s["first"] < 0:
                return f"P{action} starts"
            return f"fork {SIDES[action]}"
        if action < r.WEATHER_DOWN:
            return f"card {CARDS[action]}"
        if action <= r.WEATHER_UP:
            weather = int(s["weather"]) + (1 if action == r.WEATHER_UP else -1)
            return f"weather to {weather:+d}" if weather else "weather to 0"
        if action < r.PASS:
            return f"canoe {CANOES[action - r.CANOE]}"
        plain = {r.PASS: "no more", r.NO_HANDLING: "no handling", r.UNLOAD: "unload", r.NO_THEFT: "no theft"}
        plain[r.DECLINE] = "pay nothing"
        if action in plain:
            return plain[action]
        if action < r.SWAP:
            return f"load {GEMS[action - r.LOAD]}"
        if action < r.MOVE:
            return f"swap for {GEMS[action - r.SWAP]}"
        if action < r.NO_THEFT:
            return f"to {_space(action - r.MOVE)}"
        if action < r.DECLINE:
            return f"rob {_canoe(action - r.THEFT)}"
        canoe, colour = divmod(action - r.PAY, r.COLOURS)
        return f"pay {GEMS[colour]} for {CANOES[canoe]}"

    def move_text(self, s: Record, c: Record, player: int, actions: Sequence[int]) -> str:
        """See `Words.move_text`; like `a: load AME, S3 > shore; b: shore > S4`."""
        parts: list[str] = []
        here, at_rest = "", False  # where the last canoe in `parts` began, and whether it is still there

        def close() -> None:
            if parts and parts[-1].endswith(": "):
                parts[-1] += "nothing more"
            elif at_rest:
                parts[-1] += f" on {here}"

        if s["phase"] == r.ACT and s["step"] != r.PICK:  # the rest of a turn that is under way
            here, at_rest = _space(s["at"][2 * player + s["canoe"]]), s["step"] == r.START
            parts.append(f"{CANOES[s['canoe']]}: ")
        for action in actions:
            if r.CANOE <= action < r.PASS:
                close()
                here, at_rest = _space(s["at"][2 * player + action - r.CANOE]), True
                parts.append(f"{CANOES[action - r.CANOE]}: ")
            elif r.MOVE <= action < r.NO_THEFT:
                at_rest = False
                parts[-1] = _with(parts[-1], f"{here} > {_space(action - r.MOVE)}")
            elif action in (r.PASS, r.NO_HANDLING, r.NO_THEFT) or (action == r.DECLINE and parts):
                continue
            elif r.UNLOAD <= action < r.DECLINE and parts:
                parts[-1] = _with(parts[-1], self.action_text(s, c, player, action))
            else:
                parts.append(self.action_text(s, c, player, action))
        close()
        return "; ".join(parts)

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`."""
        return json.dumps(_seen_fields(s, c, WATCHER) | _turn_fields(s), separators=(",", ":"))

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`."""
        card = int(s["played"][player])
        chosen = "none" if card == r.NOT_PLAYED else str(CARDS[card])
        return f"[P{player} holds {' '.join(map(str, _cards(s['hands'][player])))}; card {chosen}]"

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`."""
        seen = []
        if before["phase"] == r.CHOOSE:
            if player in actions:
                seen.append(f"P{player} card {CARDS[actions[player]]}")
            elif c["sequential"]:
                seen.append(f"P{next(iter(actions))} puts down a card.")
        else:
            for actor, action in actions.items():
                who = "" if actor == CHANCE else f"P{actor} "
                seen.append(f"{who}{self.action_text(before, c, actor, action)}.")
        for seat in range(int(c["players"])):
            shown = after["played"][seat] != r.NOT_PLAYED and not r.card_hidden(after, c, seat, WATCHER)
            was_shown = before["played"][seat] != r.NOT_PLAYED and not r.card_hidden(before, c, seat, WATCHER)
            if shown and not was_shown:
                seen.append(f"P{seat} shows {CARDS[after['played'][seat]]}.")
        return " ".join(seen)

    # Tensors.

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`."""
        n = int(c["players"])
        hands, shown = np.zeros((n, 7), np.float32), np.zeros((n, 9), np.float32)
        for seat in range(n):
            held, card = _hand_and_card(s, c, seat, WATCHER)
            hands[seat] = [held >> i & 1 for i in range(7)]
            shown[seat, card + 1] = 1
        gems = float(c["gems_per_colour"])
        return {
            "phase": _one_hot(s["phase"], len(PHASES)),
            "round": np.array([s["round"] / max(1, c["max_rounds"])], np.float32),
            "first": _one_hot(s["first"] + 1, n + 1),
            "turn": _one_hot(s["turn"], n + 1),
            "weather": _one_hot(s["weather"] + 1, 4),
            "fork": _one_hot(s["fork"], 3),
            "pushes": np.array([s["pushes"] / 8], np.float32),
            "hands": hands,
            "shown": shown,
            "at": _one_hot(s["at"][: 2 * n], len(SPACES)),
            "aboard": _one_hot(s["gem"][: 2 * n] + 1, r.COLOURS + 1),
            "owned": (s["owned"][:n] / gems).astype(np.float32),
            "sites": (s["sites"] / gems).astype(np.float32),
            "step": _one_hot(s["step"], 5),
            "canoes": np.array([s["canoe"], s["may"] & 1, s["may"] >> 1, s["must"] & 1, s["must"] >> 1], np.float32),
            "move": np.array([s["points"] / 6, s["handled"], s["upstream"] / 2], np.float32),
        }

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`."""
        hand = np.array([s["hands"][player] >> i & 1 for i in range(7)], np.float32)
        return {"own_hand": hand, "own_card": _one_hot(s["played"][player] + 1, 8)}

    # Positions.

    def read(self, position: Field) -> Reading:
        """See `Words.read`."""
        given = position.object(FIELDS)
        params: dict[str, Value] = {p.name: p.default for p in PARAMETERS}
        if "params" in given:
            written = given["params"].object([p.name for p in IN_POSITION])
            params |= {p.name: p.read(written[p.name]) for p in IN_POSITION if p.name in written}
        players = given["players"].items(3, r.MAX_PLAYERS)
        params["players"] = len(players)
        c = self.constants(params)
        s = np.zeros(1, r.STATE)
        r.setup(s, c)
        viewer = given["viewer"].integer(0, len(players) - 1) if "viewer" in given else None
        hides = _Reader(s[0], c[0], given, players, viewer).read()
        return Reading(params, s, viewer, hides)

    def write(self, s: Record, c: Record, viewer: int | None) -> Position:
        """See `Words.write`."""
        return _seen_fields(s, c, viewer)

    def deal(self, s: Record, c: Record, what: Mapping[str, Any]) -> list[int]:
        """See `Words.deal`: `sides` of the pushes, or at the very beginning `first_player` and `fork`."""
        if s["phase"] == r.RIVER:
            given = Field(what).object(["sides"])
            pushes = int(s["pushes"])
            return [SIDES.index(side.choice(SIDES)) for side in given["sides"].items(pushes, pushes)]
        given = Field(what).object(["first_player", "fork"])
        outcomes = []
        if s["first"] < 0:
            outcomes.append(given["first_player"].integer(0, int(c["players"]) - 1))
        if s["fork"] == r.RANDOM_FORK:
            outcomes.append(SIDES.index(given["fork"].choice(SIDES)))
        return outcomes

    def draw(self, s: Record, c: Record, viewer: int | None) -> Any:
        """See `Words.draw`."""
        from voyageur.games.niagara.drawing import board  # rich is slow to import, and seldom needed

        return board(s, c, viewer)


class _Reader:
    """Reads one position into record `s`; every check of docs/games/niagara.md, each naming its field."""

    def __init__(self, s: Any, c: Any, given: Object, players: list[Field], viewer: int | None) -> None:
        self.s, self.c, self.given, self.viewer = s, c, given, viewer
        self.n = len(players)
        self.fields = [player.object(PLAYER_FIELDS) for player in players]
        self.hidden: set[int] = set()
        self.acted = [False] * self.n

    def read(self) -> bool:
        """Fills the record; whether the position hides anything."""
        s, given = self.s, self.given
        s["round"] = given["round"].integer(1, MAX_ROUND) if "round" in given else 1
        phase = given["phase"].choice(PHASES[1:]) if "phase" in given else "choose"
        s["phase"] = PHASES.index(phase)
        s["first"] = given["first_player"].integer(0, self.n - 1) if "first_player" in given else 0
        s["weather"] = given["weather"].integer(-1, 2) if "weather" in given else 0
        fork = given["fork"].choice(SIDES) if "fork" in given else "LEFT"
        s["fork"] = r.LEFT if self.c["random_pushes"] else SIDES.index(fork)
        for seat in range(self.n):
            self._read_cards(seat)
            self._read_canoes(seat)
            if "acted" in self.fields[seat]:
                self.acted[seat] = self.fields[seat]["acted"].boolean()
        self._read_gems()
        self._check_hand_sizes()
        getattr(self, f"_check_{phase}")()
        self._check_canoes_and_goals()
        return bool(self.hidden)

    def _read_cards(self, seat: int) -> None:
        fields, s = self.fields[seat], self.s
        card = None
        if "played" in fields:
            card = fields["played"].choice((None, *CARDS, HIDDEN))
        if card is not None and s["phase"] in (r.RECOVER, r.CHOOSE):
            raise fields["played"].fail(f"nobody has played in phase {PHASES[s['phase']]}")
        if card is None and s["phase"] not in (r.RECOVER, r.CHOOSE):
            raise fields["played"].fail(f"expected this round's card in phase {PHASES[s['phase']]}")
        if card == HIDDEN:
            self._hide(seat)
        hand = 0
        if "cards" in fields:
            for item in fields["cards"].items(0, len(CARDS)):
                bit = 1 << CARDS.index(item.choice(CARDS))
                if hand & bit:
                    raise item.fail(f"card {item.value} is listed twice")
                hand |= bit
            if card in CARDS and hand >> CARDS.index(card) & 1:
                raise fields["cards"].fail(f"holds card {card}, which has just been played")
        else:
            hand = r.ALL_CARDS
            if card in CARDS:
                hand &= ~(1 << CARDS.index(card))
        if seat in self.hidden:
            if hand == 0:
                raise fields["cards"].fail("expected the cards that may lie face down")
            card = CARDS[(hand & -hand).bit_length() - 1]
            hand &= hand - 1
        s["hands"][seat] = hand
        s["played"][seat] = r.NOT_PLAYED if card is None else CARDS.index(card)

    def _hide(self, seat: int) -> None:
        field = self.fields[seat]["played"]
        if self.viewer is None:
            raise field.fail("a hidden card needs a viewer, the seat that does not know it")
        if self.s["phase"] != r.ACT or self.c["open_cards"]:
            raise field.fail("no card lies face down here")
        if seat == self.viewer:
            raise field.fail("the viewer knows the own card")
        self.hidden.add(seat)

    def _read_canoes(self, seat: int) -> None:
        if "canoes" not in self.fields[seat]:
            return
        canoes = self.fields[seat]["canoes"].object(CANOES)
        for i, name in enumerate(CANOES):
            if name not in canoes:
                continue
            canoe = canoes[name].object(("at", "gem"))
            k = 2 * seat + i
            space = canoe["at"].choice(SPACES) if "at" in canoe else "SHORE"
            gem = canoe["gem"].choice((None, *GEMS)) if "gem" in canoe else None
            if gem is not None and space in ("SHORE", "FALLEN"):
                raise canoe["gem"].fail(f"no gem can be aboard on {space}")
            self.s["at"][k] = SPACES.index(space)
            self.s["gem"][k] = r.NO_GEM if gem is None else GEMS.index(gem)

    def _counts(self, field: Field) -> list[int]:
        """An object colour: number as numbers in the order of the colours."""
        counts, limit = field.object(GEMS), int(self.c["gems_per_colour"])
        return [counts[gem].integer(0, limit) if gem in counts else 0 for gem in GEMS]

    def _read_gems(self) -> None:
        s, total = self.s, int(self.c["gems_per_colour"])
        for seat, fields in enumerate(self.fields):
            if "gems" in fields:
                s["owned"][seat] = self._counts(fields["gems"])
        sites = self.given["sites"].object(GEMS) if "sites" in self.given else None
        written = [sites is not None and gem in sites for gem in GEMS]
        for site, gem in enumerate(GEMS):
            s["sites"][site] = self._counts(sites[gem]) if sites is not None and written[site] else 0
        for colour, gem in enumerate(GEMS):
            known = int(s["owned"][:, colour].sum() + s["sites"][:, colour].sum() + (s["gem"] == colour).sum())
            if known > total or (written[colour] and known != total):
                raise PositionError(
                    f"sites.{gem}", f"there are {known} gems {gem} on the board and owned, expected {total}"
                )
            if not written[colour]:
                s["sites"][colour, colour] = total - known

    def _check_hand_sizes(self) -> None:
        sizes = [
            len(_cards(self.s["hands"][seat])) + (self.s["played"][seat] != r.NOT_PLAYED) for seat in range(self.n)
        ]
        for seat, size in enumerate(sizes):
            if size == 0:
                raise self.fields[seat]["cards"].fail("expected at least one card")
            if size != sizes[0]:
                raise self.fields[seat]["cards"].fail(
                    f"counting the card just played there are {size} cards, but {sizes[0]} in players[0]; "
                    "all hands have the same size"
                )

    def _seats(self) -> list[int]:
        """The seats in turn order."""
        return [(int(self.s["first"]) + i) % self.n for i in range(self.n)]

    def _order_of_acted(self) -> int:
        """How many have acted; they must come first in turn order."""
        order = [self.acted[seat] for seat in self._seats()]
        turn = sum(order)
        for seat, acted in zip(self._seats()[:turn], order, strict=False):
            if not acted:
                raise self.fields[seat]["acted"].fail("those who have acted come first in turn order")
        return turn

    def _check_recover(self) -> None:
        s = self.s
        for turn, seat in enumerate(self._seats()):
            fallen = (s["at"][2 * seat : 2 * seat + 2] == r.FALLEN).sum()
            if not self.acted[seat] and fallen and s["owned"][seat].any():
                s["turn"] = turn
                break
            if fallen == 2:
                raise self.fields[seat]["canoes"].fail("both canoes are FALLEN after the turn to recover one")
        else:
            raise self.given["phase"].fail("nobody has anything to decide in phase recover")
        for seat in self._seats()[turn + 1 :]:
            if self.acted[seat]:
                raise self.fields[seat]["acted"].fail("those who have acted come first in turn order")

    def _check_choose(self) -> None:
        for seat in range(self.n):
            if self.acted[seat]:
                raise self.fields[seat]["acted"].fail("nobody has acted in phase choose")

    def _check_act(self) -> None:
        self.s["turn"] = turn = self._order_of_acted()
        if turn == self.n:
            raise self.given["phase"].fail("everybody has acted, so it is no longer act")
        for seat in self._seats()[:turn]:
            if seat in self.hidden:
                raise self.fields[seat]["played"].fail("this card has been turned up, everybody knows it")
        self.s["covered"] = self._seats()[turn] in self.hidden

    def _check_river(self) -> None:
        self.s["turn"] = self._order_of_acted()
        if self.s["turn"] != self.n:
            raise self.given["phase"].fail("somebody has not acted, so it is not yet river")
        self.s["pushes"] = r.river_flow(self.s, self.c)
        if not self.c["random_pushes"] or self.s["pushes"] == 0:
            raise self.given["phase"].fail("river is a phase only with fork_mode RANDOM and a flow above 0")

    def _check_over(self) -> None:
        self.s["turn"] = self._order_of_acted()
        if self.s["turn"] != self.n and not self.c["immediate"]:
            raise self.given["phase"].fail("somebody has not acted, so it is not yet over")

    def _check_canoes_and_goals(self) -> None:
        s = self.s
        for seat in range(self.n):
            fallen = (s["at"][2 * seat : 2 * seat + 2] == r.FALLEN).all()
            acted = self.acted[seat]
            if fallen and s["phase"] in (r.CHOOSE, r.ACT):
                raise self.fields[seat]["canoes"].fail(f"both are FALLEN in phase {PHASES[s['phase']]}")
            if fallen and s["phase"] == r.RECOVER and not s["owned"][seat].any():
                raise self.fields[seat]["canoes"].fail("both are FALLEN and no gem is owned: one has come back free")
            ended = s["phase"] == r.OVER or (s["phase"] == r.ACT and acted and not self.c["immediate"])
            if r.meets_goal(s, seat) and not ended:
                raise self.fields[seat]["gems"].fail("meets a goal, so the game is over")


def _space(number: int) -> str:
    return "shore" if number == r.SHORE else SPACES[number]


def _canoe(k: int) -> str:
    return f"P{k // 2}{CANOES[k % 2]}"


def _with(part: str, more: str) -> str:
    return part + more if part.endswith(": ") else f"{part}, {more}"


def _cards(mask: int) -> list[int | str]:
    return [card for i, card in enumerate(CARDS) if mask >> i & 1]


def _hand_and_card(s: Record, c: Record, seat: int, viewer: int | None) -> tuple[int, int]:
    """Bit set of the hand and number of the card played as `viewer` sees them; card 7 is one face down."""
    hand, card = int(s["hands"][seat]), int(s["played"][seat])
    if viewer is not None and r.card_hidden(s, c, seat, viewer):
        return hand | 1 << card, len(CARDS)
    return hand, card


def _one_hot(values: Any, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[np.asarray(values, np.int64)]


def _seen_fields(s: Record, c: Record, viewer: int | None) -> Position:
    """The fields of a position as `viewer` sees it (None: everything), defaults left out."""
    n = int(c["players"])
    written: Position = {}
    if s["round"] != 1:
        written["round"] = int(s["round"])
    if s["phase"] != r.CHOOSE:
        written["phase"] = PHASES[s["phase"]]
    if s["first"] != 0:
        written["first_player"] = int(s["first"])
    if s["weather"] != 0:
        written["weather"] = int(s["weather"])
    if s["fork"] == r.RIGHT:
        written["fork"] = "RIGHT"
    written["players"] = [_player_fields(s, c, seat, viewer) for seat in range(n)]
    sites = {}
    for site, gem in enumerate(GEMS):
        if any(s["sites"][site, colour] for colour in range(r.COLOURS) if colour != site):
            sites[gem] = _named_counts(s["sites"][site])
    if sites:
        written["sites"] = sites
    return written


def _player_fields(s: Record, c: Record, seat: int, viewer: int | None) -> Position:
    hand, card = _hand_and_card(s, c, seat, viewer)
    hidden = card == len(CARDS)
    fields: Position = {}
    default = r.ALL_CARDS if hidden or card == r.NOT_PLAYED else r.ALL_CARDS & ~(1 << card)
    if hand != default:
        fields["cards"] = _cards(hand)
    if card != r.NOT_PLAYED:
        fields["played"] = HIDDEN if hidden else CARDS[card]
    if (seat - s["first"]) % c["players"] < s["turn"]:
        fields["acted"] = True
    canoes = {}
    for i, name in enumerate(CANOES):
        k = 2 * seat + i
        if s["at"][k] != r.SHORE:
            canoes[name] = {"at": SPACES[s["at"][k]]}
            if s["gem"][k] != r.NO_GEM:
                canoes[name]["gem"] = GEMS[s["gem"][k]]
    if canoes:
        fields["canoes"] = canoes
    if s["owned"][seat].any():
        fields["gems"] = _named_counts(s["owned"][seat])
    return fields


def _named_counts(counts: Any) -> dict[str, int]:
    return {gem: int(n) for gem, n in zip(GEMS, counts, strict=True) if n}


def _turn_fields(s: Record) -> dict[str, Any]:
    """What is going on inside a move, a deal or a draw of lots; empty at decision points."""
    names = ("step", "may", "must", "canoe", "points", "handled", "upstream", "pushes")
    inside = {name: int(s[name]) for name in names if s[name]}
    return {"turn": inside} if inside else {}
