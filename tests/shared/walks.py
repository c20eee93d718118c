"""What property tests share: how many examples, and random games on records alone."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from voyageur.games import rules
from voyageur.games.rules import CHANCE, SIMULTANEOUS, TERMINAL
from voyageur.games.spiel import Game, apply_step


def examples(number: int, passed_over: bool = False) -> settings:
    """So many examples, the same in every run, however slow the machine is.

    `passed_over`: also if most of what is drawn does not go together.
    """
    checks = [HealthCheck.too_slow, *([HealthCheck.filter_too_much] if passed_over else [])]
    return settings(max_examples=number, deadline=None, derandomize=True, database=None, suppress_health_check=checks)


class Walk:
    """A random game, from the beginning or from `start`: `record` changes as the walk goes on.

    `sensible`: by the policy of playouts, since uniform play seldom gets anywhere.
    """

    def __init__(self, game: Game, seed: int, sensible: bool = False, start: np.ndarray | None = None) -> None:
        self.game, self.c = game, game.c
        self.record = game.new_initial_state().box.record if start is None else start.copy()
        self.s = self.record[0]
        self.rng = rules.make_rng(seed)
        self.sensible = sensible
        self.out = np.zeros(game.rules.max_actions, np.int64)

    def player(self) -> int:
        """Who acts."""
        return int(rules.current_player(self.s, self.c))

    def actors(self) -> list[int]:
        """Everybody who acts, or CHANCE."""
        player = self.player()
        return list(range(self.game.num_players())) if player == SIMULTANEOUS else [player]

    def legal(self, player: int) -> list[int]:
        """The legal actions of a seat, or the outcomes of chance."""
        if player == CHANCE:
            probs = np.zeros(len(self.out))
            n = rules.chance_outcomes(self.s, self.c, self.out, probs)
            assert probs[:n].sum() == pytest.approx(1)
        else:
            n = rules.legal_actions(self.s, self.c, player, self.out)
        return self.out[:n].tolist()

    def choose(self, player: int) -> int:
        """A random one of them."""
        if player == CHANCE:
            return int(rules.sample_chance(self.s, self.c, self.rng))
        actions = np.array(self.legal(player), np.int64)
        if self.sensible:
            return int(rules.playout_action(self.s, self.c, player, actions, len(actions), self.rng))
        return int(actions[rules.random_below(self.rng, len(actions))])

    def step(self) -> dict[int, int]:
        """Plays on; what everybody did, by seat or CHANCE."""
        chosen = {actor: self.choose(actor) for actor in self.actors()}
        apply_step(self.s, self.c, chosen)
        return chosen

    def __iter__(self) -> Iterator[np.void]:
        """Every state of the game, the last included."""
        yield self.s
        while self.player() != TERMINAL:
            self.step()
            yield self.s
