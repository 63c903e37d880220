"""The dot-and-interval plot: what stands in its rows."""

from assay.report.parts.intervals import interval_plot
from examples.report_examples import chess_decisions, make_ratings


def test_the_plot_has_the_first_rows_only() -> None:
    ratings = make_ratings(chess_decisions())
    plot = interval_plot(ratings, most=2)
    assert [row.rated for row in plot.rows] == list(ratings.players[:2])
