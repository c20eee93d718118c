"""Policies in files: what to do at every information set, found once by a solver and played ever after.

The file (all numbers little-endian):

| bytes | what |
|---|---|
| 8 | `VOYAGEUR` |
| 4 | version, uint32: 1 |
| 4 | length H of the header, uint32 |
| H | header: one JSON object in UTF-8 with exactly the fields of `Header` |
| 8 I | `keys`, uint64, ascending: the information sets, by a fingerprint of all that the player has noticed and done |
| 8 I | `seen`, uint64: what the player then sees, by the game's `information_key` |
| 8 I | `weights`, float64: how likely the set is to be met, up to one factor |
| 4 I | `sizes`, uint32: number of actions of each set, A together |
| 4 A | `actions`, int32: OpenSpiel's actions, set after set |
| 8 A | `probs`, float64: their probabilities |
| 32 | BLAKE2b digest (32 bytes) of all that is before it |

Nothing in it is ever executed. Where `recall` is false, sets are told apart only by what is seen at the moment, and
`keys` and `seen` are the same.
"""

import functools
import hashlib
import json
import math
import os
import struct
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from voyageur.games.words import shown
from voyageur.solvers import cfr
from voyageur.solvers.flatten import Flat

MAGIC, VERSION = b"VOYAGEUR", 1
HEAD = struct.Struct("<8sII")
DIGEST = 32
MOST_HEADER = 1 << 16


class PolicyError(ValueError):
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
        ordered = self.seen[self._by_seen]
        first, end = (
            np.searchsorted(ordered, np.uint64(seen), "left"),
            np.searchsorted(ordered, np.uint64(seen), "right"),
        )
        found = self._by_seen[first:end].tolist()
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


def _layout(header: Header) -> list[tuple[str, str, int]]:
    """The arrays of a file in order: (name, type, length)."""
    n, m = header.sets, header.actions
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
    header = json.dumps(asdict(policy.header)).encode()
    parts = [HEAD.pack(MAGIC, VERSION, len(header)), header]
    for name, kind, _ in _layout(policy.header):
        parts.append(getattr(policy, name).astype(kind).tobytes())
    digest = hashlib.blake2b(digest_size=DIGEST)
    replacement = Path(f"{os.fspath(path)}.{os.getpid()}.part")
    try:
        with open(replacement, "wb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
        os.replace(replacement, path)
    finally:
        replacement.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> Policy:
    """The policy in a file; raises PolicyError, in one line, for what is none, and OSError as usual."""
    status = os.stat(path)
    return _read(os.fspath(path), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Policy:
    data = Path(path).read_bytes()

    def fail(problem: str) -> PolicyError:
        return PolicyError(f"policy: {path}: {problem}")

    if data[:8] != MAGIC or len(data) < HEAD.size:
        raise fail("not a policy file (voyageur solve makes them)")
    _, version, length = HEAD.unpack_from(data)
    if version != VERSION:
        raise fail(f"version {version}, expected {VERSION}")
    if hashlib.blake2b(data[:-DIGEST], digest_size=DIGEST).digest() != data[-DIGEST:]:
        raise fail("truncated or damaged (the checksum does not fit)")
    header = _header(data[HEAD.size : HEAD.size + length], fail)
    layout, at = _layout(header), HEAD.size + length
    expected = at + sum(np.dtype(kind).itemsize * n for _, kind, n in layout) + DIGEST
    if len(data) != expected:
        raise fail(f"{len(data)} bytes, expected {expected} by its header")
    arrays = {}
    for name, kind, n in layout:
        arrays[name] = np.frombuffer(data, kind, n, at).astype(kind[1:])
        at += arrays[name].nbytes
    policy = Policy(header, **arrays)
    _check(policy, fail)
    return policy


def _header(data: bytes, fail: Any) -> Header:
    try:
        found = json.loads(data) if len(data) <= MOST_HEADER else None
    except (ValueError, RecursionError):
        found = None
    names = [field.name for field in fields(Header)]
    if not isinstance(found, dict) or sorted(found) != sorted(names):
        raise fail(f"header: expected an object with {', '.join(names)}")
    for name in ("game", "algorithm"):
        if not isinstance(found[name], str):
            raise fail(f"header: {name}: expected a text, got {shown(found[name])}")
    for name in ("iterations", "sets", "actions"):
        if type(found[name]) is not int or not 0 <= found[name] < 1 << 53:
            raise fail(f"header: {name}: expected a whole number from 0, got {shown(found[name])}")
    if not isinstance(found["recall"], bool):
        raise fail(f"header: recall: expected true or false, got {shown(found['recall'])}")
    gap = found["nash_conv"]
    if gap is not None and not (type(gap) in (int, float) and math.isfinite(gap)):
        raise fail(f"header: nash_conv: expected a number or null, got {shown(gap)}")
    return Header(**found)


def _check(policy: Policy, fail: Any) -> None:
    """Raises for arrays that do not make a policy."""
    if (policy.keys[1:] <= policy.keys[:-1]).any():
        raise fail("keys: expected ascending ones")
    if (policy.sizes == 0).any() or policy.sizes.sum(dtype=np.uint64) != policy.header.actions:
        raise fail(f"sizes: expected numbers from 1 that add up to {policy.header.actions}")
    if not (np.isfinite(policy.weights) & (policy.weights >= 0)).all():
        raise fail("weights: expected numbers from 0")
    with np.errstate(invalid="ignore"):
        sums = np.add.reduceat(policy.probs, policy._starts[:-1]) if len(policy.sizes) else np.ones(0)
        if not (policy.probs >= 0).all() or not (np.abs(sums - 1) < 1e-6).all():
            raise fail("probs: expected probabilities that add up to 1 at each set")


def for_game(path: str, game: Any) -> Policy:
    """The policy in a file, which has to be one for `game`; raises as `read`, and if it is for another game."""
    if not path:
        raise PolicyError("policy: expected a file made by voyageur solve, as in cfr:policy=FILE")
    try:
        policy = read(path)
    except OSError as error:
        raise PolicyError(f"policy: {path}: {error.strerror}") from None
    if policy.header.game != str(game):
        raise PolicyError(f"policy: {path} is for {policy.header.game}, not for {game}")
    return policy
