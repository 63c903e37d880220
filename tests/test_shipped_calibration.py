"""The calibration that ships: it is there, current, and rates real games where they belong."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.analysis.engines import EngineConfig, open_engine
from assay.analysis.recipe import find_recipe, recipe_id
from assay.domain.decisions import Decisions
from assay.models.calibration import Calibration, rating_models
from assay.models.calibration_files import VARIABLE, calibrated, find_calibration
from assay.models.player_ratings import rate_decisions
from assay.models.registry import make_model

STANDARD = "672593ce2551e878"
"""The recipe standard with Debian's Stockfish 15.1."""


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Calibration:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    found = find_calibration(STANDARD)
    assert found is not None
    return found


def test_it_is_of_every_method_with_its_present_settings(shipped: Calibration) -> None:
    shipped.check(STANDARD)
    assert set(shipped.mappings) == set(rating_models())
    assert shipped.about["recipe"] == "standard"
    assert len(shipped.mileposts) == 14
    assert np.all(np.diff(shipped.mileposts) > 50)


def test_methods_find_their_mapping(shipped: Calibration) -> None:
    assert calibrated(make_model("bayes"), STANDARD).mapping is not None
    assert calibrated(make_model("bayes", offset=0.2), STANDARD).mapping is None
    assert calibrated(make_model("bayes"), "another").mapping is None


@pytest.mark.engine
def test_it_is_the_one_of_this_engine(shipped: Calibration) -> None:
    recipe = find_recipe("standard")
    session, identity = open_engine(EngineConfig(), recipe)
    session.close()
    if identity.name != "Stockfish 15.1":
        pytest.skip(f"needs Stockfish 15.1, not {identity.name}")
    assert recipe_id(recipe, identity) == STANDARD


def test_milepost_games_of_another_source_are_rated_where_they_belong(
    shared_data: Callable[[str], Path], shipped: Calibration
) -> None:
    """Composites of 18 games, analysed almost as standard does (docs/rating.md): none is far off."""
    decisions = Decisions.read(shared_data("analysed/mileposts.parquet"))
    table = decisions.to_table()
    elo = np.round(decisions.numbers("player_elo") / 100) * 100
    columns = {"player": [f"{one:.0f}" for one in elo], "recipe_id": [STANDARD] * len(table)}
    for name, values in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, [values])
    players, _ = rate_decisions(Decisions.from_table(table), shipped)
    errors = np.array([one.combined.elo - float(one.player) for one in players])
    assert len(players) == 12
    assert np.abs(errors).mean() < 110
    inside = [one.combined.low <= float(one.player) <= one.combined.high for one in players]
    assert np.mean(inside) >= 10 / 12
