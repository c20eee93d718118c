"""What came of a tournament: figures for programs, and a page for people."""

import html
import io
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from voyageur.eval import ratings
from voyageur.eval.arena import Outcome
from voyageur.eval.ratings import Blocks
from voyageur.eval.store import Store
from voyageur.eval.tournaments import Tournament, Trial

SHOWN_FORFEITS = 50


def summary(tournament: Tournament, store: Store, resamples: int = ratings.RESAMPLES) -> dict[str, Any]:
    """All figures of a tournament as plain objects; docs/tournaments.md explains them.

    Only whole blocks count. `resamples` are those of the bootstrap; without any there are no ratings.
    """
    outcomes = list(tournament.finished(store))
    counted, trial = tournament.counted(outcomes)
    names = list(tournament.config.entrants)
    blocks = Blocks.of(counted, len(names))
    found: dict[str, Any] = {
        "game": tournament.config.game,
        "players": tournament.players,
        "format": tournament.config.format,
        "seed": tournament.config.seed,
        "games": {"planned": len(tournament.pairings), "finished": len(outcomes), "counted": len(counted)},
        "blocks": len(blocks.tables),
        "entrants": [_entrant(tournament, counted, blocks, number) for number in range(len(names))],
        "cross": [[_against(blocks, one, other) for other in range(len(names))] for one in range(len(names))],
        "lengths": [sum(map(len, outcome.seconds)) for outcome in counted if outcome.forfeit is None],
        "forfeits": [
            {"game": o.number, "entrant": names[o.seating[o.forfeit]], "seat": o.forfeit, "reason": o.reason}
            for o in outcomes
            if o.forfeit is not None
        ],
    }
    if resamples and counted:
        found |= _rated(tournament, blocks, found["entrants"], resamples)
    if trial:
        found["sprt"] = _sprt(trial)
    return found


def times(tournament: Tournament, store: Store) -> dict[str, list[float]]:
    """Seconds of every decision, by entrant."""
    names = list(tournament.config.entrants)
    found: dict[str, list[float]] = {name: [] for name in names}
    for outcome in tournament.finished(store):
        for number, seconds in zip(outcome.seating, outcome.seconds, strict=True):
            found[names[number]] += seconds
    return found


def _entrant(tournament: Tournament, counted: list[Outcome], blocks: Blocks, number: int) -> dict[str, Any]:
    """The figures of one entrant."""
    name, spec = list(tournament.config.entrants.items())[number]
    seats = [
        (outcome, seat) for outcome in counted for seat in range(tournament.players) if outcome.seating[seat] == number
    ]
    table = [{"games": 0, "wins": 0.0} for _ in range(tournament.players)]
    seconds: list[float] = []
    for outcome, seat in seats:
        table[seat]["games"] += 1
        table[seat]["wins"] += ratings.shares(outcome)[seat]
        seconds += outcome.seconds[seat]
    found: dict[str, Any] = {"name": name, "spec": spec, "games": len(seats)}
    if seats:
        wins, played = blocks.wins[:, number], blocks.seats[:, number]
        low, high = ratings.share_interval(wins[played > 0], played[played > 0])
        found |= {
            "wins": float(wins.sum()),
            "share": float(wins.sum() / len(seats)),
            "low": low,
            "high": high,
            "mean_return": float(np.mean([outcome.returns[seat] for outcome, seat in seats])),
            "seats": table,
            "forfeits": sum(outcome.forfeit == seat for outcome, seat in seats),
            "seconds_a_decision": float(np.mean(seconds)) if seconds else None,
        }
    return found


def _against(blocks: Blocks, one: int, other: int) -> dict[str, float] | None:
    """How often `one` won where `other` took part, and the other way round."""
    if one == other:
        return None
    beats = blocks.beats.sum(axis=0)
    return {"wins": float(beats[one, other]), "losses": float(beats[other, one])}


def _rated(tournament: Tournament, blocks: Blocks, table: list[dict[str, Any]], resamples: int) -> dict[str, Any]:
    """Adds ratings to the entrants; returns what is said of two alone."""
    whole, drawn = ratings.ratings(blocks, resamples)
    for number, entrant in enumerate(table):
        low, high = ratings.interval(drawn[:, number], int((blocks.seats[:, number] > 0).sum()))
        entrant |= {"rating": float(whole[number]), "rating_low": _finite(low), "rating_high": _finite(high)}
    if len(table) != 2:
        return {}
    low, high = ratings.interval(drawn[:, 0] - drawn[:, 1], len(blocks.tables))
    margins = blocks.wins[:, 0] / blocks.seats[:, 0] - blocks.wins[:, 1] / blocks.seats[:, 1]
    pairs = Counter(np.round(blocks.scores(0), 4).tolist())
    return {
        "two": {
            "elo": float(whole[0] - whole[1]),
            "low": _finite(low),
            "high": _finite(high),
            "los": ratings.likelihood_of_superiority(margins),
            "pairs": [{"score": score, "blocks": pairs[score]} for score in sorted(pairs)],
        }
    }


def _sprt(trial: Trial) -> dict[str, Any]:
    low, high = trial.test.bounds
    return {
        "elo0": trial.test.elo0,
        "elo1": trial.test.elo1,
        "alpha": trial.test.alpha,
        "beta": trial.test.beta,
        "blocks": len(trial.scores),
        "llr": trial.ratio,
        "accept_elo0_below": low,
        "accept_elo1_above": high,
        "verdict": trial.verdict,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def page(found: dict[str, Any], seconds: Mapping[str, Sequence[float]]) -> str:
    """One self-contained HTML page of a `summary`; `seconds`: of every decision, by entrant."""
    counts = found["games"]
    names = [entrant["name"] for entrant in found["entrants"]]
    about = (
        f"{found['format']}, seed {found['seed']}: {counts['counted']:,} of {counts['planned']:,} games count, in "
        f"{found['blocks']:,} blocks. A block is one draw of luck, played from several seatings; intervals are of 95 %."
    )
    name = found["game"].split("(")[0]
    parts = [
        _heading(f"{name}, {found['players']} players", 1),
        _paragraph(about),
        _paragraph(found["game"]),
        _html_table(*standings(found)),
    ]
    parts += [_paragraph(line) for line in verdicts(found)]
    if counts["counted"]:
        if "rating" in found["entrants"][0]:
            parts += [_heading("Ratings"), _picture(_draw_ratings, found)]
        parts += [
            _heading("Cross table"),
            _paragraph("Games that the entrant of the row won with that of the column at the table, and the reverse."),
            _html_table(["", *names], cross(found)),
            _heading("Seats"),
            _html_table(["", *(f"seat {seat}" for seat in range(found["players"]))], seats(found)),
            _picture(_draw_seats, found),
            _heading("Length of the games"),
            _picture(_draw_lengths, found["lengths"]),
            _heading("Time for a decision"),
            _picture(_draw_times, seconds),
        ]
    if found["forfeits"]:
        rows = [[str(f["game"]), f["entrant"], str(f["seat"]), f["reason"]] for f in found["forfeits"][:SHOWN_FORFEITS]]
        parts += [
            _heading(f"Forfeits: {len(found['forfeits']):,}"),
            _html_table(["game", "entrant", "seat", "reason"], rows),
        ]
    return _PAGE.format(title=html.escape(f"Tournament: {name}"), body="\n".join(parts))


def _heading(text: str, level: int = 2) -> str:
    return f"<h{level}>{html.escape(text)}</h{level}>"


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def standings(found: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """(headings, rows) of the main table, the best first."""
    headings = ["entrant", "wins", "share", "95 %", "rating", "95 %", "return", "s/decision", "forfeits"]
    order = sorted(found["entrants"], key=lambda e: (-e.get("rating", e.get("share", 0.0)), -e.get("share", 0.0)))
    rows = []
    for e in order:
        if not e["games"]:
            rows.append([e["name"], "0 of 0", *[""] * (len(headings) - 2)])
            continue
        rated = ["", ""]
        if "rating" in e:
            rated = [f"{e['rating']:+.0f}", between(e["rating_low"], e["rating_high"], "+.0f")]
        took = "" if e["seconds_a_decision"] is None else f"{e['seconds_a_decision']:.3g}"
        wins = [f"{round(e['wins'], 3):.10g} of {e['games']}", f"{e['share']:.3f}", between(e["low"], e["high"], ".3f")]
        rows.append([e["name"], *wins, *rated, f"{e['mean_return']:.3f}", took, str(e["forfeits"])])
    return headings, rows


def cross(found: Mapping[str, Any]) -> list[list[str]]:
    """Rows of the cross table: games won, where the entrant of the column took part, to games that one won."""
    rows = []
    for entrant, cells in zip(found["entrants"], found["cross"], strict=True):
        texts = ["" if cell is None else f"{cell['wins']:.10g} : {cell['losses']:.10g}" for cell in cells]
        rows.append([entrant["name"], *texts])
    return rows


def seats(found: Mapping[str, Any]) -> list[list[str]]:
    """Rows of the seat table: games won of those played in each seat."""
    return [
        [entrant["name"], *(f"{seat['wins']:.10g} of {seat['games']}" for seat in entrant.get("seats", []))]
        for entrant in found["entrants"]
    ]


def verdicts(found: Mapping[str, Any]) -> list[str]:
    """What is to be said below the table, a line each."""
    lines = [_versus(found)] if "two" in found else []
    return lines + ([_verdict(found["sprt"])] if "sprt" in found else [])


def _versus(found: Mapping[str, Any]) -> str:
    """What is said of two entrants, in a line."""
    two, (one, other) = found["two"], found["entrants"]
    pairs = ", ".join(f"{pair['blocks']} at {pair['score']:g}" for pair in two["pairs"])
    return (
        f"{one['name']} against {other['name']}: Elo {two['elo']:+.0f} ({between(two['low'], two['high'], '+.0f')}), "
        f"likelihood of superiority {100 * two['los']:.1f} %; blocks by score: {pairs}."
    )


def _verdict(sprt: dict[str, Any]) -> str:
    """What a sequential test says, in a line."""
    said = f"{sprt['verdict']} accepted" if sprt["verdict"] else "undecided"
    return (
        f"SPRT, elo0 {sprt['elo0']:g}, elo1 {sprt['elo1']:g}, alpha {sprt['alpha']:g}, beta {sprt['beta']:g}: {said} "
        f"after {sprt['blocks']} blocks (log-likelihood ratio {sprt['llr']:.2f}, bounds "
        f"{sprt['accept_elo0_below']:.2f} and {sprt['accept_elo1_above']:.2f})."
    )


def between(low: float | None, high: float | None, form: str) -> str:
    """An interval in words; an end that nothing bounds is left open."""
    return f"{'?' if low is None else format(low, form)} to {'?' if high is None else format(high, form)}"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em; color: #222; }}
h2 {{ margin-top: 2em; font-size: 1.15em; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .3em .8em; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; }}
p {{ overflow-wrap: anywhere; }}
svg {{ max-width: 100%; height: auto; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def _html_table(headings: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}</table></div>'


def _picture(draw: Callable[[Any, Any], None], shown: Any, height: float = 3.2) -> str:
    """What `draw(axes, shown)` draws, as an SVG element."""
    # Text as text, and the same bytes for the same figures.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": draw.__name__, "font.size": 9}):
        figure = Figure(figsize=(8, height), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes, shown)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]


def _draw_ratings(axes: Any, found: Mapping[str, Any]) -> None:
    entrants = sorted(found["entrants"], key=lambda entrant: entrant.get("rating", 0.0))
    for row, entrant in enumerate(entrants):
        rating = entrant.get("rating", 0.0)
        ends = [entrant.get(end) for end in ("rating_low", "rating_high")]
        low, high = (rating if end is None else end for end in ends)
        axes.barh(row, rating, color="#9db7d5")
        axes.plot([low, high], [row, row], color="#222", linewidth=1.5)
    axes.axvline(0, color="#222", linewidth=0.8)
    axes.set_yticks(range(len(entrants)), [entrant["name"] for entrant in entrants])
    axes.set_xlabel("rating (Elo scale, 0 on average) and its 95 % interval")


def _draw_seats(axes: Any, found: Mapping[str, Any]) -> None:
    width = 0.8 / len(found["entrants"])
    for number, entrant in enumerate(found["entrants"]):
        shares = [seat["wins"] / seat["games"] if seat["games"] else 0.0 for seat in entrant.get("seats", [])]
        places = [seat + (number + 0.5) * width - 0.4 for seat in range(len(shares))]
        axes.bar(places, shares, width, label=entrant["name"])
    axes.axhline(1 / found["players"], color="#222", linewidth=0.8, linestyle=":")
    axes.set_xticks(range(found["players"]), [f"seat {seat}" for seat in range(found["players"])])
    axes.set_ylabel("share of games won")
    axes.legend(frameon=False)


def _draw_lengths(axes: Any, lengths: Sequence[int]) -> None:
    if lengths:
        axes.hist(lengths, bins="auto" if len(set(lengths)) > 1 else 1, color="#9db7d5")
    axes.set_xlabel("decisions in a game")
    axes.set_ylabel("games")


def _draw_times(axes: Any, seconds: Mapping[str, Sequence[float]]) -> None:
    shown = {name: np.maximum(values, 1e-6) for name, values in seconds.items() if len(values)}
    if shown:
        least, most = (f([f(values) for values in shown.values()]) for f in (min, max))
        bins = np.geomspace(least, max(most, 1.01 * least), 50)
        for name, values in shown.items():
            axes.hist(values, bins=bins, histtype="step", linewidth=1.5, label=name)
        axes.set_xscale("log")
        axes.legend(frameon=False)
    axes.set_xlabel("seconds")
    axes.set_ylabel("decisions")
