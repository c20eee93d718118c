"""Questions of other programs, answered: one engine behind a line protocol and behind HTTP.

`queries` says what can be asked, `situations` where a question stands, `schedule` whose turn it is, `core` answers;
`lines` and `http` are the two faces. Nothing here is compiled.
"""

from voyageur.solvers.engine.core import Engine
from voyageur.solvers.engine.lines import Lines
from voyageur.solvers.engine.queries import Query
from voyageur.solvers.engine.schedule import QueueFull

__all__ = ["Engine", "Lines", "Query", "QueueFull"]
