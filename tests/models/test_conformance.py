"""Conformance and the losses under it (Alliot 2017, sections 3.2 and 4.2)."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.errors import InputError
from assay.models.conformance import (
    BOUNDS,
    CURVE,
    STEP,
    ConformanceModel,
    LossMeasure,
    best_k,
    conformance_by,
    conformance_with_results,
    correlation_by_bound,
    fit_line,
    loss_classes,
    pair_games,
    ponder,
    regression_k,
)
from assay.models.covariance import CovarianceModel
from assay.models.intervals import correlation, wilson
from assay.testing import make_decisions
from examples.gain_examples import with_column
from examples.game_tables import make_games


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games()


class TestModel:
    def test_the_line_of_the_paper(self) -> None:
        model = ConformanceModel()
        decisions = make_decisions(games=6, plies=60)
        a, b = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
        difference = model.at(a, 30).value - model.at(b, 30).value
        assert model.forecast(a, b).expectation == pytest.approx((1 + 3.64 * difference - 0.007) / 2)

    def test_wilson_holds_the_truth_at_its_rate(self) -> None:
        generator = np.random.default_rng(0)
        held = [
            (one := wilson(count / 200, 200)).low <= 0.8 <= one.high
            for count in generator.binomial(200, 0.8, 2000)
        ]
        assert np.mean(held) == pytest.approx(0.95, abs=0.02)


class TestResults:
    def test_correlation_by_bound_is_that_of_a_plain_loop(self, games: Decisions) -> None:
        [(bound, rho)] = correlation_by_bound(games, LossMeasure("raw"), [20])
        differences, results = [], []
        for _, game in games.by_game():
            sides = [game.select(colour=colour) for colour in ("white", "black")]
            shares = [(loss(side) <= 20).mean() for side in sides]
            differences.append(shares[0] - shares[1])
            results.append(sides[0].numbers("result")[0])
        assert bound == 20
        assert rho == pytest.approx(np.corrcoef(differences, results)[0, 1])
        assert rho > 0.5

    def test_the_simplex_does_no_worse_than_its_start(self, games: Decisions) -> None:
        k1, k2, rho = best_k(games)
        assert k1 > 0 > k2
        [(_, start)] = correlation_by_bound(games, LossMeasure("pondered", 1.44, -3.53), [30])
        [(_, found)] = correlation_by_bound(games, LossMeasure("pondered", k1, k2), [30])
        assert rho == pytest.approx(found)
        assert found >= start

    def test_alpha_and_beta_are_least_squares(self, games: Decisions) -> None:
        model = ConformanceModel("raw").fit(games)
        assert model.beta_ > 1
        x, y = np.array([0.0, 1, 2]), np.array([1.0, 3, 5])
        assert fit_line(x, y) == pytest.approx((1.0, 2.0))
        assert np.isnan(correlation([1, 1, 1], [0, 1, 2]))


# Conformance as rows, against shares counted by hand.


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return make_decisions(games=10, plies=80)


def test_shares_are_counted(decisions: Decisions) -> None:
    kept, _ = ConformanceModel("raw").select(decisions)
    for row in conformance_by(decisions, ["player"], "raw"):
        own = loss(kept.select(player=row["player"]))
        for bound in BOUNDS:
            assert row[str(bound)] == pytest.approx(float(np.mean(own <= bound)))


def test_the_best_bound_is_marked() -> None:
    rows = conformance_with_results(make_games(games=60), "raw")
    assert [row["bound"] for row in rows] == list(CURVE)
    (best,) = [row for row in rows if row["best"]]
    assert best["correlation"] == max(row["correlation"] for row in rows)


# Counts of losses by class: the classes, and that every decision is in one.


@pytest.mark.parametrize(
    "model", [ConformanceModel("raw"), CovarianceModel()], ids=["conformance", "covariance"]
)
def test_every_decision_is_in_the_class_of_its_loss(model: ConformanceModel | CovarianceModel) -> None:
    """A class holds the losses up to its bound; beyond the top they are apart, or count as the top."""
    kept, _ = model.select(make_decisions(games=4))
    group = (np.arange(len(kept)) % 3).astype(np.int64)
    counts = model.evidence(kept, group, 3)
    counts = np.asarray(counts.todense() if hasattr(counts, "todense") else counts)
    expected = np.zeros((3, model.n_classes))
    for place, lost in zip(group, model.measure.of(kept), strict=True):
        expected[place, min(int(np.ceil(lost / STEP)), model.n_classes - 1)] += 1
    assert np.array_equal(counts.reshape(expected.shape), expected)


# What a move loses, and how it is pondered.


class TestLosses:
    def test_pondering_is_the_printed_formula(self) -> None:
        # Two pawns up, half a pawn lost: 0.5 / (1 + 2 / 0.75); two down: 0.5 / (1 + 2 / 3.3).
        assert ponder([50, 50, 50], [200, -200, 0], 0.75, -3.3) == pytest.approx(
            [50 / (1 + 2 / 0.75), 50 / (1 + 2 / 3.3), 50]
        )

    def test_classes_are_half_open_and_zero_is_apart(self) -> None:
        lost = [0, 0.0001, 1, 10, 10.5, 20, 30.0000000001, 199, 200, 201, 5000]
        assert loss_classes(lost, 21).tolist() == [0, 1, 1, 1, 2, 2, 3, 20, 20, 21, 21]

    def test_guid_and_bratko_leave_out_decided_positions(self) -> None:
        decisions = make_decisions(games=4, plies=60)
        kept = decisions.filter(*LossMeasure("guid_bratko").rules())
        assert (np.abs(kept.numbers("before")) <= 200).all()
        assert 0 < len(kept) < len(decisions.filter(*LossMeasure("raw").rules()))

    def test_the_regression_finds_known_lines(self) -> None:
        # Mean loss 0.26 v + 0.18 above zero, -0.60 v + 0.17 below: b/a flattens it.
        import pyarrow as pa

        generator = np.random.default_rng(0)
        best = np.round(generator.uniform(-400, 400, 6000)).astype(int)
        mean = np.where(best > 0, 0.26 * best + 18, -0.60 * best + 17)
        lost = np.maximum(np.round(mean * generator.uniform(0.8, 1.2, 6000)), 1).astype(int)
        rows = [
            {"player": "A", "moves": ["a", "b"], "cp": [int(v), int(v - d)], "played": "b"}
            for v, d in zip(best, lost, strict=True)
        ]
        decisions = Decisions.from_table(pa.Table.from_pylist(rows))
        assert regression_k(decisions) == pytest.approx((0.18 / 0.26, -0.17 / 0.60), rel=0.1)


# Games with both players' decisions, and how an indicator goes with the result, against plain loops.


def test_games_are_paired_with_whites_result() -> None:
    decisions = make_decisions(games=6)
    games = pair_games(decisions)
    assert len(games) == 6
    for row, side in zip(games.decisions.table().to_pylist(), games.side, strict=True):
        assert side % 2 == (row["colour"] == "black")
        white = row["result"] if row["colour"] == "white" else 1 - row["result"]
        assert games.result[side // 2] == 2 * white - 1
    assert len(games.decisions) == len(decisions)


def test_games_of_one_side_or_without_a_result_are_left_out() -> None:
    decisions = make_decisions(games=6)
    games, colours = decisions.text("game_id"), decisions.text("colour")
    one_side = [game == "game0" and colour == "black" for game, colour in zip(games, colours, strict=True)]
    kept = decisions.take(np.flatnonzero(~np.array(one_side)))
    assert len(pair_games(kept)) == 5
    results = [
        None if game == "game1" else result
        for game, result in zip(kept.text("game_id"), kept.numbers("result").tolist(), strict=True)
    ]
    assert len(pair_games(with_column(kept, "result", results))) == 4


def test_two_games_are_too_few() -> None:
    with pytest.raises(InputError, match="three or more games"):
        pair_games(make_decisions(games=2))
    with pytest.raises(InputError, match="three or more games"):
        pair_games(Decisions.concat([make_decisions(games=4).select(player="Ann")]))
