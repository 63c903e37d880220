"""Columns of every table of a workspace, and reasons in `exclusion`: for docs/reference/tables.md."""

from __future__ import annotations

from collections.abc import Iterable

from assay.decisions.exclusions import OF_GAMES
from assay.decisions.schema import TABLES, TRACE_COLUMNS, Column
from research.markdown import Tables, table


def columns_table(columns: Iterable[Column]) -> str:
    """Each column with its type and meaning."""
    rows = [
        (
            f"`{column.name}`",
            str(column.type).replace("<element: ", "<").replace("<item: ", "<"),
            "yes" if column.nullable else "",
            column.meaning,
        )
        for column in columns
    ]
    return table(("column", "type", "may be null", "meaning"), rows)


def tables() -> Tables:
    """Every table of a workspace, the columns of a trace, and the reasons."""
    for entry in TABLES:
        yield entry.name, f"{entry.meaning}\n\n{columns_table(entry.columns)}"
    yield "trace", columns_table(TRACE_COLUMNS)
    reasons = [(f"`{reason.value}`", reason.meaning) for reason in OF_GAMES]
    yield "reasons", table(("reason", "meaning"), reasons)
