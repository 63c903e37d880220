"""The figures of the papers: careers, head-to-heads, mileposts, the skill c, calibration of forecasts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.signal import fftconvolve

from assay.answers.comparisons import Career, HeadToHeads
from assay.answers.results import Backtest, CalibrationBin
from assay.decisions.arrays import Floats
from assay.decisions.names import Who
from assay.decisions.profile import Profile
from assay.figures import curves as lines
from assay.figures.careers import CareerLine, careers
from assay.figures.curves import Density, Panel, Series, curves
from assay.figures.figure import Figure
from assay.figures.heatmap import heatmap
from assay.models.bayes import Skill
from assay.models.choice.tables import Milepost
from assay.models.gain.distribution import gains_of_bins
from assay.rating.champions import Champions

MOST_CURVES = 40
"""More densities than this cannot be told apart: the figure shows those resting on most decisions."""

_FEWEST = 10  # games in a bin that is drawn: fewer say nothing, and their intervals fill the figure


def career_figure(rows_by_player: Mapping[str, Sequence[Mapping[str, Any]]], bound: int) -> Figure:
    """Draw conformance at zero and at the bound through the years: Figures 16 and 17 of Alliot 2017."""
    titles = {
        "conformance_0": "Moves as good as the best",
        "conformance": f"Moves that lose at most {bound / 100:g} pawns",
    }
    panels = [
        Panel(
            [
                _career_line(player, rows, name, number)
                for number, (player, rows) in enumerate(rows_by_player.items())
            ],
            title=title,
            x_title="year" if name == "conformance" else "",
            x_text="{:.0f}".format,
            y_text="{:.0%}".format,
            whole_x=True,
        )
        for name, title in titles.items()
    ]
    active = all(row["active"] for rows in rows_by_player.values() for row in rows)
    return curves(f"Conformance through the years{'' if active else ' (hollow: too few moves)'}", panels)


def champions_figure(roster: Champions) -> Figure:
    """Draw the careers of all champions in one figure."""
    lines = []
    for player in roster.players:
        keys = [Who(player, year) for year in roster.years(player)]
        ratings = [rating for key in keys if (rating := roster.ratings[key].combined) is not None]
        best = roster.best_year(player)
        elo, low, high = ([getattr(rating, end) for rating in ratings] for end in ("elo", "low", "high"))
        family = player.partition(",")[0]
        lines.append(CareerLine(family, roster.years(player), elo, low, high, keys.index(best)))
    header = roster.header
    source = f"{header['games']:,} classical games judged by {header['engine']} · assay {header['date'][:4]}"
    return careers(
        "Twenty world champions, rated by their moves",
        lines,
        below="Rating by year in points of today, with its 95% range; name and rating at the best year",
        source=source,
    )


def rated_career_figure(career: Career) -> Figure:
    """Draw the rating by moves of each year with its 95% range, and the published rating beside it."""
    series: list[Series] = []
    for number, (player, rows) in enumerate(career.players.items()):
        years = [row["year"] for row in rows]
        rated = [row["ratings"].get("combined") for row in rows]
        elo, low, high = (
            [getattr(rating, end) if rating else math.nan for rating in rated]
            for end in ("elo", "low", "high")
        )
        name = f"{player}, by moves"
        series.append(Series(name, years, elo, low, high, "band", number=2 * number, marks=False))
        published = [row.get("published", math.nan) for row in rows]
        if any(map(math.isfinite, published)):
            series.append(Series("published rating", years, published, number=2 * number + 1, line=False))
    title = f"{', '.join(career.players)}: rating by year"
    return curves(title, [Panel(series, x_title="year", x_text="{:.0f}".format, whole_x=True)])


def gain_figure(profiles: Mapping[str, Profile], limit: int) -> Figure:
    """Draw the share of moves by their gain, in steps of 10 centipawns: Figure 3 of Ferreira 2012.

    Of two players also how much more the first gains than the second, in one move of each: the
    cross-correlation of their distributions, Figure 4.
    """
    shares = [profile.evidence / profile.evidence.sum() for profile in profiles.values()]
    gains = gains_of_bins(limit)
    series = [
        _shares_by_gain(player, gains, share, number)
        for number, (player, share) in enumerate(zip(profiles, shares, strict=True))
    ]
    panels = [Panel(series, x_title="gain of a move, pawns", y_text="{:.0%}".format)]
    if len(shares) == 2:
        first, second = profiles
        difference = np.arange(1 - len(gains), len(gains), dtype=np.float64)
        line = _shares_by_gain(
            f"{first} less {second}", difference, fftconvolve(shares[0], shares[1][::-1]), 2
        )
        panels.append(Panel([line], x_title="difference of two gains, pawns", y_text="{:.0%}".format))
    return curves("Distribution of gain: share of moves in steps of 0.1 pawns", panels)


def _shares_by_gain(name: str, gains: Floats, shares: Floats, number: int) -> Series:
    edges = np.arange(-155.0, 156.0, 10.0)
    counts, _ = np.histogram(gains, bins=edges, weights=shares)
    return Series(
        name, ((edges[:-1] + edges[1:]) / 200).tolist(), counts.tolist(), number=number, marks=False
    )


def _career_line(player: str, rows: Sequence[Mapping[str, Any]], name: str, number: int) -> Series:
    return Series(
        player,
        [row["year"] for row in rows],
        [row[name] for row in rows],
        low=[row[f"{name}_low"] for row in rows],
        high=[row[f"{name}_high"] for row in rows],
        number=number,
        hollow=[not row["active"] for row in rows],
        titles=[f"{player}, {row['year']}: {row[name]:.1%} of {row['decisions']:.0f} moves" for row in rows],
    )


def versus_figure(table: HeadToHeads, method: str, as_white: bool = False) -> Figure:
    """Draw everyone against everyone as a heat map: Tables 7 to 9 of Alliot 2017."""
    kind = "with White" if as_white else "with colours shared"
    return heatmap(
        f"Expectation of the row in percent {kind}, by {method}",
        [str(key) for key in table.keys],
        100 * (table.as_white if as_white else table.match),
    )


# Mileposts -----------------------------------------------------------------------------------------------

_MILEPOST_PANELS = (
    ("s_fit", "sensitivity s (c on the line)"),
    ("c", "consistency c"),
    ("mm", "first-move agreement, %"),
    ("ad", "average scaled difference, pawns"),
)


def milepost_figure(tables: Mapping[str, Sequence[Milepost]]) -> Figure:
    """Draw four panels by Elo; one look for each table (a period, or all games).

    Marks are what was fitted or played, lines without marks what the agents project.
    """
    rows_by_name = {name: [row.as_row() for row in rows] for name, rows in tables.items()}
    panels = [
        Panel(
            [
                series
                for number, (name, rows) in enumerate(rows_by_name.items())
                for series in _milepost_series(panel, name, rows, number)
            ],
            title=title,
            x_title="Elo",
            x_text="{:.0f}".format,
        )
        for panel, title in _MILEPOST_PANELS
    ]
    title = "Mileposts: marks are fitted or played, lines without marks are projected"
    return curves(title, panels, columns=2, width=1000)


def _milepost_series(panel: str, name: str, rows: Sequence[Mapping[str, Any]], number: int) -> list[Series]:
    elo = [row["elo"] for row in rows]

    def column(key: str) -> Series:
        values = [row[key] for row in rows]
        titles = [f"{name}, {at:.0f}: {key} {value:.3f}" for at, value in zip(elo, values, strict=True)]
        return Series(name, elo, values, number=number, titles=titles)

    if panel == "s_fit":
        return [column("s_fit")]
    points, line = ("c", "c_fit") if panel == "c" else (f"{panel}_actual", f"{panel}_projected")
    return [replace(column(line), marks=False), replace(column(points), line=False)]


# Skill ---------------------------------------------------------------------------------------------------


def density_figure(skills: Sequence[Skill], title: str = "Probability of the model E(c)") -> Figure:
    """Draw the density of c for each player or group: Figure 1 of Di Fatta, Haworth and Regan 2009."""
    most = sorted(skills, key=lambda skill: -skill.profile.decisions)[:MOST_CURVES]
    shown = [_density(skill, ", ".join(skill.label)) for skill in skills if skill in most]
    return lines.density_figure(title, shown, _range(most), "skill c")


def training_figure(curve: Sequence[Skill]) -> Figure:
    """Draw density, mean and deviation against the number of decisions: their Figure 2."""
    ends = _range(curve)
    drawn = [
        lines.density_series(_density(skill, f"{skill.profile.decisions:,.0f} decisions"), ends, number)
        for number, skill in enumerate(curve)
    ]
    panels = [
        Panel(drawn, title="density of c", x_title="skill c", x=ends),
        _by_size(curve, [skill.posterior.mean for skill in curve], "mean of c"),
        _by_size(curve, [skill.posterior.deviation for skill in curve], "deviation of c"),
    ]
    return curves("Training: what more decisions tell", panels, columns=3, width=1200)


def _by_size(curve: Sequence[Skill], values: Sequence[float], title: str) -> Panel:
    sizes = [skill.profile.decisions for skill in curve]
    titles = [f"{size:,.0f} decisions: {value:.3f}" for size, value in zip(sizes, values, strict=True)]
    line = Series(title, sizes, values, titles=titles, listed=False)
    return Panel([line], title=title, x_title="decisions", x_text="{:,.0f}".format, logarithmic=True)


def _density(skill: Skill, name: str) -> Density:
    return name, skill.posterior.c, skill.posterior.density


def _range(skills: Sequence[Skill]) -> tuple[float, float]:
    regions = [skill.posterior.region(0.999) for skill in skills]
    return min(low for low, _ in regions), max(high for _, high in regions)


# Forecasts -----------------------------------------------------------------------------------------------


def calibration_figure(backtest: Backtest) -> Figure:
    """Draw the average result against the average forecast of each bin of ten games, with 95% intervals."""
    drawn = [
        _calibration_line(name, [each for each in bins if each.games >= _FEWEST], number)
        for number, (name, bins) in enumerate(backtest.calibration.items())
    ]
    panel = Panel(
        [Series("as forecast", [0, 1], [0, 1], guide=True, marks=False), *drawn],
        x_title="expected result of White",
        y_title="average result of White",
        x=(0, 1),
        y=(0, 1),
        height=600,
    )
    title = "Calibration: White's average result where that much was expected"
    return replace(curves(title, [panel], width=800), about=json.dumps(backtest.stamp, indent=2))


def _calibration_line(name: str, bins: list[CalibrationBin], number: int) -> Series:
    return Series(
        name,
        [each.forecast for each in bins],
        [each.result for each in bins],
        low=[each.result - 1.96 * each.error for each in bins],
        high=[each.result + 1.96 * each.error for each in bins],
        number=number,
        titles=[
            f"{name}: expected {each.forecast:.3f}, happened {each.result:.3f}, {each.games:,} games"
            for each in bins
        ],
    )
