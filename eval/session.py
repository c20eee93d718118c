"""A game that is followed, entry by entry: what is known after each, and taking back, changing and replaying them."""

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voyageur import games
from voyageur.eval import record as records
from voyageur.eval.record import POSITION, TABLE, Entries, Event, Header, Record, Writer
from voyageur.games import files
from voyageur.games.following import Known, as_seen
from voyageur.games.table import Refusal


@dataclass(frozen=True)
class Moment:
    """The game after an entry.

    Attributes:
      event: the entry; None before the first.
      known: what the record says then: everything, or what its keeper knows.
      mine: what the keeper of the record knows then.
      noticed: the entry as the keeper noticed it.
    """

    event: Event | None
    known: Known
    mine: Known
    noticed: tuple[Event, ...] = ()


class Session:
    """A game at a table, and its record.

    Attributes:
      header: what game it is, who plays, whose knowledge it is.
      moments: the game before the first entry and after each one.
    """

    def __init__(self, header: Header, entries: Entries | None = None, writer: Writer | None = None) -> None:
        """Replays `entries`; raises Refusal (the first one that cannot be) or PositionError (the rules)."""
        self.header, self.writer = header, writer
        self._entries = entries or Entries()
        self.moments = self._replayed(header, self._entries.done, [])

    @classmethod
    def open(cls, path: str | os.PathLike[str], to_write: bool = False) -> "Session":
        """The session of a record file; with `to_write` it goes on there. Raises PositionError and OSError."""
        with contextlib.ExitStack() as stack:
            # Before it is read: whoever writes it now may add to it.
            writer = stack.enter_context(contextlib.closing(Writer(path, None))) if to_write else None
            record = records.read(path)
            try:
                session = cls(record.header, record.entries, writer)
            except Refusal as refusal:
                raise games.PositionError("", str(refusal)) from None
            stack.pop_all()
        return session

    @property
    def now(self) -> Moment:
        """The game after the last entry."""
        return self.moments[-1]

    @property
    def entries(self) -> tuple[Event, ...]:
        """The entries that count."""
        return self._entries.done

    @property
    def undone(self) -> tuple[Event, ...]:
        """The entries taken back, the last one first in line for `redo` at the end."""
        return self._entries.undone

    def save_as(self, path: str | os.PathLike[str]) -> None:
        """Writes the entries, those taken back too, to a new record and goes on there; raises OSError."""
        writer = Writer(path, self.header)
        for event in (*self.entries, *reversed(self.undone)):
            writer.add(self.header.line(event))
        if self.undone:
            writer.add(f"undo {len(self.undone)}")
        self.close()
        self.writer = writer

    def close(self) -> None:
        """Leaves the record to others; what is entered after that is not written."""
        if self.writer is not None:
            self.writer.close()
            self.writer = None

    # Changes. Each raises ValueError (a Refusal, where the rules object) or OSError (if the record cannot be written),
    # and then leaves everything as it was.

    def enter(self, event: Event) -> Moment:
        """Adds an entry."""
        moment = _next(self.header, self.now, event)
        self._write(self.header.line(event))
        self.moments.append(moment)
        self._entries = self._entries.add(event)
        return moment

    def undo(self, n: int = 1) -> None:
        """Takes the last `n` entries back."""
        entries = self._entries.undo(n)
        self._write(f"undo {n}")
        self._entries = entries
        del self.moments[len(self.entries) + 1 :]

    def redo(self, n: int = 1) -> None:
        """Brings the last `n` entries taken back again."""
        self._replay(f"redo {n}")

    def edit(self, number: int, event: Event) -> None:
        """Puts `event` in the place of entry `number`, counted from 1, and replays what follows."""
        self._replay(f"edit {number} {self.header.line(event)}")

    def insert(self, number: int, event: Event) -> None:
        """Puts `event` before entry `number` and replays what follows."""
        self._replay(f"insert {number} {self.header.line(event)}")

    def delete(self, number: int) -> None:
        """Leaves entry `number` out and replays what follows."""
        self._replay(f"delete {number}")

    def set_rule(self, name: str, value: Any) -> None:
        """Plays by another value of a parameter, from the beginning on."""
        if any(event.who == POSITION for event in self.entries):
            raise ValueError("a position has been set, with its own rules; set a position with other rules instead")
        self._replay(records.rules_line({**self.header.rules, name: value}))

    def since_deal(self) -> int:
        """How many entries there are from the last deal on; raises ValueError if there was none."""
        for n, before in enumerate(reversed(self.moments[:-1]), 1):
            if before.known.ask.kind == "deal":
                return n
        raise ValueError("nothing has been dealt")

    def recognize(self, typed: str, number: int | None = None) -> Event:
        """The entry that somebody means who has typed this, now or in the place of entry `number`; raises ValueError.

        A name and a colon before it say whose it is, where that is not the seat that is asked.
        """
        place = len(self.moments) if number is None else number
        if not 1 <= place <= len(self.moments):
            raise ValueError(f"expected the number of an entry, from 1 to {len(self.moments) - 1}, got {number}")
        known, typed = self.moments[place - 1].known, typed.strip()
        asked = known.ask.seat
        if known.ask.kind == "choice" and self.header.me not in known.choices:
            asked = self.header.me
        name, colon, rest = (part.strip() for part in typed.partition(":"))
        if colon and name.lower() == POSITION:
            return Event(POSITION, rest)
        if colon and name.lower() == TABLE:
            return self._meant(known, None, rest)
        try:
            return self._meant(known, asked, typed)
        except Refusal:
            seat = self._seat(name) if colon else None
            if seat is None:
                raise
            return self._meant(known, seat, rest)

    def _meant(self, known: Known, seat: int | None, text: str) -> Event:
        """The entry of `seat` that `text` means."""
        if known.ask.kind != "choice" and seat != known.ask.seat:
            known.after(seat, text)  # which says whose turn it is
        try:
            found = known.recognize(seat, text)
        except Refusal:
            by_name = text
            for other, name in enumerate(self.header.names):
                by_name = re.sub(rf"\b{re.escape(name)}\b", f"P{other}", by_name, flags=re.IGNORECASE)
            if by_name == text:
                raise
            found = known.recognize(seat, by_name)
        if known.ask.kind == "deal":
            after = known.after(None, found)
            found = known.game.definition.table.deal_text(known.record[0], after.record[0], known.game.c, known.viewer)
        return Event(TABLE if seat is None else seat, found)

    def _seat(self, typed: str) -> int | None:
        """The player of that name, or of the only name that begins so, or of P and that number."""
        low = typed.strip().lower()
        names = [name.lower() for name in self.header.names]
        found = [seat for seat, name in enumerate(names) if len(low) > 1 and name.startswith(low)]
        if low in names:
            return names.index(low)
        if re.fullmatch(r"p\d", low) and int(low[1]) < len(names):
            return int(low[1])
        return found[0] if len(found) == 1 else None

    def named(self, text: str) -> str:
        """A text of the game with the players' names in place of P0, P1, …"""
        return re.sub(r"\bP(\d)\b", lambda found: self._name(int(found[1])), text)

    def _name(self, seat: int) -> str:
        return self.header.names[seat] if seat < len(self.header.names) else f"P{seat}"

    def why_not(self, error: ValueError) -> str:
        """A refusal in one line, with the entry that it contradicts and the ways out."""
        number = self.number_of(error) if isinstance(error, Refusal) else None
        said = self.named(str(error))
        if number is None:
            return said
        line = self.header.line(self.moments[number].noticed[-1])  # in a game against bots, not all that it says
        ways = "" if self.header.everything else f": undo, or edit {number}"
        return f"{said}; that contradicts entry {number} ({line}){ways}"

    def number_of(self, refusal: Refusal) -> int | None:
        """The number of the last entry that `refusal` says it contradicts, or None."""
        if refusal.earlier is None:
            return None
        seat, texts = refusal.earlier
        for number in range(len(self.entries), 0, -1):
            event = self.entries[number - 1]
            dealt = self.moments[number - 1].known.ask.kind == "deal"
            same = event.seat == seat and event.who != POSITION and (seat is not None or dealt)
            if same and any(_is_like(event.text, text) for text in texts):
                return number
        return None

    def _replay(self, line: str) -> None:
        """Changes the entries as a line of the record does, and replays from the first that is another one."""
        changed = Record(self.header, self._entries).with_line(line)
        alike = 0
        if changed.header == self.header:
            for old, new in zip(self.entries, changed.entries.done, strict=False):
                if old != new:
                    break
                alike += 1
        moments = self._replayed(changed.header, changed.entries.done, self.moments[: alike + 1 if alike else 0])
        self._write(line)
        self.header, self._entries, self.moments = changed.header, changed.entries, moments

    @staticmethod
    def _replayed(header: Header, events: Sequence[Event], moments: list[Moment]) -> list[Moment]:
        """The moments of all `events`, of which the first ones are there; raises Refusal that names an entry."""
        if not moments:
            game = header.load()
            mine = Known.start(game, header.me)
            moments = [Moment(None, Known.start(game, None) if header.everything else mine, mine)]
        for number in range(len(moments), len(events) + 1):
            try:
                moments = [*moments, _next(header, moments[-1], events[number - 1])]
            except Refusal as refusal:
                line = header.line(events[number - 1])
                raise Refusal(f"entry {number} ({line}): {refusal}", refusal.earlier) from None
        return moments

    def _write(self, line: str) -> None:
        if self.writer is not None:
            self.writer.add(line)


def _next(header: Header, before: Moment, event: Event) -> Moment:
    """The moment after `event`; raises Refusal."""
    if not event.text.isprintable():
        raise Refusal("expected one line of plain text")
    if event.who == POSITION:
        known, mine = _set(header, event.text)
        return Moment(event, known, mine, (event,))
    known = before.known.after(event.seat, event.text)
    if not header.everything:
        return Moment(event, known, known, (event,))
    mine, noticed = before.mine, []
    for seat, text in as_seen(before.known, (event.seat, event.text), known, mine):
        mine = mine.after(seat, text)
        noticed.append(Event(TABLE if seat is None else seat, text))
    return Moment(event, known, mine, tuple(noticed))


def _set(header: Header, text: str) -> tuple[Known, Known]:
    """What is known, and what the keeper knows, after a position is set; raises Refusal."""
    try:
        position = files.parse(text, "a position")
        if position.get("viewer") is None and not header.everything:
            position = games.position_of(games.state_from(position), header.me)
            position.setdefault("viewer", header.me)
        known = Known.at(position, None if header.everything else header.me)
        mine = known
        if header.everything:
            mine = Known.of(games.view_of(known.state, header.me))
    except ValueError as error:
        raise Refusal(f"position: {error}") from None
    if known.game.num_players() != len(header.names) or known.game.definition.name != header.game:
        raise Refusal(f"position: expected one of {header.game} for {len(header.names)} players")
    return known, mine


def _is_like(text: str, pattern: str) -> bool:
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern
