"""Ratings of streamed games: by source of the values, each on its own scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table
from assay.cli.answers.ratings import RatingsAnswer

if TYPE_CHECKING:
    from assay.answers.ratings import Ratings

SHOWN = 30
"""Players of each source that are shown to people; programs get all."""


@dataclass(frozen=True)
class StreamAnswer:
    """The answer of `assay rate` where games are streamed."""

    ratings: Sequence[Ratings]
    games: int
    damage: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @property
    def exit_code(self) -> int:
        """2 where a file was cut off or damaged: what came before was rated."""
        return 2 if self.damage else 0

    def document(self) -> dict[str, Any]:
        """One document for each source; where there is only one, its keys too, as `assay rate` has them."""
        sources = [{"source": one.recipe_id, **RatingsAnswer(one).document()} for one in self.ratings]
        alone = sources[0] if len(sources) == 1 else {}
        return {
            **alone,
            "streamed": True,
            "games": self.games,
            "damage": list(self.damage),
            "sources": sources,
        }

    def rows(self) -> list[Row]:
        """One row for each source, player and method."""
        return [{"source": one.recipe_id, **row} for one in self.ratings for row in RatingsAnswer(one).rows()]

    def tables(self) -> Iterable[Table]:
        """The first players of each source, and how many there are."""
        for one in self.ratings:
            more = len(one.players) - SHOWN
            said = (
                (f"The first {SHOWN} of {len(one.players):,}: --csv and --json have all.",)
                if more > 0
                else ()
            )
            some = replace(one, players=one.players[:SHOWN], notes=(*said, *one.notes))
            for table in RatingsAnswer(some).tables():
                yield replace(table, title=f"{table.title} ({one.recipe_id})")
