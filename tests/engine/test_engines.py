"""Finding an engine, starting it as a recipe asks, and knowing it again."""

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.decisions.exclusions import Choice
from assay.engine import engines as signature
from assay.engine.engines import (
    EngineConfig,
    check_signature,
    find_engine,
    identify,
    identities,
    known_identity,
    open_engine,
    plain_name,
    planned_recipe_id,
    same_engine,
    signature_of,
)
from assay.engine.recipe import NAMED, EngineIdentity, find_recipe
from assay.engine.search import CHILDREN_RULE
from assay.errors import EngineError, InputError, MachineError
from assay.workspace import Workspace
from examples.engines import starts_of

from .conftest import RECIPE, SMALL


def test_a_wrong_path_is_one_clear_error():
    with pytest.raises(EngineError, match="no engine '/no/such/engine'"):
        find_engine("/no/such/engine")


def test_the_engine_is_looked_for_in_order(monkeypatch, tmp_path):
    for name in ("stockfish", "other"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ASSAY_ENGINE", raising=False)
    assert find_engine() == str(tmp_path / "stockfish")
    monkeypatch.setenv("ASSAY_ENGINE", str(tmp_path / "other"))
    assert find_engine() == str(tmp_path / "other")
    assert find_engine(str(tmp_path / "stockfish")) == str(tmp_path / "stockfish")
    monkeypatch.setattr("assay.engine.engines._PLACES", (str(tmp_path),))
    monkeypatch.setenv("PATH", "")
    assert find_engine("other") == str(tmp_path / "other")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("no_lines", "gives no exact values for 3 lines: use another engine, or a"),
        ("no_searchmoves", r"\(searchmoves\): use another engine, or a"),
    ],
)
def test_an_engine_that_lacks_something_is_refused_unless_depth_limits(scripted, fault, words):
    engine = scripted("--fault", fault, "--only", "nowhere")
    with pytest.raises(EngineError, match=f"{words} recipe limited by depth"):
        open_engine(engine, RECIPE)
    session, identity = open_engine(engine, dataclasses.replace(RECIPE, nodes=None, depth=4))
    session.close()
    assert (identity.lines, identity.children) == (False, CHILDREN_RULE)


def test_a_folder_of_tables_that_is_not_there_is_refused(scripted):
    with pytest.raises(InputError, match="Syzygy"):
        open_engine(dataclasses.replace(scripted(), syzygy="/no/such/folder"), RECIPE)


def test_another_engine_on_another_machine_is_refused():
    one = EngineIdentity("Stockfish 15.1", "a.nnue", ())
    with pytest.raises(MachineError, match=r"Stockfish 16, not the same .* \(they differ in name\)"):
        same_engine(one, dataclasses.replace(one, name="Stockfish 16"), "node7")


@pytest.mark.engine
def test_what_is_recorded_of_the_engine(stockfish):
    identity = identify(stockfish, NAMED["standard"])
    assert identity.name.startswith("Stockfish")
    assert identity.network.startswith("nn-")
    assert dict(identity.settings)["Hash"] == "32"
    assert "Threads" not in dict(identity.settings)
    assert identity.lines


@pytest.mark.engine
def test_a_missing_network_is_one_clear_error(stockfish):
    recipe = dataclasses.replace(SMALL, settings=(("EvalFile", "/no/such/file.nnue"),))
    with pytest.raises(EngineError, match="network"):
        identify(stockfish, recipe)


@pytest.mark.engine
def test_one_start_tells_the_identity_under_every_recipe(stockfish):
    recipes = [NAMED["standard"], NAMED["quick"], NAMED["deep"]]
    assert identities(stockfish, recipes) == [identify(stockfish, recipe) for recipe in recipes]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Stockfish 15.1", "Stockfish 15.1"),
        ("Stockfish 18 WASM", "Stockfish 18"),
        ("Stockfish 19 WASM", "Stockfish 19"),
        ("Stockfish 16 64 POPCNT WASM Single-threaded", "Stockfish 16"),
        ("Stockfish 11 64 BMI2", "Stockfish 11"),
        ("Stockfish 18 Lite WASM", "Stockfish 18 Lite WASM"),
        ("Stockfish dev-20250101-nogit", "Stockfish dev-20250101-nogit"),
        ("Fakefish 18 WASM", "Fakefish 18 WASM"),
    ],
)
def test_what_an_engine_is_compiled_to_is_no_part_of_its_name(said, name):
    assert plain_name(said) == name


# An engine is asked once in a process who it is; a changed one is asked again.

QUICK = NAMED["quick"]


def test_a_recipe_of_another_name_is_the_same_and_of_other_settings_is_not(scripted):
    engine = scripted()
    first = known_identity(engine, QUICK)
    assert known_identity(engine, dataclasses.replace(QUICK, name="other", meaning="other")) == first
    assert starts_of(engine) == 1
    other = known_identity(engine, dataclasses.replace(QUICK, hash_mb=64))
    assert dict(other.settings)["Hash"] == "64"
    assert dict(first.settings)["Hash"] == "32"
    assert starts_of(engine) == 2


def test_an_engine_that_changed_is_asked_anew(scripted):
    engine = scripted()
    known_identity(engine, QUICK)
    os.utime(engine.path, ns=(1, 1))
    known_identity(engine, QUICK)
    assert starts_of(engine) == 2


def test_other_tables_are_asked_for_anew(scripted, tmp_path):
    engine = dataclasses.replace(scripted(), syzygy=str(tmp_path))
    recipe = dataclasses.replace(QUICK, settings=())
    with pytest.raises(EngineError):  # this engine knows no tables: a failure is not remembered
        known_identity(engine, recipe)
    with pytest.raises(EngineError):
        known_identity(engine, recipe)
    assert starts_of(engine) == 2


# An engine that goes by another's name is found out.


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
@pytest.mark.parametrize("name", ["standard", "quick", "single"])
def test_stockfish_is_the_one_that_it_calls_itself(name: str) -> None:
    recipe = find_recipe(name)
    if known_identity(EngineConfig(), recipe).name != "Stockfish 15.1":
        pytest.skip("needs Stockfish 15.1")
    assert planned_recipe_id(recipe, EngineConfig()) in signature.SIGNATURES
    check_signature(EngineConfig(), recipe)
