"""A game at the table, entry by entry: what is known, what is refused, taking back and changing, and the record.

With `--thorough`, 200 games of each are followed instead of 2, and 50 tables are killed instead of 3.
"""

import datetime
import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from voyageur import games, solvers
from voyageur.eval import record
from voyageur.eval.players import Players
from voyageur.eval.record import TABLE, Event, Header, check_names
from voyageur.eval.session import Session
from voyageur.games import positions, rules
from voyageur.games.table import Refusal

RULES: dict[str, dict[str, Any]] = {
    "canyon": {"max_rounds": 3},
    "niagara": {"max_rounds": 8},
    "virta": {"turn_limit": 24},
    "yellowhouse": {},
}
THOROUGH: dict[str, dict[str, Any]] = {
    "canyon": {"max_rounds": 14},
    "niagara": {"max_rounds": 25},
    "virta": {"turn_limit": 100},
    "yellowhouse": {},
}
VARIANTS: list[dict[str, Any]] = [
    {"game": "canyon", "bid_mode": "simultaneous", "max_rounds": 1},
    {"game": "canyon", "hook": True, "leader": "dealer", "dock_choice": False, "max_rounds": 1},
    {"game": "niagara", "fork_mode": "RANDOM", "max_recover_per_round": 2, "max_rounds": 5},
    {"game": "niagara", "reveal": "SIMULTANEOUS", "initial_fork": "RANDOM", "max_rounds": 5},
    {"game": "virta", "flow_return": "round", "turn_limit": 16},
    {"game": "yellowhouse", "leader_may_pass": True, "max_level": None, "supports_per_turn": 2},
    {"game": "yellowhouse", "elements": 3, "copies": 5, "hand": 4, "exchange": 1, "auto_end_full_trick": False},
    {"game": "yellowhouse", "exchange_every_round": False, "kept_cards_leave_deck": False},
    {"game": "yellowhouse", "exchange": 0, "scope": "round"},
]
NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Flo")
GAMES = sorted(RULES)


def whole_game(name: str, seed: int, params: dict[str, Any]) -> Session:
    """A game of plain and random players, everything told, kept by one of them."""
    rng = np.random.default_rng(seed)
    low, high = positions.definition(name).players
    n = int(rng.integers(low, high + 1))
    plays = tuple("random" if rng.random() < 0.2 else "scripted" for _ in range(n))
    header = Header(name, NAMES[:n], int(rng.integers(n)), params, True, plays)
    session, players = Session(header), Players(header, solvers.Limit(nodes=1), seed)
    while (event := players.next_event(session)) is not None:
        session.enter(event)
    return session


def at_table(true: Session) -> Session:
    """A new table with the same players, rules and keeper, who sees what a player sees."""
    return Session(replace(true.header, everything=False, plays=()))


def noticed(true: Session) -> list[Event]:
    """What the keeper of a game notices of it: all that is typed at the table."""
    return [event for moment in true.moments for event in moment.noticed]


def follow(true: Session) -> Iterator[tuple[Session, Any]]:
    """The table before every own decision, with the state that is true then; at the end with the last one."""
    table, me = at_table(true), true.header.me
    for before, moment in zip(true.moments, true.moments[1:], strict=False):
        if moment.event is not None and moment.event.seat == me and not before.known.choices:
            yield table, before.known.state
        for event in moment.noticed:
            table.enter(event)
    yield table, true.now.known.state


@pytest.fixture(scope="module")
def one_game() -> Callable[[str], Session]:
    """A function of a name: a whole short game of it, always the same."""
    found: dict[str, Session] = {}

    def make(name: str) -> Session:
        if name not in found:
            found[name] = whole_game(name, 5, RULES[name])
        return found[name]

    return make


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    thorough = metafunc.config.getoption("--thorough")
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(200 if thorough else 2))
    if "kill" in metafunc.fixturenames:
        metafunc.parametrize("kill", range(50 if thorough else 3))


@pytest.mark.parametrize("name", GAMES)
def test_the_table_knows_what_its_seat_knows(name: str, seed: int, request: pytest.FixtureRequest):
    params = THOROUGH[name] if request.config.getoption("--thorough") else RULES[name]
    true = whole_game(name, seed, params)
    me, decisions, longest = true.header.me, 0, 0
    for table, state in follow(true):
        known = table.now.known
        assert known.position == games.position_of(state, me)
        key = rules.information_key(known.record[0], known.game.c, me)
        assert key == rules.information_key(state.box.s, state.game.c, me)
        if known.ask.kind != "over":
            longest = max([longest, *(len(option.key) for option in known.options_of(me))])
            assert {option.text for option in known.options_of(me)} == {
                move.text for move in games.moves(state, me)
            }  # what is hidden changes nothing of what can be done
            decisions += 1
    assert true.now.known.ask.kind == "over"
    assert decisions > 3
    assert longest <= 4  # keystrokes


@pytest.mark.parametrize("params", VARIANTS, ids=lambda params: "-".join(map(str, params.values())))
def test_the_table_knows_what_its_seat_knows_by_other_rules(params: dict[str, Any]):
    name = str(params["game"])
    true = whole_game(name, 3, {key: value for key, value in params.items() if key != "game"})
    for table, state in follow(true):
        assert table.now.known.position == games.position_of(state, true.header.me)
    assert true.now.known.ask.kind == "over"


@pytest.mark.parametrize(("name", "every"), [("canyon", 5), ("yellowhouse", 1)])
def test_others_are_offered_what_some_deal_allows(name: str, every: int, one_game: Callable[[str], Session]):
    rng, me, offered = np.random.default_rng(2), one_game(name).header.me, 0
    for moment in one_game(name).moments[::every]:
        known = moment.mine
        if known.ask.kind != "move" or known.ask.seat == me:
            continue
        options = {option.text: option for option in known.options}
        for world in known.view.states(20, rng):
            assert {move.text for move in games.moves(world)} <= options.keys()
        for text in list(options)[::every]:
            after = known.after(known.ask.seat, text)
            if games.at_decision(after.state) and after.ask.kind != "deal":
                # The reader of positions looks for a deal that fits, in its own way.
                assert games.view_from(after.position, me).position == after.position
                offered += 1
    assert offered > 10


@pytest.mark.parametrize("name", GAMES)
def test_what_is_typed_is_recognized(name: str, one_game: Callable[[str], Session]):
    true = one_game(name)
    table = at_table(true)
    for event in noticed(true):
        known = table.now.known
        asked = (
            table.header.me if known.ask.kind == "choice" and table.header.me not in known.choices else known.ask.seat
        )
        keys = {option.text: option.key for option in known.options_of(event.seat)}
        typed = keys.get(event.text, event.text)
        if event.seat != asked:
            typed = f"{table.header.names[event.seat or 0]}: {typed}"
        assert table.recognize(typed) == event
        table.enter(event)


@pytest.mark.parametrize("name", GAMES)
def test_a_record_leads_to_the_same_end(name: str, one_game: Callable[[str], Session], tmp_path: Path):
    true, path = one_game(name), tmp_path / "record.txt"
    table = at_table(true)
    table.save_as(path)
    for event in noticed(true):
        table.enter(event)
    again = Session.open(path)
    assert again.header == table.header
    assert again.entries == table.entries
    assert again.now.known.position == table.now.known.position
    true.save_as(tmp_path / "all.txt")
    everything = Session.open(tmp_path / "all.txt")
    assert everything.now.known.position == true.now.known.position
    assert everything.now.mine.position == table.now.known.position


# Taking back and changing.


def part(true: Session, entries: int, path: Path) -> Session:
    """A table, with a record, after so many entries."""
    table = at_table(true)
    table.save_as(path)
    for event in noticed(true)[:entries]:
        table.enter(event)
    return table


def same(table: Session, path: Path) -> bool:
    """Whether the record leads to where the table stands."""
    again = Session.open(path)
    now, then = again.now.known, table.now.known
    return (
        again.entries == table.entries
        and again.undone == table.undone
        and again.header == table.header
        and now.record.tobytes() == then.record.tobytes()
        and now.choices == then.choices
    )


@pytest.mark.parametrize("name", GAMES)
def test_undo_and_redo(name: str, one_game: Callable[[str], Session], tmp_path: Path):
    path = tmp_path / "record.txt"
    table = part(one_game(name), 20, path)
    entries, record_then = table.entries, table.now.known.record.tobytes()
    table.undo(7)
    assert table.entries == entries[:13] and same(table, path)
    table.undo()
    table.redo(5)
    assert table.entries == entries[:17] and same(table, path)
    table.redo(3)
    assert table.entries == entries and table.now.known.record.tobytes() == record_then and same(table, path)
    table.undo(4)
    table.undo(1)
    table.save_as(tmp_path / "again.txt")
    assert same(table, tmp_path / "again.txt")
    table.redo(2)
    assert table.entries == entries[:17] and same(table, tmp_path / "again.txt") and not same(table, path)
    path = tmp_path / "again.txt"
    table.undo()
    table.enter(entries[16])
    with pytest.raises(ValueError, match="nothing to bring back"):
        table.redo()
    assert same(table, path)


def yellow(path: Path | None = None) -> Session:
    """The Yellow House as Ann follows it, three entries into the first round."""
    table = Session(Header("yellowhouse", ("Ann", "Bob"), 0, {"first_leader": 0}))
    if path is not None:
        table.save_as(path)
    for event in (Event(TABLE, "R6 V0 G3 Y3"), Event(0, "give G G"), Event(1, "give V V"), Event(0, "claim Y")):
        table.enter(event)
    return table


def test_one_writer_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two programs would write over each other's lines, or add to other entries than they have read."""
    path = tmp_path / "record.txt"
    table = yellow(path)
    with pytest.raises(ValueError, match=r"record\.txt: another program is writing this record"):
        Session.open(path, to_write=True)
    assert same(table, path)
    table.close()

    def nobody_else(path: Path) -> record.Record:
        with pytest.raises(ValueError, match="another program"):
            record.Writer(path, None)
        return read(path)

    read = record.read
    with monkeypatch.context() as patched:
        patched.setattr(record, "read", nobody_else)
        Session.open(path, to_write=True).enter(Event(1, "pass"))
    assert len(Session.open(path).entries) == 5


def test_what_is_no_record_stays_as_it_is(tmp_path: Path):
    """And free for others to write."""
    path = tmp_path / "notes.txt"
    path.write_text("milk\nbre")
    for _ in range(2):
        with pytest.raises(games.PositionError, match=r"^line 1: expected 'voyageur record 1'"):
            Session.open(path, to_write=True)
    assert path.read_text() == "milk\nbre"


@pytest.mark.parametrize("name", ["undo", "edit piaf", "Table", "P1", "_", "Ann: x", "A" * 17])
def test_names_that_a_record_cannot_tell_from_its_own_words(name: str):
    with pytest.raises(games.PositionError, match=r"^players\[1\]: expected a name"):
        check_names(("Ann", name))


def test_edit_insert_delete(tmp_path: Path):
    path = tmp_path / "record.txt"
    table = yellow(path)
    table.edit(3, Event(1, "give V Y"))
    assert table.entries[2].text == "give V Y" and same(table, path)
    assert table.now.known.position["players"][1]["gave"] == ["V", "Y"]
    table.undo()
    table.delete(3)
    assert len(table.entries) == 2 and same(table, path)
    table.insert(2, Event(1, "give R V"))
    assert [event.who for event in table.entries] == [TABLE, 1, 0] and same(table, path)


def test_a_change_that_contradicts_what_follows_changes_nothing(tmp_path: Path):
    path = tmp_path / "record.txt"
    table = yellow(path)
    before, entries = path.read_bytes(), table.entries
    with pytest.raises(Refusal, match=r"entry 4 \(Ann: claim Y\): it takes 1 cards Y, P0 holds 0"):
        table.edit(1, Event(TABLE, "R6 V0 G6 Y0"))
    with pytest.raises(Refusal, match="entry 3"):
        table.delete(2)
    with pytest.raises(ValueError, match="expected a number from 1 to 4"):
        table.delete(5)
    assert path.read_bytes() == before and table.entries == entries and same(table, path)


def test_a_refusal_names_the_entry_that_it_contradicts():
    table = yellow()
    table.enter(Event(1, "claim V"))
    with pytest.raises(Refusal) as caught:
        table.enter(Event(0, "claim V"))
    said = table.why_not(caught.value)
    assert said == "V has been claimed in this trick; that contradicts entry 5 (Bob: claim V): undo, or edit 5"
    table.undo()
    with pytest.raises(Refusal) as caught:
        table.enter(Event(1, "strengthen R"))
    assert "it takes 2 cards R of Bob" in table.why_not(caught.value)
    assert "entry 1 (table: R6 V0 G3 Y3)" in table.why_not(caught.value)


def test_house_rules_from_the_beginning_on(tmp_path: Path):
    path = tmp_path / "record.txt"
    table = yellow(path)
    assert table.now.known.position["supply"] == 5
    table.set_rule("supports", 2)
    assert table.now.known.position["supply"] == 2 and same(table, path)
    table.set_rule("supports", 4)
    assert table.now.known.position["supply"] == 4 and same(table, path)
    day = datetime.date(2026, 1, 1)  # as a YAML reader may find one
    for name, value in (("no_such", 1), ("supports", -3), ("supports", day), ("sequential", True), ("hand", 11)):
        with pytest.raises(ValueError, match=name if name != "hand" else "entry 1"):
            table.set_rule(name, value)
    assert table.header.rules == {"first_leader": 0, "supports": 4} and same(table, path)


def test_a_position_that_is_set(tmp_path: Path):
    path = tmp_path / "record.txt"
    table = yellow(path)
    position = table.now.known.position | {"rows": {"R": 1, "V": 3, "G": 5, "Y": 1}}
    table.enter(Event(record.POSITION, json.dumps(position)))
    assert table.now.known.position == position and same(table, path)
    with pytest.raises(ValueError, match="a position has been set"):
        table.set_rule("supports", 2)
    for wrong in (
        '{"game": "niagara", "viewer": 0, "players": [{}, {}, {}]}',
        "{",
        "[]",
        json.dumps({"game": "canyon"}),
    ):
        with pytest.raises(ValueError, match="position"):
            table.enter(Event(record.POSITION, wrong))
    assert same(table, path)
    table.enter(Event(1, "pass"))
    assert same(table, path)


def test_a_misdeal():
    table = yellow()
    assert table.since_deal() == 4
    table.undo(table.since_deal())
    assert table.now.known.ask.kind == "deal"
    with pytest.raises(ValueError, match="nothing has been dealt"):
        table.since_deal()


# What is wrong.


def wrong_lines(
    table: Session, rng: np.random.Generator, others: list[Event]
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Things that cannot be entered or done now, with what tries it."""
    known, header = table.now.known, table.header
    impossible = [option.text for option, _ in known.impossible_of(known.ask.seat)]
    # A deal or a face-down choice that fits another moment may fit this one too.
    other = others[int(rng.integers(len(others)))]
    possible = {option.text for option in known.options_of(other.seat)} | {"?"}
    if other.text not in possible and known.ask.kind != "deal":
        yield "an event of another moment", lambda: table.enter(other)
    if impossible:
        text = impossible[int(rng.integers(len(impossible)))]
        yield text, lambda: table.enter(Event(known.ask.seat if known.ask.seat is not None else TABLE, text))
    if known.ask.kind not in ("choice", "over"):
        seats = [seat for seat in range(len(header.names)) if seat != known.ask.seat]
        seat = seats[int(rng.integers(len(seats)))]
        yield "out of turn", lambda: table.enter(Event(seat, "pass"))
    letters = "".join(rng.choice(list("qzj#%&$"), int(rng.integers(1, 9))))
    yield letters, lambda: table.enter(table.recognize(letters))
    number = len(table.entries) + int(rng.integers(1, 99))
    yield "undo too much", lambda: table.undo(number)
    yield "delete what is not there", lambda: table.delete(number)
    yield "edit what is not there", lambda: table.edit(number, Event(0, letters))
    yield "a broken position", lambda: table.enter(Event(record.POSITION, letters))
    yield "a rule that there is not", lambda: table.set_rule(letters, 1)
    if known.ask.kind == "deal":
        yield "a broken deal", lambda: table.enter(Event(TABLE, letters))


@pytest.mark.parametrize("name", GAMES)
def test_what_cannot_be_is_refused_in_a_line_and_changes_nothing(
    name: str, one_game: Callable[[str], Session], tmp_path: Path
):
    true, path, rng = one_game(name), tmp_path / "record.txt", np.random.default_rng(1)
    events = noticed(true)
    table, refused = part(true, 0, path), 0
    for event in events:
        for what, attempt in wrong_lines(table, rng, events):
            before = (path.read_bytes(), table.entries, table.undone, table.header, table.moments[:])
            with pytest.raises(ValueError) as caught:
                attempt()
            said = table.why_not(caught.value)
            assert said and "\n" not in said, what
            assert before == (path.read_bytes(), table.entries, table.undone, table.header, table.moments)
            refused += 1
        table.enter(event)
    assert refused >= 250  # a thousand in all four


@pytest.mark.parametrize("name", GAMES)
def test_whatever_is_typed_is_taken_or_refused(name: str, one_game: Callable[[str], Session], tmp_path: Path):
    true, path = one_game(name), tmp_path / "record.txt"
    tables = [part(true, entries, tmp_path / f"{entries}.txt") for entries in (0, 1, 4, 20, 1000)]

    @hypothesis.settings(max_examples=150, deadline=None)
    @hypothesis.given(st.integers(0, 4), st.text(max_size=40) | st.from_regex(r"(Ann|table|position|p1): ?.{0,30}"))
    def type_it(which: int, text: str) -> None:
        entries = tables[which].entries
        try:
            tables[which].enter(tables[which].recognize(text))
            tables[which].undo()
        except ValueError as error:
            assert "\n" not in str(error)
        assert tables[which].entries == entries

    type_it()
    assert not path.exists()
    assert all(Session.open(tmp_path / f"{entries}.txt").entries == table.entries
               for entries, table in zip((0, 1, 4, 20, 1000), tables, strict=True))  # fmt: skip


# Records.


@hypothesis.settings(
    max_examples=150, deadline=None, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)
@hypothesis.given(st.lists(st.text(max_size=30) | st.sampled_from(
    ["voyageur record 1", "game: niagara", "players: Ann, Bob, Cid", "me: Bob", "table: P0 starts", "Bob: card 3",
     "undo 1", "redo 1", "edit 1 table: P1 starts", "rules: {}", "position: {}", "knows: all"])))  # fmt: skip
def test_whatever_a_record_says_is_read_or_refused(tmp_path: Path, more: list[str]):
    path = tmp_path / "record.txt"
    for text in ("\n".join(more), lines(*more)):
        path.write_bytes(text.encode(errors="surrogatepass"))
        try:
            Session.open(path)
        except games.PositionError as error:
            assert "\n" not in str(error)


def lines(*more: str) -> str:
    return "\n".join(["voyageur record 1", "game: niagara", "players: Ann, Bob, Cid", "me: Bob", "", *more]) + "\n"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "line 1"),
        ("voyageur record 2\n", "line 1"),
        ("voyageur record 1\ngame: niagara\n", "file"),
        (lines().replace("niagara", "chess"), "line 2"),
        (lines().replace("Bob, Cid", "Bob, bob"), "line 3"),
        (lines().replace("Bob, Cid", "undo, Cid"), "line 3"),
        (lines().replace("me: Bob", "me: Eve"), "line 4"),
        (lines().replace("\n\n", "\nknows: some\n\n"), "line 5"),
        (lines().replace("\n\n", "\nrules: 5\n\n"), "line 5"),
        (lines().replace("\n\n", '\nrules: {"no": 5}\n\n'), "no"),
        (lines("hello"), "line 6"),
        (lines("Eve: card 1"), "line 6"),
        (lines("Bob:"), "line 6"),
        (lines("undo 1"), "line 6"),
        (lines("undo"), "line 6"),
        (lines("undo all"), "line 6"),
        (lines("table: P0 starts", "redo 1"), "line 7"),
        (lines("table: P0 starts", "edit 2 Bob: card 1"), "line 7"),
        (lines("table: P0 starts", "edit 1"), "line 7"),
        (lines("table: P0 starts", "Bob: card 9"), "entry 2 (Bob: card 9)"),
        (lines("table: P0 starts", "Ann: card 1"), "entry 2 (Ann: card 1)"),
        (lines("position: {}"), "entry 1 (position: {})"),
        (lines("position: " + "[" * 500), "entry 1 (position: [["),
        (lines().replace("Bob, Cid", "Bob, P0"), "line 3"),
    ],
)
def test_broken_records(text: str, field: str, tmp_path: Path):
    path = tmp_path / "record.txt"
    path.write_text(text)
    with pytest.raises(games.PositionError) as caught:
        Session.open(path)
    assert str(caught.value).startswith(field)
    assert "\n" not in str(caught.value)


def test_the_record_in_the_docs(request: pytest.FixtureRequest):
    session = Session.open(request.config.rootpath / "docs" / "records" / "yellowhouse.txt")
    assert session.now.known.ask.kind == "over" and len(session.entries) == 60


def test_bytes_that_are_no_text(tmp_path: Path):
    path = tmp_path / "record.txt"
    path.write_bytes(lines("table: P0 starts").encode() + b"\xff\n")
    with pytest.raises(games.PositionError, match="line 7"):
        Session.open(path)


def test_comments_and_empty_lines_are_left_out(tmp_path: Path):
    path = tmp_path / "record.txt"
    path.write_text(lines("# we play in the garden", "", "table: P0 starts", "", "Bob: card 3"))
    assert len(Session.open(path).entries) == 2


def test_a_torn_last_line_was_not_confirmed(tmp_path: Path):
    path = tmp_path / "record.txt"
    path.write_text(lines("table: P0 starts") + "Bob: car")
    session = Session.open(path, to_write=True)
    assert len(session.entries) == 1
    session.enter(Event(1, "card 3"))
    assert path.read_text() == lines("table: P0 starts", "Bob: card 3")


def test_a_line_that_cannot_be_written_is_not_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "record.txt"
    table = yellow(path)
    before, entries = path.read_bytes(), table.entries

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        for attempt in (lambda: table.enter(Event(1, "pass")), table.undo, lambda: table.set_rule("supports", 2)):
            with pytest.raises(OSError, match="No space left"):
                attempt()
    assert path.read_bytes() == before and table.entries == entries and same(table, path)
    table.enter(Event(1, "pass"))
    assert same(table, path)


def test_a_record_is_never_overwritten(tmp_path: Path):
    path = tmp_path / "record.txt"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        yellow(path)
    assert path.read_text() == "mine"


def test_a_killed_table_goes_on_where_it_stood(kill: int, one_game: Callable[[str], Session], tmp_path: Path):
    rng = np.random.default_rng(kill)
    true, path = one_game(GAMES[kill % len(GAMES)]), tmp_path / "record.txt"
    table, events = at_table(true), noticed(true)
    after = int(rng.integers(1, len(events)))
    said = [f"{table.header.names[e.seat] if e.seat is not None else TABLE}: {e.text}\n" for e in events]
    arguments = ["table", true.header.game, "--players", ",".join(table.header.names)]
    arguments += ["--me", table.header.names[table.header.me], "--record", str(path)]
    arguments += [part for name, value in table.header.rules.items() for part in ("--set", f"{name}={value}")]
    process = subprocess.Popen(
        [sys.executable, "-m", "voyageur.cli.main", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("".join(said))
    process.stdin.flush()
    confirmed = 0
    for line in process.stdout:
        if line.startswith(f"{confirmed + 1:>4}  ") and line[6:].split(":")[0] in (*table.header.names, TABLE):
            confirmed += 1
            if confirmed == after:
                break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    resumed = Session.open(path, to_write=True)
    assert len(resumed.entries) >= confirmed == after
    assert list(resumed.entries) == events[: len(resumed.entries)]
    for event in events[len(resumed.entries) :]:
        resumed.enter(event)
    assert Session.open(path).now.known.position == true.now.mine.position
