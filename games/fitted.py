"""Weights of evaluations: a `weights.json` beside each game's rules, which `voyageur tune` makes from self-play."""

import json
from collections.abc import Sequence
from pathlib import Path

FILE = "weights.json"


def weights(module: str, features: Sequence[str]) -> dict[str, float]:
    """`features`, each with its weight from the file beside `module` (its `__file__`); a new one weighs nothing yet."""
    found = json.loads((Path(module).parent / FILE).read_text())["weights"]
    return {name: found.get(name, 0.0) for name in features}
