"""One card per player: a figure for each method, on axes that all cards share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.answers.ratings import Estimate, PlayerRating, Quantity, Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import AssayError
from assay.figures.axes import small_axes, span, ticks
from assay.figures.svg import Point, Svg
from assay.models.base import MoveModel
from assay.models.bayes import BayesModel
from assay.models.choice.model import ChoiceModel
from assay.models.conformance import STEP, ConformanceModel, cumulative
from assay.models.gain import GainModel, gains_of_bins
from assay.models.intervals import wilson
from assay.models.markov import MarkovModel
from assay.report.page import pawns

MOST_CARDS = 150
"""Beyond these the page would be slow to open."""

GROUP_COLUMNS = {"year": "year", "event": "event", "game": "game_id"}
"""The column of decisions that each kind of group is a value of."""

_GAIN, _CONFORMANCE, _BAYES = GainModel(), ConformanceModel(), BayesModel()
_METHODS: tuple[MoveModel, ...] = (_GAIN, _CONFORMANCE, _BAYES, ChoiceModel(), MarkovModel())
"""The methods of a card on their default settings, in the order of its figures."""

_GAIN_EDGES = np.arange(-210, 111, 20)  # centipawns, one bar about zero; the outermost take all beyond
_CURVE_POINTS = 121
_SHADES = 6  # of a cell of the Markov matrix: one path each, not one per cell


@dataclass
class PlayerEvidence:
    """One player's profiles and estimates by method; where a method failed, its reason instead."""

    profiles: dict[str, Profile] = field(default_factory=dict)
    estimates: dict[str, Estimate] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """One figure of a card: its title, its numbers, and the drawing or why there is none."""

    title: str
    numbers: str = ""
    drawing: Svg | None = None
    failure: str = ""
    decisions: int = 0
    """How many decisions passed the rules of the method; 0 where they are not the method's."""


@dataclass(frozen=True)
class Card:
    """A player with the figures of the methods."""

    rated: PlayerRating
    figures: tuple[Figure, ...]


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


def cards(ratings: Ratings, decisions: Decisions, most: int = MOST_CARDS) -> list[Card]:
    """Make the cards of the first players."""
    players = ratings.players[:most]
    evidence = [examine(decisions_of(decisions, player, ratings.by)) for player in players]
    return _drawn(players, evidence, compare(decisions))


def single_card(player: PlayerRating, decisions: Decisions, everybody: PlayerEvidence) -> Card:
    """Make the card of one player by itself, on its own axes; `everybody` is `compare` of all decisions."""
    return _drawn([player], [examine(decisions)], everybody)[0]


def examine(decisions: Decisions, methods: Sequence[MoveModel] = _METHODS) -> PlayerEvidence:
    """Apply every method to these decisions: a method that fails on few of them must not cost the report."""
    evidence = PlayerEvidence()
    for method in methods:
        try:
            profile = method.profile(decisions)
            estimate = method.estimate(profile)
        except AssayError as error:
            evidence.failures[method.name] = str(error)
        else:
            evidence.profiles[method.name], evidence.estimates[method.name] = profile, estimate
    return evidence


def compare(everybody: Decisions) -> PlayerEvidence:
    """Examine all players together, by the methods whose figures show them."""
    return examine(everybody, (_GAIN, _CONFORMANCE))


def decisions_of(decisions: Decisions, player: PlayerRating, by: str) -> Decisions:
    """Select the decisions that a rating rests on: of the player, and of the group where there is one.

    "unknown year" is the group of those without a year. None where no decision is of the group: a label that
    was made elsewhere.
    """
    of_player = decisions.select(player=player.player)
    column = GROUP_COLUMNS.get(by)
    if column is None or not player.group:
        return of_player
    groups = [None if value is None else str(value) for value in of_player.text(column)]
    wanted = None if player.group == f"unknown {by}" else player.group
    return of_player.take(np.flatnonzero([value == wanted for value in groups]))


def _drawn(
    players: Sequence[PlayerRating], evidence: Sequence[PlayerEvidence], everybody: PlayerEvidence
) -> list[Card]:
    skills = [each.estimates["bayes"]["c"] for each in evidence if "bayes" in each.estimates]
    choices = [each.estimates["choice"] for each in evidence if "choice" in each.estimates]
    ratings = [rating for player in players for _, rating in player.history]
    frame = Frame(
        everybody,
        evidence,
        skill=span(end for c in skills for end in (c.value - 3 * c.deviation, c.value + 3 * c.deviation)),
        sensitivity=_span_above_zero([choice["s"] for choice in choices]),
        consistency=_span_above_zero([choice["c"] for choice in choices]),
        elo=span(end for rating in ratings for end in (rating.low, rating.elo, rating.high)),
    )
    return [
        Card(player, tuple(_figures(each, player, frame)))
        for player, each in zip(players, evidence, strict=True)
    ]


def _span_above_zero(quantities: Sequence[Quantity]) -> Point:
    """Give the range of intervals, far wider ones cut: one of them must not flatten all the others."""
    usual = 1.5 * float(np.median([q.high - q.low for q in quantities])) if quantities else 0.0
    low, high = span(
        end for q in quantities for end in (max(q.low, q.value - usual), min(q.high, q.value + usual))
    )
    return max(low, 0.0), high


# Figures -------------------------------------------------------------------------------------------------


def _figures(evidence: PlayerEvidence, player: PlayerRating, frame: Frame) -> Iterator[Figure]:
    failures = {**frame.everybody.failures, **evidence.failures}
    for method, (title, draw) in _DRAWN.items():
        if method in failures:
            yield Figure(title, failure=failures[method])
        else:
            numbers, drawing = draw(title, evidence, frame)
            yield Figure(title, numbers, drawing, decisions=round(evidence.profiles[method].decisions))
    yield history(player, frame)


def _gain(title: str, evidence: PlayerEvidence, frame: Frame) -> tuple[str, Svg]:
    """Draw the histogram of the gains; the line is everybody's."""
    heights, pool = (_gain_shares(each) for each in (evidence, frame.everybody))
    panel = small_axes(title, (-210, 110), (0, max(*heights, *pool)))
    panel.axes(
        "gain of a move, pawns",
        x_ticks=(-200, -100, 0, 100),
        x_text=lambda cp: "≤ −2" if cp == -200 else "≥ 1" if cp == 100 else pawns(cp, 0),
        y_text="{:.0%}".format,
    )
    panel.bars(_GAIN_EDGES.tolist(), heights, "bar")
    panel.line(np.repeat(_GAIN_EDGES, 2)[1:-1].tolist(), np.repeat(pool, 2).tolist(), "pool")
    mean = evidence.estimates["gain"]["mean_gain"]
    low, middle, high = (pawns(100 * end) for end in (mean.low, mean.value, mean.high))
    return f"mean gain {middle} pawns ({low} to {high})", panel.markup()


def _gain_shares(evidence: PlayerEvidence) -> list[float]:
    """Give the share of moves in each bar."""
    inside = np.clip(gains_of_bins(_GAIN.limit), _GAIN_EDGES[0], _GAIN_EDGES[-1] - 1)
    counts, _ = np.histogram(inside, bins=_GAIN_EDGES, weights=evidence.profiles["gain"].evidence)
    return [float(part) for part in counts / counts.sum()]


def _conformance(title: str, evidence: PlayerEvidence, frame: Frame) -> tuple[str, Svg]:
    """Draw the share of moves that lose at most x, with its interval; the dashed line is everybody's."""
    model, profile = _CONFORMANCE, evidence.profiles["conformance"]
    shares = cumulative(profile.evidence)  # rounding may leave the last a hair above one
    bounds = [float(cp) for cp in range(0, model.top + 1, STEP)]
    curve = [wilson(min(float(part), 1.0), profile.decisions) for part in shares[: len(bounds)]]
    pool = cumulative(frame.everybody.profiles["conformance"].evidence)[: len(bounds)].tolist()
    panel = small_axes(title, (0, bounds[-1]), (math.floor(10 * min(pool[0], curve[0].low)) / 10, 1))
    panel.axes("loss of at most, pawns", x_text=lambda cp: f"{cp / 100:g}", y_text="{:.0%}".format)
    panel.area(bounds, [share.low for share in curve], [share.high for share in curve], "band")
    panel.line(bounds, pool, "pool")
    panel.line(bounds, [share.value for share in curve], "curve")
    estimate = evidence.estimates["conformance"]
    best, at = (estimate[name].value for name in ("conformance_0", "conformance"))
    return f"as good as the best {best:.0%}, within {model.bound / 100:g} pawns {at:.0%}", panel.markup()


def _skill(title: str, evidence: PlayerEvidence, frame: Frame) -> tuple[str, Svg]:
    """Draw the density of c; the ticks below are the means of the others."""
    posterior, c = _BAYES.posterior(evidence.profiles["bayes"]), evidence.estimates["bayes"]["c"]
    xs = np.linspace(*frame.skill, _CURVE_POINTS)
    ys = np.interp(xs, posterior.c, posterior.density, left=0.0, right=0.0).tolist()
    highest = max(ys) or 1.0
    panel = small_axes(title, frame.skill, (0, 1.05 * highest))
    panel.axes("skill c", y_ticks=(), x_ticks=ticks(*frame.skill, most=5))
    means = [other.estimates["bayes"]["c"].value for other in frame.others if "bayes" in other.estimates]
    panel.specks([(mean, 0.0) for mean in means], "rug", "v-7")
    panel.area(xs.tolist(), [0.0] * len(ys), ys, "band")
    panel.line(xs.tolist(), ys, "curve")
    panel.segment((c.value, 0), (c.value, highest), "mean")
    return f"c = {_with_ends(c)}", panel.markup()


def _choice(title: str, evidence: PlayerEvidence, frame: Frame) -> tuple[str, Svg]:
    """Draw the player's s and c with their intervals among the points of the others."""
    s, c = evidence.estimates["choice"]["s"], evidence.estimates["choice"]["c"]
    panel = small_axes(title, frame.sensitivity, frame.consistency)
    panel.axes("sensitivity s (upright: consistency c)", x_ticks=ticks(*frame.sensitivity, most=5))
    others = [other.estimates["choice"] for other in frame.others if "choice" in other.estimates]
    panel.specks([(other["s"].value, other["c"].value) for other in others], "speck", "h0")
    panel.segment((s.low, c.value), (s.high, c.value), "whisker")
    panel.segment((s.value, c.low), (s.value, c.high), "whisker")
    panel.dot(s.value, c.value, "point", 4)
    return f"s = {_with_ends(s)}, c = {_with_ends(c)}", panel.markup()


def _with_ends(quantity: Quantity) -> str:
    return f"{quantity.value:.2f} ({quantity.low:.2f} to {quantity.high:.2f})"


def _markov(title: str, evidence: PlayerEvidence, _: Frame) -> tuple[str, Svg]:
    """Draw where moves lead from each class of value: darker is likelier, on the diagonal nothing is lost."""
    counts = evidence.profiles["markov"].evidence
    seen = counts.sum(axis=-1, keepdims=True)
    matrix = np.divide(counts, seen, out=np.zeros_like(counts), where=seen > 0)
    size = len(matrix)
    panel = small_axes(title, (0, size), (0, size), square=True)
    ends = {0.5: "lost", size / 2: "equal", size - 0.5: "won"}
    names = ends.__getitem__
    about = "value after the move (upright: before)"
    panel.axes(about, x_ticks=list(ends), y_ticks=list(ends), x_text=names, y_text=names)
    shade = np.ceil(_SHADES * np.sqrt(matrix)).astype(int)  # roots, so that rare moves are seen at all
    for level in range(1, _SHADES + 1):
        # Winning at the top and on the right: the row is the value before the move, the column after it.
        places = [(size - 1 - row, column) for row, column in np.argwhere(shade == level).tolist()]
        panel.cells(places, size, "cell", level / _SHADES)
    share = evidence.estimates["markov"]["kept"].value
    return f"{share:.0%} of moves keep the class of the value", panel.markup()


_DRAWN: dict[str, tuple[str, Callable[[str, PlayerEvidence, Frame], tuple[str, Svg]]]] = {
    "gain": ("Distribution of gain", _gain),
    "conformance": ("Conformance", _conformance),
    "bayes": ("Posterior of the skill c", _skill),
    "choice": ("Sensitivity and consistency", _choice),
    "markov": ("Markov matrix", _markov),
}


def history(player: PlayerRating, frame: Frame) -> Figure:
    """Draw the rating by moves of each year or month."""
    title = "Rating through time"
    periods = [(when, rating) for when, rating in player.history if math.isfinite(rating.elo)]
    if not periods:
        return Figure(title, failure="no rating by year or month: all games count together")
    places = [float(place) for place in range(len(periods))]
    panel = small_axes(title, (-0.5, len(periods) - 0.5), frame.elo)
    labels = _short_dates([when for when, _ in periods])
    panel.axes(
        "rating by moves, with its interval",
        x_ticks=places[:: math.ceil(len(periods) / 6)],
        x_text=lambda place: labels[int(place)],
        y_text="{:.0f}".format,
    )
    for place, (when, rating) in zip(places, periods, strict=True):
        panel.segment((place, rating.low), (place, rating.high), "whisker")
        panel.dot(place, rating.elo, "point", 3.5, f"{when}: {rating}")
    panel.line(places, [rating.elo for _, rating in periods], "thread")
    return Figure(title, f"{periods[0][0]} to {periods[-1][0]}", panel.markup())


def _short_dates(dates: Sequence[str]) -> list[str]:
    """Leave the year out of dates where all have the same: six must fit below a figure."""
    year = len("2011-")
    shared = len(dates) > 1 and len({date[:year] for date in dates}) == 1
    return [date[year:] for date in dates] if shared and len(dates[0]) > year else list(dates)
