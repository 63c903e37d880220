"""The contract of everything that games can come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.source.valuation import Valuation

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.answers.ratings import Ratings
    from assay.decisions.decisions import Decisions
    from assay.workspace import Workspace

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


class Source(ABC):
    """Games, or what is known of their decisions. Opened once, asked often."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    @property
    def name(self) -> str:
        """What to call it in a title."""
        return self.path.name

    @abstractmethod
    def describe(self) -> str:
        """What it is, in a few words."""

    @property
    def workspace(self) -> Workspace | None:
        """The workspace that keeps its tables; None where it has none."""
        return None

    def kept(self) -> Workspace:
        """That workspace; refused where there is none."""
        if self.workspace is None:
            raise InputError(f"{self.path} is {self.describe()}: it has no workspace")
        return self.workspace

    @property
    def place(self) -> Path | None:
        """The folder of that workspace, without anything being imported into it."""
        return None

    def games(self) -> pa.Table:
        """The table of games, players by their canonical names."""
        raise InputError(f"{self.path} is {self.describe()}: it has no games to read")

    def decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        whom: Sequence[str] | None = None,
        trace: bool = False,
        progress: Callable[..., None] = _NOTHING,
    ) -> Decisions:
        """Decisions of all players or of some: what is missing is analysed first.

        `whom` says whose games need be analysed, in which years or at which event (`Tal@1958-1960`), where
        that is not all of `players`; what else is analysed already comes along.
        """
        raise InputError(f"{self.path} is {self.describe()}: it has no moves to value")

    def iter_decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        trace: bool | None = None,
        progress: Callable[..., None] = _NOTHING,
    ) -> Iterator[Decisions]:
        """The same in pieces of whole games, where there may be many; at least one piece.

        `trace` None reads it where that costs little.
        """
        yield self.decisions(valuation, players=players, trace=trace is not False, progress=progress)

    def whom(self, wanted: Sequence[str]) -> list[str]:
        """Whom a user means (`Tal@1958-1960`), by full names where all players are known beforehand."""
        return list(wanted)

    def analysed(self, recipe_id: str | None = None) -> Decisions:
        """The decisions that are there already, all of one recipe, which may be asked for by its id."""
        return self.decisions(Valuation())

    def recipe_id(self, valuation: Valuation) -> str | None:
        """The id of the recipe that `decisions` would use, where it can be told beforehand."""
        return None

    def about(self, recipe_id: str) -> dict[str, Any]:
        """The recipe and the engine behind a recipe id, as far as the source knows them."""
        return {}

    def dates(self) -> dict[str, str]:
        """The date of each game by its id, as far as it is known: year, or year and month, or day."""
        return {}

    def links(self) -> dict[str, str]:
        """Where each game can be seen, by its id, as far as the tags say."""
        return {}

    def openings(self) -> dict[str, str]:
        """The opening of each game by its id, as far as it is known (assay.decisions.slices)."""
        return {}

    def left_out(
        self, valuation: Valuation | None = None, players: Sequence[str] | None = None
    ) -> dict[str, int]:
        """How many games must not be rated, by reason: of all, or of some players (`Tal@1958-1960`)."""
        return {}

    def keep(self, ratings: Ratings) -> None:
        """Keep the last ratings made, where there is a place for them."""
        return
