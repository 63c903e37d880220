"""Decisions of the games in a workspace, all at once or some games at a time."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Choice
from assay.decisions.names import Who
from assay.decisions.schema import ALONE, ANALYSES, ANNOTATIONS, TableSchema
from assay.store.annotated import assemble_annotated
from assay.store.assemble import assemble, playable, positions_of
from assay.store.comments import CLOCK_COLUMNS, with_clocks
from assay.store.known import CompactAnalyses
from assay.store.tables import PartTable, query
from assay.workspace.analyses import find_recipe_id, of_recipe
from assay.workspace.folder import Folder
from assay.workspace.players import KnownPlayers, find_players, games_of, games_with_players

_ROWS_AT_ONCE = 50_000

_MOST_HELD = 4_000_000
"""Positions whose stored options are held at once; of ten options each they take some 90 bytes."""


def decisions_of(
    folder: Folder,
    recipe: str,
    *,
    players: Sequence[str] | None,
    trace: bool,
    choice: Choice | None = None,
) -> Decisions:
    """Decisions of the analysed games, or of those with evaluations in their comments."""
    folder.require()
    wanted = None if players is None else find_players(folder, players)
    games = games_with_players(folder, wanted, choice)
    if recipe in (ANNOTATED, *EVALUATED):
        decisions = assemble_annotated(games, folder.annotations.read())
    else:
        recipe_id = find_recipe_id(folder, recipe)
        analyses = of_recipe(folder.analyses.read(_columns(ANALYSES, trace)), recipe_id)
        alone = of_recipe(folder.alone.read(_columns(ALONE, trace)), recipe_id)
        decisions = assemble(games, analyses, alone, recipe_id, trace=trace, clocks=_clocks(folder))
    return decisions if wanted is None else decisions.select(player=wanted)


def decisions_of_games(
    folder: Folder, recipe: str, games: pa.Table, *, trace: bool, clocks: pa.Table | None = None
) -> Decisions:
    """Decisions of these games alone: of what is stored only their positions are read.

    `clocks` are what comments say of clocks, where that has been read for all games already.
    """
    wanted = games.select(["game_id"])
    tables = {"annotations": folder.annotations, "wanted": wanted}
    if recipe == ANNOTATED or clocks is None:
        names = ANNOTATIONS.arrow.names if recipe == ANNOTATED else CLOCK_COLUMNS
        sql = f"SELECT {', '.join(names)} FROM annotations SEMI JOIN wanted USING (game_id)"
        comments = query(sql, tables)
        if recipe == ANNOTATED:
            return assemble_annotated(games, comments)
        clocks = with_clocks(comments)
    recipe_id = find_recipe_id(folder, recipe)
    positions = pa.table({"position_key": pc.unique(positions_of(playable(games)).keys)})
    analyses = _rows_of(folder.analyses, _columns(ANALYSES, trace), positions, recipe_id)
    alone = _rows_of(folder.alone, _columns(ALONE, trace), positions, recipe_id)
    return assemble(games, analyses, alone, recipe_id, trace=trace, clocks=clocks)


def iter_decisions(
    folder: Folder,
    recipe: str,
    *,
    trace: bool,
    games_at_a_time: int,
    choice: Choice | None = None,
    players: Sequence[str] | None = None,
) -> Iterator[Decisions]:
    """The same, some games at a time: only they and their analyses are in memory.

    Without traces, what is stored of all their positions is read once, as numbers, unless that is too much.
    """
    folder.require()
    if recipe in (ANNOTATED, *EVALUATED):
        yield decisions_of(folder, recipe, players=players, trace=trace, choice=choice)
        return
    recipe_id = find_recipe_id(folder, recipe)
    wanted = None if players is None else find_players(folder, players)
    pieces = partial(_games, folder, wanted, games_at_a_time, choice)
    compact = None if trace else _compact(folder, recipe_id, pieces())
    every = None if compact is None else of_recipe(folder.alone.read(), recipe_id)
    clocks = _clocks(folder)
    for some in pieces():
        if compact is not None:
            yield _own(assemble(some, compact, every, recipe_id, clocks=clocks), wanted)
            continue
        yield _own(decisions_of_games(folder, recipe_id, some, trace=trace, clocks=clocks), wanted)


def _clocks(folder: Folder) -> pa.Table:
    """What comments say of clocks, of all games."""
    return with_clocks(folder.annotations.read(CLOCK_COLUMNS))


def _own(decisions: Decisions, wanted: Sequence[str] | None) -> Decisions:
    return decisions if wanted is None else decisions.select(player=wanted)


def _games(
    folder: Folder, wanted: Sequence[str] | None, at_a_time: int, choice: Choice | None
) -> Iterator[pa.Table]:
    """All games, or those of some players, so many at a time."""
    known = KnownPlayers(folder, choice)
    whom = None if wanted is None else [Who(player) for player in wanted]
    held: list[pa.Table] = []
    for stored in folder.games.chunks(at_a_time):
        games = known.put_into(stored)
        if whom is None:
            yield games
            continue
        held.append(games_of(games, whom))  # a player may have few of so many games
        if sum(some.num_rows for some in held) >= at_a_time:
            yield pa.concat_tables(held).combine_chunks()
            held = []
    if held:
        yield pa.concat_tables(held).combine_chunks()


def _compact(folder: Folder, recipe_id: str, games: Iterator[pa.Table]) -> CompactAnalyses | None:
    """What is stored of all positions of these games; None where they are too many to be held."""
    wanted = np.zeros(0, np.uint64)
    for some in games:
        wanted = np.union1d(wanted, positions_of(playable(some)).hashes)
        if len(wanted) > _MOST_HELD:
            return None
    rows = folder.analyses.chunks(_ROWS_AT_ONCE, CompactAnalyses.COLUMNS)
    return CompactAnalyses.of((of_recipe(some, recipe_id) for some in rows), wanted)


def _rows_of(table: PartTable, columns: list[str], wanted: pa.Table, recipe_id: str) -> pa.Table:
    """Rows of these positions and this recipe, without reading all others into memory."""
    name = table.schema.name
    sql = f"SELECT {', '.join(columns)} FROM {name} SEMI JOIN wanted USING (position_key)"
    return query(f"{sql} WHERE recipe_id = ?", {name: table, "wanted": wanted}, [recipe_id])


def _columns(table: TableSchema, trace: bool) -> list[str]:
    """The columns of a table, with its trace or without."""
    return [name for name in table.arrow.names if trace or not name.startswith("trace")]
