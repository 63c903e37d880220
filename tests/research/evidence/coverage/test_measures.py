"""Coverage of what methods measure, by players who choose among all legal moves."""

from scipy.stats import binom

from research.evidence.coverage.measures import measured


def test_intervals_of_measures_hold_the_truth() -> None:
    tally = measured("conformance", players=40, games=6)
    assert tally.intervals == 40
    assert tally.inside >= binom.ppf(0.001, 40, 0.95)
    assert abs(tally.bias) < 0.05
