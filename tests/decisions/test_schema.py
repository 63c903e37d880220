"""Schemas grow: what is filled up, what is refused, what is kept."""

import pyarrow as pa
import pytest

from assay.decisions.schema import SCHEMA_VERSION, TABLES, Column, TableSchema, fill, version_of
from assay.errors import SchemaError

SCHEMA = TableSchema(
    "things",
    "Things.",
    (
        Column("name", pa.string(), "The name."),
        Column("size", pa.int16(), "The size.", nullable=True),
        Column("parts", pa.list_(pa.string()), "The parts.", nullable=True),
    ),
)


def test_absent_columns_are_null_and_unknown_ones_go() -> None:
    stored = pa.table({"colour": ["red", "blue"], "name": ["a", "b"]})
    filled = fill(stored, SCHEMA.select(), "part 1")
    assert filled.schema == SCHEMA.select()
    assert filled.to_pylist() == [
        {"name": "a", "size": None, "parts": None},
        {"name": "b", "size": None, "parts": None},
    ]
    assert fill(stored.select([]), SCHEMA.select(["size"]), "part 1")["size"].to_pylist() == [None, None]


def test_a_column_of_a_narrower_type_is_widened_and_of_another_is_refused() -> None:
    narrow = pa.table({"name": ["a"], "size": pa.array([3], pa.int8())})
    assert fill(narrow, SCHEMA.select(["size"]), "part 1").schema.field("size").type == pa.int16()
    wrong = pa.table({"name": ["a"], "size": ["large"]})
    with pytest.raises(SchemaError, match="column 'size' of part 1 does not have the documented type"):
        fill(wrong, SCHEMA.select(), "part 1")


def test_a_part_without_a_column_that_must_not_be_null_is_refused_in_a_sentence() -> None:
    SCHEMA.check(pa.schema([("name", pa.string())]), "part 1")
    with pytest.raises(SchemaError, match=r"^part 1 lacks the columns name of the table 'things'") as caught:
        SCHEMA.check(pa.schema([("size", pa.int16())]), "part 1")
    assert "\n" not in str(caught.value)


def test_the_stamp_of_joined_parts_is_the_highest_and_never_lowered() -> None:
    newer = SCHEMA.arrow.with_metadata({"assay.schema_version": "7"})
    unstamped = SCHEMA.arrow.with_metadata({"assay.schema_version": "x"})
    assert version_of(SCHEMA.joined([SCHEMA.arrow, newer, unstamped])) == 7
    assert version_of(SCHEMA.joined([unstamped])) == SCHEMA_VERSION
    assert version_of(pa.schema([])) == 0


def test_parts_are_joined_with_the_columns_that_only_some_have() -> None:
    later = pa.schema([*SCHEMA.arrow, pa.field("colour", pa.string(), nullable=False)])
    old = pa.schema([("name", pa.string())])
    joined = SCHEMA.joined([old, later, old])
    assert joined.names == ["name", "size", "parts", "colour"]
    assert joined.field("colour").nullable  # the old parts have none
    assert joined.metadata == SCHEMA.arrow.metadata
    assert SCHEMA.joined([]) == SCHEMA.arrow
    with pytest.raises(pa.ArrowTypeError):
        SCHEMA.joined([later, pa.schema([("name", pa.string()), ("colour", pa.int16())])])


def test_every_column_has_a_sentence() -> None:
    for schema in TABLES:
        for column in schema.columns:
            assert column.meaning.endswith("."), (schema.name, column.name)
