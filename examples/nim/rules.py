"""The rules, compiled; voyageur.games.rules says what each function has to do."""

import numpy as np
from numba import njit

from voyageur.games.rules import TERMINAL

MOST = 9  # stones that anybody may ever take at once

STATE = np.dtype([("stones", "i4"), ("player", "i4")])
CONSTANTS = np.dtype([("stones", "i8"), ("most", "i8")])


@njit(cache=True)
def current_player(s, c):
    """Seats 0 and 1 in turn, while there are stones."""
    return s.player if s.stones > 0 else TERMINAL


@njit(cache=True)
def at_decision(s, c):
    """Always: every move is one action."""
    return True


@njit(cache=True)
def legal_actions(s, c, player, out):
    """Action `a` takes `a + 1` stones."""
    n = min(s.stones, c.most)
    for action in range(n):
        out[action] = action
    return n


@njit(cache=True)
def apply_action(s, c, action):
    """Takes stones; then it is the other's turn."""
    s.stones -= action + 1
    s.player = 1 - s.player


@njit(cache=True)
def returns(s, c, out):
    """Whoever is to move from an empty heap has lost."""
    out[s.player], out[1 - s.player] = -1.0, 1.0


@njit(cache=True)
def evaluate(s, c, out):
    """Nobody is ahead before the end."""
    out[0], out[1] = 0.0, 0.0
