"""Every figure of the report layer: what `--plot` draws of an answer, and the papers' figures."""

from __future__ import annotations

import json
import math
from calendar import month_abbr
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import ndtri

from assay.answers.answer import Answer, counted, level_in_words, tens
from assay.answers.comparisons import Career, HeadToHeads
from assay.answers.insights import Progress, Slices
from assay.answers.live import LiveGame, LiveMove
from assay.answers.ratings import Ratings
from assay.answers.results import Backtest, CalibrationBin, Mileposts
from assay.answers.screening import Screened, Screening
from assay.decisions.arrays import Floats
from assay.decisions.names import Who
from assay.decisions.profile import Profile
from assay.errors import InputError
from assay.figures import curves as lines
from assay.figures.curves import Density, Panel, Series, curves
from assay.figures.figure import Figure
from assay.figures.heatmap import heatmap
from assay.figures.intervals import Row, interval_figure
from assay.models.bayes import Skill
from assay.models.gain import gains_of_bins
from assay.rating.champions import Champions

MOST_CURVES = 40
"""More densities than this cannot be told apart: the figure shows those resting on most decisions."""

_REACH = 600.0
"""Points beyond the outermost ratings that are drawn at most: intervals of few games go further."""

_PAUSE = 8
"""After more years without a game the line of a career begins anew."""

_FEWEST = 10  # games in a bin that is drawn: fewer say nothing, and their intervals fill the figure


@singledispatch
def figure_of(answer: Answer) -> Figure:
    """Draw an answer as `--plot` of its command does."""
    raise InputError("there is no figure of this answer: leave --plot out")


@figure_of.register
def _(ratings: Ratings) -> Figure:
    from assay.report.ratings import ratings_figure

    return ratings_figure(ratings)


@figure_of.register
def slices_figure(slices: Slices) -> Figure:
    """Draw the rating on the whole and in each slice, with their ranges."""
    rows = []
    for player in slices.players:
        who = f"{player.player}, " if len(slices.players) > 1 else ""
        parts = [("all games", player.whole), *((part.name, part.rating) for part in player.slices)]
        rows += [
            Row(f"{who}{name}", rating.elo, rating.low, rating.high, str(rating), value=str(rating))
            for name, rating in parts
            if rating is not None
        ]
    level = level_in_words(slices.ratings.level)
    return interval_figure(f"Rating by {slices.by}, with its {level} range", rows, most=_REACH)


@figure_of.register
def _(career: Career) -> Figure:
    """Champions by their ratings, players of games by conformance, as the paper has them."""
    by_rating = any("games_of_year" in row for rows in career.players.values() for row in rows)
    return rated_career_figure(career) if by_rating else career_figure(career.players, bound=30)


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
    """Draw the careers of all champions in one figure, each named at the best year."""
    series = []
    for number, player in enumerate(roster.players):
        family, points = player.partition(",")[0], list[tuple[float, float, float, float]]()
        for year in roster.years(player):
            if points and year - points[-1][0] > _PAUSE:
                points.append((year - 1.0, math.nan, math.nan, math.nan))
            if (rating := roster.ratings[Who(player, year)].combined) is not None:
                points.append((float(year), rating.elo, rating.low, rating.high))
        years, elo, low, high = zip(*points, strict=True)
        best = roster.best_year(player)
        peak, rating = years.index(best.year), roster.ratings[best].combined
        shown = "" if rating is None else f"{tens(rating.end)}+" if rating.bound == "above" else rating.shown
        series.append(
            Series(
                *(family, years, elo, low, high, "faint"),
                number=number,
                marks=False,
                listed=False,
                at_peak=f"{family} {shown}",
                peak=peak,
            )
        )
    header = roster.header
    source = f"{header['games']:,} classical games judged by {header['engine']} · assay {header['date'][:4]}"
    panel = Panel(
        series,
        title="Rating by year in points of today, with its 95% range; name and rating at the best year",
        x_title=source,
        x_text="{:.0f}".format,
        whole_x=True,
        height=540,
    )
    return curves("Twenty world champions, rated by their moves", [panel])


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


@figure_of.register
def versus_figure(table: HeadToHeads) -> Figure:
    """Draw everyone against everyone as a heat map: Tables 7 to 9 of Alliot 2017."""
    kind = "with White" if table.white else "with colours shared"
    return heatmap(
        f"Expectation of the row in percent {kind}, by {table.method}",
        [str(key) for key in table.keys],
        100 * (table.as_white if table.white else table.match),
    )


# Mileposts -----------------------------------------------------------------------------------------------

_MILEPOST_PANELS = (
    ("s_fit", "sensitivity s (c on the line)"),
    ("c", "consistency c"),
    ("mm", "first-move agreement, %"),
    ("ad", "average scaled difference, pawns"),
)


@figure_of.register
def milepost_figure(mileposts: Mileposts) -> Figure:
    """Draw four panels by Elo; one look for each table (a period, or all games).

    Marks are what was fitted or played, lines without marks what the agents project.
    """
    panels = [
        Panel(
            [
                series
                for number, (name, rows) in enumerate(mileposts.periods.items())
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
    return curves("Training: what more decisions show", panels, columns=3, width=1200)


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


@figure_of.register
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


# Single players ------------------------------------------------------------------------------------------


@figure_of.register
def progress_figure(progress: Progress) -> Figure:
    """Draw a player's ratings by period, at the mean date of their games."""
    periods = progress.periods
    ratings = [period.rating for period in periods]
    lines = [
        Series(
            progress.player,
            [period.time for period in periods],
            [rating.elo for rating in ratings],
            low=[rating.low for rating in ratings],
            high=[rating.high for rating in ratings],
            interval="band" if len(periods) > 1 else "whiskers",
            hollow=[period.few for period in periods],
            titles=[
                f"{period.name}: {rating.elo:.0f} ({rating.low:.0f} to {rating.high:.0f}), "
                f"{counted(int(rating.games), 'game')}"
                for period, rating in zip(periods, ratings, strict=True)
            ],
        )
    ]
    if (trend := progress.trend) is not None:
        # The slope is that of the moves alone; the level is that of the ratings beside which it is drawn.
        weights = [rating.deviation**-2 for rating in ratings]
        middle, level = (
            sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
            for values in ([period.time for period in periods], [rating.elo for rating in ratings])
        )
        ends = [periods[0].time, periods[-1].time]
        on_line = [level + trend.a_year * (time - middle) for time in ends]
        lines.append(Series("trend", ends, on_line, guide=True, marks=False))
    panel = Panel(
        lines, title=f"Trend: {progress.sentence}", x_title="date", y_title="Elo", x_text=_month, months=True
    )
    few = " (hollow: few games)" if any(period.few for period in periods) else ""
    return curves(f"{progress.player} by {progress.by}{few}", [panel])


def _month(value: float) -> str:
    """Write a time in years as its month; the beginning of a year as the year alone."""
    year, month = divmod(round(12 * value), 12)
    return str(year) if month == 0 else f"{month_abbr[month + 1]} {year}"


# Screening -----------------------------------------------------------------------------------------------


@figure_of.register
def funnel_figure(screening: Screening) -> Figure:
    """Draw how far everyone departs from the rating, against the number of moves.

    Filled marks are those who are named. The lines are where one honest player in twenty is, either way, and
    where one of a field of this size is expected.
    """
    moves = [player.decisions for player in screening.players] or [1]
    ends = (0.9 * min(moves), 1.1 * max(moves))
    shares = [(0.05, "one honest player in 20 is beyond")]
    if screening.field > 20:
        shares.append((1 / screening.field, "one of this field is"))
    lines = [
        Series(name, ends, [side, side], number=number, marks=False, listed=side > 0)
        for number, (share, name) in enumerate(shares, 2)
        for side in (-ndtri(share / 2), ndtri(share / 2))
    ]
    others = [player for player in screening.players if player.flag is None and math.isfinite(player.p)]
    series = [
        Series("", ends, [0, 0], guide=True, marks=False, listed=False),
        *lines,
        _points("others", others, 0, hollow=True),
        _points("unusual", screening.named, 1, hollow=False),
    ]
    panel = Panel(
        [each for each in series if len(each.x)],
        x_title="moves screened",
        y_title="z, above the rating if positive",
        x=ends,
        x_text="{:,.0f}".format,
        logarithmic=True,
        height=460,
    )
    return curves("Play beside rating", [panel], width=900)


def _points(name: str, players: Sequence[Screened], number: int, *, hollow: bool) -> Series:
    return Series(
        name,
        [player.decisions for player in players],
        [player.z["all"] for player in players],
        number=number,
        line=False,
        hollow=[hollow] * len(players),
        titles=[
            f"{player.title}: z {player.z['all']:+.1f} in {player.decisions:,} turns" for player in players
        ],
    )


def games_figure(player: Screened) -> Figure:
    """Draw z of each game of somebody who is named, in the order of play."""
    games = player.each_game
    ends = (0.5, len(games) + 0.5)
    points = Series(
        "",
        list(range(1, len(games) + 1)),
        [game.z for game in games],
        line=False,
        listed=False,
        titles=[f"{game.about or game.game}: z {game.z:+.1f}" for game in games],
    )
    zero = Series("", ends, [0, 0], guide=True, marks=False, listed=False)
    panel = Panel([zero, points], x_title="game", y_title="z of the game", x=ends, whole_x=True)
    return curves(player.title, [panel], width=700)


# Live ----------------------------------------------------------------------------------------------------

_MARGIN = 0.1
"""Of the range drawn, left free above and below."""

_WIDEST = 900.0
"""Points above and below the middle that are drawn at most: intervals of the first moves go further."""

_NARROWEST = 50.0
"""Points above and below the middle that are drawn at least."""

_NO_RATING_YET = (1500.0, 2800.0)
"""What is drawn of the Elo scale while it is too early for a rating."""

_PAWNS = 10.0
"""Evaluations beyond so many pawns are drawn as so many."""

_GREY = 6


@figure_of.register
def live_figure(live: LiveGame) -> Figure:
    """Draw the ratings with their intervals, and the evaluation below.

    Where perceived strength was asked for it is drawn instead; without a scale the mean gain.
    """
    places = [_place(move) for move in live.moves]
    x = (min(places) - 0.5, max(places) + 0.5) if places else (1.0, 2.0)
    in_points = live.perceived or live.scale is not None
    above = Panel(
        [_live_series(live, white) for white in (True, False) if live.of(white)],
        y_title=_live_title(live),
        x=x,
        y=_live_span(live),
        y_text=("{:.0f}" if in_points else "{:+.2f}").format,
        height=400,
        whole_x=True,
    )
    evaluations = Series(
        f"Evaluation for White, within {_PAWNS:.0f} pawns",
        places,
        [_clipped(move.value / 100) for move in live.moves],
        number=_GREY,
        marks=False,
        steps=True,
        to_zero=True,
    )
    title = "Evaluation (pawns)"
    below = Panel([evaluations], x_title="Turn", y_title=title, x=x, height=190, whole_x=True)
    return curves(" – ".join(live.players), [above, below])


def _clipped(pawns: float) -> float:
    return pawns if math.isnan(pawns) else max(-_PAWNS, min(_PAWNS, pawns))


def _live_title(live: LiveGame) -> str:
    if live.perceived:
        what = "difference to the engine" if live.engine_strength is None else "strength"
        return f"Perceived {what} (not Elo)"
    return "Mean gain (pawns)" if live.scale is None else f"Rating ({live.scale})"


def _ends(live: LiveGame, move: LiveMove) -> tuple[float, float, float]:
    """Give what is drawn of a move, and its interval; NaN where it is too early."""
    if live.perceived:
        if move.perceived is not None:
            return move.perceived.strength, move.perceived.low, move.perceived.high
    elif live.scale is None:
        return move.mean_gain / 100, math.nan, math.nan
    elif move.combined is not None:
        return move.combined.elo, move.combined.low, move.combined.high
    return math.nan, math.nan, math.nan


def _place(move: LiveMove) -> float:
    return move.turn + (0.0 if move.white else 0.5)


def _live_span(live: LiveGame) -> tuple[float, float]:
    """Give the range drawn: all finite numbers and intervals; perceived strength: of the last moves."""
    ends = [_ends(live, move)[0] for move in live.moves]
    for moves in (live.of(True), live.of(False)):
        with_interval = moves[-1:] if live.perceived else moves  # the first of them reach to infinity
        ends += [end for move in with_interval for end in _ends(live, move)[1:]]
    finite = [end for end in ends if math.isfinite(end)]
    if not finite and live.scale is not None and not live.perceived:
        return _NO_RATING_YET
    finite = finite or [live.engine_strength or 0.0]
    middle = (min(finite) + max(finite)) / 2
    half = (max(finite) - min(finite)) / 2
    in_points = live.perceived or live.scale is not None
    half = min(max(half * (1 + _MARGIN), _NARROWEST if in_points else 1.0 if half == 0 else half), _WIDEST)
    return middle - half, middle + half


def _live_series(live: LiveGame, white: bool) -> Series:
    """Make line and interval; perceived strength is infinite while all moves so far are on one side."""
    moves = live.of(white)
    ends = [_ends(live, move) for move in moves]
    return Series(
        moves[0].player,
        [_place(move) for move in moves],
        [value for value, _, _ in ends],
        low=[low for _, low, _ in ends],
        high=[high for _, _, high in ends],
        interval="band",
        number=0 if white else 1,
        titles=[_in_words(live, move) for move in moves],
    )


def _in_words(live: LiveGame, move: LiveMove) -> str:
    text = f"{move.turn}{'.' if move.white else '...'}{move.san}"
    value, low, high = _ends(live, move)
    if math.isinf(value):
        return f"{text}: all moves so far on one side"
    text += f": gain {'?' if math.isnan(move.gain) else f'{move.gain / 100:+.2f}'}, "
    if math.isnan(value):
        return f"{text}too early"
    return f"{text}{value:+.2f}" if math.isnan(low) else f"{text}{value:.0f} ({low:.0f} to {high:.0f})"
