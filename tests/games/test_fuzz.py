"""Thousands of broken position files: each is read, or refused in one line that names a field; nothing else happens."""

import copy
import io
import itertools
import json
import math
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from voyageur import games
from voyageur.games.spiel import DEFINITIONS

SEED = 20
NUMBER = {"canyon": 3_000, "niagara": 10_000, "virta": 3_000, "yellowhouse": 4_000}
PARTS = 5
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 8, 127, 128, 255, 256, 2**31, 2**63, -(2**63), 10**40, 0.5, -0.0, 1e300,
    float("nan"), float("inf"), "", "?", "S3", "S9", "CLOUD", "LEFT", "AME", "1", "\n", "a\nb", "\r", "\u2028", "\0",
    "\x85", "\ud800", "x" * 5000, [], {}, [[]], [None], [1, 1], {"a": 1}, {"": None}, ["?"] * 9, [{}] * 9,
    {"AME": 7}, {"a": {"at": "S1"}}, "!!python/object:os.system", "R1", "V10", "G", "cave", "a9", "move", ["R1", "G2"],
    {"leader": 0, "cards": ["R1"]}, "L8SSSS", "; name: x\nL8SSSS", {"R": 3, "Y": 9}, ["R", "R"], [[0, "V"]], 12,
)  # fmt: skip
ODD_KEYS = (
    "", "a\nb", "\u2028", "\ud800", "x" * 400, "viewer", "acted", "played", "gem", "at", "hand", "bid", "tricks",
    "trump", "params", "out", "R", "<<", "=", "null", "1",
)  # fmt: skip
FRAGMENTS = (
    "&a [*a]", "&a {x: *a}", "{<<: *a}", "!!bool maybe", "!!int ''", "!!int x", "!!float x", "!!timestamp x",
    "!!binary '?'", "!!python/name:os.system", "!!set {a, b}", "!!omap [a: 1]", "2001-13-45", "2001-01-01", "0x1g",
    "1:60:99", "9" * 5000, "-.inf", ".nan", "? [a]\n: b", "[" * 300, "{a: " * 300, "- " * 300, "*nowhere", "%YAML 9.9",
    "---\n---", "...", "\t", "\0", "'", '"', "|", ">", "@", "`", "{}", "[]", "!", "!<x> y", "1_000", "0o17", "~",
    '{"a": 1, "a": 2}', '"\\ud800"', "\\", "NaN", "-Infinity", "1e999",
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in `value` with every key or index in it."""
    found = []
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []:
        found.append((value, key))
        found += places(value[key])
    return found


def mutated(position: Any, dice: random.Random) -> Any:
    """A copy of the position with one to three things wrong (or at least different)."""
    position = copy.deepcopy(position)
    for _ in range(dice.randint(1, 3)):
        holder, key = dice.choice(places(position) or [({}, None)])
        if key is None or (isinstance(holder, list) and key >= len(holder)):
            continue
        what = dice.randrange(8)
        if what == 0:
            del holder[key]
        elif what == 1 and isinstance(holder, dict):
            holder[dice.choice(ODD_KEYS)] = copy.deepcopy(dice.choice(ODD_VALUES))
        elif what == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(dice.choice([*ODD_VALUES, holder[key]])))
        elif what == 3:
            other, other_key = dice.choice(places(position))
            holder[key] = copy.deepcopy(other[other_key])
        elif what == 4 and isinstance(holder[key], int):
            holder[key] += dice.choice([-2, -1, 1, 2, 100])
        elif what == 6 and isinstance(holder[key], str):
            holder[key] = torn(holder[key].encode("utf-8", "replace"), dice).decode("utf-8", "replace")
        elif what == 5:
            for _ in range(dice.choice([1, 5, 35])):
                holder[key] = [holder[key]] if dice.random() < 0.5 else {"a": holder[key]}
        else:
            holder[key] = copy.deepcopy(dice.choice(ODD_VALUES))
    return position


def as_json(position: Any, dice: random.Random) -> bytes:
    """The position as JSON."""
    return json.dumps(position, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")


def as_yaml(position: Any, dice: random.Random) -> bytes:
    """The position as YAML."""
    text = yaml.dump(position, allow_unicode=True, default_flow_style=dice.choice([None, True, False]))
    return text.encode("utf-8", "surrogatepass")


def torn(data: bytes, dice: random.Random) -> bytes:
    """The file with its bytes changed: cut off, doubled, overwritten, or with something odd put in."""
    what = dice.randrange(7)
    at = dice.randrange(len(data) + 1)
    if what == 0:
        return data[:at]
    if what == 1:
        return data[at:] + data[:at]
    if what == 2:
        return data[:at] + bytes(dice.randrange(256) for _ in range(dice.randint(1, 4))) + data[at + 1 :]
    if what == 3:
        return data + data[:at]
    spots = [i for i, byte in enumerate(data) if byte in b' :,[]{}\n"'] or [0]
    at = dice.choice(spots)
    return data[:at] + dice.choice(FRAGMENTS).encode() + data[at + dice.randint(0, 1) :]


def attempt(load: Callable[[], Any]) -> bool:
    """Whether `load` succeeds; its refusal must be one short line that names a field."""
    try:
        load()
    except games.PositionError as error:
        text = str(error)
        assert error.field
        assert text.startswith(error.field)
        assert text == f"{error.field}: {error.problem}"
        assert len(text) < 300
        assert text.isprintable()
        text.encode("utf-8")
        return False
    return True


def load_all(position: Any) -> bool:
    """The position as a state and as a view; whether either took it."""
    as_state = attempt(lambda: games.position_of(games.state_from(position)))
    as_view = attempt(lambda: games.view_from(position).position)
    assert as_state <= (as_view or "viewer" not in position)
    return as_state or as_view


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("game", NUMBER)
def test_mutated_files(
    game: str, part: int, cases: Callable[[str], list[dict[str, Any]]], record_property: Callable[[str, object], None]
) -> None:
    """Changed values, keys and bytes, as JSON and as YAML."""
    dice = random.Random(SEED + part)
    slowest, taken, number = (0.0, b""), 0, NUMBER[game] // PARTS
    positions = [case["position"] for case in cases(game) if case.get("kind") not in ("river", "value")]
    for _ in range(number):
        position = dice.choice(positions)
        if dice.random() < 0.7:
            position = mutated(position, dice)
        data = (as_yaml if dice.random() < 0.4 else as_json)(position, dice)
        if dice.random() < 0.4:
            data = torn(data, dice)
        begun = time.perf_counter()
        try:
            given = games.read(io.BytesIO(data))
        except games.PositionError as error:
            assert not attempt(_raiser(error))
        else:
            taken += load_all(given)
        slowest = max(slowest, (time.perf_counter() - begun, data[:80]))
    record_property("slowest", slowest[0])
    print(f"part {part}: {taken} taken, the slowest took {slowest[0]:.3f} s: {slowest[1]!r}")
    assert 0.02 * number < taken < 0.5 * number  # most are refused, but not all for the same reason


def _raiser(error: Exception) -> Callable[[], Any]:
    def fail() -> None:
        raise error

    return fail


# Of each game a position, its fields, and the fields of a player.
FIELDS: dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {
    "canyon": (
        {"game": "canyon", "round": 8, "dealer": 2, "phase": "play", "trump": "R9", "players": [
            {"square": "a9", "bid": 1, "hand": ["R1"]}, {"square": "a10", "bid": 1, "hand": ["R2"]},
            {"square": "a11", "bid": 0, "hand": ["R3"]}]},
        ("game", "params", "viewer", "round", "dealer", "phase", "trump", "to_act", "players", "tricks_played",
         "current_trick"),
        ("square", "unused", "bid", "tricks", "hand"),
    ),
    "niagara": (
        {"game": "niagara", "players": [{}, {}, {}]},
        ("game", "params", "viewer", "round", "phase", "first_player", "weather", "fork", "players", "sites"),
        ("cards", "played", "acted", "canoes", "gems"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [*ODD_VALUES, object(), b"x", {1: 2}, {None: 1}, {("a",): 1}, (1, 2), math])
def test_odd_python_values(value: Any, name: str) -> None:
    """What is handed over in Python without a file, as the position and as each of its fields."""
    with pytest.raises(games.PositionError):
        games.state_from(value)
    position, fields, of_player = FIELDS[name]
    for field in fields:
        load_all(position | {field: value})
    first, second, third = position["players"]
    for field in of_player:
        load_all(position | {"players": [first, second | {field: value}, third]})
    if isinstance(value, str | int):
        load_all(position | {value: 1})


BOARDS = (
    "; name: brook\n#WWWC####\nL8888..S#\nL2#89.#.S\n#.698..SS",
    "; cave_exits: g0 a1\nL8W.C#....\n.88..#SSSS\n......SS..",
    "L88.S\nL12.S",
)


def test_mutated_boards() -> None:
    """Texts of boards with something else in them: each can be played on, or is refused in one line."""
    dice, taken = random.Random(SEED), 0
    for _ in range(800):
        text = dice.choice(BOARDS)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(text) + 1)
            what = dice.choice(
                ["", "#", "S", "L", "C", "W", "8", ".", "\n", " ", ";", "\0", "x" * 60, "\u2028", "\ud800", "%"]
            )
            text = text[:at] + what + text[at + dice.randint(0, 1) :]
        if attempt(lambda text=text: games.load("canyon", players=2, board=text)):
            taken += 1
            game = games.load("canyon", players=2, board=text, max_rounds=1)
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(dice.choice(state.legal_actions()))
            assert games.position_of(games.state_from(games.position_of(state))) == games.position_of(state)
    assert 100 < taken < 600


OPENING = {
    "game": "yellowhouse",
    "phase": "exchange",
    "players": [{"hand": {"R": 6, "V": 6}}, {"hand": {"G": 6, "Y": 6}}],
}


@pytest.mark.parametrize("value", [*ODD_VALUES, object(), b"x", {1: 2}, {None: 1}, {("a",): 1}, (1, 2), math])
def test_odd_python_values_of_yellowhouse(value: Any) -> None:
    """The same for its fields and parameters, in every phase, and for hands that are dealt."""
    for phase, field in itertools.product(
        ("deal", "exchange", "play", "over"),
        ("params", "round", "leader", "to_act", "must_lead", "viewer", "winner", "players", "rows", "supply", "trick"),
    ):
        load_all(OPENING | {"phase": phase, field: value})
    for field in ("hand", "gave", "out", "supports_used", "palette"):
        load_all(OPENING | {"players": [OPENING["players"][0], {field: value}]})
        load_all(
            OPENING | {"phase": "play", "viewer": 0, "players": [OPENING["players"][0], {"hand": 12, field: value}]}
        )
    for parameter in DEFINITIONS["yellowhouse"].words.parameters:
        load_all(OPENING | {"params": {parameter.name: value}})
    deal = games.load("yellowhouse", first_leader=0).new_initial_state()
    hand = OPENING["players"][0]["hand"]
    attempt(lambda: games.deal(deal, hands=value))
    attempt(lambda: games.deal(deal, hands={0: value, 1: hand}))
    attempt(lambda: games.deal(deal, hands={0: hand | {"G": value}, 1: hand}))


@pytest.mark.parametrize("value", [*ODD_VALUES, object(), b"x", {1: 2}, {None: 1}, {("a",): 1}, (1, 2), math])
def test_odd_python_values_of_virta(value: Any) -> None:
    """The same for virta, whose boards are parameters: as each field, as each key of the board, and inside those."""
    good = {"game": "virta", "phase": "spiral", "to_act": 0, "river": {"M1": "A"}, "players": [{}, {}]}
    for field in ("params", "phase", "to_act", "first_player", "turns_done", "flow_free", "river", "players", "viewer"):
        load_all(good | {field: value})
    for field in ("action", "tokens", "points", "flow_tokens", "delivered", "pawns"):
        load_all(good | {"players": [{}, {field: value}]})
    load_all(
        good | {"players": [{}, {"pawns": {"a": value, "b": {"at": value}, "c": {"at": "N1", "carries": [value]}}}]}
    )
    for parameter in DEFINITIONS["virta"].words.parameters:
        for inside in (value, [value], {"M1": value}, {"N1": {"near": value}}, {"N1": {"near": [], "touch": [value]}}):
            load_all(good | {"params": {parameter.name: inside}})
            attempt(lambda name=parameter.name, inside=inside: games.load("virta", **{name: inside}))


def refused(text: str | bytes) -> str:
    """The message with which a file is refused."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    with pytest.raises(games.PositionError) as error:
        games.state_from(games.read(io.BytesIO(data)))
    assert not attempt(_raiser(error.value))
    return str(error.value)


LAUGHS = "\n".join(["l0: &l0 [x, x]"] + [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 30)])
MERGES = "\n".join(
    ["m0: &m0 {k: 1}"] + [f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 9)}]}}" for i in range(1, 30)]
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\n",
        "# nothing",
        "null",
        "[]",
        "42",
        "niagara",
        b"\xff\xfe",
        b"\x80",
        b"\xef\xbb\xbf",
        b"game: niagara\xff",
        "[" * 100_000,
        "{" * 100_000,
        "{a: " * 50_000,
        '{"a":' * 100_000,
        "- " * 100_000,
        "a:\n" + "".join(" " * i + "- \n" for i in range(1, 500)),
        LAUGHS,
        f"game: niagara\nplayers: *p\n{LAUGHS}",
        f"{LAUGHS}\ngame: niagara\nplayers: *l29",
        MERGES,
        f"{MERGES}\ngame: niagara\nplayers: [*m29, *m29, *m29]",
        "game: niagara\nplayers: &p [*p, *p, *p]",
        "&a {game: niagara, players: *a}",
        "&a {game: niagara, players: [{}, {}, {}], params: {<<: *a}}",
        "game: niagara\ngame: niagara\nplayers: [{}, {}, {}]",
        '{"game": "niagara", "players": [{}, {}, {}], "players": []}',
        '{"game": "niagara", "players": [{"a\\nb": 1}, {}, {}]}',
        '{"game": "niagara", "players": [{}, {}, {}], "a\\nb": 1, "a\\nb": 1}',
        "game: niagara\nplayers: [{}, {}, {}]\nround: 2001-01-01",
        "game: niagara\nplayers: [{}, {}, {}]\nround: " + "9" * 10_000,
        '{"game": "niagara", "players": [{}, {}, {}], "round": ' + "9" * 10_000 + "}",
        "game: niagara\nplayers: " + "[{}, " * 3,
        "game: niagara\n--- \ngame: niagara",
        " " * 300_000,
        "game: niagara\nplayers: [{}, {}, {}]\n" + "#" * 300_000,
    ],
)
def test_hostile_files(text: str | bytes) -> None:
    """Deep, cyclic, exponential, doubled, cut off, too long: each is one line at once."""
    refused(text)


def test_messages_say_where() -> None:
    """The field at fault, and for a broken file the line."""
    assert refused("game: niagara\nplayers: [{}, {at: 1}, {}]").startswith("players[1].at: unknown field")
    assert refused("game: niagara\nplayers:\n  - {}\n  - {\n").startswith("file: neither YAML nor JSON (line ")
    assert refused("game: niagara\nround: 1\nround: 2").startswith("round: given twice (line 3)")
    assert refused('{"game": "niagara", "round": 1, "round": 2}').startswith("round: given twice")
    assert refused(b"game: \xff") == "file: not UTF-8 text (byte 7)"


def test_yaml_that_people_write() -> None:
    """Anchors, comments, a byte order mark, flow style and JSON in a YAML file are all fine."""
    wanted = games.state_from({"game": "niagara", "players": [{"cards": [1, 2]}] * 3}).box.record.tobytes()
    for text in (
        "# a comment\ngame: niagara\nplayers:\n  - &p {cards: [1, 2]}\n  - *p\n  - *p\n",
        "\ufeffgame: niagara\nplayers: [{cards: [2, 1]}, {cards: [1, 2]}, {cards: [1, 2]}]",
        '{"game": "niagara", players: [{cards: [1, 2]}, {"cards": [1, 2]}, {cards: [1, 2]}]}',
        '  {"game": "niagara", "players": [{"cards": [1, 2]}, {"cards": [1, 2]}, {"cards": [1, 2]}]}\n',
    ):
        assert games.state_from(games.read(io.StringIO(text))).box.record.tobytes() == wanted or text[0] == "\ufeff"
        assert games.state_from(games.read(io.BytesIO(text.encode()))).box.record.tobytes() == wanted
