"""Niagara on the terminal: the river with its canoes and gems, and a table of the players.

Everything is said in letters as well as in colour, so that it can be read from a file or a pipe.
"""

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from voyageur.games.niagara import rules as r
from voyageur.games.niagara.position import CANOES, CARDS, GEMS, PHASES, SIDES, SPACES
from voyageur.games.rules import Record

WIDTH = 88  # wider drawings are no easier to read
STYLES = {"AME": "magenta", "DIA": "bold cyan", "AMB": "yellow", "SAP": "bold blue", "RUB": "bold red"}
DOING = {r.RECOVER: "answers", r.CHOOSE: "chooses", r.ACT: "acts"}
DONE = {r.RECOVER: "answered", r.CHOOSE: "chosen", r.ACT: "acted"}


def board(s: Record, c: Record, viewer: int | None) -> RenderableType:
    """The position as seat `viewer` knows it (None: everything), at most as wide as the terminal."""
    return Constrain(Group(_river(s, c, viewer), _players(s, c, viewer), _legend(s, c, viewer)), WIDTH)


# The river.


def _river(s: Record, c: Record, viewer: int | None) -> Table:
    """The river from the shore down to the falls; what goes on is said beside the trunk."""
    table = Table(box=box.ROUNDED, show_header=False, expand=True)
    for _ in range(3):
        table.add_column(ratio=1)
    news = _news(s, c, viewer)
    for space in range(r.SHORE, r.L6):
        site = _site(s, r.SITE[space])
        table.add_row(news[space], _space(s, c, space), site, end_section=space in (r.SHORE, r.S5))
    table.add_row(_arm(s, c, r.LEFT), "", _arm(s, c, r.RIGHT))
    for left, right in ((r.L6, r.R6), (r.L7, r.R7)):
        table.add_row(_space(s, c, left), _site(s, r.SITE[left]), _space(s, c, right))
    table.add_section()
    falls = Text("~ ~ falls ~ ~", "dim")
    table.add_row(falls, _space(s, c, r.FALLEN), falls)
    return table


def _news(s: Record, c: Record, viewer: int | None) -> list[Text]:
    """Six lines, one beside each space of the trunk."""
    track = " ".join(f"[{value:+d}]" if value == s["weather"] else f"{value:+d}" for value in range(-1, 3))
    fork = "left or right by lot" if c["random_pushes"] or s["fork"] == r.RANDOM_FORK else SIDES[s["fork"]]
    first = "by lot" if s["first"] < 0 else _seat(s, s["first"])
    lines = (
        f"round {s['round']}, {PHASES[s['phase']]}",
        _who(s, c),
        "" if viewer is None else f"as P{viewer} knows it",
        f"weather {track.replace('+0', '0')}",
        f"next push {fork}",
        f"first player {first}",
    )
    return [_text(line) for line in lines]


def _who(s: Record, c: Record) -> str:
    """Who has to decide what, or what chance does."""
    phase = s["phase"]
    if phase == r.CHOOSE and not c["sequential"]:
        return "all choose a card"
    if phase in DOING:
        seat = _deciding(s, c)[0]
        if s["points"] > 0:
            return f"P{seat}{CANOES[s['canoe']]}, points left {s['points']}"
        return f"P{seat} {DOING[int(phase)]}"
    return {r.SETUP: "lots are drawn", r.RIVER: f"{s['pushes']} pushes to come", r.OVER: "the game is over"}[phase]


def _space(s: Record, c: Record, space: int) -> Table:
    """A space's name with the canoes on it."""
    canoes = [k for k in range(2 * c["players"]) if s["at"][k] == space]
    grid = Table.grid(padding=(0, 1))
    grid.add_column(min_width=3, no_wrap=True)
    grid.add_column()
    grid.add_row(Text(SPACES[space], "bold"), _text(" ".join(_canoe(s, k) for k in canoes)))
    return grid


def _canoe(s: Record, k: int) -> str:
    gem = s["gem"][k]
    return f"P{k // 2}{CANOES[k % 2]}" + (f"[{GEMS[gem]}]" if gem != r.NO_GEM else "")


def _site(s: Record, site: int) -> Text:
    """A gem site with all that lies in it; nothing for the spaces that touch none (-1)."""
    if site < 0:
        return Text()
    gems = [f"{n} {gem}" for gem, n in zip(GEMS, s["sites"][site], strict=True) if n]
    return _text(f"{GEMS[site]} site: {', '.join(gems) or 'empty'}")


def _arm(s: Record, c: Record, side: int) -> Text:
    following = " (next push)" if s["fork"] == side and not c["random_pushes"] else ""
    return Text(f"{SIDES[side].lower()} arm{following}", "dim")


# The players.


def _players(s: Record, c: Record, viewer: int | None) -> Table:
    """What every player owns, holds and has played, and the shortest way to a goal."""
    over = s["phase"] == r.OVER
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False, expand=True)
    table.add_column("", no_wrap=True)
    table.add_column("place" if over else "turn", no_wrap=True)
    table.add_column("card")
    table.add_column("in hand")
    for gem in GEMS:
        table.add_column(_text(gem), justify="right", no_wrap=True)
    table.add_column("to a goal")
    places = np.zeros(c["players"], np.int64)
    if over:
        r.places(s, c, places)
    for seat in range(c["players"]):
        card, hand = _cards(s, c, seat, viewer)
        owned = [int(n) for n in s["owned"][seat]]
        gems = [Text(str(n), STYLES[gem]) if n else Text("-", "dim") for gem, n in zip(GEMS, owned, strict=True)]
        turn = str(places[seat]) if over else _turn(s, c, seat)
        style = "bold" if turn in DOING.values() or turn == "1" else ""
        table.add_row(_seat(s, seat), turn, card, hand, *gems, _needs(owned), style=style)
    return table


def _deciding(s: Record, c: Record) -> list[int]:
    """The seats that have to decide now."""
    if s["phase"] in (r.RECOVER, r.ACT):
        return [int(r.acting_seat(s, c))]
    if s["phase"] == r.CHOOSE:
        waiting = [seat for seat in range(c["players"]) if s["played"][seat] == r.NOT_PLAYED]
        return waiting[:1] if c["sequential"] else waiting
    return []


def _turn(s: Record, c: Record, seat: int) -> str:
    """What the seat does, or has done, in this phase."""
    phase = int(s["phase"])
    if seat in _deciding(s, c):
        return DOING[phase]
    if phase == r.CHOOSE:
        return DONE[phase] if s["played"][seat] != r.NOT_PLAYED else ""
    return DONE.get(phase, "") if (seat - s["first"]) % c["players"] < s["turn"] else ""


def _cards(s: Record, c: Record, seat: int, viewer: int | None) -> tuple[str, str]:
    """The card that the seat has played and the hand, which still lists a card that the viewer may not see."""
    hand, card = int(s["hands"][seat]), int(s["played"][seat])
    if viewer is not None and r.card_hidden(s, c, seat, viewer):
        hand, played = hand | 1 << card, "face down"
    else:
        played = "" if card == r.NOT_PLAYED else str(CARDS[card])
    return played, " ".join(str(name) for i, name in enumerate(CARDS) if hand >> i & 1)


def _needs(owned: list[int]) -> str:
    """The fewest gems that are missing to a goal, said for each goal that is so near."""
    colours = r.GOAL_COLOURS - sum(n > 0 for n in owned)
    missing = {
        "alike": r.GOAL_SAME - max(owned),
        "colour" if colours == 1 else "colours": colours,
        "any": r.GOAL_TOTAL - sum(owned),
    }
    fewest = min(missing.values())
    return "reached" if fewest <= 0 else ", ".join(f"{n} {kind}" for kind, n in missing.items() if n == fewest)


def _legend(s: Record, c: Record, viewer: int | None) -> Text:
    """What the signs mean."""
    lines = ["P1a[RUB]: canoe a of P1 with a RUB aboard   *: first-player marker"]
    if viewer is not None and any(r.card_hidden(s, c, seat, viewer) for seat in range(c["players"])):
        lines.append("face down: one of those still listed in that hand")
    return Text("\n".join(lines), "dim")


def _seat(s: Record, seat: int) -> str:
    return f"P{seat}" + ("*" if seat == s["first"] else "")


def _text(words: str) -> Text:
    """`words` with the names of gems, and the numbers before them, in their colours."""
    text = Text(words)
    for gem, style in STYLES.items():
        text.highlight_regex(rf"(\d+ )?\b{gem}\b", style)
    return text
