"""The Markov method in the paper's own tables."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.markov.model import MarkovModel
from assay.models.markov.tables import matrices, pairs
from assay.models.markov.value_classes import ValueClasses
from assay.testing import make_decisions


def test_pairs_of_raw_counts_are_the_model_s_forecasts() -> None:
    decisions = make_decisions(games=30, plies=80)
    model = MarkovModel(ValueClasses.uniform(), prior="none")
    rows = pairs(model, decisions)
    assert [(row["white"], row["black"]) for row in rows] == [("Ann", "Bob"), ("Bob", "Ann")]
    ann, bob = (model.profile(decisions.select(player=name)) for name in ("Ann", "Bob"))
    assert rows[0]["expectation"] == pytest.approx(model.expectation(ann, bob).expectation)
    assert rows[0]["win"] + rows[0]["draw"] + rows[0]["loss"] == pytest.approx(1)


def test_a_matrix_holds_the_raw_shares_of_transitions() -> None:
    decisions = make_decisions(games=30, plies=80)
    model = MarkovModel(ValueClasses.uniform(), prior="none")
    rows = [row for row in matrices(model, decisions) if row["player"] == "Ann"]
    found = np.array([[row[other["before"]] for other in rows] for row in rows])
    assert [row["before"] for row in rows] == [f"{m:+.2f}" for m in np.arange(-1.8, 1.81, 0.4)]
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert not np.triu(found, 1).any()  # values can only fall
    kept, _ = model.select(decisions.select(player="Ann"))
    level = (kept.best_value >= 0) & (kept.best_value <= 40)
    stays = level & (kept.played_value >= 0)
    assert found[5, 5] == pytest.approx(stays.sum() / level.sum())


def test_colours_apart_have_a_matrix_each() -> None:
    decisions = make_decisions(games=30, plies=80)
    rows = matrices(MarkovModel(colours="apart"), decisions)
    assert {row["colour"] for row in rows} == {"white", "black"}
    assert len(rows) == 2 * 2 * 19


def test_no_moves_are_an_error() -> None:
    with pytest.raises(InputError, match="choose other games"):
        pairs(MarkovModel(), make_decisions(games=2, plies=10))
