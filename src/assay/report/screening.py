"""The screening as a page, and the dossier of one player."""

from __future__ import annotations

from typing import Any

from assay.answers.screening import EXPLANATIONS, NEXT, SIDES, Screened, Screening, interval_of, z_text
from assay.decisions.names import find_player
from assay.errors import InputError
from assay.report.figures import funnel_figure, games_figure
from assay.report.page import installed, report_templates

MOST = 300
"""Rows of the table of everyone."""


def screening_page(screening: Screening, *, source: str) -> str:
    """Write the report of a screening as HTML; `source` names the games.

    Where some were tested again, the games shown and the error rates are those of the second test.
    """
    last = screening.full or screening
    page = report_templates().get_template("screening.html")
    return page.render(
        screening=screening,
        source=source,
        version=installed("assay-chess"),
        funnel=funnel_figure(screening),
        rows=[_row(player) for player in screening.players[:MOST]],
        more=max(len(screening.players) - MOST, 0),
        full=screening.full,
        again=[] if screening.full is None else [_row(player) for player in screening.full.players],
        named=[(player, games_figure(player)) for player in last.named if player.each_game],
        rates=_rates(last),
    )


def dossier_page(screening: Screening, player: str, *, source: str) -> str:
    """Write the dossier of one player: claim and limits, games, decisions, norms, how to repeat it."""
    name = find_player(player, [screened.player for screened in screening.players])
    # Tested again, the second test counts.
    tested = [name in {screened.player for screened in each.players} for each in (screening.full,) if each]
    last = screening.full if screening.full and any(tested) else screening
    parts = [screened for screened in last.players if screened.player == name]
    if not parts:
        raise InputError(f"{player} was not screened: {screening.left_out.get(name, 'not in these games')}")
    return (
        report_templates()
        .get_template("dossier.html")
        .render(
            screening=last,
            player=name,
            parts=[
                (screened, _row(screened), games_figure(screened) if screened.each_game else "")
                for screened in parts
            ],
            z_text=z_text,
            source=source,
            version=installed("assay-chess"),
            explanations=EXPLANATIONS,
            next_steps=NEXT,
            rates=_rates(last),
        )
    )


def _rates(screening: Screening) -> list[dict[str, Any]]:
    """Error rates over all ratings; none of which not one group is due: nobody has measured such a share."""
    rates = []
    for rate in screening.rates:
        if rate["band"] == "all" and rate["groups"] * rate["nominal"] >= 1:
            shares = {}
            for side in SIDES:
                low, high = interval_of(rate, side)
                shares[side] = f"{100 * rate[side]:.2f}% ({100 * low:.2f} to {100 * high:.2f})"
            rates.append({**rate, **shares})
    return rates


def _row(player: Screened) -> dict[str, str]:
    return {
        "title": player.title,
        "games": f"{player.games:,}",
        "turns": f"{player.decisions:,}",
        "reference": f"{player.reference:.0f}",
        "z": z_text(player.z["all"]),
        "p": player.shown(player.p),
        "q": player.shown(player.q),
        "flag": player.flag or "",
    }
