"""Where a query stands: a position, the moves played from it, and how that is told in positions again."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from voyageur import games
from voyageur.games import State, View, positions, spiel
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.words import Field, PositionError, shown

Seen = State | View


def below(path: str, error: PositionError) -> PositionError:
    """`error` about something that lies below `path`."""
    joined = error.field if not path or error.field.startswith("[") else "." + error.field
    return PositionError(path + joined if error.field else path, error.problem)


def started(game: str, params: Mapping[str, Any], rng: np.random.Generator) -> State:
    """A game's first decision; raises PositionError for a game or parameters that there are not."""
    try:
        Field(game, "game").choice(list(spiel.DEFINITIONS))
        state = games.load(game, **params).new_initial_state()
    except PositionError as error:
        raise error if error.field == "game" else below("params", error) from None
    return positions.rolled(state, rng)


def seen_at(position: Mapping[str, Any], viewer: int | None) -> Seen:
    """What `position` says: the view of its own viewer, or everything (as far as it does not hide something).

    Raises PositionError, also where `viewer`, the seat that asks, is not the one whose view it is.
    """
    try:
        if position.get("viewer") is not None:
            return games.view_from(dict(position), viewer)
        try:
            return games.state_from(dict(position))
        except PositionError:
            if viewer is None:
                raise
            return games.view_from(dict(position), viewer)
    except PositionError as error:
        raise below("position", error) from None


def decider(seen: Seen) -> int:
    """The seat that decides, or SIMULTANEOUS; raises PositionError where nobody does."""
    current = seen.current_player()
    if current in (CHANCE, TERMINAL):
        problem = "the game is over" if current == TERMINAL else "chance is next"
        raise PositionError("position", f"nobody decides here: {problem}")
    return current


def view_for(seen: Seen, viewer: int | None) -> View:
    """A view of its own for the seat that is to decide, `viewer` where everybody does; raises PositionError."""
    current = decider(seen)
    if isinstance(seen, View):
        player = seen.player
        if viewer not in (None, player):
            raise PositionError("viewer", f"the position is what seat {player} knows, not seat {viewer}")
        record = seen.record()
    else:
        player = _seat(seen, viewer if current == SIMULTANEOUS or viewer is not None else current)
        record = seen.box.record
    if current not in (player, SIMULTANEOUS):
        raise PositionError("viewer", f"it is the decision of seat {current}, not of seat {player}")
    return games.view_of(seen.game.state_with(record), player)


def _seat(state: State, viewer: int | None) -> int:
    if viewer is None:
        raise PositionError("viewer", "expected a seat: everybody decides at once here, so say who asks")
    return Field(viewer, "viewer").integer(0, state.num_players() - 1)


def played(seen: Seen, moves: Sequence[Field], rng: np.random.Generator) -> Seen:
    """What `seen` becomes by `moves`, chance between and after them; raises PositionError that names the move."""
    if isinstance(seen, View):
        for move in moves:
            seen = _own_move(seen, move)
        return seen
    state = seen.clone()
    for move in moves:
        if isinstance(move.value, dict) and "deal" in move.value:
            state = _dealt(state, move)
        else:
            _play(positions.rolled(state, rng), move)
    return positions.rolled(state, rng)


def _own_move(view: View, move: Field) -> View:
    if view.current_player() != view.player:
        raise move.fail("only own moves lead on from a view; give the position after this one")
    return view.after(_found(view.moves(), move).actions)


def _dealt(state: State, move: Field) -> State:
    what = move.object(["deal"])["deal"]
    if not isinstance(what.value, dict):
        raise what.fail(f"expected an object, got {shown(what.value)}")
    if state.current_player() != CHANCE:
        raise what.fail("nothing is dealt here")
    try:
        return games.deal(state, **what.value)
    except PositionError as error:
        raise below(what.path, error) from None


def _play(state: State, move: Field) -> None:
    """Plays one move (of everybody, at a simultaneous decision) in `state` itself."""
    current = state.current_player()
    if current == TERMINAL:
        raise move.fail("the game is over")
    if current != SIMULTANEOUS:
        for action in _found(games.moves(state), move).actions:
            state.apply_action(action)
        return
    seats = range(state.num_players())
    choices = move.object([str(seat) for seat in seats])
    state.apply_actions([_found(games.moves(state, seat), choices[str(seat)]).actions[0] for seat in seats])


def _found(moves: Sequence[games.Move], text: Field) -> games.Move:
    """The move of that text; the error does not list the others, which may be secrets of another seat."""
    for move in moves:
        if move.text == text.value:
            return move
    raise text.fail(f"expected a move that seat {moves[0].player} has here, got {shown(text.value)}")


def described(seen: Seen, viewer: int | None) -> dict[str, Any]:
    """Where play stands, as plain objects: `position` (null inside a deal), `to_act`, `returns` once it is over."""
    state = seen.world() if isinstance(seen, View) else seen
    player = seen.player if isinstance(seen, View) else viewer
    current = state.current_player()
    names: dict[int, Any] = {SIMULTANEOUS: "all", CHANCE: "chance", TERMINAL: None}
    return {
        "position": positions.position_of(state, player) if positions.at_decision(state) else None,
        "to_act": names.get(current, current),
        "returns": state.returns() if current == TERMINAL else None,
    }


def moves_of(seen: Seen) -> list[games.Move]:
    """Every move, at a simultaneous decision those of all seats, or of the one whose view it is."""
    if isinstance(seen, View):
        return seen.moves()
    if seen.current_player() == SIMULTANEOUS:
        return [move for seat in range(seen.num_players()) for move in games.moves(seen, seat)]
    return games.moves(seen)


def listed(move: games.Move) -> dict[str, Any]:
    """A move as a plain object: `move`, `actions`, `player`, and the `position` after it.

    The position is null where none can be written: where everybody chooses at once, or a deal comes first.
    """
    position = None
    if not move.together:
        after = move.after()
        world = after.world() if isinstance(after, View) else after
        if games.at_decision(world):
            position = games.position_of(world, after.player if isinstance(after, View) else None)
    return {"move": move.text, "actions": list(move.actions), "player": move.player, "position": position}


def catalogue() -> list[dict[str, Any]]:
    """The games, as plain objects: `name`, `title`, `players` (fewest, most), `params` with their defaults."""
    found = []
    for name in games.names():
        definition = spiel.DEFINITIONS[name]
        params = {p.name: p.show(p.default) for p in definition.words.parameters}
        found.append({"name": name, "title": definition.title, "players": list(definition.players), "params": params})
    return found
