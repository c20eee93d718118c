"""The screen of a game that is followed: what is asked, what may be typed, and what is printed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.columns import Columns
from rich.text import Text

from voyageur import games, solvers
from voyageur.cli import progress, tables
from voyageur.cli.prompts import Prompt
from voyageur.eval import outlook, record
from voyageur.eval.players import Players
from voyageur.eval.record import Event
from voyageur.eval.session import Session
from voyageur.eval.thinking import Effort, Thinker
from voyageur.games import files
from voyageur.games.following import HIDDEN, Ask, Option

FEW = 16  # options that are listed without being asked for
TOP = 5
LONG = 3600.0  # seconds until a bar is shown that only compiling needs

HELP = """\
Type a key or a number of the list, the whole text, or parts of it that fit one.
  ?              everything that is possible now
  hint   why     what to do; the alternatives, how play goes on, what to fear
  what if MOVE   what may come of a move
  show   log     the board; the entries            save FILE   a new record
  help   quit    (h, w, u, l and q are short for hint, why, undo, log and quit)"""
AGAINST_BOTS = """
  undo N         take your last N decisions back (1 if left out)
  redo           bring back what was taken back"""
AT_A_TABLE = """
  undo N  redo N        take entries back, bring them again (1 if N is left out)
  edit N ENTRY          put another entry in the place of entry N
  insert N ENTRY        put one before it          delete N    leave it out
  misdeal               take everything back to before the last deal
  set NAME=VALUE        play by another rule, from the beginning on
  position FILE         go on from a position, whatever happened
With a name before it (Ann: b7) an entry is that player's; Ann: ? says she has
chosen."""
SHORT = {"h": "hint", "w": "why", "u": "undo", "l": "log", "q": "quit"}
CORRECTIONS = ("edit", "insert", "delete", "misdeal", "set", "position")


class Screen:
    """What is printed, and what is asked, about one session."""

    def __init__(self, session: Session, effort: Effort, automatic: bool, players: Players | None = None) -> None:
        self.session, self.players, self.automatic = session, players, automatic
        self.thinker = Thinker(effort)
        self.prompt = Prompt(self.thinker.stop)
        self.console = tables.Output()
        self._announced = -1  # how many entries there were when the screen was drawn last
        questions = {"hint": self._hint, "why": self._why, "what": self._what_if}
        self.commands: dict[str, Callable[[str], None]] = {
            **{name: self._ended_by_ctrl_c(question) for name, question in questions.items()},
            "undo": self._undo, "redo": self._redo, "edit": self._edit, "insert": self._insert, "delete": self._delete,
            "misdeal": self._misdeal, "set": self._set, "position": self._position, "show": lambda rest: self.show(),
            "log": lambda rest: self.log(), "save": self._save, "help": lambda rest: self._help(),
            "?": lambda rest: self._list(self.session.now.mine.options),
        }  # fmt: skip

        if players is not None:  # against bots, there are no mistakes of others to put right
            for name in CORRECTIONS:
                del self.commands[name]

    def run(self) -> int:
        """Asks until the game is left; returns the exit status."""
        status = 0
        try:
            while self._turn():
                pass
        except EOFError:
            pass
        except KeyboardInterrupt:
            status = 130
        finally:
            self.thinker.stop()
        if self.session.writer is not None:
            self.console.print(f"The record is in {self.session.writer.path}.", soft_wrap=True)
        return status

    # One prompt.

    def _turn(self) -> bool:
        """One prompt and what is typed there, or what a bot or chance does; whether to go on."""
        with progress.bar("getting ready", delay=LONG):
            event = None if self.players is None else self.players.next_event(self.session)
            ask = self._ask()
            options = [] if event else self.session.now.mine.options_of(ask.seat)
        if event is not None:
            self._enter(event)
            return True
        self._announce(ask, options)
        if self.prompt.on_terminal:
            self.thinker.start(self.session.now.mine)
        typed = self.prompt.ask(
            self._question(ask, len(options)), [*(option.text for option in options), *self.commands]
        )
        self.thinker.stop()
        try:
            return self._obey(typed, options)
        except OSError as error:
            problem = files.problem(error)
        except ValueError as error:
            problem = self.session.why_not(error)
        self.console.print(f"[bold red]No[/]: {_escaped(problem)}", soft_wrap=True)
        return True

    def _obey(self, typed: str, options: Sequence[Option]) -> bool:
        if not typed:
            if len(options) != 1:
                return True
            typed = options[0].text
        word, _, rest = typed.partition(" ")
        if typed.lower() not in [option.key for option in options]:
            word = SHORT.get(word.lower(), word.lower())
            if word == "quit":
                return False
            if word in self.commands:
                self.commands[word](rest.strip())
                return True
        self._enter(self.session.recognize(typed))
        return True

    def _enter(self, event: Event) -> None:
        with progress.bar("getting ready", delay=LONG):
            moment = self.session.enter(event)
        number = len(self.session.entries)
        for noticed in moment.noticed:
            self.console.print(f"{number:>4}  {_escaped(self._line(noticed))}", soft_wrap=True)

    def _ask(self) -> Ask:
        """What is to be entered next: the own choice before those of others."""
        known, me = self.session.now.known, self.session.header.me
        if known.ask.kind == "choice" and me not in known.choices:
            return Ask("choice", me)
        return known.ask

    def _announce(self, ask: Ask, options: Sequence[Option]) -> None:
        """The board at every own decision and at the end, the possibilities if they are few, hints where wanted."""
        count = len(self.session.moments)
        mine = ask.seat == self.session.header.me and ask.kind in ("move", "choice")
        if self._announced == count:
            return
        if mine or ask.kind == "over":
            self.show()
        self._announced = count
        if ask.kind == "over":
            returns = self.session.now.known.state.returns()
            self.console.print("Over: " + "  ".join(f"{n} {r:g}" for n, r in zip(self._names(), returns, strict=True)))
            return
        if len(options) <= FEW:
            self._list(options)
        if mine and self.automatic:
            self.commands["hint"]("")

    def _question(self, ask: Ask, possible: int) -> str:
        number, name = len(self.session.moments), "" if ask.seat is None else self._names()[ask.seat]
        you = ask.seat == self.session.header.me
        what = {
            "lot": "what happens",
            "deal": ask.question,
            "choice": "you choose" if you else f"what {name} has chosen",
            "show": f"what {name} turns up",
            "move": "your move" if you else f"what {name} does",
            "over": "the game is over",
        }[ask.kind]
        more = f" ({possible}, ? lists them)" if possible > FEW else ""
        return f"{number:>4}  {what}{more}: "

    # Printing.

    def _names(self) -> tuple[str, ...]:
        return self.session.header.names

    def _line(self, event: Event) -> str:
        text = "has chosen" if event.text == HIDDEN else event.text
        return self.session.header.line(Event(event.who, self.session.named(text)))

    def _list(self, options: Sequence[Option]) -> None:
        """Options in columns, key first."""
        told = []
        for option in options:
            text = self.session.named(option.text)
            told.append(Text.assemble((option.key, "bold"), f"  {text}"))
        self.console.print(Columns(told, padding=(0, 3), column_first=True))

    def show(self) -> None:
        """Prints the board."""
        mine = self.session.now.mine
        self.console.print()
        self.console.print("  ".join(f"P{seat} {name}" for seat, name in enumerate(self._names())), style="dim")
        self.console.print(mine.game.words.draw(mine.record[0], mine.game.c, mine.viewer))
        self.console.print()

    def log(self) -> None:
        """Prints all entries."""
        for number, moment in enumerate(self.session.moments[1:], 1):
            for noticed in moment.noticed:
                self.console.print(f"{number:>4}  {_escaped(self._line(noticed))}", soft_wrap=True)

    def _help(self) -> None:
        self.console.print(HELP + (AT_A_TABLE if self.players is None else AGAINST_BOTS), markup=False)

    # Commands about the decision.

    def _advice(self) -> solvers.Advice:
        ask = self._ask()
        if ask.seat != self.session.header.me or ask.kind not in ("move", "choice"):
            raise ValueError("hints are for your own decisions, and this is none")
        with progress.bar("thinking") as report:
            return self.thinker.advise(self.session.now.mine.view, report)

    def _ended_by_ctrl_c(self, question: Callable[[str], None]) -> Callable[[str], None]:
        """`question`, which changes nothing, so that Ctrl-C need not end more."""

        def answer(rest: str) -> None:
            try:
                question(rest)
            except KeyboardInterrupt:
                self.console.print("Interrupted.")

        return answer

    def _hint(self, rest: str) -> None:
        advice = self._advice()
        tables.print_advice(replace(advice, moves=advice.moves[:TOP]))

    def _why(self, rest: str) -> None:
        advice = self._advice()
        for move in advice.moves[:TOP]:
            value = "" if move.value is None else f"{move.value:.3f}"
            self.console.print(f"[bold]{_escaped(move.text)}[/]  {value}", soft_wrap=True)
            if move.line:
                self.console.print(f"      {_escaped(self.session.named(' · '.join(move.line)))}", soft_wrap=True)
        self._print_outlook(advice.moves[0].actions)

    def _what_if(self, rest: str) -> None:
        rest = rest.removeprefix("if ")
        ask = self._ask()
        if ask.seat != self.session.header.me:
            raise ValueError("what if is for your own decisions, and this is none")
        text = self.session.recognize(rest).text
        self.session.now.known.after(ask.seat, text)  # which says why, if it cannot be
        options = self.session.now.mine.options_of(ask.seat)
        self._print_outlook(next(option.actions for option in options if option.text == text))

    def _print_outlook(self, actions: tuple[int, ...]) -> None:
        """What may come of the first move that begins with `actions`."""
        view = self.session.now.mine.view
        move = next(move for move in view.moves() if move.actions[: len(actions)] == actions)
        found = outlook.outlook(view, move, self.thinker.effort.seed)
        self.console.print(
            f"After {_escaped(move.text)}: {found.value:.3f} ({found.low:.3f} to {found.high:.3f}, "
            f"{found.worlds} worlds looked into)", soft_wrap=True,
        )  # fmt: skip
        for answer in found.answers[:3]:
            said = f"  fears {self._names()[answer.seat]}: {self.session.named(answer.text)}"
            self.console.print(f"{_escaped(said)} (in {answer.times}: {answer.value:.3f})", soft_wrap=True)

    # Commands about the entries.

    def _undo(self, rest: str) -> None:
        number = _number(rest or "1")
        if self.players is not None:
            number = self.players.entries_back(self.session, number)
        self.session.undo(number)
        self._changed()

    def _redo(self, rest: str) -> None:
        self.session.redo(_number(rest or "1") if self.players is None else len(self.session.undone))
        self._changed()

    def _edit(self, rest: str) -> None:
        number, event = self._at(rest)
        self.session.edit(number, event)
        self._changed()

    def _insert(self, rest: str) -> None:
        number, event = self._at(rest)
        self.session.insert(number, event)
        self._changed()

    def _at(self, rest: str) -> tuple[int, Event]:
        word, _, typed = rest.partition(" ")
        number = _number(word)
        return number, self.session.recognize(typed, number)

    def _delete(self, rest: str) -> None:
        self.session.delete(_number(rest))
        self._changed()

    def _misdeal(self, rest: str) -> None:
        self.session.undo(self.session.since_deal())
        self._changed()

    def _set(self, rest: str) -> None:
        name, value = record.rule(rest)
        self.session.set_rule(name, value)
        self._changed()

    def _position(self, rest: str) -> None:
        self._enter(Event(record.POSITION, json.dumps(games.read(rest))))
        self.show()

    def _save(self, rest: str) -> None:
        if not rest:
            raise ValueError("save: expected the name of a new file")
        self.session.save_as(rest)
        self.console.print(f"Saved; the record goes on in {_escaped(rest)}.", soft_wrap=True)

    def _changed(self) -> None:
        self._announced = -1
        entries = self.session.entries
        last = f"the last of them {_escaped(self._line(self.session.now.noticed[-1]))}" if entries else "none"
        if self.session.now.noticed or not entries:
            self.console.print(f"Now {len(entries)} entries, {last}.", soft_wrap=True)


def _escaped(text: str) -> str:
    return text.replace("[", "\\[")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ValueError(f"expected the number of an entry, got {text[:20]!r}")
    return int(text)
