"""Files that need no engine: decisions made elsewhere, and results in the columns of the competition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.decisions.names import find_player
from assay.errors import InputError
from assay.source.base import _NOTHING, Source
from assay.source.valuation import Valuation
from assay.workspace.marks import mark_decisions


class DecisionsFile(Source):
    """Decisions in a Parquet file (docs/interchange.md)."""

    def describe(self) -> str:
        """What it is, in a few words."""
        return "a file of decisions"

    @cached_property
    def _all(self) -> Decisions:
        return Decisions.read(self.path)

    def decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        whom: Sequence[str] | None = None,
        trace: bool = False,
        progress: Callable[..., None] = _NOTHING,
    ) -> Decisions:
        """All its decisions, or those of some players: there is nothing to analyse.

        The reasons in the file stand, unless the user chose time classes or lengths of games.
        """
        found = self._all if valuation.choice is None else mark_decisions(self._all, valuation.choice)
        if players is None:
            return found
        return found.select(player=[find_player(name, found.players) for name in players])

    def analysed(self, recipe_id: str | None = None) -> Decisions:
        """All its decisions, which must be of this recipe."""
        found = {str(name) for name in self._all.text("recipe_id")}
        if recipe_id is not None and found != {recipe_id}:
            used = ", ".join(sorted(found)) or "none"
            raise InputError(
                f"{self.path} was analysed with recipe {used}, not {recipe_id}: evaluations of different "
                "recipes do not go together"
            )
        return self._all

    def recipe_id(self, valuation: Valuation) -> str | None:
        """The recipe of its decisions, where it is one."""
        found = {name for name in self._all.text("recipe_id") if name is not None}
        return str(*found) if len(found) == 1 else None

    def dates(self) -> dict[str, str]:
        """The year of each game, which is all that decisions tell."""
        years = zip(self._all.text("game_id"), self._all.numbers("year"), strict=True)
        return {str(game): f"{year:.0f}" for game, year in years if not math.isnan(year)}


class ResultsFile(Source):
    """Results of games in a CSV file, in the columns of the 2010 competition; no moves."""

    def describe(self) -> str:
        """What it is, in a few words."""
        return "a file of results"

    @staticmethod
    def looks_like(path: Path) -> bool:
        """By its name, or by the first column of the competition in its first line."""
        if path.suffix.lower() == ".csv":
            return True
        with path.open("rb") as file:
            return b"Month #" in file.read(200)
