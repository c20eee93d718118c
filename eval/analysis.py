"""After the game: each own decision against the best that the search finds from what was known then."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from voyageur.eval.outlook import Answer, outlook
from voyageur.eval.outputs import save_plot
from voyageur.eval.session import Moment, Session
from voyageur.eval.thinking import Effort

Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Decision:
    """One decision of the keeper of the record.

    Attributes:
      entry: its number in the record.
      played, value: the move, and its expected return; None if the search did not try it.
      best, best_value: the same of the move that the search would play.
      loss: how much less the move played is worth, at least 0.
      sure: whether the 95 % intervals of the two lie apart.
      line: how play would have gone on after the best move.
      answer: how it was expected to go on after the move played.
      values: every seat's expected return under best play.
      moves: how many there were to choose from.
      fears: the answers to the move played, the worst first; only of the worst decisions.
    """

    entry: int
    played: str
    value: float | None
    best: str
    best_value: float
    loss: float
    sure: bool
    line: list[str]
    answer: list[str]
    values: list[float]
    moves: int
    fears: list[Answer] = field(default_factory=list)


@dataclass(frozen=True)
class Analysis:
    """All own decisions of a game.

    Attributes:
      names: of the players; `me` is the seat that decided.
      decisions: where there was a choice.
      returns: of the finished game; None if it is not over.
      interrupted: whether Ctrl-C ended the analysis early.
    """

    game: str
    names: tuple[str, ...]
    me: int
    decisions: list[Decision]
    returns: list[float] | None
    interrupted: bool = False

    def worst(self, n: int = 3) -> list[Decision]:
        """The `n` decisions that lost most, without those that lost nothing."""
        lost = [decision for decision in self.decisions if decision.loss > 0]
        return sorted(lost, key=lambda decision: (-decision.loss, decision.entry))[:n]

    def to_dict(self) -> dict[str, Any]:
        """The analysis as plain objects."""
        return asdict(self) | {"worst": [decision.entry for decision in self.worst()]}


def analyze(session: Session, effort: Effort, progress: Progress | None = None) -> Analysis:
    """Searches every own decision of a game that leaves a choice, and looks into the answers to the worst of them.

    `progress` is called with (decisions done, part of all). Ctrl-C ends it early; what was done is kept. Raises
    ValueError for a solver that tells no values.
    """
    header = session.header
    own = [
        (number, before, after)
        for number, (before, after) in enumerate(zip(session.moments, session.moments[1:], strict=False), 1)
        if after.event is not None and after.event.seat == header.me and before.mine.ask.kind in ("move", "choice")
    ]
    known, decisions = session.now.known, list[Decision]()
    returns = known.state.returns() if known.ask.kind == "over" else None
    found = Analysis(header.game, header.names, header.me, decisions, returns)
    try:
        for done, (number, before, after) in enumerate(own):
            if len(before.mine.options_of(header.me)) > 1:
                decisions.append(_decision(number, before, after, effort))
            if progress is not None:
                progress(done + 1, (done + 1) / len(own))
        for decision in found.worst():
            decisions[decisions.index(decision)] = _explained(decision, session, effort)
    except KeyboardInterrupt:
        return replace(found, interrupted=True)
    return found


def _decision(number: int, before: Moment, after: Moment, effort: Effort) -> Decision:
    assert after.event is not None
    advice = effort.advise(before.mine.view)
    if advice.interrupted:
        raise KeyboardInterrupt  # half a search would be taken for a whole one
    if advice.values is None:
        raise ValueError(f"solver: {effort.solver} tells no values, so nothing can be compared")
    me, text = advice.player, after.event.text
    actions = next(option.actions for option in before.mine.options_of(me) if option.text == text)
    # Where there are very many moves, the search compares their first actions only.
    played = next(move for move in advice.moves if move.actions == actions[: len(move.actions)])
    best = max(advice.moves, key=lambda move: (move.share, move.visits))
    tried = played.visits > 0 or advice.kind != "sampled"
    value = played.value if tried else None
    best_value = best.value or 0.0
    return Decision(
        entry=number,
        played=text,
        value=value,
        best=best.text,
        best_value=best_value,
        loss=0.0 if value is None else max(0.0, best_value - value),
        sure=tried and played.high is not None and best.low is not None and played.high < best.low,
        line=best.line,
        answer=played.line,
        values=advice.values,
        moves=advice.of,
    )


def _explained(decision: Decision, session: Session, effort: Effort) -> Decision:
    """The decision with the answers that the move played had to fear."""
    view = session.moments[decision.entry - 1].mine.view
    move = next(move for move in view.moves() if move.text == decision.played)
    return replace(decision, fears=outlook(view, move, effort.seed).answers[:3])


def plot(found: Analysis, path: str | os.PathLike[str]) -> None:
    """Draws every seat's expected return over the game to an image file, by its ending (SVG, PNG).

    Raises ValueError for an ending of no picture, and OSError.
    """
    from matplotlib.figure import Figure  # takes long to load, and only a plot needs it

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.add_subplot()
    entries = [decision.entry for decision in found.decisions]
    for seat, name in enumerate(found.names):
        values = [decision.values[seat] for decision in found.decisions]
        style = {"linewidth": 2.5, "zorder": 3} if seat == found.me else {"linewidth": 1.2}
        (line,) = axes.plot(entries, values, label=name, **style)  # type: ignore[arg-type]
        if found.returns is not None and entries:
            end = entries[-1] + max(1, entries[-1] // 20)
            axes.plot([entries[-1], end], [values[-1], found.returns[seat]], ":o", color=line.get_color(), markersize=4)
    for decision in found.worst():
        point, above = (decision.entry, decision.values[found.me]), (0, 18)
        arrow = {"arrowstyle": "->"}
        axes.annotate(str(decision.entry), point, above, textcoords="offset points", ha="center", arrowprops=arrow)
    axes.set(
        xlabel="entry of the record", ylabel="expected return", title=f"{found.game}, as {found.names[found.me]} saw it"
    )
    axes.legend()
    save_plot(figure, path)
