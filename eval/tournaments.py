"""Tournaments: bots against bots, repeatable, resumable, on many cores or many machines.

A tournament is a list of games made from its configuration alone (`schedule`). Every game is played by an `arena`
process and written to the `store` as it finishes, so a tournament that was stopped goes on with the games that are
missing. joblib spreads the games, over threads that guard one arena each or over a Dask cluster.
"""

import atexit
import contextlib
import functools
import threading
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from typing import Any

import joblib
import numpy as np

from voyageur.eval import arena, entrants, loading, schedule
from voyageur.eval.arena import Arena, Outcome
from voyageur.eval.ratings import Blocks, Sprt
from voyageur.eval.schedule import Pairing
from voyageur.eval.store import Store, StoreError
from voyageur.games.words import one_line, shown

MARGIN = 2.0
TIMEOUT = 60.0
MOST_GAMES = 1_000_000


@dataclass(frozen=True)
class Config:
    """What a tournament is; all of it decides what is played, nothing of it where or how fast.

    Attributes:
      game: as OpenSpiel writes it, `niagara(players=3)`.
      entrants: their specs by name.
      format: `round-robin` or `gauntlet`.
      seatings: of a block, `balanced` or `all`.
      games: at least so many.
      seed: of everything drawn.
      seconds, nodes: a move, for solvers whose spec says nothing.
      margin: seconds by which a decision may exceed its entrant's own.
      timeout: seconds for a decision of an entrant that says none, and for loading one.
      sprt: (elo0, elo1, alpha, beta), with which it ends as soon as that is decided; None for no test.
    """

    game: str
    entrants: Mapping[str, str]
    format: str = "round-robin"
    seatings: str = "balanced"
    games: int = 100
    seed: int = 0
    seconds: float | None = None
    nodes: int | None = None
    margin: float = MARGIN
    timeout: float = TIMEOUT
    sprt: tuple[float, float, float, float] | None = None

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "Config":
        """A configuration from plain values, as a file or a store has them.

        Raises ValueError, in one line that names the field, for what is missing, unknown or out of bounds.
        """
        known = [f.name for f in fields(cls)]
        for key in values:
            if key not in known:
                raise ValueError(f"{key}: unknown; known are {', '.join(known)}")
        for key in ("game", "entrants"):
            if key not in values:
                raise ValueError(f"{key}: must be given")
        if not isinstance(values["game"], str):
            raise ValueError(f"game: expected a name, got {values['game']!r}")
        given = dict(values)
        given["entrants"] = _named(given["entrants"])
        for key, kinds in (("format", schedule.FORMATS), ("seatings", schedule.SEATINGS)):
            if given.get(key, kinds[0]) not in kinds:
                raise ValueError(f"{key}: expected {' or '.join(kinds)}, got {given[key]!r}")
        for key, low, high in (("games", 1, MOST_GAMES), ("seed", 0, 2**63 - 1), ("nodes", 1, 10**12)):
            _check(given, key, int, low, high)
        for key in ("seconds", "margin", "timeout"):
            _check(given, key, float, 0.001, 10**6)
        if given.get("seconds") is not None and given.get("nodes") is not None:
            raise ValueError("nodes: expected nodes or seconds, got both")
        given["sprt"] = _sprt(given.get("sprt"))
        return cls(**given)

    def load(self, to_play: bool = True) -> "Tournament":
        """The tournament; raises ValueError, in one line, for a game or an entrant that does not fit.

        Only to look at it (`to_play` false), what its entrants read from files need not be there any more.
        """
        game = loading.load(self.game)
        players = game.num_players()
        if players < 2:
            raise ValueError(f"game: {self.game} has one player, a tournament needs two or more")
        found = tuple(
            entrants.parse(spec, game if to_play else None, name, self.seconds, self.nodes)
            for name, spec in self.entrants.items()
        )
        if self.sprt and (len(found) != 2 or (players > 2 and self.format != "gauntlet")):
            raise ValueError("sprt: it is for two entrants; with more than two players as a gauntlet, one alone")
        common = arena.Rules(str(game), found, self.seed, self.margin, self.timeout)
        return Tournament(replace(self, game=str(game)), common, players)

    def saved(self) -> dict[str, Any]:
        """As plain values, with the version that plays."""
        return asdict(self) | {"entrants": list(self.entrants.items()), "voyageur": version("voyageur")}


def _named(value: Any) -> dict[str, str]:
    """Entrants by name, from a list of specs, of (name, spec) pairs, or from an object."""
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list | tuple):
        pairs = [(item, item) if isinstance(item, str) else item for item in value]
    else:
        raise ValueError(f"entrants: expected a list of specs or an object name: spec, got {value!r}")
    found: dict[str, str] = {}
    for pair in pairs:
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise ValueError(f"entrants: expected a spec as a text, got {shown(pair)}")
        if pair[0] in found:
            raise ValueError(f"entrants: {pair[0]} is there twice; a configuration file can name them apart")
        found[pair[0]] = pair[1]
    if len(found) < 2:
        raise ValueError(f"entrants: expected two or more, got {len(found)}")
    return found


def _check(given: dict[str, Any], key: str, kind: type, low: float, high: float) -> None:
    value = given.get(key)
    if value is None:
        given.pop(key, None)
        return
    accepted = (int, float) if kind is float else (int,)
    if type(value) not in accepted or not low <= value <= high:
        what = "whole number" if kind is int else "number"
        raise ValueError(f"{key}: expected a {what} from {low} to {high}, got {str(value)[:30]!r}")
    given[key] = kind(value)


def _sprt(value: Any) -> tuple[float, float, float, float] | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        unknown = set(value) - {f.name for f in fields(Sprt)}
        if unknown or not {"elo0", "elo1"} <= set(value):
            raise ValueError(
                f"sprt: expected elo0, elo1, alpha and beta, got {', '.join(map(str, value)) or 'nothing'}"
            )
        value = [value["elo0"], value["elo1"], value.get("alpha", Sprt.alpha), value.get("beta", Sprt.beta)]
    if not (isinstance(value, list | tuple) and len(value) == 4 and all(type(v) in (int, float) for v in value)):
        raise ValueError(f"sprt: expected numbers elo0, elo1, alpha, beta, got {str(value)[:60]!r}")
    test = Sprt(*(float(v) for v in value))
    return test.elo0, test.elo1, test.alpha, test.beta


@dataclass(frozen=True)
class Tournament:
    """A tournament that can be played."""

    config: Config
    common: arena.Rules
    players: int

    @functools.cached_property
    def pairings(self) -> list[Pairing]:
        """All its games."""
        c = self.config
        return list(schedule.pairings(c.format, len(c.entrants), self.players, c.games, c.seatings, c.seed))

    @functools.cached_property
    def sizes(self) -> list[int]:
        """[B] games of each block."""
        return np.bincount([pairing.block for pairing in self.pairings]).tolist()

    def finished(self, store: Store) -> Iterator[Outcome]:
        """The games in its store, without their moves; raises StoreError for one that is none of its own."""
        return (self.checked(outcome) for outcome in store.outcomes())

    def checked(self, outcome: Outcome) -> Outcome:
        """`outcome`; raises StoreError if it is no game of this tournament."""
        pairing = Pairing(outcome.number, outcome.block, tuple(outcome.seating))
        if self.pairings[outcome.number : outcome.number + 1] != [pairing]:
            raise StoreError(f"store: game {outcome.number} is no game of this tournament")
        return outcome

    def counted(self, outcomes: Iterable[Outcome]) -> "tuple[list[Outcome], Trial | None]":
        """(those whose block is finished, up to the decision of a sequential test; that test, where there is one)."""
        blocks: dict[int, list[Outcome]] = {}
        for outcome in outcomes:
            blocks.setdefault(outcome.block, []).append(outcome)
        whole, trial = [block for block in sorted(blocks) if len(blocks[block]) == self.sizes[block]], None
        if self.config.sprt:
            trial = Trial(self, (outcome for block in whole for outcome in blocks[block]))
            whole = whole[: len(trial.scores)]
        return [outcome for block in whole for outcome in blocks[block]], trial


class Trial:
    """A sequential test that follows the games as they finish; blocks count in their order, without gaps.

    Attributes:
      scores: of the first entrant, by block.
      ratio: the log-likelihood ratio so far.
      verdict: the hypothesis accepted, `elo0` or `elo1`; None so far.
    """

    def __init__(self, tournament: Tournament, outcomes: Iterable[Outcome] = ()) -> None:
        assert tournament.config.sprt
        self.test = Sprt(*tournament.config.sprt)
        self.scores: list[float] = []
        self.ratio = 0.0
        self.verdict: str | None = None
        self._sizes, self._players = tournament.sizes, tournament.players
        self._blocks: dict[int, list[Outcome]] = {}
        for outcome in outcomes:
            self.add(outcome)

    def add(self, outcome: Outcome) -> None:
        """One more game is finished."""
        self._blocks.setdefault(outcome.block, []).append(outcome)
        while self.verdict is None and len(self.scores) < len(self._sizes):
            block = self._blocks.get(len(self.scores), [])
            if len(block) < self._sizes[len(self.scores)]:
                return
            self.scores.append(float(Blocks.of(block, 2).scores(0)[0]))
            self.ratio = self.test.ratio(np.array(self.scores), self._players)
            self.verdict = self.test.verdict(self.ratio)


def laid_over(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The `values` of a configuration with those `given` in their place, of which one limit takes that of the other."""
    if given.get("seconds") is not None or given.get("nodes") is not None:
        values = {key: value for key, value in values.items() if key not in ("seconds", "nodes")}
    return {**values, **given}


def start(config: Config, path: str) -> tuple[Tournament, Store]:
    """A new tournament with a new store at `path`."""
    tournament = config.load()
    return tournament, Store.create(path, tournament.config.saved())


def reopen(
    path: str, given: Mapping[str, Any] | None = None, write: bool = True, to_play: bool = True
) -> tuple[Tournament, Store]:
    """The tournament in a store; with `to_play` false only to look at it (see `Config.load`).

    Raises ValueError that says what differs if `given` (values as for `Config.read`) or the version that plays is not
    that of the store: games of two kinds are not one tournament.
    """
    store = Store.open(path, write)
    try:
        return _read(store, given, write, to_play), store
    except ValueError:
        store.close()
        raise


def _read(store: Store, given: Mapping[str, Any] | None, write: bool, to_play: bool) -> Tournament:
    """The tournament in a store; see `reopen`."""
    values, path = store.config(), store.path
    made_by = values.pop("voyageur", None)
    if write and made_by != version("voyageur"):
        raise StoreError(f"voyageur: {path} was made by version {made_by}, this is {version('voyageur')}")
    config = Config.read(values)
    tournament = config.load(to_play)
    if given:
        asked = Config.read(laid_over(values, given)).load().config
        for f in fields(Config):
            theirs, ours = getattr(config, f.name), getattr(asked, f.name)
            if theirs != ours or (f.name == "entrants" and list(theirs.items()) != list(ours.items())):
                raise StoreError(f"{f.name}: {path} has {theirs}, not {ours}; a tournament keeps its configuration")
    return tournament


def run(
    tournament: Tournament, store: Store, processes: int = 1, scheduler: str | None = None
) -> Generator[Outcome, None, None]:
    """Plays the games that the store lacks and yields each as it goes into the store.

    `processes` at once on this machine, or as many as the Dask cluster at `scheduler` has threads. Ends early when a
    sequential test is decided. Closing the iterator ends the games under way; they are not in the store.
    """
    done = store.finished()
    missing = [pairing for pairing in tournament.pairings if pairing.number not in done]
    trial = Trial(tournament, tournament.finished(store)) if tournament.config.sprt else None
    if not missing or (trial and trial.verdict):
        return
    with _workers(processes, scheduler), contextlib.ExitStack() as stack:
        parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        played = parallel(joblib.delayed(_play)(tournament.common, pairing) for pairing in missing)
        stack.callback(_end, played)
        for outcome in played:
            store.add(outcome)
            yield outcome
            if trial:
                trial.add(outcome)
                if trial.verdict:
                    return


def _end(played: Any) -> None:
    """Ends the games under way."""
    _close_arenas()
    with warnings.catch_warnings():  # joblib warns of games that nobody waited for, and that is what is meant here
        warnings.simplefilter("ignore")
        played.close()
    _close_arenas()  # also those of games that were begun meanwhile


def replay(tournament: Tournament, kept: Outcome) -> Outcome:
    """A game of the tournament played again."""
    guard = Arena(tournament.common)
    try:
        return guard.play(Pairing(kept.number, kept.block, tuple(kept.seating)))
    finally:
        guard.close()


def client_of(scheduler: str) -> Any:
    """A client of the Dask cluster at `scheduler`, to be closed; raises ValueError, in one line, if there is none."""
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("scheduler: needs Dask: pip install 'voyageur[cluster]'") from None
    try:
        return Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise ValueError(f"scheduler: {scheduler} cannot be reached ({one_line(error)[:120]})") from None


@contextlib.contextmanager
def _workers(processes: int, scheduler: str | None) -> Iterator[None]:
    """The joblib backend that the games are spread by."""
    if scheduler is None:
        # Threads, since each guards a process of its own.
        with joblib.parallel_config("threading", n_jobs=processes):
            yield
        return
    with client_of(scheduler) as client, joblib.parallel_config("dask", client=client):
        try:
            yield
        finally:
            client.run(_close_arenas)


_LOCAL = threading.local()  # the arena of each thread that guards one
_ARENAS: list[Arena] = []


def _play(common: arena.Rules, pairing: Pairing) -> Outcome:
    """One game, in the arena of the thread that calls, here or on a machine of a cluster."""
    guard: Arena | None = getattr(_LOCAL, "arena", None)
    if guard is None or guard.common != common or guard.closed:
        if guard is not None:
            guard.close()
        guard = _LOCAL.arena = Arena(common)
        _ARENAS.append(guard)
    return guard.play(pairing)


@atexit.register
def _close_arenas() -> None:
    while _ARENAS:
        _ARENAS.pop().close()
