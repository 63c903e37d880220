"""Coverage of forecasts: the cheapest method here, all of them by python -m research.evidence.coverage."""

from scipy.stats import binom

from research.evidence.coverage.forecasts import STRONG, WEAK, compared, few_games


def test_players_of_two_strengths_have_so_many_games() -> None:
    made = few_games(2, 4, 0.0, seed=3)
    assert len(made.players) == 8
    assert len(made.games) == 16
    assert set(made.numbers("player_elo")) == {WEAK, STRONG}


def test_intervals_over_all_legal_moves_hold_the_truth() -> None:
    tally = compared("conformance", pairs=30, games=5, resamples=60)
    assert tally.intervals == 30
    # So many at least, but for one run in a thousand.
    assert tally.inside >= binom.ppf(0.001, 30, 0.95)
    assert tally.width < 0.75
