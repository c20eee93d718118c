"""How entrants are written."""

from typing import Any

import pytest

from voyageur import games
from voyageur.eval import entrants, loading
from voyageur.solvers import SolverBot

GAME = games.load("voyageur_tic_tac_toe")


def test_ours() -> None:
    """A solver with options; limits are those it says, else those of the tournament, else a second."""
    found = entrants.parse("ismcts:seconds=0.5,threads=2,exploration=0.3", GAME)
    assert (found.made_by, found.seconds) == ("ismcts", 0.5)
    assert found.options == {"seconds": 0.5, "threads": 2, "exploration": 0.3}
    assert isinstance(found.bot(GAME, 1, 5), SolverBot)
    assert entrants.parse("mcts", GAME, nodes=7).options == {"nodes": 7}
    assert entrants.parse("mcts", GAME, seconds=2.0).options == {"seconds": 2.0}
    assert entrants.parse("mcts", GAME).options == {"seconds": 1.0}
    assert entrants.parse("scripted", GAME, nodes=7).options == {}
    assert entrants.parse("random", GAME, "dice").name == "dice"


@pytest.mark.parametrize("limit", [{"nodes": 3}, {"seconds": 0.001}])
def test_imported(limit: dict[str, float]) -> None:
    """A factory with options, which is not imported before it plays; OpenSpiel's own bot takes either limit."""
    ((option, value),) = limit.items()
    found = entrants.parse(f"voyageur.eval.openspiel:ismcts:{option}={value}", GAME)
    assert (found.made_by, found.options) == ("voyageur.eval.openspiel:ismcts", limit)
    for game in (games.load("yellowhouse", sequential=True, scope="round", hand=2), GAME):  # the other hides nothing
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        seat = state.current_player()
        assert found.bot(game, seat, 1).step(state) in state.legal_actions()
    with pytest.raises(ValueError, match=r"OpenSpiel's ismcts needs turns, and niagara has simultaneous nodes"):
        found.bot(games.load("niagara"), 0, 1)


def test_options_of_a_factory_that_is_called_like_a_solver() -> None:
    """They are values as any factory's are."""
    assert entrants.parse("mine:cfr:policy=1,kind=x", GAME).options == {"policy": 1, "kind": "x"}


def test_nothing_to_import() -> None:
    """It is written down all the same, and fails where it is to play."""
    assert entrants.parse("no.such:thing", GAME).made_by == "no.such:thing"
    with pytest.raises(ValueError, match=r"^cannot be loaded: ModuleNotFoundError: No module named 'no'$"):
        entrants.parse("no.such:thing", GAME).bot(GAME, 0, 1)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("oracle", "expected a solver"),
        ("oracle:", "expected a solver"),
        ("a b:c", "expected a solver"),
        ("ismcts:seconds", "expected ismcts:OPTION=VALUE, got 'seconds'"),
        ("ismcts:nodes=1,nodes=2", "nodes: stands there twice"),
        ("ismcts:nodes=many", "nodes: expected a whole number"),
        ("ismcts:nodes=0", "nodes: expected a whole number"),
        ("ismcts:nodes=1.5", "nodes: expected a whole number"),
        ("ismcts:seconds=soon", "seconds: expected a number"),
        ("ismcts:seconds=-1", "seconds: expected a number"),
        ("ismcts:threads=0", "threads: expected a whole number"),
        ("ismcts:threads=100000", "threads: expected a whole number from 1 to 256, got 100000"),
        ("ismcts:width=3", "width: ismcts has no such option"),
        ("ismcts:trust=-1", "trust: expected a whole number from 0 to 1000000000, got -1"),
        ("ismcts:endings=x", "endings: expected a whole number from 0 to 1000000000, got 'x'"),
        ("ismcts:stage=1.5", "stage: expected a whole number from 0 to 1000000000, got 1.5"),
        ("ismcts:endings=none", "endings: expected a whole number from 0 to 1000000000, got null"),
        ("cfr:policy=1", "policy: 1: No such file"),
        ("ismcts:ranges=2", "ranges: expected a number from 0 to 1.0, got 2"),
        ("ismcts:explore=nan", "explore: expected a number from 0 to 1.0, got nan"),
        ("ismcts:mixtures=maybe", "mixtures: expected true or false, got 'maybe'"),
        ("scripted:seconds=none", "seconds"),
    ],
)
def test_wrong_specs(spec: str, problem: str) -> None:
    """One line that names the entrant and what is wrong."""
    with pytest.raises(ValueError, match="entrant") as error:
        entrants.parse(spec, GAME)
    assert problem in str(error.value) and spec in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_a_solver_that_does_not_fit() -> None:
    """It is refused before anything is played."""
    with pytest.raises(ValueError, match="mcts cannot play yellowhouse"):
        entrants.parse("mcts", games.load("yellowhouse"))


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("chess9", "game"),
        ("niagara(players=9)", "players"),
        ("niagara(player=3)", "player"),
        ("niagara(players=x)", "players"),
        ("niagara(players=True)", "players"),
        ("yellowhouse(scope=3)", "scope"),
        ("niagara(", "game"),
        ("niagara)", "game"),
        ("", "game"),
        ("kuhn_poker(players=many)", "players"),
        ("kuhn_poker(colour=1)", "colour"),
        ("kuhn_poker(players=99)", "players"),
    ],
)
def test_wrong_games(text: str, field: str, capfd: pytest.CaptureFixture[str]) -> None:
    """One line that names the field, and nothing from OpenSpiel."""
    with pytest.raises(ValueError) as error:
        loading.load(text)
    assert str(error.value).startswith(f"{field}: ") and len(str(error.value).splitlines()) == 1
    assert capfd.readouterr().err == ""


def test_what_openspiel_refuses() -> None:
    """What only OpenSpiel knows is told in a line too, after its own."""
    with pytest.raises(ValueError, match=r"^game: goofspiel refuses its parameters: Unrecognized points_order.*zzz$"):
        loading.load("goofspiel(points_order=zzz)")


def test_games() -> None:
    """Ours and OpenSpiel's, with parameters."""
    assert loading.load("niagara(players=3)").num_players() == 3
    assert loading.load("kuhn_poker(players=3)").num_players() == 3
    assert str(loading.load_with("yellowhouse", ["scope=round", "hand=3"])).count("scope=round") == 1
    with pytest.raises(ValueError, match="--param: expected NAME=VALUE"):
        loading.load_with("yellowhouse", ["scope"])


def test_values() -> None:
    """Numbers, words and texts."""
    found: dict[str, Any] = entrants.parse("a.b:c:x=1,y=1.5,z=true,u=none,v=file.bin", GAME).options  # type: ignore[assignment]
    assert found == {"x": 1, "y": 1.5, "z": True, "u": None, "v": "file.bin"}
