"""Following The Yellow House at a table: the own hand is known, the other one shows turn by turn."""

import re

import numpy as np

from voyageur.games.rules import Record
from voyageur.games.table import DEAL, Refusal, Table
from voyageur.games.words import PositionError, shown
from voyageur.games.yellowhouse import rules as r
from voyageur.games.yellowhouse.position import ELEMENTS, YellowHouse, named, some_hand

PLENTY = 100  # more cards than any turn takes


class YellowHouseTable(Table):
    """See `Table`."""

    def deal_question(self, s: Record, c: Record, viewer: int | None) -> str | None:
        """See `Table.deal_question`."""
        if s["phase"] != r.DEAL:
            return None
        names = " ".join(ELEMENTS[: c["elements"]])
        return f"the {c['hand']} cards dealt to you: how many {names} (like 4 2 3 3)"

    def deal(self, s: Record, c: Record, viewer: int | None, text: str) -> list[int]:
        """See `Table.deal`: numbers in the order of the elements; of both seats, with the seats before them."""
        parts = re.split(r"\bP([01])\b", text, flags=re.IGNORECASE)
        told = dict(zip(parts[1::2], parts[2::2], strict=True)) if len(parts) > 1 else {str(viewer): text}
        hands = {seat: _counts(c, part) for seat, part in told.items()}
        hidden = {} if viewer is None else {str(1 - viewer): int(c["hand"])}
        return YellowHouse().deal(s, c, {"hands": hidden | hands})

    def deal_text(self, before: Record, after: Record, c: Record, viewer: int | None) -> str:
        """See `Table.deal_text`."""
        hands = [" ".join(f"{e}{n}" for e, n in named(after["hands"][seat], c).items()) for seat in range(r.SEATS)]
        return f"P0 {hands[0]}, P1 {hands[1]}" if viewer is None else hands[viewer]

    def conceivable(self, s: Record, c: Record, viewer: int | None, seat: int) -> list[int]:
        """See `Table.conceivable`."""
        if s["phase"] == r.EXCHANGE:
            return [int(c["first_gift"]) + gift for gift in range(c["gifts"])]
        turns = range(r.CLAIM, r.STRENGTHEN + r.ELEMENTS * (int(c["supports_per_turn"]) + 1))
        return [r.PASS, *(action for action in turns if r.element_of(action) < c["elements"])]

    def fit(self, s: Record, c: Record, viewer: int | None, seat: int, action: int) -> None:
        """See `Table.fit`."""
        if s["phase"] == r.EXCHANGE:
            _fit_gift(s, c, viewer, seat, c["gift"][action - c["first_gift"]])
            return
        _check_turn(s, c, seat, action)
        if action == r.PASS:
            return
        e, shed = int(r.element_of(action)), int(r.cards_shed(s, action))
        if viewer in (None, seat):
            if s["hands"][seat, e] < shed:
                raise Refusal(f"it takes {shed} cards {ELEMENTS[e]}, P{seat} holds {s['hands'][seat, e]}", DEAL)
            return
        played = np.empty(1, r.STATE)
        played[0] = s
        played[0]["out"][seat, e] += shed
        try:
            s["hands"][seat] = some_hand(played[0], c, viewer)
        except PositionError as error:
            raise Refusal(f"it takes {shed} cards {ELEMENTS[e]} of P{seat}: {error.problem}", DEAL) from None
        s["hands"][seat, e] += shed

    def key(self, s: Record, c: Record, player: int, action: int) -> str | None:
        """See `Table.key`: p to pass, r to claim R, sr to strengthen it, sr+ with a support card; rv to give R V."""
        if action >= c["first_gift"]:
            gift = c["gift"][action - c["first_gift"]]
            return "".join(name * int(n) for name, n in zip(ELEMENTS, gift, strict=True)).lower()
        if action == r.PASS:
            return "p"
        element = ELEMENTS[r.element_of(action)].lower()
        return element if action < r.STRENGTHEN else f"s{element}" + "+" * ((action - r.STRENGTHEN) // r.ELEMENTS)


def _counts(c: Record, text: str) -> dict[str, int]:
    """A hand: `R4 V2 G3 Y3`, `4 2 3 3` or `4233`."""
    names = ELEMENTS[: c["elements"]]
    by_name = re.findall(r"([a-z])\s*(\d+)", text, re.IGNORECASE)
    if by_name:
        given = {name.upper(): int(number) for name, number in by_name}
        if len(given) == len(by_name) and given.keys() <= set(names):
            return given
    numbers = re.findall(r"\d+", text)
    if len(numbers) == 1 and len(numbers[0]) == len(names):
        numbers = list(numbers[0])
    if by_name or len(numbers) != len(names) or re.search(r"[^\d\s,]", text):
        raise PositionError("", f"expected how many cards {' '.join(names)}, like 4 2 3 3, got {shown(text)}")
    return dict(zip(names, map(int, numbers), strict=True))


def _fit_gift(s: Record, c: Record, viewer: int | None, seat: int, gift: np.ndarray) -> None:
    """The gift gets into the hand that `seat` was dealt."""
    known = viewer in (None, seat)
    left = s["hands"][seat].astype(int)
    if not known:
        left = np.array([r.belief(s, c, viewer, e)[3] for e in range(r.ELEMENTS)])
    for e, name in enumerate(ELEMENTS):
        if gift[e] > left[e]:
            raise Refusal(f"P{seat} can have at most {left[e]} cards {name} to give", DEAL)
    if known:
        return
    hand = gift.astype(int)
    for e in range(r.ELEMENTS):
        hand[e] += min(int(c["hand"]) - hand.sum(), left[e] - hand[e])
    s["hands"][seat] = hand


def _check_turn(s: Record, c: Record, seat: int, action: int) -> None:
    """Refuses a turn that no hand would allow."""
    rich, out = np.empty(1, r.STATE), np.empty(r.MAX_GIFTS, np.int64)
    rich[0] = s
    rich[0]["hands"][seat] = PLENTY
    if action in out[: r.legal_actions(rich[0], c, seat, out)]:
        return
    if s["claims"] == 0:
        raise Refusal("a leader claims one card and cannot pass or strengthen")
    e = int(r.element_of(action))
    name = ELEMENTS[e]
    if r.is_claimed(s, e):
        by = (int(s["leader"]) + list(s["trick"]).index(e)) % r.SEATS
        ways = (f"claim {name}", f"strengthen {name}*")
        raise Refusal(f"{name} has been claimed in this trick", (by, ways))
    row, level = int(s["rows"][e]), int(r.level(s))
    if action < r.STRENGTHEN:
        raise Refusal(f"{name} is on row {row}, not above row {level} of the last card: it must be strengthened")
    if row > level:
        raise Refusal(f"{name} is on row {row}, above row {level} of the last card: it can only be claimed")
    if level >= c["max_level"]:
        raise Refusal(f"no token passes row {level}")
    raise Refusal("there are not so many support cards to use here")
