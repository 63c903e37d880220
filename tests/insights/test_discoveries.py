import numpy as np
import pytest

from assay.insights.discoveries import q_values


def slow(p: list[float]) -> list[float]:
    """As the step-up procedure is told: the least rate at which a comparison is named."""
    n = len(p)
    answer = []
    for one in p:
        rates = [n * other / sum(x <= other for x in p) for other in p if other >= one]
        answer.append(min([1.0, *rates]))
    return answer


def test_as_the_slow_version() -> None:
    p = np.random.default_rng(1).random(50).tolist()
    assert q_values(p) == pytest.approx(slow(p))


def test_the_printed_example_of_1995() -> None:
    # Benjamini and Hochberg 1995, section 3.2: of fifteen, four are rejected at 0.05.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    p += [0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert (q_values(p) <= 0.05).sum() == 4


def test_what_could_not_be_compared_counts_for_nothing() -> None:
    found = q_values([0.01, np.nan, 0.2])
    assert found[[0, 2]] == pytest.approx([0.02, 0.2])
    assert np.isnan(found[1])
    assert len(q_values([])) == 0
