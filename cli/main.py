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


def _whole(text: str, low: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(GREATEST)) and low <= int(text) <= GREATEST):
        raise argparse.ArgumentTypeError(f"expected a whole number from {low} to {GREATEST}, got {text[:30]!r}")
    return int(text)


def _seconds(text: str) -> float:
    return _number(text, "a number of seconds above 0")


def _number(text: str, expected: str = "a number above 0") -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected {expected}, got {text[:30]!r}")
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
    hint.add_argument(
        "--solver", default="ismcts", metavar="S", help="ismcts (default), mcts, scripted, random, cfr:policy=FILE"
    )
    limit = hint.add_mutually_exclusive_group()
    limit.add_argument("--seconds", type=_seconds, metavar="T", help="time to think (default 5)")
    limit.add_argument("--nodes", type=_positive, metavar="N", help="simulations instead of time; repeatable")
    hint.add_argument("--threads", type=_positive, metavar="K", help="default: one a core")
    hint.add_argument("--seed", type=_not_negative, default=0, metavar="S")
    hint.add_argument("--top", type=_positive, default=5, metavar="K", help="moves to show (default 5)")
    hint.add_argument("--json", action="store_true", help="JSON only, on standard output")

    solve = commands.add_parser("solve", help="an equilibrium, as a policy to play")
    solve.add_argument("game", metavar="GAME", help="one of ours, or any of OpenSpiel's")
    solve.add_argument("--param", action="append", default=[], metavar="K=V", help="a parameter of the game")
    solve.add_argument("-o", "--output", required=True, metavar="FILE", help="for cfr:policy=FILE")
    solve.add_argument("--algorithm", choices=("cfr", "cfr+", "dcfr", "pcfr+"), default="pcfr+", help="default pcfr+")
    solve.add_argument("--iterations", type=_positive, metavar="N", help="at most (default 100000; sampling: none)")
    solve.add_argument("--nashconv", type=_number, default=1e-3, metavar="X", help="good enough (default 0.001)")
    solve.add_argument(
        "--memory", type=_number, metavar="GB", help="at most (default: 3/4 of what is free; sampling: 1)"
    )
    solve.add_argument("--plot", metavar="FILE", help="NashConv by iteration, as a picture (.svg, .png)")
    solve.add_argument("--sampling", choices=("external", "outcome"), help="for games of ours that do not fit")
    solve.add_argument("--seconds", type=_seconds, metavar="T", help="of sampling (default 60, without --iterations)")
    solve.add_argument("--seed", type=_not_negative, default=0, metavar="S", help="of sampling")
    solve.add_argument("--checkpoint", metavar="FILE", help="of sampling: goes on from it, and keeps it up to date")
    solve.add_argument(
        "--every", type=_seconds, default=60.0, metavar="T", help="seconds between checkpoints (default 60)"
    )
    solve.add_argument("--json", action="store_true", help="JSON only, on standard output")

    exploit = commands.add_parser("exploit", help="how beatable a bot is")
    exploit.add_argument("bot", metavar="BOT", help="a solver, with options as in cfr:policy=FILE")
    exploit.add_argument("game", metavar="GAME", help="its name, with parameters as in yellowhouse:scope=round")
    exploit.add_argument("--seconds", type=_seconds, metavar="T", help="of the bot for a move")
    exploit.add_argument("--nodes", type=_positive, metavar="N", help="of the bot for a move (default 1000)")
    exploit.add_argument("--opponent", metavar="BOT", help="play games instead of answering exactly, against this one")
    exploit.add_argument("--games", type=_positive, default=200, metavar="N", help="to play (default 200)")
    exploit.add_argument("--seed", type=_not_negative, default=0, metavar="S")
    exploit.add_argument("--json", action="store_true", help="JSON only, on standard output")

    bench = commands.add_parser("bench", help="measure speed, side by side")
    bench.add_argument("what", choices=["search", "cfr"], metavar="WHAT", help="search or cfr")
    bench.add_argument("--rounds", type=_positive, default=5, metavar="N", help="measurements of each (default 5)")
    bench.add_argument("--json", action="store_true", help="JSON only, on standard output")
    return top


def _add_position(command: argparse.ArgumentParser) -> None:
    command.add_argument("position", metavar="POSITION", help="a YAML or JSON file, or - for standard input")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `voyageur` and returns the exit status."""
    try:
        top = parser()
        args = top.parse_args(arguments)
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

    try:
        return commands.COMMANDS[args.command](args)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        problem = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except ValueError as error:
        problem = str(error)
    print(f"voyageur {args.command}: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
