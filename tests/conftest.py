"""What all tests share: the games that they run over, random play, and the worked cases in tests/data.

A test with an argument `game_string` runs once for each string of `GAME_STRINGS`, and for the bare name of every
registered game that has none there. A test marked `cases(game, kind)` runs once for each such case, given as `case`;
it may have several of these marks.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest

from voyageur.games import rules
from voyageur.games.spiel import DEFINITIONS, Game, State
from voyageur.games.words import encoded

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"

# A river of canyon that takes few steps, with everything that a river can have.
BROOK = """; name: brook
#WWWC####
L8888..S#
L2#89.#.S
#.698..SS"""

# Random play hardly ever ends a game of Niagara or canyon, and takes long to end one of virta, so that every string
# sets a limit.
GAME_STRINGS = {
    "canyon": (
        "canyon(players=3,max_rounds=1,stop_rule=all_forced)",
        "canyon(players=2,max_rounds=2,bid_mode=simultaneous,drift_when=always,movement=toward_goal)",
        "canyon(players=3,max_rounds=1,bid_mode=simultaneous,sequential=true,dock_choice=false,leader=dealer)",
        "canyon(players=2,max_rounds=2,stop_rule=free_stop,cave_is_rapids=true,hook=true,final_tie=earlier_mover,"
        f"board={encoded(BROOK)})",
    ),
    "niagara": (
        "niagara(max_rounds=4)",
        "niagara(players=3,max_rounds=4,sequential=true)",
        "niagara(players=5,max_rounds=3,gems_per_colour=3,fork_mode=RANDOM,initial_weather=1,max_recover_per_round=2)",
        "niagara(players=3,max_rounds=5,initial_fork=RANDOM,reveal=SIMULTANEOUS,end_timing=IMMEDIATE,first_player=1,"
        "steal_requires_empty_move=false,sequential=true)",
    ),
    "virta": (
        "virta(turn_limit=30)",
        "virta(players=3,turn_limit=24,flow_return=round,pawns=2,flow_tokens=1,first_player=1)",
        "virta(players=4,turn_limit=20,sequential=true,start_tokens=%5B9%2C1%2C2%2C3%5D,large=%5B%5D,"
        "parts=%7B%22A%22%3A2%2C%22B%22%3A3%7D)",
    ),
    "yellowhouse": (
        "yellowhouse(win_total=2)",
        "yellowhouse(scope=round,sequential=true)",
        "yellowhouse(elements=3,copies=5,hand=4,exchange=1,supports_per_turn=2,leader_may_pass=true,max_level=0,"
        "auto_end_full_trick=false,first_leader=1,sequential=true)",
        "yellowhouse(elements=2,copies=5,hand=3,exchange_every_round=false,kept_cards_leave_deck=false,win_total=2,"
        "support_may_pay_all=false)",
    ),
    "voyageur_tic_tac_toe": ("voyageur_tic_tac_toe",),
    "voyageur_connect_four": ("voyageur_connect_four",),
    "voyageur_kuhn_poker": ("voyageur_kuhn_poker",),
    "voyageur_goofspiel": (
        "voyageur_goofspiel",
        "voyageur_goofspiel(num_cards=4,imp_info=true)",
        "voyageur_goofspiel(num_cards=4,sequential=true)",
        "voyageur_goofspiel(num_cards=5,imp_info=true,sequential=true)",
    ),
}


def game_strings() -> list[str]:
    """What to load to have every registered game, with several parameters."""
    return [text for name in sorted(DEFINITIONS) for text in GAME_STRINGS.get(name, (name,))]


def kind_of(case: dict[str, Any]) -> str:
    """The kind of a case; one that states none is named by what it holds."""
    return case.get("kind") or next(
        key for key in ("positions", "outcomes", "choices", "deal", "returns") if key in case
    )


def load_cases(game: str) -> list[dict[str, Any]]:
    """All cases of a game, in the order of its file."""
    return [json.loads(line) for line in (DATA / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Makes the option known."""
    parser.addoption(
        "--thorough", action="store_true", help="hundreds of whole games, thousands of tournaments (an hour)"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the mark known."""
    config.addinivalue_line("markers", "cases(game, kind): run for each case of this kind in tests/data/GAME.jsonl")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """See the top of this file."""
    if "game_string" in metafunc.fixturenames:
        metafunc.parametrize("game_string", game_strings(), ids=str)
    marks = [mark.args for mark in metafunc.definition.iter_markers("cases")]
    if marks:
        cases = [case for game, kind in sorted(marks) for case in load_cases(game) if kind_of(case) == kind]
        metafunc.parametrize("case", cases, ids=[case["id"] for case in cases])


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the rules and the cases from which tests/data was made, where there is one."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("there is no shared folder next to the repository")
    return folder


@pytest.fixture(scope="session")
def brook() -> str:
    """The text of a small board of canyon."""
    return BROOK


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder tests/data."""
    return DATA


@pytest.fixture(scope="session")
def cases() -> Callable[[str], list[dict[str, Any]]]:
    """The function that loads all cases of a game."""
    return load_cases


@pytest.fixture
def game(game_string: str) -> Game:
    """The game that `game_string` says."""
    return pyspiel.load_game(game_string)


def random_step(state: State, rng: np.random.Generator, bits: np.ndarray | None = None) -> None:
    """Plays one random step in `state`; with `bits`, by the game's own playout policy instead of uniformly."""
    game = state.get_game()
    s, c, out = state.box.s, game.c, np.empty(game.rules.max_actions, np.int64)

    def choice(player: int) -> int:
        n = rules.legal_actions(s, c, player, out)
        return int(out[rng.integers(n)] if bits is None else rules.playout_action(s, c, player, out, n, bits))

    if state.is_chance_node():
        outcomes, probs = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=probs)))
    elif state.is_simultaneous_node():
        state.apply_actions([choice(player) for player in range(game.num_players())])
    else:
        state.apply_action(choice(state.current_player()))


def random_game(game: Game, rng: np.random.Generator, sensible: bool) -> Iterator[State]:
    """The states of one random game, from the first to the last: one object that goes on, to be cloned if kept."""
    state = game.new_initial_state()
    bits = rules.make_rng(int(rng.integers(2**32))) if sensible else None
    yield state
    while not state.is_terminal():
        random_step(state, rng, bits)
        yield state


@pytest.fixture(scope="session")
def play() -> Callable[..., Iterator[State]]:
    """`random_game`."""
    return random_game


@pytest.fixture(scope="session")
def some_states() -> Callable[..., list[State]]:
    """A function of a game, a number and a seed: so many states, from anywhere in random games."""

    def sample(game: Game, number: int, seed: int = 0) -> list[State]:
        rng, found = np.random.default_rng(seed), []
        for played in range(10 * number):
            visited = [state.clone() for state in random_game(game, rng, sensible=played % 2 == 0)]
            size = min(len(visited), max(2, number // 8))
            found += [visited[i] for i in sorted(rng.choice(len(visited), size, replace=False))]
            if len(found) >= number:
                break
        return found[:number]

    return sample
