"""Following canyon at a table: one hand is known, the others show card by card."""

import re

import numpy as np

from voyageur.games.canyon import hidden
from voyageur.games.canyon import rules as r
from voyageur.games.canyon.position import CARDS, SUITS, Canyon, card_names, square_name
from voyageur.games.rules import Record, make_rng
from voyageur.games.table import DEAL, Refusal, Table
from voyageur.games.words import PositionError, shown

SOME = make_rng(0)  # any deal that fits will do


class CanyonTable(Table):
    """See `Table`."""

    def deal_question(self, s: Record, c: Record, viewer: int | None) -> str | None:
        """See `Table.deal_question`."""
        if s["phase"] == r.SETUP:
            return None
        size = int(r.hand_size(s["round"]))
        whose = "the cards" if size > 1 else "the card"
        return f"{whose} dealt to you ({size}) and the trump turned up (like b7 g10, trump y3)"

    def deal(self, s: Record, c: Record, viewer: int | None, text: str) -> list[int]:
        """See `Table.deal`: the hand and the trump; of everybody, with the seats before the hands."""
        hands, trump = _read_deal(text, viewer)
        if viewer is not None:
            rest = iter([card for card in CARDS if card not in (*hands.get(viewer, []), trump)])
            size = int(r.hand_size(s["round"]))
            for seat in range(int(c["players"])):
                if seat != viewer:
                    hands[seat] = [next(rest) for _ in range(size)]
        return Canyon().deal(s, c, {"hands": hands, "trump": trump})

    def deal_text(self, before: Record, after: Record, c: Record, viewer: int | None) -> str:
        """See `Table.deal_text`."""
        hands = [" ".join(card_names(after["hands"][seat])) for seat in range(int(c["players"]))]
        told = hands[viewer] if viewer is not None else ", ".join(f"P{seat} {hand}" for seat, hand in enumerate(hands))
        return f"{told}, trump {CARDS[after['trump']]}"

    def conceivable(self, s: Record, c: Record, viewer: int | None, seat: int) -> list[int] | None:
        """See `Table.conceivable`."""
        return [r.CARD + card for card in range(r.CARDS)] if s["phase"] == r.PLAY else None

    def fit(self, s: Record, c: Record, viewer: int | None, seat: int, action: int) -> None:
        """See `Table.fit`: the card gets into the hand of `seat`, and all hands fit what has been shown."""
        if s["phase"] != r.PLAY:
            return
        card = action - r.CARD
        _check_seen(s, c, card)
        if viewer in (None, seat):
            _check_own(s, seat, card)
            return
        if s["hands"][viewer] >> card & 1:
            raise Refusal(f"{CARDS[card]} is in your hand", DEAL)
        _check_void(s, c, seat, card)
        laid = np.empty(1, r.STATE)
        laid[0] = s
        after = laid[0]
        if s["laid"] and card // r.VALUES != s["current"][0] // r.VALUES:
            after["void"][seat] |= 1 << int(s["current"][0]) // r.VALUES
        after["played"] |= 1 << card
        after["laid"] += 1
        table = np.empty(hidden.TABLE_SIZE)
        hidden.prepare(after, c, viewer, table)
        if table[hidden.TOTAL] < 0.5:
            raise Refusal(
                f"no deal fits P{seat} playing {CARDS[card]}: too few cards are left for who has not followed"
            )
        hidden.determinize(after, c, viewer, SOME.copy(), table)
        s["hands"] = after["hands"]
        s["hands"][seat] |= 1 << card

    def key(self, s: Record, c: Record, player: int, action: int) -> str | None:
        """See `Table.key`: the bid, the card or the square."""
        if action < r.CARD:
            return str(action)
        return CARDS[action - r.CARD].lower() if action < r.SQUARE else square_name(c, action - r.SQUARE)


def _read_deal(text: str, viewer: int | None) -> tuple[dict[int, list[str]], str]:
    """The hands by seat and the trump in `text`; cards without a seat before them are the viewer's."""
    hands: dict[int, list[str]] = {}
    trump, seat = "", viewer
    words = re.findall(r"p\d+|trump|[rgbyv]\d+|[^\s,;]+?(?=[\s,;]|$)", text.lower())
    for word in words:
        if word == "trump":
            seat = None
        elif re.fullmatch(r"p\d+", word):
            seat = int(word[1:])
        elif word.upper() not in CARDS:
            raise PositionError("", f"expected cards like b7, got {shown(word)}")
        elif seat is None and "trump" in words:
            trump = word.upper()
        else:
            hands.setdefault(-1 if seat is None else seat, []).append(word.upper())
    if not trump and viewer in hands:
        trump = hands[viewer].pop()
    return hands, trump


def _check_seen(s: Record, c: Record, card: int) -> None:
    """Refuses a card that has been turned up or played."""
    if card == s["trump"]:
        raise Refusal(f"{CARDS[card]} is the trump turned up", DEAL)
    if not int(s["played"]) >> card & 1:
        return
    for seat in range(int(c["players"])):
        if int(hidden.cards_played(s, c, seat)) >> card & 1:
            raise Refusal(f"{CARDS[card]} has been played by P{seat}", (seat, (f"play {CARDS[card]}",)))


def _check_own(s: Record, seat: int, card: int) -> None:
    """Refuses a card that the seat, whose hand is known, does not hold or may not play."""
    if not int(s["hands"][seat]) >> card & 1:
        raise Refusal(f"P{seat} does not hold {CARDS[card]}", DEAL)
    if not int(r.playable(s, seat)) >> card & 1:
        led = int(s["current"][0])
        raise Refusal(
            f"P{seat} has to follow suit {SUITS[led // r.VALUES]}", (int(s["leader"]), (f"play {CARDS[led]}",))
        )


def _check_void(s: Record, c: Record, seat: int, card: int) -> None:
    """Refuses a card of a suit that the seat has shown to be out of."""
    suit, n = card // r.VALUES, int(c["players"])
    if not s["void"][seat] >> suit & 1:
        return
    leader, shown = int(r.starter(s, c)), ""
    for trick in [*s["past"][: s["done"]], s["current"]]:
        played = int(trick[(seat - leader) % n])
        if played >= 0 and trick[0] // r.VALUES == suit != played // r.VALUES:
            shown = CARDS[played]
            break
        if trick is not s["current"]:
            leader = (leader + int(r.winning_place(trick, n, s["trump"]))) % n
    raise Refusal(f"P{seat} has not followed suit {SUITS[suit]}, so holds none of it", (seat, (f"play {shown}",)))
