"""Whose turn it is: priorities, sources that take turns, lanes in order, and nothing lost."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from voyageur.solvers.engine.schedule import Job, QueueFull, Schedule


class Gate:
    """A schedule of one worker that is kept busy until `open`; what was done then is in `done`."""

    def __init__(self) -> None:
        self.schedule = Schedule(1, most_waiting=20)
        self.done: list[Any] = []
        self._opened = threading.Event()
        self.schedule.put(Job(self._opened.wait))  # type: ignore[arg-type]
        with self.schedule.changed:
            self.schedule.changed.wait_for(lambda: self.schedule.load() == (1, 0))

    def put(self, name: Any, **options: Any) -> Job:
        """A job that notes its name."""
        job = Job(lambda: self.done.append(name), **options)
        self.schedule.put(job)
        return job

    def open(self) -> list[Any]:
        """What was done, in its order."""
        self._opened.set()
        self.schedule.close()
        return self.done


@pytest.fixture
def gate() -> Iterator[Gate]:
    """A gate, opened after the test."""
    made = Gate()
    yield made
    made.open()


def test_in_order(gate: Gate) -> None:
    """Equals are done as they came."""
    for i in range(9):
        gate.put(i)
    assert gate.open() == list(range(9))


def test_priority(gate: Gate) -> None:
    """The highest first, equals as they came."""
    for i, priority in enumerate((0, 3, -2, 3, 0)):
        gate.put(i, priority=priority)
    assert gate.open() == [1, 3, 0, 4, 2]


def test_sources_take_turns(gate: Gate) -> None:
    """Who asks little is not kept waiting by who asks much."""
    for i in range(4):
        gate.put(("much", i), source="much")
    for i in range(2):
        gate.put(("little", i), source="little")
    assert gate.open() == [("much", 0), ("little", 0), ("much", 1), ("little", 1), ("much", 2), ("much", 3)]


def test_late_comers_get_no_credit() -> None:
    """A source that comes later takes turns from then on; it does not make up for the time before."""
    gate = Gate()
    again = threading.Event()

    def busy() -> None:
        gate.put("a late one", source="late")
        gate.put("another", source="late")
        again.set()

    gate.put("a0", source="a")
    gate.put("a1", source="a")
    gate.schedule.put(Job(busy, source="a"))
    gate.put("a3", source="a")
    gate.put("a4", source="a")
    with gate.schedule.changed:
        gate._opened.set()
        gate.schedule.changed.wait_for(again.is_set)
    assert gate.open() == ["a0", "a1", "a late one", "a3", "another", "a4"]


def test_what_is_stopped_comes_first(gate: Gate) -> None:
    """Whoever is told to stop while it waits is done with as soon as may be."""
    gate.put("a")
    job = gate.put("b", priority=-100)
    gate.schedule.stop(job)
    assert gate.open() == ["b", "a"] and job.stop.is_set()


def test_full(gate: Gate) -> None:
    """No more than agreed may wait, unless whoever asks waits too."""
    for i in range(20):
        gate.put(i)
    with pytest.raises(QueueFull):
        gate.put("one too many")
    waiting = threading.Thread(target=lambda: gate.schedule.put(Job(lambda: gate.done.append("patient")), wait=True))
    waiting.start()
    gate._opened.set()
    waiting.join()
    assert gate.open() == [*range(20), "patient"]


def test_lanes_in_order() -> None:
    """Jobs of one lane never overlap and keep their order, whatever their priority and however many workers."""
    schedule, running, done = Schedule(4, 1000), set[int](), list[tuple[int, int]]()

    def job(lane: int, i: int) -> Callable[[], None]:
        def run() -> None:
            assert lane not in running
            running.add(lane)
            done.append((lane, i))
            running.remove(lane)

        return run

    for i in range(60):
        for lane in range(3):
            schedule.put(Job(job(lane, i), priority=i % 7, lane=lane, source=lane))
    schedule.close()
    assert len(done) == 180
    for lane in range(3):
        assert [i for which, i in done if which == lane] == list(range(60))


def test_stop_all(gate: Gate) -> None:
    """Stopping everything reaches what runs and what waits."""
    jobs = [gate.put(i) for i in range(3)]
    assert gate.schedule.stop_all() == 4
    assert all(job.stop.is_set() for job in jobs)
    assert gate.open() == [0, 1, 2]
