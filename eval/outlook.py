"""What may come of a move: the answers that it has to fear, and what they leave of its value."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from voyageur import games, solvers
from voyageur.games import positions
from voyageur.games.rules import SIMULTANEOUS
from voyageur.solvers.advice import Z95, Advice

WORLDS = 8
NODES = 1000  # simulations a world


@dataclass(frozen=True)
class Answer:
    """What another seat did in some of the worlds: how often, and what the move was worth on average then."""

    seat: int
    text: str
    times: int
    value: float


@dataclass(frozen=True)
class Outlook:
    """A move seen from the decision after it, in worlds drawn from all that fit.

    Attributes:
      value, low, high: mean of the mover's expected return, with a 95 % interval of the draws.
      answers: the next decision of another seat, the worst for the mover first; empty if the mover is next.
      worlds: how many were drawn.
    """

    value: float
    low: float
    high: float
    answers: list[Answer]
    worlds: int


def outlook(view: games.View, move: games.Move, seed: int = 0, worlds: int = WORLDS, nodes: int = NODES) -> Outlook:
    """What comes after `move`, one of the moves of `view`, when everybody goes on as the search advises.

    Each world is looked into by whoever decides next, from what that seat sees there.
    """
    rng = np.random.default_rng(seed)
    values, met = [], defaultdict(list)
    for state in view.states(worlds, rng):
        value, answer = _look(_after(state, move, rng, nodes), view.player, nodes, rng)
        values.append(value)
        if answer is not None:
            met[answer].append(value)
    mean, error = float(np.mean(values)), float(np.std(values) / np.sqrt(max(1, len(values) - 1)))
    answers = [Answer(seat, text, len(found), float(np.mean(found))) for (seat, text), found in met.items()]
    info = view.game.info
    low, high = max(info.min_utility, mean - Z95 * error), min(info.max_utility, mean + Z95 * error)
    return Outlook(mean, low, high, sorted(answers, key=lambda answer: answer.value), worlds)


def _after(state: games.State, move: games.Move, rng: np.random.Generator, nodes: int) -> games.State:
    """`state` after the move, with the others' choices where all choose at once, and chance's outcomes."""
    if state.current_player() == SIMULTANEOUS:
        choices = {move.player: move.text}
        for seat in set(range(state.num_players())) - {move.player}:
            moves = _advise(state, seat, nodes, rng).moves
            shares = np.array([found.share for found in moves])
            choices[seat] = moves[int(rng.choice(len(moves), p=shares / shares.sum()))].text
        after = games.joint(state, choices)
    else:
        after = state.clone()
        for action in move.actions:
            after.apply_action(action)
    return positions.rolled(after, rng)


def _look(
    state: games.State, player: int, nodes: int, rng: np.random.Generator
) -> tuple[float, tuple[int, str] | None]:
    """What `state` is worth to `player`, and what another seat does there (seat and text)."""
    if state.is_terminal():
        return state.returns()[player], None
    current = state.current_player()
    seat = player if current == SIMULTANEOUS else current
    advice = _advise(state, seat, nodes, rng)
    value = 0.0 if advice.values is None else advice.values[player]
    return value, None if seat == player else (seat, advice.moves[0].text)


def _advise(state: games.State, seat: int, nodes: int, rng: np.random.Generator) -> Advice:
    limit, seed = solvers.Limit(nodes=nodes), int(rng.integers(2**31))
    advice = solvers.advise(state, player=seat, limit=limit, seed=seed, top=None)
    if advice.interrupted:
        raise KeyboardInterrupt
    return advice
