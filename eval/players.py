"""Who makes the entries of a game against bots: the bots, chance, and the person, who is asked."""

from typing import Any

import numpy as np

from voyageur import games, solvers
from voyageur.eval.record import TABLE, Event, Header
from voyageur.eval.session import Session
from voyageur.games import rules
from voyageur.games.following import Known
from voyageur.games.rules import CHANCE

ME = "me"


class Players:
    """The bots and chance at a table whose record says everything."""

    def __init__(self, header: Header, limit: solvers.Limit, seed: int) -> None:
        """Raises ValueError for a solver that there is not, or that does not fit the game."""
        game = header.load()
        self._seed = seed
        self._people = {seat for seat, name in enumerate(header.plays) if name == ME}
        self._bots: dict[int, Any] = {
            seat: solvers.make_bot(name, game, seat, limit, seed + seat)
            for seat, name in enumerate(header.plays)
            if name != ME
        }

    def next_event(self, session: Session) -> Event | None:
        """What a bot or chance does next; None when a person is asked, or the game is over."""
        known = session.now.known
        ask = known.ask
        if ask.kind == "over" or (ask.seat is not None and ask.seat not in self._bots):
            return None
        if ask.kind == "choice" and self._people - known.choices.keys():
            return None  # nobody shall wait for bots before choosing
        if ask.seat is None:
            return Event(TABLE, _chance(known, np.random.default_rng([self._seed, len(session.entries)])))
        return Event(ask.seat, self._move(known, ask.seat))

    def entries_back(self, session: Session, decisions: int) -> int:
        """How many entries to take back to stand before the person's last `decisions` ones; raises ValueError."""
        own = [number for number, event in enumerate(session.entries) if event.seat == session.header.me]
        if not 1 <= decisions <= len(own):
            raise ValueError(f"expected a number from 1 to {len(own)}, the decisions made, got {decisions}")
        return len(session.entries) - own[-decisions]

    def _move(self, known: Known, seat: int) -> str:
        bot, state = self._bots[seat], known.state
        bot.restart_at(state)
        chain = [int(bot.step(state))]
        while known.ask.kind == "move":
            state.apply_action(chain[-1])
            if state.current_player() != seat or games.at_decision(state):
                break
            chain.append(int(bot.step(state)))
        return text_of(known, seat, tuple(chain))


def text_of(known: Known, seat: int, chain: tuple[int, ...]) -> str:
    """The text of a move; of another way to the same place, where only that is listed."""
    text = known.game.words.move_text(known.record[0], known.game.c, seat, chain)
    options = known.options_of(seat)
    if any(option.text == text for option in options):
        return text
    wanted = _after(known, chain)
    return next(option.text for option in options if _after(known, option.actions) == wanted)


def _after(known: Known, chain: tuple[int, ...]) -> bytes:
    record = known.record.copy()
    for action in chain:
        rules.apply_action(record[0], known.game.c, action)
    return record.tobytes()


def _chance(known: Known, rng: np.random.Generator) -> str:
    """A lot or a deal, drawn, as the text of an entry."""
    state, words = known.state, known.game.words
    bits = rules.make_rng(int(rng.integers(2**32)))
    while True:
        outcome = int(rules.sample_chance(state.box.s, known.game.c, bits))
        if known.ask.kind == "lot":
            return words.action_text(known.record[0], known.game.c, CHANCE, outcome)
        state.apply_action(outcome)
        if state.current_player() != CHANCE or games.at_decision(state):
            return known.game.definition.table.deal_text(known.record[0], state.box.s, known.game.c, None)
