"""What the words of the reference games share: no position format, and boards of crosses and noughts."""

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from voyageur.games.rules import Record
from voyageur.games.words import Info, Parameter, Value, Words

# Constants of a game without parameters: numba wants a record with at least one field.
NO_CONSTANTS = np.dtype([("unused", "i8")])


class Board(Words):
    """Words of a two-player game without parameters in which crosses (seat 0) and noughts (seat 1) fill a grid."""

    parameters: tuple[Parameter, ...] = ()
    rows: int
    columns: int
    num_actions: int

    @abstractmethod
    def cells(self, s: Record) -> np.ndarray:
        """The grid, top row first: 0 empty, 1 cross, 2 nought."""

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        return np.zeros(1, NO_CONSTANTS)

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`: nothing on the board, which is all zeros."""
        s[:] = np.zeros(1, s.dtype)

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        return Info(
            players=2,
            num_actions=self.num_actions,
            max_chance_outcomes=0,
            max_game_length=self.rows * self.columns,
            max_chance_nodes=0,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            hides=False,
            simultaneous=False,
        )

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`: rows from the top, `x` crosses, `o` noughts."""
        return "/".join("".join(".xo"[cell] for cell in row) for row in self.cells(s))

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`."""
        return ""

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`."""
        return " ".join(f"P{actor} {self.action_text(before, c, actor, action)}." for actor, action in actions.items())

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`: one plane each for empty cells, crosses and noughts."""
        cells = self.cells(s)
        return {"board": np.stack([cells == kind for kind in range(3)]).astype(np.float32)}

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`."""
        return {}
