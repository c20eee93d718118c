"""Positions, views and moves: what a state looks like to people, and what one player may know of it."""

import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyspiel

from voyageur.games import files, rules
from voyageur.games.rules import CHANCE, FIXED_RNG, SIMULTANEOUS, TERMINAL, copied, record_of
from voyageur.games.spiel import DEFINITIONS, LISTINGS, Box, Game, State, apply_step
from voyageur.games.words import Definition, Field, Position, PositionError, Reading, Value, key_text, shown

MAX_NESTING = 32


@dataclass(frozen=True)
class Move:
    """A whole decision of one player: its text, its actions, and what it leads to."""

    text: str
    actions: tuple[int, ...]
    player: int
    _from: "State | View" = field(repr=False, compare=False)

    @property
    def together(self) -> bool:
        """Whether it is one seat's choice at a simultaneous decision."""
        return self._from.current_player() == SIMULTANEOUS

    def after(self) -> "State | View":
        """The state after the move (of a view: the view after it).

        Raises ValueError at a simultaneous decision, where one seat's choice leads nowhere by itself; see `joint`.
        """
        if self.together:
            raise ValueError("one seat's choice at a simultaneous decision leads to no state; use games.joint")
        if isinstance(self._from, View):
            return self._from.after(self.actions)
        after = self._from.clone()
        for action in self.actions:
            after.apply_action(action)
        return after


class View:
    """All that one player knows, and no more; made by `view_of` or `view_from`.

    Inside it is one world that fits, made from what the player knows alone: whatever is hidden in the state that a
    view is made of does not get past the constructor.

    Attributes:
      game, player: whose view of what.
      table: what `rules.prepare` has found for redrawing that world.
    """

    def __init__(self, state: State, player: int) -> None:
        self.game = state.game
        self.player = player
        self.table = np.empty(max(1, self.game.rules.table_size))
        rules.prepare(state.box.s, self.game.c, player, self.table)
        self._world = self._redraw(state, FIXED_RNG.copy())

    @property
    def position(self) -> Position:
        """What the player knows as a canonical position; raises PositionError between decision points."""
        return position_of(self._world, viewer=self.player)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.position == other.position

    def __hash__(self) -> int:
        return hash((self.player, int(rules.information_key(self._world.box.s, self.game.c, self.player))))

    def current_player(self) -> int:
        """Whose decision it is: a seat, or pyspiel.PlayerId CHANCE, SIMULTANEOUS or TERMINAL."""
        return self._world.current_player()

    def after(self, actions: Sequence[int]) -> "View":
        """What the player knows right after own `actions`, before anybody else does or shows anything."""
        world = self._world.clone()
        for action in actions:
            world.apply_action(action)
        rules.conceal(world.box.s, self.game.c, self._world.box.s, self.player)
        return View(world, self.player)

    def world(self) -> State:
        """The one world inside: any state that fits, always the same for equal knowledge."""
        return self._world.clone()

    def record(self) -> np.ndarray:
        """That world as an array of one record, which takes less time to copy than a state."""
        return copied(self._world.box.record)

    def sample(self, rng: np.random.Generator) -> State:
        """A complete state drawn from all that fit the view, by their probabilities (uniformly where nothing tells)."""
        return next(self.states(1, rng))

    def states(self, n: int, rng: np.random.Generator) -> Iterator[State]:
        """`n` complete states, each drawn as `sample` does."""
        bits = rules.make_rng(np.random.SeedSequence(rng.integers(2**32, size=4).tolist()))
        for _ in range(n):
            yield self._redraw(self._world, bits)

    def moves(self) -> list[Move]:
        """The player's own moves; raises ValueError when it is not the player's decision."""
        current = self.current_player()
        if current not in (self.player, SIMULTANEOUS):
            raise ValueError(f"it is not the decision of seat {self.player}")
        return _moves(self, self._world, self.player)

    def _redraw(self, state: State, bits: np.ndarray) -> State:
        """`state` with all that the player cannot see redrawn, in the record and in the history."""
        record = copied(state.box.record)
        rules.determinize(record[0], self.game.c, self.player, bits, self.table)
        if not state.full_history():
            return self.game.state_with(record)
        if not self.game.info.hides and record.tobytes() == state.box.record.tobytes():
            return state.clone()  # to play a long history again takes long
        targets = [(n, self._ended(end, bits)) for n, end in _parts(state)]
        return _relive(state, [*targets, (len(state.full_history()), record)], self.player)

    def _ended(self, end: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """The `end` of a part of the history, redrawn."""
        table = np.empty_like(self.table)
        rules.prepare(end[0], self.game.c, self.player, table)
        rules.determinize(end[0], self.game.c, self.player, bits, table)
        return end


def _parts(state: State) -> Iterator[tuple[int, np.ndarray]]:
    """The parts of the history that have ended (see `rules.end_part`): how many steps it then had, and the end."""
    c, record = state.game.c, record_of(state.box.start, state.game.rules.state)
    for i, step in enumerate(state.steps()):
        end = copied(record)
        if len(step) == 1 and rules.end_part(end[0], c, next(iter(step.values()))):
            yield i + 1, end
        apply_step(record[0], c, step)


def _relive(state: State, targets: Sequence[tuple[int, np.ndarray]], player: int) -> State:
    """The last of `targets` as a state with the history of `state`, redrawn where `player` could not see it.

    What `player` could not see becomes what leads to the targets, each of which holds up to a number of steps.
    """
    game, left = state.game, list(targets)
    start = record_of(state.box.start, game.rules.state)
    if state.box.start != game._initial:
        rules.conform(start[0], game.c, left[0][1][0], player)
    lived = game.state_with(start)
    for i, step in enumerate(state.steps()):
        if i == left[0][0]:
            del left[0]
        s, target = lived.box.s, left[0][1][0]
        now = {seat: int(rules.consistent_action(s, game.c, target, seat, action)) for seat, action in step.items()}
        if len(now) == 1:
            lived.apply_action(next(iter(now.values())))
        else:
            lived.apply_actions([now[seat] for seat in sorted(now)])
    lived.box = Box(targets[-1][1], start.tobytes())
    return lived


def definition(name: str) -> Definition:
    """The game called `name`; raises PositionError if there is none."""
    if name not in DEFINITIONS:
        raise PositionError("game", f"unknown game {shown(name)}; known are {', '.join(sorted(DEFINITIONS))}")
    return DEFINITIONS[name]


def load(name: str, **params: Any) -> Game:
    """A game by name, with parameters as Python values (null, numbers, lists as in positions).

    Raises PositionError for an unknown name or parameter, or a value that the rules do not have.
    """
    words = definition(name).words
    given = Field(params).object([p.name for p in words.parameters])
    values = words.spread({p.name: p.read(given[p.name]) for p in words.parameters if p.name in given})
    words.constants({p.name: p.default for p in words.parameters} | dict(values))
    return pyspiel.load_game(name, dict(values))


def names() -> list[str]:
    """The games that there are, without the reference games."""
    return sorted(name for name, listing in LISTINGS.items() if not listing.reference)


def _read(position: Any) -> tuple[Game, Reading]:
    whole = Field(position)
    if not isinstance(position, Mapping):
        raise whole.fail(f'expected a position (an object with "game"), got {shown(position)}')
    _check_nesting(position)
    name = Field(position.get("game"), "game").choice(names())
    reading = DEFINITIONS[name].words.read(whole)
    return _loaded(name, tuple(reading.params.items())), reading


@functools.lru_cache(maxsize=16)  # a position takes less time to read than its game to make
def _loaded(name: str, params: tuple[tuple[str, Value], ...]) -> Game:
    return pyspiel.load_game(name, dict(params))


def _check_nesting(position: Mapping[Any, Any]) -> None:
    """No position needs deep nesting; this keeps whatever walks one from running out of stack."""
    for key, value in position.items():
        level = [value]
        for _ in range(MAX_NESTING):
            if not level:
                break
            # By identity, since a YAML file can name one object many times, and inside itself.
            below = {id(item): item for holder in level for item in _items(holder)}
            level = list(below.values())
        if level:
            raise PositionError(key_text(key), f"nested more than {MAX_NESTING} deep")


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def state_from(position: Position) -> State:
    """The state that a complete position says; raises PositionError if it is wrong or hides anything."""
    game, reading = _read(position)
    if reading.hides:
        raise PositionError("viewer", "the position hides something; a complete one is needed here")
    return game.state_with(reading.record)


def view_from(position: Position, viewer: int | None = None) -> View:
    """The view that a position says, of its `viewer` (or of seat `viewer`, which must not contradict it).

    Raises PositionError if the position is wrong or names no viewer.
    """
    asked = viewer is not None and isinstance(position, Mapping) and position.get("viewer") is None
    try:
        game, reading = _read(position)
    except PositionError:
        if not asked:
            raise
        game, reading = _read({**position, "viewer": viewer})
    player = viewer if asked else reading.viewer
    if player is None:
        raise PositionError("viewer", "expected a seat: whose knowledge is this?")
    if viewer not in (None, player):
        raise PositionError("viewer", f"the position is what seat {player} knows, not seat {viewer}")
    Field(player, "viewer").integer(0, game.info.players - 1)
    return View(game.state_with(reading.record), player)


def view_of(state: State, player: int) -> View:
    """What `player` knows in `state`."""
    if not 0 <= player < state.num_players():
        raise ValueError(f"player: expected a seat from 0 to {state.num_players() - 1}, got {player}")
    return View(state, player)


def position_of(state: State, viewer: int | None = None) -> Position:
    """The canonical position of `state`, complete, or as far as seat `viewer` may know it.

    Raises PositionError between decision points (inside a move, inside a deal), and for a viewer who is no seat.
    """
    if not at_decision(state):
        raise PositionError("", "this state lies inside a move or a deal; only decision points have positions")
    game = state.game
    if viewer is not None:
        Field(viewer, "viewer").integer(0, game.info.players - 1)
    written = game.words.write(state.box.s, game.c, viewer)
    params = {
        p.name: p.show(game.parameters[p.name])
        for p in game.words.parameters
        if p.in_position and game.parameters[p.name] != p.default
    }
    head = {"game": game.definition.name} | ({"params": params} if params else {})
    added = {} if viewer is None or game.words.writes_viewer else {"viewer": viewer}
    return head | added | written


def at_decision(state: State) -> bool:
    """Whether `state` lies between two moves, so that it has a position."""
    return bool(rules.at_decision(state.box.s, state.game.c))


def moves(state: State, player: int | None = None) -> list[Move]:
    """The moves of the player to act (at a simultaneous decision: of `player`), one for each different outcome.

    Raises ValueError at a chance node, after the end, and where `player` is needed or does not act.
    """
    current = state.current_player()
    if current in (CHANCE, TERMINAL):
        raise ValueError("nobody decides here: " + ("the game is over" if current == TERMINAL else "chance is next"))
    if current == SIMULTANEOUS and player is None:
        raise ValueError("everybody decides at once here: say for which player")
    if player is not None and not (0 <= player < state.num_players() and current in (player, SIMULTANEOUS)):
        raise ValueError(f"it is not the decision of seat {player}")
    return _moves(state, state, current if player is None else player)


def _moves(origin: State | View, world: State, player: int) -> list[Move]:
    game = world.game
    s, c, words = world.box.s, game.c, game.words
    return [
        Move(words.move_text(s, c, player, chain), chain, player, origin)
        for chain in whole_moves(game, world.box.record, player)
    ]


def whole_moves(game: Game, record: np.ndarray, player: int) -> list[tuple[int, ...]]:
    """The action chains of `player`'s moves at `record`, the first found of those that lead to the same record.

    A chain ends where the decision is made: at the next decision point, at chance, or when another player acts.
    """
    c, out = game.c, np.empty(game.rules.max_actions, np.int64)
    n = rules.legal_actions(record[0], c, player, out)
    if rules.current_player(record[0], c) == SIMULTANEOUS:
        return [(action,) for action in out[:n].tolist()]
    found: list[tuple[int, ...]] = []
    seen = {record.tobytes()}
    stack: list[tuple[np.ndarray, tuple[int, ...]]] = [(record, (action,)) for action in out[:n][::-1].tolist()]
    while stack:
        before, chain = stack.pop()
        after = copied(before)
        s = after[0]
        rules.apply_action(s, c, chain[-1])
        key = after.tobytes()
        if key in seen:
            continue
        seen.add(key)
        if rules.current_player(s, c) != player or rules.at_decision(s, c):
            found.append(chain)
        else:
            n = rules.legal_actions(s, c, player, out)
            stack += [(after, (*chain, action)) for action in out[:n][::-1].tolist()]
    return found


def joint(state: State, choices: Mapping[int, str]) -> State:
    """The state after everybody's choice (move texts by seat) at a simultaneous decision.

    Raises PositionError, which names the seat, for a choice that is missing or not one of the seat's moves.
    """
    if state.current_player() != SIMULTANEOUS:
        raise ValueError("this is not a simultaneous decision")
    actions = []
    for player in range(state.num_players()):
        by_text = {move.text: move for move in moves(state, player)}
        if choices.get(player) not in by_text:
            problem = f"expected one of {', '.join(by_text)}, got {shown(choices.get(player))}"
            raise PositionError(f"choices[{player}]", problem)
        actions.append(by_text[choices[player]].actions[0])
    after = state.clone()
    after.apply_actions(actions)
    return after


def rolled(state: State, rng: np.random.Generator) -> State:
    """`state` itself, changed by what chance draws until somebody decides or the game is over."""
    while state.current_player() == CHANCE:
        outcomes, probs = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=probs)))
    return state


def deal(state: State, /, **what: Any) -> State:
    """The state after the deal that `what` says, at a chance node; keywords as in the game's position format.

    Raises PositionError where the keywords do not fit.
    """
    if state.current_player() != CHANCE:
        raise ValueError("nothing is dealt here")
    after = state.clone()
    for outcome in state.game.words.deal(state.box.s, state.game.c, what):
        after.apply_action(outcome)
    return after


def read(source: str | os.PathLike[str] | IO[Any]) -> Position:
    """Reads a position (YAML or JSON) from a path or an open file.

    Raises PositionError, with the line where there is one, for what is neither, and OSError as usual.
    """
    return files.parse(files.read_text(source), 'a position (an object with "game")')


def write(position: Position, target: str | os.PathLike[str] | IO[str]) -> None:
    """Writes a position to a path or an open text file, as JSON where the path ends in `.json`, else as YAML."""
    if isinstance(target, str | os.PathLike):
        as_json = Path(target).suffix == ".json"
        with open(target, "w", encoding="utf-8") as file:
            file.write(json.dumps(position) + "\n" if as_json else files.to_yaml(position))
    else:
        target.write(files.to_yaml(position))
