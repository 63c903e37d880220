"""The calibration that ships: it is there, current, and rates real games where they belong."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.engine.engines import EngineConfig, open_engine, plain_name
from assay.engine.recipe import EngineIdentity, find_recipe, recipe_id
from assay.models.registry import make_model
from assay.models.traits.model import LineTraitsModel
from assay.rating.calibration import (
    VARIABLE,
    Calibration,
    all_shipped,
    calibrated,
    find_calibration,
    rating_models,
)
from assay.rating.pipeline import rate_decisions
from assay.rating.scale import SHIPPED_SCALE, scale_of
from assay.workspace import Workspace

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
    assert len(shipped.mileposts) == 19
    assert np.all(np.diff(shipped.mileposts) > 50)


def test_methods_find_their_mapping(shipped: Calibration) -> None:
    assert calibrated(make_model("bayes"), STANDARD).mapping is not None
    assert calibrated(make_model("bayes", offset=0.2), STANDARD).mapping is None
    assert calibrated(make_model("bayes"), "another").mapping is None


CARRIED = [one for one in all_shipped() if one.carried_from is not None]


@pytest.mark.parametrize(
    ("recipe", "says", "network", "expected"),
    [
        ("standard", "Stockfish 15.1", "nn-ad9b42354671.nnue", STANDARD),
        ("quick", "Stockfish 15.1", "nn-ad9b42354671.nnue", "266262b92aeaddbc"),
        ("standard", "Stockfish 18", "nn-c288c895ea92.nnue nn-37f18f62d772.nnue", "970dedda3272a5d6"),
        ("quick", "Stockfish 18 WASM", "nn-c288c895ea92.nnue nn-37f18f62d772.nnue", "c9c96e74d5ed2eac"),
        ("quick", "Stockfish 19", "nn-1a298aa575a0.nnue", "dfed8c53c95d67db"),
        ("standard", "Stockfish 19", "nn-1a298aa575a0.nnue", "6dc07429b58b5030"),
        ("quick", "Stockfish 19 WASM", "nn-1a298aa575a0.nnue", "dfed8c53c95d67db"),
    ],
)
def test_the_engines_that_people_have_find_theirs(
    recipe: str, says: str, network: str, expected: str
) -> None:
    """By name without that of the build, and by network; Stockfish 18 as WebAssembly is Stockfish 18."""
    chosen = find_recipe(recipe)
    settings = (("Hash", str(chosen.hash_mb)), ("MultiPV", str(chosen.lines)), ("UCI_ShowWDL", "true"))
    assert recipe_id(chosen, EngineIdentity(plain_name(says), network, settings)) == expected
    assert (files("assay") / "data" / "calibrations" / f"{expected}.npz").is_file()


def test_one_line_rates_by_gain_alone() -> None:
    """The recipe single has values before and after each move, and no others."""
    found = find_calibration("96c80e9bcd554da6")
    assert found is not None
    assert set(found.mappings) == {"gain"}
    assert found.about["games"] == 196
    assert scale_of(found) == SHIPPED_SCALE


@pytest.mark.parametrize("one", CARRIED, ids=lambda one: one.recipe_id)
def test_scales_carried_over_are_those_of_the_native_one(one: Calibration) -> None:
    one.check(one.recipe_id)
    assert isinstance(one.models["traits"], LineTraitsModel)
    assert scale_of(one) == SHIPPED_SCALE
    assert 20 < one.spread.carried < 150
    assert one.carried_from["engine"] == "Stockfish 15.1"
    assert one.about["positions"] >= 400
    assert one.about["population"]
    resource = files("assay") / "data" / "calibrations" / f"{one.recipe_id}.npz"
    assert len(resource.read_bytes()) < 10_000


@pytest.mark.engine
def test_it_is_the_one_of_this_engine(shipped: Calibration) -> None:
    recipe = find_recipe("standard")
    session, identity = open_engine(EngineConfig(), recipe)
    session.close()
    if identity.name != "Stockfish 15.1":
        pytest.skip(f"needs Stockfish 15.1, not {identity.name}")
    assert recipe_id(recipe, identity) == STANDARD


def test_games_that_it_was_made_from_are_rated_where_they_belong(
    shared_data: Callable[[str], Path], shipped: Calibration
) -> None:
    """Composites of some 13 games of one milepost: none is far off."""
    decisions = Workspace(shared_data("analysed/mileposts-standard")).decisions("standard", trace=True)
    decisions = decisions.select(game=decisions.games[::3])
    table = decisions.table()
    elo = np.round(decisions.numbers("player_elo") / 100) * 100
    names = [f"{one:.0f}" for one in elo]
    table = table.set_column(table.schema.get_field_index("player"), "player", [names])
    players, _ = rate_decisions(Decisions.from_table(table), shipped)
    errors = np.array([one.combined.elo - float(one.player) for one in players])
    assert len(players) == 14
    assert np.abs(errors).mean() < 110
    inside = [one.combined.low <= float(one.player) <= one.combined.high for one in players]
    assert np.mean(inside) >= 12 / 14
