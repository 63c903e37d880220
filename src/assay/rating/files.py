"""Where calibrations are found: those of a user, then the ones that ship with the package."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from assay.errors import InputError
from assay.models.base import MoveModel
from assay.rating.calibration import Calibration

VARIABLE = "ASSAY_CALIBRATIONS"
"""Names another folder for a user's calibrations."""

REFERENCE = "672593ce2551e878"
"""The recipe standard with Stockfish 15.1: the calibration that was made from the most games."""

WITH_CLOCKS = "-clocks"
"""Ends the name of a calibration by which clocks count besides moves."""

_SUFFIX = ".npz"
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,80}")


def users_folder() -> Path | None:
    """The folder of a user's own calibrations; None where there is no home (a container)."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    given = os.environ.get("XDG_DATA_HOME")
    try:
        return (Path(given) if given else Path.home() / ".local" / "share") / "assay" / "calibrations"
    except RuntimeError:
        return None


def place_of(recipe_id: str, folder: Path | None = None) -> Path:
    """Where the calibration of a recipe is kept. Its id may come from an untrusted file, and is no path."""
    if not _PLAIN.fullmatch(recipe_id):
        raise InputError(f"'{recipe_id}' cannot be the id of a recipe: name the file to write with --out")
    chosen = folder or users_folder()
    if chosen is None:
        raise InputError(f"there is no home to keep calibrations in: name one with --out or {VARIABLE}")
    return chosen / f"{recipe_id}{_SUFFIX}"


def find_calibration(recipe_id: str, folders: Iterable[Path] = ()) -> Calibration | None:
    """The calibration of a recipe: from these folders, the user's, or the package; None if there is none.

    One that was made with other settings of a method than those of today is passed over: its curves would be
    read with numbers of another meaning.
    """
    if not _PLAIN.fullmatch(recipe_id):
        return None
    own = users_folder()
    for folder in (*folders, *([] if own is None else [own])):
        path = place_of(recipe_id, folder)
        if path.is_file() and _is_of_today(found := Calibration.read(path)):
            return found
    return shipped(recipe_id)


def with_clocks(recipe_id: str) -> Calibration:
    """The calibration of a source of values by which the clocks count too; an InputError without one.

    It is made from the same games (assay.validation.evaluated), and ships with the package.
    """
    found = shipped(f"{recipe_id}{WITH_CLOCKS}") if _PLAIN.fullmatch(recipe_id) else None
    if found is None:
        raise InputError(
            "--with clocks counts on the scale of lichess bullet alone, where it was measured to help "
            "(docs/evaluated.md): these games are on another, so leave it out"
        )
    return found


def _is_of_today(calibration: Calibration) -> bool:
    models = calibration.models
    return all(
        name not in models or mapping.model == models[name].identity
        for name, mapping in calibration.mappings.items()
    )


def calibrated(model: MoveModel, recipe_id: str) -> MoveModel:
    """The model with the mapping of a calibration that is found, where there is one for its settings."""
    calibration = find_calibration(recipe_id)
    mapping = None if calibration is None else calibration.mappings.get(model.name)
    if mapping is not None and mapping.model == model.identity:
        assert calibration is not None
        model.mapping = mapping
        model.recall(calibration.models[model.name].lessons)
    return model


def all_shipped() -> list[Calibration]:
    """The calibrations that come with the package, the one of the most games first."""
    folder = files("assay") / "data" / "calibrations"
    names = [one.name.removesuffix(_SUFFIX) for one in folder.iterdir() if one.name.endswith(_SUFFIX)]
    names = [name for name in names if not name.endswith(WITH_CLOCKS)]
    found = (shipped(name) for name in sorted(names, key=lambda name: (name != REFERENCE, name)))
    return [one for one in found if one is not None]


@cache
def shipped(recipe_id: str) -> Calibration | None:
    """The calibration of a recipe that comes with the package; None if there is none."""
    resource = files("assay") / "data" / "calibrations" / f"{recipe_id}{_SUFFIX}"
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        return Calibration.read(path)
