"""Analyses in their tables: what is missing, getting it there, and which recipes were used.

Nothing is computed twice: what is stored under the recipe's id is left out. Nothing is lost: rows are
appended every few seconds, whole parts only, so however a run ends, the next one goes on where it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from assay.answers.prepared import AnalysisReport
from assay.engine.engines import EngineConfig, check_signature, known_identity
from assay.engine.queue import Backlog, GameLines, Wanted
from assay.engine.recipe import Recipe, recipe_id, remember
from assay.engine.run import Outcome, new_report, run
from assay.errors import InputError, MachineError, SchemaError
from assay.files import PARTIAL, is_special, write_text
from assay.workspace.tables import PartTable, crc32_of

_ROWS_AT_ONCE = 50_000
_FLUSH_SECONDS = 5.0
_PARTS_BEFORE_COMPACTION = 200
_RECIPES = "recipes.json"
_CHECKSUM = "crc32"
"""Entry of the list of recipes beside those of their ids: what the others read as."""
_MOST_BYTES = 1 << 26

Games: TypeAlias = "pa.Table | Iterable[pa.Table]"
"""A table with the columns `moves` and `start_fen`, or several that need not be there at once."""


def plan(
    games: Games,
    analyses: PartTable,
    alone: PartTable,
    *,
    recipe: Recipe,
    engine: EngineConfig,
    limit: int | None = None,
) -> Backlog:
    """What is missing of these games for the recipe with this engine, at most `limit` positions of it."""
    if limit is not None and limit < 0:
        raise InputError(f"the limit must not be negative: {limit}")
    identity = known_identity(engine, recipe)
    lines = GameLines.of(games)
    wanted = Wanted(lines, recipe.first_turn, alone=recipe.alone)
    stored = recipe_id(recipe, identity)
    columns = ["moves"] if recipe.alone else []
    wanted.note(rows_of_recipe(analyses, stored, ["position_key", "depth", *columns]))
    if recipe.alone:
        wanted.note(rows_of_recipe(alone, stored, ["position_key", "move"]))
    missing = wanted.missing(limit, whole_games=recipe.walk)
    if recipe.walk:
        missing = missing.sort_by([("game", "ascending"), ("ply", "descending")])
    return Backlog(recipe, identity, len(wanted), missing, lines)


def rows_of_recipe(table: PartTable, recipe_id: str, columns: list[str]) -> Iterator[pa.Table]:
    """What is stored for one recipe, some rows at a time."""
    for rows in table.chunks(_ROWS_AT_ONCE, [*columns, "recipe_id"]):
        yield of_recipe(rows, recipe_id).select(columns)


def of_recipe(rows: pa.Table, recipe_id: str) -> pa.Table:
    """The rows of one recipe."""
    return rows.filter(pc.equal(rows["recipe_id"], recipe_id))


def analyse(
    games: Games,
    analyses: PartTable,
    alone: PartTable,
    *,
    recipe: Recipe,
    engine: EngineConfig | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limit: int | None = None,
    before: Callable[[Backlog, EngineConfig], None] | None = None,
    progress: Callable[[AnalysisReport], None] | None = None,
) -> AnalysisReport:
    """Analyse what the tables lack of these games. The caller holds the writer's lock.

    `jobs` engines run on this machine, by default one per core; or those of the Dask scheduler at
    `cluster`. `before` is shown what is to be done, and may object by raising an error. `progress` is
    called with the report so far. Interrupted, it keeps what was finished. An engine that goes by the name
    of a known one is refused: an Elo scale may rest on it.
    """
    config = engine or EngineConfig()
    backlog = plan(games, analyses, alone, recipe=recipe, engine=config, limit=limit)
    report = new_report(backlog)
    about = {"recipe": recipe.describe(), "engine": backlog.identity.describe()}
    record_recipe(analyses, backlog.recipe_id, about)
    if not len(backlog):
        for table in (analyses, alone):  # a run may have been killed while it joined its last parts
            table.clean()
        return report
    if before is not None:
        before(backlog, config)
    check_signature(config, recipe)
    ledger = Ledger(analyses, alone, backlog.recipe_id)
    try:
        run(backlog, config, report, ledger.add, jobs=jobs, cluster=cluster, progress=progress)
    finally:
        ledger.close()
    return report


class Ledger:
    """Appends outcomes to the tables. Only one coordinator does, with the writer's lock held."""

    def __init__(self, analyses: PartTable, alone: PartTable, recipe_id: str) -> None:
        self._tables = (analyses, alone)
        self._recipe_id = recipe_id
        self._pending = Outcome()
        self._flushed = time.monotonic()
        self._parts = 0
        for table in self._tables:
            table.clean()

    def add(self, outcome: Outcome) -> None:
        """Take in an outcome; every few seconds, write."""
        self._pending.add(outcome)
        if time.monotonic() - self._flushed >= _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what is pending: lines first, so that a move searched alone never lacks its lines."""
        # Forgotten first: interrupted in between, rows are rather searched once more than stored twice.
        pending, self._pending = self._pending, Outcome()
        for table, rows in zip(self._tables, pending.tables(self._recipe_id), strict=True):
            table.append(rows)
        self._parts += 1
        if self._parts % _PARTS_BEFORE_COMPACTION == 0:
            self._compact()
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Write what is pending and join the small parts."""
        self.flush()
        self._compact()

    def _compact(self) -> None:
        for table in self._tables:
            table.compact()


def record_recipe(analyses: PartTable, recipe_id: str, about: dict[str, Any]) -> None:
    """Note what a recipe id stands for (`recipe` and `engine`), in a file beside the table."""
    path = recipes_path(analyses)
    with suppress(OSError):  # of a writer that was killed; on storage that is read-only it stays
        path.with_name(path.name + PARTIAL).unlink(missing_ok=True)
    recipes, _ = read_recipes(analyses)
    if recipe_id not in recipes:
        write_recipes(analyses, {**recipes, recipe_id: about})


def write_recipes(analyses: PartTable, recipes: Mapping[str, dict[str, Any]]) -> None:
    """Write what each recipe id stands for, with the checksum of it."""
    path = recipes_path(analyses)
    content = {recipe_id: recipes[recipe_id] for recipe_id in sorted(recipes)}
    text = json.dumps({**content, _CHECKSUM: crc32_of(content)}, indent=2, sort_keys=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text, follow=False)
    except OSError as error:
        raise MachineError(f"cannot write {path}: {error.strerror or error}") from error


def read_recipes(analyses: PartTable) -> tuple[dict[str, dict[str, Any]], bool]:
    """Recipe and engine by recipe id, of every recipe that was used; and whether a checksum verifies them.

    A list of an earlier assay has no checksum. A damaged file is an error: to go on without it would lose
    what the stored analyses mean.
    """
    path = recipes_path(analyses)
    try:
        if is_special(path) or path.stat().st_size > _MOST_BYTES:
            raise ValueError("a pipe would never end")
        recipes = json.loads(path.read_text(encoding="utf-8"))
        wanted = recipes.pop(_CHECKSUM, None)
        sound = all(_describes(about) for about in recipes.values())
        sound &= wanted is None or wanted == crc32_of(recipes)
    except FileNotFoundError:
        return {}, True
    except OSError as error:
        raise MachineError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise SchemaError(
            f"{path}, which lists what each recipe id means, is damaged: put back a copy of it, or run "
            f"assay doctor {quote(str(path.parent))} --repair, which sets it aside; then assay analyse, with "
            "every recipe and engine used, notes them anew"
        )
    for about in recipes.values():
        remember(about)
    return recipes, wanted is not None


def _describes(about: object) -> bool:
    """Whether this can be what a recipe id stands for: a recipe and an engine, each with its name."""
    parts = [about.get(part) for part in ("recipe", "engine")] if isinstance(about, dict) else [None]
    return all(isinstance(part, dict) and isinstance(part.get("name"), str) for part in parts)


def recipes_path(analyses: PartTable) -> Path:
    """The file that lists what each recipe id means."""
    return analyses.folder.with_name(_RECIPES)
