"""The championships of Table 5 forecast from the games of the years before."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from assay.answers.comparisons import MatchForecast
from assay.answers.ratings import Forecast
from assay.decisions.decisions import Decisions
from assay.models.base import MoveModel
from assay.models.conformance import ConformanceModel
from assay.models.covariance import CovarianceModel
from assay.models.markov import MarkovModel
from assay.rating.careers import Careers
from assay.rating.forecasts import forecast_matches, match_errors
from assay.reproduce import facts
from assay.reproduce.alliot2017 import championships
from research.markdown import table
from research.papers.alliot2017.markov_variants import PooledMarkov, RawMarkov
from research.papers.alliot2017.numbers import percent, two

PAPER = facts("alliot2017")

METHODS: tuple[Callable[[], MoveModel], ...] = (
    ConformanceModel,
    CovarianceModel,
    MarkovModel,
    PooledMarkov,
    RawMarkov,
)

NOT_MADE_ANEW = (
    "This table was not made anew with the rest of the page. In its rows of `markov` and `markov pooled` the "
    "prior was still learned from all years, those after the match too; the other rows do not depend on that."
)


def forecasts(decisions: Decisions, forgetting: float) -> list[MatchForecast]:
    """Forecasts of all championships by all methods, with this forgetting factor."""
    careers = [Careers(make(), decisions, forgetting=forgetting) for make in METHODS]
    return forecast_matches(championships(), careers)


def table_5(rows: Sequence[MatchForecast]) -> str:
    """Table 5, with our forecasts beside the paper's."""
    names = ["conformance", "covariance", "markov", "markov pooled", "markov raw", "elo"]
    paper = {f"{row['winner']}-{row['loser']} {row['year']}": row for row in PAPER["world_championships"]}
    lines = []
    for row in rows:
        printed = paper[str(row.match)]
        cells = []
        for name in names:
            one = row.forecasts.get(name)
            span = "" if one is None or math.isnan(one.low) else f" ({percent(one.low)}-{percent(one.high)})"
            cells.append("" if one is None else percent(one.expectation) + span)
        theirs = "/".join(str(printed[name]) for name in ("conformance", "covariance", "markov"))
        lines.append((row.match, percent(row.match.actual), theirs, *cells))
    return table(("match", "actual", "paper: conf./cov./Markov", *names), lines)


def mean_errors(both: Mapping[str, Sequence[MatchForecast]]) -> str:
    """Mean errors of the forecasts, by the evidence that they rest on."""
    stated = PAPER["mean_absolute_error_percent"]
    lines = []
    for label, rows in both.items():
        for one in match_errors(rows):
            theirs = stated.get(one.method, {}).get("all", "")
            lines.append(
                (
                    label,
                    one.method,
                    one.matches,
                    percent(one.error, 1),
                    percent(one.deviation, 1),
                    two(one.correlation),
                    theirs,
                )
            )
    return table(
        (
            "evidence",
            "method",
            "matches",
            "mean error %",
            "standard error",
            "correlation",
            "paper's mean error %",
        ),
        lines,
    )


def earlier(champions: Decisions, path: Path) -> str:
    """What years before the year before change, for the matches that they bear on."""
    # Two recipes do not go together by themselves. Here they are put together on purpose: whoever gives the
    # file has analysed it as the championship years were.
    rows = Decisions.read(path).to_table()
    recipe = pa.array(champions.text("recipe_id")[:1] * len(rows))
    before = Decisions.from_table(rows.set_column(rows.column_names.index("recipe_id"), "recipe_id", recipe))
    both = Decisions.concat([champions, before])
    added = sorted(
        {(str(p), int(y)) for p, y in zip(before.text("player"), before.numbers("year"), strict=True)}
    )
    lines = []
    for make in METHODS:
        alone = {str(r.match): r for r in forecast_matches(championships(), [Careers(make(), champions)])}
        with_more = {str(r.match): r for r in forecast_matches(championships(), [Careers(make(), both)])}
        name = make().name
        for match, row in alone.items():
            old, new = row.forecasts[name], with_more[match].forecasts[name]
            players = {row.match.first, row.match.second}
            if any(p in players and y < row.match.year - 1 for p, y in added):
                lines.append((match, percent(row.match.actual), name, span(old), span(new)))
    profiles = MarkovModel().profiles_by_year(before)
    moves = ", ".join(f"{p} {y}: {profiles[p, y].decisions:,.0f} moves" for p, y in added)
    return f"Added: {moves}.\n\n" + table(
        ("match", "actual", "method", "without", "with the years before"), lines
    )


def kept_earlier(page: Path) -> str:
    """The table of an earlier run, from the page as it is: decisions of the years before are not at hand."""
    _, _, kept = page.read_text(encoding="utf-8").partition("\nAdded: ")
    return f"{NOT_MADE_ANEW}\n\nAdded: {kept.strip()}"


def span(one: Forecast) -> str:
    """A forecast with its interval, in percent."""
    return f"{percent(one.expectation, 1)} ({percent(one.low)}-{percent(one.high)})"
