"""Regan and Haworth 2011 on milepost games: their table, settings, ways of fitting, periods of years.

Tables of docs/reproduction/choice.md and choice-periods.md. Agents are simulated in regan2011_simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.figures.curves import Panel, Series, curves
from assay.models.choice.fit import METHODS
from assay.models.choice.model import ChoiceModel
from assay.models.choice.probabilities import CURVES
from assay.models.choice.spreads import Scaling
from assay.models.choice.sums import AGREEMENT, DIFFERENCE, PERCENTILES
from assay.models.choice.tables import Milepost, milepost_table, mileposts_of
from assay.models.elo_mapping import Z95
from assay.models.intervals import student
from assay.models.mileposts import mapping_from, split_by_milepost
from assay.reproduce import facts
from assay.workspace import Workspace
from research.markdown import PLAIN, RIGHT, Tables, table
from research.papers import Games

QUALITY = (
    "",
    "percentile misfit",
    "mm off, %: size, mean",
    "ad off: size, mean",
    "s at 1500, 2800",
    "c at 1500, 2800",
)


def mileposts(rows: Sequence[Milepost], published: dict[int, dict[str, Any]]) -> str:
    """The paper's table of mileposts: ours, and the printed numbers, where there are any, in brackets."""
    cells = []
    for row in rows:
        both = [row.as_row(), *([published[row.elo]] if row.elo in published else [])]
        shown = [
            *([f"{each[k]:.3f}" for each in both] for k in ("s", "c", "c_fit", "s_fit")),
            [f"{each['mm_projected']:.1f}/{each['mm_actual']:.1f}" for each in both],
            [f"{each['ad_projected']:.3f}/{each['ad_actual']:.3f}" for each in both],
            [f"{each['q_fit']:.3f}" for each in both],
        ]
        cells.append(
            (
                row.elo,
                row.decisions,
                *(" ".join([ours, *(f"({one})" for one in paper)]) for ours, *paper in shown),
            )
        )
    names = ("Elo", "turns", "s", "c", "c_fit", "s_fit", "mm_p/mm_a", "ad_p/ad_a", "Q_fit")
    return table(names, cells)


def variants(model: ChoiceModel, left_out: ChoiceModel, parts: dict[int, Decisions]) -> str:
    """How well other settings than the default fit the same mileposts."""
    settings = {
        "as by default": model,
        "unlisted moves left out": left_out,
        "no logarithmic scaling": ChoiceModel(scaling=Scaling(logarithmic=False)),
        "no correction of ties": ChoiceModel(scaling=Scaling(tie=0)),
        "no cap at 4 pawns": ChoiceModel(scaling=Scaling(cap=None)),
        "plain normalisation": ChoiceModel(conversion="share"),
        **{f"curve {curve}": ChoiceModel(curve=curve) for curve in CURVES[1:]},
    }
    return table(QUALITY, [quality_row(name, quality(variant, parts)) for name, variant in settings.items()])


def methods(model: ChoiceModel, parts: dict[int, Decisions]) -> str:
    """How well the three ways of fitting do (section 6)."""
    return table(QUALITY, [quality_row(name, quality(model, parts, name)) for name in METHODS])


def quality(model: ChoiceModel, parts: dict[int, Decisions], method: str = "percentile") -> tuple[float, ...]:
    """Means over mileposts: percentile misfit, errors of mm (percent) and ad, s and c."""
    by_milepost = []
    for part in parts.values():
        fit = model.fit(part, method, pull=False)
        sums = model.summaries(part)
        means = sums.at(np.log(fit.s), np.log(fit.c))[:, 0] / len(part)
        misfit = 1e4 * np.square(means[: len(PERCENTILES)] - PERCENTILES).mean()
        agreement = 100 * (means[AGREEMENT] - np.mean(sums.spreads.played == 0))
        by_milepost.append((misfit, agreement, means[DIFFERENCE] - sums.spreads.lost.mean(), fit.s, fit.c))
    misfit, agreement, lost, s, c = np.array(by_milepost).T
    return (
        misfit.mean(),
        np.abs(agreement).mean(),
        agreement.mean(),
        np.abs(lost).mean(),
        lost.mean(),
        s[-1],
        s[0],
        c[-1],
        c[0],
    )


def quality_row(name: str, numbers: tuple[float, ...]) -> tuple[str, ...]:
    """One row of a table under the heads QUALITY."""
    misfit, mm_size, mm_mean, ad_size, ad_mean, s_low, s_high, c_low, c_high = numbers
    return (
        name,
        f"{misfit:.2f}",
        f"{mm_size:.2f}, {mm_mean:+.2f}",
        f"{ad_size:.4f}, {ad_mean:+.4f}",
        f"{s_low:.3f}, {s_high:.3f}",
        f"{c_low:.3f}, {c_high:.3f}",
    )


def halves_error(model: ChoiceModel, decisions: Decisions) -> tuple[float, float]:
    """Mean error and mean size of error of milepost ratings, each half of the games rated by the other."""
    half = np.isin(np.array(decisions.text("game_id")), decisions.games[::2])
    errors = []
    for mask in (half, ~half):
        model.mapping = mapping_from(model, decisions.take(np.flatnonzero(mask)))
        others = mileposts_of(model, decisions.take(np.flatnonzero(~mask)))
        errors += [model.rate(model.profile(part)).elo - elo for elo, part in others.items()]
    return float(np.mean(errors)), float(np.abs(errors).mean())


def variance_ratios(rows: Sequence[Milepost]) -> str:
    """Variance over resampled games by the variance of independent turns, over the mileposts."""
    ratios = {
        "mm": [row.projections.mm.ratio for row in rows],
        "ad": [row.projections.ad.ratio for row in rows],
        "M_1": [row.projections.ranks[1].ratio for row in rows],
        "Q_fit": [row.projections.q_fit.ratio for row in rows],
    }
    cells = [(k, f"{np.mean(v):.2f} ({min(v):.2f} to {max(v):.2f})") for k, v in ratios.items()]
    return table(("", "ratio"), cells)


def outside_lines(parts: dict[int, Decisions]) -> float:
    """Share of the turns in which the played move was outside the engine's lines."""
    outside = [part.played_index >= part.numbers("n_lines").astype(int) for part in parts.values()]
    return float(np.mean(np.concatenate(outside)))


PAPER = ((1976, 1979), (1991, 1994), (2006, 2009))
"""The periods of the paper, which asks whether the rating scale has inflated."""

PERIODS = ((1976, 1979), (1980, 1990), (1991, 1994), (1995, 2005), (2006, 2009), (2010, 2014), (2015, 2022))

FEWEST = 200
"""Fewer turns of a milepost in a period are not rated."""

GROUPS = 5
"""Groups of games that are left out in turn to find a deviation."""


@dataclass(frozen=True)
class RatedMilepost:
    """A milepost in a period: rating by moves less the published one."""

    elo: int
    decisions: int
    games: int
    difference: float
    deviation: float


@dataclass(frozen=True)
class Period:
    """Some years: what their mileposts say together."""

    years: tuple[int, int]
    decisions: int
    """All that there are of these years, rated or not."""
    mileposts: tuple[RatedMilepost, ...]

    @property
    def middle(self) -> float:
        """The middle of the years."""
        return sum(self.years) / 2

    def difference(self) -> tuple[float, float]:
        """Rating by moves less the published one over the mileposts, and its deviation; NaN without any."""
        if not self.mileposts:
            return math.nan, math.nan
        turns = np.array([milepost.decisions for milepost in self.mileposts], dtype=np.float64)
        share, differences = (
            turns / turns.sum(),
            np.array([milepost.difference for milepost in self.mileposts]),
        )
        mean, n = float(share @ differences), len(differences)
        within = float(np.sum(np.square(share * [milepost.deviation for milepost in self.mileposts])))
        # Mileposts that scatter more than their games say make the mean as uncertain as they scatter.
        between = float(np.sum(np.square(share * (differences - mean)))) * n / (n - 1) if n > 1 else 0.0
        # Few groups of games know their own deviation poorly: as wide as Student's interval.
        poorly = student(n * (GROUPS - 1) + 1) / Z95
        return mean, float(np.sqrt(max(within, between)) * poorly)


@dataclass(frozen=True, eq=False)
class Scale:
    """s by Elo, c held on a straight line (section 7): the paper's s_fit and c_fit."""

    c_line: Floats
    s_line: Floats
    """Slope and base of log s by Elo."""

    @classmethod
    def of(cls, model: ChoiceModel, mileposts: Mapping[int, Decisions]) -> Scale:
        """The scale from the mileposts of some games."""
        elos = np.array([float(np.nanmean(part.numbers("player_elo"))) for part in mileposts.values()])
        fits = [model.fit(part) for part in mileposts.values()]
        c_line = np.polyfit(elos, [fit.c for fit in fits], 1)
        held = [
            model.fit(part, c=float(np.polyval(c_line, elo))).s
            for elo, part in zip(elos, mileposts.values(), strict=True)
        ]
        return cls(c_line, np.polyfit(elos, np.log(held), 1))

    def difference(self, model: ChoiceModel, part: Decisions) -> float:
        """Rating by moves of some players of about one Elo less their published one."""
        elo = float(np.nanmean(part.numbers("player_elo")))
        s = model.fit(part, c=float(np.polyval(self.c_line, elo))).s
        return float((np.log(s) - self.s_line[1]) / self.s_line[0] - elo)


def period(decisions: Decisions, years: tuple[int, int], model: ChoiceModel | None = None) -> Period:
    """The mileposts of some years, rated through those of all others."""
    choice = model or ChoiceModel()
    usable, _ = choice.select(decisions)
    year = usable.numbers("year")
    inside = (year >= years[0]) & (year <= years[1])
    of_period = usable.take(np.flatnonzero(inside))
    if not len(of_period):
        return Period(years, 0, ())
    parts = {
        elo: part
        for elo, part in split_by_milepost(of_period).items()
        if len(part) >= FEWEST and len(part.games) >= GROUPS
    }
    if not parts:
        return Period(years, len(of_period), ())
    scale = Scale.of(choice, split_by_milepost(usable.take(np.flatnonzero(~inside))))
    rated = []
    for elo, part in sorted(parts.items()):
        whole = scale.difference(choice, part)
        without = np.array([scale.difference(choice, rest) for rest in _without_groups(part)])
        deviation = float(np.sqrt((GROUPS - 1) * np.var(without)))
        rated.append(RatedMilepost(elo, len(part), len(part.games), whole, deviation))
    return Period(years, len(of_period), tuple(rated))


def _without_groups(decisions: Decisions) -> Iterator[Decisions]:
    """The decisions without one of several groups of games, for each group: the jackknife."""
    games = decisions.codes("game_id")
    _, place = np.unique(games, return_inverse=True)
    for group in range(GROUPS):
        yield decisions.take(np.flatnonzero(place % GROUPS != group))


def trend(periods: Sequence[Period]) -> tuple[float, float]:
    """Change of the difference in points a decade over the periods, and its deviation."""
    rated = [(period.middle, *period.difference()) for period in periods if period.mileposts]
    if len(rated) < 2:
        return math.nan, math.nan
    year, difference, deviation = np.array(rated).T
    weights = deviation**-2.0
    centred = year - np.average(year, weights=weights)
    slope = np.sum(weights * centred * difference) / np.sum(weights * centred**2)
    return float(10 * slope), float(10 / np.sqrt(np.sum(weights * centred**2)))


def rows_of_periods(periods: Sequence[Period]) -> str:
    """One line for each period, with its interval."""
    lines = []
    for period in periods:
        mean, deviation = period.difference()
        of_paper = "yes" if period.years in PAPER else ""
        words = "too few to rate" if math.isnan(mean) else interval(mean, deviation)
        used = ", ".join(str(milepost.elo) for milepost in period.mileposts)
        lines.append((f"{period.years[0]}-{period.years[1]}", of_paper, f"{period.decisions:,}", used, words))
    heads = ("years", "in the paper", "turns", "mileposts rated", "rating by moves less published")
    return table(heads, lines, (PLAIN, PLAIN, RIGHT, PLAIN, RIGHT))


def interval(mean: float, deviation: float) -> str:
    """A number with its 95% interval."""
    return f"{mean:+.0f} ({mean - Z95 * deviation:+.0f} to {mean + Z95 * deviation:+.0f})"


OURS, THEIRS = "Stockfish 15.1, 40 games per milepost", "the paper: Rybka 3, 2006-2009"


def svg(rows: Sequence[Milepost], published: Mapping[int, Mapping[str, Any]]) -> str:
    """Two panels by Elo: s_fit, and first-move agreement; ours filled, the paper's hollow."""
    s_fit = {row.elo: row.s_fit for row in rows}, {elo: row["s_fit"] for elo, row in published.items()}
    agreement = (
        {row.elo: 100 * row.projections.mm.actual for row in rows},
        {elo: row["mm_actual"] for elo, row in published.items()},
    )
    panels = [
        _panel("sensitivity s_fit", *s_fit),
        _panel("first-move agreement, %", *agreement),
    ]
    return f"{curves('Mileposts by Elo', panels, columns=2).svg()}\n"


def _panel(title: str, ours: Mapping[int, float], theirs: Mapping[int, float]) -> Panel:
    series = [
        Series(
            name,
            list(points),
            list(points.values()),
            number=number,
            line=False,
            hollow=[number == 1] * len(points),
            titles=[f"{elo}: {value:.3g}" for elo, value in points.items()],
        )
        for number, (name, points) in enumerate(((OURS, ours), (THEIRS, theirs)))
    ]
    return Panel(series, title=title, x_title="Elo", x_text="{:.0f}".format)


def on_mileposts(games: Games) -> Tables:
    """The paper's table, settings, and ways of fitting on milepost games."""
    decisions, model = games.mileposts(), ChoiceModel()
    published = {row["elo"]: row for row in facts("regan2011")["periods"]["2006-2009"]}
    rows = milepost_table(model, decisions)
    games.draw("choice_mileposts", svg(rows, published))
    yield "Mileposts", mileposts(rows, published)
    ours = np.corrcoef([row.elo for row in rows], [row.s_fit for row in rows])[0, 1]
    theirs = np.corrcoef(list(published), [row["s_fit"] for row in published.values()])[0, 1]
    yield "Correlation of s_fit with Elo", f"{ours:.3f}; the paper {theirs:.3f}"
    yield "Variance over games by that under the model", variance_ratios(rows)
    parts = mileposts_of(model, decisions)
    yield "Turns whose move is outside the lines", f"{100 * outside_lines(parts):.1f}%"
    left_out = ChoiceModel(scaling=Scaling(unlisted="left out"))
    yield "Other settings", variants(model, left_out, parts)
    yield "Ways of fitting", methods(model, parts)
    errors = {"tail": halves_error(model, decisions), "left out": halves_error(left_out, decisions)}
    cells = [(name, f"{bias:+.0f}", f"{size:.0f}") for name, (bias, size) in errors.items()]
    yield "Halves rated by each other, in Elo", table(("unlisted moves", "mean", "size"), cells)


def by_period(games: Games) -> Tables:
    """Players of one Elo in several periods of years."""
    yield from over_periods(Workspace(games.path("analysed/mileposts-standard")).decisions("standard"))


def over_periods(decisions: Decisions) -> Tables:
    """The same from decisions of rated players of many years."""
    periods = [period(decisions, years) for years in PERIODS]
    yield "Rating by moves by period", rows_of_periods(periods)
    yield "Change in points a decade", interval(*trend(periods))
    by_years = {period.years: period.difference() for period in periods}
    (early, early_deviation), (late, late_deviation) = by_years[PAPER[1]], by_years[PAPER[2]]
    if not math.isnan(late - early):
        change = interval(late - early, math.hypot(early_deviation, late_deviation))
        yield "Between the second and the third period of the paper", change


PARTS = (on_mileposts, by_period)
