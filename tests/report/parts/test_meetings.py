"""Everyone against everyone: results, and what ratings let expect."""

import pytest

from assay.report.parts.meetings import cross_table, expectation_table
from assay.report.parts.wording import points
from examples.report_examples import chess_decisions, make_ratings


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


def test_nobody_met() -> None:
    decisions = chess_decisions(("Ann", "Bob")).select(player="Ann")
    assert cross_table(make_ratings(decisions), decisions) is None


def test_expectations_of_two_add_up() -> None:
    ratings = make_ratings(chess_decisions())
    table = expectation_table(ratings)
    for row in range(3):
        for column in range(row):
            cells = [table.cells[a][b] for a, b in ((row, column), (column, row))]
            assert sum(float(one.title.partition("%")[0]) for one in cells) == pytest.approx(100, abs=0.11)
            for one in cells:
                low, high = map(float, one.ends.split(" to "))
                assert low <= float(one.text) <= high
    assert table.cells[0][2].side == "ahead"
    assert table.cells[2][0].side == "behind"
