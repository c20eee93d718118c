"""One function a command; each takes the parsed arguments and returns the exit status."""

import json
import os
import sys
from typing import Any

import numpy as np

from voyageur import games, solvers
from voyageur.cli import progress
from voyageur.games import files, positions
from voyageur.games.rules import CHANCE, SIMULTANEOUS
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
    state = games.load(args.game, **params).new_initial_state()
    rng = np.random.default_rng(args.seed)
    while state.current_player() == CHANCE:
        outcomes, probs = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(rng.choice(outcomes, p=probs)))
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
    http.check_access(args.host, token)
    core = Engine(args.workers, args.max_waiting, args.max_seconds)
    http.serve(core, args.host, args.port, token, args.cors, lambda url: print(f"serving {url}", file=sys.stderr))
    return 0


def bench(args: Any) -> int:
    """`voyageur bench`."""
    with progress.bar("measuring") as report:
        measured = _benchmark(args.what)(args.rounds, report)
    if args.json:
        print(json.dumps(measured.to_dict()))
    else:
        _tables().print_bench(measured)
    return 0


def _followed(name: str) -> Any:
    """A command about a game that is followed; its module is loaded when it is wanted."""

    def run(args: Any) -> int:
        from voyageur.cli import table

        return getattr(table, name)(args)

    return run


def _benchmark(what: str) -> Any:
    """The function that measures it."""
    if what == "tournament":
        from voyageur.eval import overhead

        return overhead.measure
    from voyageur.eval import bench

    return bench.search


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
