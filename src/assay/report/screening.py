"""The screening as a page, and the dossier of one player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.answers.screening import EXPLANATIONS, NEXT, SIDES, Screened, Screening, interval_of
from assay.decisions.names import find_player
from assay.errors import InputError
from assay.figures.curves import Panel, Series, curves
from assay.figures.figure import Figure
from assay.report.page import installed, report_templates
from assay.screening.z_scores import bounds

MOST = 300
"""Rows of the table of everyone."""


def funnel_figure(screening: Screening) -> Figure:
    """Draw how far everyone departs from the rating, against the number of moves.

    Filled marks are those who are named. The lines are where one honest player in twenty is, either way, and
    where one of a field of this size is expected.
    """
    moves = [player.decisions for player in screening.players] or [1]
    ends = (0.9 * min(moves), 1.1 * max(moves))
    shares = [(0.05, "one honest player in 20 is beyond")]
    if screening.field > 20:
        shares.append((1 / screening.field, "one of this field is"))
    lines = [
        Series(name, ends, [side, side], number=number, marks=False, listed=side > 0)
        for number, (share, name) in enumerate(shares, 2)
        for side in (bounds(share), -bounds(share))
    ]
    others = [player for player in screening.players if player.flag is None]
    series = [
        Series("", ends, [0, 0], guide=True, marks=False, listed=False),
        *lines,
        _points("others", others, 0, hollow=True),
        _points("unusual", screening.named, 1, hollow=False),
    ]
    panel = Panel(
        [each for each in series if len(each.x)],
        x_title="turns screened",
        y_title="z, above the rating if positive",
        x=ends,
        x_text="{:,.0f}".format,
        logarithmic=True,
        height=460,
    )
    return curves("Play beside rating", [panel], width=900)


def _points(name: str, players: Sequence[Screened], number: int, *, hollow: bool) -> Series:
    return Series(
        name,
        [player.decisions for player in players],
        [player.z["all"] for player in players],
        number=number,
        line=False,
        hollow=[hollow] * len(players),
        titles=[
            f"{player.title}: z {player.z['all']:+.1f} in {player.decisions:,} turns" for player in players
        ],
    )


def games_figure(player: Screened) -> Figure:
    """Draw z of each game of somebody who is named, in the order of play."""
    games = player.each_game
    ends = (0.5, len(games) + 0.5)
    points = Series(
        "",
        list(range(1, len(games) + 1)),
        [game.z for game in games],
        line=False,
        listed=False,
        titles=[f"{game.about or game.game}: z {game.z:+.1f}" for game in games],
    )
    zero = Series("", ends, [0, 0], guide=True, marks=False, listed=False)
    panel = Panel([zero, points], x_title="game", y_title="z of the game", x=ends, whole_x=True)
    return curves(player.title, [panel], width=700)


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
        rates=[_rate(rate) for rate in last.rates_of_all()],
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
            parts=[(screened, _row(screened), games_figure(screened)) for screened in parts],
            source=source,
            version=installed("assay-chess"),
            explanations=EXPLANATIONS,
            next_steps=NEXT,
            rates=[_rate(rate) for rate in last.rates_of_all()],
        )
    )


def _rate(rate: Mapping[str, Any]) -> dict[str, Any]:
    shares = {}
    for side in SIDES:
        low, high = interval_of(rate, side)
        shares[side] = f"{100 * rate[side]:.2f}% ({100 * low:.2f} to {100 * high:.2f})"
    return {**rate, **shares}


def _row(player: Screened) -> dict[str, str]:
    return {
        "title": player.title,
        "games": f"{player.games:,}",
        "turns": f"{player.decisions:,}",
        "reference": f"{player.reference:.0f}",
        "z": f"{player.z['all']:+.1f}",
        "p": player.shown(player.p),
        "q": player.shown(player.q),
        "alike": f"{player.alike:.2g}",
        "flag": player.flag or "",
    }
