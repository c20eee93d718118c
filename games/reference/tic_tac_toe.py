"""Tic-tac-toe: 3 by 3 cells, three in a row win. Cells are numbered row by row from the top left."""

import numpy as np
from numba import njit

from voyageur.games.reference.words import NO_CONSTANTS, Board
from voyageur.games.rules import TERMINAL, Record, Rules, register
from voyageur.games.words import Definition

SIZE = 3
CELLS = SIZE * SIZE
RUNNING, WON, DRAWN = 0, 1, 2
LINES = np.array([0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124], np.int64)  # bit sets of cells

STATE = np.dtype(
    [
        ("marks", "u2", (2,)),  # bit set of the cells that each seat has marked
        ("moves", "i2"),  # marks made by both
        ("result", "i2"),  # RUNNING, WON (by whoever moved last) or DRAWN
    ]
)


@njit(cache=True)
def current_player(s, c):
    """Seats 0 and 1 in turn."""
    return TERMINAL if s.result != RUNNING else s.moves & 1


@njit(cache=True)
def at_decision(s, c):
    """Always: every move is one action."""
    return True


@njit(cache=True)
def legal_actions(s, c, player, out):
    """The empty cells."""
    n = 0
    taken = s.marks[0] | s.marks[1]
    for cell in range(CELLS):
        if not taken >> cell & 1:
            out[n] = cell
            n += 1
    return n


@njit(cache=True)
def apply_action(s, c, action):
    """Marks a cell for the seat to move."""
    seat = s.moves & 1
    s.marks[seat] |= 1 << action
    s.moves += 1
    if s.moves == CELLS:
        s.result = DRAWN
    for line in LINES:
        if s.marks[seat] & line == line:
            s.result = WON


@njit(cache=True)
def returns(s, c, out):
    """1 for the winner, -1 for the loser, 0 for both in a draw."""
    won = 1.0 if s.result == WON else 0.0
    loser = s.moves & 1
    out[loser] = -won
    out[1 - loser] = won


@njit(cache=True)
def evaluate(s, c, out):
    """A draw; playouts reach the end before anybody asks."""
    out[0], out[1] = 0.0, 0.0


class TicTacToe(Board):
    """Tic-tac-toe's words."""

    rows, columns, num_actions = SIZE, SIZE, CELLS

    def cells(self, s: Record) -> np.ndarray:
        """See `Board.cells`."""
        crosses, noughts = (int(mask) >> np.arange(CELLS) & 1 for mask in s["marks"])
        return (crosses + 2 * noughts).reshape(SIZE, SIZE)

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        row, column = divmod(action, SIZE)
        return f"marks row {row + 1} column {column + 1}"


DEFINITION = Definition(
    name="voyageur_tic_tac_toe",
    title="Tic-tac-toe as voyageur rules",
    rules=register(
        Rules(state=STATE, constants=NO_CONSTANTS, max_actions=CELLS, playout_steps=CELLS),
        current_player,
        at_decision,
        legal_actions,
        apply_action,
        returns,
        evaluate,
    ),
    words=TicTacToe(),
    players=(2, 2),
    reference=True,
)
