"""Priors of rows: Dirichlet distributions."""

import numpy as np
import pytest
from scipy.stats import dirichlet_multinomial

from assay.models.markov.dirichlet import RowPrior, draw_rows, fit_prior, log_marginal, shares
from examples.markov_chains import triangular


class TestPrior:
    def test_marginal_likelihood_is_scipys(self) -> None:
        generator = np.random.default_rng(1)
        pooled = np.array([0.1, 0.3, 0.6])
        counts = generator.multinomial(50, pooled, size=8).astype(float)
        known = [
            dirichlet_multinomial(s * pooled, 50).logpmf(counts.astype(int)).sum()
            - log_marginal(np.log(s), counts, pooled)
            for s in (3.0, 30.0, 300.0)
        ]
        assert known == pytest.approx([known[0]] * 3)  # they differ by what does not depend on strength

    @pytest.mark.parametrize("strength", [20.0, 200.0])
    def test_the_strength_of_a_population_is_found(self, strength: float) -> None:
        generator = np.random.default_rng(2)
        rows = triangular(generator, 10, rare=1.0)[0]
        players = draw_rows(strength * rows, 150, generator)
        counts = np.array([[generator.multinomial(150, row) for row in player] for player in players])
        assert fit_prior(counts).strength[0] == pytest.approx(strength, rel=0.2)
        assert np.median(fit_prior(counts, per_row=True).strength[3:]) == pytest.approx(strength, rel=0.4)

    def test_each_row_is_drawn_with_its_own_strength(self) -> None:
        rows = np.array([[0.5, 0.5], [0.5, 0.5]])
        prior = RowPrior(rows, np.array([1.0, 10_000.0]))
        drawn = prior.draw([np.zeros((2, 2))], 400, np.random.default_rng(5))[0]
        assert drawn.shape == (400, 2, 2)
        deviation = drawn[:, :, 0].std(axis=0)
        assert deviation == pytest.approx([0.5 / np.sqrt(2), 0.5 / np.sqrt(10_001)], rel=0.2)

    def test_strengths_are_drawn_by_the_generator_and_the_same_for_both_players(self) -> None:
        counts = np.random.default_rng(4).multinomial(30, [0.3, 0.7], size=(6, 2)).astype(float)
        prior, many = fit_prior(counts), np.full((2, 2), 1e-9)
        one, again, other = (prior.draw([many, many], 300, np.random.default_rng(seed)) for seed in (7, 7, 8))
        assert all((first == second).all() for first, second in zip(one, again, strict=True))
        spread = [np.abs(players[0] - prior.rows).mean(axis=(1, 2)) for players in (one, other)]
        assert not np.allclose(spread[0], spread[1])
        # A weak prior leaves both players far from the pooled rows in the same draws.
        far = [np.abs(drawn - prior.rows).mean(axis=(1, 2)) for drawn in one]
        assert np.corrcoef(*far)[0, 1] > 0.2

    def test_rows_never_seen_stay_where_they_are(self) -> None:
        counts = np.zeros((2, 3, 3))
        counts[:, 1, :2] = [[1, 9], [2, 8]]
        assert shares(counts)[0].tolist() == [[1, 0, 0], [0.1, 0.9, 0], [0, 0, 1]]
        drawn = draw_rows(counts[0], 5, np.random.default_rng(0))
        assert drawn.sum(axis=-1) == pytest.approx(1.0)
        assert (drawn[:, 2] == [0, 0, 1]).all()
