"""Boards of canyon: read from their text, checked, and turned into the tables that the rules use (section 2)."""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources

import numpy as np

from voyageur.games.canyon import rules as r
from voyageur.games.words import PositionError, shown

DEFAULT = "canyon-reconstructed"
ARROWS = {"1": (1, -1), "2": (1, 0), "3": (1, 1), "4": (0, -1), "6": (0, 1), "7": (-1, -1), "8": (-1, 0), "9": (-1, 1)}
BANK, CALM, DOCK, LANDING, WATERFALL, CAVE = "#.SLWC"
KINDS = (BANK, CALM, DOCK, *ARROWS, LANDING, WATERFALL, CAVE)
COLUMNS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Board:
    """A board that can be played on.

    Attributes:
      name: from its metadata, or empty.
      rows: one text a row, top first, all of one length.
      exits: squares that leave the cave, as numbers row by row from the top.
    """

    name: str
    rows: tuple[str, ...]
    exits: tuple[int, ...]

    @property
    def width(self) -> int:
        """Squares in a row."""
        return len(self.rows[0])

    @property
    def size(self) -> int:
        """Squares in all."""
        return self.width * len(self.rows)

    @cached_property
    def kinds(self) -> str:
        """The characters of all squares, row by row."""
        return "".join(self.rows)

    @property
    def docks(self) -> list[int]:
        """Squares of the docks in reading order."""
        return [square for square, kind in enumerate(self.kinds) if kind == DOCK]

    @property
    def cave(self) -> int:
        """Square of the cave, or -1."""
        return self.kinds.find(CAVE)

    def square_name(self, square: int) -> str:
        """`a9`, or `cave`."""
        row, column = divmod(square, self.width)
        return "cave" if square == self.cave else f"{COLUMNS[column]}{row}"

    def square(self, name: str) -> int:
        """The square of that name; -1 if there is none."""
        if name == "cave":
            return self.cave
        column, row = COLUMNS.find(name[:1] or "?"), name[1:]
        if not (row.isascii() and row.isdecimal() and str(int(row[:3])) == row and column >= 0):
            return -1
        inside = int(row) < len(self.rows) and column < self.width
        return int(row) * self.width + column if inside else -1

    def is_water(self, square: int) -> bool:
        """Whether it can be entered by paddling."""
        kind = self.kinds[square]
        return kind in (CALM, DOCK, LANDING) or kind in ARROWS

    def around(self, square: int, steps: tuple[tuple[int, int], ...] = r.DIRECTIONS) -> Iterator[int]:
        """The squares that `steps` lead to from `square`, those on the map."""
        row, column = divmod(square, self.width)
        for down, right in steps:
            if 0 <= row + down < len(self.rows) and 0 <= column + right < self.width:
                yield (row + down) * self.width + column + right

    def towards_goal(self, price: Callable[[int], float]) -> list[float]:
        """The least sum of prices of the squares that a way to a landing stage leaves, from each; FAR if none does."""
        found = [float(r.FAR)] * self.size
        heap = [(0.0, square) for square, kind in enumerate(self.kinds) if kind == LANDING]
        while heap:
            cost, square = heapq.heappop(heap)
            if cost >= found[square]:
                continue
            found[square] = cost
            for before in self.around(square):
                if self.is_water(before) and self.kinds[before] != LANDING:
                    heapq.heappush(heap, (cost + price(before), before))
        if self.cave >= 0 and self.exits:
            found[self.cave] = price(self.cave) + min(found[square] for square in self.exits)
        return found

    def drift(self, square: int) -> int:
        """Where the arrow of `square` leads: the square itself if nowhere, or FALL, or STILL without an arrow."""
        if self.kinds[square] not in ARROWS:
            return r.STILL
        for target in self.around(square, (ARROWS[self.kinds[square]],)):
            if self.kinds[target] == WATERFALL:
                return r.FALL
            if self.is_water(target):
                return target
        return square

    def falls_after(self, square: int) -> int:
        """How many drifts take a canoe from `square` over the waterfall; 0 if none do."""
        for drifts in range(1, self.size):
            target = self.drift(square)
            if target == r.FALL:
                return drifts
            if target in (r.STILL, square):
                return 0
            square = target
        return 0


@lru_cache
def load(text: str) -> Board:
    """The board in `text`, or the shipped one of that name; raises PositionError with row, column and character."""
    if text == DEFAULT:
        text = (resources.files(__package__) / f"{DEFAULT}.txt").read_text(encoding="utf-8")
    elif "\n" not in text and text[:1] != ";" and not set(text) <= set("".join(KINDS)):
        raise _wrong(f"expected {DEFAULT} or the text of a board, got {shown(text)}")
    metadata, rows = _parts(text)
    _check_shape(rows)
    found = Board(metadata.get("name", ""), tuple(rows), ())
    _check_numbers(found)
    found = Board(found.name, found.rows, _exits(found, metadata.get("cave_exits")))
    _check_ways(found)
    return found


def _wrong(problem: str) -> PositionError:
    return PositionError("board", problem)


def _at(board_row: int, column: int, kind: str) -> str:
    where = COLUMNS[column] if column < len(COLUMNS) else column + 1
    return f"row {board_row}, column {where}: {shown(kind) if kind else 'nothing'}"


def _parts(text: str) -> tuple[dict[str, str], list[str]]:
    """Metadata and rows."""
    metadata, rows = {}, []
    for line in text.split("\n"):
        line = line.rstrip()
        if line.startswith(";"):
            key, colon, value = line[1:].partition(":")
            if colon:
                metadata[key.strip()] = value.strip()
        elif line:
            rows.append(line)
    return metadata, rows


def _check_shape(rows: list[str]) -> None:
    if not 1 <= len(rows) <= r.MAX_ROWS:
        raise _wrong(f"expected 1 to {r.MAX_ROWS} rows, got {len(rows)}")
    for row, line in enumerate(rows):
        for column, kind in enumerate(line):
            if kind not in KINDS:
                raise _wrong(f"{_at(row, column, kind)} is no square; known are {' '.join(KINDS)}")
        if len(line) > r.MAX_COLUMNS:
            raise _wrong(f"row {row} has {len(line)} squares, at most {r.MAX_COLUMNS} are possible")
        if len(line) != len(rows[0]):
            short = min(len(line), len(rows[0]))
            kind = (line + rows[0])[short] if len(line) > short else ""
            problem = f"row {row} has {len(line)} squares, row 0 has {len(rows[0])}"
            raise _wrong(f"{_at(row, short, kind)}: {problem}; all rows have the same length")


def _check_numbers(found: Board) -> None:
    caves = found.kinds.count(CAVE)
    if LANDING not in found.kinds:
        raise _wrong(f"expected at least one landing stage {LANDING}, got none")
    if not found.docks:
        raise _wrong(f"expected a dock {DOCK} for every player, got none")
    if caves > 1:
        second = found.kinds.index(CAVE, found.cave + 1)
        raise _wrong(f"{_at(*divmod(second, found.width), CAVE)} is a second cave; one is possible")
    if WATERFALL in found.kinds and caves == 0:
        where = _at(*divmod(found.kinds.index(WATERFALL), found.width), WATERFALL)
        raise _wrong(f"{where} is a waterfall, so a cave {CAVE} is expected")


def _exits(found: Board, listed: str | None) -> tuple[int, ...]:
    """The squares that leave the cave: its neighbours, or those `listed` in the metadata."""
    if listed is None:
        if found.cave < 0:
            return ()
        return tuple(square for square in found.around(found.cave) if found.is_water(square))
    exits = []
    for name in listed.split():
        square = found.square(name)
        if square < 0 or not found.is_water(square):
            raise PositionError("board", f"cave_exits: expected squares that can be paddled on, got {shown(name)}")
        exits.append(square)
    return tuple(exits)


def _check_ways(found: Board) -> None:
    far = found.towards_goal(lambda square: 1.0)
    for square in (*found.docks, *([found.cave] if found.cave >= 0 else [])):
        if far[square] >= r.FAR:
            where = _at(*divmod(square, found.width), found.kinds[square])
            raise _wrong(f"{where} has no way to a landing stage {LANDING}")


def fill_tables(c: np.ndarray, found: Board, costs: list[float]) -> None:
    """Fills the board's part of `c` (array of one constants record); `costs` are those of the plain player."""
    docks = found.docks
    c["width"], c["height"], c["cave"], c["docks"] = found.width, len(found.rows), found.cave, len(docks)
    c["dock"][0, : len(docks)] = docks
    c["kind"][0, : found.size] = list(found.kinds.encode())
    far = [int(steps) for steps in found.towards_goal(lambda square: 1.0)]
    c["distance"][0, : found.size] = far
    c["cost"][0, : found.size] = costs
    c["drift"][0, : found.size] = [found.drift(square) for square in range(found.size)]
    for square in range(found.size):
        row, column = divmod(square, found.width)
        bit = 1 << column
        if found.is_water(square):
            c["water"][0, row + 1] |= bit
            for way, step in enumerate(r.DIRECTIONS):
                nearer = any(
                    far[there] < far[square] for there in found.around(square, (step,)) if found.is_water(there)
                )
                c["nearer"][0, way, row + 1] |= bit * nearer
        if found.kinds[square] == LANDING:
            c["landing"][0, row + 1] |= bit
        if square in found.exits:
            c["exits"][0, row + 1] |= bit
