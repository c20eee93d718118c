"""Following Niagara at a table: each card lies face down until its owner's turn."""

from voyageur.games.niagara import rules as r
from voyageur.games.niagara.position import CARDS
from voyageur.games.rules import Record
from voyageur.games.table import Refusal, Table


class NiagaraTable(Table):
    """See `Table`."""

    def conceivable(self, s: Record, c: Record, viewer: int | None, seat: int) -> list[int] | None:
        """See `Table.conceivable`."""
        return list(range(len(CARDS))) if s["phase"] == r.CHOOSE else None

    def fit(self, s: Record, c: Record, viewer: int | None, seat: int, action: int) -> None:
        """See `Table.fit`: old cards are known, so only a card that is gone can be refused."""
        if s["phase"] == r.CHOOSE:
            _check_left(int(s["hands"][seat]), seat, action)

    def stays_down(self, c: Record) -> bool:
        """See `Table.stays_down`."""
        return not c["open_cards"]

    def cover(self, s: Record, c: Record, viewer: int) -> None:
        """See `Table.cover`."""
        s["covered"] = r.acting_seat(s, c) != viewer

    def to_show(self, s: Record, c: Record, viewer: int) -> int | None:
        """See `Table.to_show`."""
        return int(r.acting_seat(s, c)) if s["covered"] else None

    def face_down(self, s: Record, c: Record, seat: int) -> list[int]:
        """See `Table.face_down`."""
        return list(range(len(CARDS)))

    def chosen(self, s: Record, c: Record, seat: int) -> int:
        """See `Table.chosen`."""
        return int(s["played"][seat])

    def show(self, s: Record, c: Record, seat: int, action: int) -> None:
        """See `Table.show`."""
        cards = int(s["hands"][seat]) | 1 << int(s["played"][seat])
        _check_left(cards, seat, action)
        s["hands"][seat], s["played"][seat], s["covered"] = cards & ~(1 << action), action, 0

    def key(self, s: Record, c: Record, player: int, action: int) -> str | None:
        """See `Table.key`: 1 to 6 and c for cards, + and - for the weather; canoes by their place in the list."""
        if action < len(CARDS):
            return str(CARDS[action])[0].lower()
        return {r.WEATHER_UP: "+", r.WEATHER_DOWN: "-"}.get(action)


def _check_left(cards: int, seat: int, action: int) -> None:
    """Refuses a card that is not among the `cards` that the seat has not played since all came back."""
    if not cards >> action & 1:
        card = f"card {CARDS[action]}"
        raise Refusal(f"P{seat} has played {card} already", (seat, (card, f"shows {card}")))
