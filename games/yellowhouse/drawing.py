"""The Yellow House on the terminal: the strength track with the trick beside it, and a table of the players.

Everything is said in letters as well as in colour, so that it can be read from a file or a pipe.
"""

from rich import box
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from voyageur.games.rules import Record
from voyageur.games.yellowhouse import rules as r
from voyageur.games.yellowhouse.position import ELEMENTS, PHASES, cards, hand_size, named

WIDTH = 88  # wider drawings are no easier to read
STYLES = {"R": "bold red", "V": "bold magenta", "G": "bold green", "Y": "bold yellow"}
LONGEST_TRACK = 12  # rows that are drawn; of a longer track only the numbers are


def board(s: Record, c: Record, viewer: int | None) -> RenderableType:
    """The position as seat `viewer` knows it (None: everything), at most as wide as the terminal."""
    parts: list[RenderableType] = [_top(s, c, viewer), _players(s, c, viewer)]
    if s["phase"] > r.DEAL:
        parts.append(_unseen(s, c, viewer))
    return Constrain(Group(*parts), WIDTH)


# The track.


def _top(s: Record, c: Record, viewer: int | None) -> Table:
    """What goes on, beside the track."""
    table = Table(box=box.ROUNDED, show_header=False, expand=True)
    table.add_column(ratio=2)
    table.add_column(ratio=3)
    table.add_row(Text("\n".join(_news(s, c, viewer))), _track(s, c))
    return table


def _news(s: Record, c: Record, viewer: int | None) -> list[str]:
    supply = int(c["supports"] - s["used"].sum())
    lines = [f"round {s['round']}, {PHASES[s['phase']]}", _who(s, c)]
    if viewer is not None:
        lines.append(f"as P{viewer} knows it")
    return [*lines, f"supply {supply} of {c['supports']} support cards"]


def _who(s: Record, c: Record) -> str:
    """Who has to decide what, or what chance does."""
    if s["phase"] == r.PLAY:
        return f"P{r.acting_seat(s)} {_doing(s)}"
    if s["phase"] == r.EXCHANGE:
        return f"P{s['chosen']} gives" if c["sequential"] else "both choose a gift"
    if s["phase"] == r.OVER:
        return f"P{s['winner']} has won"
    return "lots are drawn" if s["phase"] == r.SETUP else "the cards are dealt"


def _doing(s: Record) -> str:
    return "follows" if s["claims"] else "must lead" if s["must_lead"] else "leads"


def _track(s: Record, c: Record) -> Text:
    """A line for each token, with who has claimed its element in this trick."""
    low, high = int(c["start_level"]), max(int(s["rows"].max()), int(c["max_level"]) % r.UNCAPPED)
    drawn = range(low, high + 1) if high - low < LONGEST_TRACK else range(0)
    wide = len(str(high)) + 1
    lines = ["row" + "".join(f"{row:{wide}}" for row in drawn)]
    for e, name in enumerate(ELEMENTS[: c["elements"]]):
        row = int(s["rows"][e])
        places = "".join(f"{name if place == row else '.':>{wide}}" for place in drawn) or f"{row:{wide}}"
        lines.append(f"{name:3}{places}  {_claim(s, e)}".rstrip())
    return _text("\n".join(lines))


def _claim(s: Record, e: int) -> str:
    """Where the element lies in the trick."""
    for i in range(s["claims"]):
        if s["trick"][i] == e:
            last = i + 1 == s["claims"]
            return f"{i + 1}. P{(s['leader'] + i) % r.SEATS}" + (", to beat" if last and s["phase"] == r.PLAY else "")
    return ""


# The players.


def _players(s: Record, c: Record, viewer: int | None) -> Table:
    """What each player holds, has exchanged, played and kept."""
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False, expand=True)
    for heading in ("", "turn", "hand", "gave", "got", "out", "supports", "kept"):
        table.add_column(heading)
    for seat in range(r.SEATS):
        known = viewer is None or viewer == seat
        turn = _turn(s, c, seat)
        gifts = [cards(s["gave"][giver]) if s["phase"] >= r.PLAY else [] for giver in (seat, 1 - seat)]
        table.add_row(
            f"P{seat}",
            turn,
            _hand(s, c, seat, known),
            *(_text(" ".join(gift) or "-") for gift in gifts),
            _text(_few(s["out"][seat], c)),
            f"{s['used'][seat]} used",
            _text(" ".join(cards(s["palette"][seat])) or "-"),
            style="bold" if turn else "",
        )
    return table


def _turn(s: Record, c: Record, seat: int) -> str:
    if s["phase"] == r.PLAY:
        return _doing(s) if seat == r.acting_seat(s) else ""
    if s["phase"] == r.EXCHANGE:
        return "gives" if not c["sequential"] or seat == s["chosen"] else ""
    return "won" if seat == s["winner"] else ""


def _hand(s: Record, c: Record, seat: int, known: bool) -> Text:
    size = hand_size(s, c, seat)
    if s["phase"] <= r.DEAL:
        return Text("-")
    return _text(f"{_few(s['hands'][seat], c)} = {size}") if known else Text(f"{size} cards")


def _few(counts: object, c: Record) -> str:
    """Counts without the zeros: R4 G3; or a dash."""
    return " ".join(f"{name}{n}" for name, n in named(counts, c).items() if n) or "-"


def _unseen(s: Record, c: Record, viewer: int | None) -> Text:
    """The cards that are not in sight, and where they are."""
    seats = [seat for seat in range(r.SEATS) if viewer is None or seat == viewer]
    counts = [int(r.shuffled(s, c, e) - s["out"][:, e].sum() - s["hands"][seats, e].sum()) for e in range(r.ELEMENTS)]
    hidden = sum(hand_size(s, c, seat) for seat in range(r.SEATS) if seat not in seats)
    where = f"{sum(counts) - hidden} undealt"
    if hidden:
        where = f"{hidden} in the hand of P{1 - seats[0]}, {where}"
    return _text(f"not in sight: {_few(counts, c)} ({where})")


def _text(words: str) -> Text:
    """`words` with the letters of the elements, and the numbers after them, in their colours."""
    text = Text(words)
    for element, style in STYLES.items():
        text.highlight_regex(rf"\b{element}\d*\b", style)
    return text
