"""A frontend over `voyageur engine`: you play The Yellow House against it, or chance plays for you.

    python examples/frontend.py            you type the number of a move
    python examples/frontend.py --random   moves are drawn for you

The frontend keeps the whole position; the engine is asked as seat 1, and is then bound to what seat 1 can see.
"""

import argparse
import json
import random
import subprocess
import sys
from typing import Any

ENGINE = [sys.executable, "-m", "voyageur.cli.main", "engine"]


class Engine:
    """An engine in a process of its own, asked one question after another."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._asked = 0

    def ask(self, action: str, **fields: Any) -> dict[str, Any]:
        """The answer to a query; raises ValueError with the engine's own words where there is something wrong."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._asked += 1
        print(json.dumps({"id": self._asked, "action": action} | fields), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def close(self) -> None:
        """Lets the engine go."""
        self._process.communicate()


def choose(engine: Engine, position: dict[str, Any], by_chance: bool) -> str:
    """The move of seat 0: typed by a person who sees only what seat 0 can see, or drawn."""
    texts = [move["move"] for move in engine.ask("moves", position=position, viewer=0)["moves"]]
    if by_chance:
        return random.choice(texts)
    shown = engine.ask("apply", position=position, viewer=0)["position"]
    print(json.dumps(shown))
    while True:
        typed = input("  ".join(f"{i}: {text}" for i, text in enumerate(texts)) + "  > ")
        if typed.isdecimal() and int(typed) < len(texts):
            return texts[int(typed)]


def main() -> None:
    """Plays a match."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", action="store_true", help="draw your moves")
    parser.add_argument("--nodes", type=int, default=2000, help="simulations of the engine's moves")
    args = parser.parse_args()
    engine, limit = Engine(), {"nodes": args.nodes}
    now = engine.ask("new", game="yellowhouse")
    while now["to_act"] is not None:
        position = now["position"]
        chosen: dict[str, str] = {}
        if now["to_act"] in (0, "all"):
            chosen["0"] = choose(engine, position, args.random)
        if now["to_act"] in (1, "all"):
            chosen["1"] = engine.ask("move", position=position, viewer=1, limit=limit)["move"]
        print("  ".join(f"seat {seat}: {move}" for seat, move in chosen.items()))
        move = chosen if now["to_act"] == "all" else chosen[str(now["to_act"])]
        now = engine.ask("apply", position=position, moves=[move])
    engine.close()
    print("you won" if now["returns"][0] > 0 else "the engine won")


if __name__ == "__main__":
    main()
