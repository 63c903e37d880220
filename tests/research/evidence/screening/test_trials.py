import numpy as np
import pytest

from research.evidence.screening.measured import Measurement
from research.evidence.screening.trials import held_out_departures, rates_of


def test_rates_of_normal_departures_are_nominal() -> None:
    z = np.random.default_rng(0).normal(size=200_000)
    found = list(rates_of(z, np.full(len(z), 2000.0), 1, (1.645, 2.326), 1))
    everyone = [one for one in found if one["band"] == "all"]
    assert [one["nominal"] for one in everyone] == pytest.approx([0.05, 0.01], abs=1e-4)
    for one in everyone:
        assert one["above"] == pytest.approx(one["nominal"], rel=0.1)
        assert one["below"] == pytest.approx(one["nominal"], rel=0.1)
    assert next(one for one in found if one["band"] == "1800-2100")["groups"] == len(z)


def test_nobody_is_judged_by_what_has_seen_them(measurement: Measurement) -> None:
    trial = measurement.trial
    fold = {}
    for row in np.flatnonzero(trial.fold >= 0):
        fold.setdefault(int(trial.appearances.player[row]), set()).add(int(trial.fold[row]))
    assert all(len(one) == 1 for one in fold.values())
    assert {len(rows) for rows in trial.composites(2, 1)} == {2}
    for rows in trial.composites(2, 1):
        assert len(set(trial.fold[rows].tolist())) == 1
        assert len(set(trial.appearances.game[rows].tolist())) == 2
    assert all(len(set(trial.appearances.player[rows].tolist())) == 1 for rows in trial.of_one_player(2))


def test_departures_of_honest_agents_are_near_standard(measurement: Measurement) -> None:
    honest = measurement.honest[1]
    again = held_out_departures(
        measurement.trial,
        measurement.norms_of,
        measurement.evidence,
        honest.groups,
        measurement.by_elo[measurement.rows],
        True,
    )
    assert again == pytest.approx(honest.z, nan_ok=True)
    assert 0.5 < again[:, 0].std() < 1.6
    assert abs(again[:, 0].mean()) < 0.8
