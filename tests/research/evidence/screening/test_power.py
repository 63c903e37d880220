import numpy as np

from assay.screening.turns import Turns
from examples.screened_games import field, positions
from research.evidence.screening.measured import Measurement
from research.evidence.screening.power import SCENARIOS, critical, late, replaced, share


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
    moved = measurement.moved(share(1.0))
    honest = measurement.honest[2]
    for name in ("ours", "plain", "index"):
        assert np.median(moved[2].tests[name]) > np.quantile(honest.tests[name], 0.95)
    assert len(moved[2].groups) == len(honest.groups), "games of all folds"


def test_other_dealings_take_other_moves(measurement: Measurement) -> None:
    one, other = (measurement.moved(share(0.5), None, seed)[1].tests["plain"] for seed in (0, 1))
    assert not np.array_equal(one, other)


def test_moves_taken_in_some_games_only(measurement: Measurement) -> None:
    among = np.flatnonzero(measurement.trial.fold == 1)
    moved = measurement.moved(share(1.0), among)
    assert [int(rows[0]) for rows in moved[1].groups] == among.tolist()
    assert all(set(rows.tolist()) <= set(among.tolist()) for rows in moved[2].groups)
