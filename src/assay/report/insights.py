"""Single players in a report: slices, what positions asked, positions worth a lesson, progress."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from assay.answers.insights import Lesson, Moment, Performance, PlayerSlices, Slice
from assay.answers.ratings import Ratings, Standing, Standings
from assay.decisions.decisions import Decisions
from assay.decisions.grouping import By
from assay.errors import InputError
from assay.figures.board import diagram, in_words
from assay.insights.difficulty import performance
from assay.insights.lesson import lesson_of
from assay.insights.slices import RATE, slices_of
from assay.insights.standing import standings_of
from assay.rating.calibration import Calibration
from assay.report.page import MINUS

MOST_PLAYERS = 3
"""Reports on more players compare them; on so few they are about each."""

CUTS = (By.PHASE, By.COLOUR, By.OPPONENT, By.CLOCK, By.MONTH, By.OPENING)

RATE_WORDS = f"{RATE:.0%}"


@dataclass(frozen=True, kw_only=True)
class ShownMoment:
    """A position of a lesson with its picture."""

    moment: Moment
    number: str
    """The move number with its dots."""
    played: str
    better: str
    text: str

    @property
    def diagram(self) -> str:
        """A picture as an address that holds it; empty where the position is not one of chess."""
        return diagram(self.moment.position_key, self.moment.played, self.moment.better)


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
    """Describe each player where there are few; nothing without trace, scale or references."""
    if calibration is None or calibration.agents is None or not calibration.slices:
        return ()
    if not 0 < len(ratings.players) <= MOST_PLAYERS or not decisions.traced.any():
        return ()
    if ratings.by != By.PLAYER or any(player.combined is None for player in ratings.players):
        return ()
    cut: dict[By, dict[str, PlayerSlices]] = {}
    for by in CUTS:
        try:
            sliced = slices_of([decisions], ratings, calibration, by, of_games=of_games.get(by))
        except InputError:  # these games have no clocks, or no openings
            continue
        cut[by] = {player.player: player for player in sliced.players if len(player.slices) > 1}
    insights = []
    for player in ratings.players:
        assert player.combined is not None
        name, elo = player.player, player.combined.elo
        lesson = lesson_of(decisions, name, elo, calibration, links=links)
        slices = {by.value: by_player[name] for by, by_player in cut.items() if name in by_player}
        sentences = [
            each.sentence for each in slices.values() if any(part.stands_out for part in each.slices)
        ]
        insights.append(
            PlayerInsights(
                player=name,
                slices=slices,
                sentence="; ".join(sentences) or "nothing stands out",
                performance=performance(decisions, name, elo, calibration),
                lesson=lesson,
                moments=tuple(shown(lesson, moment) for moment in lesson.moments),
                standings=standings_of(decisions, name, elo, player.decisions, calibration),
            )
        )
    return tuple(insights)


def shown(lesson: Lesson, moment: Moment) -> ShownMoment:
    """Draw a position of a lesson, with its words."""
    better = "" if moment.better == moment.played else in_words(moment.position_key, moment.better)
    return ShownMoment(
        moment=moment,
        number=f"{moment.turn}{'.' if moment.colour != 'black' else '...'}",
        played=in_words(moment.position_key, moment.played),
        better=better,
        text=lesson.told(moment),
    )


def apart(part: Slice) -> str:
    """Write the difference of a slice to the whole, with its interval."""
    if (difference := part.difference) is None:
        return "–"
    text = f"{difference.elo:+.0f} ({difference.low:+.0f} to {difference.high:+.0f})"
    return text.replace("-", MINUS)


def ranked(part: Standing) -> str:
    """Write the share of others that a measure is better than, with its interval where there is one."""
    share = f"{part.percentile.share:.0%}"
    return share if math.isnan(part.low) else f"{share} ({100 * part.low:.0f} to {100 * part.high:.0f})"
