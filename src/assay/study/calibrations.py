"""Calibrations from studies: by players of known rating, or by a bridge from another source of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.rating.bridge import SAME_SIDES, Bridge, native_for
from assay.rating.calibration import Calibration
from assay.rating.files import find_calibration
from assay.rating.scale import scale_of
from assay.rating.trust import check_usable
from assay.study.notes import made_with
from assay.study.study import NOTHING, Study


def calibrate(
    studies: Sequence[Study], *, progress: Callable[..., None] = NOTHING
) -> tuple[Calibration, Appearances]:
    """The calibration of a recipe from games of players with reference ratings, and what it was made from."""
    decisions = Decisions.concat([study.decisions(trace=True, progress=progress) for study in studies])
    appearances = Appearances.of(decisions)
    engine, recipe = made_with(studies[0].source, appearances.recipe_id)
    about = {"engine": engine, "recipe": recipe, "games": len(set(appearances.game.tolist()))}
    made = Calibration.fit(appearances, about)
    check_usable(made)
    return made, appearances


def bridge(
    studies: Sequence[Study],
    like: str = "standard",
    *,
    engine: str | None = None,
    progress: Callable[..., None] = NOTHING,
) -> tuple[Calibration, Bridge]:
    """The calibration of the studies' recipe and engine, carried over from a recipe that has a native one.

    `like` is the name or the id of that recipe. Its analyses are taken from the workspaces where they are
    there; otherwise, and where an `engine` is named for it, that engine makes them.
    """
    known = None if engine is not None else _analysed_like(studies, like)
    natives = [] if known else [study.like(like, engine) for study in studies]
    native_id = known or natives[0].source.recipe_id(natives[0].valuation) or ""
    native = native_for(find_calibration(native_id), like)
    if studies[0].source.recipe_id(studies[0].valuation) == native_id:
        raise InputError(SAME_SIDES)
    for study in (*natives[:1], studies[0]):
        study.check_engine()
    if known:
        before = [study.workspace().decisions(known, trace=True) for study in studies]
    else:
        before = [study.decisions(trace=True, progress=progress) for study in natives]
    after = [study.decisions(trace=True, progress=progress) for study in studies]
    first, second = (Appearances.of(Decisions.concat(side)) for side in (before, after))
    found = Bridge.of(native, first, second)
    name, recipe = made_with(studies[0].source, second.recipe_id)
    made = found.calibration({"engine": name, "recipe": recipe, "scale": scale_of(native)})
    check_usable(made)
    return made, found


def _analysed_like(studies: Sequence[Study], like: str) -> str | None:
    """The id of a recipe with a native calibration by which all the games have analyses already."""
    found = [_natives_in(study, like) for study in studies]
    shared = set(found[0]).intersection(*found[1:])
    return min(shared, default=None)


def _natives_in(study: Study, like: str) -> list[str]:
    used = study.workspace().recipes()
    named = [one for one, about in used.items() if like in (one, about["recipe"]["name"])]
    return [one for one in named if (known := find_calibration(one)) and known.bridged_from is None]
