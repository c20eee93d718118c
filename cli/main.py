"""`voyageur`: arguments in, exit status out.

0 done, 2 wrong input (one line on stderr that says what, where and what was expected), 1 anything else,
130 interrupted.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

GREATEST = 10**12


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints fit on one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _positive(text: str) -> int:
    return _whole(text, 1)


def _not_negative(text: str) -> int:
    return _whole(text, 0)


def _workers(text: str) -> int:
    return _whole(text, 1, 64)


def _port(text: str) -> int:
    return _whole(text, 0, 65_535)


def _whole(text: str, low: int, high: int = GREATEST) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(high)) and low <= int(text) <= high):
        raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {high}, got {text[:30]!r}")
    return int(text)


def _seconds(text: str) -> float:
    return _number(text, "a number of seconds above 0")


def _number(text: str, expected: str = "a number above 0") -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected {expected} and below 1000000, got {text[:30]!r}")
    return value


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = _Parser(prog="voyageur", description="Strong, honest opponents and hints for modern tabletop games.")
    top.add_argument("--version", action="store_true", help="print the version and leave")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    games = commands.add_parser("games", help="the games, their players and parameters")
    games.add_argument("--json", action="store_true", help="one JSON array")

    new = commands.add_parser("new", help="an opening position to edit")
    new.add_argument("game", metavar="GAME")
    new.add_argument("--players", type=_positive, metavar="N")
    new.add_argument("--board", metavar="FILE", help="a board of your own, where the game takes one")
    new.add_argument("--seed", type=_not_negative, default=0, metavar="S", help="of what is drawn at the start")
    new.add_argument("--viewer", type=_not_negative, metavar="SEAT", help="only what this seat knows")
    new.add_argument("-o", "--output", metavar="FILE", help="instead of standard output; .json writes JSON")

    show = commands.add_parser("show", help="the board, drawn")
    _add_position(show)
    show.add_argument("--viewer", type=_not_negative, metavar="SEAT", help="as this seat sees it")

    moves = commands.add_parser("moves", help="every move")
    _add_position(moves)
    moves.add_argument("--json", action="store_true", help="one line each: move, actions, player, position after it")

    hint = commands.add_parser("hint", help="what to do, and how sure that is")
    _add_position(hint)
    _add_effort(hint)
    hint.add_argument("--top", type=_positive, default=5, metavar="K", help="moves to show (default 5)")
    hint.add_argument("--json", action="store_true", help="JSON only, on standard output")

    _add_followed(commands)
    _add_served(commands)
    _add_solving(commands)
    _add_tuning(commands)

    bench = commands.add_parser("bench", help="measure speed, side by side")
    bench.add_argument("what", choices=["search", "cfr", "tournament"], metavar="WHAT", help="search, cfr, tournament")
    bench.add_argument("--rounds", type=_positive, default=5, metavar="N", help="measurements of each (default 5)")
    bench.add_argument("--json", action="store_true", help="JSON only, on standard output")

    _add_tournament(commands)
    return top


def _add_effort(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--solver", default="ismcts", metavar="S", help="ismcts (default), mcts, scripted, random, cfr:policy=FILE"
    )
    limit = command.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=_seconds, metavar="T", help="time to think (default 5)")
    limit.add_argument("--nodes", type=_positive, metavar="N", help="simulations instead of time; repeatable")
    command.add_argument("--threads", type=_positive, metavar="K", help="default: one a core")
    command.add_argument("--seed", type=_not_negative, default=0, metavar="S")


def _add_followed(commands: Any) -> None:
    """The commands about a game that is followed entry by entry."""
    table = commands.add_parser("table", help="follow a real game, with hints")
    table.add_argument("--players", metavar="NAMES", help="in seat order, with commas; asked for otherwise")
    table.add_argument("--me", metavar="NAME", help="which of them you are (default: Me, or the first)")
    table.add_argument("--position", metavar="FILE", help="begin with this position")
    play = commands.add_parser("play", help="play against bots")
    play.add_argument("--players", metavar="WHO", help="in seat order: one me, and solvers")
    for command in (table, play):
        command.add_argument("game", metavar="GAME", nargs="?")
        command.add_argument("--board", metavar="FILE", help="a board of your own, where the game takes one")
        command.add_argument("--set", action="append", metavar="NAME=VALUE", help="a rule that differs; repeatable")
        record = command.add_mutually_exclusive_group()
        record.add_argument("--record", metavar="FILE", help="where to keep the game (default: a new file here)")
        record.add_argument("--resume", metavar="FILE", help="go on with a game that was kept")
        command.add_argument("--auto", action="store_true", help="a hint at each of your decisions")
        _add_effort(command)
    play.set_defaults(seed=None)  # another game each time
    replay = commands.add_parser("replay", help="the entries of a record, and where they lead")
    replay.add_argument("--to", type=_not_negative, metavar="N", help="only the first N entries")
    analyze = commands.add_parser("analyze", help="your decisions in a record, and what they lost")
    analyze.add_argument("--plot", metavar="FILE", help="draw everybody's expected returns (.png, .svg)")
    for command in (replay, analyze):
        command.add_argument("record", metavar="RECORD", help="a file that table or play has written")
        command.add_argument("--json", action="store_true", help="JSON only, on standard output")
    _add_effort(analyze)


def _add_served(commands: Any) -> None:
    """The commands that answer other programs."""
    engine = commands.add_parser("engine", help="answer queries of other programs, a JSON line each")
    _add_workers(engine)

    serve = commands.add_parser("serve", help="answer the same queries over HTTP")
    serve.add_argument("--host", default="127.0.0.1", help="where to listen (default: this machine only)")
    serve.add_argument("--port", type=_port, default=8420, metavar="P", help="0: any that is free (default 8420)")
    serve.add_argument("--token-file", metavar="FILE", help="holds the token that clients have to show")
    serve.add_argument("--cors", action="append", default=[], metavar="ORIGIN", help="web pages that may ask")
    serve.add_argument("--max-seconds", type=_seconds, default=30.0, metavar="T", help="longest thinking (default 30)")
    serve.add_argument("--max-waiting", type=_positive, default=256, metavar="N", help="queries queued (default 256)")
    _add_workers(serve)


def _add_solving(commands: Any) -> None:
    """The commands about equilibria."""
    solve = commands.add_parser("solve", help="an equilibrium, as a policy to play")
    solve.add_argument("game", metavar="GAME", help="one of ours, or any of OpenSpiel's")
    solve.add_argument("--param", action="append", default=[], metavar="K=V", help="a parameter of the game")
    solve.add_argument("-o", "--output", required=True, metavar="FILE", help="for cfr:policy=FILE")
    solve.add_argument("--algorithm", choices=("cfr", "cfr+", "dcfr", "pcfr+"), help="default pcfr+")
    solve.add_argument("--iterations", type=_positive, metavar="N", help="at most (default 100000; sampling: none)")
    solve.add_argument("--nashconv", type=_number, metavar="X", help="good enough (default 0.001)")
    solve.add_argument(
        "--memory", type=_number, metavar="GB", help="at most (default: 3/4 of what is free; sampling: 1)"
    )
    solve.add_argument("--plot", metavar="FILE", help="NashConv by iteration, as a picture (.svg, .png)")
    solve.add_argument("--sampling", choices=("external", "outcome"), help="for games of ours that do not fit")
    solve.add_argument("--seconds", type=_seconds, metavar="T", help="of sampling (default 60, without --iterations)")
    solve.add_argument("--seed", type=_not_negative, metavar="S", help="of sampling")
    solve.add_argument("--threads", type=_positive, metavar="K", help="of sampling (default 1; more: not repeatable)")
    solve.add_argument("--checkpoint", metavar="FILE", help="of sampling: goes on from it, and keeps it up to date")
    solve.add_argument("--every", type=_seconds, metavar="T", help="seconds between checkpoints (default 60)")
    solve.add_argument("--json", action="store_true", help="JSON only, on standard output")

    exploit = commands.add_parser("exploit", help="how beatable a bot is")
    exploit.add_argument("bot", metavar="BOT", help="a solver, with options as in cfr:policy=FILE")
    exploit.add_argument("game", metavar="GAME", help='such as kuhn_poker or "yellowhouse(scope=round)"')
    limit = exploit.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=_seconds, metavar="T", help="of the bot for a move")
    limit.add_argument("--nodes", type=_positive, metavar="N", help="of the bot for a move (default 1000)")
    exploit.add_argument("--opponent", metavar="BOT", help="play games instead of answering exactly, against this one")
    exploit.add_argument("--games", type=_positive, default=200, metavar="N", help="to play (default 200)")
    exploit.add_argument("--seed", type=_not_negative, default=0, metavar="S")
    exploit.add_argument("--json", action="store_true", help="JSON only, on standard output")


def _add_tuning(commands: Any) -> None:
    text = "fit the evaluation of a game to self-play; the file takes the place of games/GAME/weights.json"
    tune = commands.add_parser("tune", help="fit the evaluation of a game to self-play", description=text)
    tune.add_argument("game", metavar="GAME")
    tune.add_argument("--games", type=_positive, default=40_000, metavar="N", help="of self-play (default 40000)")
    tune.add_argument("--seed", type=_not_negative, default=0, metavar="S")
    tune.add_argument("-o", "--output", required=True, metavar="FILE", help="for the weights, as JSON")
    tune.add_argument("--plot", metavar="FILE", help="what was foretold and what came, as a picture (.svg, .png)")
    tune.add_argument("--json", action="store_true", help="JSON only, on standard output")


def _add_tournament(commands: Any) -> None:
    text = "bots against bots, with error bars (see also: tournament report --help, tournament replay --help)"
    play = commands.add_parser("tournament", help="bots against bots, with error bars", description=text)
    play.set_defaults(action="play")
    play.add_argument("game", metavar="GAME", nargs="?", help='such as niagara or "niagara(players=3)"')
    play.add_argument("entrants", metavar="ENTRANT", nargs="*", help="ismcts:seconds=1, scripted, module:factory, ...")
    play.add_argument(
        "--config", metavar="FILE", help="TOML or YAML: game, entrants, and what is below from --format to --sprt"
    )
    play.add_argument("--players", type=_positive, metavar="N")
    play.add_argument("--format", metavar="F", help="round-robin (default), or gauntlet: the first entrant alone")
    play.add_argument("--games", type=_positive, metavar="N", help="at least so many, in whole blocks (default 100)")
    play.add_argument("--seatings", metavar="S", help="of each block: balanced (default) or all")
    play.add_argument("--seed", type=_not_negative, metavar="S")
    limit = play.add_mutually_exclusive_group()
    limit.add_argument(
        "--seconds", type=_seconds, metavar="T", help="a move, for solvers that say no limit (default 1)"
    )
    limit.add_argument("--nodes", type=_positive, metavar="N", help="simulations a move likewise; repeatable")
    play.add_argument(
        "--margin", type=_seconds, metavar="T", help="over an entrant's seconds, then forfeit (default 2)"
    )
    play.add_argument("--timeout", type=_seconds, metavar="T", help="a move, for entrants without seconds (default 60)")
    play.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="end as soon as this is decided")
    play.add_argument("--alpha", type=float, metavar="A", help="of the test, as beta 0.05 by default")
    play.add_argument("--beta", type=float, metavar="B")
    play.add_argument("--store", metavar="FILE", help="where games are kept (default GAME.tournament)")
    play.add_argument("--resume", metavar="STORE", help="go on with what a store lacks")
    play.add_argument(
        "--processes", type=_positive, metavar="K", default=os.cpu_count() or 1, help="default: all cores"
    )
    play.add_argument("--scheduler", metavar="URL", help="of a Dask cluster, tcp://...")
    play.add_argument("--json", action="store_true", help="JSON only, on standard output")

    report = commands.add_parser("tournament report", prog="voyageur tournament report")
    report.set_defaults(action="show_report", command="tournament")
    report.add_argument("store", metavar="STORE")
    report.add_argument("-o", "--output", metavar="FILE", help="the HTML page (default: STORE.html)")
    report.add_argument("--json", action="store_true", help="JSON on standard output; a page only with --output")

    replay = commands.add_parser("tournament replay", prog="voyageur tournament replay")
    replay.set_defaults(action="replay", command="tournament")
    replay.add_argument("store", metavar="STORE")
    replay.add_argument("number", metavar="GAME", type=_not_negative, help="its number in the store")


def _joined(arguments: Sequence[str]) -> list[str]:
    """Makes `tournament report` and `tournament replay` one word, since `tournament` itself takes a game there."""
    if list(arguments[:1]) == ["tournament"] and list(arguments[1:2]) in (["report"], ["replay"]):
        return [" ".join(arguments[:2]), *arguments[2:]]
    return list(arguments)


def _add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workers", type=_workers, metavar="N", help="searches at a time (default: one a core)")


def _add_position(command: argparse.ArgumentParser) -> None:
    command.add_argument("position", metavar="POSITION", help="a YAML or JSON file, or - for standard input")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `voyageur` and returns the exit status."""
    try:
        top = parser()
        args = top.parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
        if args.version:
            from importlib.metadata import version

            print("voyageur", version("voyageur"))
            return 0
        if args.command is None:
            top.print_help()
            return 0
        status = _run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has left; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"voyageur: {error.strerror}", file=sys.stderr)
        return 1


def _load_numba_without_scipy() -> None:
    """Loads numba without the SciPy that it would load for a BLAS that rules never use: a fifth of a warm start."""
    sys.modules["scipy"] = None  # type: ignore[assignment]  # an import of it now fails
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        del sys.modules["scipy"]


def _run(args: Any) -> int:
    if not {"numba", "scipy"} & sys.modules.keys():
        _load_numba_without_scipy()
    from voyageur.cli import commands
    from voyageur.games import files

    try:
        return commands.COMMANDS[args.command](args)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        problem = files.problem(error)
    except ValueError as error:
        problem = str(error)
    print(f"voyageur {args.command}: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
