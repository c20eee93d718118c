"""From what a solver found to advice in the game's words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from voyageur.games import rules
from voyageur.games.positions import View
from voyageur.games.rules import SIMULTANEOUS, copied
from voyageur.solvers.search import Result

Z95 = 1.959964  # two-sided 95 % of the normal distribution


@dataclass(frozen=True)
class MoveAdvice:
    """One move of the advised player.

    Attributes:
      text, actions: the move, in words and as OpenSpiel actions.
      value: expected return of the advised player on the game's own scale; None where the solver has none.
      low, high: its 95 % interval, of sampling and of what the search was still learning; of what it has overlooked all
        the time it says nothing. Of exact advice: what is proved; equal but for moves of which it is enough to know
        that they are worse. Of an ending in equilibrium: the value less and more the NashConv.
      share: probability with which the solver would choose the move.
      visits: simulations through the move.
      line: how play is expected to go on, a text a move, as far as the advised player can foresee it.
    """

    text: str
    actions: tuple[int, ...]
    value: float | None
    low: float | None
    high: float | None
    share: float
    visits: int
    line: list[str]


@dataclass(frozen=True)
class Advice:
    """What a solver advises.

    Attributes:
      game: the game and its parameters, as OpenSpiel writes them.
      player: the seat that is advised.
      solver: the solver's name.
      kind: `exact` (proved: the best value, and of every move whether it keeps that), `equilibrium` (solved as a game
        of its own) or `sampled`.
      moves: the best first; all of them, or the `top` asked for.
      values: expected return of every seat under the advised choice; None where the solver has none.
      simulations: how many were made; `of`: how many moves there were to choose from.
      full: whether the memory bound was reached and the tree could not grow any more.
      seconds: how long it took.
      interrupted: whether Ctrl-C or `Control.stop` ended it early.
      nash_conv: of `equilibrium`, how much all players together could still gain by playing otherwise.
    """

    game: str
    player: int
    solver: str
    kind: str
    moves: list[MoveAdvice]
    values: list[float] | None
    simulations: int
    of: int
    full: bool = False
    seconds: float = 0.0
    interrupted: bool = False
    nash_conv: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The advice as plain objects; the same search gives the same, so nothing about time is in it."""
        return {
            "game": self.game,
            "player": self.player,
            "solver": self.solver,
            "kind": self.kind,
            "simulations": self.simulations,
            "full": self.full,
            "values": None if self.values is None else [_rounded(v) for v in self.values],
            "of": self.of,
            "nash_conv": self.nash_conv,
            "moves": [
                {
                    "move": m.text,
                    "actions": list(m.actions),
                    "value": _rounded(m.value),
                    "low": _rounded(m.low),
                    "high": _rounded(m.high),
                    "share": _rounded(m.share),
                    "visits": m.visits,
                    "line": m.line,
                }
                for m in self.moves
            ],
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 6)


def from_result(view: View, solver: str, result: Result, top: int | None) -> Advice:
    """The advice that a search's `result` amounts to, with the `top` best moves (None: all)."""
    game, s = view.game, view.record()[0]
    words, values = game.words, _values(result)
    proved = np.zeros(len(result.chains)) if result.low is None else result.low
    order = np.lexsort((-result.visits, -proved, -result.shares)).tolist()  # what comes first is told last; stable
    moves = []
    for i in order[:top]:
        chain = result.chains[i]
        value, low, high = _interval(view, result, i)
        if result.whole:
            text = words.move_text(s, game.c, view.player, chain)
        else:
            text = words.action_text(s, game.c, view.player, chain[0])
        moves.append(
            MoveAdvice(
                text=text,
                actions=chain,
                value=value,
                low=low,
                high=high,
                share=float(result.shares[i]),
                visits=int(result.visits[i]),
                line=line_texts(view, chain, result.line(i)),
            )
        )
    return Advice(
        game=str(game),
        player=view.player,
        solver=solver,
        kind="exact" if result.low is not None else "sampled" if result.nash_conv is None else "equilibrium",
        moves=moves,
        values=values,
        simulations=result.simulations,
        of=len(result.chains),
        full=result.full,
        seconds=result.seconds,
        interrupted=result.interrupted,
        nash_conv=result.nash_conv,
    )


def _values(result: Result) -> list[float] | None:
    """Every seat's expected return when moves are chosen by their shares."""
    tried = ~np.isnan(result.values).any(axis=1)
    if not tried.any():
        return None
    weights = result.shares * tried
    if weights.sum() == 0:
        weights = np.where(tried, result.visits, 0.0)
    return (weights[tried] @ result.values[tried] / weights.sum()).tolist()


def _interval(view: View, result: Result, i: int) -> tuple[float | None, float | None, float | None]:
    """(value, low, high) of move `i`; a move that was never tried may be worth anything."""
    info = view.game.info
    value = float(result.values[i, view.player])
    if result.low is not None and result.high is not None:
        return value, float(result.low[i]), float(result.high[i])
    if math.isnan(value) and result.simulations == 0:
        return None, None, None
    if math.isnan(value):
        return (info.min_utility + info.max_utility) / 2, info.min_utility, info.max_utility
    doubt = Z95 * float(result.errors[i]) if result.nash_conv is None else result.nash_conv
    return value, max(info.min_utility, value - doubt), min(info.max_utility, value + doubt)


def line_texts(view: View, chain: Sequence[int], pairs: Sequence[tuple[int, int]]) -> list[str]:
    """The line after root move `chain`, (seat, action) pairs, as texts of whole moves with the seats before them."""
    game, start = view.game, view.record()
    record, words, c = copied(start), game.words, game.c
    s = record[0]
    texts: list[str] = []
    rest = list(pairs)
    if rules.current_player(s, c) == SIMULTANEOUS:
        others = [seat for seat in range(game.info.players) if seat != view.player]
        joint = {view.player: chain[0]} | dict(rest[: len(others)])
        rest = rest[len(others) :]
        texts = [f"P{seat} {words.move_text(s, c, seat, (joint[seat],))}" for seat in others if seat in joint]
        if len(joint) < game.info.players:
            return texts
        rules.apply_joint(s, c, np.array([joint[seat] for seat in sorted(joint)], np.int64))
    else:
        for action in chain:
            rules.apply_action(s, c, action)
        if not _is_whole(s, c, view.player):  # the search compares first actions only: here is all of the move
            record[:] = start
            rest = [(view.player, action) for action in chain] + rest
    while rest:
        before, seat, actions = copied(record), rest[0][0], []
        while rest and rest[0][0] == seat:
            actions.append(rest.pop(0)[1])
            rules.apply_action(s, c, actions[-1])
            if rules.at_decision(s, c):
                break
        if _is_whole(s, c, seat):  # else the tree ended inside the move
            texts.append(f"P{seat} {words.move_text(before[0], c, seat, actions)}")
    return texts


def _is_whole(s: rules.Record, c: rules.Record, seat: int) -> bool:
    """Whether a move of `seat` that has led to `s` is over."""
    return bool(rules.current_player(s, c) != seat or rules.at_decision(s, c))
