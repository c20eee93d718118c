"""Who meets whom in which seat, and on which luck: the whole tournament as a list of games, made from its seed.

A *block* is one draw of everything that chance decides (deals, set-up, who begins), played once from each of several
seatings of the same entrants, so that the luck of the draw falls on all of them alike (duplicate games). Blocks are
independent of each other; games of one block are not, so statistics are taken over blocks.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

FORMATS = ("round-robin", "gauntlet")
SEATINGS = ("balanced", "all")


@dataclass(frozen=True)
class Pairing:
    """One game of a tournament.

    Attributes:
      number: of the game, from 0.
      block: of the games on the same luck, from 0.
      seating: the number of the entrant in each seat.
    """

    number: int
    block: int
    seating: tuple[int, ...]


def tables(form: str, entrants: int, players: int) -> list[tuple[int, ...]]:
    """The groups of entrants that meet, by their numbers.

    `round-robin`: every group of `players` different entrants; where there are fewer entrants than players, every
    group that holds each as equally often as can be. `gauntlet`: the first entrant alone against each of the others,
    who fills all other seats.
    """
    if form == "gauntlet":
        return [(0, *[other] * (players - 1)) for other in range(1, entrants)]
    each, extra = divmod(players, entrants)
    groups = itertools.combinations(range(entrants), extra if each else players)
    return [tuple(sorted(each * tuple(range(entrants)) + group)) for group in groups]


def pairings(form: str, entrants: int, players: int, games: int, seatings: str, seed: int) -> Iterator[Pairing]:
    """At least `games` games, in order: whole blocks, and as many for every table.

    `seatings`: `all` different orders of a table, or a `balanced` sample, a drawn order and its rotations, in which
    everybody sits in each seat equally often.
    """
    number = block = 0
    groups = tables(form, entrants, players)
    while number < games:
        for group in groups:
            for seating in _orders(group, seatings, np.random.default_rng([seed, block, players])):
                yield Pairing(number, block, seating)
                number += 1
            block += 1


def _orders(group: tuple[int, ...], seatings: str, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if seatings == "all":
        return sorted(set(itertools.permutations(group)))
    order = tuple(rng.permutation(group).tolist())
    # A rotation may give the order again (ABAB), and the same seating on the same luck is the same game.
    return list(dict.fromkeys(order[i:] + order[:i] for i in range(len(order))))


def seeds(seed: int, block: int, players: int) -> tuple[np.random.SeedSequence, list[int]]:
    """(the seed of all that chance decides in a block, the seeds of the bots by seat)."""
    chance = np.random.SeedSequence([seed, block, 0])
    bots = [np.random.SeedSequence([seed, block, 1 + seat]) for seat in range(players)]
    return chance, [int(bot.generate_state(1, np.uint32)[0]) for bot in bots]
