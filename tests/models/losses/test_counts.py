"""Counts of losses by class: the classes, and that every decision is in one."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.losses.conformance import ConformanceModel
from assay.models.losses.covariance import CovarianceModel
from assay.testing import make_decisions


@pytest.mark.parametrize(
    "model", [ConformanceModel("raw"), CovarianceModel()], ids=["conformance", "covariance"]
)
def test_every_decision_is_in_the_class_of_its_loss(model: ConformanceModel | CovarianceModel) -> None:
    """A class holds the losses up to its bound; beyond the top they are apart, or count as the top."""
    kept, _ = model.select(make_decisions(games=4))
    group = (np.arange(len(kept)) % 3).astype(np.int64)
    counts = model.evidence(kept, group, 3)
    counts = np.asarray(counts.todense() if hasattr(counts, "todense") else counts)
    expected = np.zeros((3, model.shape[0]))
    for place, lost in zip(group, model.measure.of(kept), strict=True):
        expected[place, min(int(np.ceil(lost / model.step)), model.shape[0] - 1)] += 1
    assert np.array_equal(counts.reshape(expected.shape), expected)
    assert model.shape[0] == model.top // model.step + (2 if model.beyond_apart else 1)


def test_the_settings_say_what_the_counts_mean() -> None:
    assert ConformanceModel("raw").settings != ConformanceModel("pondered").settings
    assert CovarianceModel().settings != CovarianceModel(top=1000).settings


@pytest.mark.parametrize("top", [0, -10, 15])
def test_a_top_between_two_steps_is_refused(top: int) -> None:
    with pytest.raises(InputError, match="must be a multiple of the step"):
        CovarianceModel(step=10, top=top)
