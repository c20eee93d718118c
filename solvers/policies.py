"""Policies in files: what to do at every information set, found once by a solver and played ever after.

The arrays of such a file (see `solvers.sealed` for what is around them), for I sets with A actions together:

| bytes | what |
|---|---|
| 8 I | `keys`, uint64, ascending: the information sets, by a fingerprint of all that the player has noticed and done |
| 8 I | `seen`, uint64: what the player then sees, by the game's `information_key` |
| 8 I | `weights`, float64: how likely the set is to be met, up to one factor |
| 4 I | `sizes`, uint32: number of actions of each set |
| 4 A | `actions`, int32: OpenSpiel's actions, set after set |
| 8 A | `probs`, float64: their probabilities |

Where the header's `recall` is false, sets are told apart only by what is seen at the moment, and `keys` and `seen` are
the same.
"""

import functools
import os
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from voyageur.solvers import cfr, sealed
from voyageur.solvers.flatten import Flat

KIND = b"VOYAGEUR"
FIELDS = {
    "game": str,
    "algorithm": str,
    "iterations": int,
    "nash_conv": type(None),
    "recall": bool,
    "sets": int,
    "actions": int,
}


class PolicyError(sealed.SealedError):
    """A file that is no policy, or not the one that is needed; prints as one line."""


@dataclass(frozen=True)
class Header:
    """What a policy is of.

    Attributes:
      game: the game with its parameters, as OpenSpiel writes them.
      algorithm, iterations: how it was found.
      nash_conv: how far it is from an equilibrium; None where that was not measured.
      recall: whether sets are told apart by all that the player has noticed, or only by what it sees now.
      sets, actions: how many information sets, and actions at all of them together.
    """

    game: str
    algorithm: str
    iterations: int
    nash_conv: float | None
    recall: bool
    sets: int
    actions: int


@dataclass(frozen=True, eq=False)
class Policy:
    """A policy: its header, and the arrays of the file (`probs` of each set adding up to 1)."""

    header: Header
    keys: np.ndarray
    seen: np.ndarray
    weights: np.ndarray
    sizes: np.ndarray
    actions: np.ndarray
    probs: np.ndarray

    @functools.cached_property
    def _starts(self) -> np.ndarray:
        return np.concatenate(([0], np.cumsum(self.sizes, dtype=np.int64)))

    @functools.cached_property
    def _by_seen(self) -> np.ndarray:
        return np.argsort(self.seen, kind="stable")

    def at(self, key: int) -> dict[int, float] | None:
        """Probabilities by action at the set `key`; None if the policy does not know it."""
        i = int(np.searchsorted(self.keys, np.uint64(key)))
        return self._at(i) if i < len(self.keys) and self.keys[i] == key else None

    def seeing(self, seen: int) -> dict[int, float] | None:
        """Probabilities by action where the player sees `seen`, whatever came before; None if that never happens.

        The average over all sets where it sees that, by how likely they are to be met.
        """
        order, key = self._by_seen, np.uint64(seen)
        first, end = (np.searchsorted(self.seen, key, side, sorter=order) for side in ("left", "right"))
        found = order[first:end].tolist()
        if not found:
            return None
        weights = self.weights[found] if self.weights[found].sum() > 0 else np.ones(len(found))
        mixed: dict[int, float] = {}
        for i, weight in zip(found, (weights / weights.sum()).tolist(), strict=True):
            for action, prob in self._at(i).items():
                mixed[action] = mixed.get(action, 0.0) + weight * prob
        return mixed

    def _at(self, i: int) -> dict[int, float]:
        start, end = self._starts[i], self._starts[i + 1]
        return dict(zip(self.actions[start:end].tolist(), self.probs[start:end].tolist(), strict=True))


def from_flat(flat: Flat, policy: np.ndarray, algorithm: str, iterations: int, nash_conv: float) -> Policy:
    """The policy [S] of a game laid flat."""
    order = np.argsort(flat.keys)
    sizes = np.diff(flat.form.first)[order]
    starts = flat.form.first[:-1][order]
    entries = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    header = Header(flat.game, algorithm, iterations, nash_conv, True, len(order), len(entries))
    weights = cfr.likelihood(flat, policy)[order]
    return Policy(header, flat.keys[order], flat.seen[order], weights, sizes, flat.actions[entries], policy[entries])


def _layout(header: dict[str, Any]) -> sealed.Layout:
    n, m = header["sets"], header["actions"]
    return [
        ("keys", "<u8", n),
        ("seen", "<u8", n),
        ("weights", "<f8", n),
        ("sizes", "<u4", n),
        ("actions", "<i4", m),
        ("probs", "<f8", m),
    ]


def write(policy: Policy, path: str | os.PathLike[str]) -> None:
    """Writes `policy` to `path`: whole, or not at all."""
    header = asdict(policy.header)
    arrays = [getattr(policy, name).astype(kind) for name, kind, _ in _layout(header)]
    sealed.write(path, KIND, header, arrays)


def read(path: str | os.PathLike[str]) -> Policy:
    """The policy in a file; raises SealedError, in one line, for what is none, and OSError as usual."""
    status = os.stat(path)
    return _read(os.fspath(path), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Policy:
    header, arrays = sealed.read(path, KIND, FIELDS, _layout, "policy")
    policy = Policy(Header(**header), **arrays)
    problem = _problem(policy)
    if problem:
        raise PolicyError(f"policy: {path}: {problem}")
    return policy


def _problem(policy: Policy) -> str | None:
    """Why the arrays do not make a policy, if they do not."""
    if (policy.keys[1:] <= policy.keys[:-1]).any():
        return "keys: expected ascending ones"
    if (policy.sizes == 0).any() or policy.sizes.sum(dtype=np.uint64) != policy.header.actions:
        return f"sizes: expected numbers from 1 that add up to {policy.header.actions}"
    if not (np.isfinite(policy.weights) & (policy.weights >= 0)).all():
        return "weights: expected numbers from 0"
    with np.errstate(invalid="ignore", over="ignore"):
        sums = np.add.reduceat(policy.probs, policy._starts[:-1]) if len(policy.sizes) else np.ones(0)
        if not (policy.probs >= 0).all() or not (np.abs(sums - 1) < 1e-6).all():
            return "probs: expected probabilities that add up to 1 at each set"
    return None


def for_game(path: str, game: Any) -> Policy:
    """The policy in a file, which has to be one for `game`; raises as `read`, and if it is for another game."""
    if not path or not isinstance(path, str | os.PathLike):
        raise PolicyError("policy: expected a file made by voyageur solve, as in cfr:policy=FILE")
    try:
        policy = read(path)
    except OSError as error:
        raise PolicyError(f"policy: {path}: {error.strerror}") from None
    if policy.header.game != str(game):
        raise PolicyError(f"policy: {path} is for {policy.header.game}, not for {game}")
    return policy
