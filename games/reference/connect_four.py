"""Connect four: stones fall into 7 columns of 6 rows, four in a row win. The game that benchmarks are run on.

A board is a bit set: cell (column, row from the bottom) is bit 7 * column + row. The seventh bit of each column is
never set, so that lines do not run over the top into the next column (Tromp's "Fhourstones", 1996).
"""

import numpy as np
from numba import njit

from voyageur.games.reference.words import NO_CONSTANTS, Board
from voyageur.games.rules import TERMINAL, Record, Rules, mix, register
from voyageur.games.words import Definition

ROWS, COLUMNS = 6, 7
HEIGHT = ROWS + 1  # bits of a column
RUNNING, WON, DRAWN = 0, 1, 2
ONE = np.uint64(1)
NOBODY = 2  # in keys, where a seat could stand

STATE = np.dtype(
    [
        ("stones", "u8", (2,)),  # each seat's board
        ("moves", "i4"),  # stones on both
        ("result", "i4"),  # RUNNING, WON (by whoever moved last) or DRAWN
    ]
)


@njit(cache=True)
def four_in_a_row(board):
    """Whether `board` (uint64) holds four stones in a row: each shift is a direction."""
    for step in (1, HEIGHT - 1, HEIGHT, HEIGHT + 1):
        pairs = board & (board >> np.uint64(step))
        if pairs & (pairs >> np.uint64(2 * step)):
            return True
    return False


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
    """The columns whose top cell is free."""
    n = 0
    taken = s.stones[0] | s.stones[1]
    for column in range(COLUMNS):
        if not taken & (ONE << np.uint64(HEIGHT * column + ROWS - 1)):
            out[n] = column
            n += 1
    return n


@njit(cache=True)
def apply_action(s, c, action):
    """Drops a stone of the seat to move into column `action`."""
    seat = s.moves & 1
    taken = s.stones[0] | s.stones[1]
    # Adding the column's lowest bit carries through its stones to the lowest free cell.
    s.stones[seat] |= (taken + (ONE << np.uint64(HEIGHT * action))) & ~taken
    s.moves += 1
    if four_in_a_row(s.stones[seat]):
        s.result = WON
    elif s.moves == ROWS * COLUMNS:
        s.result = DRAWN


@njit(cache=True)
def returns(s, c, out):
    """1 for the winner, -1 for the loser, 0 for both in a draw."""
    won = 1.0 if s.result == WON else 0.0
    loser = s.moves & 1
    out[loser] = -won
    out[1 - loser] = won


@njit(cache=True)
def _board_key(s, seat):
    # Of a column with h stones, seat 0's stones plus all stones are 2**h - 1 to 2**(h + 1) - 2: different for
    # different columns and within seven bits. So the sum says it all in 49 bits and leaves room for the seat.
    board = s.stones[0] + (s.stones[0] | s.stones[1])
    return mix(board, np.uint64(seat + 1) << np.uint64(HEIGHT * COLUMNS))


@njit(cache=True)
def information_key(s, c, player):
    """Hash of the board and of `player`."""
    return _board_key(s, player)


@njit(cache=True)
def public_key(s, c):
    """Hash of the board."""
    return _board_key(s, NOBODY)


@njit(cache=True)
def evaluate(s, c, out):
    """A draw; playouts reach the end before anybody asks."""
    out[0], out[1] = 0.0, 0.0


class ConnectFour(Board):
    """Connect four's words."""

    rows, columns, num_actions = ROWS, COLUMNS, COLUMNS

    def cells(self, s: Record) -> np.ndarray:
        """See `Board.cells`."""
        crosses, noughts = (int(board) >> np.arange(HEIGHT * COLUMNS) & 1 for board in s["stones"])
        return (crosses + 2 * noughts).reshape(COLUMNS, HEIGHT)[:, :ROWS].T[::-1]

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        return f"drops into column {action + 1}"


DEFINITION = Definition(
    name="voyageur_connect_four",
    title="Connect four as voyageur rules",
    rules=register(
        Rules(state=STATE, constants=NO_CONSTANTS, max_actions=COLUMNS, playout_steps=ROWS * COLUMNS),
        current_player,
        at_decision,
        legal_actions,
        apply_action,
        returns,
        information_key,
        public_key,
        evaluate,
    ),
    words=ConnectFour(),
    players=(2, 2),
    reference=True,
)
