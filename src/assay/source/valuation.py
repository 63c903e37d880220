"""How positions get their values: from an engine by a recipe, or from what the games bring along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from assay.decisions.exclusions import Choice
from assay.errors import InputError

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731

if TYPE_CHECKING:
    from assay.engine.recipe import Recipe

Progress = Callable[..., None]
"""Is told how far an analysis is (assay.engine.backlog.AnalysisReport)."""


class Evaluations(StrEnum):
    """Where the values of moves come from."""

    AUTO = "auto"
    """The engine; the games' own comments where there is no engine on this machine."""
    FILE = "file"
    ENGINE = "engine"


@dataclass(frozen=True)
class Valuation:
    """Everything that decides where values come from and what it costs to get them."""

    recipe: str | Recipe = "standard"
    engine: str | None = None
    jobs: int | None = None
    include: tuple[str, ...] = ()
    """Reasons for which games must not be rated that do not count here."""
    evaluations: Evaluations = Evaluations.AUTO
    choice: Choice | None = None
    """Which time classes and lengths of games are rated; None where nobody chose."""
    before: Callable[..., None] | None = field(default=None, compare=False)
    """Is shown the backlog of an analysis and its engine before it begins, and may object by an error."""
    say: Callable[[str], None] = field(default=_NOTHING, compare=False)
    """Is told what was left out by choice."""

    @classmethod
    def of(cls, evaluations: str = "auto", include: Any = (), **settings: Any) -> Valuation:
        """The same from plain text, checked."""
        try:
            chosen = Evaluations(evaluations)
        except ValueError:
            words = ", ".join(Evaluations)
            raise InputError(f"evaluations come from {words}, not '{evaluations}'") from None
        return cls(evaluations=chosen, include=tuple(include), **settings)
