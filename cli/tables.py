"""What people see: tables and boards, drawn by rich."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from voyageur.solvers import Advice, MoveAdvice

if TYPE_CHECKING:
    from voyageur.eval.bench import Bench


def print_board(board: Any) -> None:
    """A position as its game draws it."""
    Console(highlight=False).print(board)


def print_games(found: Sequence[Mapping[str, Any]]) -> None:
    """The games with their parameters and defaults."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in ("game", "players", "parameters and their defaults"):
        table.add_column(heading)
    for game in found:
        low, high = game["players"]
        params = "  ".join(f"{name}={'none' if value is None else value}" for name, value in game["params"].items())
        table.add_row(game["name"], f"{low} to {high}" if low != high else str(low), params)
    Console(highlight=False).print(table)


def print_advice(advice: Advice) -> None:
    """The best moves with what they are worth, how sure that is, and how play is expected to go on."""
    console = Console(highlight=False)
    name = advice.game.split("(")[0]
    work = f", {advice.simulations:,} simulations in {advice.seconds:.1f} s" if advice.simulations else ""
    console.print(f"[bold]{name}[/bold], P{advice.player} to decide between {advice.of} moves ({advice.solver}{work})")
    console.print()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading, right in (("move", False), ("value", True), ("95 %", True), ("share", True), ("visits", True)):
        table.add_column(heading, justify="right" if right else "left", overflow="fold")
    for move in advice.moves:
        table.add_row(move.text, *_figures(move))
    console.print(table)
    console.print()
    for line in _verdict(advice):
        console.print(line, soft_wrap=True)


def _figures(move: MoveAdvice) -> tuple[str, str, str, str]:
    share = f"{100 * move.share:.0f} %"
    if move.value is None:
        return "", "", share, ""
    if not move.visits:
        return "untried", "", share, "0"
    return f"{move.value:.3f}", f"{move.low:.3f} to {move.high:.3f}", share, f"{move.visits:,}"


def _verdict(advice: Advice) -> list[str]:
    """What to do and how sure that is, in a few lines."""
    best = advice.moves[0]
    lines = []
    if advice.simulations and sum(move.share > 0.02 for move in advice.moves) > 1:
        lines.append("[bold]Mix[/bold]: the others must not guess it, so choose by chance with these shares.")
    else:
        lines.append(f"[bold]Play[/bold]: {best.text}")
        rivals = [move for move in advice.moves[1:] if move.high is not None and move.visits]
        if best.low is not None and rivals:
            rival = max(rivals, key=lambda move: move.value or 0.0)
            sure = best.low > (rival.high or 0.0)
            lines.append(
                f"Sure? {'Clearly better than' if sure else 'Hardly to be told from'} "
                f"the next best ({rival.text}) by this search."
            )
    if best.line:
        lines.append(f"Then: {' · '.join(best.line)}")
    if advice.values is not None:
        lines.append("Expected returns: " + "  ".join(f"P{i} {value:.2f}" for i, value in enumerate(advice.values)))
    if advice.full:
        lines.append("The memory bound was reached; the search went on without new entries.")
    if advice.interrupted:
        lines.append("Interrupted: this is what was found so far.")
    return lines


def print_bench(measured: "Bench") -> None:
    """Measurements and ratios."""
    console = Console(highlight=False)
    for title, headings, rows in measured.tables():
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, title=title, title_justify="left")
        for i, heading in enumerate(headings):
            table.add_column(heading, justify="right" if i else "left")
        for row in rows:
            table.add_row(*row)
        console.print(table)
        console.print()
