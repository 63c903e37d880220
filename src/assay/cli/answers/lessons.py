"""Lessons and progress for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table
from assay.cli.answers.numbers import number
from assay.cli.answers.ratings import (
    percentiles_for_programs,
    rating_for_programs,
    standings_table,
    with_ends,
)
from assay.figures.board import in_words

if TYPE_CHECKING:
    from assay.insights.difficulty import Performance
    from assay.insights.lesson import Lesson, Moment
    from assay.insights.progress import Progress
    from assay.insights.standing import Standings


@dataclass(frozen=True)
class LessonAnswer:
    """The answer of `assay lesson`."""

    lesson: Lesson
    against: Performance
    among: Standings | None = None
    """The player's measures among others of the same rating."""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> dict[str, Any]:
        """The positions, and the player against what all positions asked."""
        against = asdict(self.against)
        against["bands"] = [
            {name: number(x) if isinstance(x, float) else x for name, x in band.items()}
            for band in against["bands"]
        ]
        against["accuracy_of"] = {str(elo): number(x, 2) for elo, x in against["accuracy_of"].items()}
        for name in ("elo", "accuracy"):
            against[name] = number(against[name], 2)
        return {
            "player": self.lesson.player,
            "elo": self.lesson.elo,
            "games": self.lesson.games,
            "decisions": self.lesson.decisions,
            "positions": [_moment(one) for one in self.lesson.moments],
            "against_expectation": against,
            "percentiles": percentiles_for_programs(self.among),
        }

    def rows(self) -> list[Row]:
        """One row for each position."""
        return [_moment(one) for one in self.lesson.moments]

    def tables(self) -> Iterable[Table]:
        """The positions as a list, each with its FEN below; then the player by difficulty."""
        lesson = self.lesson
        above = lesson.elo + 200
        cells: list[list[object]] = []
        for place, one in enumerate(lesson.moments, 1):
            better = "" if one.better == one.played else in_words(one.position_key, one.better)
            cells.append(
                [
                    place,
                    one.kind,
                    one.turn,
                    in_words(one.position_key, one.played),
                    better,
                    f"{100 * one.lost:.0f}%",
                    one.of_100,
                    one.of_100_next,
                ]
            )
        heads = ["", "", "turn", "played", "better", "lost", f"of {lesson.elo}", f"of {above}"]
        note = (
            "lost: of the expectation; of so much: of 100 players of that rating, how many do plainly better "
            "(keep 5% more), or, of a good find, find a move as good."
        )
        yield Table(
            f"{lesson.player}: positions worth an hour, of {lesson.decisions:,} decisions",
            heads,
            cells,
            note if cells else "Nothing stood out: no clear miss and no rare find.",
        )
        if lesson.moments:
            yield Table("\n".join(_where(place, one) for place, one in enumerate(lesson.moments, 1)), (), ())
        yield _against(self.against)
        if self.among is not None:
            yield standings_table([self.among])


def _where(place: int, one: Moment) -> str:
    parts = [f"against {one.opponent}" if one.opponent else "", one.event, str(one.year or ""), one.link]
    return f"{place}. {', '.join(part for part in parts if part)}\n   {one.fen}"


def _moment(one: Moment) -> dict[str, Any]:
    found = asdict(one)
    found["lost"], found["before"] = number(one.lost), number(one.before)
    return {
        **found,
        "fen": one.fen,
        "played_san": in_words(one.position_key, one.played),
        "better_san": in_words(one.position_key, one.better),
    }


def _against(found: Performance) -> Table:
    rows = [
        [
            band.name,
            band.decisions,
            f"{band.lost:.1f}%",
            f"{band.expected:.1f}%",
            f"{band.difference:+z.1f} ({band.low:+z.1f} to {band.high:+z.1f})"
            if band.games >= 4
            else f"{band.difference:+z.1f}",
            f"{band.found:.0%}",
            f"{band.expected_found:.0%}",
        ]
        for band in found.bands
    ]
    others = ", ".join(f"{elo}: {accuracy:.1f}" for elo, accuracy in found.accuracy_of.items())
    return Table(
        f"Against players of {found.elo:.0f} in the same positions",
        ["positions", "decisions", "lost", "theirs", "more than they (95%)", "best", "theirs"],
        rows,
        f"Accuracy {found.accuracy:.1f} (100 less what was lost); in the same positions players of "
        f"{others}.\n"
        f"Hard positions solved, which at most one in four such players does: {found.hard_solved}. Easy ones "
        f"missed, where three in four do better: {found.easy_missed}.\n"
        "Positions are easy, middling or hard by what players of 2000 lose there: under 1%, to 2.5%, more.",
    )


@dataclass(frozen=True)
class ProgressAnswer:
    """The answer of `assay progress`."""

    progress: Progress
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> dict[str, Any]:
        """Periods with their ratings, and the trend."""
        trend = self.progress.trend
        return {
            "player": self.progress.player,
            "by": self.progress.by,
            "periods": self.rows(),
            "trend": None if trend is None else {name: number(x, 1) for name, x in asdict(trend).items()},
            "sentence": self.progress.sentence,
            "games_without_date": self.progress.left_out,
        }

    def rows(self) -> list[Row]:
        """One row for each period."""
        return [
            {
                "period": one.name,
                "time": number(one.time, 3),
                "games": int(one.rating.games),
                "decisions": int(one.rating.decisions),
                **rating_for_programs(one.rating),
                "few": one.few,
            }
            for one in self.progress.periods
        ]

    def tables(self) -> Iterable[Table]:
        """The periods, and the trend below them."""
        rows = [
            [
                one.name,
                int(one.rating.games),
                int(one.rating.decisions),
                with_ends(one.rating),
                "few games" if one.few else "",
            ]
            for one in self.progress.periods
        ]
        note = f"Trend: {self.progress.sentence}."
        if self.progress.left_out:
            note += f" Games without a date: {self.progress.left_out}."
        yield Table(
            f"{self.progress.player} by {self.progress.by}",
            ["period", "games", "decisions", "rating (95%)", ""],
            rows,
            note,
        )
