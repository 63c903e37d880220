import dataclasses

import pytest

from assay.engine.recipe import NAMED, EngineIdentity, Recipe, find_recipe, recipe_id
from assay.errors import InputError

ENGINE = EngineIdentity("Stockfish 15.1", "nn-ad9b42354671.nnue", (("Hash", "32"),))
STANDARD = NAMED["standard"]


def test_names_are_those_of_the_design():
    assert {"standard", "quick", "deep", "ferreira2012", "difatta2009", "regan2011", "alliot2017"} <= set(
        NAMED
    )


def test_the_papers_settings():
    assert (NAMED["ferreira2012"].depth, NAMED["ferreira2012"].first_turn) == (20, 1)
    assert (NAMED["difatta2009"].depth, NAMED["difatta2009"].lines) == (10, 10)
    assert (NAMED["regan2011"].depth, NAMED["regan2011"].lines, NAMED["regan2011"].cap) == (13, 50, 400)
    alliot = NAMED["alliot2017"]
    assert (alliot.seconds, alliot.lines, alliot.first_turn, alliot.hash_mb) == (240, 2, 10, 4096)
    assert alliot.walk
    assert alliot.adaptive
    assert (STANDARD.nodes, STANDARD.lines, STANDARD.hash_mb, STANDARD.walk) == (150_000, 10, 32, False)


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": 150_001},
        {"lines": 9},
        {"hash_mb": 64},
        {"alone": False},
        {"first_turn": 2},
        {"settings": (("Contempt", "0"),)},
        {"nodes": None, "depth": 10},
        {"enough": 10},
    ],
)
def test_whatever_decides_an_answer_changes_the_id(change):
    assert recipe_id(dataclasses.replace(STANDARD, **change), ENGINE) != recipe_id(STANDARD, ENGINE)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Stockfish 16"},
        {"network": "other.nnue"},
        {"settings": ()},
        {"tables": "290 files"},
        {"lines": False},
        {"children": "a rule"},
    ],
)
def test_another_engine_has_another_id(change):
    assert recipe_id(STANDARD, dataclasses.replace(ENGINE, **change)) != recipe_id(STANDARD, ENGINE)


def test_names_change_no_id():
    renamed = dataclasses.replace(STANDARD, name="mine", meaning="the same")
    assert recipe_id(renamed, ENGINE) == recipe_id(STANDARD, ENGINE)


def test_the_id_of_standard_with_debians_stockfish():
    # Of the analyses that this project has stored: likewise.
    settings = (("Hash", "32"), ("MultiPV", "10"), ("UCI_ShowWDL", "true"))
    engine = dataclasses.replace(ENGINE, settings=settings)
    assert recipe_id(STANDARD, engine) == "672593ce2551e878"


IDS = {
    "standard": "665292e0c08417c4",
    "thrifty": "4b0fd067d5d10682",
    "quick": "5e78b3061aa35f00",
    "deep": "e1867b7e6f39e897",
    "ferreira2012": "d0154a34ef30e601",
    "difatta2009": "69d2f597cd4541d4",
    "regan2011": "eaad03546f2a3ac3",
    "alliot2017": "addd971f8daacfa0",
    "alliot2017-nodes": "c349512bfbca7257",
}
"""A changed id throws away every stored analysis: change these only on purpose."""


@pytest.mark.parametrize("name", sorted(IDS))
def test_the_ids_of_named_recipes_are_stable_from_version_to_version(name):
    assert recipe_id(NAMED[name], ENGINE) == IDS[name]


def test_the_rule_of_what_is_enough_is_part_of_the_id(monkeypatch):
    before = recipe_id(NAMED["thrifty"], ENGINE)
    monkeypatch.setattr("assay.engine.recipe.ENOUGH_RULE", "another rule")
    assert recipe_id(NAMED["thrifty"], ENGINE) != before
    assert recipe_id(STANDARD, ENGINE) == IDS["standard"]


def test_scaling():
    assert (NAMED["thrifty"].scaled(0.1).enough, NAMED["thrifty"].scaled(0.1).nodes) == (5, 15_000)
    assert STANDARD.scaled(0.1).nodes == 15_000
    assert NAMED["alliot2017"].scaled(0.01).seconds == pytest.approx(2.4)
    assert NAMED["alliot2017"].scaled(0.01).hash_mb == 41
    assert NAMED["ferreira2012"].scaled(0.01).depth == 10
    assert NAMED["difatta2009"].scaled(1e-9).depth == 1
    assert STANDARD.scaled(1) is STANDARD


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_senseless_scale_is_refused(scale):
    with pytest.raises(InputError, match="scale"):
        STANDARD.scaled(scale)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"nodes": 1, "depth": 1},
        {"nodes": 0},
        {"nodes": 1, "lines": 0},
        {"nodes": 1, "history": True},
        {"depth": 1, "adaptive": True},
        {"nodes": 1, "cap": 400},
        {"depth": 9, "enough": 8},
        {"nodes": 1, "enough": 3},
        {"nodes": 1, "enough": 8, "adaptive": True},
    ],
)
def test_senseless_recipes_are_refused(fields):
    with pytest.raises(InputError, match="recipe 'x'"):
        Recipe("x", "", **fields)


def test_a_file_may_say_which_depth_is_enough(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "thrifty"\nenough = 9\n')
    assert (find_recipe(str(path)).enough, find_recipe(str(path)).nodes) == (9, 150_000)
    path.write_text('base = "standard"\n')
    assert find_recipe(str(path)).enough is None


def test_toml(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "standard"\ndepth = 12\nlines = 3\n[settings]\nContempt = 0\nPonder = false\n')
    recipe = find_recipe(str(path))
    assert (recipe.name, recipe.depth, recipe.nodes, recipe.lines) == ("mine", 12, None, 3)
    assert recipe.settings == (("Contempt", "0"), ("Ponder", "false"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("depth = ", "not TOML"),
        ('base = "nothing"', "no recipe 'nothing' to start from"),
        ("nodes = 5\nwidth = 3", "unknown width"),
        ('nodes = "many"', "'nodes' cannot be 'many'"),
        ("nodes = true", "'nodes' cannot be True"),
        ("lines = 3", "needs one limit"),
    ],
)
def test_bad_toml_is_one_clear_error(tmp_path, text, said):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        find_recipe(str(path))


def test_unknown_names_are_clear_errors(tmp_path):
    with pytest.raises(InputError, match="choose standard"):
        find_recipe("nothing")
    with pytest.raises(InputError, match="no recipe file"):
        find_recipe(str(tmp_path / "absent.toml"))
