"""The engine: queries in, answers out, as plain objects; the same behind the line protocol and behind HTTP."""

import os
import secrets
import sys
import traceback
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from voyageur import solvers
from voyageur.games import PositionError, View, positions
from voyageur.solvers import registry
from voyageur.solvers.advice import Advice
from voyageur.solvers.engine import situations
from voyageur.solvers.engine.queries import Query
from voyageur.solvers.engine.schedule import Job, Schedule
from voyageur.solvers.engine.situations import Seen
from voyageur.solvers.limits import Limit

Answer = dict[str, Any]
Send = Callable[[Answer], None]

MOST_SESSIONS = 16
SEARCH_BYTES = 1 << 28  # that the tables of one search may take


@dataclass
class Session:
    """A position that goes on from move to move, and what the searches about it have learnt, by seat."""

    seen: Seen
    viewer: int | None
    trees: dict[int, solvers.Trees] = field(default_factory=dict)


class Engine:
    """Answers queries: at once, or, where it takes a search, one after another on so many `workers`.

    Attributes:
      workers: searches that run at the same time.
      most_seconds: longest that one query may think; None: as long as it asks for.
    """

    def __init__(self, workers: int | None = None, most_waiting: int = 1000, most_seconds: float | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self.most_seconds = most_seconds
        self.schedule = Schedule(self.workers, most_waiting)
        self._sessions: dict[str, Session] = {}
        self._jobs: dict[str | int, Job] = {}

    def submit(self, query: Query, send: Send, source: Hashable = None, wait: bool = False) -> Job | None:
        """Has `query` answered through `send`, exactly once, besides partial answers; the job if that takes a search.

        Raises PositionError that names the field, and QueueFull if too much is waiting and it should not `wait`.
        Answers of searches are sent from the workers' threads.
        """
        if query.thinks:
            return self._queue(query, send, source, wait)
        seed = _seed(query)
        found = getattr(self, f"_{query.action}")(query, np.random.default_rng(seed))
        send({"id": query.id, "action": query.action} | found)
        return None

    def stop_all(self) -> int:
        """Ends all queries early; how many there were."""
        return self.schedule.stop_all()

    def close(self) -> None:
        """Lets all queries be answered, and the workers end."""
        self.schedule.close()

    # What takes a search.

    def _queue(self, query: Query, send: Send, source: Hashable, wait: bool) -> Job:
        if query.id is not None and query.id in self._jobs:
            raise PositionError("id", "there is a query of this id under way")
        seed = _seed(query)
        session, viewer = self._session(query), self._viewer(query)
        view = situations.view_for(self._seen(query, np.random.default_rng(seed)), viewer)
        solver = registry.find(query["solver"])
        if problem := solver.refuses(view.game):
            raise PositionError("solver", f"{solver.name} cannot play {view.game.definition.name}: {problem}")
        task = _Task(query, view, self._limit(query["limit"]), seed, _among(query, view))
        if session is not None:
            task.trees = session.trees.setdefault(view.player, solvers.Trees())
        job = Job(lambda: None, query["priority"], source, query["session"])
        job.run = partial(self._run, task, job, send)
        if query.id is not None:
            self._jobs[query.id] = job
        try:
            self.schedule.put(job, wait)
        except BaseException:
            self._jobs.pop(query.id, None)  # type: ignore[arg-type]
            raise
        return job

    def _run(self, task: "_Task", job: Job, send: Send) -> None:
        query = task.query
        try:
            answer = task.answer(job, send)
            answer = {"id": query.id, "action": query.action} | answer
        except Exception as error:  # whatever it is, the others have to be answered
            answer = failure(query.id, error)
        if query.id is not None:
            self._jobs.pop(query.id, None)
        send(answer)

    def _limit(self, asked: Limit) -> Limit:
        most = self.most_seconds
        if most is None:
            return asked
        if asked.seconds is not None and asked.seconds > most:
            raise PositionError("limit.seconds", f"expected at most {most:g}, got {asked.seconds:g}")
        return Limit(asked.seconds or most, asked.nodes)

    # What is answered at once.

    def _seen(self, query: Query, rng: np.random.Generator) -> Seen:
        """Where the query stands."""
        session = self._session(query)
        seen = situations.seen_at(query["position"], query["viewer"]) if session is None else session.seen
        return situations.played(seen, query["moves"] or [], rng)

    def _session(self, query: Query) -> Session | None:
        name = query["session"]
        if name is None:
            return None
        if name not in self._sessions:
            raise PositionError("session", f"there is no open session {name!r}")
        return self._sessions[name]

    def _viewer(self, query: Query) -> int | None:
        """The seat that asks: of a session that was opened for one seat, that one."""
        session, asked = self._session(query), query["viewer"]
        if session is None or session.viewer is None:
            return asked
        if asked not in (None, session.viewer):
            raise PositionError("viewer", f"the session is that of seat {session.viewer}, not of seat {asked}")
        return session.viewer

    def _moves(self, query: Query, rng: np.random.Generator) -> Answer:
        viewer, seen = self._viewer(query), self._seen(query, rng)
        situations.decider(seen)
        whole = viewer is None and not isinstance(seen, View)
        moves = situations.moves_of(seen if whole else situations.view_for(seen, viewer))
        return {"moves": [situations.listed(move) for move in moves]}

    def _apply(self, query: Query, rng: np.random.Generator) -> Answer:
        return situations.described(self._seen(query, rng), self._viewer(query))

    def _new(self, query: Query, rng: np.random.Generator) -> Answer:
        state = situations.started(query["game"], query["params"], rng)
        return situations.described(state, query["viewer"])

    def _games(self, query: Query, rng: np.random.Generator) -> Answer:
        return {"games": situations.catalogue()}

    def _version(self, query: Query, rng: np.random.Generator) -> Answer:
        from importlib.metadata import version  # slow to import, and seldom needed

        return {"version": version("voyageur"), "workers": self.workers}

    def _open(self, query: Query, rng: np.random.Generator) -> Answer:
        name = query["session"]
        if name in self._sessions:
            raise PositionError("session", f"{name!r} is open already")
        if len(self._sessions) == MOST_SESSIONS:
            raise PositionError("session", f"{MOST_SESSIONS} are open already, close one")
        seen = situations.played(situations.seen_at(query["position"], query["viewer"]), [], rng)
        answer = situations.described(seen, query["viewer"])
        self._sessions[name] = Session(seen, query["viewer"])
        return answer

    def _play(self, query: Query, rng: np.random.Generator) -> Answer:
        session = self._session(query)
        assert session is not None
        if query["position"] is None:
            seen = situations.played(session.seen, query["moves"], rng)
        else:
            seen = situations.played(situations.seen_at(query["position"], session.viewer), [], rng)
        answer = situations.described(seen, session.viewer)
        session.seen = seen
        return answer

    def _close(self, query: Query, rng: np.random.Generator) -> Answer:
        self._session(query)
        del self._sessions[query["session"]]
        return {}

    def _stop(self, query: Query, rng: np.random.Generator) -> Answer:
        job = self._jobs.get(query["target"])
        if job is not None:
            self.schedule.stop(job)
        return {"target": query["target"], "found": job is not None}

    def _stop_all(self, query: Query, rng: np.random.Generator) -> Answer:
        return {"found": self.stop_all()}

    def _quit(self, query: Query, rng: np.random.Generator) -> Answer:
        return self._stop_all(query, rng)


@dataclass
class _Task:
    """A search to be made: about what, and how."""

    query: Query
    view: View
    limit: Limit
    seed: int
    among: frozenset[tuple[int, ...]] | None
    trees: solvers.Trees | None = None

    def answer(self, job: Job, send: Send) -> Answer:
        """Makes the search, with partial answers where they are wanted."""
        return self._moved(job) if self.query.action == "move" else self._analyzed(job, send)

    def _analyzed(self, job: Job, send: Send) -> Answer:
        every = self.query["report_every"]

        def told(advice: Advice, partial: bool) -> Answer:
            return {"partial": partial, "stopped": advice.interrupted, "seed": self.seed} | advice.to_dict()

        def report(advice: Advice) -> None:
            send({"id": self.query.id, "action": "analyze"} | told(advice, True))

        advice = self._advise(self.view, self.among, job, report if every else None, every or 1.0, self.query["top"])
        return told(advice, False)

    def _moved(self, job: Job) -> Answer:
        """A move drawn by the shares; where the search compared first steps only, step by step."""
        game, rng = self.view.game, np.random.default_rng(self.seed)
        whole = positions.whole_moves(game, self.view.record(), self.view.player)
        chain: tuple[int, ...] = ()
        view, among = self.view, self.among
        while True:
            advice = self._advise(view, among, job, None, 1.0, None)
            shares = np.array([move.share for move in advice.moves])
            chosen = advice.moves[int(rng.choice(len(shares), p=shares / shares.sum()))]
            chain += chosen.actions
            if chain in whole:
                break
            view = view.after(chosen.actions)
            if among is not None:
                n = len(chosen.actions)
                among = frozenset(rest[n:] for rest in among if rest[:n] == chosen.actions)
        return {
            "player": self.view.player,
            "move": game.words.move_text(self.view.record()[0], game.c, self.view.player, chain),
            "actions": list(chain),
            "share": round(chosen.share, 6),
            "value": None if chosen.value is None else round(chosen.value, 6),
            "simulations": advice.simulations,
            "stopped": advice.interrupted,
            "seed": self.seed,
        }

    def _advise(
        self,
        view: View,
        among: frozenset[tuple[int, ...]] | None,
        job: Job,
        report: Callable[[Advice], None] | None,
        every: float,
        top: int | None,
    ) -> Advice:
        control = solvers.Control(job.stop.is_set, report, every, among, self.trees)
        solver = registry.find(self.query["solver"])
        options: dict[str, Any] = {"memory": SEARCH_BYTES} if "memory" in solver.options else {}
        return solvers.advise(view, None, solver.name, self.limit, seed=self.seed, top=top, control=control, **options)


def failure(identity: str | int | None, error: Exception) -> Answer:
    """The answer where something went wrong that is a fault of ours; what it was goes to standard error."""
    traceback.print_exception(error, file=sys.stderr)
    return {"id": identity, "error": f"internal error ({type(error).__name__})", "field": None}


def _seed(query: Query) -> int:
    seed = query["seed"] if "seed" in query.given else None
    return secrets.randbits(32) if seed is None else seed


def _among(query: Query, view: View) -> frozenset[tuple[int, ...]] | None:
    """The moves that `allow` and `avoid` leave; None: all."""
    if query["allow"] is None and query["avoid"] is None:
        return None
    by_text = {move.text: move.actions for move in view.moves()}
    listed: dict[str, set[tuple[int, ...]]] = {}
    for name in ("allow", "avoid"):
        listed[name] = set()
        for text in query[name] or []:
            if text.value not in by_text:
                raise text.fail(f"expected a move that seat {view.player} has here, got {text.value[:60]!r}")
            listed[name].add(by_text[text.value])
    left = (listed["allow"] or set(by_text.values())) - listed["avoid"]
    if not left:
        raise PositionError("avoid", "leaves no move to choose")
    return frozenset(left)
