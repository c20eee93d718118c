"""`voyageur tournament`: play, go on, report, replay."""

import contextlib
import json
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from voyageur.cli import tables
from voyageur.eval import outputs, report, tournaments
from voyageur.eval.arena import Outcome
from voyageur.eval.store import Store
from voyageur.eval.tournaments import Tournament
from voyageur.games import files

FLAGS = ("format", "seatings", "games", "seed", "seconds", "nodes", "margin", "timeout")
EVERY = 1.0  # seconds between two standings on the screen, or more:
SELDOM = 20  # times as long as it takes to count them


def play(args: Any) -> int:
    """`voyageur tournament`: a new one, or the rest of one that was stopped."""
    given = _given(args)
    if args.scheduler is not None:
        tournaments.client_of(args.scheduler).close()  # before there is a store without any games
    if args.resume is not None:
        if args.store is not None:
            raise ValueError("--store: nothing to say with --resume, which names the store")
        tournament, store = tournaments.reopen(args.resume, given)
    else:
        if "game" not in given:
            raise ValueError("expected a game and entrants, --config FILE, or --resume STORE")
        config = tournaments.Config.read(given)
        path = args.store or f"{config.game.split('(')[0]}.tournament"
        tournament, store = tournaments.start(config, path)
    with contextlib.closing(store):
        return _play(tournament, store, args)


def _play(tournament: Tournament, store: Store, args: Any) -> int:
    resume = f"voyageur tournament --resume {store.path}"
    print(f"{store.path} keeps every finished game; stopped, go on with: {resume}", file=sys.stderr)
    interrupted = False
    try:
        with _shown(tournament, store) as show:
            for outcome in tournaments.run(tournament, store, args.processes, args.scheduler):
                show(outcome)
    except KeyboardInterrupt:
        interrupted = True
    _print(tournament, store, args.json)
    if interrupted:
        print(f"Interrupted; what was finished is kept. Go on with: {resume}", file=sys.stderr)
    return 130 if interrupted else 0


def show_report(args: Any) -> int:
    """`voyageur tournament report`."""
    tournament, store = tournaments.reopen(args.store, write=False, to_play=False)
    page = None if args.json and args.output is None else args.output or f"{args.store}.html"
    with contextlib.closing(store):
        if page is not None:
            outputs.check_writable("-o", page, args.store)
        found = _print(tournament, store, args.json)
        if page is not None:
            Path(page).write_text(report.page(found, report.times(tournament, store)), encoding="utf-8")
            print(f"Written: {page}", file=sys.stderr)
    return 0


def replay(args: Any) -> int:
    """`voyageur tournament replay`."""
    tournament, store = tournaments.reopen(args.store, write=False)
    with contextlib.closing(store):
        kept = tournament.checked(store.outcome(args.number))
    found = tournaments.replay(tournament, kept)
    played, stored = found.steps(), kept.steps()
    names = list(tournament.config.entrants)
    for seat, number in enumerate(kept.seating):
        print(f"P{seat} {names[number]}")
    for seat, _, text in played:
        print(f"{'chance' if seat < 0 else f'P{seat}'}: {text}")
    print("returns: " + "  ".join(f"P{seat} {value:g}" for seat, value in enumerate(found.returns)))
    if found.forfeit is not None:
        print(f"forfeited by P{found.forfeit}: {found.reason}")
    same = played == stored and found.returns == kept.returns
    print("The same as in the store." if same else _difference(stored, played))
    return 0 if same else 1


def _difference(stored: list[list[Any]], played: list[list[Any]]) -> str:
    shorter = min(len(stored), len(played))
    first = next((n for n in range(shorter) if stored[n] != played[n]), shorter)
    then = stored[first][2] if first < len(stored) else "nothing more"
    return f"Not the same as in the store, which has {then!r} as step {first + 1}; bots with limits in seconds do that."


def _given(args: Any) -> dict[str, Any]:
    """The configuration that a file and flags say; flags win."""
    given = _file(args.config) if args.config is not None else {}
    if args.game is not None:
        given["game"] = args.game
    if args.entrants:
        given["entrants"] = args.entrants
    flags = {name: getattr(args, name) for name in FLAGS if getattr(args, name) is not None}
    given = tournaments.laid_over(given, flags)
    if args.players is not None:
        if "game" not in given:
            raise ValueError("--players: it needs a game")
        if "(" in str(given.get("game", "")):
            raise ValueError("--players: the game says its players already")
        given["game"] = f"{given.get('game')}(players={args.players})"
    test = {} if args.sprt is None else {"elo0": args.sprt[0], "elo1": args.sprt[1]}
    test |= {name: getattr(args, name) for name in ("alpha", "beta") if getattr(args, name) is not None}
    if test:
        said = given.get("sprt") or {}
        if args.sprt is None and not said:
            raise ValueError(f"--{min(test)}: only with --sprt")
        if isinstance(said, list) and len(said) == 4:
            said = dict(zip(("elo0", "elo1", "alpha", "beta"), said, strict=True))
        given["sprt"] = {**said, **test} if isinstance(said, dict) else said
    return given


def _file(path: str) -> dict[str, Any]:
    text = files.read_text(path)
    if not path.endswith(".toml"):
        return files.parse(text, "a tournament (an object with game, entrants, ...)")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not TOML ({error})") from None


@contextlib.contextmanager
def _shown(tournament: Tournament, store: Store) -> Iterator[Any]:
    """Progress and standings on standard error while games are played, nothing where that is no terminal."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield lambda outcome: None
        return
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=console, speed_estimate_period=300)
    task = progress.add_task("games", total=len(tournament.pairings), completed=len(store.finished()))
    again = 0.0
    with Live(progress, console=console, refresh_per_second=2, transient=True) as live:

        def show(outcome: Outcome) -> None:
            nonlocal again
            progress.advance(task)
            started = time.monotonic()
            if started >= again:
                found = report.summary(tournament, store, resamples=0)
                live.update(Group(tables.standings(found), progress))
                # Meanwhile nothing is written: what takes long to count is counted seldom.
                again = started + max(EVERY, SELDOM * (time.monotonic() - started))

        yield show


def _print(tournament: Tournament, store: Store, as_json: bool) -> dict[str, Any]:
    found = report.summary(tournament, store)
    if as_json:
        print(json.dumps(found))
    else:
        tables.print_tournament(found)
    return found
