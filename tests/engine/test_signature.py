"""An engine that goes by another's name is found out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.decisions.exclusions import Choice
from assay.engine import engines as signature
from assay.engine.engines import (
    EngineConfig,
    check_signature,
    known_identity,
    open_engine,
    planned_recipe_id,
    signature_of,
)
from assay.engine.recipe import find_recipe
from assay.errors import EngineError
from assay.workspace import Workspace
from examples.engines import starts_of


def test_an_engine_with_other_values_is_refused(
    scripted: Callable[..., EngineConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, recipe = scripted(), find_recipe("quick")
    check_signature(engine, recipe)  # nothing is known of it
    monkeypatch.setitem(signature.SIGNATURES, planned_recipe_id(recipe, engine), "e2e4 30 d2d4 25")
    with pytest.raises(EngineError, match="its values are not those of"):
        check_signature(engine, recipe)


def test_nothing_is_analysed_with_an_engine_under_a_false_name(
    scripted: Callable[..., EngineConfig], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    moves = "1. Nf3 Nf6 2. Ng1 Ng8 1/2-1/2"
    (tmp_path / "games.pgn").write_text(f'[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n{moves}\n')
    workspace = Workspace(tmp_path / "games.assay")
    workspace.import_games(tmp_path / "games.pgn")
    engine, recipe, choice = scripted(), find_recipe("quick"), Choice(min_turns=0)
    monkeypatch.setitem(signature.SIGNATURES, planned_recipe_id(recipe, engine), "e2e4 30 d2d4 25")
    with pytest.raises(EngineError, match="its values are not those of"):
        workspace.analyse(recipe, engine=engine, jobs=1, choice=choice)
    assert workspace.table_analyses.count() == 0


def test_one_that_is_what_it_says_is_asked_but_once(
    scripted: Callable[..., EngineConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, recipe = scripted(), find_recipe("quick")
    session, _ = open_engine(engine, recipe)
    found = session.search("startpos", recipe.limit, n_lines=recipe.lines, clear=True, ceiling=60)
    session.close()
    monkeypatch.setitem(signature.SIGNATURES, planned_recipe_id(recipe, engine), signature_of(found))
    before = starts_of(engine)
    check_signature(engine, recipe)
    check_signature(engine, recipe)
    assert starts_of(engine) == before + 1


@pytest.mark.engine
@pytest.mark.parametrize("name", ["standard", "quick"])
def test_stockfish_is_the_one_that_it_calls_itself(name: str) -> None:
    recipe = find_recipe(name)
    if known_identity(EngineConfig(), recipe).name != "Stockfish 15.1":
        pytest.skip("needs Stockfish 15.1")
    assert planned_recipe_id(recipe, EngineConfig()) in signature.SIGNATURES
    check_signature(EngineConfig(), recipe)
