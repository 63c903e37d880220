"""The parts of the page of ratings, one by one."""

import math
from dataclasses import replace

import chess
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.decisions import Decisions
from assay.domain.measures import expectation
from assay.models.crosstable import results_between
from assay.report.parts.diagrams import diagram, in_words
from assay.report.parts.evidence import decisions_of
from assay.report.parts.intervals import interval_plot
from assay.report.parts.losses import biggest_losses
from assay.report.parts.meetings import cross_table, expectation_table
from assay.report.parts.summary import summarise
from assay.report.parts.svg import Panel, span, ticks
from assay.report.parts.wording import counted, pawns, points, value
from report_examples import chess_decisions, make_ratings

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def decision(**columns: object) -> Decisions:
    """One decision in the first position, the best move first."""
    row = {
        "player": "Ann",
        "played": "f2f3",
        "moves": ["e2e4", "f2f3"],
        "cp": [30, -400],
        "position_key": START,
    }
    return Decisions.from_table(pa.Table.from_pylist([{**row, **columns}]))


# Drawing -------------------------------------------------------------------------------------------------


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_are_few_and_within(low: float, width: float, most: int) -> None:
    found = ticks(low, low + width, most)
    assert 1 <= len(found) <= most
    assert all(low - 1e-6 * width - 1e-6 <= one <= low + width + 1e-6 * width + 1e-6 for one in found)


def test_ticks_are_round() -> None:
    assert ticks(2683, 2862) == [2700, 2750, 2800, 2850]
    assert ticks(0, 1, 3) == [0, 0.5, 1]


def test_places_beyond_the_axes_stay_at_their_end() -> None:
    panel = Panel("p", (0, 10), (0, 1))
    assert panel.at(50, -3) == panel.at(10, 0)


def test_text_of_a_figure_is_escaped() -> None:
    panel = Panel('"><script>', (0, 1), (0, 1))
    panel.dot(0, 0, "point", title="<b>")
    assert "<script>" not in panel.markup()
    assert "<b>" not in panel.markup()


def test_a_span_of_one_value_or_none_has_a_width() -> None:
    for values in ([], [3.0], [math.nan, math.inf]):
        low, high = span(values)
        assert low < high


# Words ---------------------------------------------------------------------------------------------------


def test_numbers_as_people_read_them() -> None:
    assert [points(number) for number in (0, 0.5, 1, 2.5)] == ["0", "½", "1", "2½"]
    assert [value(number) for number in (31997, -31995, 12, -250)] == [
        "mate in 3",
        "mated in 5",
        "+0.12",
        "−2.50",
    ]
    assert pawns(0.2) == "0.00"
    assert counted(1, "game") == "1 game"
    assert counted(1200, "game") == "1,200 games"


# Losses and diagrams -------------------------------------------------------------------------------------


def test_losses_come_with_the_largest_first() -> None:
    found = biggest_losses(chess_decisions())
    assert len(found) == 12
    lost = [one.lost for one in found]
    assert lost == sorted(lost, reverse=True)
    assert all(one.diagram.startswith("data:image/svg+xml,") for one in found)


def test_a_loss_in_words() -> None:
    [one] = biggest_losses(decision(ply=0, year=1972, event="Reykjavik", opponent="Bob", colour="white"))
    assert (one.turn, one.played, one.best, one.before, one.after) == ("1.", "f3", "e4", "+0.30", "−4.00")
    assert one.occasion == "Reykjavik, 1972"
    [other] = biggest_losses(decision(year=1972, event="Reykjavik 1972"))
    assert other.occasion == "Reykjavik 1972"
    assert one.lost == pytest.approx(float(expectation(30) - expectation(-400)))


def test_a_position_that_was_evaluated_alone_takes_the_next() -> None:
    [one] = biggest_losses(decision(moves=["f2f3"], cp=[-400], before=30, after=-400, n_legal=20))
    assert (one.best, one.before, one.after) == ("", "+0.30", "−4.00")


def test_a_lost_pawn_counts_less_where_all_is_decided() -> None:
    both = Decisions.concat([decision(cp=[900, 700], recipe_id="r"), decision(cp=[50, -50], recipe_id="r")])
    assert [one.after for one in biggest_losses(both)] == ["−0.50", "+7.00"]


def test_what_is_excluded_is_not_shown() -> None:
    assert biggest_losses(decision(exclusion="variant")) == []


def test_moves_that_are_not_legal_are_shown_as_written() -> None:
    assert in_words(START, "e2e5") == "e2e5"
    assert in_words("somewhere", "m1") == "m1"
    assert diagram("somewhere", "m1", "m2") == ""
    assert diagram("8/8/8/8/8/8/8/8 w - -", "e2e4", "") == ""


def test_the_mover_is_at_the_bottom() -> None:
    board = chess.Board()
    board.push_san("e4")
    white, black = (diagram(" ".join(b.fen().split()[:4]), "", "") for b in (chess.Board(), board))
    assert white != black


@given(st.lists(st.integers(-32000, 32000), min_size=2, max_size=9))
def test_expectation_rises_and_is_fair(values: list[int]) -> None:
    found = expectation(np.sort(values))
    assert (np.diff(found) >= 0).all()
    assert expectation(-found[0]) == pytest.approx(1 - expectation(found[0]))


# Everyone against everyone -------------------------------------------------------------------------------


def test_the_cross_table_counts_each_game_once() -> None:
    decisions = chess_decisions(("Ann", "Bob", "Cem"))
    table = cross_table(make_ratings(decisions), decisions)
    assert table is not None
    assert sorted(table.names) == ["Ann", "Bob", "Cem"]
    assert all(total.endswith(" / 4") for total in table.totals)
    ann, bob = table.names.index("Ann"), table.names.index("Bob")
    one = decisions.select(player="Ann", opponent="Bob")
    expected = sum(part.numbers("result")[0] for _, part in one.by_game())
    assert table.cells[ann][bob].title == f"{points(expected)} of 2"


def test_results_of_one_side_and_unknown_ones() -> None:
    game, result = np.array([0, 0, 1, 2]), np.array([1.0, 1.0, 0.5, math.nan])
    player, opponent = np.array([0, 0, 1, 0]), np.array([1, 1, 0, 2])
    games, results = results_between(player, opponent, game, result, 3)
    assert games.tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert results[0, 1] == 1.5
    assert results[1, 0] == 0.5
    assert math.isnan(results[0, 2])
    assert math.isnan(results[1, 2])


def test_nobody_met() -> None:
    decisions = chess_decisions(("Ann", "Bob")).select(player="Ann")
    assert cross_table(make_ratings(decisions), decisions) is None


def test_expectations_of_two_add_up() -> None:
    ratings = make_ratings(chess_decisions())
    table = expectation_table(ratings)
    for row in range(3):
        for column in range(row):
            shares = [float(table.cells[a][b].title.rstrip("%")) for a, b in ((row, column), (column, row))]
            assert sum(shares) == pytest.approx(100, abs=0.11)
    assert table.cells[0][2].side == "ahead"
    assert table.cells[2][0].side == "behind"


# Ratings -------------------------------------------------------------------------------------------------


def test_the_plot_has_the_first_rows_only() -> None:
    ratings = make_ratings(chess_decisions())
    plot = interval_plot(ratings, most=2)
    assert [row.rated for row in plot.rows] == list(ratings.players[:2])


def test_a_summary_of_one() -> None:
    decisions = chess_decisions().select(player="Ann")
    summary = summarise(make_ratings(decisions))
    assert summary.second is None
    assert math.isnan(summary.lead)


def test_decisions_of_a_group() -> None:
    decisions = chess_decisions()
    for by in ("year", "event", "game"):
        for rated in make_ratings(decisions, by=by).players:
            assert len(decisions_of(decisions, rated, by)) == rated.decisions


def test_decisions_of_a_group_that_is_not_known() -> None:
    table = chess_decisions().to_table()
    for column in ("year", "event"):
        emptied = pa.nulls(len(table), table.schema.field(column).type)
        table = table.set_column(table.column_names.index(column), table.schema.field(column), emptied)
    decisions = Decisions.from_table(table)
    rated = make_ratings(decisions).players[0]
    for by in ("year", "event"):
        assert len(decisions_of(decisions, replace(rated, group=f"unknown {by}"), by)) == rated.decisions
        assert len(decisions_of(decisions, replace(rated, group="elsewhere"), by)) == 0


def test_dates_below_a_figure_leave_out_the_year_they_share() -> None:
    from assay.report.parts.panels import _short_dates

    assert _short_dates(["2011-12-03", "2011-12-05"]) == ["12-03", "12-05"]
    assert _short_dates(["2011-11", "2011-12"]) == ["11", "12"]
    assert _short_dates(["2010", "2011"]) == ["2010", "2011"]
    assert _short_dates(["2010-12", "2011-01"]) == ["2010-12", "2011-01"]
