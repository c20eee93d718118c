"""What is no position of canyon: each rule of what makes one valid, with the field that the message names."""

import copy
import json
from typing import Any

import numpy as np
import pytest

from voyageur import games

POND = "L..SSS\nL..SSS"  # no cave
DOCK = {"game": "canyon", "round": 1, "dealer": 2, "phase": "dock", "players": [{"square": "a9"}, {}, {}]}
DEAL = {"game": "canyon", "round": 6, "dealer": 2, "phase": "deal",
        "players": [{"square": "a9"}, {"square": "cave"}, {"square": "cave"}]}  # fmt: skip
BID = {
    "game": "canyon", "round": 6, "dealer": 2, "phase": "bid", "trump": "V1",
    "players": [
        {"square": "a9", "bid": 1, "hand": ["R1", "R2", "B3"]},
        {"square": "e3", "hand": ["R4", "G1", "G2"]},
        {"square": "cave", "hand": ["Y1", "Y2", "V7"]},
    ],
}  # fmt: skip
# P1 has not followed red, and has won the first trick with a trump; P2 has not followed green.
PLAY = {
    "game": "canyon", "round": 5, "dealer": 2, "phase": "play", "trump": "V1", "to_act": [0],
    "players": [
        {"square": "a9", "bid": 1, "hand": ["R1", "G4", "B3"]},
        {"square": "e3", "bid": 0, "tricks": 1, "hand": ["G1", "B5"]},
        {"square": "cave", "bid": 4, "hand": ["Y1", "Y2"]},
    ],
    "tricks_played": [{"leader": 0, "cards": ["R5", "V2", "R7"]}],
    "current_trick": {"leader": 1, "cards": ["G7", "B8"]},
}  # fmt: skip
MOVE = {
    "game": "canyon", "round": 5, "dealer": 2, "phase": "move", "to_act": [1],
    "players": [
        {"square": "a3", "unused": 2, "bid": 1, "tricks": 1},
        {"square": "i2", "bid": 0, "tricks": 3},
        {"square": "cave", "bid": 4},
    ],
}  # fmt: skip
OVER = {"game": "canyon", "round": 5, "dealer": 2, "phase": "over",
        "players": [{"square": "a3", "unused": 2}, {"square": "d2"}, {"square": "cave"}]}  # fmt: skip
LATER = {"round": 4, "players.0.hand": ["R1", "B3"], "players.0.bid": 1}
VIEW = {"viewer": 0, "players.1.hand": 2, "players.2.hand": 2}
SIMULTANEOUS = {"params": {"bid_mode": "simultaneous"}, "players.0.bid": ...}
BOXED_IN = {"params": {"board": "LSSS"}, "to_act": [0], "players.0": {"square": "d0", "bid": 1, "tricks": 1},
            "players.1.square": "c0", "players.2.square": "b0"}  # fmt: skip
GOOD = {"dock": DOCK, "deal": DEAL, "bid": BID, "play": PLAY, "move": MOVE, "over": OVER}


def changed(position: games.Position, changes: dict[str, Any]) -> games.Position:
    """A copy in which what the paths lead to is replaced, or left out where it is `...`."""
    position = copy.deepcopy(position)
    for path, value in changes.items():
        *way, last = [int(key) if key.isdecimal() else key for key in path.split(".")]
        inside: Any = position
        for key in way:
            inside = inside[key]
        if value is ...:
            del inside[last]
        else:
            inside[last] = value
    return position


def refused(position: Any) -> games.PositionError:
    """The error with which a position is refused, as a state and as a view."""
    found = []
    for load in (games.state_from, games.view_from):
        with pytest.raises(games.PositionError) as error:
            load(position)
        found.append(str(error.value))
        assert found[-1] == f"{error.value.field}: {error.value.problem}"
        assert len(found[-1].splitlines()) == 1
        assert found[-1].isprintable()
    assert found[0] == found[1]
    return error.value


def test_what_the_mistakes_are_made_in() -> None:
    """The positions below are right before anything is changed in them."""
    for name, position in GOOD.items():
        written = games.position_of(games.state_from(position))
        assert written["phase"] == name
        assert written | position == written
    view = games.view_from(changed(PLAY, VIEW))
    assert view.position == changed(PLAY, VIEW)
    assert view.moves()[0].text == "play G4"
    together = games.state_from(changed(BID, SIMULTANEOUS))
    assert together.is_simultaneous_node()


WRONG: list[tuple[str, games.Position, dict[str, Any], str]] = [
    # What every position has.
    ("no round", DEAL, {"round": ...}, "round"),
    ("round 0", DEAL, {"round": 0}, "round"),
    ("a round too many", DEAL, {"round": 43}, "round"),
    ("a round beyond the cap", DEAL, {"params": {"max_rounds": 5}}, "round"),
    ("half a round", DEAL, {"round": 1.5}, "round"),
    ("a round that is true", DEAL, {"round": True}, "round"),
    ("no dealer", DEAL, {"dealer": ...}, "dealer"),
    ("a dealer too many", DEAL, {"dealer": 3}, "dealer"),
    ("no phase", DEAL, {"phase": ...}, "phase"),
    ("an unknown phase", DEAL, {"phase": "setup"}, "phase"),
    ("no players", DEAL, {"players": ...}, "players"),
    ("one player", DEAL, {"players": [{"square": "a9"}]}, "players"),
    ("seven players", DEAL, {"players": [{"square": "cave"}] * 7}, "players"),
    ("a player that is a square", DEAL, {"players.1": "a9"}, "players[1]"),
    ("an unknown field", DEAL, {"weather": 1}, "weather"),
    ("an unknown field of a player", DEAL, {"players.1.canoe": "a9"}, "players[1].canoe"),
    ("a viewer too many", DEAL, {"viewer": 3}, "viewer"),
    ("a viewer that is null", DEAL, {"viewer": None}, "viewer"),
    # Parameters.
    ("an unknown parameter", DEAL, {"params": {"tides": 1}}, "params.tides"),
    ("players as a parameter", DEAL, {"params": {"players": 3}}, "params.players"),
    ("sequential as a parameter", DEAL, {"params": {"sequential": True}}, "params.sequential"),
    ("an unknown bid mode", DEAL, {"params": {"bid_mode": "secret"}}, "params.bid_mode"),
    ("a stop rule of another type", DEAL, {"params": {"stop_rule": 1}}, "params.stop_rule"),
    ("a number for a switch", DEAL, {"params": {"hook": 1}}, "params.hook"),
    ("eight bonuses", DEAL, {"params": {"bonus": [1] * 8}}, "params.bonus"),
    ("a negative bonus", DEAL, {"params": {"bonus": [1, -1, *[1] * 7]}}, "params.bonus[1]"),
    ("a bonus beyond what is counted", DEAL, {"params": {"bonus": [1] * 8 + [21]}}, "params.bonus[8]"),
    ("a cap of 0", DEAL, {"params": {"max_rounds": -1}}, "params.max_rounds"),
    ("a board of another game", DEAL, {"params": {"board": "niagara"}}, "params.board"),
    ("a board with two docks", DEAL, {"params": {"board": "L..SS"}}, "params.board"),
    # Squares.
    ("no square", DEAL, {"players.0.square": ...}, "players[0].square"),
    ("a bank", DEAL, {"players.0.square": "a0"}, "players[0].square"),
    ("the waterfall", DEAL, {"players.0.square": "b0"}, "players[0].square"),
    ("the cave by its square", DEAL, {"players.0.square": "j0"}, "players[0].square"),
    ("a column off the map", DEAL, {"players.0.square": "q3"}, "players[0].square"),
    ("a row off the map", DEAL, {"players.0.square": "a14"}, "players[0].square"),
    ("a row with a zero before it", DEAL, {"players.0.square": "a09"}, "players[0].square"),
    ("a capital letter", DEAL, {"players.0.square": "A9"}, "players[0].square"),
    ("a column alone", DEAL, {"players.0.square": "a"}, "players[0].square"),
    ("a number for a square", DEAL, {"players.0.square": 9}, "players[0].square"),
    ("a cave where there is none", DEAL, {"params": {"board": POND}, "players.0.square": "f0"}, "players[1].square"),
    ("two on one square", DEAL, {"players.1.square": "a9"}, "players[1].square"),
    ("two on one square, bidding", BID, {"players.2.square": "e3"}, "players[2].square"),
    ("two on one square, moving", MOVE, {"players.2.square": "i2"}, "players[2].square"),
    ("two on one stage", OVER, {"players.1.square": "a3"}, "players[1].square"),
    ("landed before the deal", DEAL, {"players.0.square": "a2"}, "players[0].square"),
    ("landed, bidding", BID, {"players.1.square": "a2"}, "players[1].square"),
    ("landed, playing", PLAY, {"players.1.square": "a2"}, "players[1].square"),
    ("landed before its move", MOVE, {"players.2.square": "a2"}, "players[2].square"),
    ("landed, to move", MOVE, {"players.1.square": "a2"}, "to_act|players[1].square"),
    ("unused points afloat", MOVE, {"players.0.square": "b3"}, "players[0].unused"),
    ("unused points before the end", BID, {"players.0.unused": 1}, "players[0].unused"),
    ("negative unused points", OVER, {"players.0.unused": -1}, "players[0].unused"),
    # Docks.
    ("docked out of turn", DOCK, {"players.0": {}, "players.1": {"square": "a9"}}, "players[0].square"),
    ("docked before the dealer's left", DOCK, {"dealer": 0}, "players[1].square"),
    ("everybody docked", DOCK, {"players.1": {"square": "a8"}, "players.2": {"square": "a10"}}, "phase"),
    ("no dock", DOCK, {"players.0.square": "b9"}, "players[0].square"),
    ("the cave for a dock", DOCK, {"players.0.square": "cave"}, "players[0].square"),
    ("two on one dock", DOCK, {"players.1": {"square": "a9"}}, "players[1].square"),
    ("docks that nobody chooses", DOCK, {"params": {"dock_choice": False}}, "phase"),
    ("a bid while docking", DOCK, {"players.0.bid": 1}, "players[0].bid"),
    ("a stage while docking", DOCK, {"players.0.square": "a3"}, "players[0].square"),
    # Bids.
    ("bid out of turn", BID, {"players.0.bid": ..., "players.1.bid": 1}, "players[0].bid"),
    ("bid before the dealer, who leads", BID, {"params": {"leader": "dealer"}}, "players[2].bid"),
    ("everybody has bid", BID, {"players.1.bid": 1, "players.2.bid": 1}, "players[2].bid"),
    ("a bid above the hand", BID, {"players.0.bid": 4}, "players[0].bid"),
    ("a negative bid", BID, {"players.0.bid": -1}, "players[0].bid"),
    ("a bid face down in turn", BID, {"players.0.bid": "?"}, "players[0].bid"),
    ("a bid shown at once", BID, {"params": {"bid_mode": "simultaneous"}}, "players[0].bid"),
    ("tricks before the play", BID, {"players.0.tricks": 1}, "players[0].tricks"),
    ("a bid missing in the play", PLAY, {"players.1.bid": ...}, "players[1].bid"),
    ("the last bid missing", PLAY, {"players.2.bid": ...}, "phase"),
    ("no bids in the play", PLAY, {f"players.{seat}.bid": ... for seat in range(3)}, "phase"),
    ("a bid missing, moving", MOVE, {"players.2.bid": ...}, "phase"),
    ("a bid above the hand, moving", MOVE, {"players.2.bid": 5}, "players[2].bid"),
    ("a sum that the hook forbids", PLAY, {"params": {"hook": True}, "players.2.bid": 3}, "players[2].bid"),
    ("a bid before the deal", DEAL, {"players.0.bid": 1}, "players[0].bid"),
    ("a bid at the end", OVER, {"players.0.bid": 1}, "players[0].bid"),
    # Hands and the trump.
    ("no trump, bidding", BID, {"trump": ...}, "trump"),
    ("no trump, playing", PLAY, {"trump": ...}, "trump"),
    ("a trump before the deal", DEAL, {"trump": "V1"}, "trump"),
    ("a trump, moving", MOVE, {"trump": "V1"}, "trump"),
    ("a suit for a trump", BID, {"trump": "V"}, "trump"),
    ("a card that there is not", BID, {"players.1.hand.0": "R11"}, "players[1].hand[0]"),
    ("a card of no suit", BID, {"players.1.hand.0": "S1"}, "players[1].hand[0]"),
    ("a number for a card", BID, {"players.1.hand.0": 7}, "players[1].hand[0]"),
    ("two cards for three", BID, {"players.1.hand": ["R4", "G1"]}, "players[1].hand"),
    ("four cards for three", BID, {"players.1.hand": ["R4", "G1", "G2", "G3"]}, "players[1].hand"),
    ("no hand, bidding", BID, {"players.1.hand": ...}, "players[1].hand"),
    ("the hand of who has played", PLAY, {"players.1.hand": ["B5", "G1", "G2"]}, "players[1].hand"),
    ("the hand of who has not", PLAY, {"players.0.hand": ["R1", "B3"]}, "players[0].hand"),
    ("a card twice in a hand", BID, {"players.1.hand.1": "R4"}, "players[1].hand[1]"),
    ("a card in two hands", BID, {"players.1.hand.0": "R1"}, "players[1].hand[0]"),
    ("the trump in a hand", BID, {"players.1.hand.0": "V1"}, "players[1].hand[0]"),
    ("a played card in a hand", PLAY, {"players.0.hand.0": "R7"}, "players[0].hand[0]"),
    ("a card on the table in a hand", PLAY, {"players.0.hand.2": "B8"}, "players[0].hand[2]"),
    ("a hand before the deal", DEAL, {"players.0.hand": ["R1"]}, "players[0].hand"),
    ("a hand, moving", MOVE, {"players.0.hand": ["R1"]}, "players[0].hand"),
    ("a hand at the end", OVER, {"players.0.hand": 1}, "players[0].hand"),
    # Tricks.
    ("tricks won that were not", PLAY, {"players.2.tricks": 1}, "players[2].tricks"),
    ("a trick that is not counted", PLAY, {"players.1.tricks": ...}, "players[1].tricks"),
    ("a trick led by another", PLAY, {"tricks_played.0.leader": 1}, "tricks_played[0].leader"),
    ("a trick led by nobody", PLAY, {"tricks_played.0.leader": ...}, "tricks_played[0].leader"),
    ("a trick not led by its winner", PLAY, {"current_trick.leader": 0}, "current_trick.leader"),
    ("a trick of two cards", PLAY, {"tricks_played.0.cards": ["R5", "V2"]}, "tricks_played[0].cards"),
    ("a running trick of all cards", PLAY, {"current_trick.cards": ["G7", "B8", "G4"]}, "current_trick.cards"),
    ("a running trick of none", PLAY, {"current_trick.cards": []}, "current_trick.cards"),
    ("a trick that is a list", PLAY, {"tricks_played.0": ["R5", "V2", "R7"]}, "tricks_played[0]"),
    ("an unknown field of a trick", PLAY, {"current_trick.winner": 1}, "current_trick.winner"),
    ("a card played twice", PLAY, {"current_trick.cards.0": "R7"}, "current_trick.cards[0]"),
    ("a card twice in a trick", PLAY, {"tricks_played.0.cards.2": "R5"}, "tricks_played[0].cards[2]"),
    ("the trump played", PLAY, {"tricks_played.0.cards.1": "V1"}, "trump"),
    ("all tricks played", PLAY, {"round": 8, "players.2.bid": 1}, "tricks_played"),
    ("red after not following it", PLAY, {"players.1.hand.0": "R8"}, "players[1].hand[0]"),
    ("green after not following it", PLAY, {"players.2.hand.0": "G5"}, "players[2].hand[0]"),
    ("red led after not following it", PLAY, {"current_trick.cards": ["R9", "R10"]}, "current_trick.cards[0]"),
    ("tricks before the deal", DEAL, {"tricks_played": []}, "tricks_played"),
    ("a running trick, bidding", BID, {"current_trick": {"leader": 0, "cards": ["G7"]}}, "current_trick"),
    ("tricks to look at, moving", MOVE, {"tricks_played": PLAY["tricks_played"]}, "tricks_played"),
    ("tricks won before the deal", DEAL, {"players.0.tricks": 1}, "players[0].tricks"),
    ("tricks won at the end", OVER, {"players.0.tricks": 0}, "players[0].tricks"),
    # Moves.
    ("too few tricks won", MOVE, {"players.1.tricks": 2}, "players"),
    ("too many tricks won", MOVE, {"players.2.tricks": 1}, "players"),
    ("more tricks than cards", MOVE, {"players.1.tricks": 5}, "players[1].tricks"),
    ("nobody to move", MOVE, {"to_act": ...}, "to_act"),
    ("an empty list to move", MOVE, {"to_act": []}, "to_act"),
    ("two to move", MOVE, {"to_act": [1, 2]}, "to_act"),
    ("a seat that there is not", MOVE, {"to_act": 3}, "to_act"),
    ("no points", MOVE, {"to_act": [2]}, "to_act"),
    ("a drift", MOVE, {"players.1.square": "d2"}, "to_act"),
    ("boxed in", MOVE, BOXED_IN, "to_act"),
    # Whose turn it is.
    ("another to dock", DOCK, {"to_act": [0]}, "to_act"),
    ("another to bid", BID, {"to_act": [2]}, "to_act"),
    ("another to play", PLAY, {"to_act": [1]}, "to_act"),
    ("somebody to act in a deal", DEAL, {"to_act": [0]}, "to_act"),
    ("somebody to act at the end", OVER, {"to_act": [1]}, "to_act"),
    ("one to act of all", BID, SIMULTANEOUS | {"to_act": [0]}, "to_act"),
    # The end.
    ("not over", OVER, {"players.0": {"square": "b3"}}, "phase"),
    ("over before the last round", OVER, {"players.0": {"square": "b3"}, "params": {"max_rounds": 6}}, "phase"),
    ("over without a cap", OVER, {"players.0": {"square": "b3"}, "params": {"max_rounds": None}}, "phase"),
    # Views.
    ("hidden hands without a viewer", PLAY, {"players.1.hand": 2, "players.2.hand": 2}, "viewer"),
    ("the viewer's own hand hidden", PLAY, VIEW | {"viewer": 1}, "players[1].hand"),
    ("a hidden hand of another size", PLAY, VIEW | {"players.1.hand": 3}, "players[1].hand"),
    ("a hidden hand of no size", PLAY, VIEW | {"players.2.hand": ...}, "players[2].hand"),
    ("a hidden hand that is true", PLAY, VIEW | {"players.1.hand": True}, "players[1].hand"),
    ("hidden bids in the play", PLAY, VIEW | {"players.1.bid": "?"}, "players[1].bid"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("position", "changes", "field"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG]
)
def test_wrong_positions(position: games.Position, changes: dict[str, Any], field: str) -> None:
    """One line that names the field."""
    wrong = changed(position, changes)
    if "viewer" not in wrong and field != "viewer":
        wrong["viewer"] = 0  # so that a view needs nothing more
    assert refused(wrong).field in field.split("|")


def test_the_one_number_that_a_hidden_hand_can_have() -> None:
    """It is named, not given as a range."""
    assert refused(changed(PLAY, VIEW | {"players.1.hand": 3})).problem == "expected 2, got 3"


def test_no_deal_fits() -> None:
    """Three seats are out of all but violet, of which there are nine cards, and yellow, of which there is one."""
    tricks = [
        {"leader": 0, "cards": ["R10", "Y1", "Y2", "Y3"]},
        {"leader": 0, "cards": ["G10", "Y4", "Y5", "Y6"]},
        {"leader": 0, "cards": ["B10", "Y7", "Y8", "Y9"]},
    ]
    players = [{"square": f"a{8 + seat}", "bid": 0, "hand": 5} for seat in range(4)]
    players[0] |= {"tricks": 3, "hand": ["R1", "R2", "R3", "R4", "R5"]}
    position = {"game": "canyon", "viewer": 0, "round": 1, "dealer": 3, "phase": "play", "trump": "V10",
                "players": players, "tricks_played": tricks}  # fmt: skip
    assert refused(position).field == "players"
    with pytest.raises(games.PositionError, match="no deal fits"):
        games.view_from(position)
    for trick, card in zip(tricks, ("R9", "G9", "B9"), strict=True):  # with one seat less they fit exactly
        trick["cards"][3] = card
    for sample in games.view_from(position).states(5, np.random.default_rng(1)):
        hands = games.position_of(sample)["players"]
        assert {card[0] for seat in (1, 2) for card in hands[seat]["hand"]} == {"V", "Y"}


def test_bids_that_lie_face_down_may_be_written() -> None:
    """They say nothing, and the canonical form leaves them out, also in a complete position."""
    plain = changed(BID, SIMULTANEOUS)
    written = changed(plain, {"players.0.bid": "?", "players.2.bid": "?"})
    assert games.position_of(games.state_from(written)) == games.position_of(games.state_from(plain))
    assert games.view_from(written, 1).position == games.view_from(plain, 1).position
    shown = games.position_of(games.state_from(written))
    assert not any("bid" in player for player in shown["players"])
    assert shown["to_act"] == [0, 1, 2]


def test_as_people_write_them(tmp_path: Any) -> None:
    """The YAML example with a home-made board, a seat without brackets, and defaults left out."""
    path = tmp_path / "brook.yaml"
    path.write_text(
        "game: canyon\n"
        "params:\n"
        "  board: |\n"
        "    ; name: brook\n"
        "    #WWWC###########\n"
        "    L888.........SSS\n"
        "round: 7\n"
        "dealer: 1\n"
        "phase: move\n"
        "to_act: 0\n"
        "players:\n"
        "- {square: h1, bid: 0, tricks: 2}\n"
        "- {square: p1, bid: 1}\n"
        "- {square: o1, bid: 1}\n"
    )
    state = games.state_from(games.read(path))
    position = games.position_of(state)
    assert position["params"]["board"] == "; name: brook\n#WWWC###########\nL888.........SSS"
    assert position["to_act"] == [0]
    assert position["players"][1] == {"square": "p1", "bid": 1}
    games.write(position, path)
    assert games.read(path) == position
    assert {move.text for move in games.moves(state)} == {"to f1", "stay on h1", "to j1"}


def test_order_of_fields() -> None:
    """Fields in the order of the format, whatever the order in which they were given."""
    for position in (*GOOD.values(), changed(PLAY, VIEW)):
        backwards = json.loads(json.dumps(position), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
        load = games.view_from if "viewer" in position else games.state_from
        one, other = load(position), load(backwards)
        written = one.position if isinstance(one, games.View) else games.position_of(one)
        again = other.position if isinstance(other, games.View) else games.position_of(other)
        assert json.dumps(again) == json.dumps(written)
        assert list(written)[:2] == ["game", "viewer" if "viewer" in position else "round"]
