"""The OpenSpiel face of every game: one Game, one State, one Observer over any rules.

See `pyspiel.Game` and `pyspiel.State` for the interface; what is here only translates it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyspiel

from voyageur.games import rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.words import Definition, Field, PositionError, Value, shown

DEFINITIONS: dict[str, Definition] = {}

_BOX_VERSION = 1


def one_record(data: bytes, dtype: np.dtype) -> np.ndarray:
    """A new array of one record with these bytes; numpy's own copy goes field by field and takes 30 times as long."""
    return np.frombuffer(bytearray(data), dtype)


def copied(record: np.ndarray) -> np.ndarray:
    """A copy of an array of one record."""
    return one_record(record.tobytes(), record.dtype)


class Box:
    """The record of a state and the one from which its history begins; what `clone` and `serialize` copy."""

    __slots__ = ("player", "record", "s", "start")

    def __init__(self, record: np.ndarray, start: bytes) -> None:
        self.record = record
        self.s = record[0]
        self.start = start
        self.player: int | None = None  # whose turn it is, once somebody has asked

    def __deepcopy__(self, memo: dict[int, Any]) -> "Box":
        return Box(copied(self.record), self.start)

    def __reduce__(self) -> tuple[Any, ...]:
        name = next(name for name, game in DEFINITIONS.items() if game.rules.state == self.record.dtype)
        return _restore_box, (_BOX_VERSION, name, self.record.tobytes(), self.start)


def _restore_box(version: int, name: str, record: bytes, start: bytes) -> Box:
    if version != _BOX_VERSION:
        raise ValueError(f"serialized state: version {version!r}, expected {_BOX_VERSION}")
    if name not in DEFINITIONS:
        raise ValueError(f"serialized state: unknown game {shown(name)}")
    dtype = DEFINITIONS[name].rules.state
    for part in (record, start):
        if len(part) != dtype.itemsize:
            raise ValueError(f"serialized state: {len(part)} bytes, expected {dtype.itemsize}")
    return Box(one_record(record, dtype), start)


class Game(pyspiel.Game):
    """A game with its parameters; load it with `voyageur.games.load` or `pyspiel.load_game`."""

    def __init__(self, definition: Definition, params: Mapping[str, Value]) -> None:
        params = definition.words.spread(params)
        checked: dict[str, Value] = {}
        for parameter in definition.words.parameters:
            given = params.get(parameter.name, parameter.default)
            checked[parameter.name] = parameter.read(Field(given, parameter.name))
        self.definition = definition
        self.words = definition.words
        self.rules = definition.rules
        self.parameters = checked
        self.constants = self.words.constants(checked)
        self.c = self.constants[0]
        self.info = self.words.info(checked)
        super().__init__(_game_type(definition, self.info), _game_info(self.info), dict(params))
        record = np.zeros(1, self.rules.state)
        self.words.setup(record, self.constants)
        self._initial = record.tobytes()

    def __reduce__(self) -> tuple[Any, ...]:
        # OpenSpiel's own way brings back its part of the game and loses ours.
        return _load_game, (self.definition.name, self.parameters)

    def new_initial_state(self, position: str | Mapping[str, Any] | None = None) -> "State":
        """The state in which the game begins, or the one that `position` (an object or its JSON) says."""
        if position is None:
            return State(self)
        from voyageur.games import positions

        state = positions.state_from(json.loads(position) if isinstance(position, str) else dict(position))
        for parameter in self.words.parameters:
            theirs, ours = state.game.parameters[parameter.name], self.parameters[parameter.name]
            if theirs != ours and (parameter.in_position or parameter.name == "players"):
                raise PositionError(parameter.name, f"the position has {theirs}, this game has {ours}")
        return self.state_with(state.box.record)

    def state_with(self, record: np.ndarray) -> "State":
        """A state without history at `record` (array of one record, copied)."""
        state = State(self)
        start = record.tobytes()
        state.box = Box(one_record(start, record.dtype), start)
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> "Observer":
        """The observer for `iig_obs_type`; raises ValueError for parameters, it has none."""
        return Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    def max_chance_nodes_in_history(self) -> int:
        """Upper bound on the chance nodes of one game."""
        return self.info.max_chance_nodes


def _load_game(name: str, params: dict[str, Value]) -> Game:
    return pyspiel.load_game(name, params)


class State(pyspiel.State):
    """A state: a record, and (in OpenSpiel's own part) the actions that led to it."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.box = Box(one_record(game._initial, game.rules.state), game._initial)

    @property
    def game(self) -> Game:
        """The game that this is a state of."""
        return self.get_game()

    def current_player(self) -> int:
        """The seat to act, or pyspiel.PlayerId CHANCE, SIMULTANEOUS or TERMINAL."""
        box = self.box
        if box.player is None:
            box.player = int(rules.current_player(box.s, self.game.c))
        return box.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        out = np.empty(self.game.rules.max_actions, np.int64)
        return out[: rules.legal_actions(self.box.s, self.game.c, player, out)].tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node with their probabilities."""
        size = self.game.rules.max_actions
        outcomes, probs = np.empty(size, np.int64), np.empty(size)
        n = rules.chance_outcomes(self.box.s, self.game.c, outcomes, probs)
        return list(zip(outcomes[:n].tolist(), probs[:n].tolist(), strict=True))

    def _apply_action(self, action: int) -> None:
        # OpenSpiel hands over whatever it was given, and compiled rules trust their input.
        player = self.current_player()
        legal = [a for a, _ in self.chance_outcomes()] if player == CHANCE else self._legal_actions(player)
        if action not in legal:
            raise ValueError(f"illegal action {action} in a state of {self.game}; legal are {legal}")
        rules.apply_action(self.box.s, self.game.c, action)
        self.box.player = None

    def _apply_actions(self, actions: list[int]) -> None:
        for player, action in enumerate(actions):
            if action not in self._legal_actions(player):
                raise ValueError(f"illegal action {action} of player {player} in a state of {self.game}")
        rules.apply_joint(self.box.s, self.game.c, np.asarray(actions, np.int64))
        self.box.player = None

    def _action_to_string(self, player: int, action: int) -> str:
        return self.game.words.action_text(self.box.s, self.game.c, player, action)

    def returns(self) -> list[float]:
        """Every seat's return; zeros before the end."""
        out = np.zeros(self.game.info.players)
        if self.is_terminal():
            rules.returns(self.box.s, self.game.c, out)
        return out.tolist()

    def __str__(self) -> str:
        words, c = self.game.words, self.game.c
        players = range(self.game.info.players)
        private = [words.private_text(self.box.s, c, player) for player in players]
        return " | ".join([words.public_text(self.box.s, c), *filter(None, private)])

    def steps(self) -> Iterator[dict[int, int]]:
        """The history as steps: actions by seat (or CHANCE), several at a simultaneous node."""
        history = self.full_history()
        if not self.game.info.simultaneous:
            yield from ({item.player: item.action} for item in history)
            return
        s = one_record(self.box.start, self.game.rules.state)[0]
        i = 0
        while i < len(history):
            joint = rules.current_player(s, self.game.c) == SIMULTANEOUS
            n = self.game.info.players if joint else 1
            step = {item.player: item.action for item in history[i : i + n]}
            i += n
            yield step
            apply_step(s, self.game.c, step)

    def information_state(self, player: int) -> str:
        """All that `player` has noticed since the history began, in order (perfect recall)."""
        words, c = self.game.words, self.game.c
        before, after = (one_record(self.box.start, self.game.rules.state) for _ in range(2))
        # A history that begins in mid-game begins with what was known there; nobody ever forgets it.
        begins = self.box.start == self.game._initial
        seen = [f"P{player}"] if begins else [f"P{player}", self._observed(before[0], player)]
        for step in self.steps():
            apply_step(after[0], c, step)
            seen.append(words.event_text(before[0], after[0], c, step, player))
            before[:] = after
        return " ".join(filter(None, seen))

    def observation(self, player: int) -> str:
        """What `player` sees now."""
        return f"P{player} {self._observed(self.box.s, player)}"

    def _observed(self, s: Any, player: int) -> str:
        words, c = self.game.words, self.game.c
        return " ".join(filter(None, (words.public_text(s, c), words.private_text(s, c, player))))

    def hides_state_from_agents(self) -> bool:
        """Whether agents may not be handed the state: Kaggle's environments ask this, and else hand it out whole."""
        return self.game.info.hides

    def resample_from_infostate(self, player: int, probability_sampler: Any) -> "State":
        """A state that `player` cannot tell from this one, its hidden part redrawn.

        `probability_sampler` is OpenSpiel's: a function that returns uniform numbers in [0, 1).
        """
        from voyageur.games import positions

        seed = [int(probability_sampler() * 2**32) for _ in range(4)]
        return positions.view_of(self, player).sample(np.random.default_rng(seed))

    def _to_struct(self) -> dict[str, Any]:
        from voyageur.games import positions

        return positions.position_of(self)

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        from voyageur.games import positions

        return positions.position_of(self, viewer=player)

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        return {"action": self._action_to_string(player, action)}

    def _struct_to_actions(self, struct: Mapping[str, Any]) -> list[int]:
        text = struct.get("action")
        player = self.current_player()
        seats = range(self.game.info.players) if player == SIMULTANEOUS else [player]
        for seat in seats:
            for action in self.legal_actions(seat):
                if self._action_to_string(seat, action) == text:
                    return [action]
        raise ValueError(f"action: {shown(text)} is not one of the legal ones")


def apply_step(s: Any, c: Any, step: Mapping[int, int]) -> None:
    """Changes record `s` by one step: actions by seat (or CHANCE)."""
    if len(step) == 1:
        rules.apply_action(s, c, next(iter(step.values())))
    else:
        rules.apply_joint(s, c, np.array([step[player] for player in sorted(step)], np.int64))


class Observer:
    """What a player observes, as text and as tensors (`tensor`, and by name in `dict`), for OpenSpiel.

    With perfect recall the text is the sequence of all that the player has noticed, and the tensor is that of the
    present observation with a 64-bit fingerprint of that text: complete, and of one size however long the game.
    """

    def __init__(self, game: Game, iig_obs_type: Any, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observation parameters are not supported: {dict(params)}")
        self._words, self._c, self._players = game.words, game.c, game.info.players
        self._public = iig_obs_type.public_info
        self._private = iig_obs_type.private_info != pyspiel.PrivateInfoType.NONE
        self._recall = iig_obs_type.perfect_recall
        if self._recall and not (self._public and self._private):
            raise ValueError("perfect recall is only offered of public and own private information together")
        pieces = self._pieces(State(game), 0)
        self.tensor = np.zeros(sum(piece.size for piece in pieces.values()), np.float32)
        self.dict: dict[str, np.ndarray] = {}
        offset = 0
        for name, piece in pieces.items():
            self.dict[name] = self.tensor[offset : offset + piece.size].reshape(piece.shape)
            offset += piece.size

    def _pieces(self, state: State, player: int) -> dict[str, np.ndarray]:
        s = state.box.s
        pieces = {"player": np.eye(self._players, dtype=np.float32)[player]}
        if self._public:
            pieces |= self._words.public_tensors(s, self._c)
        if self._private:
            pieces |= self._words.private_tensors(s, self._c, player)
        if self._recall:
            text = state.information_state(player).encode()
            digest = np.frombuffer(hashlib.blake2b(text, digest_size=8).digest(), np.uint8)
            pieces["history"] = np.unpackbits(digest).astype(np.float32)
        return pieces

    def set_from(self, state: State, player: int) -> None:
        """Fills `tensor` from `state` as `player` sees it."""
        for name, piece in self._pieces(state, player).items():
            self.dict[name][...] = piece

    def string_from(self, state: State, player: int) -> str:
        """The text of `state` as `player` sees it."""
        if self._recall:
            return state.information_state(player)
        if self._public and self._private:
            return state.observation(player)
        if self._public:
            return self._words.public_text(state.box.s, self._c)
        return self._words.private_text(state.box.s, self._c, player) if self._private else ""


def _game_type(definition: Definition, info: Any) -> pyspiel.GameType:
    kind = pyspiel.GameType
    zero_sum = info.utility_sum == 0
    return kind(
        short_name=definition.name,
        long_name=definition.title,
        dynamics=kind.Dynamics.SIMULTANEOUS if info.simultaneous else kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if info.max_chance_nodes else kind.ChanceMode.DETERMINISTIC,
        information=(kind.Information.IMPERFECT_INFORMATION if info.hides else kind.Information.PERFECT_INFORMATION),
        utility=(
            kind.Utility.ZERO_SUM
            if zero_sum
            else kind.Utility.GENERAL_SUM
            if info.utility_sum is None
            else kind.Utility.CONSTANT_SUM
        ),
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=definition.players[1],
        min_num_players=definition.players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={p.name: p.default for p in definition.words.parameters},
    )


def _game_info(info: Any) -> pyspiel.GameInfo:
    return pyspiel.GameInfo(
        num_distinct_actions=info.num_actions,
        max_chance_outcomes=info.max_chance_outcomes,
        num_players=info.players,
        min_utility=info.min_utility,
        max_utility=info.max_utility,
        utility_sum=info.utility_sum,
        max_game_length=info.max_game_length,
    )


def register(definition: Definition) -> None:
    """Makes a game known to OpenSpiel and to `voyageur.games` under its name."""
    DEFINITIONS[definition.name] = definition
    defaults = {p.name: p.default for p in definition.words.parameters}
    kind = _game_type(definition, definition.words.info(defaults))

    def create(params: Mapping[str, Value] | None = None) -> Game:
        return Game(definition, params or {})

    # OpenSpiel lets go of its creators after the interpreter has ended, where freeing one crashes. A reference to
    # itself keeps this one alive.
    create.itself = create  # type: ignore[attr-defined]
    pyspiel.register_game(kind, create)
