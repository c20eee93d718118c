"""Games by what people write: ours and OpenSpiel's, checked before OpenSpiel sees them.

OpenSpiel itself would tell of a mistake in many lines on standard error.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyspiel

from voyageur import games
from voyageur.games.spiel import DEFINITIONS
from voyageur.games.words import shown
from voyageur.solvers import registry


def load(text: str) -> Any:
    """The game that `text` says as OpenSpiel writes it, `niagara(players=3)` or `kuhn_poker`.

    Raises ValueError, in one line, for a name or a parameter that there is not.
    """
    if text.count("(") != text.count(")") or ("(" in text and not text.endswith(")")):
        raise ValueError(f"game: expected NAME or NAME(parameter=value,...), got {shown(text)}")
    given = dict(pyspiel.game_parameters_from_string(text))
    return _load(given.pop("name", ""), given)


def load_with(name: str, params: Sequence[str]) -> Any:
    """The game `name` with parameters as texts `name=value`, as positions have them; raises ValueError likewise.

    Without such texts `name` may hold parameters itself, as for `load`.
    """
    if not params:
        return load(name)
    if "(" in name:
        raise ValueError("--param: the game says its parameters already")
    given: dict[str, Any] = {}
    for text in params:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ValueError(f"--param: expected NAME=VALUE, got {shown(text)}")
        given[key] = registry.value(value)
    return games.load(name, **given) if name in DEFINITIONS else _load(name, given)


def _load(name: str, given: Mapping[str, Any]) -> Any:
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        ours = ", ".join(games.names())
        raise ValueError(f"game: unknown game {shown(name)}; ours are {ours}, or any of OpenSpiel's")
    known = kinds[name].parameter_specification
    for key, value in given.items():
        if key not in known:
            raise ValueError(f"{key}: {name} has no such parameter; it has {', '.join(sorted(known)) or 'none'}")
        if type(known[key]) in (bool, int, str) and type(value) is not type(known[key]):
            raise ValueError(f"{key}: expected a value like {known[key]}, got {shown(value)}")
    low, high = kinds[name].min_num_players, kinds[name].max_num_players
    if not low <= given.get("players", low) <= high:
        raise ValueError(f"players: expected a whole number from {low} to {high}, got {shown(given['players'])}")
    try:
        return pyspiel.load_game(name, dict(given)) if given else pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        raise ValueError(f"game: {name} refuses its parameters: {str(error).splitlines()[0]}") from None
