"""Error rates and power of the screening, in a small measurement: folds judged by one calibration."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.answers.screening import SHARES
from assay.decisions.decisions import Decisions
from assay.models.appearances import assign_folds
from assay.screening.norms import Norms, find_norms
from assay.screening.statistics import Turns
from examples.screened_games import PLAIN_TURNS, STANDARD, calibration, field, positions
from research.calibration.screening_norms import document
from research.evidence.screening import measured, trials
from research.evidence.screening import page as pages
from research.evidence.screening.measured import Measurement, honest_rates, over_splits, powers
from research.evidence.screening.trials import (
    SCENARIOS,
    Fold,
    Trial,
    critical,
    held_out_z,
    late,
    rates_of,
    replaced,
    share,
)


@pytest.fixture(scope="module")
def measurement() -> Iterator[Measurement]:
    """Five players of each of three ratings, two games each."""
    tables = []
    for place, elo in enumerate((1800, 2000, 2200)):
        names = [f"{name} {elo}" for name in ("Ann", "Bob", "Cid", "Dee", "Eve")]
        tables.append(field(names, games=2, turns=26, elo=elo, seed=10 * place))

    def made(trial: Trial, one: int) -> Fold:
        rows = np.flatnonzero(trial.fold == one)
        at = np.flatnonzero(np.isin(trial.place, rows))
        return Fold(rows, calibration(), PLAIN_TURNS.curves, at, Turns.of(trial.turns.decisions.take(at)))

    patch = pytest.MonkeyPatch()
    patch.setattr(Trial, "_fit_fold", made)
    patch.setattr(trials, "FOLDS", 2)
    patch.setattr(measured, "FOLDS", 2)
    patch.setattr(trials, "assign_folds", lambda *given: assign_folds(*given[:3], 2, given[4]))
    patch.setattr(measured, "GAMES", (1, 2))
    patch.setattr(measured, "DEALT", 2)
    yield Measurement(Trial(Decisions.concat(tables)))
    patch.undo()


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
    assert all(len(folds) == 1 for folds in fold.values())
    assert {len(rows) for rows in trial.composites(2, 1)} == {2}
    for rows in trial.composites(2, 1):
        assert len(set(trial.fold[rows].tolist())) == 1
        assert len(set(trial.appearances.game[rows].tolist())) == 2


def test_departures_of_honest_agents_are_near_standard(measurement: Measurement) -> None:
    honest = measurement.honest[1]
    again = held_out_z(
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
    second = -turns.values[-1][turns.decisions.offsets[:-1] + 1]
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
    for name in ("ours", "plain"):
        assert np.median(moved[2][name]) > np.quantile(honest.tests[name], 0.95)
    assert len(moved[2]["ours"]) == len(honest.groups), "games of all folds"


def test_other_splits_take_other_moves(measurement: Measurement) -> None:
    first, second = (measurement.moved(share(0.5), seed)[1]["plain"] for seed in (0, 1))
    assert not np.array_equal(first, second)


@pytest.fixture(scope="module")
def norms(measurement: Measurement) -> Norms:
    honest = {n: {**groups.tests, "reference": groups.reference} for n, groups in measurement.honest.items()}
    rates = honest_rates(honest, 1)
    return measurement.norms(calibration(), {"games": 30}, list(rates))


def test_norms_carry_their_rates(norms: Norms) -> None:
    assert {one["games"] for one in norms.rates} == {1, 2}
    assert {one["level"] for one in norms.sequence["rates"]} == {0.1, 0.05, 0.01}
    assert document(Norms.of(document(norms))) == document(norms)


def test_honest_agents_seldom_make_the_bettor_rich(measurement: Measurement) -> None:
    assert (measurement.bets[1] >= 20).mean() <= 0.05


def test_the_bettor_sees_that_all_moves_are_the_engines(measurement: Measurement) -> None:
    reached = measurement.moved_in_sequence(share(1.0))
    assert (reached[1] >= 100).mean() > 0.5
    fold = measurement.trial.fold
    assert len(reached[1]) == (fold == 0).sum(), "in one fold"


def test_power_is_at_a_measured_rate() -> None:
    generator = np.random.default_rng(0)
    honest, moved = generator.normal(size=100_000), generator.normal(2.0, size=100_000)
    power = powers({"ours": honest}, {"ours": moved})
    assert power["ours"] == pytest.approx(0.372, abs=0.02), "normal, 2 beyond: 1 - Phi(2.326 - 2)"


def test_another_split_is_of_the_same_games(measurement: Measurement) -> None:
    trial = measurement.trial
    again = trial.split_again(5)
    assert again.stacks is trial.stacks
    assert (again.fold != trial.fold).any()
    assert ((again.fold >= 0) == (trial.fold >= 0)).all()
    assert set(np.concatenate([one.rows for one in again.folds])) == set(np.flatnonzero(trial.fold >= 0))


# The page: every table is made, and the page that is committed says what the norms that ship say.

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_table(measurement: Measurement, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "SEEDS", (0, 1))
    honest, by_scenario = over_splits(measurement, {"all moves": share(1.0)})
    assert len(honest[1]["ours"]) == 2 * len(measurement.honest[1].groups)
    assert honest[1]["ours"][:3] == pytest.approx(measurement.honest[1].z[:3, -1])
    assert by_scenario["all moves"][0]["ours"] > 0.5
    norms = pages.norms_of(measurement, calibration(), list(honest_rates(honest, 2)))
    tables = dict(pages.tables(measurement, norms, by_scenario))
    assert "| all moves, 1 |" in tables["Power in percent at 1% of false positives"]
    assert "30 appearances" in tables["Honest games"]


def test_the_committed_page_is_of_the_norms_that_ship() -> None:
    norms = find_norms(STANDARD)
    assert norms is not None
    text = (DOCS / "evidence" / "screening.md").read_text(encoding="utf-8")
    assert pages.rates(norms) in text
    assert pages.dispersion(norms) in text
    assert pages.sequence_rates(norms) in text


def test_rates_that_are_off_are_named_where_enough_groups_tell() -> None:
    one = {"games": 5, "band": "all", "nominal": 0.05, "above": 0.1, "below": 0.06, "groups": 100}
    assert pages.off_nominal([one]) == "5 games, all: 8.0 for 5%"
    assert pages.off_nominal([one | {"groups": 40}]) == "", "two groups are due"
    assert pages.off_nominal([one | {"above": 0.05}]) == ""
    assert "1 game, all: 2.0" in pages.off_nominal([one | {"games": 1, "above": 0.0, "below": 0.04}])


def test_the_committed_page_has_the_rule_that_is_in_force() -> None:
    text = (DOCS / "understand" / "screening.md").read_text(encoding="utf-8")
    for shares in SHARES.values():
        for name, part in shares.items():
            assert f"p(`{name}`) / {part:.2g}" in text


def test_tables_of_evaluated_sources() -> None:
    """A share of which not one group is due is a dash; intervals stand beside shares over all ratings."""
    base = {"games": 1, "above": 0.05, "below": 0.04, "groups": 100}
    rates = [
        {**base, "band": band, "threshold": threshold, "nominal": nominal}
        for band in ("all", "1400-1800")
        for threshold, nominal in ((1.645, 0.05), (3.09, 0.001))
    ]
    young = {**base, "kind": "up to 13 years", "threshold": 1.645}
    norms = Norms(
        source="made",
        shapes={},
        rates=tuple(rates),
        situations=(
            {**young, "error": 60.0},
            {**young, "error": 150.0},
            {**young, "kind": "blitz", "error": 60.0},
        ),
        about={"scale": "Made Elo"},
    )
    assert "| Made Elo | 1, all | 100 | 5.00 / 4.00 | - |" in pages.source_rates([norms])
    known = pages.known_rates([norms])
    assert "| Made Elo | 1 | 100 | 5 | 5.00 (1.64 to 11.28) | 4.00 (1.10 to 9.93) |" in known
    assert known.count("Made Elo") == 1
    kinds = pages.kinds_of_players(norms)
    assert "| up to 13 years | 1 | 100 | 5.0 / 4.0 | 5.0 / 4.0 |" in kinds
    assert "| blitz | 1 | 100 | 5.0 / 4.0 | - |" in kinds
