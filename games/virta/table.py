"""Following virta at a table: nothing is hidden, only the parts on the river have to be told."""

import re

from voyageur.games.rules import Record
from voyageur.games.table import Table
from voyageur.games.virta import rules as r
from voyageur.games.virta.position import Virta, circle_name, letter_name
from voyageur.games.words import PositionError, shown


class VirtaTable(Table):
    """See `Table`."""

    def deal_question(self, s: Record, c: Record, viewer: int | None) -> str | None:
        """See `Table.deal_question`."""
        if s["turn"] < 0:
            return None
        first = circle_name(c, c["start_circles"][0])
        return f"the {c['parts'].sum()} parts from {first} on (their letters in a row)"

    def deal(self, s: Record, c: Record, viewer: int | None, text: str) -> list[int]:
        """See `Table.deal`: letters in order, with signs between them where they have longer names."""
        names = sorted((letter_name(c, i) for i in range(c["letters"])), key=len, reverse=True)
        parts = re.findall("|".join(map(re.escape, names)), text, re.IGNORECASE)
        rest = re.sub("|".join(map(re.escape, names)), "", text, flags=re.IGNORECASE).strip(" ,;-+")
        if rest.strip():
            raise PositionError("parts", f"expected letters out of {', '.join(names)}, got {shown(rest)}")
        by_lower = {name.lower(): name for name in names}
        return Virta().deal(s, c, {"parts": [part if part in names else by_lower[part.lower()] for part in parts]})

    def deal_text(self, before: Record, after: Record, c: Record, viewer: int | None) -> str:
        """See `Table.deal_text`."""
        circles = c["start_circles"][r.dealt(before, c) : r.dealt(before, c) + int(c["parts"].sum())]
        letters = [letter_name(c, r.letter_at(after, c, circle) - 1) for circle in circles]
        return ("" if all(len(name) == 1 for name in letters) else " ").join(letters)

    def key(self, s: Record, c: Record, player: int, action: int) -> str | None:
        """See `Table.key`: the number of a space, t for a token, g for a gain; the rest by their place in the list."""
        if action < r.TAKE:
            return str(action)
        return {r.TAKE: "t", r.GAIN: "g"}.get(action)
