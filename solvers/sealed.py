"""Files of arrays under a header, sealed by a checksum: what solvers keep on disk.

All numbers are little-endian. Nothing in such a file is ever executed.

| bytes | what |
|---|---|
| 8 | the kind of the file, `VOYAGEUR` (a policy) or `VOYTRAIN` (a training under way) |
| 4 | version, uint32: 1 |
| 4 | length H of the header, uint32 |
| H | header: one JSON object in UTF-8, its fields those of the kind |
| | the arrays of the kind, one after another, with the lengths that the header says |
| 32 | BLAKE2b digest (32 bytes) of all that is before it |
"""

import hashlib
import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voyageur.games.words import shown

VERSION = 1
HEAD = struct.Struct("<8sII")
DIGEST = 32
MOST_HEADER = 1 << 16

Layout = Sequence[tuple[str, str, int]]  # (name, type, length) of each array


class SealedError(ValueError):
    """A file that is not what it should be; prints as one line."""


def write(path: str | os.PathLike[str], kind: bytes, header: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> None:
    """Writes a file: whole, or not at all, whatever happens meanwhile."""
    text = json.dumps(header).encode()
    digest = hashlib.blake2b(digest_size=DIGEST)
    replacement = Path(f"{os.fspath(path)}.{os.getpid()}.part")
    try:
        with open(replacement, "wb") as file:
            for part in (HEAD.pack(kind, VERSION, len(text)), text, *(array.tobytes() for array in arrays)):
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        os.replace(replacement, path)
    finally:
        replacement.unlink(missing_ok=True)


def kind_of(path: str | os.PathLike[str]) -> bytes:
    """How a file begins, which tells its kind; nothing where there is no file."""
    try:
        with open(path, "rb") as file:
            return file.read(8)
    except FileNotFoundError:
        return b""


def read(
    path: str, kind: bytes, fields: Mapping[str, type], layout: Callable[[dict[str, Any]], Layout], what: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays by name of a file of `kind`, which is called `what` in complaints.

    `fields` says the type of each field of the header: str, bool, int (from 0), float (finite), or NoneType for a
    float that may be null. Raises SealedError, in one line, for what is none, and OSError as usual.
    """
    data = Path(path).read_bytes()
    if data[:8] != kind or len(data) < HEAD.size:
        raise SealedError(f"{what}: {path}: no {what} (voyageur solve makes them)")
    _, version, length = HEAD.unpack_from(data)
    if version != VERSION:
        raise SealedError(f"{what}: {path}: version {version}, expected {VERSION}")
    if hashlib.blake2b(data[:-DIGEST], digest_size=DIGEST).digest() != data[-DIGEST:]:
        raise SealedError(f"{what}: {path}: truncated or damaged (the checksum does not fit)")
    try:
        header = _header(data[HEAD.size : HEAD.size + length], fields)
    except ValueError as error:
        raise SealedError(f"{what}: {path}: header: {error}") from None
    arrays, at = layout(header), HEAD.size + length
    expected = at + sum(np.dtype(type_).itemsize * n for _, type_, n in arrays) + DIGEST
    if len(data) != expected:
        raise SealedError(f"{what}: {path}: {len(data)} bytes, expected {expected} by its header")
    found = {}
    for name, type_, n in arrays:
        found[name] = np.frombuffer(data, type_, n, at).astype(type_[1:])
        at += found[name].nbytes
    return header, found


def _header(data: bytes, fields: Mapping[str, type]) -> dict[str, Any]:
    try:
        found = json.loads(data) if len(data) <= MOST_HEADER else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.keys() != fields.keys():
        raise ValueError(f"expected an object with {', '.join(fields)}")
    for name, type_ in fields.items():
        value = found[name]
        if type_ is str and not isinstance(value, str):
            raise ValueError(f"{name}: expected a text, got {shown(value)}")
        if type_ is bool and not isinstance(value, bool):
            raise ValueError(f"{name}: expected true or false, got {shown(value)}")
        if type_ is int and not (type(value) is int and 0 <= value < 1 << 53):
            raise ValueError(f"{name}: expected a whole number from 0, got {shown(value)}")
        number = type(value) in (int, float) and abs(value) < float("inf")
        if (type_ is float and not number) or (type_ is type(None) and not (number or value is None)):
            raise ValueError(f"{name}: expected a number{'' if type_ is float else ' or null'}, got {shown(value)}")
    return found
