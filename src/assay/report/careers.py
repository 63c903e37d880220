"""Figures of careers and head-to-heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.figures.heatmap import heatmap
from assay.rating.careers import HeadToHeads


def career_figure(rows_by_player: Mapping[str, Sequence[Mapping[str, Any]]], bound: int) -> Figure:
    """Conformance at zero and at the bound through the years: Figures 16 and 17 of Alliot 2017."""
    titles = {
        "conformance_0": "Moves as good as the best",
        "conformance": f"Moves that lose at most {bound / 100:g} pawns",
    }
    panels = [
        Panel(
            [_career_line(*of, name, number) for number, of in enumerate(rows_by_player.items())],
            title=title,
            x_title="year" if name == "conformance" else "",
            x_text="{:.0f}".format,
            y_text="{:.0%}".format,
            whole_x=True,
        )
        for name, title in titles.items()
    ]
    rows = [row for own in rows_by_player.values() for row in own]
    few = "" if all(row["active"] for row in rows) else " (hollow: too few moves)"
    return curves(f"Conformance through the years{few}", panels)


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


def versus_figure(table: HeadToHeads, method: str, as_white: bool = False) -> Figure:
    """Everyone against everyone as a heat map: Tables 7 to 9 of Alliot 2017."""
    kind = "with White" if as_white else "with colours shared"
    return heatmap(
        f"Expectation of the row in percent {kind}, by {method}",
        [str(key) for key in table.keys],
        100 * (table.as_white if as_white else table.match),
        middle=50,
        reach=50,
        text="{:.0f}".format,
        exact="{:.1f}%".format,
    )
