"""Weights of evaluations: a `weights.json` beside each game's rules, which `voyageur tune` makes from self-play."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

FILE = "weights.json"


def weights(module: str, features: Sequence[str]) -> np.ndarray:
    """The weights [F] of `features`, by their names, from the file beside `module` (its `__file__`).

    A feature without one weighs nothing yet.
    """
    found = json.loads((Path(module).parent / FILE).read_text())["weights"]
    return np.array([found.get(name, 0.0) for name in features])
