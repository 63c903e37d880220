"""What the figures of a card are drawn from."""

from dataclasses import replace

import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.report.parts.evidence import decisions_of
from examples.report_examples import chess_decisions, make_ratings


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
