"""Files that people hand us, YAML or JSON, read safely and with the place of every mistake; and YAML for people."""

import json
import os
from collections.abc import Sequence
from typing import IO, Any

import yaml

from voyageur.games.words import PositionError, key_text, one_line, shown

MAX_FILE_BYTES = 256 * 1024


class _Loader(yaml.SafeLoader):
    """Safe YAML, except that a key given twice is an error instead of a silent choice.

    Explicit tags and merge keys (`<<`) are errors too: no position needs them, and a small file can make them grow
    beyond all bounds, or trip the loader.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if getattr(event, "tag", None):
            line = event.start_mark.line + 1
            raise PositionError("file", f"line {line}: tags like {shown(event.tag)} are not allowed")
        return super().compose_node(parent, index)

    def flatten_mapping(self, node: Any) -> None:
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                raise PositionError("file", f"line {key_node.start_mark.line + 1}: merge keys (<<) are not allowed")

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys: set[Any] = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key in keys and key is not None:
                raise PositionError(key_text(key), f"given twice (line {key_node.start_mark.line + 1})")
            keys.add(key)
        return super().construct_mapping(node, deep)


def no_twins(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, for `object_pairs_hook`; raises PositionError for a key given twice."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise PositionError(key_text(key), "given twice")
        result[key] = value
    return result


def problem(error: OSError) -> str:
    """What went wrong with which file, in one line."""
    return str(error) if error.filename is None else f"{error.filename or repr('')}: {error.strerror}"


def read_text(source: str | os.PathLike[str] | IO[Any]) -> str:
    """The text of a file, by its path or open; raises PositionError for one too long or not UTF-8, and OSError."""
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file:
            data: Any = file.read(MAX_FILE_BYTES + 1)
    else:
        data = source.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise PositionError("file", f"longer than {MAX_FILE_BYTES // 1024} KiB, which nothing here is")
    try:
        return data.decode("utf-8-sig") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        raise PositionError("file", f"not UTF-8 text (byte {error.start + 1})") from None


def parse(text: str, expected: str) -> dict[str, Any]:
    """The object that `text` (YAML or JSON) says; raises PositionError, with the line or with what was `expected`."""
    try:
        if text.lstrip().startswith("{"):
            try:
                return json.loads(text, object_pairs_hook=no_twins)
            except json.JSONDecodeError:
                pass  # YAML in flow style looks much the same
        loaded = yaml.load(text, _Loader)
    except RecursionError:
        raise PositionError("file", "nested too deeply") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = str(getattr(error, "problem", None) or "cannot be read")
        raise PositionError("file", f"neither YAML nor JSON ({where}{one_line(problem)[:120]})") from None
    except ValueError as error:
        if isinstance(error, PositionError):
            raise
        raise PositionError("file", f"a value cannot be read ({one_line(error)[:80]})") from None
    if not isinstance(loaded, dict):
        raise PositionError("file", f"expected {expected}, got {shown(loaded)}")
    return loaded


class _Dumper(yaml.SafeDumper):
    """Safe YAML in which texts of several lines stand as they are."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        node = super().represent_mapping(tag, mapping, flow_style)
        if any(value.style == "|" for _, value in node.value if isinstance(value, yaml.ScalarNode)):
            node.flow_style = False
        return node


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


def to_yaml(value: dict[str, Any]) -> str:
    """An object as YAML for people: block style outside, lists and small objects on one line."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True)
