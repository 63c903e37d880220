"""The Markov method: classes, chains, prior, forecasts (Alliot 2017, sections 3.4 and 4.4)."""

import numpy as np
import pytest

from assay.errors import FitError
from assay.models.markov.dirichlet import shares
from assay.models.markov.model import MarkovModel
from assay.models.markov.value_classes import ValueClasses
from assay.reproduce.alliot2017 import recovery
from assay.testing import make_decisions
from examples.markov_chains import printed_rows


class TestModel:
    def test_counts_are_triangular_and_complete(self) -> None:
        decisions = make_decisions(games=8, plies=60)
        profile = MarkovModel().profile(decisions)
        assert (np.triu(profile.evidence, 1) == 0).all()
        assert profile.evidence.sum() == profile.decisions == 8 * (60 - 18)

    def test_counts_are_those_of_a_plain_loop(self) -> None:
        decisions = make_decisions(games=3, plies=40)
        classes = ValueClasses.uniform()
        counts = np.zeros((10, 10))
        for best, played, ply in zip(
            decisions.best_value, decisions.played_value, decisions.numbers("ply"), strict=True
        ):
            if ply >= 18:
                counts[classes.of([best])[0], classes.of([played])[0]] += 1
        assert (MarkovModel(classes).profile(decisions).evidence == counts).all()

    def test_colours_apart_add_up_to_colours_pooled(self) -> None:
        decisions = make_decisions(games=4, plies=50)
        apart = MarkovModel(colours="apart").profile(decisions)
        assert (apart.evidence.sum(axis=0) == MarkovModel().profile(decisions).evidence).all()
        model = MarkovModel(colours="apart")
        only_white = model.profile(decisions.select(colour="white"))
        assert only_white.evidence[1].sum() == 0

    def test_a_better_player_is_expected_to_win(self) -> None:
        careful, careless = (np.tril(np.full((19, 19), x)) + np.eye(19) * 20 for x in (0.05, 0.5))
        model = MarkovModel(prior="none")
        a, b = (shares(counts) * 100 for counts in (careful, careless))
        one = MarkovModel().profile(make_decisions(games=4, plies=40))
        first, second = (type(one)(model.identity, counts, 1900, 50) for counts in (a, b))
        forecast = model.match(first, second)
        assert forecast.expectation > 0.6
        assert forecast.win + forecast.draw + forecast.loss == pytest.approx(1)
        assert forecast.low < forecast.expectation < forecast.high

    def test_the_prior_draws_forecasts_to_one_half(self) -> None:
        decisions = make_decisions(games=80, plies=80, seed=4)
        plain, drawn = MarkovModel(prior="none"), MarkovModel()
        years = list(plain.profiles_by_year(decisions).values())
        drawn.learn(years)
        spread = [np.nanstd(model.expectations(years, years)) for model in (plain, drawn)]
        assert spread[1] < spread[0]

    def test_raw_counts_that_never_leave_are_refused(self) -> None:
        decisions = make_decisions(games=1, plies=20)
        model = MarkovModel(prior="none")
        profile = model.profile(decisions)
        with pytest.raises(FitError, match="more games"):
            model.forecast(profile, profile)

    def test_estimate_after_learning_is_the_expectation_against_all(self) -> None:
        decisions = make_decisions(games=10, plies=60)
        model = MarkovModel()
        years = model.profiles_by_year(decisions)
        model.learn(list(years.values()))
        expectation = model.estimate(years["Ann", 2000])["expectation"]
        assert expectation.low < expectation.value < expectation.high


@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_known_matrices_are_found_again_within_the_interval(spread: float) -> None:
    """Players drawn about known rows: 95% of the intervals hold the truth, within three standard errors."""
    found = recovery(printed_rows(), ValueClasses.uniform(), pairs=60, spread=spread)
    assert found.coverage == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 60))
    assert found.error < found.raw_error
    assert 250 < found.strength < 1000  # 120 players tell it to a quarter: six other seeds gave 450 to 812


def test_a_prior_without_levels_draws_unlike_players_too_close() -> None:
    """Why the default has levels: players differ in all rows at once."""
    plain = recovery(printed_rows(), ValueClasses.uniform(), pairs=40, spread=0.3, prior="pooled")
    assert plain.coverage < 0.85
