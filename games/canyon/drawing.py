"""Canyon on the terminal: the river with its canoes, a table of the players, and the tricks of the round.

Everything is said in letters and signs as well as in colour, so that it can be read from a file or a pipe. A square of
the river is three characters: the canoe on it, if any, and the sign of the square itself.
"""

from dataclasses import dataclass

import numpy as np
from rich import box
from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from voyageur.games.canyon import hidden
from voyageur.games.canyon import rules as r
from voyageur.games.canyon.board import ARROWS, BANK, CALM, CAVE, COLUMNS, DOCK, LANDING, WATERFALL
from voyageur.games.canyon.position import CARDS, HIDDEN, PHASES, SUITS, card_names, square_name, suit_names
from voyageur.games.rules import Record

WIDTH = 88  # wider tables are no easier to read
SQUARE, NEWS = 3, 26  # characters of a square, and of a line beside the river
LABEL, GAP = 2, 2  # characters of a row's number (one more where there is room), and between river and news

STYLES = dict(zip(SUITS, ("bold red", "green", "bold blue", "yellow", "magenta"), strict=True))
SIGNS = {BANK: "▒▒▒", WATERFALL: "≈≈≈", CALM: "·", DOCK: "S", LANDING: "L", CAVE: "C"}
SIGNS |= dict(zip("12346789", "↙↓↘←→↖↑↗", strict=True))
GROUND = {BANK: "dim", CALM: "cyan", DOCK: "yellow", LANDING: "bold green", CAVE: "bold magenta"}
RAPIDS = "bold blue"  # and the waterfall
LEGEND = {CALM: "water", DOCK: "dock", LANDING: "landing stage", CAVE: "cave", BANK: "bank", WATERFALL: "waterfall"}


def board_and_table(s: Record, c: Record, viewer: int | None) -> RenderableType:
    """The position as seat `viewer` knows it (None: everything), at most as wide as the terminal."""
    kinds = _kinds(c)
    top = _Top(_river(s, c, kinds), _news(s, c, viewer) + _legend(kinds))
    tables: list[RenderableType] = [Text(), _players(s, c, viewer)]
    if s["done"] or s["laid"]:
        tables += [Text(), _tricks(s, c)]
    return Group(top, Constrain(Group(*tables), WIDTH))


# The river.


@dataclass(frozen=True)
class _Top:
    """The river with the news beside it if both fit, else below it; as many columns side by side as fit.

    Attributes:
      river: the squares of each row, from the top.
      news: lines.
    """

    river: list[list[Text]]
    news: list[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = len(self.river[0])
        room = options.max_width - SQUARE * columns
        label = LABEL + 1 if room > LABEL else LABEL
        if room >= label + GAP + NEWS:
            grid = Table.grid(padding=(0, GAP))
            grid.add_row(self._part(0, columns, label), Text("\n").join(self.news))
            yield grid
            return
        fitting = max(1, (options.max_width - LABEL) // SQUARE)
        for first in range(0, columns, fitting):
            yield self._part(first, min(first + fitting, columns), label)
            yield Text()
        yield Columns(filter(None, self.news), column_first=True, padding=(0, GAP))

    def _part(self, first: int, end: int, label: int) -> Text:
        """The columns from `first` to before `end`, with their letters and the numbers of the rows."""
        letters = Text(" " * label + "".join(f"{letter:>{SQUARE}}" for letter in COLUMNS[first:end]))
        numbers = [f"{row:{LABEL}}".ljust(label) for row in range(len(self.river))]
        rows = [
            Text().join([Text(number), *cells[first:end]]) for number, cells in zip(numbers, self.river, strict=True)
        ]
        return Text("\n", no_wrap=True).join([letters, *rows])


def _kinds(c: Record) -> str:
    """The characters of all squares, row by row, as in a board file."""
    return "".join(map(chr, c["kind"][: c["width"] * c["height"]]))


def _river(s: Record, c: Record, kinds: str) -> list[list[Text]]:
    """The squares of the river, row by row."""
    on = {int(s["at"][seat]): seat for seat in range(c["players"]) if s["at"][seat] != c["cave"]}
    cells = [_cell(kind, on.get(square)) for square, kind in enumerate(kinds)]
    width = int(c["width"])
    return [cells[first : first + width] for first in range(0, len(cells), width)]


def _cell(kind: str, seat: int | None) -> Text:
    """A square with the canoe of `seat` on it."""
    canoe = ("  ", "") if seat is None else (f"P{seat}", "bold reverse")
    sign = (SIGNS[kind], GROUND.get(kind, RAPIDS))
    return Text.assemble(sign) if len(SIGNS[kind]) == SQUARE else Text.assemble(canoe, sign)


def _legend(kinds: str) -> list[Text]:
    """What the signs mean, those that occur."""
    lines = [f"{SIGNS[kind]} {meaning}" for kind, meaning in LEGEND.items() if kind in kinds]
    arrows = [SIGNS[kind] for kind in ARROWS if kind in kinds]
    if arrows:
        lines += [f"{''.join(arrows)} rapids and current", f"P0{arrows[0]} canoe on the rapids"]
    return [Text(line, "dim") for line in lines]


# What goes on.


def _news(s: Record, c: Record, viewer: int | None) -> list[Text]:
    """Lines about the round."""
    cap = f" of at most {c['max_rounds']}" if c["max_rounds"] else ""
    in_cave = [f"P{seat}" for seat in range(c["players"]) if s["at"][seat] == c["cave"] != r.NONE]
    lines = (
        f"round {s['round']}{cap}",
        f"{PHASES[s['phase']]}: {_who(s, c)}",
        "" if viewer is None else f"as P{viewer} knows it",
        f"trump {CARDS[s['trump']]}" if s["trump"] != r.NONE else "",
        _cards_and_bids(s, c),
        f"cave: {' '.join(in_cave)}" if in_cave else "",
    )
    return [_text(line) for line in lines if line] + [Text()]


def _cards_and_bids(s: Record, c: Record) -> str:
    """How many cards everybody gets, and how they compare with the bids."""
    if s["phase"] == r.OVER:
        return ""
    dealt = f"{_count(r.hand_size(s['round']), 'card')} each"
    bids = [int(s["bid"][seat]) for seat in range(c["players"])]
    if s["phase"] in (r.PLAY, r.MOVE) or (s["phase"] == r.BID and not c["simultaneous"]):
        return f"{dealt}, bids {sum(bid for bid in bids if bid != r.NONE)}"
    return dealt


def _who(s: Record, c: Record) -> str:
    """Who has to decide what, or what chance does."""
    phase = int(s["phase"])
    if phase in (r.SETUP, r.DEAL, r.OVER):
        return {r.SETUP: "lots are drawn", r.DEAL: "cards are dealt", r.OVER: "the game is over"}[phase]
    seats = _deciding(s, c)
    if len(seats) > 1:
        return "all at once"
    if phase == r.MOVE:
        return f"P{seats[0]}, {_count(r.points(s, c, seats[0]), 'point')}"
    return f"P{seats[0]}"


def _deciding(s: Record, c: Record) -> list[int]:
    """The seats that have to decide now."""
    if s["phase"] == r.BID and c["simultaneous"] and not c["sequential"]:
        return list(range(c["players"]))
    seat = int(r.current_player(s, c))
    return [seat] if seat >= 0 else []


# The players.


def _players(s: Record, c: Record, viewer: int | None) -> Table:
    """Where every player is, what he has bid, won and holds, and what his canoe may get for it."""
    columns = _columns(s, c, viewer)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for name in columns:
        justify: JustifyMethod = "left" if name in ("", "square", "out of", "hand") else "right"
        table.add_column(name, justify=justify, no_wrap=name == "")
    deciding = _deciding(s, c)
    for seat in range(c["players"]):
        table.add_row(*(column[seat] for column in columns.values()), style="bold" if seat in deciding else "")
    return table


def _columns(s: Record, c: Record, viewer: int | None) -> dict[str, list[Text]]:
    """The columns of the table of players that say something in this phase."""
    phase, seats = int(s["phase"]), range(c["players"])
    texts = {"": [_seat(s, c, seat) for seat in seats]}
    if phase == r.OVER:
        places = np.zeros(c["players"], np.int64)
        r.places(s, c, places)
        texts["place"] = [str(place) for place in places]
    texts["square"] = [_square(s, c, seat) for seat in seats]
    texts["to goal"] = [_distance(s, c, seat) for seat in seats]
    if phase in (r.BID, r.PLAY, r.MOVE):
        texts["bid"] = [_bid(s, c, seat, viewer) for seat in seats]
    if phase in (r.PLAY, r.MOVE):
        texts["won"] = [str(s["tricks"][seat]) for seat in seats]
    if phase == r.BID or phase == r.PLAY:
        texts["if exact"] = [_hope(s, c, seat, viewer) for seat in seats]
    if phase == r.PLAY:
        texts["out of"] = [" ".join(suit_names(s["void"][seat])) for seat in seats]
    if phase == r.MOVE:
        texts["points"] = [_points(s, c, seat) for seat in seats]
    if phase == r.OVER:
        texts["points left"] = [str(s["unused"][seat]) if r.landed(s, c, seat) else "" for seat in seats]
    if hidden.hand_seen(s):
        texts["hand"] = [_hand(s, c, seat, viewer) for seat in seats]
    return {name: [_text(text) for text in column] for name, column in texts.items()}


def _seat(s: Record, c: Record, seat: int) -> str:
    """The seat, marked if it has to decide, and its part in the round."""
    parts = []
    if s["dealer"] != r.NONE and s["phase"] != r.OVER:
        roles = {"dealer": s["dealer"], "starts": r.starter(s, c)}
        parts = [role for role, holder in roles.items() if holder == seat]
    return f"{'>' if seat in _deciding(s, c) else ' '}P{seat} {', '.join(parts)}".rstrip()


def _square(s: Record, c: Record, seat: int) -> str:
    return "-" if s["at"][seat] == r.NONE else square_name(c, s["at"][seat])


def _distance(s: Record, c: Record, seat: int) -> str:
    """Steps to the nearest landing stage."""
    return "-" if s["at"][seat] == r.NONE else str(c["distance"][s["at"][seat]])


def _bid(s: Record, c: Record, seat: int, viewer: int | None) -> str:
    if s["bid"][seat] == r.NONE:
        return "-"
    return HIDDEN if _bid_hidden(s, c, seat, viewer) else str(s["bid"][seat])


def _bid_hidden(s: Record, c: Record, seat: int, viewer: int | None) -> bool:
    return viewer is not None and bool(hidden.bid_hidden(s, c, seat, viewer))


def _hope(s: Record, c: Record, seat: int, viewer: int | None) -> str:
    """The points that the canoe gets if the seat wins what it has bid, or that this cannot be any more."""
    bid = int(s["bid"][seat])
    if bid == r.NONE or _bid_hidden(s, c, seat, viewer):
        return ""
    if not 0 <= bid - s["tricks"][seat] <= hidden.hand_left(s, c, seat):
        return "missed"
    return str(c["bonus"][bid] + (0 if r.on_rapids(s, c, seat) else bid))


def _points(s: Record, c: Record, seat: int) -> str:
    """With how many points the canoe moves in this round, or what is left of them."""
    if (seat - r.starter(s, c)) % c["players"] < s["turn"]:
        return f"{s['unused'][seat]} left" if r.landed(s, c, seat) else "moved"
    if c["drift"][s["at"][seat]] != r.STILL and s["bid"][seat] != s["tricks"][seat]:
        return "drifts"
    return str(r.points(s, c, seat))


def _hand(s: Record, c: Record, seat: int, viewer: int | None) -> str:
    """The cards of the seat, or how many they are."""
    if viewer in (None, seat):
        return " ".join(card_names(s["hands"][seat])) or "-"
    return _count(hidden.hand_left(s, c, seat), "card")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


# The tricks.


def _tricks(s: Record, c: Record) -> Table:
    """The tricks of the round, each card under the seat that has played it."""
    n = int(c["players"])
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for name in ("trick", "led by", *(f"P{seat}" for seat in range(n)), "won by"):
        table.add_column(name)
    leader = int(r.starter(s, c))
    for i in range(s["done"]):
        cards = s["past"][i, :n]
        winner = _winner(s, c, leader, cards)
        table.add_row(str(i + 1), f"P{leader}", *_laid(c, leader, cards), f"P{winner}")
        leader = winner
    if s["laid"]:
        cards = s["current"][: s["laid"]]
        best = f"P{_winner(s, c, leader, cards)} so far"
        table.add_row(str(s["done"] + 1), f"P{leader}", *_laid(c, leader, cards), best, style="bold")
    return table


def _winner(s: Record, c: Record, leader: int, cards: np.ndarray) -> int:
    """The seat that wins `cards`, in the order in which they were played."""
    return int((leader + r.winning_place(cards, len(cards), s["trump"])) % c["players"])


def _laid(c: Record, leader: int, cards: np.ndarray) -> list[Text]:
    """The cards of a trick by seat."""
    places = [(seat - leader) % c["players"] for seat in range(c["players"])]
    return [_text(CARDS[cards[place]] if place < len(cards) else "-") for place in places]


def _text(words: str) -> Text:
    """`words` with the names of cards in the colours of their suits."""
    text = Text(words)
    for suit, style in STYLES.items():
        text.highlight_regex(rf"\b{suit}\d+\b", style)
    return text
