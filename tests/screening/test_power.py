import numpy as np

from assay.screening.measured import Measurement
from assay.screening.power import SCENARIOS, PowerTrial, critical, late, replaced, share
from assay.screening.turns import Turns
from examples.screened_games import field, positions


def test_a_share_of_the_moves_is_replaced() -> None:
    turns = Turns.of(field(games=2, turns=30))
    own = turns.decisions.played_index
    assert (replaced(turns, share(1.0)) == 0).all()
    assert (replaced(turns, share(1.0, 1)) == 1).all()
    half = replaced(turns, share(0.5)) != own
    assert 0 < half.mean() < 0.5
    assert (replaced(turns, share(0.0)) == own).all()


def test_only_critical_moves_or_late_ones() -> None:
    turns = Turns.of(field(games=2, turns=30))
    mask, _ = critical(turns, np.random.default_rng(0))
    second = turns.delta[turns.decisions.offsets[:-1] + 1]
    assert (second[mask] >= 0.2).all()
    assert (second[~mask] < 0.2).all()
    mask, _ = late(1.0)(turns, np.random.default_rng(0))
    assert (turns.decisions.numbers("ply")[mask] >= 40).all()
    assert mask.any()


def test_every_scenario_can_be_played() -> None:
    turns = Turns.of(positions(30))
    for how in SCENARIOS.values():
        index = replaced(turns, how)
        assert ((index >= 0) & (index < turns.decisions.n_options)).all()


def test_every_test_sees_that_all_moves_are_the_engines(measurement: Measurement) -> None:
    trial = measurement.trial
    chosen = np.flatnonzero(trial.fold == 0)
    power = PowerTrial(trial, measurement.norms_of, measurement.population, chosen)
    played = replaced(trial.turns, share(1.0))
    evidence = trial.evidence(played, (0,))
    groups = [rows for rows in measurement.honest[2].groups if trial.fold[rows[0]] == 0]
    tests = power.tests(groups, played, False, evidence, power.stacks(played))
    honest = measurement.honest[2]
    assert np.median(tests.plain) > np.quantile(honest.plain, 0.95)
    assert np.median(tests.index) > np.quantile(honest.index, 0.95)
    assert np.median(tests.ours[:, -1]) > np.quantile(honest.z[:, -1], 0.95)
