"""Profiles add up, keep their meaning, and come back from files; stacks are what one by one are."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions.profile import Profile, ProfileStack, check_same_model
from assay.errors import InputError


def profile(seed: int = 0, model: str = "m(1)", recipe: str = "made") -> Profile:
    numbers = np.random.default_rng(seed).uniform(0, 9, 7)
    return Profile(model, numbers[:6].reshape(2, 3), 10.0 + seed, 2.0, {"not forced": numbers[6]}, recipe)


@given(st.lists(st.floats(0, 5), min_size=1, max_size=5))
def test_a_weighted_sum_is_one_by_one(weights: list[float]) -> None:
    profiles = [profile(seed) for seed in range(len(weights))]
    total = Profile.sum(profiles, weights)
    assert total.evidence == pytest.approx(
        sum(w * p.evidence for w, p in zip(weights, profiles, strict=True))
    )
    assert total.decisions == pytest.approx(sum(w * (10 + k) for k, w in enumerate(weights)))
    assert total.games == pytest.approx(2 * sum(weights))
    assert total.left_out["not forced"] == pytest.approx(
        sum(w * p.left_out["not forced"] for w, p in zip(weights, profiles, strict=True))
    )


def test_addition_and_weights_are_sums() -> None:
    a, b = profile(1), profile(2)
    assert (a + b).equals(Profile.sum([a, b]))
    assert (0.5 * a).equals(a * 0.5)
    assert (a + a).equals(2 * a)
    assert not a.equals(b)
    assert (a + b).recipe_id == "made"


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
    profile(3).write(path)
    again = Profile.read(path)
    assert again.equals(profile(3), 0.0)
    assert again.left_out == profile(3).left_out
    assert [one.name for one in tmp_path.iterdir()] == ["profile.npz"]
    with pytest.raises(InputError, match="does not exist"):
        Profile.read(tmp_path / "none.npz")
    path.write_bytes(b"something else")
    with pytest.raises(InputError, match="is not a profile"):
        Profile.read(path)


def test_a_stack_is_its_profiles() -> None:
    profiles = {f"game{seed}": profile(seed) for seed in range(4)}
    stack = ProfileStack.of(profiles)
    assert (len(stack), stack.keys, stack.shape) == (4, tuple(profiles), (2, 3))
    weights = np.random.default_rng(5).poisson(1.0, (3, 4))
    for row, found in zip(weights, stack.weighted(weights), strict=True):
        assert found.equals(Profile.sum(list(profiles.values()), row.tolist()))
    assert stack.total().equals(Profile.sum(list(profiles.values())))
    assert stack.only([2, 0]).keys == ("game2", "game0")
    assert stack.only([2, 0]).total().equals(profiles["game2"] + profiles["game0"])
