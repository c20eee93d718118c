"""Following a game: what one seat knows (or somebody who sees everything), and how each event changes it.

An event is a seat and a text: `play B7`, `shows card 4`, or `?` for a choice that lies face down; or no seat, for what
chance does. `Known` is what is known at one moment. It says what must be entered next, lists what is possible, and
leads to what is known after an event; an event that cannot be is refused. So a game is a list of events, and to take
one back, or to change one, is to go through the list again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from voyageur.games import positions, rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game, State
from voyageur.games.table import Refusal
from voyageur.games.words import Position, shown

HIDDEN = "?"  # a choice that lies face down
SHOWS = "shows "


@dataclass(frozen=True)
class Ask:
    """What has to be entered next.

    Attributes:
      kind: `lot` (chance, one of few outcomes), `deal`, `choice` (at a simultaneous decision), `show` (a choice is
        turned up), `move`, or `over`.
      seat: whose event it is; None for chance and after the end.
      question: what to tell of a deal; else empty.
    """

    kind: str
    seat: int | None
    question: str = ""


@dataclass(frozen=True)
class Option:
    """Something that can be entered: its text, a key to type in its place, and the actions that it stands for."""

    text: str
    key: str
    actions: tuple[int, ...]


class Known:
    """What is known of a game at one moment.

    Attributes:
      game: the game.
      viewer: the seat that knows it, or None: everything is known.
      record: array of one record, a world that fits what is known.
      choices: at a simultaneous decision, the events of the seats that have chosen.
    """

    def __init__(
        self, game: Game, viewer: int | None, record: np.ndarray, choices: Mapping[int, str] | None = None
    ) -> None:
        self.game, self.viewer, self.record, self.choices = game, viewer, record, dict(choices or {})

    @classmethod
    def start(cls, game: Game, viewer: int | None) -> "Known":
        """What is known before the first event."""
        return cls(game, viewer, game.new_initial_state().box.record)

    @classmethod
    def at(cls, position: Position, viewer: int | None) -> "Known":
        """What a position says; raises PositionError if it is wrong, or does not say all that `viewer` knows."""
        if viewer is None:
            state = positions.state_from(position)
            return cls(state.game, None, state.box.record)
        return cls.of(positions.view_from(position, viewer))

    @classmethod
    def of(cls, view: positions.View) -> "Known":
        """What a view says."""
        return cls(view.game, view.player, view.record())

    @property
    def position(self) -> Position:
        """What is known as a position; raises PositionError between decision points."""
        return positions.position_of(self.state, self.viewer)

    @property
    def view(self) -> positions.View:
        """What the viewer knows, for solvers; raises ValueError where everything is known."""
        if self.viewer is None:
            raise ValueError("nobody's view: everything is known here")
        return positions.View(self.state, self.viewer)

    @property
    def state(self) -> State:
        """The world in `record` as a state without history."""
        return self.game.state_with(self.record)

    @cached_property
    def ask(self) -> Ask:
        """What has to be entered next."""
        s, c, table = self.record[0], self.game.c, self.game.definition.table
        player = int(rules.current_player(s, c))
        if player == TERMINAL:
            return Ask("over", None)
        if player == CHANCE:
            question = table.deal_question(s, c, self.viewer)
            return Ask("lot", None) if question is None else Ask("deal", None, question)
        if player == SIMULTANEOUS:
            return Ask("choice", self._chooser())
        showing = None if self.viewer is None else table.to_show(s, c, self.viewer)
        return Ask("move", player) if showing is None else Ask("show", showing)

    @cached_property
    def options(self) -> list[Option]:
        """What may be entered next; empty at a deal, which is told in words."""
        return self.options_of(self.ask.seat)

    def options_of(self, seat: int | None) -> list[Option]:
        """As `options`; at a simultaneous decision, of any seat."""
        possible = [option for option in self._conceivable(seat) if self._refusal(seat, option) is None]
        return [option if option.key else replace(option, key=str(i)) for i, option in enumerate(possible, 1)]

    def impossible_of(self, seat: int | None) -> list[tuple[Option, Refusal]]:
        """What has the right form to be entered of a seat, and cannot be, with the reasons."""
        found = [(option, self._refusal(seat, option)) for option in self._conceivable(seat)]
        return [(option, refusal) for option, refusal in found if refusal is not None]

    def recognize(self, seat: int | None, typed: str) -> str:
        """The text of the event of `seat` that somebody means who has typed this.

        A key, a whole text, or parts of a text that no other possible one has, in any order. Raises Refusal if it is
        none of them. What is recognized may still be refused by `after`.
        """
        words = typed.lower().split()
        if self.ask.kind in ("deal", "over") or typed == HIDDEN:
            return typed
        if not words:
            raise Refusal("expected what happened, got nothing")
        plain, options = " ".join(words), self.options_of(seat)
        for option in [*options, *self._conceivable(seat)]:
            if plain in (option.key, option.text.lower()):
                return option.text
        found = [option for option in options if all(word in option.text.lower() for word in words)]
        if len(found) == 1:
            return found[0].text
        if found:
            few = ", ".join(f"{option.key} ({option.text})" for option in found[:4])
            raise Refusal(f"{shown(typed)} fits {len(found)}: {few}{', …' if len(found) > 4 else ''}")
        keys = ", ".join(option.key for option in options[:12])
        raise Refusal(f"{shown(typed)} is not possible here; expected {keys}{', …' if len(options) > 12 else ''}")

    def after(self, seat: int | None, text: str) -> "Known":
        """What is known after an event; raises Refusal if it cannot be."""
        kind = self.ask.kind
        if kind == "over":
            raise Refusal("the game is over")
        if kind == "choice":
            return self._choose(seat, text)
        if seat != self.ask.seat:
            expected = "chance (a deal or a lot)" if self.ask.seat is None else f"P{self.ask.seat}"
            raise Refusal(f"it is the turn of {expected}" + ("" if seat is None else f", not of P{seat}"))
        if kind == "deal":
            return self._deal(text)
        actions, record = self._find(seat, text), rules.copied(self.record)
        s, c = record[0], self.game.c
        if seat is not None:
            self._fit(s, seat, actions[0])
        if kind != "show":
            before = rules.copied(record)
            for action in actions:
                rules.apply_action(s, c, action)
            if self.viewer is not None:
                rules.conceal(s, c, before[0], self.viewer)
        return Known(self.game, self.viewer, record)

    # What can be.

    def _conceivable(self, seat: int | None) -> list[Option]:
        """What has the right form here, whether it can be or not."""
        s, c, words, table = self.record[0], self.game.c, self.game.words, self.game.definition.table
        if self.ask.kind in ("deal", "over"):
            return []
        if seat is None:
            texts = [(words.action_text(s, c, CHANCE, outcome), outcome) for outcome, _ in self.state.chance_outcomes()]
            return [Option(text, _lot_key(text), (outcome,)) for text, outcome in texts]
        showing = self.ask.kind == "show"
        actions = table.face_down(s, c, seat) if showing else table.conceivable(s, c, self.viewer, seat)
        chains = positions.whole_moves(self.game, self.record, seat) if actions is None else [(a,) for a in actions]
        start = SHOWS if showing else ""
        return [
            Option(start + words.move_text(s, c, seat, chain), table.key(s, c, seat, chain[0]) or "", chain)
            for chain in chains
        ]

    def _refusal(self, seat: int | None, option: Option) -> Refusal | None:
        """Why a conceivable option of a seat cannot be, or None if it can."""
        try:
            if seat is not None:
                self._fit(rules.copied(self.record)[0], seat, option.actions[0])
        except Refusal as refusal:
            return refusal
        return None

    def _fit(self, s: rules.Record, seat: int, action: int) -> None:
        """Makes `action` possible in the world `s`, or shows it there; raises Refusal."""
        table = self.game.definition.table
        if self.ask.kind == "show":
            table.show(s, self.game.c, seat, action)
        else:
            table.fit(s, self.game.c, self.viewer, seat, action)

    def _find(self, seat: int | None, text: str) -> tuple[int, ...]:
        """The actions that `text` says; raises Refusal if they cannot be."""
        for option in self._conceivable(seat):
            if option.text == text:
                if (refusal := self._refusal(seat, option)) is not None:
                    raise refusal
                return option.actions
        raise Refusal(f"{shown(text)} is not possible here")

    # Simultaneous decisions.

    def _is_made(self, seat: int, choices: Mapping[int, str]) -> bool:
        """Whether nothing more is to be entered of the choice of `seat`."""
        return seat in choices and (choices[seat] != HIDDEN or self._stays_down)

    @property
    def _stays_down(self) -> bool:
        return self.viewer is not None and self.game.definition.table.stays_down(self.game.c)

    def _chooser(self) -> int:
        """The first seat whose choice is to be entered, the viewer before all others."""
        seats = sorted(range(self.game.info.players), key=lambda seat: (seat != self.viewer, seat))
        return next(seat for seat in seats if not self._is_made(seat, self.choices))

    def _choose(self, seat: int | None, text: str) -> "Known":
        """See `after`: one more seat has chosen; when all have, the game goes on."""
        if seat is None:
            raise Refusal("everybody chooses now, and nothing is dealt")
        if self._is_made(seat, self.choices) or text == self.choices.get(seat):
            raise Refusal(f"P{seat} has chosen already", (seat, (self.choices[seat],)))
        if text != HIDDEN:
            self._find(seat, text)
            if self._stays_down and seat != self.viewer:
                raise Refusal(f"the choice of P{seat} lies face down; expected {HIDDEN}")
        elif seat == self.viewer or self.viewer is None:
            raise Refusal(f"expected the choice of P{seat}, which is known here")
        choices = self.choices | {seat: text}
        seats = range(self.game.info.players)
        if self._stays_down and self.viewer in choices:
            choices = dict.fromkeys(seats, HIDDEN) | choices
        if all(self._is_made(other, choices) for other in seats):
            return self._together(choices)
        return Known(self.game, self.viewer, self.record, choices)

    def _together(self, choices: Mapping[int, str]) -> "Known":
        """What is known when everybody has chosen."""
        record, c, table = rules.copied(self.record), self.game.c, self.game.definition.table
        joint = np.zeros(self.game.info.players, np.int64)
        for seat, text in choices.items():
            hidden = text == HIDDEN
            joint[seat] = self.options_of(seat)[0].actions[0] if hidden else self._find(seat, text)[0]
            table.fit(record[0], c, self.viewer, seat, joint[seat])
        rules.apply_joint(record[0], c, joint)
        if self.viewer is not None and HIDDEN in choices.values():
            table.cover(record[0], c, self.viewer)
        return Known(self.game, self.viewer, record)

    def _deal(self, text: str) -> "Known":
        table, record = self.game.definition.table, rules.copied(self.record)
        try:
            outcomes = table.deal(record[0], self.game.c, self.viewer, text)
        except ValueError as error:
            raise Refusal(str(error)) from None
        for outcome in outcomes:
            rules.apply_action(record[0], self.game.c, outcome)
        return Known(self.game, self.viewer, record)


def _lot_key(text: str) -> str:
    """The key of a lot: the seat that it names, or the first letter of its last word."""
    seat = re.match(r"P(\d+) ", text)
    return seat[1] if seat else text.split()[-1][0].lower()


def as_seen(before: Known, event: tuple[int | None, str], after: Known, mine: Known) -> list[tuple[int | None, str]]:
    """An event that led from `before` to `after`, both complete, as the events that the seat of `mine` notices.

    `mine` is what that seat knows before it.
    """
    seat, _ = event
    table, c = before.game.definition.table, before.game.c
    if before.ask.kind == "deal":
        return [(None, table.deal_text(before.record[0], after.record[0], c, mine.viewer))]
    if before.ask.kind == "choice":
        if mine.ask.kind != "choice":  # the others' choices, which lie face down and were taken as made
            return []
        return [event if seat == mine.viewer or not table.stays_down(c) else (seat, HIDDEN)]
    if mine.ask.kind == "show" and seat is not None:
        card = before.game.words.action_text(before.record[0], c, seat, table.chosen(before.record[0], c, seat))
        return [(seat, SHOWS + card), event]
    return [event]
