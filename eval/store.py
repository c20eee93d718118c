"""Where a tournament is kept: an SQLite file with a row for every finished game, written as it finishes.

| table | columns |
|---|---|
| `meta` | `key`, `value`: `format` (of this file), `config` (JSON) |
| `games` | the fields of `voyageur.eval.arena.Outcome`: `number`, `block`, `forfeit`, `reason`, and as JSON the lists |

Write-ahead logging with full synchronisation: what is in the file survives an end of the process or of power.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voyageur.eval.arena import Outcome

FORMAT = 1

_COLUMNS = ("number", "block", "seating", "returns", "forfeit", "reason", "moves", "seconds")
_JSON = ("seating", "returns", "moves", "seconds")
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    number INTEGER PRIMARY KEY, block INTEGER NOT NULL, seating TEXT NOT NULL, returns TEXT NOT NULL,
    forfeit INTEGER, reason TEXT, moves TEXT NOT NULL, seconds TEXT NOT NULL
);
"""


class StoreError(ValueError):
    """A file that is no store, or that holds what no store holds; one line."""


class Store:
    """A tournament's file, open."""

    def __init__(self, path: str, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db

    @classmethod
    def create(cls, path: str, config: dict[str, Any]) -> "Store":
        """A new file; raises StoreError if there is one of that name."""
        if Path(path).exists():
            raise StoreError(f"store: {path} is there already; go on with --resume {path}, or name another file")
        # Under another name until it is whole, so that an end in the middle leaves no half of a store behind.
        begun = cls(f"{path}.new", _connect(f"{path}.new", "rwc"))
        with begun._db:
            begun._db.executescript(f"DROP TABLE IF EXISTS meta; DROP TABLE IF EXISTS games; {_SCHEMA}")
            pairs = [("format", str(FORMAT)), ("config", json.dumps(config))]
            begun._db.executemany("INSERT INTO meta VALUES (?, ?)", pairs)
        begun.close()
        Path(begun.path).rename(path)
        return cls.open(path, write=True)

    @classmethod
    def open(cls, path: str, write: bool = False) -> "Store":
        """An existing file; raises StoreError if it is none of ours, OSError if it is not there."""
        with open(path, "rb"):
            pass
        store = cls(path, _connect(path, "rw" if write else "ro"))
        found = store._meta("format")
        if found != str(FORMAT):
            raise StoreError(f"store: {path} has format {found}, expected {FORMAT}")
        return store

    def config(self) -> dict[str, Any]:
        """What the tournament was set up with."""
        text = self._meta("config")
        try:
            return dict(json.loads(text))
        except (ValueError, TypeError):
            raise StoreError(f"store: {self.path}: config is not a JSON object") from None

    def add(self, outcome: Outcome) -> None:
        """Writes a finished game; one that is there already stays as it is."""
        values = [getattr(outcome, name) for name in _COLUMNS]
        row = [json.dumps(value) if name in _JSON else value for name, value in zip(_COLUMNS, values, strict=True)]
        with self._db:
            self._db.execute(f"INSERT OR IGNORE INTO games VALUES ({', '.join('?' * len(row))})", row)

    def finished(self) -> set[int]:
        """The numbers of the games that are there."""
        return {number for (number,) in self._select("SELECT number FROM games")}

    def outcomes(self, moves: bool = False) -> Iterator[Outcome]:
        """All games in order; without their moves, which take long to read, unless asked for."""
        columns = [name if name != "moves" or moves else "'[]'" for name in _COLUMNS]
        for row in self._select(f"SELECT {', '.join(columns)} FROM games ORDER BY number"):
            yield self._outcome(row)

    def outcome(self, number: int) -> Outcome:
        """One game; raises StoreError if it is not there."""
        rows = self._select(f"SELECT {', '.join(_COLUMNS)} FROM games WHERE number = ?", (number,))
        if not rows:
            raise StoreError(f"game: {self.path} has no game {number}")
        return self._outcome(rows[0])

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    def _outcome(self, row: Any) -> Outcome:
        values = dict(zip(_COLUMNS, row, strict=True))
        for name in _JSON:
            try:
                values[name] = json.loads(values[name])
            except (ValueError, TypeError):
                raise StoreError(f"store: {self.path}: game {values['number']}: {name} is not JSON") from None
        return Outcome(**values)

    def _meta(self, key: str) -> str:
        rows = self._select("SELECT value FROM meta WHERE key = ?", (key,))
        if not rows:
            raise StoreError(f"store: {self.path} is no tournament's store (it says nothing of its {key})")
        return rows[0][0]

    def _select(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise StoreError(f"store: {self.path} is no tournament's store ({error})") from None


def _connect(path: str, mode: str) -> sqlite3.Connection:
    try:
        db = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode={mode}", uri=True)
        if mode != "ro":
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
    except sqlite3.OperationalError as error:
        raise StoreError(f"store: {path} cannot be opened ({error})") from None
    except sqlite3.DatabaseError as error:
        raise StoreError(f"store: {path} is no tournament's store ({error})") from None
    return db
