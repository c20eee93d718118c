"""What people see: tables and boards, drawn by rich."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from voyageur.solvers import Advice, MoveAdvice

if TYPE_CHECKING:
    from voyageur.eval.analysis import Analysis
    from voyageur.eval.bench import Bench
    from voyageur.eval.cfr_bench import CfrBench
    from voyageur.eval.tuning import Tuned

SHOWN_FORFEITS = 10
INTERRUPTED = "Interrupted: this is what was found so far."
STANDINGS = 6  # columns of a tournament's table that fit; its page has all


class Output(Console):
    """Standard output."""

    def __init__(self) -> None:
        super().__init__(highlight=False)

    def on_broken_pipe(self) -> None:
        """Leaves it to the command line, which takes it for no error; rich would end with status 1."""
        raise BrokenPipeError


def print_board(board: Any) -> None:
    """A position as its game draws it."""
    Output().print(board)


def print_games(found: Sequence[Mapping[str, Any]]) -> None:
    """The games with their parameters and defaults."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("game", "players", "parameters and their defaults"):
        table.add_column(heading)
    for game in found:
        low, high = game["players"]
        params = "  ".join(f"{name}={'none' if value is None else value}" for name, value in game["params"].items())
        table.add_row(game["name"], f"{low} to {high}" if low != high else str(low), params)
    Output().print(table)


def print_advice(advice: Advice) -> None:
    """The best moves with what they are worth, how sure that is, and how play is expected to go on."""
    console = Output()
    name = advice.game.split("(")[0]
    plural = "" if advice.simulations == 1 else "s"
    work = f", {advice.simulations:,} simulation{plural} in {advice.seconds:.1f} s" if advice.simulations else ""
    choice = "with only one move" if advice.of == 1 else f"to decide between {advice.of} moves"
    console.print(f"[bold]{name}[/bold], P{advice.player} {choice} ({advice.solver}{work})")
    console.print()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    bounds = {"exact": "proved", "equilibrium": "by NashConv"}.get(advice.kind, "95 %")
    for heading, right in (("move", False), ("value", True), (bounds, True), ("share", True), ("visits", True)):
        table.add_column(heading, justify="right" if right else "left", overflow="fold")
    for move in advice.moves:
        table.add_row(move.text, *_figures(move, advice.kind))
    console.print(table)
    console.print()
    for line in _verdict(advice):
        console.print(line, soft_wrap=True)


def _figures(move: MoveAdvice, kind: str) -> tuple[str, str, str, str]:
    share = f"{100 * move.share:.0f} %"
    if move.value is None:
        return "", "", share, ""
    if not move.visits and kind == "sampled":
        return "untried", "", share, "0"
    return f"{move.value:z.3f}", f"{move.low:z.3f} to {move.high:z.3f}", share, f"{move.visits:,}"


def _verdict(advice: Advice) -> list[str]:
    """What to do and how sure that is, in a few lines."""
    best = advice.moves[0]
    lines = []
    mixes = advice.simulations or advice.kind == "equilibrium"
    if mixes and sum(move.share > 0.02 for move in advice.moves) > 1:
        lines.append("[bold]Mix[/bold]: the others must not guess it, so choose by chance with these shares.")
    else:
        lines += [f"[bold]Play[/bold]: {best.text}", *_sureness(advice)]
    if best.line:
        lines.append(f"Then: {' · '.join(best.line)}")
    if advice.nash_conv is not None:
        lines.append(
            f"From an equilibrium: all together could gain {advice.nash_conv:.2g} by playing otherwise (NashConv)."
        )
    if advice.values is not None:
        lines.append("Expected returns: " + "  ".join(f"P{i} {value:z.2f}" for i, value in enumerate(advice.values)))
    if advice.full:
        lines.append("The memory bound was reached; the search went on without new entries.")
    if advice.interrupted:
        lines.append(INTERRUPTED)
    return lines


def _sureness(advice: Advice) -> list[str]:
    """How sure it is that the best move is the best, in a line; none where there is nothing to say."""
    best = advice.moves[0]
    if advice.of == 1:
        return []
    if advice.kind == "exact":
        alike = sum(move.low == best.low for move in advice.moves)
        more = alike == len(advice.moves) < advice.of  # others may be as good, which are not shown
        if alike > 1:
            return [f"Proved: {alike}{' or more' if more else ''} moves are equally good."]
        return [f"Proved: {'no other move is better' if more else 'every other move is worse'}."]
    rivals = [move for move in advice.moves[1:] if move.high is not None and move.visits]
    if best.low is None or not rivals or advice.kind == "equilibrium":
        return []
    rival = max(rivals, key=lambda move: move.value or 0.0)
    sure = "Clearly better than" if best.low > (rival.high or 0.0) else "Hardly to be told from"
    return [f"Sure? {sure} the next best ({rival.text}) by this search."]


def print_analysis(found: "Analysis") -> None:
    """Every decision with what it lost, and the worst of them with how play would have gone on."""
    console = Output()
    who = "  ".join(f"P{seat} {name}" for seat, name in enumerate(found.names))
    count = f"{len(found.decisions)} decisions of {found.names[found.me]} with a choice"
    console.print(f"[bold]{found.game}[/bold], {count} ({who})\n", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("entry", "played", "value", "best", "value", "loss"):
        table.add_column(heading, justify="left" if heading in ("played", "best") else "right", overflow="fold")
    for decision in found.decisions:
        value = "untried" if decision.value is None else f"{decision.value:.3f}"
        best = "" if decision.best == decision.played else decision.best
        mark = "*" if decision.sure else ""
        loss = f"{decision.loss:.3f}{mark}" if decision.loss else ""
        table.add_row(str(decision.entry), decision.played, value, best, f"{decision.best_value:.3f}", loss)
    console.print(table)
    console.print("\nloss: expected return given away; * the 95 % intervals of the two moves lie apart.")
    for decision in found.worst():
        console.print(
            f"\n[bold]Entry {decision.entry}[/bold]: {decision.played} gave away {decision.loss:.3f}.", soft_wrap=True
        )
        console.print(f"  Better: {' · '.join([decision.best, *decision.line])}", soft_wrap=True)
        if decision.answer:
            console.print(f"  Instead: {' · '.join([decision.played, *decision.answer])}", soft_wrap=True)
        for answer in decision.fears:
            said = f"{found.names[answer.seat]}: {answer.text} (in {answer.times} of the worlds: {answer.value:.3f})"
            console.print(f"  It had to fear {said}", soft_wrap=True)
    if found.interrupted:
        console.print(f"\n{INTERRUPTED}")


def print_tables(measured: "Bench | CfrBench | Tuned") -> None:
    """Measurements and ratios."""
    console = Output()
    for title, headings, rows in measured.tables():
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, title=title, title_justify="left")
        for i, heading in enumerate(headings):
            table.add_column(heading, justify="right" if i else "left")
        for row in rows:
            table.add_row(*row)
        console.print(table)
        console.print()


def standings(found: Mapping[str, Any]) -> Table:
    """The main table of a tournament, as much of it as 80 columns hold."""
    from voyageur.eval import report

    headings, rows = report.standings(found)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:STANDINGS]:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row[:STANDINGS]))
    return table


def print_tournament(found: Mapping[str, Any]) -> None:
    """What came of a tournament."""
    from voyageur.eval import report

    console = Output()
    counts = found["games"]
    console.print(
        f"[bold]{found['game'].split('(')[0]}[/bold], {found['players']} players, {found['format']}: "
        f"{counts['finished']:,} of {counts['planned']:,} games, {counts['counted']:,} of them in {found['blocks']:,} "
        f"whole block{'' if found['blocks'] == 1 else 's'}"
    )
    console.print()
    console.print(standings(found))
    console.print()
    for line in report.verdicts(found):
        console.print(line, soft_wrap=True, markup=False)
    forfeits = found["forfeits"]
    for forfeit in forfeits[:SHOWN_FORFEITS]:
        line = f"Game {forfeit['game']} forfeited by {forfeit['entrant']} (seat {forfeit['seat']}): {forfeit['reason']}"
        console.print(line, soft_wrap=True, markup=False)
    if len(forfeits) > SHOWN_FORFEITS:
        console.print(f"... and {len(forfeits) - SHOWN_FORFEITS} more forfeits")
