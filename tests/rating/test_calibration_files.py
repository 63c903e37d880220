"""Where calibrations are looked for."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.rating.files import find_calibration, place_of


def test_without_a_home_the_shipped_calibration_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    for variable in ("ASSAY_CALIBRATIONS", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    assert find_calibration("672593ce2551e878") is not None
    assert find_calibration("absent") is None
    with pytest.raises(InputError, match="there is no home"):
        place_of("672593ce2551e878")
