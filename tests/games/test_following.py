"""Following a game from one seat: what is asked, what is refused and why, and what is known then."""

from typing import Any

import pytest

from voyageur import games
from voyageur.games.following import HIDDEN, Known, as_seen
from voyageur.games.table import DEAL, Refusal

CANYON: dict[str, Any] = {
    "game": "canyon",
    "viewer": 3,
    "round": 4,
    "dealer": 0,
    "phase": "play",
    "trump": "R4",
    "to_act": [3],
    "players": [
        {"square": "k10", "bid": 3, "hand": 4},
        {"square": "n7", "bid": 2, "tricks": 1, "hand": 3},
        {"square": "cave", "bid": 1, "hand": 3},
        {"square": "e3", "bid": 0, "hand": ["R3", "G7", "B7", "Y2"]},
    ],
    "tricks_played": [{"leader": 1, "cards": ["Y8", "Y7", "Y5", "B3"]}],
    "current_trick": {"leader": 1, "cards": ["G9", "V5"]},
}


def go(known: Known, *events: tuple[int | None, str]) -> Known:
    """What is known after some events."""
    for event in events:
        known = known.after(*event)
    return known


def niagara(viewer: int | None = 0, **params: Any) -> Known:
    return Known.start(games.load("niagara", players=3, first_player=1, **params), viewer)


def yellowhouse(hand: str = "R4 V2 G3 Y3", viewer: int | None = 0) -> Known:
    return go(Known.start(games.load("yellowhouse", first_leader=0), viewer), (None, hand))


def refusal(known: Known, seat: int | None, text: str) -> Refusal:
    """Why an event is refused."""
    with pytest.raises(Refusal) as caught:
        known.after(seat, text)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_card_lies_face_down_until_its_owner_acts():
    known = go(niagara(), (2, HIDDEN), (0, "card 4"))
    assert (known.ask.kind, known.ask.seat) == ("show", 1)
    assert [player.get("played") for player in known.position["players"]] == [4, "?", "?"]
    known = go(known, (1, "shows card CLOUD"))
    assert (known.ask.kind, known.ask.seat) == ("move", 1)
    assert [option.key for option in known.options] == ["-", "+"]
    known = go(known, (1, "weather to +1"))
    assert (known.ask.kind, known.ask.seat) == ("show", 2)
    assert [player.get("played") for player in known.position["players"]] == [4, "CLOUD", "?"]


def test_where_cards_are_shown_at_once_all_are_asked_for():
    known = go(niagara(reveal="SIMULTANEOUS"), (0, "card 4"))
    assert (known.ask.kind, known.ask.seat) == ("choice", 1)
    known = go(known, (1, HIDDEN), (1, "card 2"), (2, "card 1"))
    assert [player["played"] for player in known.position["players"]] == [4, 2, 1]


def test_a_card_is_played_once_in_seven_rounds():
    known = go(niagara(), (0, "card 4"), (1, "shows card CLOUD"), (1, "weather to +1"), (2, "shows card CLOUD"))
    known = go(known, (2, "weather to 0"), (0, "a: shore > S4"))
    found = refusal(known, 0, "card 4")
    assert found.earlier == (0, ("card 4", "shows card 4"))
    known = go(known, (0, "card 5"), (2, "shows card 1"), (2, "a: shore > S1"))
    known = go(known, (0, known.options[0].text))
    assert known.ask.seat == 1
    assert refusal(known, 1, "shows card CLOUD").earlier == (1, ("card CLOUD", "shows card CLOUD"))


@pytest.mark.parametrize(
    ("seat", "text", "reason", "earlier"),
    [
        (3, "play Y2", "has to follow suit G", (1, ("play G9",))),
        (3, "play V9", "P3 does not hold V9", DEAL),
        (3, "play Y8", "Y8 has been played by P1", (1, ("play Y8",))),
        (3, "play R4", "R4 is the trump", DEAL),
        (3, "bid 2", "'bid 2' is not possible here", None),
        (0, "play R1", "it is the turn of P3, not of P0", None),
        (None, "R1", "it is the turn of P3", None),
    ],
)
def test_canyon_refuses_own_cards(seat: int | None, text: str, reason: str, earlier: Any):
    found = refusal(Known.at(CANYON, 3), seat, text)
    assert reason in str(found)
    assert found.earlier == earlier


def test_canyon_refuses_cards_of_others():
    known = go(Known.at(CANYON, 3), (3, "play G7"))  # P0 is next
    assert refusal(known, 0, "play B7").earlier == DEAL  # it is in our hand
    assert refusal(known, 0, "play Y1").earlier == (0, ("play B3",))  # P0 did not follow yellow
    assert len(known.options) == 50 - 3 - 1 - 7 - 6  # own hand, trump, cards played, yellow cards left
    off = go(known, (0, "play V1"))  # out of green, wins nothing; G9 takes the trick
    assert off.ask.seat == 1
    assert off.view.world().box.s["void"][0] == 0b01010


def test_canyon_refuses_what_no_deal_allows():
    # Two players, the last card of each: a card that does not follow shows that the other holds something else.
    position = {
        "game": "canyon",
        "viewer": 0,
        "round": 7,
        "dealer": 1,
        "phase": "play",
        "trump": "G1",
        "players": [{"square": "a8", "bid": 0, "hand": ["R2", "R3"]}, {"square": "a9", "bid": 0, "hand": 2}],
    }
    known = go(Known.at(position, 0), (0, "play R2"))
    assert {"play R1", "play G10"} <= {option.text for option in known.options}
    known = go(known, (1, "play G10"), (1, "play V1"))
    assert known.ask.seat == 0
    assert refusal(go(Known.at(position, 0), (0, "play R2"), (1, "play R10")), 1, "play R3").earlier == DEAL


@pytest.mark.parametrize(
    ("text", "reason"),
    [("R4 V2 G3 Y4", "12 cards"), ("R9 V1 G1 Y1", "7 cards R"), ("4 2", "like 4 2 3 3"), ("many", "like 4 2 3 3")],
)
def test_yellowhouse_refuses_hands(text: str, reason: str):
    known = Known.start(games.load("yellowhouse", first_leader=0), 0)
    assert reason in str(refusal(known, None, text))


@pytest.mark.parametrize("text", ["R4 V2 G3 Y3", "4 2 3 3", "4233", "y3, g3, v2, r4"])
def test_a_hand_is_told_in_many_ways(text: str):
    assert yellowhouse(text).position == yellowhouse().position


def test_yellowhouse_refuses_gifts():
    known = yellowhouse("R6 V0 G3 Y3")
    assert "at most 0 cards V" in str(refusal(known, 0, "give V V"))
    assert "at most 1 cards R" in str(refusal(known, 1, "give R R"))
    assert refusal(known, 1, "give R R").earlier == DEAL
    assert "known here" in str(refusal(known, 0, HIDDEN))
    assert "nothing is dealt" in str(refusal(known, None, "4233"))
    assert "chosen already" in str(refusal(go(known, (0, "give R R")), 0, "give G G"))


def test_yellowhouse_refuses_turns():
    known = go(yellowhouse("R6 V0 G3 Y3"), (0, "give R R"), (1, "give V Y"))  # rows R3 V2 G1 Y2
    assert "cannot pass" in str(refusal(known, 0, "pass"))
    known = go(known, (0, "claim V"))
    assert refusal(known, 1, "claim V").earlier == (0, ("claim V", "strengthen V*"))
    assert "it must be strengthened" in str(refusal(known, 1, "claim Y"))
    assert "it can only be claimed" in str(refusal(known, 1, "strengthen R"))
    # Of R we hold four, and three are not in sight, two of which we gave.
    known = go(known, (1, "claim R"))
    assert known.position["players"][1]["out"]["R"] == 1


def test_a_hand_shows_by_what_it_plays():
    known = go(yellowhouse("R6 V0 G3 Y3"), (0, "give G G"), (1, "give V V"), (0, "claim Y"))
    # Y lies on row 1, so R takes a discard or a support card: the other holds at most one R.
    assert [option.text for option in known.options if " R" in option.text] == ["strengthen R support"]
    assert refusal(known, 1, "strengthen R").earlier == DEAL


def test_everything_is_asked_of_who_sees_everything():
    known = niagara(None)
    assert known.ask.seat == 0
    known = go(known, (0, "card 4"), (1, "card 2"))
    assert "which is known here" in str(refusal(known, 2, HIDDEN))
    known = go(known, (2, "card 1"))
    assert (known.ask.kind, known.ask.seat) == ("move", 1)
    with pytest.raises(ValueError, match="nobody's view"):
        known.view  # noqa: B018


def test_what_a_seat_notices():
    start, mine = niagara(None), niagara(2)
    chosen = start.after(0, "card 4")
    assert as_seen(start, (0, "card 4"), chosen, mine) == [(0, HIDDEN)]
    mine = go(mine, (0, HIDDEN), (2, "card 1"))
    both = chosen.after(1, "card 2")
    assert as_seen(chosen, (1, "card 2"), both, mine) == []  # taken as made, face down
    after = go(both, (2, "card 1"))
    move = next(option.text for option in after.options)
    assert as_seen(after, (1, move), after.after(1, move), mine) == [(1, "shows card 2"), (1, move)]


def test_lots_and_deals():
    known = Known.start(games.load("canyon", players=2), 1)
    assert [(option.key, option.text) for option in known.options] == [("0", "P0 deals"), ("1", "P1 deals")]
    known = go(known, (None, "P1 deals"), (0, "dock a8"), (1, "dock a9"))
    assert known.ask.kind == "deal" and "(8)" in known.ask.question
    for typed in ("b1b2b3b4b5b6b7b8 g10", "B1 B2 B3 B4 B5 B6 B7 B8, trump G10"):
        after = go(known, (None, typed))
        assert after.position["trump"] == "G10"
        assert after.position["players"][1]["hand"] == [f"B{n}" for n in range(1, 9)]
    for wrong in ("b1", "b1b2b3b4b5b6b7b8b9b10", "b1b1b3b4b5b6b7b8 g10", "b1b2b3b4b5b6b7b8 b8", "x1", "b11", "trump"):
        refusal(known, None, wrong)


def test_virta_is_dealt_in_a_line():
    known = go(Known.start(games.load("virta", first_player=0), 0), (None, "bxxcdbxdcaadcab"))
    assert known.position["river"]["M1"] == "B" and known.position["river"]["M15"] == "B"
    start = Known.start(games.load("virta", first_player=0), 0)
    for wrong in ("bxx", "bxxcdbxdcaadcaz", "aaaaaaaaaaaaaaa"):
        refusal(start, None, wrong)


def test_recognized_by_key_text_or_parts():
    known = go(niagara(), (0, "card 4"), (1, "shows card 2"))
    assert known.recognize(1, "1") == "a: shore > S2"
    assert known.recognize(1, "B: SHORE > s2") == "b: shore > S2"
    assert known.recognize(1, "b: s2") == "b: shore > S2"
    for wrong in ("s2", "3", "c: s2", "", "   "):
        with pytest.raises(Refusal):
            known.recognize(1, wrong)


def test_over_is_over():
    known = Known.at({"game": "niagara", "phase": "over", "players": [{"played": 4, "acted": True, "gems": {"AME": 4}},
                      {"played": 4, "acted": True}, {"played": 4, "acted": True}]}, 0)  # fmt: skip
    assert known.ask.kind == "over" and known.options == []
    assert "over" in str(refusal(known, 0, "card 1"))
