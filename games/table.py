"""What a game adds so that it can be followed at a table, event by event (see `following`).

`Table` is the interface, one object a game, in `games/NAME/table.py`. Its defaults serve a game that hides nothing.
"""

from collections.abc import Iterable, Sequence

from voyageur.games.rules import Record


class Refusal(ValueError):
    """Something that cannot have happened, in one line.

    Attributes:
      problem: why not.
      earlier: an event that it contradicts, as a seat (None: nobody's, a deal or a lot) and the texts, any of which it
        may have; None where no single event is to blame. A text that ends in `*` stands for all that begin like it.
    """

    def __init__(self, problem: str, earlier: tuple[int | None, Sequence[str]] | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.earlier = earlier


DEAL = (None, ("*",))  # as `Refusal.earlier`: the last deal


class Table:
    """What following a game needs to know of it.

    Records `s` and constants `c` are np.void elements, `viewer` the seat that follows the game, or None for somebody
    who sees everything. Where `viewer` is a seat, `s` is any world that fits what it knows.
    """

    def deal_question(self, s: Record, c: Record, viewer: int | None) -> str | None:
        """What to enter at chance node `s` where one entry tells a whole deal; None: a lot with few outcomes."""
        return None

    def deal(self, s: Record, c: Record, viewer: int | None, text: str) -> list[int]:
        """The outcomes from `s` on of the deal that `text` tells, as far as `viewer` may see it.

        What `viewer` cannot see may be anything that fits. Raises ValueError, in one line.
        """
        raise NotImplementedError

    def deal_text(self, before: Record, after: Record, c: Record, viewer: int | None) -> str:
        """The deal that led from `before` to `after` in the form that `deal` takes, as `viewer` sees it."""
        raise NotImplementedError

    def conceivable(self, s: Record, c: Record, viewer: int | None, seat: int) -> Iterable[int] | None:
        """The actions of `seat` that have the right form here, among them all that are possible; each a whole move.

        None: exactly the legal moves at `s`, which anybody can tell.
        """
        return None

    def fit(self, s: Record, c: Record, viewer: int | None, seat: int, action: int) -> None:
        """Changes what `viewer` cannot see in `s` so that `action`, a conceivable one, is legal for `seat`.

        Raises Refusal if `viewer` can tell that it is not possible; then `s` may be in any state.
        """

    def stays_down(self, c: Record) -> bool:
        """Whether what is chosen at simultaneous decisions lies face down until each seat's turn."""
        return False

    def cover(self, s: Record, c: Record, viewer: int) -> None:
        """Marks in `s`, right after a simultaneous decision, what `viewer` has not seen yet; with `stays_down`."""

    def to_show(self, s: Record, c: Record, viewer: int) -> int | None:
        """The seat that has to turn up next what it has chosen, before it decides anything else."""
        return None

    def face_down(self, s: Record, c: Record, seat: int) -> list[int]:
        """The actions that have the right form to be turned up by `seat`; `show` refuses those that cannot be."""
        return []

    def chosen(self, s: Record, c: Record, seat: int) -> int:
        """The action that lies face down before `seat` in the world `s`."""
        raise NotImplementedError

    def show(self, s: Record, c: Record, seat: int, action: int) -> None:
        """Changes `s` so that `seat` has turned up `action`; raises Refusal if it cannot lie there."""

    def key(self, s: Record, c: Record, player: int, action: int) -> str | None:
        """A short name for a move, given by its first action, to be typed in its place; None: its place in the list.

        Different moves that are possible at the same time have different keys.
        """
        return None
