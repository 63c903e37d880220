"""Priors at the level of error of each player."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.markov.dirichlet import draw_each, log_marginal
from assay.models.markov.levels import (
    GRID,
    LevelPrior,
    fit_levels,
    log_likelihoods,
    log_weights,
    tilted,
)
from assay.models.markov.model import MarkovModel
from assay.testing import make_decisions
from examples.markov_chains import printed_rows


class TestLevels:
    def test_tilted_rows_err_more_and_stay_rows(self) -> None:
        rows = printed_rows()
        more = tilted(rows, 0.5)
        assert more.sum(axis=-1) == pytest.approx(1.0)
        odds = [(1 - matrix[5, 5]) / matrix[5, 5] for matrix in (rows, more)]
        assert odds[1] == pytest.approx(odds[0] * np.exp(0.5))
        assert tilted(rows, 0.0) == pytest.approx(rows)
        assert tilted(rows, [0.1, 0.2]).shape == (2, 10, 10)

    def test_likelihoods_are_those_of_single_rows(self) -> None:
        rows, generator = printed_rows(), np.random.default_rng(0)
        counts = np.array([generator.multinomial(60, row) for row in rows]).astype(float)
        expected = 40 * tilted(rows, [0.0, 0.3])
        known = [
            sum(
                log_marginal(np.log(40.0), counts[r][None, p > 0], p[p > 0] / 40)
                for r, p in enumerate(matrix)
            )
            for matrix in expected
        ]
        assert log_likelihoods(counts, expected, 40.0) == pytest.approx(known)

    def test_levels_and_their_spread_are_found(self) -> None:
        generator = np.random.default_rng(1)
        rows = printed_rows()
        thetas = generator.normal(0, 0.4, 60)
        players = draw_each(300 * tilted(rows, thetas), generator)
        counts = np.array([[generator.multinomial(150, row) for row in player] for player in players])
        prior = fit_levels(counts, np.zeros((10, 10)))
        found = [float(prior.levels(player) @ GRID) for player in counts]
        assert prior.spread == pytest.approx(0.4, rel=0.25)
        assert np.corrcoef(found, thetas)[0, 1] > 0.95

    def test_many_players_at_once_have_the_levels_of_each(self) -> None:
        generator = np.random.default_rng(4)
        rows = printed_rows()
        counts = np.array([[generator.multinomial(8, row) for row in rows] for _ in range(12)]).astype(float)
        counts[3] *= 0.37  # weighted: not whole
        counts[5] = 0.0
        prior = LevelPrior(rows, 30.0, 0.3)
        found = prior.levels(counts)
        for player, own in zip(counts, found, strict=True):
            logs = log_likelihoods(player, 30 * tilted(rows, GRID), 30.0) + log_weights(0.3)
            assert own == pytest.approx(np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum())
            assert prior.levels(player) == pytest.approx(own)
        assert prior.levels(np.zeros((2, 10, 10))).shape == (2, len(GRID))
        together = prior.posterior(counts)
        assert together == pytest.approx(np.stack([prior.posterior(player) for player in counts]))

    def test_few_players_cannot_tell_how_alike_players_are(self) -> None:
        decisions = make_decisions(games=40, plies=60)
        model = MarkovModel()
        model.learn([model.profile(decisions.select(player=name)) for name in ("Ann", "Bob")])
        assert model.prior_ is not None
        assert np.ravel(model.prior_.strength)[0] == 1.0

    def test_unknown_priors_are_refused(self) -> None:
        with pytest.raises(InputError, match="prior"):
            MarkovModel(prior="flat")  # type: ignore[arg-type]
