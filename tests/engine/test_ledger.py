"""Keeping what the engines said: rows as tables, and the list of recipes used."""

import dataclasses
import json
import os
from pathlib import Path

import pytest

from assay.decisions.evaluation import from_mate
from assay.engine.search import AloneRow, AnalysisRow
from assay.engine.worker import Outcome
from assay.errors import SchemaError
from assay.files import PARTIAL
from assay.workspace import analyses as ledger
from assay.workspace.analyses import (
    Ledger,
    analyse,
    read_recipes,
    recipes_path,
    record_recipe,
)

from .conftest import RECIPE


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"9be7',
        "[]",
        '{"9be7": 1}',
        '{"9be7": {"recipe": {}}}',
        '{"9be7": {"recipe": {}, "engine": {"name": "E"}}}',
        '{"9be7": {"recipe": {"name": "R"}, "engine": {"name": 5}}}',
        "\xff",
    ],
)
def test_a_damaged_list_of_recipes_is_left_as_it_is(games, make_tables, scripted, text):
    """Written anew, it would say nothing of the analyses that are stored."""
    tables = make_tables("t")
    analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1, limit=1)
    path = tables[0].folder.with_name("recipes.json")
    whole = path.read_bytes()
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SchemaError, match="put back a copy"):
        analyse(games, *tables, recipe=dataclasses.replace(RECIPE, lines=2), engine=scripted(), jobs=1)
    assert path.read_bytes() == text.encode("latin-1")
    # The other way that the sentence names: out of the way, it is noted anew.
    path.unlink()
    assert analyse(games, *tables, recipe=RECIPE, engine=scripted(), jobs=1, limit=0).missing == 0
    assert path.read_bytes() == whole


def noted(make_tables, **about):
    analyses, _ = make_tables("t")
    known = {"recipe": {"name": "R"}, "engine": {"name": "E"}, **about}
    record_recipe(analyses, "9be7", known)
    return analyses, recipes_path(analyses), {"9be7": known}


def test_no_flipped_bit_changes_what_a_recipe_id_stands_for(make_tables):
    analyses, path, known = noted(make_tables, nodes=100)
    content = path.read_bytes()
    said = []
    for place in range(8 * len(content)):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            assert read_recipes(analyses)[0] == known
        except SchemaError as error:
            said.append(str(error))
    assert len(said) > 4 * len(content)
    assert all(str(path) in sentence for sentence in said)


def test_a_list_of_recipes_without_a_checksum_is_read_and_called_unverified(make_tables):
    analyses, path, known = noted(make_tables)
    assert read_recipes(analyses)[1]
    path.write_text(json.dumps(known))  # as an earlier assay wrote it
    assert read_recipes(analyses)[0] == known
    assert not read_recipes(analyses)[1]
    record_recipe(analyses, "9be7", {})
    assert not read_recipes(analyses)[1]
    record_recipe(analyses, "aaaa", known["9be7"])
    assert read_recipes(analyses)[0] == {**known, "aaaa": known["9be7"]}
    assert read_recipes(analyses)[1]


def test_what_a_killed_writer_left_of_the_list_is_cleared_away(make_tables):
    analyses, path, known = noted(make_tables)
    partial = path.with_name(f"{path.name}{PARTIAL}")
    partial.write_text("{")
    record_recipe(analyses, "9be7", {})
    assert not partial.exists()
    assert read_recipes(analyses)[0] == known


def test_the_list_of_recipes_is_on_the_disk_before_it_has_its_name(make_tables, monkeypatch):
    analyses, _ = make_tables("t")
    path = analyses.folder.with_name("recipes.json")
    synced = []

    def fsync(descriptor):
        synced.append((Path(f"/proc/self/fd/{descriptor}").resolve(), path.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    record_recipe(analyses, "9be7", {"recipe": {}, "engine": {}})
    assert synced == [(path.with_name(f"{path.name}{PARTIAL}"), False), (path.parent, True)]


def outcome(key, *values):
    moves = tuple(f"m{n}" for n in range(len(values)))
    row = AnalysisRow(
        key, 20, 9, 1000, 0.5, moves, values, (1, 2, 3), 12, 0, ((9, "m0", values[0]),), (900,), None
    )
    return Outcome(rows=[row], alone=[AloneRow(key, "other", from_mate(-2), 9, 100, 0.1, ((8, 5), (9, 7)))])


def test_rows_become_the_tables(make_tables):
    """Centipawns and mates apart, in each place one of them; the recipe on every row."""
    analyses, alone = (table.to_pylist()[0] for table in outcome("k", 30, from_mate(3), -5).tables("recipe"))
    assert (analyses["cp"], analyses["mate"]) == ([30, None, -5], [None, 3, None])
    assert (analyses["moves"], analyses["recipe_id"], analyses["position_key"]) == (
        ["m0", "m1", "m2"],
        "recipe",
        "k",
    )
    assert (analyses["trace_depth"], analyses["trace_move"], analyses["trace_value"]) == ([9], ["m0"], [30])
    assert (analyses["trace_nodes"], analyses["trace_seconds"]) == ([900], None)
    assert (alone["trace_depth"], alone["trace_value"]) == ([8, 9], [5, 7])
    assert (alone["move"], alone["cp"], alone["mate"], alone["recipe_id"]) == ("other", None, -2, "recipe")


def test_what_is_added_is_written_when_time_is_up_and_at_the_end(make_tables, monkeypatch):
    analyses, alone = make_tables("t")
    book = Ledger(analyses, alone, "recipe")
    book.add(outcome("one", 1))
    assert analyses.parts() == []
    monkeypatch.setattr(ledger, "_FLUSH_SECONDS", 0.0)
    book.add(outcome("two", 2))
    assert analyses.read()["position_key"].to_pylist() == ["one", "two"]
    monkeypatch.setattr(ledger, "_FLUSH_SECONDS", 60.0)
    book.add(outcome("three", 3))
    book.close()
    assert analyses.read()["position_key"].to_pylist() == ["one", "two", "three"]
    assert alone.read().num_rows == 3
