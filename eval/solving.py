"""What `voyageur solve` needs around the solver: what will be needed, how far it is, and a plot."""

import math
from collections.abc import Mapping, Sequence

from voyageur.eval.outputs import save_plot
from voyageur.games.words import shown
from voyageur.solvers import cfr, mccfr, policies, sealed
from voyageur.solvers.flatten import Flat


def size(name: str, flat: Flat) -> str:
    """What solving the game takes, in a line; and what its NashConv does not promise, where that is so."""
    sets = " + ".join(f"{n:,}" for n in (flat.form.infos[1:] - flat.form.infos[:-1]).tolist())
    lines = [
        f"{name}: {sets} information sets, {len(flat.actions):,} sequences, {flat.histories:,} ends; "
        f"{flat.bytes / 1e6:,.0f} MB laid flat, {cfr.Cfr.bytes(flat) / 1e6:,.0f} MB more to solve"
    ]
    if flat.players > 2 or not flat.zero_sum:
        lines.append("Not a zero-sum game of two: nothing promises an equilibrium; NashConv says how far it gets.")
    return "\n".join(lines)


def part(points: Sequence[tuple[int, float]], iterations: int, target: float) -> float:
    """How far along a solver is, from 0 to 1: by iterations, or by the orders of magnitude of NashConv."""
    (_, first), (done, gap) = points[0], points[-1]
    by_gap = math.log(first / gap) / math.log(first / target) if first > target and gap > 0 else 1.0
    return min(1.0, max(0.0, by_gap, done / iterations))


def check_replaceable(path: str) -> None:
    """Raises ValueError, in one line, if the policy, written to `path`, would take the place of anything else."""
    if (kind := sealed.kind_of(path)) not in (b"", policies.KIND):
        raise ValueError(
            f"-o: {shown(path)} holds {'a training' if kind == mccfr.KIND else 'no policy'} and would be lost"
        )


def plot(path: str, curves: Mapping[str, Sequence[tuple[int, float]]], title: str) -> None:
    """Draws NashConv by iterations, both on logarithmic scales, a curve an algorithm."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    for name, points in curves.items():
        axes.loglog(*zip(*points, strict=True), label=name)
    axes.set(xlabel="iterations", ylabel="NashConv", title=title)
    axes.grid(alpha=0.3)
    axes.legend()
    save_plot(figure, path)
