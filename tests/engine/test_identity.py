"""An engine is asked once in a process who it is; a changed one is asked again."""

import dataclasses
import os

import pytest

from assay.engine.engines import identify, known_identity, planned_recipe_id
from assay.engine.recipe import NAMED, recipe_id
from assay.errors import EngineError
from examples.engines import starts_of

RECIPE = NAMED["quick"]


def test_the_engine_is_started_once(scripted):
    engine = scripted()
    assert known_identity(engine, RECIPE) == identify(engine, RECIPE)
    assert starts_of(engine) == 2  # `identify` always starts it
    planned = planned_recipe_id(RECIPE, engine)
    assert planned == recipe_id(RECIPE, known_identity(engine, RECIPE))
    assert starts_of(engine) == 2


def test_a_recipe_of_another_name_is_the_same_and_of_other_settings_is_not(scripted):
    engine = scripted()
    first = known_identity(engine, RECIPE)
    assert known_identity(engine, dataclasses.replace(RECIPE, name="other", meaning="other")) == first
    assert starts_of(engine) == 1
    other = known_identity(engine, dataclasses.replace(RECIPE, hash_mb=64))
    assert dict(other.settings)["Hash"] == "64"
    assert dict(first.settings)["Hash"] == "32"
    assert starts_of(engine) == 2


def test_an_engine_that_changed_is_asked_anew(scripted):
    engine = scripted()
    known_identity(engine, RECIPE)
    os.utime(engine.path, ns=(1, 1))
    known_identity(engine, RECIPE)
    assert starts_of(engine) == 2


def test_other_tables_are_asked_for_anew(scripted, tmp_path):
    engine = dataclasses.replace(scripted(), syzygy=str(tmp_path))
    recipe = dataclasses.replace(RECIPE, settings=())
    with pytest.raises(EngineError):  # this engine knows no tables: a failure is not remembered
        known_identity(engine, recipe)
    with pytest.raises(EngineError):
        known_identity(engine, recipe)
    assert starts_of(engine) == 2
