"""One game of a tournament, played in a process of its own that can be ended when a bot hangs or crashes.

`Arena` is the guard: it starts `python -m voyageur.eval.arena`, hands it games as JSON lines and reads what came of
them. Before every decision the player writes seat and deadline into a small shared file; when the deadline passes, or
the process ends, the guard knows whose fault it was. The player leaves when its standard input closes, so none
outlives its guard.
"""

import contextlib
import json
import mmap
import os
import queue
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyspiel

from voyageur import games
from voyageur.eval import loading, schedule
from voyageur.eval.entrants import Entrant
from voyageur.eval.schedule import Pairing
from voyageur.games import positions, rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.words import one_line
from voyageur.solvers import SolverBot, registry

_NOBODY = -1
_SLOT = struct.Struct("<ddq")  # deadline (monotonic seconds), seconds allowed and seat of what is under way
_SEAT = struct.Struct("<q")
_LONGEST = 300  # characters of a reason
_ROOM = 1024  # actions for which the log of a game begins with room


@dataclass(frozen=True)
class Rules:
    """What all games of a tournament have in common.

    Attributes:
      game: as OpenSpiel writes it.
      entrants: by number.
      seed: of the tournament.
      margin: seconds by which a decision may exceed what the entrant says that it takes.
      timeout: seconds that a decision of an entrant may take that says nothing.
    """

    game: str
    entrants: tuple[Entrant, ...]
    seed: int
    margin: float
    timeout: float

    def allowed(self, entrant: Entrant) -> float:
        """Seconds that a decision of `entrant` may take."""
        return self.timeout if entrant.seconds is None else entrant.seconds + self.margin


@dataclass
class Outcome:
    """What came of a game.

    Attributes:
      number, block, seating: as in its `Pairing`.
      returns: every seat's.
      forfeit: the seat that forfeited the game; None if it was played to its end.
      reason: why.
      moves: lists of seat, action and text, in order, as JSON, which is how they are passed on and kept; the seat is
        -1 where chance decided.
      seconds: of every decision, by seat.
    """

    number: int
    block: int
    seating: Sequence[int]
    returns: list[float] = field(default_factory=list)
    forfeit: int | None = None
    reason: str | None = None
    moves: str = "[]"
    seconds: list[list[float]] = field(default_factory=list)

    def steps(self) -> list[list[Any]]:
        """The moves; raises ValueError for what is not JSON."""
        return json.loads(self.moves)


class ArenaError(ValueError):
    """The playing process ended, and no entrant is to blame."""


class Forfeit(Exception):
    """A seat loses the game by its own fault."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat
        # Half a surrogate pair, as in names of files that are no UTF-8, could not be written down.
        self.reason = one_line(reason)[:_LONGEST]


def forfeited(game: Any, seating: Sequence[int], seat: int) -> list[float]:
    """Every seat's return when one forfeits: the least for its entrant's seats, equal shares of the rest for others."""
    guilty = [entrant == seating[seat] for entrant in seating]
    low, total = game.min_utility(), game.utility_sum()
    rest = (low + game.max_utility()) / 2 if total is None else (total - sum(guilty) * low) / guilty.count(False)
    return [low if lost else rest for lost in guilty]


class _Course:
    """A game under way, as a state of OpenSpiel's that keeps its history.

    Attributes:
      state: where it stands.
    """

    def __init__(self, game: Any, chance: np.random.SeedSequence) -> None:
        self.state = game.new_initial_state()
        self._rng = np.random.default_rng(chance)
        self._bits = rules.make_rng(chance)
        self._ours = isinstance(game, games.Game)
        self._moves: list[tuple[int, int, str]] = []

    def start(self) -> int:
        """Draws for chance, the same for the same seed and the same draws before; the player to act then."""
        while (player := self.state.current_player()) == CHANCE:
            outcome = self._draw()
            self._note(CHANCE, outcome)
            self.state.apply_action(outcome)
        return int(player)

    def go_on(self, chosen: Mapping[int, int]) -> int:
        """Plays the actions of the seats to act, then as `start`."""
        for seat, action in chosen.items():
            self._note(seat, action)
        if len(chosen) > 1:
            self.state.apply_actions(list(chosen.values()))
        else:
            self.state.apply_action(*chosen.values())
        return self.start()

    def moves(self) -> list[tuple[int, int, str]]:
        """(seat, action, text) of all that was played and drawn."""
        return self._moves

    def _note(self, seat: int, action: int) -> None:
        self._moves.append((seat, action, self.state.action_to_string(seat, action)))

    def _draw(self) -> int:
        if self._ours:
            return int(rules.sample_chance(self.state.box.s, self.state.game.c, self._bits))
        outcomes, probs = zip(*self.state.chance_outcomes(), strict=True)
        place = int(np.searchsorted(np.cumsum(probs), self._rng.random(), side="right"))
        return int(outcomes[min(place, len(outcomes) - 1)])


class _BareCourse(_Course):
    """The same without a history, which costs more than the rules themselves; only for bots that look at none.

    `log` has the arrays that `rules.advance` fills. They are lent, since new ones would take long to lay out.
    """

    def __init__(self, game: games.Game, chance: np.random.SeedSequence, log: list[np.ndarray]) -> None:
        super().__init__(game, chance)
        self._game, self._log, self._done = game, log, 0
        self._chosen = np.zeros(game.info.players, np.int64)

    def start(self) -> int:
        player = int(self.state.current_player())
        return self.go_on({}) if player == CHANCE else player

    def go_on(self, chosen: Mapping[int, int]) -> int:
        for seat, action in chosen.items():
            self._chosen[seat] = action
        player, box, constants = CHANCE, self.state.box, self._game.constants
        while player == CHANCE:
            if self._done + len(self._chosen) > len(self._log[0]):
                self._log[:] = [np.concatenate((part, np.zeros_like(part))) for part in self._log]
            player, self._done = rules.advance(box.record, constants, self._chosen, self._bits, *self._log, self._done)
        box.player = None  # what the state remembers of whose turn it was
        return int(player)

    def moves(self) -> list[tuple[int, int, str]]:
        states, *rest = self._log
        text, c = self._game.words.action_text, self._game.c
        seats, actions = (part[: self._done].tolist() for part in rest)
        return [
            (seat, action, text(states[i : i + 1][0], c, seat, action))
            for i, (seat, action) in enumerate(zip(seats, actions, strict=True))
        ]


class Player:
    """Plays the games of a tournament, one at a time, in this process."""

    def __init__(self, common: Rules, slot: Any = None) -> None:
        self.common, self.game = common, loading.load(common.game)
        self._slot = slot
        self._log = []
        if isinstance(self.game, games.Game):
            self._log = [np.zeros(_ROOM, kind) for kind in (self.game.rules.state, np.int64, np.int64)]
        for entrant in common.entrants:
            self._warm_up(entrant)

    def _warm_up(self, entrant: Entrant) -> None:
        """Has our own solvers compile what they need, which is nobody's time to think."""
        if not isinstance(self.game, games.Game) or ":" in entrant.made_by or registry.SOLVERS[entrant.made_by].history:
            return
        options = {key: value for key, value in entrant.options.items() if key not in ("seconds", "nodes", "threads")}
        state = positions.rolled(self.game.new_initial_state(), np.random.default_rng(0))
        view = games.view_of(state, max(state.current_player(), 0))
        registry.SOLVERS[entrant.made_by].warm_up(view, options)

    def play(self, pairing: Pairing) -> Outcome:
        """One game."""
        outcome = Outcome(**asdict(pairing), seconds=[[] for _ in pairing.seating])
        try:
            outcome.returns = self._played(pairing, outcome)
        except Forfeit as fault:
            outcome.forfeit, outcome.reason = fault.seat, fault.reason
            outcome.returns = forfeited(self.game, pairing.seating, fault.seat)
        return outcome

    def _played(self, pairing: Pairing, outcome: Outcome) -> list[float]:
        chance, seeds = schedule.seeds(self.common.seed, pairing.block, len(pairing.seating))
        bots = [self._bot(seat, number, seeds[seat]) for seat, number in enumerate(pairing.seating)]
        bare = isinstance(self.game, games.Game) and all(type(bot) is SolverBot and not bot.history for bot in bots)
        course = _BareCourse(self.game, chance, self._log) if bare else _Course(self.game, chance)
        allowed = [self.common.allowed(self.common.entrants[number]) for number in pairing.seating]
        try:
            player = course.start()
            while player != TERMINAL:
                deciding = range(len(bots)) if player == SIMULTANEOUS else (player,)
                chosen = {}
                for seat in deciding:
                    chosen[seat] = self._decide(bots[seat], course.state, seat, allowed[seat], outcome.seconds[seat])
                if not bare:
                    self._inform(bots, course.state, chosen, allowed)
                player = course.go_on(chosen)
        finally:
            outcome.moves = json.dumps(course.moves())
            outcome.seconds = [[round(took, 6) for took in each] for each in outcome.seconds]
        return list(course.state.returns())

    def _bot(self, seat: int, number: int, seed: int) -> pyspiel.Bot:
        self._watch(seat, self.common.timeout)
        try:
            bot = self.common.entrants[number].bot(self.game, seat, seed)
        except ValueError as error:
            raise Forfeit(seat, str(error)) from None
        self._watch_nobody()
        return bot

    def _inform(
        self, bots: Sequence[pyspiel.Bot], state: Any, chosen: Mapping[int, int], allowed: Sequence[float]
    ) -> None:
        """Tells the bots, as OpenSpiel does, what the others chose."""
        for seat, bot in enumerate(bots):
            self._watch(seat, allowed[seat])
            try:
                if len(chosen) > 1:
                    bot.inform_actions(state, list(chosen.values()))
                elif seat not in chosen:
                    bot.inform_action(state, *next(iter(chosen.items())))
            except Exception as error:
                raise Forfeit(seat, f"raised {type(error).__name__}: {error}") from None
        self._watch_nobody()

    def _decide(self, bot: pyspiel.Bot, state: Any, seat: int, allowed: float, seconds: list[float]) -> int:
        """What `bot` plays, as far as it is legal and in time; `seconds` are those of its decisions."""
        started = self._watch(seat, allowed)
        try:
            action = bot.step(state)
        except Exception as error:
            raise Forfeit(seat, f"raised {type(error).__name__}: {error}") from None
        took = time.monotonic() - started
        self._watch_nobody()
        seconds.append(took)
        if took > allowed:
            raise Forfeit(seat, _overtime(allowed))
        if type(bot) is SolverBot:  # it takes its actions from the legal ones
            return action
        legal = state.legal_actions(seat)
        if not isinstance(action, int | np.integer) or action not in legal:
            raise Forfeit(seat, f"illegal action {str(action)[:40]!r} where {len(legal)} are legal")
        return int(action)

    def _watch(self, seat: int, allowed: float) -> float:
        """Tells the guard that `seat` has so many seconds from now on, and tells the time."""
        now = time.monotonic()
        if self._slot is not None:
            _SLOT.pack_into(self._slot, 0, now + allowed, allowed, seat)
        return now

    def _watch_nobody(self) -> None:
        if self._slot is not None:
            _SEAT.pack_into(self._slot, _SLOT.size - _SEAT.size, _NOBODY)


def _overtime(allowed: float) -> str:
    return f"took longer than the {allowed:g} s that a decision may take"


class Arena:
    """The guard of one playing process; `play` is for one thread, `close` for any.

    Attributes:
      common: what its games have in common.
      closed: whether it was closed; it plays no more.
    """

    def __init__(self, common: Rules) -> None:
        self.common = common
        self._process: subprocess.Popen[str] | None = None
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        self._file.write(_SLOT.pack(0.0, 0.0, _NOBODY))
        self._file.flush()
        self._slot = mmap.mmap(self._file.fileno(), _SLOT.size)
        self.closed = False

    def play(self, pairing: Pairing) -> Outcome:
        """One game; raises ArenaError if the process ends while no entrant is to blame."""
        try:
            return self._play(pairing)
        except Forfeit as fault:
            returns = forfeited(loading.load(self.common.game), pairing.seating, fault.seat)
            seconds: list[list[float]] = [[] for _ in pairing.seating]
            return Outcome(**asdict(pairing), returns=returns, forfeit=fault.seat, reason=fault.reason, seconds=seconds)

    def _play(self, pairing: Pairing) -> Outcome:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        _SLOT.pack_into(self._slot, 0, 0.0, 0.0, _NOBODY)
        with contextlib.suppress(BrokenPipeError):  # it has ended: below there is nothing to read
            process.stdin.write(json.dumps(asdict(pairing)) + "\n")
            process.stdin.flush()
        while not select.select([process.stdout], [], [], 1.0)[0]:
            late = self._late()
            if late is not None:
                time.sleep(0.05)  # the slot may just have been written, and half of it been read
                if late == self._late():
                    self._kill()
                    raise Forfeit(late[2], f"hung: {_overtime(late[1])}")
        line, moves = process.stdout.readline(), process.stdout.readline()
        if moves.endswith("\n"):
            return Outcome(**json.loads(line), moves=moves.rstrip("\n"))
        _, _, seat = _SLOT.unpack_from(self._slot)
        self._kill()
        if self.closed or seat == _NOBODY:
            raise ArenaError(f"the playing process ended in game {pairing.number}")
        raise Forfeit(seat, "ended the process that it played in")

    def _late(self) -> tuple[float, float, int] | None:
        """What stands in the slot if its deadline is past, with a second for the player to see that itself."""
        deadline, allowed, seat = _SLOT.unpack_from(self._slot)
        late = seat != _NOBODY and time.monotonic() > deadline + 1.0
        return (deadline, allowed, seat) if late else None

    def _running(self) -> "subprocess.Popen[str]":
        if self._process is not None and self._process.poll() is not None:
            self._kill()
        if self._process is None:
            slot = self._file.fileno()
            command = [sys.executable, "-m", "voyageur.eval.arena", str(slot)]
            # Its own session: Ctrl-C is for us, who then end it, and with it whatever its bots have started.
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, text=True, start_new_session=True, pass_fds=[slot]
            )
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(asdict(self.common)) + "\n")
        return self._process

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _end(process)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()  # type: ignore[union-attr]

    def close(self) -> None:
        """Ends the process, also in the middle of a game, which then raises ArenaError."""
        self.closed = True
        if self._process is not None:
            _end(self._process)
        self._file.close()


def _end(process: "subprocess.Popen[str]") -> None:
    """Kills a playing process and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def main() -> None:
    """Reads what is common to all games, then plays one game a line."""
    # What bots print goes to standard error; the way back to the guard stays ours.
    back = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    common = json.loads(lines.get())
    common["entrants"] = tuple(Entrant(**entrant) for entrant in common["entrants"])
    player = Player(Rules(**common), mmap.mmap(int(sys.argv[1]), _SLOT.size))
    while True:
        outcome = vars(player.play(Pairing(**json.loads(lines.get()))))
        moves = outcome.pop("moves")  # long, and of no use to the guard: they go through as they are
        back.write(f"{json.dumps(outcome)}\n{moves}\n")
        back.flush()


def _read(lines: "queue.SimpleQueue[str]") -> None:
    """Passes on what the guard writes, and ends this process, busy or not, when the guard is gone."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
