"""A workspace of an earlier assay, with fewer columns, or of a later one, with more, goes on working."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.decisions.decisions import Decisions
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe
from assay.errors import SchemaError
from assay.workspace import Workspace
from assay.workspace.repair import State, examine, repair
from assay.workspace.tables import PartTable

# Nullable columns that hold nothing in these games, so nothing may change without them.
EMPTY = {
    "games": ["start_fen"],
    "analyses": ["tbhits", "line"],  # which decisions are not made of
    "annotations": ["option_mate"],
    "alone": ["mate"],
}


def rewrite(table: PartTable, change: Callable[[pa.Table], pa.Table]) -> None:
    """Write each part as another assay would have."""
    parts = table.parts()
    assert parts
    for part in parts:
        pq.write_table(change(pq.read_table(part)), part)
        table.checksums.forget(part.name)


def without(names: list[str]) -> Callable[[pa.Table], pa.Table]:
    return lambda rows: rows.drop_columns(names)


def with_more(rows: pa.Table) -> pa.Table:
    return rows.append_column("fame", pa.array(range(rows.num_rows), pa.int32()))


def tables_of(workspace: Workspace) -> list[PartTable]:
    return [table for table in workspace.tables if table.schema.name in EMPTY]


@pytest.fixture
def half(workspace: Workspace, dirty: Path, engine: EngineConfig, recipe: Recipe) -> Workspace:
    """A workspace with annotated games that are analysed in part."""
    workspace.import_games([dirty / "many_comments.pgn", dirty / "blitz.pgn"])
    workspace.analyse(recipe, engine=engine, jobs=1, limit=30)
    return workspace


def everything(workspace: Workspace) -> list[object]:
    """What each way of reading gives."""
    return [
        workspace.status(),
        workspace.games().to_pylist(),
        workspace.decisions("few lines").table(),
        Decisions.concat(list(workspace.iter_decisions("few lines", games_at_a_time=2))).table(),
        workspace.decisions("annotations").table(),
        workspace.game_dates(),
        workspace.reasons(),
    ]


@pytest.mark.parametrize("age", ["earlier", "later", "both"])
def test_every_way_of_reading_gives_the_same(
    half: Workspace, age: str, dirty: Path, engine: EngineConfig, recipe: Recipe, tmp_path: Path
) -> None:
    before = everything(half)
    for table in tables_of(half):
        if age != "later":
            rewrite(table, without(EMPTY[table.schema.name]))
        if age != "earlier":
            rewrite(table, with_more)
    assert everything(half) == before
    assert {part.state for part in examine(half)} == {State.WHOLE, State.UNVERIFIED}
    repair(half, lambda _: None)
    assert {part.state for part in examine(half)} == {State.WHOLE}
    missing = half.status()["missing"]["few lines"]
    assert len(half.backlog(recipe, engine=engine)) == missing > 0
    assert half.analyse(recipe, engine=engine, jobs=1).done == missing  # compacts old and new parts
    lines = half.table_analyses.read(["line"])["line"].to_pylist()
    assert [line is None for line in lines[:30]] == [age != "later"] * 30
    assert all(lines[30:-1])
    half.import_games(dirty / "clean.pgn")
    for table in tables_of(half):
        table.compact()
        assert len(table.parts()) == 1
    assert half.analyse(recipe, engine=engine, jobs=1).missing == 0
    assert half.export("decisions", "parquet", tmp_path / "d.parquet") == len(half.decisions("few lines"))
    assert half.export_pgn(tmp_path / "g.pgn") > 0
    if age != "earlier":
        kept = pq.read_table(half.table_games.parts()[0])["fame"].to_pylist()
        assert kept[: len(before[1])] == list(range(len(before[1])))  # type: ignore[arg-type]


def with_years_in_words(rows: pa.Table) -> pa.Table:
    place = rows.column_names.index("year")
    return rows.set_column(place, "year", pa.array(["soon"] * rows.num_rows))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (without(["time_class"]), "{} lacks the columns time_class of the table 'games'"),
        (with_years_in_words, "column 'year' of {} does not have the documented type"),
    ],
)
def test_a_column_that_is_not_as_it_must_be_is_named_with_its_part(
    half: Workspace,
    engine: EngineConfig,
    recipe: Recipe,
    change: Callable[[pa.Table], pa.Table],
    sentence: str,
) -> None:
    rewrite(half.table_games, change)
    part = half.table_games.parts()[0]
    for read in (
        half.games,
        lambda: half.decisions("few lines"),
        lambda: half.analyse(recipe, engine=engine, jobs=1),
    ):
        with pytest.raises(SchemaError) as caught:
            read()
        assert str(caught.value).startswith(sentence.format(part))


@pytest.mark.parametrize("column", ["cp", "mate"])
def test_a_move_searched_alone_whose_value_is_not_there_counts_as_not_searched(
    half: Workspace, column: str
) -> None:
    decisions = len(half.decisions("few lines"))
    assert half.table_alone.count() > 0
    rewrite(half.table_alone, without([column]))
    assert len(half.decisions("few lines")) == decisions
