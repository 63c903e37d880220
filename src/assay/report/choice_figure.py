"""Sensitivity and consistency by Elo, as the mileposts give them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.models.choice.tables import Milepost

_PANELS = (
    ("s_fit", "sensitivity s (c on the line)"),
    ("c", "consistency c"),
    ("mm", "first-move agreement, %"),
    ("ad", "average scaled difference, pawns"),
)


def milepost_figure(tables: Mapping[str, Sequence[Milepost]]) -> Figure:
    """Four panels by Elo; one look for each table (a period, or all games).

    Marks are what was fitted or played, lines without marks what the agents project.
    """
    plain = {name: [row.as_row() for row in rows] for name, rows in tables.items()}
    panels = [
        Panel(
            [
                one
                for number, (name, rows) in enumerate(plain.items())
                for one in _series(panel, name, rows, number)
            ],
            title=title,
            x_title="Elo",
            x_text="{:.0f}".format,
        )
        for panel, title in _PANELS
    ]
    return curves(
        "Mileposts: marks are fitted or played, lines without marks are projected",
        panels,
        columns=2,
        width=1000,
    )


def _series(panel: str, name: str, rows: Sequence[Mapping[str, Any]], number: int) -> list[Series]:
    """Marks of what was fitted or played, and a line of what the agents project."""
    elo = [row["elo"] for row in rows]

    def column(key: str) -> Series:
        values = [row[key] for row in rows]
        titles = [f"{name}, {at:.0f}: {key} {value:.3f}" for at, value in zip(elo, values, strict=True)]
        return Series(name, elo, values, number=number, titles=titles)

    if panel == "s_fit":
        return [column("s_fit")]
    points, line = ("c", "c_fit") if panel == "c" else (f"{panel}_actual", f"{panel}_projected")
    return [replace(column(line), marks=False), replace(column(points), line=False)]
