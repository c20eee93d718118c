"""The line protocol: a query a line in, an answer a line out, both JSON; docs/protocol.md is its page."""

import json
import threading
from collections.abc import Iterator
from typing import IO, Any

from voyageur.games import PositionError
from voyageur.solvers.engine import queries
from voyageur.solvers.engine.core import Engine, failure


class Lines:
    """An engine that is asked on one binary stream and answers on another."""

    def __init__(self, engine: Engine, asked: IO[bytes], answers: IO[bytes]) -> None:
        self._engine, self._asked, self._answers = engine, asked, answers
        self._writing = threading.Lock()
        self._heard = True  # whether anybody still reads the answers

    def run(self) -> None:
        """Answers until the end of input, or until `quit`; what is queued then is answered first."""
        try:
            for line in self._lines():
                if not self._heard or self._answer(line) == "quit":
                    break
            self._engine.close()
        except BaseException:
            self._engine.stop_all()
            self._engine.close()
            raise

    def _lines(self) -> Iterator[bytes | None]:
        """The lines that are not empty; None in place of one that is too long."""
        while line := self._asked.readline(queries.MAX_BYTES + 1):
            if len(line) <= queries.MAX_BYTES:
                if line.strip():
                    yield line
                continue
            while line and not line.endswith(b"\n"):
                line = self._asked.readline(queries.MAX_BYTES)
            yield None

    def _answer(self, line: bytes | None) -> str | None:
        """Answers a line, or has it answered; the action that was asked for."""
        sent = None
        try:
            if line is None:
                raise PositionError("", f"the line is longer than {queries.MAX_BYTES} bytes")
            sent = queries.decode(line)
            query = queries.read(sent)
            self._engine.submit(query, self._send, source=query["session"], wait=True)
            return query.action
        except PositionError as error:
            self._send(refusal(queries.id_of(sent), error))
        except Exception as error:  # whatever it is, the next lines have to be answered
            self._send(failure(queries.id_of(sent), error))
        return None

    def _send(self, answer: dict[str, Any]) -> None:
        line = json.dumps(answer).encode() + b"\n"
        with self._writing:
            if not self._heard:
                return
            try:
                self._answers.write(line)
                self._answers.flush()
                return
            except (OSError, ValueError):  # closed at the other end, or at ours
                self._heard = False
        self._engine.stop_all()


def refusal(identity: str | int | None, error: PositionError) -> dict[str, Any]:
    """The answer to something that is wrong."""
    return {"id": identity, "error": str(error), "field": error.field or None}
