"""`voyageur table`, `play`, `replay` and `analyze`."""

import contextlib
import json
import os
import secrets
import time
from collections.abc import Sequence
from typing import Any

from voyageur import games, solvers
from voyageur.cli import progress, tables
from voyageur.cli.prompts import Prompt
from voyageur.cli.screen import Screen
from voyageur.eval import analysis, outputs, record
from voyageur.eval.players import ME, Players
from voyageur.eval.record import Event, Header
from voyageur.eval.session import Session
from voyageur.eval.thinking import Effort
from voyageur.games import files, positions
from voyageur.solvers import registry


def table(args: Any) -> int:
    """`voyageur table`."""
    with contextlib.closing(_session(args, ())) as session:
        if session.header.plays:
            raise ValueError(f"{args.resume}: this is a game against bots; go on with voyageur play --resume")
        return Screen(session, _effort(args), args.auto).run()


def play(args: Any) -> int:
    """`voyageur play`."""
    plays = tuple(name.strip() for name in args.players.split(",")) if args.players else ()
    if args.resume is None and not plays:
        raise ValueError("players: expected who plays, like --players me,ismcts,scripted")
    with contextlib.closing(_session(args, plays)) as session:
        if not session.header.plays:
            raise ValueError(f"{args.resume}: this is a game at a real table; go on with voyageur table --resume")
        seed = secrets.randbits(32) if args.seed is None else args.seed
        players = Players(session.header, _limit(args), seed)
        return Screen(session, _effort(args), args.auto, players).run()


def replay(args: Any) -> int:
    """`voyageur replay`."""
    session = Session.open(args.record)
    if args.to is not None and args.to < len(session.entries):
        session.undo(len(session.entries) - args.to)
    if args.json:
        print(json.dumps(session.now.mine.position))
        return 0
    screen = Screen(session, Effort(), automatic=False)
    screen.log()
    screen.show()
    return 0


def analyze(args: Any) -> int:
    """`voyageur analyze`."""
    if args.plot is not None:
        outputs.check_plot(args.plot, args.record)
    session = Session.open(args.record)
    with progress.bar("analyzing") as report:
        found = analysis.analyze(session, _effort(args), report)
    if args.plot is not None:
        analysis.plot(found, args.plot)
    if args.json:
        print(json.dumps(found.to_dict()))
    else:
        tables.print_analysis(found)
    return 130 if found.interrupted else 0


def _limit(args: Any) -> solvers.Limit:
    seconds = 5.0 if args.seconds is None and args.nodes is None else args.seconds
    return solvers.Limit(seconds=seconds, nodes=args.nodes)


def _effort(args: Any) -> Effort:
    return Effort(args.solver, _limit(args), args.threads or os.cpu_count() or 1, args.seed or 0)


def _session(args: Any, plays: tuple[str, ...]) -> Session:
    """The session that the arguments, or answers to questions, begin or resume."""
    if args.resume is not None:
        for name in ("game", "players", "me", "position", "board", "set"):
            if getattr(args, name, None) is not None:
                raise ValueError(f"{name}: nothing to say with --resume, the record has it")
        session = Session.open(args.resume, to_write=True)
        try:
            _check_solvers(session, (args.solver,))
        except ValueError:
            session.close()
            raise
        return session
    if args.game is None:
        raise ValueError("expected GAME, or --resume FILE")
    if getattr(args, "position", None) is not None and (args.board or args.set):
        raise ValueError("position: it has the board and the rules, so that --board and --set have nothing to say")
    session = Session(_header(args, plays))
    _check_solvers(session, (args.solver, *plays))
    if getattr(args, "position", None) is not None:
        session.enter(Event(record.POSITION, json.dumps(games.read(args.position))))
    session.save_as(args.record or f"voyageur-{args.game}-{time.strftime('%Y%m%d-%H%M%S')}.txt")
    return session


def _check_solvers(session: Session, texts: Sequence[str]) -> None:
    for text in texts:
        if text != ME:
            solver, options = registry.parse(text, {})
            registry.find(solver, session.now.known.game, options)


def _header(args: Any, plays: tuple[str, ...]) -> Header:
    game = positions.definition(args.game)
    rules = dict(record.rule(text) for text in args.set or [])
    if args.board is not None:
        rules |= game.words.board(files.read_text(args.board))
    if plays:
        if plays.count(ME) != 1:
            raise ValueError("players: expected one me among them, like me,ismcts,scripted")
        names = tuple("Me" if name == ME else f"{name.split(':')[0]} {seat}" for seat, name in enumerate(plays))
        return Header(args.game, record.check_names(names), plays.index(ME), rules, True, plays)
    prompt = Prompt(lambda: None)
    low, high = game.players
    try:
        asked = f"Who plays, in seat order, {low} to {high} names with commas: "
        names = record.check_names(_listed(args.players or prompt.ask(asked)))
        if not low <= len(names) <= high:
            wanted = f"{low} to {high}" if low < high else low
            raise games.PositionError("players", f"expected {wanted} names, got {len(names)}")
        me = args.me or ("" if args.players else prompt.ask("Which of them are you: "))
    except EOFError:
        raise ValueError("players: expected who plays, like --players Ann,Bob,Me") from None
    me = me or (names[0] if "me" not in map(str.lower, names) else "me")
    found = [seat for seat, name in enumerate(names) if name.lower() == me.lower()]
    if not found:
        raise ValueError(f"me: expected one of {', '.join(names)}, got {me[:20]!r}")
    return Header(args.game, names, found[0], rules)


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
