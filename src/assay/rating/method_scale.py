"""The Elo scale of one method by itself: the one way from evidence to Elo, whatever a method is asked.

Games of rated players that somebody gives make a calibration of just this method; otherwise it is the
calibration of the recipe, where that was made with the method's settings. Ratings then come from the
posterior on the mileposts, as `assay rate` has them.
"""

from __future__ import annotations

from assay.answers.ratings import unit_of
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.rating.calibration import Calibration
from assay.rating.files import find_calibration
from assay.rating.scale import scale_of
from assay.rating.trust import caveats_of, check_usable


def scale_of_mileposts(model: MoveModel, recipe_id: str, mileposts: Decisions) -> Calibration:
    """A calibration of one method from games of rated players, for decisions of a recipe."""
    appearances = Appearances.of(mileposts)
    made = Calibration.fit(appearances, {"scale": "Elo, as in the mileposts given"}, {model.name: model})
    made.check(recipe_id)
    check_usable(made)
    return made


def scale_of_recipe(model: MoveModel, recipe_id: str) -> Calibration | None:
    """The calibration of a recipe, where it has one that was made with the method's settings."""
    found = find_calibration(recipe_id)
    mapping = None if found is None else found.mappings.get(model.name)
    return found if mapping is not None and mapping.model == model.identity else None


def needed_scale(model: MoveModel, recipe_id: str, decisions: Decisions) -> Calibration:
    """The calibration of the recipe, else one of the decisions themselves; an error where neither is."""
    found = scale_of_recipe(model, recipe_id)
    if found is not None:
        return found
    try:
        return scale_of_mileposts(model, recipe_id, decisions)
    except InputError as error:
        raise InputError(
            f"there is no Elo scale for {model.name} here ({error}): analyse with a recipe that has a "
            "calibration, or give analysed games of rated players with --mileposts"
        ) from None


def notes_on(calibration: Calibration) -> list[str]:
    """What is said beside ratings by one method: what the scale is, how far it reaches, its shortcomings."""
    low, high = calibration.range.lowest, calibration.range.highest
    scale = scale_of(calibration)
    said = (
        f"{unit_of(scale).capitalize()} with its 95% interval, as assay rate has it: {scale}, "
        f"{low:.0f} to {high:.0f}."
    )
    return [said, *caveats_of(calibration)]
