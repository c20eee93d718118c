"""The words: parameters, texts, and positions read and written."""

from collections.abc import Mapping

import numpy as np

from nim.rules import CONSTANTS, MOST, STATE
from voyageur.games.rules import Record
from voyageur.games.words import Field, Info, Position, Reading, Value, Words, whole


class Heap(Words):
    """A position is `{game: nim_heap, stones: 12, to_act: 1}`, with `params` where they differ from the defaults."""

    parameters = (whole("stones", 21, 1, 1000, in_position=False), whole("most", 3, 1, MOST))

    def constants(self, params: Mapping[str, Value]) -> np.ndarray:
        """The parameters."""
        return np.array([(params["stones"], params["most"])], CONSTANTS)

    def setup(self, s: np.ndarray, c: np.ndarray) -> None:
        """All stones, seat 0 to move."""
        s["stones"], s["player"] = c["stones"], 0

    def info(self, params: Mapping[str, Value]) -> Info:
        """The figures for OpenSpiel."""
        return Info(
            players=2,
            num_actions=int(params["most"]),
            max_chance_outcomes=0,
            max_game_length=int(params["stones"]),
            max_chance_nodes=0,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            hides=False,
            simultaneous=False,
        )

    def action_text(self, s: Record, c: Record, player: int, action: int) -> str:
        """`take 2`."""
        return f"take {action + 1}"

    def public_text(self, s: Record, c: Record) -> str:
        """All that there is to see."""
        return f"{s['stones']} stones, P{s['player']} to move"

    def private_text(self, s: Record, c: Record, player: int) -> str:
        """Nothing is hidden."""
        return ""

    def event_text(self, before: Record, after: Record, c: Record, actions: Mapping[int, int], player: int) -> str:
        """Everybody sees every move."""
        return " ".join(f"P{seat} {self.action_text(before, c, seat, action)}." for seat, action in actions.items())

    def public_tensors(self, s: Record, c: Record) -> dict[str, np.ndarray]:
        """The part of the stones that is left, and whose turn it is."""
        return {"heap": np.array([s["stones"] / c["stones"], s["player"]], np.float32)}

    def private_tensors(self, s: Record, c: Record, player: int) -> dict[str, np.ndarray]:
        """Nothing is hidden."""
        return {}

    def read(self, position: Field) -> Reading:
        """Reads a position."""
        given = position.object(["game", "params", "viewer", "stones", "to_act"])
        params: dict[str, Value] = {p.name: p.default for p in self.parameters}
        if "params" in given:
            of_game = given["params"].object(["most"])
            params["most"] = of_game["most"].integer(1, MOST) if "most" in of_game else params["most"]
        record = np.zeros(1, STATE)
        record["stones"] = given["stones"].integer(0, 1000)
        record["player"] = given["to_act"].integer(0, 1) if "to_act" in given else 0
        params["stones"] = max(1, int(record["stones"][0]))
        viewer = given["viewer"].integer(0, 1) if "viewer" in given else None
        return Reading(params, record, viewer, hides=False)

    def write(self, s: Record, c: Record, viewer: int | None) -> Position:
        """Writes a position."""
        return {"stones": int(s["stones"]), "to_act": int(s["player"])}
