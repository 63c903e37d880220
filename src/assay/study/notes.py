"""What must be said with ratings: which scale they are on, what was left out, what was not read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from assay.answers.ratings import PlayerRating
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Exclusion
from assay.models.intervals import FEWEST_GAMES
from assay.rating.calibration import Calibration
from assay.rating.pieces import Pieces
from assay.rating.scale import ONE_VALUE, other_time_classes, what_it_takes
from assay.rating.trust import caveats_of
from assay.source.base import Source

FEW_VALUES = 0.05
"""A share of moves without a value that is said: games have at least their first or last."""


def notes_on(
    found: Sequence[PlayerRating],
    pieces: Pieces,
    calibration: Calibration | None,
    made: tuple[str, str],
    methods: Sequence[str] | None,
) -> tuple[str, ...]:
    """All that must be said with the ratings `found`, made by an engine and a recipe of these names."""
    engine, recipe = made
    return (
        *_on_the_scale(found, calibration, engine, recipe, pieces.recipe_id),
        *_of_comments(pieces, calibration),
        *_on_another_scale(pieces.time_classes, calibration),
        *_without_trace(pieces, calibration, methods),
    )


def made_with(source: Source, recipe_id: str, calibration: Calibration | None = None) -> tuple[str, str]:
    """Names of the engine and the recipe, from the source or else from the calibration."""
    about = source.about(recipe_id)
    if about:
        return about["engine"]["name"], about["recipe"]["name"]
    made = {} if calibration is None else calibration.about
    return made.get("engine", "unknown engine"), made.get("recipe", recipe_id or "unknown recipe")


def _on_the_scale(
    found: Sequence[PlayerRating],
    calibration: Calibration | None,
    engine: str,
    recipe: str,
    recipe_id: str = "",
) -> tuple[str, ...]:
    """What must be said with these ratings."""
    if calibration is None:
        notes = [what_it_takes(engine, recipe, recipe_id)]
        if any(one.games < FEWEST_GAMES for one in found):
            notes.append(
                f"Below {FEWEST_GAMES} games there is no interval: how games vary cannot be told from fewer."
            )
        return tuple(notes)
    low, high = calibration.mileposts.min(), calibration.mileposts.max()
    elos = [one.combined.elo for one in found if one.combined is not None]
    notes = caveats_of(calibration)
    if not all(low - 50 <= elo <= high + 50 for elo in elos):
        notes.append(
            f"The scale is calibrated from {low:.0f} to {high:.0f}: ratings beyond are drawn to that "
            "range, and mean no more than 'at least' or 'at most' so much."
        )
    return tuple(notes)


def _on_another_scale(time_classes: Set[str], calibration: Calibration | None) -> tuple[str, ...]:
    """What must be said where games are rated that are not of the calibration's time class."""
    if calibration is None:
        return ()
    said = other_time_classes(time_classes, calibration.recipe_id)
    return (said,) if said else ()


def left_out(stored: Mapping[str, int], pieces: Pieces) -> dict[str, int]:
    """How many games are not rated, by reason: as stored, and what only those who read decisions know."""
    found = dict(pieces.left_out)
    if not stored:
        return found
    other = Exclusion.OTHER_SCALE.value
    return {**stored, other: found[other]} if other in found else dict(stored)


def _of_comments(pieces: Pieces, calibration: Calibration | None) -> tuple[str, ...]:
    """What must be said where the values are those that the games bring along."""
    if pieces.recipe_id not in (ANNOTATED, *EVALUATED):
        return ()
    notes = []
    if calibration is not None and calibration.recipe_id in EVALUATED:
        made = calibration.about
        notes.append(
            f"Calibrated by {made.get('games', 0):,} games of {made.get('players', 0):,} players, "
            f"evaluated by {made.get('engine')} (docs/evaluated.md)."
        )
        notes += [made["caveat"]] if made.get("caveat") else []
    notes.append(ONE_VALUE)
    if pieces.without_value > FEW_VALUES:
        notes.append(f"{pieces.without_value:.0%} of the moves here have no value before or after them.")
    return tuple(notes)


def _without_trace(
    pieces: Pieces, calibration: Calibration | None, names: Sequence[str] | None
) -> tuple[str, ...]:
    """What must be said where methods of the calibration are missing because the trace was not read."""
    if calibration is None or names is not None or pieces.traced or pieces.only is not None:
        return ()
    absent = [name for name in calibration.spread.methods if calibration.models[name].reads_trace]
    if not absent:
        return ()
    return (
        f"With so many games the values at smaller depths are not read, so {' and '.join(absent)} are left "
        f"out; ask for one by name (--method {absent[0]}), which takes longer.",
    )
