"""The figures of a card, one function for each method; all cards draw on the same axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.answers.ratings import PlayerRating
from assay.figures.axes import small_axes, ticks
from assay.figures.svg import Point, Svg
from assay.models.gain import distribution as gain_distribution
from assay.models.losses.conformance import cumulative, wilson
from assay.report.parts.evidence import Examiner, PlayerEvidence
from assay.report.parts.wording import pawns, range_of

_GAIN_EDGES = np.arange(-210, 111, 20)  # centipawns, one bar about zero; the outermost take all beyond
_CURVE_POINTS = 121
_SHADES = 6  # of a cell of the Markov matrix: one path each, not one per cell


@dataclass(frozen=True)
class Frame:
    """What all cards share: the axes, and the others to compare with."""

    everybody: PlayerEvidence
    """All decisions together, as far as gain and conformance go."""
    others: Sequence[PlayerEvidence]
    skill: Point
    sensitivity: Point
    consistency: Point
    elo: Point


@dataclass(frozen=True)
class Figure:
    """One figure of a card: its title, what it says in numbers, and the drawing or why there is none."""

    title: str
    numbers: str = ""
    drawing: Svg | None = None
    failure: str = ""
    decisions: int = 0
    """How many decisions passed the rules of the method; 0 where they are not the method's own."""


def gain(examiner: Examiner, own: PlayerEvidence, frame: Frame) -> Figure:
    """Histogram of the gains; the line is everybody's."""
    heights, pool = (_gain_shares(examiner, one) for one in (own, frame.everybody))
    panel = small_axes("Distribution of gain", (-210, 110), (0, max(*heights, *pool)))
    panel.axes(
        "gain of a move, pawns",
        x_ticks=(-200, -100, 0, 100),
        x_text=lambda cp: "≤ −2" if cp == -200 else "≥ 1" if cp == 100 else pawns(cp, 0),
        y_text="{:.0%}".format,
    )
    panel.bars(_GAIN_EDGES.tolist(), heights, "bar")
    panel.line(np.repeat(_GAIN_EDGES, 2)[1:-1].tolist(), np.repeat(pool, 2).tolist(), "pool")
    mean = own.estimates["gain"]["mean_gain"]
    low, middle, high = (pawns(100 * end) for end in (mean.low, mean.value, mean.high))
    return Figure("Distribution of gain", f"mean gain {middle} pawns ({low} to {high})", panel.markup())


def _gain_shares(examiner: Examiner, one: PlayerEvidence) -> list[float]:
    """Share of moves in each bar."""
    inside = np.clip(
        gain_distribution.gains_of_bins(examiner.gain.limit), _GAIN_EDGES[0], _GAIN_EDGES[-1] - 1
    )
    counts, _ = np.histogram(inside, bins=_GAIN_EDGES, weights=one.profiles["gain"].evidence)
    return [float(part) for part in counts / counts.sum()]


def conformance(examiner: Examiner, own: PlayerEvidence, frame: Frame) -> Figure:
    """Share of moves that lose at most x, with its interval; the dashed line is everybody's."""
    model, profile = examiner.conformance, own.profiles["conformance"]
    shares = cumulative(profile.evidence)  # rounding may leave the last a hair above one
    bounds = [float(cp) for cp in range(0, model.top + 1, model.step)]
    curve = [wilson(min(float(part), 1.0), profile.decisions) for part in shares[: len(bounds)]]
    pool = cumulative(frame.everybody.profiles["conformance"].evidence)[: len(bounds)].tolist()
    panel = small_axes("Conformance", (0, bounds[-1]), (math.floor(10 * min(pool[0], curve[0].low)) / 10, 1))
    panel.axes("loss of at most, pawns", x_text=lambda cp: f"{cp / 100:g}", y_text="{:.0%}".format)
    panel.area(bounds, [one.low for one in curve], [one.high for one in curve], "band")
    panel.line(bounds, pool, "pool")
    panel.line(bounds, [one.value for one in curve], "curve")
    best, at = (own.estimates["conformance"][name].value for name in ("conformance_0", "conformance"))
    numbers = f"as good as the best {best:.0%}, within {model.bound / 100:g} pawns {at:.0%}"
    return Figure("Conformance", numbers, panel.markup())


def skill(examiner: Examiner, own: PlayerEvidence, frame: Frame) -> Figure:
    """Density of c; the ticks below are the means of the others."""
    posterior, c = examiner.posterior(own), own.estimates["bayes"]["c"]
    xs = np.linspace(*frame.skill, _CURVE_POINTS)
    ys = np.interp(xs, posterior.c, posterior.density, left=0.0, right=0.0).tolist()
    highest = max(ys) or 1.0
    panel = small_axes("Posterior of the skill c", frame.skill, (0, 1.05 * highest))
    panel.axes("skill c", y_ticks=(), x_ticks=ticks(*frame.skill, most=5))
    means = [other.estimates["bayes"]["c"].value for other in frame.others if "bayes" in other.estimates]
    panel.specks([(mean, 0.0) for mean in means], "rug", "v-7")
    panel.area(xs.tolist(), [0.0] * len(ys), ys, "band")
    panel.line(xs.tolist(), ys, "curve")
    panel.segment((c.value, 0), (c.value, highest), "mean")
    numbers = f"c = {c.value:.2f} ({c.low:.2f} to {c.high:.2f})"
    return Figure("Posterior of the skill c", numbers, panel.markup())


def choice(own: PlayerEvidence, frame: Frame) -> Figure:
    """The player's s and c with their intervals among the points of the others."""
    s, c = own.estimates["choice"]["s"], own.estimates["choice"]["c"]
    panel = small_axes("Sensitivity and consistency", frame.sensitivity, frame.consistency)
    panel.axes("sensitivity s (upright: consistency c)", x_ticks=ticks(*frame.sensitivity, most=5))
    others = [other.estimates["choice"] for other in frame.others if "choice" in other.estimates]
    panel.specks([(other["s"].value, other["c"].value) for other in others], "speck", "h0")
    panel.segment((s.low, c.value), (s.high, c.value), "whisker")
    panel.segment((s.value, c.low), (s.value, c.high), "whisker")
    panel.dot(s.value, c.value, "point", 4)
    numbers = ", ".join(
        f"{name} = {one.value:.2f} ({one.low:.2f} to {one.high:.2f})" for name, one in (("s", s), ("c", c))
    )
    return Figure("Sensitivity and consistency", numbers, panel.markup())


def markov(own: PlayerEvidence) -> Figure:
    """Where moves lead from each class of value: darker is likelier, on the diagonal nothing is lost."""
    counts = own.profiles["markov"].evidence
    seen = counts.sum(axis=-1, keepdims=True)
    matrix = np.divide(counts, seen, out=np.zeros_like(counts), where=seen > 0)
    size = len(matrix)
    panel = small_axes("Markov matrix", (0, size), (0, size), square=True)
    ends = {0.5: "lost", size / 2: "equal", size - 0.5: "won"}
    names = ends.__getitem__
    panel.axes(
        "value after the move (upright: before)",
        x_ticks=list(ends),
        y_ticks=list(ends),
        x_text=names,
        y_text=names,
    )
    # Roots, so that rare moves are seen at all.
    shade = np.ceil(_SHADES * np.sqrt(matrix)).astype(int)
    for level in range(1, _SHADES + 1):
        # Winning at the top and on the right: the row is the value before the move, the column after it.
        places = [(size - 1 - row, column) for row, column in np.argwhere(shade == level).tolist()]
        panel.cells(places, size, "cell", level / _SHADES)
    kept = own.estimates["markov"]["kept"].value
    return Figure("Markov matrix", f"{kept:.0%} of moves keep the class of the value", panel.markup())


def history(rated: PlayerRating, frame: Frame) -> Figure:
    """The combined rating of each year or month."""
    title = "Rating through time"
    known = [(when, rating) for when, rating in rated.history if math.isfinite(rating.elo)]
    if not known:
        return Figure(title, failure="no rating by year or month: all games count together")
    places = [float(place) for place in range(len(known))]
    panel = small_axes(title, (-0.5, len(known) - 0.5), frame.elo)
    step = math.ceil(len(known) / 6)
    labels = _short_dates([when for when, _ in known])
    panel.axes(
        "combined rating, with its interval",
        x_ticks=places[::step],
        x_text=lambda place: labels[int(place)],
        y_text="{:.0f}".format,
    )
    for place, (when, rating) in zip(places, known, strict=True):
        panel.segment((place, rating.low), (place, rating.high), "whisker")
        panel.dot(place, rating.elo, "point", 3.5, f"{when}: {range_of(rating)}")
    panel.line(places, [rating.elo for _, rating in known], "thread")
    return Figure(title, f"{known[0][0]} to {known[-1][0]}", panel.markup())


def _short_dates(dates: Sequence[str]) -> list[str]:
    """Dates without the year where all have the same: six must fit below a figure."""
    year = len("2011-")
    shared = len(dates) > 1 and len({date[:year] for date in dates}) == 1
    return [date[year:] for date in dates] if shared and len(dates[0]) > year else list(dates)
