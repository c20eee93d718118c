"""virta on the terminal: the river, the banks with their pawns, the spiral and a table of the players, of any board.

Everything is said in letters as well as in colour, so that it can be read from a file or a pipe.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from voyageur.games.rules import Record
from voyageur.games.virta import rules as r
from voyageur.games.virta.position import (
    PAWNS,
    area_name,
    carried,
    circle_name,
    counts_of,
    letter_name,
    parts_text,
    symbol_name,
)

WIDTH = 88  # wider drawings are no easier to read
STYLES = ("magenta", "bold cyan", "yellow", "bold blue", "bold red", "green", "bold magenta", "cyan")
NOTHING = "·"
DOING = {r.SPIRAL: "moves on the spiral", r.ACT: "acts on space"}


def board(s: Record, c: Record, viewer: int | None) -> RenderableType:
    """The position as seat `viewer` knows it (None: everything), at most as wide as the terminal."""
    sections: list[RenderableType] = [
        _headline(s, c),
        _river(s, c),
        _land(s, c),
        _spiral(s, c),
        _players(s, c, viewer),
        _legend(s, c, viewer),
    ]
    return Constrain(Group(*sections), WIDTH)


def _headline(s: Record, c: Record) -> Text:
    """Who is to do what, and when that will end."""
    phase, seat = int(s["phase"]), s["turn"]
    said = {r.OVER: "the game is over", r.SETUP: "the parts are being dealt"}.get(phase) or f"P{seat} {DOING[phase]}"
    if phase == r.ACT:
        said += f" {s['space'][seat]}: {symbol_name(c, s['space'][seat])}"
    turns = f" ({s['turns']} of {c['turn_limit']} turns are done)" if c["turn_limit"] else ""
    return Text.assemble((said, "bold"), turns)


def _title(words: str) -> Text:
    return Text(f"\n{words}", "dim")


class _Cells:
    """Short texts side by side, one below the other, in as many lines as it takes."""

    def __init__(self, cells: Sequence[Text]) -> None:
        self.cells = cells

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        width = 2 + max(cell.cell_len for cell in self.cells)
        number = max(1, (options.max_width - 1) // width)
        for first in range(0, len(self.cells), number):
            line = Text(" ")
            for cell in self.cells[first : first + number]:
                line.append_text(cell).append(" " * (width - cell.cell_len))
            yield line


# The river.


def _river(s: Record, c: Record) -> Group:
    """Every branch of the river from its first circle on, each circle with the part that it holds."""
    river, free = int(r.in_river(s, c)), r.free_flow_tokens(s, c)
    parts: list[RenderableType] = [_title(f"river: {river.bit_count()} parts; flow tokens free: {free}")]
    for circles in _branches(c):
        end = Text(f"> {circle_name(c, c['next'][circles[-1]])}", "dim")
        parts.append(_Cells([*(_circle(s, c, circle) for circle in circles), end]))
    return Group(*parts)


def _branches(c: Record) -> list[list[int]]:
    """The circles in the order in which they flow: from each source to the first circle that was there before."""
    sources = [i for i in range(c["circles"]) if c["feeder"][i] == r.NONE]
    branches: list[list[int]] = []
    seen: set[int] = set()
    for start in [*sources, *range(c["circles"])]:
        branch, circle = [], start
        while circle not in seen:
            seen.add(circle)
            branch.append(circle)
            circle = int(c["next"][circle])
        if branch:
            branches.append(branch)
    return branches


def _circle(s: Record, c: Record, circle: int) -> Text:
    return Text.assemble((f"{circle_name(c, circle)} ", "dim"), _part(s, c, circle))


def _part(s: Record, c: Record, circle: int) -> tuple[str, str]:
    """The letter in a circle, with its colour."""
    if not int(r.in_river(s, c)) >> circle & 1:
        return NOTHING, "dim"
    letter = int(r.letter_at(s, c, circle)) - 1
    return letter_name(c, letter), STYLES[letter]


# The land.


def _land(s: Record, c: Record) -> RenderableType:
    """Every area: who stands there, what it touches, and where one gets from there."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    for heading in ("area", "pawns", "touches, most downstream first", "next to"):
        table.add_column(heading)
    for area in range(c["areas"]):
        home = bool(c["homes"] >> area & 1)
        near = [area_name(c, other) for other in range(c["areas"]) if c["near"][area] >> other & 1]
        touched = Text("collection" if home else "", "dim")
        for circle in c["touch"][area]:
            if circle != r.NONE:
                touched.append_text(Text(" ") if touched else Text())
                touched.append_text(_circle(s, c, int(circle)))
        table.add_row(Text(area_name(c, area), "bold"), _standing(s, c, area), touched, Text(" ".join(near), "dim"))
    return Group("", table)


def _standing(s: Record, c: Record, area: int) -> Text:
    """The pawns on an area with what they carry."""
    pawns = []
    for seat in range(c["players"]):
        for pawn in range(c["pawns"]):
            if s["at"][seat, pawn] == area:
                load = parts_text(c, carried(s["load"][seat, pawn]))
                pawns.append(f"P{seat}{PAWNS[pawn]}" + (f"[{load}]" if load else ""))
    return Text(" ".join(pawns))


# The spiral.


def _spiral(s: Record, c: Record) -> Group:
    """Every space with its symbol and the action pawns on it."""
    cells = []
    for space in range(c["spaces"]):
        pawns = [f"P{seat}" for seat in range(c["players"]) if s["space"][seat] == space]
        brown = bool(c["brown"] >> space & 1)
        cell = Text.assemble((f"{space} ", "dim"), (symbol_name(c, space) + "~" * brown, "yellow" if brown else ""))
        cells.append(cell.append(f" {','.join(pawns)}", "bold") if pawns else cell)
    waiting = [f"P{seat}" for seat in range(c["players"]) if s["space"][seat] == r.NOT_PLACED]
    outside = f"; not yet placed: {', '.join(waiting)}" if waiting else ""
    restart = ", ".join(str(space) for space in range(c["spaces"]) if c["restart"] >> space & 1)
    return Group(_title(f"spiral, and from its centre back to {restart}{outside}"), _Cells(cells))


# The players.


def _players(s: Record, c: Record, viewer: int | None) -> RenderableType:
    """What every player has; of a pile that the viewer does not know, its size."""
    over = s["phase"] == r.OVER
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("", no_wrap=True)
    for heading in ("tokens", "flow"):
        table.add_column(heading, justify="right")
    for heading in ("delivered", "carried"):
        table.add_column(heading, min_width=len(heading))
    for heading in ("points", "score", *(("return",) if over else ())):
        table.add_column(heading, justify="right")
    shares = np.zeros(int(c["players"]))
    if over:
        r.returns(s, c, shares)
    for seat in range(c["players"]):
        hidden = viewer is not None and bool(s["piles"] >> seat & 1)
        pile = s["delivered"][seat] + s["unknown"][seat]
        loads = r.copies(s, c, seat) - pile
        tokens, flow_tokens, points = (str(s[name][seat]) for name in ("tokens", "flow_tokens", "points"))
        name = f" P{seat}" + ("*" if c["by_round"] and s["first"] == seat else "")
        delivered = Text(f"{r.total_of(pile)} face down") if hidden else _letters(c, pile)
        score = "?" if hidden else str(r.score(s, c, seat))
        row: list[RenderableType] = [name, tokens, flow_tokens, delivered, _letters(c, loads), points, score]
        table.add_row(*row, *([f"{shares[seat]:.3g}"] if over else []), style="bold" if _acts(s, seat) else "")
    return Group("", table)


def _acts(s: Record, seat: int) -> bool:
    return s["phase"] in DOING and s["turn"] == seat


def _letters(c: Record, packed: int) -> Text:
    """Counts as letters, equal ones side by side."""
    text = Text()
    for letter, number in enumerate(counts_of(packed, c["letters"])):
        if number:
            text.append(" " if text else "").append(parts_text(c, [letter] * number), STYLES[letter])
    return text or Text(NOTHING, "dim")


def _legend(s: Record, c: Record, viewer: int | None) -> Text:
    """What the signs mean."""
    lines = ["P1a[AB]: pawn a of P1, which carries A and B", "~: brown, the river flows   flow: flow tokens held"]
    if c["by_round"]:
        lines.append("*: flow tokens come back when this player's turn begins")
    if viewer is not None and s["piles"]:
        lines.append("face down: parts whose letters are not known, and so neither is the score")
    return Text("\n" + "\n".join(lines), "dim")
