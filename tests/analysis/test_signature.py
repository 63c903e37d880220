"""An engine that goes by another's name is found out."""

from collections.abc import Callable

import pytest

from assay.analysis import signature
from assay.analysis.engines import EngineConfig
from assay.analysis.identity import known_identity, planned_recipe_id
from assay.analysis.recipe import find_recipe
from assay.analysis.signature import check_signature
from assay.errors import EngineError


def test_an_engine_with_other_values_is_refused(
    scripted: Callable[..., EngineConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, recipe = scripted(), find_recipe("quick")
    check_signature(engine, recipe)  # nothing is known of it
    monkeypatch.setitem(signature.SIGNATURES, planned_recipe_id(recipe, engine), "e2e4 30 d2d4 25")
    with pytest.raises(EngineError, match="its values are not those of"):
        check_signature(engine, recipe)


@pytest.mark.engine
@pytest.mark.parametrize("name", ["standard", "quick"])
def test_stockfish_is_the_one_that_it_calls_itself(name: str) -> None:
    recipe = find_recipe(name)
    if known_identity(EngineConfig(), recipe).name != "Stockfish 15.1":
        pytest.skip("needs Stockfish 15.1")
    assert planned_recipe_id(recipe, EngineConfig()) in signature.SIGNATURES
    check_signature(EngineConfig(), recipe)
