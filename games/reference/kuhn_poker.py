"""Kuhn poker (Kuhn 1950): three cards, one dealt to each of two players, one chip each in the pot, one bet of one chip.

Either player may bet (or, facing a bet, call it) or pass; who passes facing a bet folds. The higher card wins.
"""

from collections.abc import Mapping

import numpy as np
from numba import njit

from voyageur.games.reference.words import NO_CONSTANTS
from voyageur.games.rules import CHANCE, TERMINAL, Record, Rules, mix, random_below, register
from voyageur.games.words import Definition, Info, Parameter, Value, Words

CARDS = 3
UNDEALT = -1
PASS, BET = 0, 1

STATE = np.dtype(
    [
        ("cards", "i1", (2,)),  # each seat's card, 0 to 2, or UNDEALT
        ("paid", "i1", (2,)),  # each seat's chips in the pot
        ("moves", "i1"),  # passes and bets made; with `paid` they tell the whole betting
        ("blank", "i1", (3,)),
    ]
)


@njit(cache=True)
def _dealt(s):
    """How many seats hold a card; they are dealt in order."""
    return (s.cards[0] != UNDEALT) + (s.cards[1] != UNDEALT)


@njit(cache=True)
def current_player(s, c):
    """Chance deals two cards; then seats 0, 1 and, facing a bet made after a pass, seat 0 again."""
    if _dealt(s) < 2:
        return CHANCE
    if s.moves == 3 or (s.moves == 2 and s.paid[1] <= s.paid[0]):
        return TERMINAL
    return s.moves & 1


@njit(cache=True)
def at_decision(s, c):
    """Whether both cards are dealt."""
    return _dealt(s) == 2


@njit(cache=True)
def mixed(s, c):
    """Always: who never bluffs, or always does, gives the own card away."""
    return True


@njit(cache=True)
def legal_actions(s, c, player, out):
    """PASS and BET, always."""
    out[0], out[1] = PASS, BET
    return 2


@njit(cache=True)
def apply_action(s, c, action):
    """Deals card `action` to the next seat, or passes or bets."""
    dealt = _dealt(s)
    if dealt < 2:
        s.cards[dealt] = action
    else:
        s.paid[s.moves & 1] += action
        s.moves += 1


@njit(cache=True)
def chance_outcomes(s, c, outcomes, probs):
    """The cards that nobody holds."""
    n = 0
    for card in range(CARDS):
        if card != s.cards[0]:
            outcomes[n] = card
            probs[n] = 1.0 / (CARDS - _dealt(s))
            n += 1
    return n


@njit(cache=True)
def _another_card(card, rng):
    return (card + 1 + random_below(rng, CARDS - 1)) % CARDS


@njit(cache=True)
def sample_chance(s, c, rng):
    """A card that nobody holds, uniformly."""
    if s.cards[0] == UNDEALT:
        return random_below(rng, CARDS)
    return _another_card(s.cards[0], rng)


@njit(cache=True)
def returns(s, c, out):
    """Chips won: what the loser has paid."""
    winner = 0 if s.cards[0] > s.cards[1] else 1
    if s.paid[0] != s.paid[1]:
        winner = 0 if s.paid[0] > s.paid[1] else 1
    out[winner] = s.paid[1 - winner]
    out[1 - winner] = -out[winner]


@njit(cache=True)
def information_key(s, c, player):
    """Hash of the own card and of what everybody sees."""
    return mix(public_key(s, c), (player + 1) * (CARDS + 1) + s.cards[player] - UNDEALT)


@njit(cache=True)
def public_key(s, c):
    """Hash of the betting and of who has been dealt a card."""
    return mix(np.uint64(0), 1 + _dealt(s) | s.moves << 4 | s.paid[0] << 8 | s.paid[1] << 12)


@njit(cache=True)
def determinize(s, c, player, rng, table):
    """Redraws the other seat's card, which is never shown."""
    other = 1 - player
    if s.cards[other] == UNDEALT:
        return
    if s.cards[player] == UNDEALT:
        s.cards[other] = random_below(rng, CARDS)
    else:
        s.cards[other] = _another_card(s.cards[player], rng)


@njit(cache=True)
def world_at(s, c, player, ways):
    """Each of the other two cards in one way."""
    number = np.int64(ways)
    if number < CARDS - 1:
        s.cards[1 - player] = (s.cards[player] + 1 + number) % CARDS
        number += 1
    return np.float64(number)


@njit(cache=True)
def consistent_action(s, c, target, player, action):
    """For a deal, the card that `target` holds; passes and bets are seen by all."""
    dealt = _dealt(s)
    if dealt < _dealt(target):
        return np.int64(target.cards[dealt])
    return action


@njit(cache=True)
def evaluate(s, c, out):
    """Even; playouts reach the end before anybody asks."""
    out[0], out[1] = 0.0, 0.0


class KuhnPoker(Words):
    """Kuhn poker's words."""

    parameters: tuple[Parameter, ...] = ()

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """See `Words.constants`."""
        return np.zeros(1, NO_CONSTANTS)

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """See `Words.setup`: nothing is dealt, and both have paid one chip."""
        s[:] = np.zeros(1, STATE)
        s["cards"], s["paid"] = UNDEALT, 1

    def info(self, params: Mapping[str, Value]) -> Info:
        """See `Words.info`."""
        return Info(
            players=2,
            num_actions=2,
            max_chance_outcomes=CARDS,
            max_game_length=3,
            max_chance_nodes=2,
            min_utility=-2.0,
            max_utility=2.0,
            utility_sum=0.0,
            hides=True,
            simultaneous=False,
        )

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """See `Words.action_text`."""
        return f"deal {action}" if player == CHANCE else ("pass", "bet")[action]

    def public_text(self, s: Record, c: Record) -> str:
        """See `Words.public_text`."""
        return f"cards dealt {_dealt(s)}; moves {s['moves']}; paid {s['paid'][0]} {s['paid'][1]}"

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """See `Words.private_text`."""
        card = int(s["cards"][player])
        return f"[P{player} holds {'nothing' if card == UNDEALT else card}]"

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """See `Words.event_text`."""
        ((actor, action),) = actions.items()
        if actor != CHANCE:
            return f"P{actor} {self.action_text(before, c, actor, action)}."
        seat = _dealt(before)
        return f"P{seat} gets {action if seat == player else 'a card'}."

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """See `Words.public_tensors`."""
        return {
            "dealt": np.eye(3, dtype=np.float32)[_dealt(s)],
            "moves": np.eye(4, dtype=np.float32)[s["moves"]],
            "paid": np.asarray(s["paid"], np.float32),
        }

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """See `Words.private_tensors`: a one for the own card, none before it is dealt."""
        return {"card": np.eye(CARDS + 1, CARDS, -1, dtype=np.float32)[s["cards"][player] - UNDEALT]}


DEFINITION = Definition(
    name="voyageur_kuhn_poker",
    title="Kuhn poker as voyageur rules",
    rules=register(
        Rules(state=STATE, constants=NO_CONSTANTS, max_actions=CARDS, playout_steps=5, ranges=1.0),
        current_player,
        at_decision,
        mixed,
        legal_actions,
        apply_action,
        chance_outcomes,
        sample_chance,
        returns,
        information_key,
        public_key,
        determinize,
        world_at,
        consistent_action,
        evaluate,
    ),
    words=KuhnPoker(),
    players=(2, 2),
    reference=True,
)
