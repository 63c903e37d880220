"""The screening as a page: a funnel of z against turns, everyone in a table, the games of those named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.figures.style import page_style
from assay.report.pages import templates
from assay.report.provenance import installed
from assay.screening.answers import SIDES, Screened, Screening, interval_of
from assay.screening.multiplicity import bounds

MOST = 300
"""Rows of the table of everyone."""


def funnel_figure(found: Screening) -> Figure:
    """How far everyone departs from the rating, against the number of turns.

    Filled marks are those who are named. The lines are where one honest player in twenty is, either way, and
    where one of a field of this size is expected.
    """
    named = [one for one in found.players if one.flag is not None]
    others = [one for one in found.players if one.flag is None]
    turns = [one.decisions for one in found.players] or [1]
    ends = (0.9 * min(turns), 1.1 * max(turns))
    lines = []
    for number, (share, name) in enumerate(
        ((0.05, "one honest player in 20 is beyond"), (1 / max(found.field, 1), "one of this field is"))
    ):
        if number == 0 or found.field > 20:
            at = bounds(share)
            lines += [
                Series(name, ends, [side, side], number=number + 2, marks=False, listed=side > 0)
                for side in (at, -at)
            ]
    series = [
        Series("", ends, [0, 0], guide=True, marks=False, listed=False),
        *lines,
        _points("not named", others, 0, hollow=True),
        _points("named", named, 1, hollow=False),
    ]
    panel = Panel(
        [one for one in series if len(one.x)],
        x_title="turns screened",
        y_title="z, above the rating if positive",
        x=ends,
        x_text="{:,.0f}".format,
        logarithmic=True,
        height=460,
    )
    return curves("Play beside rating", [panel], width=900)


def _points(name: str, some: Sequence[Screened], number: int, *, hollow: bool) -> Series:
    return Series(
        name,
        [one.decisions for one in some],
        [one.z["all"] for one in some],
        number=number,
        line=False,
        hollow=[hollow] * len(some),
        titles=[f"{one.title}: z {one.z['all']:+.1f} in {one.decisions:,} turns" for one in some],
    )


def games_figure(one: Screened) -> Figure:
    """The games of somebody who is named, in the order of play: z of each."""
    numbers = list(range(1, len(one.each_game) + 1))
    series = Series(
        "",
        numbers,
        [game.z for game in one.each_game],
        line=False,
        listed=False,
        hollow=[not game.named for game in one.each_game],
        titles=[f"{game.about or game.game}: z {game.z:+.1f}" for game in one.each_game],
    )
    zero = Series("", [0.5, len(numbers) + 0.5], [0, 0], guide=True, marks=False, listed=False)
    panel = Panel(
        [zero, series], x_title="game", y_title="z of the game", x=(0.5, len(numbers) + 0.5), whole_x=True
    )
    return curves(one.title, [panel], width=700)


def screening_page(found: Screening, *, source: str) -> str:
    """The report of a screening as HTML text; `source` names the games.

    Where some were tested again, the games shown and the error rates are those of the second test.
    """
    last = found.full or found
    return (
        templates()
        .get_template("screening.html")
        .render(
            found=found,
            source=source,
            version=installed("assay-chess"),
            figure_style=Markup(page_style()),
            funnel=funnel_figure(found),
            rows=[_row(one) for one in found.players[:MOST]],
            more=max(len(found.players) - MOST, 0),
            full=found.full,
            again=[] if found.full is None else [_row(one) for one in found.full.players],
            named=[(one, games_figure(one)) for one in last.named if one.each_game],
            rates=[_rate(one) for one in last.rates_of_all()],
        )
    )


def _rate(one: Mapping[str, Any]) -> dict[str, Any]:
    shares = {}
    for side in SIDES:
        low, high = interval_of(one, side)
        shares[side] = f"{100 * one[side]:.2f}% ({100 * low:.2f} to {100 * high:.2f})"
    return {**one, **shares}


def _row(one: Screened) -> dict[str, str]:
    return {
        "title": one.title,
        "games": f"{one.games:,}",
        "turns": f"{one.decisions:,}",
        "reference": f"{one.reference:.0f}",
        "z": f"{one.z['all']:+.1f}",
        "p": f"{one.p:.2g}",
        "q": f"{one.q:.2g}",
        "alike": f"{one.alike:.2g}",
        "flag": one.flag or "",
    }
