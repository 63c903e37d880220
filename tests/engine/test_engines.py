"""Finding an engine, starting it as a recipe asks, and knowing it again."""

import dataclasses

import pytest

from assay.engine.engines import find_engine, identify, identities, open_engine, plain_name, same_engine
from assay.engine.recipe import NAMED, EngineIdentity
from assay.engine.search import ALONE_RULE
from assay.errors import EngineError, InputError, MachineError

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


def test_an_engine_without_lines_is_refused_unless_depth_limits(scripted):
    engine = scripted("--fault", "no_lines")
    with pytest.raises(EngineError, match="recipe limited by depth"):
        open_engine(engine, RECIPE)
    session, identity = open_engine(engine, dataclasses.replace(RECIPE, nodes=None, depth=4))
    session.close()
    assert not identity.lines


def test_an_engine_that_searches_no_move_alone_is_refused_unless_depth_limits(scripted):
    engine = scripted("--fault", "no_searchmoves", "--only", "nowhere")
    with pytest.raises(
        EngineError, match=r"\(searchmoves\): use another engine, or a recipe limited by depth"
    ):
        open_engine(engine, RECIPE)
    session, identity = open_engine(engine, dataclasses.replace(RECIPE, nodes=None, depth=4))
    session.close()
    assert identity.lines
    assert identity.children == ALONE_RULE


def test_settings_that_the_engine_lacks_are_refused(scripted):
    with pytest.raises(EngineError, match="no setting 'Contempt'"):
        open_engine(scripted(), dataclasses.replace(RECIPE, settings=(("Contempt", "1"),)))
    with pytest.raises(EngineError, match="at most 1024"):
        open_engine(scripted(), dataclasses.replace(RECIPE, hash_mb=4096))
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
