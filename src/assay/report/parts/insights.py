"""What a report says of single players: slices, what positions asked, positions worth a lesson."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.answers.insights import Lesson, Moment, Performance, PlayerSlices, Slice
from assay.answers.ratings import Ratings, Standing, Standings
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By
from assay.errors import InputError
from assay.figures.board import diagram, in_words
from assay.insights.difficulty import performance
from assay.insights.discoveries import RATE
from assay.insights.lesson import lesson_of
from assay.insights.lesson_pgn import told
from assay.insights.slices import slices_of
from assay.insights.standing import standings_of
from assay.rating.calibration import Calibration
from assay.report.parts.wording import MINUS

MOST_PLAYERS = 3
"""Reports on more players compare them; on so few they are about each."""

CUTS = (By.PHASE, By.COLOUR, By.OPPONENT, By.CLOCK, By.MONTH, By.OPENING)


@dataclass(frozen=True, kw_only=True)
class ShownMoment:
    """A position of a lesson with its picture."""

    moment: Moment
    number: str
    """The turn with its dots."""
    played: str
    better: str
    text: str
    diagram: str


@dataclass(frozen=True, kw_only=True)
class PlayerInsights:
    """One player."""

    player: str
    slices: Mapping[str, PlayerSlices]
    """By what they are cut by."""
    sentence: str
    performance: Performance
    lesson: Lesson
    moments: tuple[ShownMoment, ...]
    standings: Standings | None = None
    """Every measure among players of the same rating."""


def insights_of(
    ratings: Ratings,
    decisions: Decisions,
    calibration: Calibration | None,
    of_games: Mapping[By, Mapping[str, str]],
    links: Mapping[str, str],
) -> tuple[PlayerInsights, ...]:
    """What is said of each player where there are few; nothing without trace, scale or references."""
    usable = calibration is not None and calibration.agents is not None and bool(calibration.slices)
    if not usable or not 0 < len(ratings.players) <= MOST_PLAYERS or not decisions.traced.any():
        return ()
    if ratings.by != By.PLAYER or any(one.combined is None for one in ratings.players):
        return ()
    assert calibration is not None
    cut: dict[By, dict[str, PlayerSlices]] = {}
    for by in CUTS:
        try:
            found = slices_of([decisions], ratings, calibration, by, of_games=of_games.get(by))
        except InputError:  # these games do not tell: no clocks, no openings
            continue
        cut[by] = {one.player: one for one in found.players if len(one.slices) > 1}
    return tuple(
        replace(
            _of_player(one.player, one.combined.elo, decisions, calibration, cut, links),
            standings=standings_of(decisions, one.player, one.combined.elo, one.decisions, calibration),
        )
        for one in ratings.players
        if one.combined is not None
    )


def _of_player(
    player: str,
    elo: float,
    decisions: Decisions,
    calibration: Calibration,
    cut: Mapping[By, Mapping[str, PlayerSlices]],
    links: Mapping[str, str],
) -> PlayerInsights:
    lesson = lesson_of(decisions, player, elo, calibration, links=links)
    own = {by.value: known[player] for by, known in cut.items() if player in known}
    said = [one.sentence for one in own.values() if any(part.stands_out for part in one.slices)]
    return PlayerInsights(
        player=player,
        slices=own,
        sentence="; ".join(said) or "nothing stands out",
        performance=performance(decisions, player, elo, calibration),
        lesson=lesson,
        moments=tuple(shown(lesson, one) for one in lesson.moments),
    )


def shown(lesson: Lesson, one: Moment) -> ShownMoment:
    """A position of a lesson with its picture and its words."""
    return ShownMoment(
        moment=one,
        number=f"{one.turn}{'.' if one.colour != 'black' else '...'}",
        played=in_words(one.position_key, one.played),
        better="" if one.better == one.played else in_words(one.position_key, one.better),
        text=told(lesson, one),
        diagram=diagram(one.position_key, one.played, one.better),
    )


def apart(part: Slice) -> str:
    """The difference of a slice to the whole, with its interval."""
    found = part.difference
    if found is None:
        return "–"
    text = f"{found.elo:+.0f} ({found.low:+.0f} to {found.high:+.0f})"
    return text.replace("-", MINUS)


def ranked(part: Standing) -> str:
    """The share of others that a measure is better than, with its interval where there is one."""
    share = f"{part.percentile.share:.0%}"
    return share if math.isnan(part.low) else f"{share} ({100 * part.low:.0f} to {100 * part.high:.0f})"


RATE_WORDS = f"{RATE:.0%}"
