"""The solvers by name, and what each can play."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from voyageur.games import rules
from voyageur.games.positions import View, view_of, whole_moves
from voyageur.games.spiel import Game, State
from voyageur.solvers import proof
from voyageur.solvers.limits import Limit
from voyageur.solvers.search import Control, Result, SearchOptions, root_moves, search

if TYPE_CHECKING:
    from voyageur.solvers import endings

Progress = Callable[[int, float], None]


class Solver(ABC):
    """Something that decides from a view.

    Attributes:
      name: as in `make_bot` and on the command line.
      summary: one line for people.
      options: the keyword options that it takes, with their defaults.
      instant: whether it needs no limit.
      history: whether it wants to know how its player came to what it sees.
    """

    name: str
    summary: str
    options: ClassVar[Mapping[str, Any]] = {}
    instant = True
    history = False

    def refuses(self, game: Game) -> str | None:
        """Why it cannot play `game`, or None if it can."""
        return None

    def check(self, game: Game, options: Mapping[str, Any]) -> None:  # noqa: B027  # most options fit every game
        """Raises ValueError, in one line, for options that do not fit `game`."""

    @abstractmethod
    def decide(
        self,
        view: View,
        limit: Limit,
        options: Mapping[str, Any],
        threads: int,
        seed: int,
        progress: Progress | None = None,
        control: Control | None = None,
    ) -> Result:
        """What it finds about the moves of the view's player."""

    def act(self, view: View, limit: Limit, options: Mapping[str, Any], threads: int, seed: int) -> Result:
        """As `decide`, for a bot: the chains may be parts of moves where that is quicker."""
        return self.decide(view, limit, options, threads, seed)

    def warm_up(self, view: View, options: Mapping[str, Any]) -> None:
        """Compiles what `act` may need in the game of `view`, which is nobody's time to think."""
        self.act(view, Limit(nodes=1), options, 1, 0)


class _Random(Solver):
    name = "random"
    summary = "any legal move"

    def decide(self, view: View, *_: Any) -> Result:
        return unsearched(whole_moves(view.game, view.record(), view.player), view)

    def act(self, view: View, *_: Any) -> Result:
        n, out = _legal(view)
        return unsearched([(action,) for action in out[:n].tolist()], view)


class _Scripted(Solver):
    name = "scripted"
    summary = "the game's own plain player"

    def decide(self, view: View, limit: Limit, options: Any, threads: int, seed: int, *_: Any) -> Result:
        chosen = self._move(view, rules.make_rng(seed))
        chains = whole_moves(view.game, view.record(), view.player)
        shares = [chain == chosen for chain in chains]
        if not any(shares):  # its own way to an outcome that was first found by another chain
            after = view.after(chosen).record()
            shares = [view.after(chain).record() == after for chain in chains]
        return unsearched(chains, view, np.array(shares, float).ravel())

    def act(self, view: View, limit: Limit, options: Any, threads: int, seed: int) -> Result:
        return unsearched([self._move(view, rules.make_rng(seed))], view)

    def _move(self, view: View, rng: np.ndarray) -> tuple[int, ...]:
        """The whole move that `scripted_action` plays step by step."""
        record, c = view.record(), view.game.c
        s, out, chain = record[0], np.empty(view.game.rules.max_actions, np.int64), []
        while True:
            n = rules.legal_actions(s, c, view.player, out)
            chain.append(int(rules.scripted_action(s, c, view.player, out, n, rng)))
            if rules.current_player(s, c) != view.player:
                return tuple(chain)
            rules.apply_action(s, c, chain[-1])
            if rules.current_player(s, c) != view.player or rules.at_decision(s, c):
                return tuple(chain)


class _TreeSearch(Solver):
    options: ClassVar = {f.name: f.default for f in fields(SearchOptions)}
    instant = False

    def check(self, game: Game, options: Mapping[str, Any]) -> None:
        wanted = SearchOptions(**options)
        if wanted.ranges and game.rules.table_size:
            raise ValueError(f"ranges: {game.definition.name} cannot redraw what the advised player holds")

    def warm_up(self, view: View, options: Mapping[str, Any]) -> None:
        super().warm_up(view, options)
        if proof.fits(view.game):  # an ending with nothing hidden may come later
            proof.Prover(view.game, view.record(), view.player, [()])

    def decide(
        self,
        view: View,
        limit: Limit,
        options: Mapping[str, Any],
        threads: int,
        seed: int,
        progress: Progress | None = None,
        control: Control | None = None,
    ) -> Result:
        control, wanted = control or Control(), SearchOptions(**options)
        chains, whole = moves = root_moves(view, control.among)
        if control.among is not None or not whole:
            return search(view, moves, limit, wanted, seed, threads, progress, control)
        prover = proof.Prover(view.game, view.record(), view.player, chains) if proof.provable(view) else None
        ending = _ending_solver(view, chains) if wanted.endings > 0 and len(chains) > 1 else None
        started = time.monotonic()  # from here on: what has to be compiled is
        answer = _ending(view, limit, wanted, control.stop, prover, ending)
        if answer is not None and limit.nodes is None:
            return replace(answer(unsearched(chains, view)), seconds=time.monotonic() - started)
        if limit.seconds is not None:
            limit = Limit(max(limit.seconds - (time.monotonic() - started), 0.001), limit.nodes)
        result = search(view, moves, limit, wanted, seed, threads, progress, control)
        return result if answer is None else answer(result)


def _ending_solver(view: View, chains: list[tuple[int, ...]]) -> Any:
    """What solves the endings of the view's game by equilibrium, if anything does for the moves `chains`; else None."""
    record, c = view.record(), view.game.c
    if not proof.fits(view.game) or rules.world_at(record[0], c, view.player, 0.0) <= 0.0:
        return None
    from voyageur.solvers import endings  # slow to import, and seldom wanted

    return endings.solve if endings.solvable(view, chains) else None


def _ending(
    view: View,
    limit: Limit,
    options: SearchOptions,
    stop: Callable[[], bool],
    prover: proof.Prover | None,
    solve: Any,
) -> Callable[[Result], Result] | None:
    """Puts what is proved, or else in equilibrium, in place of what was sampled; None where neither is found."""
    if prover is not None:
        proof_ = proof.prove_within(prover, limit, stop=stop)
        if proof_.solved:
            return lambda result: proved(result, proof_, view)
    ending = None if solve is None else solve(view, limit, options.endings, options.memory, stop)
    return None if ending is None else lambda result: balanced(result, ending, view)


class _Mcts(_TreeSearch):
    name = "mcts"
    summary = "Monte-Carlo tree search, for games that hide nothing"

    def refuses(self, game: Game) -> str | None:
        return "it is for games that hide nothing; ismcts plays every game" if game.info.hides else None


class _Ismcts(_TreeSearch):
    name = "ismcts"
    summary = "information-set Monte-Carlo tree search, from what the player can see"


class _Cfr(Solver):
    name = "cfr"
    summary = "plays a policy that voyageur solve has written to a file"
    options: ClassVar = {"policy": ""}
    history = True

    def check(self, game: Game, options: Mapping[str, Any]) -> None:
        from voyageur.solvers import policies  # slow to import with all that it needs, and seldom wanted

        policies.for_game(options.get("policy", ""), game)

    def decide(self, view: View, limit: Limit, options: Any, threads: int, seed: int, *_: Any) -> Result:
        from voyageur.solvers import flatten, policies

        policy, s, c = policies.for_game(options.get("policy", ""), view.game), view.record()[0], view.game.c
        n, out = _legal(view)
        legal, played = out[:n].tolist(), None
        if policy.header.recall:
            played = policy.at(flatten.information(view.world(), view.player))
        if played is None:  # a position, without what led to it
            played = policy.seeing(int(rules.information_key(s, c, view.player)))
        if played is None and policy.header.recall:
            raise ValueError(f"policy: {options['policy']} says nothing about this position")
        if played is None:  # nothing was learnt here
            played = {int(rules.scripted_action(s, c, view.player, out, n, rules.make_rng(seed))): 1.0}
        shares = np.array([played.get(action, 0.0) for action in legal])
        shares = shares / shares.sum() if shares.sum() > 0 else np.full(n, 1.0 / n)
        found = unsearched([(action,) for action in legal], view, shares)
        gap = policy.header.nash_conv
        return replace(
            found,
            whole=all(len(chain) == 1 for chain in whole_moves(view.game, view.record(), view.player)),
            nash_conv=gap,
        )


SOLVERS: dict[str, Solver] = {solver.name: solver for solver in (_Ismcts(), _Mcts(), _Scripted(), _Random(), _Cfr())}


@dataclass(frozen=True)
class SolverInfo:
    """What `names` tells about a solver."""

    summary: str
    options: dict[str, Any]
    games: list[str]


def find(name: str, game: Game | None = None, options: Mapping[str, Any] | None = None) -> Solver:
    """The solver called `name`; raises ValueError if there is none, if it refuses `game` or lacks an option."""
    if name not in SOLVERS:
        raise ValueError(f"solver: unknown {name!r}; known are {', '.join(SOLVERS)}")
    solver = SOLVERS[name]
    for option in options or {}:
        if option in ("seconds", "nodes", "threads"):
            raise ValueError(f"{option}: no option of {name} here, but given by itself, as --{option} is")
        if option not in solver.options:
            known = ", ".join(solver.options) or "none"
            raise ValueError(f"{option}: {name} has no such option; it has {known}")
    problem = None if game is None else solver.refuses(game)
    if game is not None and problem:
        raise ValueError(f"solver: {name} cannot play {game.definition.name}: {problem}")
    if game is not None:
        solver.check(game, options or {})
    return solver


def view_for(solver: Solver, state: State, player: int) -> View:
    """What `player` knows in `state`; without the history, which takes long to redraw, where the solver ignores it."""
    return view_of(state if solver.history else state.game.state_with(state.box.record), player)


def parse(name: str, options: Mapping[str, Any], known: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    """A solver's name that may bring options, as in `cfr:policy=FILE`, and `options`: (name, all options).

    Several options are separated by commas; one that is a text in `known` (default: the options of the solver of that
    name) stays a text. Raises ValueError for an option without a value.
    """
    name, colon, rest = name.partition(":")
    found = dict(options)
    if known is None:
        known = find(name).options
    for part in rest.split(",") if colon else ():
        option, equals, text = part.partition("=")
        if not (option and equals and text):
            raise ValueError(f"solver: expected {name}:OPTION=VALUE, got {part[:40]!r}")
        if option in found:
            raise ValueError(f"{option}: stands there twice")
        found[option] = text if isinstance(known.get(option), str) else value(text)
    return name, found


def value(text: str) -> Any:
    """A value from text: a number, true, false, null (or none), or the text itself."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "null": None, "none": None}.get(text.lower(), text)


def _legal(view: View) -> tuple[int, np.ndarray]:
    out = np.empty(view.game.rules.max_actions, np.int64)
    return rules.legal_actions(view.record()[0], view.game.c, view.player, out), out


def proved(result: Result, found: proof.Proof, view: View) -> Result:
    """`result` with what is proved in place of what was sampled."""
    kept = found.low == found.best
    best = max(np.flatnonzero(kept), key=lambda move: (result.visits[move], -move))
    values = _of_both(view, (found.low + found.high) / 2)
    shares = np.arange(len(kept)) == best
    return replace(result, values=values, shares=shares.astype(float), low=found.low, high=found.high)


def balanced(result: Result, found: "endings.Ending", view: View) -> Result:
    """`result` with what the moves are worth in equilibrium in place of what was sampled."""
    values = _of_both(view, found.values)
    return replace(result, values=values, shares=found.shares, nash_conv=found.nash_conv)


def _of_both(view: View, own: np.ndarray) -> np.ndarray:
    """Returns of both seats [M, 2] from those of the view's player."""
    assert view.game.info.utility_sum is not None
    values = np.empty((len(own), 2))
    values[:, view.player], values[:, 1 - view.player] = own, view.game.info.utility_sum - own
    return values


def restricted(result: Result, among: Collection[tuple[int, ...]]) -> Result:
    """`result` with no other moves than `among`; their shares keep their proportions where they have any."""
    if not result.whole:
        return result
    kept = [i for i, chain in enumerate(result.chains) if chain in among]
    total = result.shares[kept].sum()
    return replace(
        result,
        chains=[result.chains[i] for i in kept],
        visits=result.visits[kept],
        values=result.values[kept],
        errors=result.errors[kept],
        shares=result.shares[kept] / total if total else np.full(len(kept), 1.0 / len(kept)),
        line=lambda move: result.line(kept[move]),
        low=None if result.low is None else result.low[kept],
        high=None if result.high is None else result.high[kept],
    )


def unsearched(chains: list[tuple[int, ...]], view: View, shares: np.ndarray | None = None) -> Result:
    """A result without a search: shares (uniform by default) and nothing else."""
    n = len(chains)
    return Result(
        chains=chains,
        whole=True,
        visits=np.zeros(n, np.int64),
        values=np.full((n, view.game.info.players), np.nan),
        errors=np.full(n, np.nan),
        shares=np.full(n, 1.0 / n) if shares is None else shares,
        simulations=0,
        seconds=0.0,
        full=False,
        interrupted=False,
        line=lambda move: [],
    )
