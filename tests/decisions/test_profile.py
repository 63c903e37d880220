"""Profiles keep their meaning, and come back from files. That they add up is part of the contract."""

from pathlib import Path

import numpy as np
import pytest

from assay.decisions.profile import Profile, ProfileStack, check_same_model
from assay.errors import InputError


def profile(model: str = "m(1)", recipe: str = "made") -> Profile:
    return Profile(model, np.arange(6.0).reshape(2, 3), 10.0, 2.0, {"not forced": 0.3}, recipe)


def test_rules_of_either_are_counted() -> None:
    a = Profile("m", np.ones(1), 1.0, 1.0, {"one": 2.0})
    b = Profile("m", np.ones(1), 1.0, 1.0, {"other": 3.0})
    assert (a + b).left_out == {"one": 2.0, "other": 3.0}


def test_what_does_not_go_together() -> None:
    with pytest.raises(InputError, match=r"different meaning.*m\(1\), m\(2\)"):
        check_same_model([profile(), profile(model="m(2)")])
    with pytest.raises(InputError, match=r"different recipes.*made, none"):
        check_same_model([profile(), profile(recipe="")])
    with pytest.raises(InputError, match="no profiles to add"):
        Profile.sum([])
    with pytest.raises(InputError, match="no profiles to stack"):
        ProfileStack.of({})


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "profile.npz"
    profile().write(path)
    again = Profile.read(path)
    assert again.equals(profile(), 0.0)
    assert again.left_out == profile().left_out
    assert [file.name for file in tmp_path.iterdir()] == ["profile.npz"]
    with pytest.raises(InputError, match="does not exist"):
        Profile.read(tmp_path / "none.npz")
    path.write_bytes(b"something else")
    with pytest.raises(InputError, match="is not a profile"):
        Profile.read(path)
