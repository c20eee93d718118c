"""What a seat cannot know is in no answer: hidden things are swapped, and every byte has to stay."""

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
import pytest

from voyageur import games
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import State
from voyageur.solvers.engine import Engine, Lines

GAMES = (
    "canyon(players=3,max_rounds=1)",
    "canyon(players=2,max_rounds=2,bid_mode=simultaneous)",
    "niagara(players=3,max_rounds=5)",
    "virta(turn_limit=30)",
    "yellowhouse",
)
LIMIT = {"nodes": 40}


def replies(position: dict[str, Any], viewer: int, seed: int) -> bytes:
    """All that an engine says to seat `viewer` about a complete position, through queries of every kind."""
    where = {"position": position, "viewer": viewer, "seed": seed}
    bare = {"position": position, "viewer": viewer}
    session = {"session": "s"}
    queries = [
        {"action": "analyze", **where, "limit": LIMIT, "top": None},
        {"action": "analyze", **where, "limit": LIMIT, "solver": "scripted"},
        {"action": "analyze", **where, "limit": LIMIT, "avoid": ["no such move"]},
        {"action": "move", **where, "limit": LIMIT},
        {"action": "moves", **bare},
        {"action": "apply", **where},
        {"action": "apply", **where, "moves": ["no such move"]},
        {"action": "open", **session, **where},
        {"action": "moves", **session},
        {"action": "analyze", **session, "limit": LIMIT, "seed": seed},
        {"action": "move", **session, "limit": LIMIT, "seed": seed},
        {"action": "play", **session, "position": position, "seed": seed},
        {"action": "analyze", **session, "limit": LIMIT, "seed": seed},
        {"action": "close", **session},
    ]
    asked = b"".join(json.dumps({"id": i} | query).encode() + b"\n" for i, query in enumerate(queries))
    answers = io.BytesIO()
    Lines(Engine(1), io.BytesIO(asked), answers).run()
    lines = answers.getvalue().splitlines()
    assert len(lines) == len(queries)
    return b"\n".join(sorted(lines, key=lambda line: json.loads(line)["id"]))


@pytest.mark.parametrize("game", GAMES)
def test_engine(game: str, some_states: Callable[..., list[State]]) -> None:
    """An engine that is told everything says the same to a seat, whatever that seat does not see."""
    rng, swapped, asked = np.random.default_rng(3), 0, 0
    for seed, state in enumerate(some_states(pyspiel.load_game(game), 20, seed=8)):
        current = state.current_player()
        if current in (CHANCE, TERMINAL) or not games.at_decision(state) or asked >= 3:
            continue
        for viewer in range(state.num_players()):
            expected = replies(games.position_of(state), viewer, seed)
            decides = current in (viewer, SIMULTANEOUS)
            assert (b'"simulations": 40' in expected) == decides
            asked += decides
            for twin in games.view_of(state, viewer).states(2, rng):
                position = games.position_of(twin)
                swapped += position != games.position_of(state)
                assert replies(position, viewer, seed) == expected
    assert asked >= 2 and (swapped >= 3 or not state.game.info.hides)


def test_own_view_is_enough(some_states: Callable[..., list[State]]) -> None:
    """Told everything, the engine advises a seat as it does when told only what that seat knows."""
    for seed, state in enumerate(some_states(games.load("yellowhouse"), 10, seed=2)):
        viewer = state.current_player()
        if viewer in (CHANCE, TERMINAL, SIMULTANEOUS) or not games.at_decision(state):
            continue
        view = games.position_of(state, viewer=viewer)
        told = [json.loads(line) for line in replies(games.position_of(state), viewer, seed).splitlines()]
        seen = [json.loads(line) for line in replies(view, viewer, seed).splitlines()]
        assert told == seen
