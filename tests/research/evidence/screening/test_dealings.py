"""Several dealings taken together, and how far a difference of powers is known."""

import json
from pathlib import Path

import numpy as np
import pytest

from research.evidence.screening import dealings
from research.evidence.screening.dealings import (
    Tried,
    compared,
    honest_of,
    jackknife,
    joined,
    moved_of,
    once,
    powers,
)
from research.evidence.screening.measured import Measurement
from research.evidence.screening.power import share


def drawn(shift: float, generator: np.random.Generator, n: int = 4000) -> Tried:
    """Single games in which `ours` sees a shift, and `plain` and `index` half of it."""
    noise = generator.normal(size=n)
    tests = {"ours": noise + shift, "plain": noise + shift / 2, "index": noise + shift / 2}
    return Tried(np.arange(n)[:, None], np.full(n, 2000.0), tests)


def test_power_is_at_a_measured_rate() -> None:
    generator = np.random.default_rng(0)
    found = powers(drawn(0.0, generator, 100_000), drawn(2.0, generator, 100_000))
    assert found["ours"] == pytest.approx(0.372, abs=0.02), "normal, 2 beyond: 1 - Phi(2.326 - 2)"
    assert found["plain"] == pytest.approx(0.092, abs=0.01)


def test_the_jackknife_is_as_wide_as_differences_are() -> None:
    """Differences of powers of sixty draws vary by what each of them says of itself, to a third."""
    generator = np.random.default_rng(1)
    found = [
        compared({1: drawn(0.0, generator)}, {1: drawn(2.0, generator)})[0]["apart"]["plain"]
        for _ in range(60)
    ]
    apart, error = np.array(found).T
    assert apart.std() / 1.4 < np.sqrt(np.square(error).mean()) < apart.std() * 1.4


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.random.default_rng(2).normal(size=20)
    means = [np.delete(values, place).mean() for place in range(20)]
    assert jackknife(means) == pytest.approx(values.std(ddof=1) / np.sqrt(20))


def test_groups_that_have_a_game_of_a_part_are_left_out() -> None:
    games = np.array([[0, 1], [2, 20], [21, 2]])
    one = Tried(games, np.zeros(3), {"ours": np.arange(3.0)}).without(0)
    assert one.games.tolist() == [[21, 2]]
    assert one.tests["ours"].tolist() == [2.0]


def test_dealings_are_joined_and_survive_json(measurement: Measurement) -> None:
    """The other engine's games may be too few for groups in some dealing."""
    honest = json.loads(json.dumps(honest_of(lambda: measurement)))
    assert sorted(joined([honest, honest])) == [1, 2]
    assert len(joined([honest, {"1": honest["1"]}])[2]) == len(measurement.honest[2].groups)
    twice = joined([honest, honest])[1]
    assert len(twice) == 2 * len(measurement.honest[1].groups)
    assert twice.tests["ours"][:3] == pytest.approx(measurement.honest[1].z[:3, -1], abs=1e-4)
    moved = joined([moved_of(lambda: measurement, share(1.0))])
    assert compared(joined([honest]), moved)[0]["ours"] > 0.5


def test_what_was_found_is_not_looked_for_again(
    measurement: Measurement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iter([[1], [2]])
    assert once(tmp_path / "kept", "power 5% of moves", lambda: next(found)) == [1]
    assert once(tmp_path / "kept", "power 5% of moves", lambda: next(found)) == [1]
    assert once(None, "power 5% of moves", lambda: next(found)) == [2]
    monkeypatch.setattr(dealings, "SEEDS", (0, 1))
    given = ({"all moves": share(1.0)}, None, tmp_path)
    honest, powers = dealings.over_dealings(measurement, *given)
    assert len(honest[1]) == 2 * len(measurement.honest[1].groups)
    monkeypatch.setattr(dealings, "_dealing", lambda *_: pytest.fail("made again"))
    monkeypatch.setattr(Measurement, "moved_in_sequence", lambda *_: pytest.fail("followed again"))
    assert dealings.over_dealings(measurement, *given)[1] == powers


def test_another_dealing_is_of_the_same_games(measurement: Measurement) -> None:
    trial = measurement.trial
    again = trial.dealt_again(None, 5)
    assert again.stacks is trial.stacks
    assert (again.fold != trial.fold).any()
    assert ((again.fold >= 0) == (trial.fold >= 0)).all()
    assert set(np.concatenate([one.rows for one in again.folds])) == set(np.flatnonzero(trial.fold >= 0))
