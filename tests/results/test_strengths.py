"""Everyone's strength after the last game."""

import pytest

from assay.errors import InputError
from assay.results.baselines import strengths
from assay.results.ferreira import SUBMITTED
from examples.result_games import simulated


@pytest.mark.parametrize(("model", "column"), [("ferreira2010", "strength"), ("company", "rating")])
def test_strongest_first(model: str, column: str) -> None:
    games, _ = simulated(players=12, games=600, months=12)
    rows, about = strengths(games, model, SUBMITTED)
    assert about["games"] == len(games)
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    values = [row[column] for row in rows]
    assert values == sorted(values, reverse=True)
    assert sum(row["games"] for row in rows) == 2 * len(games)


def test_models_without_one_number_are_refused() -> None:
    games, _ = simulated(players=4, games=60, months=12)
    with pytest.raises(InputError, match="ferreira2010 and company"):
        strengths(games, "colour", SUBMITTED)
