"""Three games small enough to be solved on paper, written as rules: what the search makes of them is known exactly.

The first field of each state record carries a digest of this file. Numba keeps compiled searches by the type of
their arguments, so a change of these rules is a change of type, and no stale search is found.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numba import njit

from voyageur.games.rules import SIMULTANEOUS, TERMINAL, Record, Rules, mix, random_below, register
from voyageur.games.words import Definition, Info, Parameter, Value, Words

VERSION = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
NOTHING = np.dtype([("unused", "i8")])


class TinyWords(Words):
    """The words that a search needs: only those of actions."""

    parameters: tuple[Parameter, ...] = ()
    figures: Info

    def __init__(self, figures: Info) -> None:
        self.figures = figures

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        return np.zeros(1, NOTHING)

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`: all zeros."""
        s[:] = np.zeros(1, s.dtype)

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        return self.figures

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        return f"action {action}"

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`."""
        return "a tiny game"

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`."""
        return ""

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`."""
        return ""

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`."""
        return {}

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`."""
        return {}


def figures(num_actions: int, max_game_length: int, simultaneous: bool) -> Info:
    """Of a game of two seats for -1 to 1."""
    return Info(
        players=2,
        num_actions=num_actions,
        max_chance_outcomes=0,
        max_game_length=max_game_length,
        max_chance_nodes=0,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        hides=True,
        simultaneous=simultaneous,
    )


# Rock, paper, scissors in which rock breaks scissors for twice the stake.
#
# With probabilities r, p, s every choice is worth the same to the other when p = 2 s = 2 r: rock gets 2 s - p,
# paper r - s, scissors p - 2 r. So the equilibrium is 1/4, 1/2, 1/4, and the value is 0.

ROCK, PAPER, SCISSORS = range(3)
EQUILIBRIUM = (0.25, 0.5, 0.25)
STAKES = np.array([[0.0, -0.5, 1.0], [0.5, 0.0, -0.5], [-1.0, 0.5, 0.0]])  # for [own, other's] choice
RPS = np.dtype([("rps_" + VERSION, "i4"), ("chosen", "i1", (2,)), ("over", "i1"), ("blank", "i1")])


@njit
def rps_player(s, c):
    """Both at once, once."""
    return TERMINAL if s.over else SIMULTANEOUS


@njit
def always(s, c):
    """Every state lies between two moves; every choice is a secret one."""
    return True


@njit
def rps_actions(s, c, player, out):
    """All three."""
    for i in range(3):
        out[i] = i
    return 3


@njit
def nothing_in_turn(s, c, action):
    """There are no turns."""


@njit
def rps_joint(s, c, actions):
    """Both choose."""
    s.chosen[0], s.chosen[1], s.over = actions[0], actions[1], 1


@njit
def rps_returns(s, c, out):
    """By STAKES."""
    out[0] = STAKES[s.chosen[0], s.chosen[1]]
    out[1] = -out[0]


# Two games of a choice that everybody sees, by seat 0, and an answer to it.


@njit
def choose_then_answer(s, c, action):
    """Chooses, or answers."""
    if s.step == 0:
        s.choice = action
    else:
        s.answer = action
    s.step += 1


@njit
def public_key(s, c):
    """Whatever has been done."""
    return mix(np.uint64(s.step), np.uint64(s.choice << 8 | s.answer))


# Seat 0 makes one of two choices, which change nothing but what is public. Then seat 1, whose hand of HAND out of
# CARDS cards nobody else has seen, plays one: card k is worth k / (CARDS - 1) to it, so it plays its highest.

CARDS, HAND = 8, 3
BEST_CARD = HAND * (CARDS + 1) / (HAND + 1) - 1  # mean of the highest of HAND different numbers from 0 to CARDS - 1
HANDS = np.dtype([("hands_" + VERSION, "i4"), ("hand", "u1"), ("choice", "i1"), ("answer", "i1"), ("step", "i1")])


@njit
def hands_player(s, c):
    """Seat 0, then seat 1."""
    return TERMINAL if s.step == 2 else np.int64(s.step)


@njit
def hands_actions(s, c, player, out):
    """Two choices, then the cards in hand."""
    n = 0
    for i in range(CARDS if player else 2):
        if player == 0 or s.hand >> i & 1:
            out[n] = i
            n += 1
    return n


@njit
def hands_returns(s, c, out):
    """What the card is worth to seat 1."""
    out[1] = s.answer / (CARDS - 1)
    out[0] = -out[1]


@njit
def hands_information_key(s, c, player):
    """The same, and the own hand."""
    return mix(public_key(s, c), np.uint64(s.hand + 256 if player else 1))


@njit
def hands_determinize(s, c, player, rng, table):
    """Deals seat 1 a hand, for anybody else."""
    if player == 1:
        return
    s.hand = 0
    for left in range(HAND):
        place = random_below(rng, CARDS - left)
        for card in range(CARDS):
            if not s.hand >> card & 1:
                if place == 0:
                    s.hand |= 1 << card
                    break
                place -= 1


# Each seat has a coin that the other has not seen. Seat 0 takes SAFETY; or guesses seat 1's coin, for 1 or -1; or lets
# seat 1 guess its own, for LET_RIGHT or 1. Nobody knows what to guess, so these are worth SAFE, 0 and the mean of
# LET_RIGHT and 1. Who thinks that everybody will know all coins puts the three in the opposite order.

SAFETY, GUESS, LET_GUESS = range(3)
SAFE, LET_RIGHT = 0.3, -0.2
COIN_VALUES = (SAFE, 0.0, (LET_RIGHT + 1.0) / 2)
COINS = np.dtype(
    [
        ("coins_" + VERSION, "i2"),
        ("coin", "i1", (2,)),
        ("choice", "i1"),
        ("answer", "i1"),
        ("step", "i1"),
        ("pad", "i1"),
    ]
)


@njit
def coins_player(s, c):
    """Seat 0, then whoever guesses: seat 0 after GUESS, seat 1 after LET_GUESS."""
    if s.step == 0:
        return np.int64(0)
    return np.int64(s.choice - GUESS) if s.step == 1 and s.choice != SAFETY else np.int64(TERMINAL)


@njit
def coins_actions(s, c, player, out):
    """Three choices, or two sides of a coin."""
    n = 3 if s.step == 0 else 2
    for i in range(n):
        out[i] = i
    return n


@njit
def coins_returns(s, c, out):
    """To seat 0, and as much to seat 1 as it loses."""
    out[0] = SAFE
    if s.choice == GUESS:
        out[0] = 1.0 if s.answer == s.coin[1] else -1.0
    elif s.choice == LET_GUESS:
        out[0] = LET_RIGHT if s.answer == s.coin[0] else 1.0
    out[1] = -out[0]


@njit
def coins_information_key(s, c, player):
    """The same, and the own coin."""
    return mix(public_key(s, c), np.uint64(2 * player + s.coin[player]))


@njit
def coins_determinize(s, c, player, rng, table):
    """Tosses the other's coin."""
    s.coin[1 - player] = random_below(rng, 2)


@njit
def no_evaluation(s, c, out):
    """Playouts reach the end before anybody asks."""
    out[0] = out[1] = 0.0


def named(**kernels: object) -> list[object]:
    """The compiled functions, each under the name by which the protocol knows it."""
    for name, kernel in kernels.items():
        kernel.__name__ = name  # type: ignore[attr-defined]
    return list(kernels.values())


BIASED_RPS = Definition(
    name="biased_rps",
    title="Rock, paper, scissors; rock wins double",
    rules=register(
        Rules(state=RPS, constants=NOTHING, max_actions=3, playout_steps=2),
        *named(
            current_player=rps_player,
            at_decision=njit(always.py_func),
            mixed=always,
            legal_actions=rps_actions,
            apply_action=nothing_in_turn,
            apply_joint=rps_joint,
            returns=rps_returns,
            evaluate=no_evaluation,
        ),
    ),
    words=TinyWords(figures(num_actions=3, max_game_length=1, simultaneous=True)),
    players=(2, 2),
)

HIDDEN_HANDS = Definition(
    name="hidden_hands",
    title="A card from a hand that nobody has seen",
    rules=register(
        Rules(state=HANDS, constants=NOTHING, max_actions=CARDS, playout_steps=3),
        *named(
            current_player=hands_player,
            at_decision=njit(always.py_func),
            legal_actions=hands_actions,
            apply_action=choose_then_answer,
            returns=hands_returns,
            information_key=hands_information_key,
            public_key=public_key,
            determinize=hands_determinize,
            evaluate=njit(no_evaluation.py_func),
        ),
    ),
    words=TinyWords(figures(num_actions=CARDS, max_game_length=2, simultaneous=False)),
    players=(2, 2),
)

HIDDEN_COINS = Definition(
    name="hidden_coins",
    title="Safety, or a guess at a hidden coin",
    rules=register(
        Rules(state=COINS, constants=NOTHING, max_actions=3, playout_steps=3),
        *named(
            current_player=coins_player,
            at_decision=njit(always.py_func),
            legal_actions=coins_actions,
            apply_action=njit(choose_then_answer.py_func),
            returns=coins_returns,
            information_key=coins_information_key,
            public_key=njit(public_key.py_func),
            determinize=coins_determinize,
            evaluate=njit(no_evaluation.py_func),
        ),
    ),
    words=TinyWords(figures(num_actions=3, max_game_length=2, simultaneous=False)),
    players=(2, 2),
)
