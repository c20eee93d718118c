"""The record of a game at a table: a text file to which a line is added for everything that is entered.

docs/table.md describes the format. Nothing in the file is ever changed: to take something back, or to change it, is a
line too. So whoever reads the file up to any line has what had been entered by then.
"""

import fcntl
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from voyageur import games
from voyageur.games import files, positions
from voyageur.games.words import Field, PositionError, shown

FORMAT = "voyageur record 1"
TABLE, POSITION, RULES = "table", "position", "rules"
CHANGES = ("undo", "redo", "edit", "insert", "delete")
RESERVED = (TABLE, POSITION, RULES, *CHANGES, "game", "players", "knows", "plays")
MOST_ENTRIES = 100_000
MOST_BYTES = 64 * 1024 * 1024
NAME = re.compile(r"(?!p\d+$)[^\W_][\w .'-]{0,15}", re.IGNORECASE)  # P0, P1, … are what the games call the seats


class Event(NamedTuple):
    """Something that was entered: whose event (a seat, TABLE for chance, POSITION for a position set), and its text."""

    who: int | str
    text: str

    @property
    def seat(self) -> int | None:
        """The seat; None of chance and of a position."""
        return self.who if isinstance(self.who, int) else None


@dataclass(frozen=True)
class Header:
    """What a record says before the first entry.

    Attributes:
      game: the name of the game.
      names: of the players, by seat.
      me: the seat of whoever keeps the record.
      rules: the game's parameters that differ from their defaults, besides the number of players.
      everything: whether the entries say everything, not only what `me` could see.
      plays: who plays each seat, `me` or a solver; empty at a real table.
    """

    game: str
    names: tuple[str, ...]
    me: int
    rules: Mapping[str, Any] = field(default_factory=dict)
    everything: bool = False
    plays: tuple[str, ...] = ()

    def load(self) -> games.Game:
        """The game with its parameters; raises PositionError for parameters that it does not have."""
        Field(self.game, "game").choice(games.names())
        params = dict(self.rules)
        if "sequential" in params:
            raise PositionError("sequential", "not a rule of the table; whoever chooses at once does so here")
        if any(p.name == "players" for p in positions.definition(self.game).words.parameters):
            params = {"players": len(self.names)} | params
        game = games.load(self.game, **params)
        if game.num_players() != len(self.names):
            raise PositionError("players", f"{self.game} is for {game.num_players()} here, got {len(self.names)} names")
        return game

    def lines(self) -> list[str]:
        """The header as lines of the file."""
        said = [FORMAT, f"game: {self.game}", f"players: {', '.join(self.names)}", f"me: {self.names[self.me]}"]
        if self.everything:
            said.append("knows: all")
        if self.plays:
            said.append(f"plays: {', '.join(self.plays)}")
        return said + ([rules_line(self.rules)] if self.rules else [])

    def line(self, event: Event) -> str:
        """An event as a line of the file."""
        return f"{event.who if isinstance(event.who, str) else self.names[event.who]}: {event.text}"

    def event(self, line: str) -> Event:
        """The event that a line says; raises ValueError."""
        who, colon, text = line.partition(":")
        who, text = who.strip(), text.strip()
        if not colon or not text:
            raise ValueError(f"expected NAME: TEXT, got {shown(line)}")
        if who in (TABLE, POSITION):
            return Event(who, text)
        if who not in self.names:
            raise ValueError(
                f"expected one of {', '.join((*self.names, TABLE, POSITION))} before the colon, got {shown(who)}"
            )
        return Event(self.names.index(who), text)


def rules_line(rules: Mapping[str, Any]) -> str:
    """The line that says which rules the table plays by."""
    return f"{RULES}: {json.dumps(dict(rules), default=str)}"


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, if records can hold them; raises PositionError."""
    for i, name in enumerate(names):
        if not NAME.fullmatch(name) or name.lower() in RESERVED or name.split()[0] in CHANGES:
            raise PositionError(
                f"players[{i}]", f"expected a name of up to 16 letters, digits and spaces, got {shown(name)}"
            )
        if name.lower() in [other.lower() for other in names[:i]]:
            raise PositionError(f"players[{i}]", f"the name {shown(name)} occurs twice")
    return tuple(names)


@dataclass(frozen=True)
class Entries:
    """The entries that count, and those taken back that `redo` would bring again (the next one last)."""

    done: tuple[Event, ...] = ()
    undone: tuple[Event, ...] = ()

    def add(self, event: Event) -> "Entries":
        """One more entry; what was taken back is gone then."""
        return Entries((*self.done, event))

    def undo(self, n: int) -> "Entries":
        """The last `n` taken back; raises ValueError if there are not so many."""
        _within(n, len(self.done), "to take back")
        kept = len(self.done) - n
        return Entries(self.done[:kept], self.undone + self.done[kept:][::-1])

    def redo(self, n: int) -> "Entries":
        """The last `n` taken back brought again; raises ValueError if there are not so many."""
        _within(n, len(self.undone), "to bring back")
        kept = len(self.undone) - n
        return Entries(self.done + self.undone[kept:][::-1], self.undone[:kept])

    def change(self, how: str, number: int, event: Event | None) -> "Entries":
        """`edit` or `delete` entry `number`, counted from 1, or `insert` before it; raises ValueError."""
        _within(number, len(self.done), "to change")
        i, new = number - 1, () if event is None else (event,)
        return Entries((*self.done[:i], *new, *self.done[i + (how != "insert") :]))


def _within(n: int, most: int, what: str) -> None:
    if not 1 <= n <= most:
        raise ValueError(
            f"expected a number from 1 to {most}, the entries {what}, got {n}" if most else f"nothing {what}"
        )


@dataclass(frozen=True)
class Record:
    """What a record file says."""

    header: Header
    entries: Entries

    def with_line(self, line: str) -> "Record":
        """The record with one more line after the header; raises ValueError if it makes no sense."""
        word = line.split(maxsplit=1)[0]
        if line.startswith(f"{RULES}:"):
            return replace(self, header=replace(self.header, rules=_rules(line.partition(":")[2])))
        if word not in CHANGES or ":" in word:
            return replace(self, entries=self.entries.add(self.header.event(line)))
        found = re.fullmatch(r"(?:undo|redo|delete) (\d{1,9})|(?:edit|insert) (\d{1,9}) (.+)", line)
        if not found:
            raise ValueError(f"expected {word} N{' NAME: TEXT' if word in ('edit', 'insert') else ''}")
        number = int(found[1] or found[2])
        if word in ("undo", "redo"):
            return replace(self, entries=getattr(self.entries, word)(number))
        event = self.header.event(found[3]) if found[3] else None
        return replace(self, entries=self.entries.change(word, number, event))


def read(path: str | os.PathLike[str]) -> Record:
    """Reads a record; raises PositionError that names the line, and OSError.

    A last line without its end was being written when the writer died; it had not been confirmed and is left out.
    """
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    lines = content.split(b"\n")[:-1]
    if len(content) > MOST_BYTES or len(lines) > MOST_ENTRIES:
        raise PositionError("file", f"expected a record, of at most {MOST_ENTRIES} lines and {MOST_BYTES >> 20} MiB")
    if not lines or lines[0].strip() != FORMAT.encode():
        raise PositionError(
            "line 1", f"expected {FORMAT!r}, got {shown(lines[0][:40].decode(errors='replace') if lines else '')}"
        )
    texts = []
    for number, line in enumerate(lines, 1):
        try:
            texts.append(line.decode().strip())
        except UnicodeDecodeError:
            raise PositionError(f"line {number}", "not UTF-8 text") from None
    header, first = _read_header(texts)
    record = Record(header, Entries())
    for number, text in enumerate(texts[first:], first + 1):
        if not text or text.startswith("#"):
            continue
        try:
            record = record.with_line(text)
        except ValueError as error:
            raise PositionError(f"line {number}", str(error)) from None
    return record


def _read_header(lines: Sequence[str]) -> tuple[Header, int]:
    """The header, and how many lines it takes."""
    keys = ("game", "players", "me", "knows", "plays", RULES)
    given: dict[str, tuple[int, str]] = {}
    number = 1
    for line in lines[1:]:
        key, colon, value = line.partition(":")
        if line and not line.startswith("#"):
            if not colon or key not in keys or key in given:
                break
            given[key] = (number + 1, value.strip())
        number += 1
    for key in keys[:3]:
        if key not in given:
            raise PositionError("file", f"expected a line '{key}: …' in the header")

    def of(key: str, make: Any, default: str = "") -> Any:
        place, value = given.get(key, (0, default))
        try:
            return make(value)
        except ValueError as error:
            raise PositionError(f"line {place}", str(error)) from None

    names = of("players", lambda text: check_names([name.strip() for name in text.split(",")]))
    return Header(
        game=of("game", lambda text: positions.definition(text).name),
        names=names,
        me=of("me", lambda text: _one_of(text, names)),
        rules=of(RULES, _rules, "{}"),
        everything=bool(of("knows", lambda text: _one_of(text, ("own", "all")), "own")),
        plays=of("plays", lambda text: tuple(name.strip() for name in text.split(",") if name.strip())),
    ), number


def _one_of(text: str, choices: Sequence[str]) -> int:
    if text not in choices:
        raise ValueError(f"expected one of {', '.join(choices)}, got {shown(text)}")
    return choices.index(text)


def _rules(text: str) -> dict[str, Any]:
    if not text.strip().startswith("{"):
        raise ValueError(f'expected an object like {{"hook": true}}, got {shown(text)}')
    return files.parse(text.strip(), "an object with the game's parameters")


def rule(text: str) -> tuple[str, Any]:
    """NAME=VALUE as a parameter and its value; raises ValueError."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"expected NAME=VALUE, like max_rounds=20, got {text[:40]!r}")
    try:
        return name.strip(), files.parse(f"value: {value}", "a value")["value"]
    except PositionError:
        raise ValueError(f"{name.strip()}: expected a value like 3, true or [1, 2], got {shown(value)}") from None


class Writer:
    """Adds lines to a record file; each is on the disk before `add` returns."""

    def __init__(self, path: str | os.PathLike[str], header: Header | None) -> None:
        """Opens a new file that begins with `header`, or with None an existing one; raises OSError.

        A torn last line is cut off when a line is added. Raises ValueError if another one is open on the file.
        """
        self.path = Path(path)
        self._file = open(path, "xb" if header else "r+b", buffering=0)  # noqa: SIM115  (as long as the game lasts)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise ValueError(f"{path}: another program is writing this record") from None
        if header is None:
            self._file.seek(self.path.read_bytes().rfind(b"\n") + 1)
        else:
            self.add("\n".join(header.lines()) + "\n")

    def add(self, line: str) -> None:
        """Adds a line; raises OSError, and then the file ends as before."""
        begin, data = self._file.tell(), line.encode() + b"\n"
        try:
            self._file.truncate()
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            self._file.seek(begin)
            self._file.truncate()
            raise OSError(error.errno, error.strerror, str(self.path)) from None

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
