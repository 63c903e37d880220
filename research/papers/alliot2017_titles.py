"""Alliot 2017, section 4.2.2: conformance in all title matches since 1886, with Figures 7 and 8.

Part of docs/evidence/paper_alliot2017.md. The games are analysed by the paper's protocol with a
ten-thousandth of its nodes, in a workspace below `--work`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import PART_OF_EVENT
from assay.figures.curves import Panel, Series, curves
from assay.models.conformance import (
    PUBLISHED,
    ConformanceModel,
    LossMeasure,
    expectation_on_line,
)
from assay.models.intervals import correlation
from research.markdown import PLAIN, RIGHT, Tables, table
from research.papers import Games

RECIPE = "alliot2017-nodes:0.0001"

BOUNDS = np.arange(0.0, 200.0, 10.0)
"""Twenty, in centipawns."""

LEAST_GAMES = 9
"""Of two players at one event: finals of knock-outs, which the paper leaves out, are shorter."""

TITLE = re.compile(r"championship|wch\b|wcc\b", re.IGNORECASE)
NUMBERED = re.compile(r"World Championship \d")

FOUR = (("Capablanca", 1921), ("Fischer", 1972), ("Kramnik", 2000), ("Carlsen", 2013))
"""Winners and years of the matches with curves of their own; the paper names the first and the last two."""

PAPER = {("Capablanca", 1921): (63, 81, 90, 95), ("Carlsen", 2013): (75, 86, 95, 97)}
"""Percent of moves within 0, 10, 20 and 30 centipawns, in the text."""


@dataclass(frozen=True)
class TitleMatch:
    """A match with the losses of the winner and the loser; where it was drawn, of the first by name."""

    year: int
    players: tuple[str, str]
    games: tuple[str, ...]
    actual: float
    raw: tuple[Floats, Floats]
    pondered: tuple[Floats, Floats]

    def __str__(self) -> str:
        first, second = (name.partition(",")[0] for name in self.players)
        return f"{first}-{second} {self.year}"

    def difference(self, bound: float, *, pondered: bool = False) -> float:
        """The winner's conformance less the loser's."""
        first, second = (share(lost, bound) for lost in (self.pondered if pondered else self.raw))
        return first - second


def share(lost: Floats, bound: float) -> float:
    """Conformance: the share of moves that lose at most so many centipawns."""
    return float(np.mean(lost <= bound + 1e-9))


def title_games(games: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], list[str]]:
    """Games of every match of two players for the title, by event and players; oldest first."""
    matches: dict[tuple[str, ...], list[str]] = {}
    for game in sorted(games, key=lambda game: game["date"] or ""):
        event = game["event"] or ""
        if TITLE.search(event) and game["exclusion"] in (None, *PART_OF_EVENT):
            # A numbered match may go on in January; other events have one name for many years.
            when = "" if NUMBERED.match(event) else str(game["year"])
            key = (event, when, *sorted((game["white"], game["black"])))
            matches.setdefault(key, []).append(game["game_id"])
    return {key: found for key, found in matches.items() if len(found) >= LEAST_GAMES}


def title_matches(decisions: Decisions, matches: Mapping[tuple[str, ...], Sequence[str]]) -> list[TitleMatch]:
    """Every match for the title that is analysed, oldest first."""
    found = [
        _match(decisions.select(game=list(games)), *players) for (_, _, *players), games in matches.items()
    ]
    return sorted(found, key=lambda match: match.year)


def _match(games: Decisions, first: str, second: str) -> TitleMatch:
    sides = [games.select(player=a, opponent=b) for a, b in ((first, second), (second, first))]
    _, places = np.unique(sides[0].codes("game_id"), return_index=True)
    actual = float(sides[0].numbers("result")[places].mean())
    if actual < 0.5:
        first, second, actual, sides = second, first, 1 - actual, sides[::-1]
    losses = []
    for measure in (LossMeasure("raw"), LossMeasure("pondered")):
        one, other = (measure.of(side.filter(*measure.rules())) for side in sides)
        losses.append((one, other))
    year = int(np.nanmin(sides[0].numbers("year")))
    return TitleMatch(year, (first, second), tuple(sides[0].games), actual, losses[0], losses[1])


def tables(games: Games) -> Tables:
    """Actual and expected results of every match, and the paper's remarks on single players."""
    pgn = games.path("events/title-matches-1886-2021.pgn")
    workspace = games.workspace(pgn.stem)
    workspace.import_games(pgn)
    by_match = title_games(workspace.games().to_pylist())
    chosen = [game for match in by_match.values() for game in match]
    run = workspace.analyse(RECIPE, jobs=games.jobs, games=chosen, include=PART_OF_EVENT)
    decisions = workspace.decisions(run.recipe_id)
    matches = title_matches(decisions, by_match)
    bound, _, beta = PUBLISHED["pondered"]
    of_matches = decisions.select(game=[game for match in matches for game in match.games])
    perfect = ConformanceModel("raw", bound=0).fit(of_matches)
    expected = {
        "pondered, 0.3": [match.difference(bound, pondered=True) for match in matches],
        "perfect moves": [match.difference(0) for match in matches],
    }
    slopes = {"pondered, 0.3": beta, "perfect moves": perfect.beta_}
    expected = {
        # Colours are shared, so that White's advantage is not in it.
        name: expectation_on_line(differences, 0.0, slopes[name]).tolist()
        for name, differences in expected.items()
    }
    rows = [
        (
            str(match),
            len(match.games),
            f"{100 * match.actual:.0f}",
            *(f"{100 * column[place]:.0f}" for column in expected.values()),
            *("/".join(f"{100 * share(lost, x):.0f}" for x in (0, 10, 20, 30)) for lost in match.raw),
        )
        for place, match in enumerate(matches)
    ]
    heads = ("match", "games", "actual %", *expected, "winner 0/10/20/30", "loser 0/10/20/30")
    yield "Section 4.2.2: title matches since 1886", table(heads, rows, (PLAIN, *[RIGHT] * (len(heads) - 1)))
    actual = np.array([match.actual for match in matches])
    errors = [
        (name, f"{100 * np.abs(actual - column).mean():.1f}", f"{correlation(column, actual):.2f}")
        for name, column in expected.items()
    ]
    errors.append(("half", f"{100 * np.abs(actual - 0.5).mean():.1f}", ""))
    slope = f"beta {perfect.beta_:.2f} of perfect moves is fitted to these games, {beta:.2f} is the paper's."
    text = table(("expected by", "mean error %", "correlation"), errors, (PLAIN, RIGHT, RIGHT))
    yield f"Mean errors over {len(matches)} matches", f"{text}\n\n{slope}"
    yield (
        "Moves within 0, 10, 20 and 30 centipawns, in percent",
        table(
            ("player", "paper", "ours"),
            [
                (f"{name} {year}", "/".join(map(str, paper)), _moves_of(matches, name, year))
                for (name, year), paper in PAPER.items()
            ],
        ),
    )
    before = [share(match.raw[0], 0) for match in matches if match.year < 2000]
    since = [share(match.raw[0], 0) for match in matches if match.year >= 2000]
    shown = [f"{100 * np.mean(part):.0f}%" if part else "not analysed" for part in (before, since)]
    yield "Winners' perfect moves", f"Mean {shown[0]} before 2000, {shown[1]} since."
    games.draw("alliot-7", figure_7(matches, expected))
    games.draw("alliot-8", figure_8(matches))


def _moves_of(matches: Sequence[TitleMatch], winner: str, year: int) -> str:
    return ", ".join(
        "/".join(f"{100 * share(match.raw[0], bound):.0f}" for bound in (0, 10, 20, 30))
        for match in _chosen(matches, ((winner, year),))
    )


def _chosen(matches: Sequence[TitleMatch], wanted: Sequence[tuple[str, int]]) -> list[TitleMatch]:
    return [match for match in matches if (match.players[0].partition(",")[0], match.year) in wanted]


def figure_7(matches: Sequence[TitleMatch], expected: dict[str, list[float]]) -> str:
    """Actual and expected scores of all matches, and the difference in conformance of four of them."""
    years, titles = [float(match.year) for match in matches], [str(match) for match in matches]
    columns = {"actual": [match.actual for match in matches], **expected}
    left = [
        Series(name, years, [100 * value for value in column], number=number, titles=titles)
        for number, (name, column) in enumerate(columns.items())
    ]
    right = [
        Series(
            str(match),
            (BOUNDS / 100).tolist(),
            [100 * match.difference(bound, pondered=True) for bound in BOUNDS],
            number=number + 3,
        )
        for number, match in enumerate(_chosen(matches, FOUR))
    ]
    panels = [
        Panel(left, x_title="year", y_title="% of the winner", whole_x=True),
        Panel(right, x_title="bound, pawns", y_title="difference in conformance, %"),
    ]
    return f"{curves('Figure 7: title matches and conformance', panels, columns=2).svg()}\n"


def figure_8(matches: Sequence[TitleMatch]) -> str:
    """Conformance of winners and losers of four matches by the bound."""
    panels = []
    for side, who in enumerate(("winner", "loser")):
        series = [
            Series(
                f"{match.players[side].partition(',')[0]} {match.year}",
                (BOUNDS / 100).tolist(),
                [100 * share(match.raw[side], bound) for bound in BOUNDS],
                number=number + 4 * side,
            )
            for number, match in enumerate(_chosen(matches, FOUR))
        ]
        panels.append(Panel(series, x_title="bound, pawns", y_title=f"% of the moves of the {who}"))
    return f"{curves('Figure 8: conformance of winners and losers', panels, columns=2).svg()}\n"
