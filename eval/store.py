"""Where a tournament is kept: an SQLite file with a row for every finished game, written as it finishes.

| table | columns |
|---|---|
| `meta` | `key`, `value`: `format` (of this file), `config` (JSON) |
| `games` | the fields of `voyageur.eval.arena.Outcome`: `number`, `block`, `forfeit`, `reason`, and as JSON the lists |

Write-ahead logging with full synchronisation: what is in the file survives an end of the process or of power.
"""

import contextlib
import fcntl
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from voyageur.eval.arena import Outcome

FORMAT = 1

_COLUMNS = ("number", "block", "seating", "returns", "forfeit", "reason", "moves", "seconds")
_JSON = ("seating", "returns", "seconds")  # the moves are JSON already
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

    def __init__(self, path: str, db: sqlite3.Connection, lock: IO[str] | None = None) -> None:
        self.path = path
        self._db, self._lock = db, lock
        self._writer = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None

    @classmethod
    def create(cls, path: str, config: dict[str, Any]) -> "Store":
        """A new file; raises StoreError if there is one of that name."""
        if Path(path).exists():
            raise StoreError(f"store: {path} is there already; go on with --resume {path}, or name another file")
        # Under another name until it is whole, so that an end in the middle leaves no half of a store behind.
        begun = cls(f"{path}.new", _connect(f"{path}.new", "rwc"))
        with begun._errors("cannot be written"), begun._db:
            begun._db.executescript(f"DROP TABLE IF EXISTS meta; DROP TABLE IF EXISTS games; {_SCHEMA}")
            pairs = [("format", str(FORMAT)), ("config", json.dumps(config))]
            begun._db.executemany("INSERT INTO meta VALUES (?, ?)", pairs)
        begun.close()
        Path(begun.path).rename(path)
        return cls.open(path, write=True)

    @classmethod
    def open(cls, path: str, write: bool = False) -> "Store":
        """An existing file; raises StoreError if it is none of ours, OSError if it is not there."""
        with open(path, "rb") as file:
            if not file.read(1):  # which SQLite would make a database of
                raise StoreError(f"store: {path} is no tournament's store (it is empty)")
        with contextlib.closing(cls(path, _connect(path, "ro"))) as store:  # nothing changes in what is none
            found = store._meta("format")
        if found != str(FORMAT):
            raise StoreError(f"store: {path} has format {found}, expected {FORMAT}")
        return cls(path, _connect(path, "rw" if write else "ro"), _lock(path) if write else None)

    def config(self) -> dict[str, Any]:
        """What the tournament was set up with."""
        text = self._meta("config")
        try:
            return dict(json.loads(text))
        except (ValueError, TypeError):
            raise StoreError(f"store: {self.path}: config is not a JSON object") from None

    def add(self, outcome: Outcome) -> None:
        """Writes a finished game; one that is there already stays as it is.

        Comes back at once, since games can go on while the disk is waited for; whatever is done next with the store
        waits for it, and raises StoreError if the game could not be written.
        """
        self._settle()
        self._writing = self._writer.submit(self._write, outcome)

    def _write(self, outcome: Outcome) -> None:
        values = [getattr(outcome, name) for name in _COLUMNS]
        row = [json.dumps(value) if name in _JSON else value for name, value in zip(_COLUMNS, values, strict=True)]
        with self._errors("cannot be written"), self._db:
            self._db.execute(f"INSERT OR IGNORE INTO games VALUES ({', '.join('?' * len(row))})", row)

    def _settle(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

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
        try:
            self._settle()
        finally:
            self._writer.shutdown()
            self._db.close()
            if self._lock is not None:
                self._lock.close()

    def _outcome(self, row: Any) -> Outcome:
        values = dict(zip(_COLUMNS, row, strict=True))
        for name in _JSON:
            try:
                values[name] = json.loads(values[name])
            except (ValueError, TypeError):
                raise StoreError(f"store: {self.path}: game {values['number']}: {name} is not JSON") from None
        outcome = Outcome(**values)
        problem = _problem(outcome)
        if problem:
            raise StoreError(f"store: {self.path}: game {outcome.number}: {problem}")
        return outcome

    def _meta(self, key: str) -> str:
        rows = self._select("SELECT value FROM meta WHERE key = ?", (key,))
        if not rows:
            raise StoreError(f"store: {self.path} is no tournament's store (it says nothing of its {key})")
        return rows[0][0]

    def _select(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        self._settle()
        with self._errors("is no tournament's store"):
            return self._db.execute(query, values).fetchall()

    def _errors(self, problem: str) -> contextlib.AbstractContextManager[None]:
        return _errors(self.path, problem)


@contextlib.contextmanager
def _errors(path: str, problem: str) -> Iterator[None]:
    """SQLite's errors as one line."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise StoreError(f"store: {path} {problem} ({error})") from None


def _connect(path: str, mode: str) -> sqlite3.Connection:
    with _errors(path, "cannot be opened as a tournament's store"):
        db = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode={mode}", uri=True, check_same_thread=False)
        if mode != "ro":
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
        return db


def _lock(path: str) -> IO[str]:
    """Keeps others from writing as long as it is open; the end of the process ends it too."""
    lock = open(f"{path}.lock", "w")  # noqa: SIM115 - closed with the store; SQLite has locks of its own on the file
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise StoreError(f"store: {path} is being written by another process") from None
    return lock


def _problem(outcome: Outcome) -> str | None:
    """Why a row is no game, if it is none."""
    seats = len(outcome.seating) if isinstance(outcome.seating, list) else -1
    number = (int, float)
    for name in ("returns", "seconds"):
        values = getattr(outcome, name)
        if not (isinstance(values, list) and len(values) == seats):
            return f"{name}: expected a list, one for each seat"
    if not all(type(value) in number for value in outcome.returns):
        return "returns: expected numbers"
    if not all(isinstance(row, list) and all(type(value) in number for value in row) for row in outcome.seconds):
        return "seconds: expected lists of numbers"
    try:
        moves = outcome.steps()
    except (ValueError, TypeError):
        return "moves is not JSON"
    if not (isinstance(moves, list) and all(isinstance(move, list) and len(move) == 3 for move in moves)):
        return "moves: expected a list of seat, action and text"
    if outcome.forfeit is not None and outcome.forfeit not in range(seats):
        return "forfeit: expected a seat"
    return None
