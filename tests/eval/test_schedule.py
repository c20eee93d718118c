"""Who meets whom, where, and on which luck."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voyageur.eval import schedule

FORMS = st.sampled_from(schedule.FORMATS)
SEATINGS = st.sampled_from(schedule.SEATINGS)


@given(FORMS, st.integers(2, 5), st.integers(2, 5), st.integers(1, 60), SEATINGS, st.integers(0, 2**40))
def test_fairness(form: str, entrants: int, players: int, games: int, seatings: str, seed: int) -> None:
    """Within each block everybody sits in every seat equally often, and no game is there twice; tables meet equally."""
    found = list(schedule.pairings(form, entrants, players, games, seatings, seed))
    assert len(found) >= games
    assert [pairing.number for pairing in found] == list(range(len(found)))
    blocks: dict[int, list[tuple[int, ...]]] = {}
    for pairing in found:
        blocks.setdefault(pairing.block, []).append(pairing.seating)
    assert list(blocks) == list(range(len(blocks)))
    for seatings_of in blocks.values():
        assert len({tuple(sorted(seating)) for seating in seatings_of}) == 1
        assert len(set(seatings_of)) == len(seatings_of)
        for seat in range(players):
            taken = Counter(seating[seat] for seating in seatings_of)
            table = Counter(seatings_of[0])
            assert all(taken[entrant] * players == len(seatings_of) * table[entrant] for entrant in table)
    met = Counter(tuple(sorted(seatings_of[0])) for seatings_of in blocks.values())
    assert set(met) == {tuple(sorted(table)) for table in schedule.tables(form, entrants, players)}
    assert len(set(met.values())) == 1


@pytest.mark.parametrize(
    ("form", "entrants", "players", "tables"),
    [
        ("round-robin", 3, 2, [(0, 1), (0, 2), (1, 2)]),
        ("round-robin", 2, 3, [(0, 0, 1), (0, 1, 1)]),
        ("round-robin", 2, 4, [(0, 0, 1, 1)]),
        ("round-robin", 4, 3, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]),
        ("gauntlet", 3, 2, [(0, 1), (0, 2)]),
        ("gauntlet", 3, 4, [(0, 1, 1, 1), (0, 2, 2, 2)]),
    ],
)
def test_tables(form: str, entrants: int, players: int, tables: list[tuple[int, ...]]) -> None:
    """Groups that meet."""
    assert schedule.tables(form, entrants, players) == tables


def test_seeds() -> None:
    """They depend on seed, block and seat, and on nothing else."""
    chance, bots = schedule.seeds(1, 2, 3)
    again, more = schedule.seeds(1, 2, 4)
    assert chance.entropy == again.entropy and bots == more[:3]
    others = [schedule.seeds(1, 3, 3), schedule.seeds(2, 2, 3)]
    drawn = [chance.generate_state(2).tolist(), *(other.generate_state(2).tolist() for other, _ in others)]
    assert len({tuple(state) for state in drawn}) == 3
    assert len({*bots, *others[0][1], *others[1][1]}) == 9
