"""From which analyses a bridge starts, and what is refused before an engine works."""

from types import SimpleNamespace
from typing import Any

import pytest

from assay.errors import InputError
from assay.study.calibrations import _analysed_like, bridge

STANDARD = "672593ce2551e878"
QUICK = "c9c96e74d5ed2eac"


def study(*recipes: tuple[str, str], planned: str = STANDARD) -> Any:
    """A study whose workspace has analyses by these recipes: id and name."""
    used = {one: {"recipe": {"name": name}} for one, name in recipes}
    return SimpleNamespace(
        workspace=lambda: SimpleNamespace(recipes=lambda: used),
        source=SimpleNamespace(recipe_id=lambda valuation: planned),
        valuation=None,
    )


def test_analyses_that_all_games_have_by_a_native_recipe_are_taken() -> None:
    both = study((STANDARD, "standard"), (QUICK, "quick"))
    assert _analysed_like([both, both], "standard") == STANDARD
    assert _analysed_like([both, both], STANDARD) == STANDARD
    assert _analysed_like([both, study((QUICK, "quick"))], "standard") is None


def test_a_bridge_is_no_ground_for_another_bridge() -> None:
    assert _analysed_like([study((QUICK, "quick"))], "quick") is None


def test_a_recipe_is_not_carried_over_to_itself() -> None:
    with pytest.raises(InputError, match="calls itself"):
        bridge([study((STANDARD, "standard"))], "standard")
