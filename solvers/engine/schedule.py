"""Whose turn it is to be thought about: a queue that is fair, and the threads that work it off."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field


class QueueFull(Exception):
    """As much is waiting already as may wait."""


@dataclass(eq=False)
class Job:
    """Something to do, once, by one of the workers.

    Attributes:
      run: does it; it has to look at `stop` now and then, and answers also where that is set before it begins.
      priority: of what waits, the highest is begun first.
      source: who asked; among equals, sources take turns, however much each has asked.
      lane: jobs of one lane are done one at a time, in their order; None: of no lane.
      stop: set once it is to end early.
    """

    run: Callable[[], None]
    priority: int = 0
    source: Hashable = None
    lane: Hashable = None
    stop: threading.Event = field(default_factory=threading.Event)
    turn: int = 0  # when it is due, counted in jobs of its source
    number: int = 0


class Schedule:
    """Jobs that wait, jobs that run, and `workers` threads that turn the ones into the others.

    `changed` is notified whenever a job comes, begins, is told to stop, or ends.

    Sources take turns by start-time fair queueing (Goyal, Vin and Cheng 1996), every job counting alike.
    """

    def __init__(self, workers: int, most_waiting: int) -> None:
        self.workers, self._most_waiting = workers, most_waiting
        lock = threading.RLock()
        self.changed = threading.Condition(lock)
        self._ready = threading.Condition(lock)  # for workers, of whom one new job should wake one only
        self._waiting: list[Job] = []
        self._running: list[Job] = []
        self._last: dict[Hashable, int] = {}  # the latest turn of every source that has something waiting or running
        self._now = self._numbers = 0
        self._closed = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def put(self, job: Job, wait: bool = False) -> None:
        """Adds a job; where too many are waiting, it waits for room, or raises QueueFull."""
        with self.changed:
            if not wait and len(self._waiting) >= self._most_waiting:
                raise QueueFull
            self.changed.wait_for(lambda: len(self._waiting) < self._most_waiting)
            self._numbers += 1
            job.number = self._numbers
            job.turn = max(self._now, self._last.get(job.source, 0)) + 1
            self._last[job.source] = job.turn
            self._waiting.append(job)
            self._ready.notify()
            self.changed.notify_all()

    def load(self) -> tuple[int, int]:
        """How many jobs run, and how many wait."""
        with self.changed:
            return len(self._running), len(self._waiting)

    def stop(self, job: Job) -> None:
        """Ends a job early: one that runs sees it itself, one that waits is done at once, before all others."""
        with self.changed:
            job.stop.set()
            self.changed.notify_all()

    def stop_all(self) -> int:
        """Ends all jobs early; how many that are."""
        with self.changed:
            jobs = [*self._running, *self._waiting]
            for job in jobs:
                job.stop.set()
            self.changed.notify_all()
            return len(jobs)

    def close(self) -> None:
        """Lets all jobs be done, and the threads end."""
        with self.changed:
            self._closed = True
            self._ready.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (job := self._take()) is not None:
            try:
                job.run()
            finally:
                self._finish(job)

    def _take(self) -> Job | None:
        """The next job, once there is one; None when there will be none any more."""
        with self.changed:
            while True:
                busy = {job.lane for job in self._running if job.lane is not None}
                first: dict[Hashable, int] = {}
                for job in self._waiting:
                    if job.lane is not None:
                        first.setdefault(job.lane, job.number)
                ready = [
                    job
                    for job in self._waiting
                    if job.lane is None or (job.lane not in busy and first[job.lane] == job.number)
                ]
                if ready:
                    job = min(ready, key=lambda job: (not job.stop.is_set(), -job.priority, job.turn, job.number))
                    self._waiting.remove(job)
                    self._running.append(job)
                    self._now = max(self._now, job.turn - 1)
                    if self._closed and not self._waiting:
                        self._ready.notify_all()  # there is no more to wait for
                    self.changed.notify_all()
                    return job
                if self._closed and not self._waiting:
                    return None
                self._ready.wait()

    def _finish(self, job: Job) -> None:
        with self.changed:
            self._running.remove(job)
            if not any(other.source == job.source for other in (*self._running, *self._waiting)):
                self._last.pop(job.source, None)
            if job.lane is not None:
                self._ready.notify()  # for what waits in that lane, in case something else comes first here
            self.changed.notify_all()
