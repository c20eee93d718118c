"""One function a command; each takes the parsed arguments and returns the exit status."""

import json
import os
import sys
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from voyageur import games, solvers
from voyageur.cli import progress
from voyageur.games import files, positions
from voyageur.games.rules import SIMULTANEOUS
from voyageur.games.words import Field
from voyageur.solvers.engine import situations


def list_games(args: Any) -> int:
    """`voyageur games`."""
    found = situations.catalogue()
    if args.json:
        print(json.dumps(found))
    else:
        _tables().print_games(found)
    return 0


def new_position(args: Any) -> int:
    """`voyageur new`."""
    params: dict[str, Any] = {} if args.players is None else {"players": args.players}
    if args.board is not None:
        params |= positions.definition(args.game).words.board(files.read_text(args.board))
    game = games.load(args.game, **params)
    state = positions.rolled(game.new_initial_state(), np.random.default_rng(args.seed))
    position = games.position_of(state, _seat(args.viewer, state.num_players()))
    if args.output not in (None, "-"):
        games.write(position, args.output)
    else:
        print(files.to_yaml(position), end="")
    return 0


def show(args: Any) -> int:
    """`voyageur show`."""
    seen = _load(args.position, args.viewer)
    state = seen.world() if isinstance(seen, games.View) else seen
    viewer = seen.player if isinstance(seen, games.View) else None
    _tables().print_board(state.game.words.draw(state.box.s, state.game.c, viewer))
    return 0


def list_moves(args: Any) -> int:
    """`voyageur moves`."""
    seen = _load(args.position)
    for move in situations.moves_of(seen):
        if args.json:
            print(json.dumps(situations.listed(move)))
        else:
            print(move.text if seen.current_player() != SIMULTANEOUS else f"P{move.player} {move.text}")
    return 0


def hint(args: Any) -> int:
    """`voyageur hint`."""
    seen = _load(args.position)
    if not isinstance(seen, games.View) and seen.current_player() == SIMULTANEOUS:
        raise games.PositionError(
            "viewer", "expected a seat, as in viewer: 0 (everybody decides at once here, so say who asks)"
        )
    seconds = 5.0 if args.seconds is None and args.nodes is None else args.seconds
    with progress.bar("thinking") as report:
        advice = solvers.advise(
            seen,
            solver=args.solver,
            limit=solvers.Limit(seconds=seconds, nodes=args.nodes),
            threads=args.threads or os.cpu_count() or 1,
            seed=args.seed,
            top=args.top,
            progress=report,
        )
    if args.json:
        print(json.dumps(advice.to_dict()))
    else:
        _tables().print_advice(advice)
    return 130 if advice.interrupted else 0


def engine(args: Any) -> int:
    """`voyageur engine`."""
    from voyageur.solvers.engine import Engine, Lines

    if sys.stdin is None or sys.stdout is None:
        raise ValueError("expected standard input and standard output")
    Lines(Engine(args.workers), sys.stdin.buffer, sys.stdout.buffer).run()
    return 0


def serve(args: Any) -> int:
    """`voyageur serve`."""
    from voyageur.solvers.engine import Engine

    try:
        from voyageur.solvers.engine import http
    except ModuleNotFoundError as error:
        raise ValueError(f"needs {error.name}: pip install 'voyageur[server]'") from None
    token = None if args.token_file is None else files.read_text(args.token_file).strip()
    http.check_access(args.host, token, args.cors)
    core = Engine(args.workers, args.max_waiting, args.max_seconds)
    http.serve(core, args.host, args.port, token, args.cors, lambda url: print(f"serving {url}", file=sys.stderr))
    return 0


def solve(args: Any) -> int:
    """`voyageur solve`."""
    from voyageur.eval import loading, outputs, solving

    game, flat = loading.load_with(args.game, args.param), args.sampling is None
    for name in ("seconds", "seed", "threads", "checkpoint", "every") if flat else ("algorithm", "nashconv", "plot"):
        if getattr(args, name) is not None:
            raise ValueError(f"--{name}: only {'with' if flat else 'without'} --sampling")
    outputs.check_writable("-o", args.output, args.checkpoint, whole=True)
    if args.checkpoint is not None:
        outputs.check_writable("--checkpoint", args.checkpoint, whole=True)
    solving.check_replaceable(args.output)
    return _solve_flat(args, game) if flat else _solve_by_sampling(args, game)


def _solve_flat(args: Any, game: Any) -> int:
    from voyageur.eval import outputs, solving
    from voyageur.solvers import cfr, flatten, policies

    if args.plot is not None:
        outputs.check_plot(args.plot, args.output)
    started, most, target = time.monotonic(), args.iterations or 100_000, args.nashconv or 1e-3
    algorithm = args.algorithm or "pcfr+"
    with progress.bar("laying the game flat") as report:
        memory = None if args.memory is None else int(args.memory * 1e9)
        flat = flatten.flatten(game, memory, lambda histories: report(histories, 0.0))
    print(solving.size(args.game, flat), file=sys.stderr)
    points: list[tuple[int, float]] = []
    with progress.bar("solving") as report:

        def measured(done: int, gap: float) -> None:
            points.append((done, gap))
            report(done, solving.part(points, most, target), f"iterations, NashConv {gap:.3g}")

        solver, gap = cfr.solve(flat, cfr.VARIANTS[algorithm], most, target, measured)
    policy, seconds = solver.average_policy(), time.monotonic() - started
    policies.write(policies.from_flat(flat, policy, algorithm, solver.iterations, gap), args.output)
    if args.plot is not None:
        solving.plot(args.plot, {algorithm: points}, args.game)
    values = cfr.expected(flat, policy).tolist()
    if args.json:
        found = {"game": flat.game, "algorithm": algorithm, "iterations": solver.iterations, "nash_conv": gap}
        print(json.dumps(found | {"values": values, "information_sets": len(flat.keys), "seconds": seconds}))
    else:
        worth = "  ".join(f"P{i} {value:z.4f}" for i, value in enumerate(values))
        print(f"{algorithm}: {solver.iterations:,} iterations, NashConv {gap:.3g}, {seconds:.1f} s; values {worth}")
        print(f"Play it: cfr:policy={args.output}")
    return 130 if gap > target and solver.iterations < most else 0


def _solve_by_sampling(args: Any, game: Any) -> int:
    from voyageur.solvers import flatten, mccfr, policies

    if not isinstance(game, games.Game):
        raise ValueError(f"--sampling: only for games of ours, not for {args.game}")
    seconds = args.seconds or (60.0 if args.iterations is None else float("inf"))
    most, memory = args.iterations or 10**15, int((args.memory or 1.0) * 1e9)
    if memory > (free := flatten.available()):
        raise ValueError(f"--memory: expected at most the {free / 1e9:.1f} GB that may be used, got {args.memory:g}")
    with progress.bar("training") as report:
        training = mccfr.Mccfr(game, args.sampling, args.seed or 0, memory, args.threads or 1)

        def told(training: mccfr.Mccfr, elapsed: float) -> None:
            note = f"iterations, {training.sets:,} sets{' (full)' if training.full else ''}"
            report(training.iterations, min(1.0, max(elapsed / seconds, training.iterations / most)), note)

        interrupted = mccfr.train(training, seconds, most, args.checkpoint, args.every or 60.0, told)
    policy = training.policy()
    policies.write(policy, args.output)
    header = policy.header
    if args.json:
        print(json.dumps({"game": header.game, "algorithm": header.algorithm, "iterations": header.iterations}))
    else:
        full = "; the table was full" if training.full else ""
        print(f"{header.algorithm}: {header.iterations:,} iterations, a policy at {header.sets:,} sets{full}")
        print(f"Play it: cfr:policy={args.output}")
    return 130 if interrupted else 0


def exploit(args: Any) -> int:
    """`voyageur exploit`."""
    from voyageur.eval import entrants

    with entrants.from_here():
        return _exploit(args)


def _exploit(args: Any) -> int:
    from voyageur.eval import exploit, loading
    from voyageur.solvers import flatten

    game = loading.load(args.game)
    nodes = 1000 if args.seconds is None and args.nodes is None else args.nodes
    limit, opponent = solvers.Limit(seconds=args.seconds, nodes=nodes), args.opponent
    if opponent is None:
        try:
            with progress.bar("asking") as report:
                found = exploit.exact(game, args.bot, limit, args.seed, report)
        except flatten.OutOfMemory:
            opponent = "ismcts"
            print(f"{args.game} is too large to answer exactly; playing {opponent} against it", file=sys.stderr)
        else:
            if args.json:
                print(json.dumps({"kind": "exact", **asdict(found)}))
            else:
                print(f"NashConv {found.nash_conv:.4f}: a best response gains {found.exploitability:.4f} a seat")
                for seat, (best, value) in enumerate(zip(found.best, found.values, strict=True)):
                    print(f"P{seat}: {best:.4f} in place of {value:.4f}")
            return 0
    with progress.bar("playing") as report:
        bound = exploit.at_least(game, args.bot, opponent, limit, args.games, args.seed, report)
    if args.json:
        print(json.dumps({"kind": "lower bound", **asdict(bound)}))
    else:
        print(f"Exploitability at least {bound.mean:.4f} ({bound.low:.4f} to {bound.high:.4f}, 95 %)")
        print(f"by {bound.opponent} in {bound.games} games{' (interrupted)' if bound.interrupted else ''}")
    return 130 if bound.interrupted else 0


def tune(args: Any) -> int:
    """`voyageur tune`."""
    from voyageur.eval import outputs, tuning

    outputs.check_writable("-o", args.output)
    if args.plot is not None:
        outputs.check_plot(args.plot, args.output)
    with progress.bar("playing") as report:
        tuned = tuning.tune(args.game, args.games, args.seed, report)
    with open(args.output, "w") as file:
        file.write(json.dumps(tuned.to_dict(), indent=1) + "\n")
    if args.plot is not None:
        tuning.plot(args.plot, tuned)
    if args.json:
        print(json.dumps(tuned.to_dict() | {"calibration": tuned.calibration()}))
    else:
        _tables().print_tables(tuned)
    return 0


def bench(args: Any) -> int:
    """`voyageur bench`."""
    with progress.bar("measuring") as report:
        measured = _benchmark(args.what)(args.rounds, report)
    if args.json:
        print(json.dumps(measured.to_dict()))
    else:
        _tables().print_tables(measured)
    return 0


def _followed(name: str) -> Any:
    """A command about a game that is followed; its module is loaded when it is wanted."""

    def run(args: Any) -> int:
        from voyageur.cli import table

        return getattr(table, name)(args)

    return run


def _benchmark(what: str) -> Any:
    """The function that measures it."""
    from voyageur.eval import bench, cfr_bench, overhead

    return {"search": bench.search, "cfr": cfr_bench.measure, "tournament": overhead.measure}[what]


def tournament(args: Any) -> int:
    """`voyageur tournament`, `voyageur tournament report` and `voyageur tournament replay`."""
    from voyageur.cli import tournament as commands

    return getattr(commands, args.action)(args)


COMMANDS = {
    "games": list_games,
    "new": new_position,
    "show": show,
    "moves": list_moves,
    "hint": hint,
    "engine": engine,
    "serve": serve,
    "solve": solve,
    "exploit": exploit,
    "tune": tune,
    "bench": bench,
    **{name: _followed(name) for name in ("table", "play", "replay", "analyze")},
    "tournament": tournament,
}


def _load(path: str, viewer: int | None = None) -> games.State | games.View:
    """The position in a file: the view of its viewer (or of `viewer`), or the state if there is neither."""
    if path == "-" and sys.stdin is None:
        raise games.PositionError("-", "there is no standard input")
    position = games.read(sys.stdin.buffer if path == "-" else path)
    if viewer is None and position.get("viewer") is None:
        return games.state_from(position)
    return games.view_from(position, viewer)


def _tables() -> Any:
    """The module that draws; rich, which it imports, takes longer than all else that JSON output needs."""
    from voyageur.cli import tables

    return tables


def _seat(seat: int | None, players: int) -> int | None:
    return None if seat is None else Field(seat, "viewer").integer(0, players - 1)
