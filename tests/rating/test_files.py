"""Where calibrations are found."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.rating.calibration import Calibration
from assay.rating.files import VARIABLE, find_calibration, place_of


def test_a_users_calibration_is_found(
    calibration: Calibration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert find_calibration("made") is None
    assert find_calibration("../made") is None
    with pytest.raises(InputError, match="cannot be the id of a recipe"):
        place_of("../made")
    assert place_of("elsewhere-1a2b").name == "elsewhere-1a2b.npz"
    calibration.write(place_of("made"))
    found = find_calibration("made")
    assert found is not None
    assert found.recipe_id == "made"


def test_a_calibration_of_other_settings_is_passed_over(
    calibration: Calibration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings of a method changed since it was made: rate goes on with the package's, or without one."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    calibration.write(place_of("made"))
    assert find_calibration("made") is not None
    monkeypatch.setattr(type(calibration.models["conformance"]), "settings", property(lambda _: "others"))
    assert find_calibration("made") is None
