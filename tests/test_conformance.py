"""Conformance and the losses under it (Alliot 2017, sections 3.2 and 4.2)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.decisions import Decisions
from assay.domain.measures import loss
from assay.errors import InputError
from assay.models.conformance import (
    ConformanceModel,
    best_bound,
    best_k,
    correlation_by_bound,
    cumulative,
    distribution,
    smoothed,
    wilson,
)
from assay.models.losses import LossMeasure, loss_classes, ponder, regression_k
from assay.models.outcomes import correlation, fit_line, pair_games
from decision_tables import make_decisions
from game_tables import make_games


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games()


class TestLosses:
    def test_pondering_is_the_printed_formula(self) -> None:
        # Two pawns up, half a pawn lost: 0.5 / (1 + 2 / 0.75); two down: 0.5 / (1 + 2 / 3.3).
        assert ponder([50, 50, 50], [200, -200, 0], 0.75, -3.3) == pytest.approx(
            [50 / (1 + 2 / 0.75), 50 / (1 + 2 / 3.3), 50]
        )

    @given(st.floats(0, 3000), st.integers(-32_000, 32_000))
    def test_pondered_losses_are_never_larger_nor_negative(self, lost: float, best: int) -> None:
        assert 0 <= float(ponder(lost, best, 0.75, -3.3)) <= lost

    def test_classes_are_half_open_and_zero_is_apart(self) -> None:
        lost = [0, 0.0001, 1, 10, 10.5, 20, 30.0000000001, 199, 200, 201, 5000]
        assert loss_classes(lost, 10, 21).tolist() == [0, 1, 1, 1, 2, 2, 3, 20, 20, 21, 21]

    def test_guid_and_bratko_leave_out_decided_positions(self) -> None:
        decisions = make_decisions(games=4, plies=60)
        kept = decisions.filter(*LossMeasure("guid_bratko").rules())
        assert (np.abs(kept.numbers("before")) <= 200).all()
        assert 0 < len(kept) < len(decisions.filter(*LossMeasure("raw").rules()))

    def test_the_regression_finds_known_lines(self) -> None:
        # Mean loss 0.26 v + 0.18 above zero, -0.60 v + 0.17 below: b/a flattens it, a/b is as published.
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
        assert regression_k(decisions, published=True) == pytest.approx((1.44, -3.53), rel=0.1)

    @pytest.mark.parametrize(("k1", "k2"), [(-1.0, -3.0), (0.7, 3.3)])
    def test_k_of_the_wrong_sign_is_refused(self, k1: float, k2: float) -> None:
        with pytest.raises(InputError, match="k1"):
            LossMeasure("pondered", k1, k2)


class TestModel:
    def test_conformance_is_a_plain_count(self) -> None:
        decisions = make_decisions(games=6, plies=60)
        model = ConformanceModel("raw")
        kept = model.select(decisions)[0]
        lost = loss(kept, 1000)
        profile = model.profile(decisions)
        for bound in (0, 10, 30, 200):
            assert model.at(profile, bound).value == pytest.approx((lost <= bound).mean())

    def test_r_r_prime_and_q(self) -> None:
        counts = np.array([[6.0, 3, 1], [2, 2, 4]])
        assert distribution(counts[0]).tolist() == [0.6, 0.3, 0.1]
        assert cumulative(counts[0]) == pytest.approx([0.6, 0.9, 1.0])
        # The year before counts half: (2 + 6/2) / (8 + 10/2).
        assert smoothed(counts, [1970, 1971])[0] == pytest.approx(5 / 13)
        assert smoothed(counts, [1968, 1971])[0] == pytest.approx((2 + 6 / 8) / (8 + 10 / 8))

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

    def test_bounds_off_the_steps_are_refused(self) -> None:
        with pytest.raises(InputError, match="multiple"):
            ConformanceModel(bound=35)


class TestResults:
    def test_games_are_paired_with_results(self, games: Decisions) -> None:
        paired = pair_games(games)
        assert len(paired) == 150
        assert set(paired.result) <= {-1.0, 0.0, 1.0}
        names = games.games
        row = next(i for i, name in enumerate(paired.decisions.text("game_id")) if name == names[3])
        first = games.select(game=names[3], colour="white")
        assert paired.result[paired.side[row] // 2] == 2 * first.numbers("result")[0] - 1

    def test_one_sided_games_cannot_be_paired(self, games: Decisions) -> None:
        with pytest.raises(InputError, match="both players"):
            pair_games(games.select(colour="white"))

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

    def test_the_best_bound_is_the_best(self, games: Decisions) -> None:
        bounds = [0, 10, 20, 30, 50, 100]
        curve = dict(correlation_by_bound(games, LossMeasure("raw"), bounds))
        bound, rho = best_bound(games, LossMeasure("raw"), bounds)
        assert rho == max(curve.values()) == curve[bound]

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
