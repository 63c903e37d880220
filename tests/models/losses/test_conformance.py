"""Conformance and the losses under it (Alliot 2017, sections 3.2 and 4.2)."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.errors import InputError
from assay.models.losses.conformance import (
    ConformanceModel,
    best_bound,
    best_k,
    correlation_by_bound,
    cumulative,
    distribution,
    wilson,
)
from assay.models.losses.measure import LossMeasure
from assay.models.outcomes import correlation, fit_line, pair_games
from assay.testing import make_decisions
from examples.game_tables import make_games


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games()


class TestModel:
    def test_conformance_is_a_plain_count(self) -> None:
        decisions = make_decisions(games=6, plies=60)
        model = ConformanceModel("raw")
        kept = model.select(decisions)[0]
        lost = loss(kept, 1000)
        profile = model.profile(decisions)
        for bound in (0, 10, 30, 200):
            assert model.at(profile, bound).value == pytest.approx((lost <= bound).mean())

    def test_r_and_r_prime(self) -> None:
        counts = np.array([6.0, 3, 1])
        assert distribution(counts).tolist() == [0.6, 0.3, 0.1]
        assert cumulative(counts) == pytest.approx([0.6, 0.9, 1.0])

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
