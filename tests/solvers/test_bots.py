"""Bots: the whole of OpenSpiel's bot interface, its own bots against ours, and its own games."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import open_spiel.python.games  # noqa: F401  # registers OpenSpiel's own Python games
import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.bots import uniform_random

from voyageur import games, solvers
from voyageur.games import rules
from voyageur.games.spiel import State
from voyageur.solvers import Limit, SolverBot, registry, search

NIAGARA = "niagara(players=3,max_rounds=3,first_player=0)"
IN_TURN = "niagara(players=3,max_rounds=2,first_player=0,sequential=true)"
PLAYED = [
    *((solver, game) for solver in ("random", "scripted", "ismcts") for game in (NIAGARA, IN_TURN)),
    *((solver, "yellowhouse(elements=3,copies=4,hand=3,win_total=2)") for solver in ("scripted", "ismcts")),
    *((solver, "voyageur_goofspiel(num_cards=4,imp_info=true)") for solver in ("random", "scripted", "ismcts")),
    *((solver, "voyageur_kuhn_poker") for solver in ("random", "scripted", "ismcts")),
    *((solver, "voyageur_tic_tac_toe") for solver in ("random", "scripted", "mcts", "ismcts")),
    ("mcts", "voyageur_connect_four"),
]
BotTable = list[pyspiel.Bot]
Asked = Callable[..., Iterator[tuple[State, int, pyspiel.Bot]]]


def bots_for(game: Any, solver: str, nodes: int = 30, seed: int = 1) -> BotTable:
    """A bot of one kind for every seat."""
    return [
        solvers.make_bot(solver, game, seat, Limit(nodes=nodes), seed=seed + seat) for seat in range(game.num_players())
    ]


@pytest.mark.parametrize(("solver", "game"), PLAYED)
def test_policies(solver: str, game: str, asked: Asked) -> None:
    """A policy lists exactly the legal actions, sums to 1, and the action is one of those that it plays."""
    loaded = pyspiel.load_game(game)
    for state, seat, bot in asked(loaded, bots_for(loaded, solver)):
        policy, action = bot.clone().step_with_policy(state)
        assert [a for a, _ in policy] == state.legal_actions(seat)
        assert sum(p for _, p in policy) == pytest.approx(1)
        assert all(0 <= p <= 1 for _, p in policy)
        assert dict(policy)[action] > 0
        assert bot.get_policy(state) == policy
        assert bot.clone().step(state) == action


@pytest.mark.parametrize(("solver", "game"), PLAYED)
def test_looking_changes_nothing(solver: str, game: str, asked: Asked) -> None:
    """A bot whose policy is asked for, and which is cloned, before every step plays as one that is left alone."""
    loaded = pyspiel.load_game(game)

    def played(look: bool) -> list[Any]:
        history: list[Any] = []
        for state, _, bot in asked(loaded, bots_for(loaded, solver), seed=2):
            if look:
                bot.get_policy(state)
                bot.clone().step(state)
            history.append(state.history())
        return history

    assert played(look=True) == played(look=False)


@pytest.mark.parametrize(("solver", "game"), PLAYED)
def test_a_clone_goes_on_identically(solver: str, game: str, asked: Asked) -> None:
    """From anywhere in a game, also from inside a planned move."""
    loaded = pyspiel.load_game(game)
    for switch in (1, 2, 3, 5):
        bots = bots_for(loaded, solver)
        for i, (state, seat, bot) in enumerate(asked(loaded, list(bots), seed=3)):
            if i == switch:
                twins = [other.clone() for other in bots]
                assert twins[seat] is not bot
                one = [s.history() for s, _, _ in rest(state, bots, asked)]
                other = [s.history() for s, _, _ in rest(state, twins, asked)]
                assert one == other
                break


def rest(state: State, bots: BotTable, asked: Asked) -> Iterator[tuple[State, int, pyspiel.Bot]]:
    """As `asked`, from the middle of a game."""

    class Begun:
        """A game that begins at `state`."""

        def new_initial_state(self) -> State:
            return state.clone()

        def utility_sum(self) -> float:
            return state.get_game().utility_sum()

    return asked(Begun(), bots, seed=4)


@pytest.mark.parametrize(("solver", "game"), PLAYED)
def test_openspiel_plays_our_bots(solver: str, game: str) -> None:
    """`pyspiel.evaluate_bots` plays whole games with them."""
    loaded = pyspiel.load_game(game)
    bots = bots_for(loaded, solver)
    for seed in range(2):
        state = loaded.new_initial_state()
        assert sum(pyspiel.evaluate_bots(state, bots, seed)) == pytest.approx(loaded.utility_sum())


@pytest.mark.parametrize("solver", ("random", "scripted", "ismcts"))
def test_what_a_bot_says_of_itself(solver: str) -> None:
    """It provides policies, takes forced actions, and can be cloned."""
    bot = solvers.make_bot(solver, pyspiel.load_game(NIAGARA), 1, Limit(nodes=5))
    assert isinstance(bot, SolverBot) and isinstance(bot, pyspiel.Bot)
    assert bot.provides_policy() and bot.provides_force_action() and bot.is_clonable()


# The plan of a move.


class Counted:
    """A solver's `act`, counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, solver: str) -> None:
        self.calls, self._act = 0, registry.SOLVERS[solver].act
        monkeypatch.setattr(registry.SOLVERS[solver], "act", self)

    def __call__(self, *args: Any) -> Any:
        """Acts."""
        self.calls += 1
        return self._act(*args)


@pytest.fixture
def long_move() -> State:
    """A turn whose every move takes at least four actions: both canoes are on the river."""
    return games.state_from(
        {
            "game": "niagara",
            "phase": "act",
            "players": [
                {"cards": [1, 2, 4, 6, "CLOUD"], "played": 5, "canoes": {"a": {"at": "S3"}, "b": {"at": "S4"}}},
                {"cards": [1, 2, 3, 4, 6], "played": 5},
                {"cards": [1, 2, 3, 4, 6], "played": 5},
            ],
        }
    )


@pytest.fixture
def planner(long_move: State) -> SolverBot:
    """A bot for the seat whose move it is."""
    return solvers.make_bot("ismcts", long_move.game, 0, Limit(nodes=40), seed=3)


def is_over(state: State) -> bool:
    """Whether the long move is over."""
    return state.current_player() != 0


def test_a_move_is_planned_once(long_move: State, planner: SolverBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its first action; the rest of it is one of the state's whole moves, played without thinking again."""
    counted = Counted(monkeypatch, "ismcts")
    state, chain = long_move.clone(), []
    while not is_over(state):
        policy, action = planner.step_with_policy(state)
        if chain:
            assert dict(policy)[action] == 1
        chain.append(action)
        state.apply_action(action)
    assert counted.calls == 1
    assert len(chain) >= 4
    assert tuple(chain) in {move.actions for move in games.moves(long_move)}


def test_a_new_game_is_planned_anew(long_move: State, planner: SolverBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """`restart`, `restart_at` and `force_action` forget the plan."""
    counted = Counted(monkeypatch, "ismcts")
    for i, forget in enumerate(("restart", "restart_at", "force_action")):
        state = long_move.clone()
        planner.restart()
        state.apply_action(planner.step(state))
        assert counted.calls == 2 * i + 1
        if forget == "restart":
            planner.restart()
        elif forget == "restart_at":
            planner.restart_at(state)
        else:
            forced = state.legal_actions()[0]
            planner.force_action(state, forced)
            state.apply_action(forced)
        assert planner.step(state) in state.legal_actions()
        assert counted.calls == 2 * i + 2


def test_own_actions_may_be_played_by_others(
    long_move: State, planner: SolverBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told of its own planned action, a bot goes on after it; of another one, it plans anew."""
    counted = Counted(monkeypatch, "ismcts")
    state = long_move.clone()
    state.apply_action(planner.step(state))
    planned = planner.clone().step(state)
    planner.inform_action(state, 1, planned)  # what others do does not matter to the plan
    planner.inform_action(state, 0, planned)
    state.apply_action(planned)
    planner.step(state)
    assert counted.calls == 1

    state = long_move.clone()
    planner.restart()
    state.apply_action(planner.step(state))
    planned = planner.clone().step(state)
    others = [action for action in state.legal_actions() if action != planned]
    assert others
    planner.inform_action(state, 0, others[0])
    state.apply_action(others[0])
    if not is_over(state):
        assert planner.step(state) in state.legal_actions()
        assert counted.calls == 3


def test_ctrl_c_is_no_move(planner: SolverBot, long_move: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot does not play what it has not thought through."""
    runs = iter((search.Search.run, None))

    def run(tree: search.Search, simulations: int) -> None:
        again = next(runs)
        if again is None:
            raise KeyboardInterrupt
        again(tree, simulations)

    monkeypatch.setattr(search.Search, "run", run)
    with pytest.raises(KeyboardInterrupt):
        planner.step(long_move)


def test_inform_actions() -> None:
    """Hearing what everybody chose at once changes nothing."""
    loaded = pyspiel.load_game(NIAGARA)
    state = loaded.new_initial_state()
    one, other = (solvers.make_bot("ismcts", loaded, 0, Limit(nodes=20), seed=1) for _ in range(2))
    one.inform_actions(state, [1, 2, 3])
    assert one.step_with_policy(state) == other.step_with_policy(state)


def test_seeds(asked: Asked) -> None:
    """The same seed plays the same, another seed something else."""
    loaded = pyspiel.load_game(NIAGARA)

    def played(seed: int) -> list[int]:
        return [state.history() for state, _, _ in asked(loaded, bots_for(loaded, "random", seed=seed))][-1]

    assert played(1) == played(1) != played(7)


# OpenSpiel's own bots on our games.


def test_openspiels_ismcts_on_niagara() -> None:
    """Its Python ISMCTS, which redraws hidden cards through our states, plays against ours."""
    loaded = pyspiel.load_game(IN_TURN)
    random_state = np.random.RandomState(1)
    theirs = ismcts.ISMCTSBot(loaded, mcts.RandomRolloutEvaluator(1, random_state), 1.4, 4, random_state=random_state)
    ours = [solvers.make_bot(name, loaded, seat, Limit(nodes=20)) for seat, name in ((1, "ismcts"), (2, "scripted"))]
    returns = pyspiel.evaluate_bots(loaded.new_initial_state(), [theirs, *ours], 1)
    assert sum(returns) == pytest.approx(1)


@pytest.mark.parametrize("game", (NIAGARA, IN_TURN, "voyageur_goofspiel(num_cards=4)", "voyageur_kuhn_poker"))
def test_openspiels_random_bot(game: str) -> None:
    """Its random bot plays against ours."""
    loaded = pyspiel.load_game(game)
    bots = bots_for(loaded, "ismcts")
    bots[1] = uniform_random.UniformRandomBot(1, np.random.RandomState(1))
    for seed in range(3):
        returns = pyspiel.evaluate_bots(loaded.new_initial_state(), bots, seed)
        assert sum(returns) == pytest.approx(loaded.utility_sum())


# OpenSpiel's own games.

FOREIGN = (
    ("tic_tac_toe", "mcts"),
    ("tic_tac_toe", "ismcts"),
    ("connect_four", "mcts"),
    ("kuhn_poker", "ismcts"),
    ("kuhn_poker", "random"),
    ("leduc_poker", "ismcts"),
    ("python_tic_tac_toe", "mcts"),
    ("python_tic_tac_toe", "ismcts"),
    ("python_kuhn_poker", "random"),
)


@pytest.mark.parametrize(("game", "solver"), FOREIGN)
def test_bots_for_other_games(game: str, solver: str) -> None:
    """They play whole games."""
    loaded = pyspiel.load_game(game)
    bots = bots_for(loaded, solver, nodes=50)
    for seed in range(3):
        returns = pyspiel.evaluate_bots(loaded.new_initial_state(), bots, seed)
        assert sum(returns) == pytest.approx(0)


@pytest.mark.parametrize(("game", "solver"), FOREIGN)
def test_advice_on_other_games(game: str, solver: str) -> None:
    """Advice tells every legal action in the game's words, with shares that sum to 1."""
    state = pyspiel.load_game(game).new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    player = state.current_player()

    def ask() -> solvers.Advice:
        return solvers.advise(state, solver=solver, limit=Limit(nodes=100), seed=3, top=None)

    advice = ask()
    expected = {(action, state.action_to_string(player, action)) for action in state.legal_actions()}
    assert {(move.actions[0], move.text) for move in advice.moves} <= expected
    assert sum(move.share for move in advice.moves) == pytest.approx(1)
    assert (advice.player, advice.solver, advice.game) == (player, solver, str(state.get_game()))
    if solver == "mcts" or game.startswith("python"):  # OpenSpiel's C++ ISMCTS is not repeatable
        assert ask().to_dict() == advice.to_dict()


@pytest.mark.parametrize("game", ("tic_tac_toe", "python_tic_tac_toe"))
def test_advice_on_other_games_wins(game: str) -> None:
    """It finds a win in one, and that it is worth a whole game."""
    state = pyspiel.load_game(game).new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    best = solvers.advise(state, solver="mcts", limit=Limit(nodes=200)).moves[0]
    assert best.actions == (2,)
    assert best.value == pytest.approx(1, abs=0.1)
    assert best.low <= best.value <= best.high == 1


def test_advice_where_all_choose_at_once() -> None:
    """A solver of such games advises the seat that asks."""
    state = pyspiel.load_game("matrix_rps").new_initial_state()
    advice = solvers.advise(state, 1, solver="random", limit=Limit(nodes=1))
    assert (advice.player, advice.of) == (1, 3)
    assert [move.share for move in advice.moves] == pytest.approx([1 / 3] * 3)


def test_limits_of_openspiel_in_python() -> None:
    """Its search in Python keeps to seconds too, and to nodes exactly."""
    state = pyspiel.load_game("python_tic_tac_toe").new_initial_state()
    assert solvers.advise(state, solver="mcts", limit=Limit(nodes=40), top=None).simulations == 39  # and the root's own
    advice = solvers.advise(state, solver="mcts", limit=Limit(seconds=0.02), top=None)
    assert advice.of == 9 and 0 < advice.simulations < Limit(seconds=0.02).most_simulations() - 1


REFUSED = (
    ("goofspiel", "ismcts", {}, "solver: OpenSpiel's ismcts needs turns, and goofspiel has simultaneous nodes"),
    ("kuhn_poker", "mcts", {}, "solver: mcts is for games that hide nothing, kuhn_poker does; use ismcts"),
    ("python_kuhn_poker", "mcts", {}, "solver: mcts is for games that hide nothing"),
    ("python_kuhn_poker", "ismcts", {}, "solver: OpenSpiel's ismcts needs resample_from_infostate"),
    ("tic_tac_toe", "scripted", {}, "solver: scripted plays only our own games, not tic_tac_toe"),
    ("tic_tac_toe", "mcts", {"explore": 0.5}, "explore: OpenSpiel's bots take no such option"),
    ("kuhn_poker", "cfr", {"policy": 1}, "policy: expected a file made by voyageur solve"),
    ("2048", "mcts", {}, "solver: OpenSpiel's mcts needs rewards at the end, 2048 gives them before"),
)


@pytest.mark.parametrize(("game", "solver", "options", "message"), REFUSED)
def test_refusals_on_other_games(game: str, solver: str, options: dict[str, Any], message: str) -> None:
    """What OpenSpiel's bots do not do is refused in one line."""
    with pytest.raises(ValueError) as caught:
        solvers.make_bot(solver, pyspiel.load_game(game), 0, Limit(nodes=10), **options)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    (
        (lambda: solvers.make_bot("best", pyspiel.load_game(NIAGARA)), "solver: unknown 'best'"),
        (lambda: solvers.make_bot("mcts", pyspiel.load_game(NIAGARA)), "solver: mcts cannot play niagara"),
        (lambda: solvers.make_bot("ismcts", pyspiel.load_game(NIAGARA), 3), "player: expected a seat from 0 to 2"),
        (lambda: solvers.make_bot("ismcts", pyspiel.load_game(NIAGARA), width=3), "width: ismcts has no such option"),
        (lambda: solvers.make_bot("ismcts", games.load("canyon"), ranges=0.5), "ranges: canyon cannot redraw"),
        (
            lambda: solvers.advise(pyspiel.load_game("matrix_rps").new_initial_state(), limit=Limit(nodes=5)),
            "player: everybody decides at once here",
        ),
        (
            lambda: solvers.advise(pyspiel.load_game("matrix_rps").new_initial_state(), 0, limit=Limit(nodes=5)),
            "solver: OpenSpiel's ismcts needs turns",
        ),
        (
            lambda: solvers.advise(pyspiel.load_game("matrix_rps").new_initial_state(), 2, "random", Limit(nodes=5)),
            "player: it is not the decision of seat 2",
        ),
        (
            lambda: solvers.advise(pyspiel.load_game("tic_tac_toe").new_initial_state(), 1, limit=Limit(nodes=5)),
            "player: it is not the decision of seat 1",
        ),
    ),
)
def test_refusals(call: Callable[[], Any], message: str) -> None:
    """Whatever does not fit is refused in one line."""
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


# Strength.

GAMES_PLAYED = 60


def test_the_plain_player_of_niagara_beats_random_ones() -> None:
    """One scripted player wins against three that play at random, from every seat.

    Of 60 games it wins all. If it won only 95 % of games at the most, that would happen with a probability of at most
    0.95 ** 60 = 0.046. (The bots' policies without the bots: a compiled one is asked for every action.)
    """
    game = games.load("niagara", players=4, max_rounds=200)
    c, actions, joint = game.c, np.zeros(game.rules.max_actions, np.int64), np.zeros(4, np.int64)
    out, rng, bits = np.zeros(4), np.random.default_rng(1), rules.make_rng(1)
    won = 0.0
    for played in range(GAMES_PLAYED):
        state = game.new_initial_state()
        state.apply_action(int(rng.integers(4)))  # who begins
        s = state.box.s
        while (player := rules.current_player(s, c)) != rules.TERMINAL:
            for seat in range(4) if player == rules.SIMULTANEOUS else [player]:
                n = rules.legal_actions(s, c, seat, actions)
                scripted = seat == played % 4
                joint[seat] = (
                    rules.scripted_action(s, c, seat, actions, n, bits) if scripted else actions[rng.integers(n)]
                )
            if player == rules.SIMULTANEOUS:
                rules.apply_joint(s, c, joint)
            else:
                rules.apply_action(s, c, joint[player])
        rules.returns(s, c, out)
        won += out[played % 4]
    assert won == GAMES_PLAYED
    assert 0.95**GAMES_PLAYED < 0.05
