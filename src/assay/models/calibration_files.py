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
from assay.models.calibration import Calibration

VARIABLE = "ASSAY_CALIBRATIONS"
"""Names another folder for a user's calibrations."""

_SUFFIX = ".npz"
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,80}")


def users_folder() -> Path:
    """The folder of a user's own calibrations."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "assay" / "calibrations"


def place_of(recipe_id: str, folder: Path | None = None) -> Path:
    """Where the calibration of a recipe is kept. Its id may come from an untrusted file, and is no path."""
    if not _PLAIN.fullmatch(recipe_id):
        raise InputError(f"'{recipe_id}' is no id of a recipe: name the file to write with --out")
    return (folder or users_folder()) / f"{recipe_id}{_SUFFIX}"


def find_calibration(recipe_id: str, folders: Iterable[Path] = ()) -> Calibration | None:
    """The calibration of a recipe: from these folders, the user's, or the package; None if there is none."""
    if not _PLAIN.fullmatch(recipe_id):
        return None
    for folder in (*folders, users_folder()):
        path = place_of(recipe_id, folder)
        if path.is_file():
            return Calibration.read(path)
    return _shipped(recipe_id)


def calibrated(model: MoveModel, recipe_id: str) -> MoveModel:
    """The model with the mapping of a calibration that is found, where there is one for its settings."""
    calibration = find_calibration(recipe_id)
    mapping = None if calibration is None else calibration.mappings.get(model.name)
    if mapping is not None and mapping.model == model.identity:
        model.mapping = mapping
    return model


@cache
def _shipped(recipe_id: str) -> Calibration | None:
    resource = files("assay") / "calibrations" / f"{recipe_id}{_SUFFIX}"
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        return Calibration.read(path)
