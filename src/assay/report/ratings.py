"""The page of ratings: one self-contained HTML file that opens without a network and prints well."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.answers.answer import level_in_words, points
from assay.answers.ratings import Forecast, PlayerRating, Rating, Ratings
from assay.decisions import evaluation, measures
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import MEANINGS
from assay.decisions.rules import rated as rated_rule
from assay.errors import InputError
from assay.figures import intervals
from assay.figures.axes import ticks
from assay.figures.board import diagram, in_words
from assay.figures.figure import Figure
from assay.figures.intervals import REFERENCE, Mark, interval_figure, reach, track, track_axis
from assay.figures.svg import REFERENCE_SHAPE, SHAPES, Svg
from assay.models.gain import results_between
from assay.rating.comparisons import forecast_of
from assay.report.cards import cards
from assay.report.insights import RATE_WORDS, PlayerInsights, apart, ranked
from assay.report.page import Provenance, elo, pawns, report_templates

OPEN_CARDS = 3
"""Cards that are open at first where there are many players."""

FEW_PLAYERS = 6
"""Up to so many, all cards are open."""

MOST_ROWS = 100
"""More rows are not a picture any more: the table has all of them."""

MOST_PLAYERS = 60
"""A table of more rows and columns is not read any more."""

MOST_NUMBERED = 20
"""Up to so many players the cells of the heat map show their number."""

MOST_LOSSES = 12

_REACH = 600.0
"""Points beyond the outermost ratings that are drawn at most: intervals of a single game go further."""

_LEAST_LOSS = 0.02
"""A smaller loss of expectation is within what the engine itself wavers by."""


def ratings_page(
    ratings: Ratings,
    decisions: Decisions,
    *,
    source: str,
    provenance: Provenance,
    insights: Sequence[PlayerInsights] = (),
) -> str:
    """Write the report of a study as HTML; `source` names the games or the file that they are from.

    `insights` are sections about single players (assay.report.insights).
    """
    page = report_templates().get_template("ratings.html")
    units = {each.method: each for player in ratings.players for each in player.measures.values()}
    return page.render(
        ratings=ratings,
        level=level_in_words(ratings.level),
        source=source,
        provenance=provenance,
        summary=" ".join(ratings.sentences()),
        decisions=sum(player.decisions for player in ratings.players),
        units=[units[method] for method in sorted(units)],
        left_out=[(MEANINGS.get(reason, reason), n) for reason, n in provenance.left_out.items()],
        plot=interval_plot(ratings),
        shapes=list(SHAPES.values()),
        reference_shape=REFERENCE_SHAPE,
        cards=cards(ratings, decisions),
        open_cards=len(ratings) if len(ratings) <= FEW_PLAYERS else OPEN_CARDS,
        crosstable=cross_table(ratings, decisions),
        expectations=expectation_table(ratings),
        insights=insights,
        rate_words=RATE_WORDS,
        apart=apart,
        ranked=ranked,
        losses=biggest_losses(decisions.select(player=sorted({player.player for player in ratings.players}))),
    )


# The dot-and-interval plot ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class IntervalPlot:
    """The rows, the axis above and below them, and which mark stands for which method."""

    rows: tuple[tuple[PlayerRating, Svg], ...]
    axis: Svg
    marks: Mapping[str, int]
    """Number of the mark (shape and colour) of each method."""
    has_reference: bool


def interval_plot(ratings: Ratings, most: int = MOST_ROWS) -> IntervalPlot:
    """Draw ratings by moves with their intervals, the methods below them, published ratings hollow."""
    shown, marks = _with_rating(ratings, most), _marks(ratings)
    drawn = [_row(player, rating, marks) for player, rating in shown]
    ends = reach(drawn, _REACH)
    grid = ticks(*ends, most=7)
    rows = tuple((player, track(row, ends, grid)) for (player, _), row in zip(shown, drawn, strict=True))
    has_reference = any(math.isfinite(player.reference) for player in ratings.players[:most])
    return IntervalPlot(rows, track_axis(ends, grid, elo), marks, has_reference)


def ratings_figure(ratings: Ratings, most: int = MOST_ROWS) -> Figure:
    """Draw the same as one figure, for a file."""
    shown, marks = _with_rating(ratings, most), _marks(ratings)
    if not shown:
        raise InputError("there are no ratings to draw: without a calibration there is no Elo")
    has_reference = any(math.isfinite(player.reference) for player, _ in shown)
    return interval_figure(
        f"Ratings by moves with their {level_in_words(ratings.level)} intervals",
        [_row(player, rating, marks) for player, rating in shown],
        marks=list(marks),
        reference="published rating, the mean in these games" if has_reference else "",
        x_title=ratings.scale or "",
        text=elo,
        most=_REACH,
    )


def _marks(ratings: Ratings) -> dict[str, int]:
    return {method: place % len(SHAPES) for place, method in enumerate(ratings.methods)}


def _with_rating(ratings: Ratings, most: int) -> list[tuple[PlayerRating, Rating]]:
    """Select the players that have a rating: without an Elo scale there is no axis to draw on."""
    return [(player, player.combined) for player in ratings.players[:most] if player.combined is not None]


def _row(player: PlayerRating, rating: Rating, marks: Mapping[str, int]) -> intervals.Row:
    reference = Mark(player.reference, REFERENCE, f"published rating {elo(player.reference)}")
    methods = [Mark(each.elo, marks[method], f"{method} {each}") for method, each in player.ratings.items()]
    interval = rating.elo, rating.low, rating.high, f"rating by moves {rating}"
    return intervals.Row(player.title, *interval, [reference, *methods], str(rating))


# Everyone against everyone -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A cell of a square table: what it shows, its title, and how strongly it is coloured."""

    text: str = ""
    title: str = ""
    side: str = ""
    """ahead, behind or level: the colour; empty for none."""
    strength: float = 0.0
    """0 to 1: how far from level."""
    ends: str = ""
    """The interval of what is shown."""


@dataclass(frozen=True)
class SquareTable:
    """Names with a row of cells each; a column belongs to the name of the same number."""

    names: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    totals: tuple[str, ...] = ()
    of_all: int = 0
    """How many players there are, where not all are shown."""


def expectation_table(ratings: Ratings, most: int = MOST_PLAYERS) -> SquareTable | None:
    """Forecast each row against each column by their ratings by moves; None without an Elo scale.

    Every number comes with its interval: ratings from few games allow almost any result.
    """
    rated = [(player, player.combined) for player in ratings.players if player.combined is not None]
    shown = [player for player, rating in rated if math.isfinite(rating.high - rating.low)][:most]
    if len(shown) < 2:
        return None
    numbered = len(shown) <= MOST_NUMBERED
    cells = tuple(
        tuple(
            Cell() if player is other else _expected(forecast_of(player, other), numbered) for other in shown
        )
        for player in shown
    )
    return SquareTable(tuple(player.title for player in shown), cells, of_all=len(ratings))


def _expected(forecast: Forecast | None, numbered: bool) -> Cell:
    assert forecast is not None  # both have a rating
    expected = forecast.expectation
    ends = f"{100 * forecast.low:.0f} to {100 * forecast.high:.0f}"
    side = "level" if abs(expected - 0.5) < 0.005 else "ahead" if expected > 0.5 else "behind"
    text = f"{100 * expected:.0f}" if numbered else ""
    title = f"{100 * expected:.1f}%, 95% interval {ends}"
    return Cell(text, title, side, abs(2 * expected - 1), ends if numbered else "")


def cross_table(ratings: Ratings, decisions: Decisions, most: int = MOST_PLAYERS) -> SquareTable | None:
    """Sum the points of each against each, in the order of the ratings; None where nobody met another."""
    players = list(dict.fromkeys(player.player for player in ratings.players))
    places = {name: place for place, name in enumerate(players)}
    games, results = results_between(
        _places(decisions, "player", places),
        _places(decisions, "opponent", places),
        decisions.codes("game_id"),
        decisions.numbers("result"),
        len(players),
    )
    met = [place for place in range(len(players)) if games[place].any()][:most]
    if not met:
        return None
    cells = tuple(tuple(_result(int(games[a, b]), float(results[a, b])) for b in met) for a in met)
    totals = tuple(_total(games[a], results[a]) for a in met)
    return SquareTable(tuple(players[place] for place in met), cells, totals, of_all=len(players))


def _places(decisions: Decisions, column: str, places: dict[str, int]) -> Ints:
    """Give the place of the name of each decision; -1 where it is unknown or not rated."""
    by_code = np.array([places.get(name, -1) for name in decisions.names(column)] + [-1], dtype=np.int64)
    return by_code[decisions.codes(column)]


def _result(games: int, result: float) -> Cell:
    if not games:
        return Cell()
    if math.isnan(result):
        return Cell("?", f"{games} games, not all results are known")
    side = "level" if 2 * result == games else "ahead" if 2 * result > games else "behind"
    return Cell(points(result), f"{points(result)} of {games}", side, abs(2 * result / games - 1))


def _total(games: Ints, results: npt.NDArray[np.float64]) -> str:
    scored = (games > 0) & ~np.isnan(results)
    return f"{points(float(results[scored].sum()))} / {int(games[scored].sum())}"


# The moves that cost the most ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BigLoss:
    """One decision that lost much."""

    player: str
    opponent: str
    colour: str
    occasion: str
    turn: str
    """Number of the move with its dots; empty where decisions have none."""
    played: str
    best: str
    """The best option; empty where only the position was evaluated."""
    before: str
    after: str
    expected_before: float
    expected_after: float
    position: str
    moves: tuple[str, str]
    """The move played and the best one, in UCI; empty where it is not known."""
    game: str
    ply: int | None
    """The game, and how many plies were played before; None where decisions do not say."""

    @property
    def lost(self) -> float:
        """Expectation lost."""
        return self.expected_before - self.expected_after

    @property
    def diagram(self) -> str:
        """A picture as an address that holds it; empty where the position is not one of chess."""
        return diagram(self.position, *self.moves)


def biggest_losses(decisions: Decisions, most: int = MOST_LOSSES) -> list[BigLoss]:
    """Find the decisions that lost most expectation, the largest first."""
    rated = decisions.filter(rated_rule())
    best, played = compared_values(rated)
    lost = np.nan_to_num(measures.expectation(best) - measures.expectation(played), nan=0.0)
    order = np.argsort(-lost, kind="stable")[:most]
    order = order[lost[order] >= _LEAST_LOSS]
    rows = rated.take(order)
    return [_big_loss(rows, row, float(best[of]), float(played[of])) for row, of in enumerate(order)]


def compared_values(decisions: Decisions) -> tuple[Floats, Floats]:
    """Give the value of the best and of the played option, from one analysis.

    Where only positions were evaluated, as in comments, the value of the position before stands for that of
    the best option, and of the next position for that of the played one.
    """
    compared = ~np.isnan(measures.loss(decisions))
    best = np.where(compared, decisions.best_value, decisions.numbers("before"))
    return best, np.where(compared, decisions.played_value, decisions.numbers("after"))


def _big_loss(rows: Decisions, row: int, best_value: float, played_value: float) -> BigLoss:
    decision = rows.take(np.array([row]))
    names = ("player", "opponent", "colour", "event", "position_key", "game_id")
    text = {name: decision.text(name)[0] or "" for name in names}
    ply, year = (float(decision.numbers(name)[0]) for name in ("ply", "year"))
    played, options = str(decision.text("played")[0]), decision.options(0)
    best = options[0][0] if options and options[0][0] != played else ""
    when = "" if math.isnan(year) or f"{year:.0f}" in text["event"] else f"{year:.0f}"
    return BigLoss(
        player=text["player"],
        opponent=text["opponent"],
        colour=text["colour"],
        occasion=", ".join(filter(None, (text["event"], when))),
        turn="" if math.isnan(ply) else f"{int(ply) // 2 + 1}{'.' if int(ply) % 2 == 0 else '…'}",
        played=in_words(text["position_key"], played),
        best=in_words(text["position_key"], best),
        before=value(best_value),
        after=value(played_value),
        expected_before=float(measures.expectation(best_value)),
        expected_after=float(measures.expectation(played_value)),
        position=text["position_key"],
        moves=(played, best),
        game=text["game_id"],
        ply=None if math.isnan(ply) else int(ply),
    )


def value(evaluated: float) -> str:
    """Write an evaluation: pawns, or the moves to mate."""
    if math.isnan(evaluated):
        return "?"
    if abs(evaluated) < evaluation.MATE_BOUND:
        return pawns(evaluated)
    distance = round(evaluation.MATE - abs(evaluated))
    return f"mate in {distance}" if evaluated > 0 else f"mated in {distance}"
