"""The one place that knows where files live.

A workspace is a folder: one folder per table below it, `workspace.json` with the version of the tables, and
the writer's lock. Everything in it is Parquet or JSON that other programs can open.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.domain.columns import single
from assay.domain.decisions import Decisions
from assay.domain.schema import (
    ALONE,
    ANALYSES,
    ANNOTATIONS,
    GAMES,
    PLAYERS,
    RATINGS,
    REFERENCE_RATINGS,
    SCHEMA_VERSION,
    TableSchema,
)
from assay.errors import InputError, SchemaError
from assay.ingest.importer import ImportReport, Progress, import_files
from assay.ingest.players import players_table, read_aliases, resolve
from assay.ingest.seen import NEEDED, SeenGames
from assay.ingest.sources import find_files
from assay.ingest.spelling import Spelling, find_spelling_file
from assay.store.annotated import ANNOTATED, assemble_annotated
from assay.store.assemble import assemble, positions_of
from assay.store.export import export_table
from assay.store.lock import writer_lock
from assay.store.tables import PartTable, query

Source = str | Path

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


class Workspace:
    """A folder that holds the tables of one study."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is a file, not a workspace: give the path of a folder")
        self.table_games = self._table(GAMES)
        self.table_players = self._table(PLAYERS)
        self.table_reference_ratings = self._table(REFERENCE_RATINGS)
        self.table_annotations = self._table(ANNOTATIONS)
        self.table_analyses = self._table(ANALYSES)
        self.table_alone = self._table(ALONE)
        self.table_ratings = self._table(RATINGS)
        self._check_version()

    def __repr__(self) -> str:
        return f"Workspace({str(self.path)!r})"

    def _table(self, schema: TableSchema) -> PartTable:
        return PartTable(self.path / schema.name, schema)

    @property
    def _marker(self) -> Path:
        return self.path / "workspace.json"

    def _check_version(self) -> None:
        try:
            about = json.loads(self._marker.read_text(encoding="utf-8"))
            version = int(about["schema_version"])
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError):
            raise SchemaError(
                f"{self._marker} is damaged: it should say which version the tables have"
            ) from None
        if version > SCHEMA_VERSION:
            raise SchemaError(
                f"{self.path} was written by a newer assay (tables of version {version}): upgrade assay"
            )

    def exists(self) -> bool:
        """Whether anything has been written here."""
        return self._marker.is_file()

    def _require(self) -> None:
        if not self.exists():
            raise InputError(f"there is no workspace at {self.path}: import games first (assay import)")

    def writing(self) -> Any:
        """The writer's lock, as a context; a second writer gets a LockedError that names the first."""
        if not self.exists() and self.path.is_dir() and any(self.path.iterdir()):
            raise InputError(f"{self.path} holds other files: choose an empty or a new folder as workspace")
        return writer_lock(self.path / ".lock")

    def _prepare(self) -> None:
        """Mark the folder as a workspace and clear away what a killed writer left. With the lock held."""
        if not self.exists():
            partial = self._marker.with_suffix(".tmp")
            partial.write_text(json.dumps({"schema_version": SCHEMA_VERSION}) + "\n", encoding="utf-8")
            partial.replace(self._marker)
        for table in self._tables().values():
            table.clean()

    def _tables(self) -> dict[str, PartTable]:
        tables = [value for value in vars(self).values() if isinstance(value, PartTable)]
        return {table.schema.name: table for table in tables}

    # Games ---------------------------------------------------------------------------------------------

    def import_games(
        self,
        source: Source | Iterable[Source],
        *,
        aliases: str | Path | None = None,
        spelling: str | Path | None = None,
        progress: Progress = _NOTHING,
        say: Callable[[str], None] = _NOTHING,
    ) -> ImportReport:
        """Import PGN from files, folders or `-`; then settle which names are one player."""
        sources = [source] if isinstance(source, str | Path) else list(source)
        files = [file for one in sources for file in find_files(one)]
        given_aliases = read_aliases(Path(aliases)) if aliases is not None else None
        spelling_file = find_spelling_file(Path(spelling) if spelling is not None else None)
        with self.writing():
            self._prepare()
            known_aliases = self._keep_aliases(given_aliases)
            seen = SeenGames(self.table_games.read(NEEDED))
            try:
                return import_files(files, seen, self._keep, progress)
            finally:
                self._settle_players(known_aliases, spelling_file, say)
                self.table_games.compact()
                self.table_annotations.compact()

    def _keep(self, games: pa.Table, annotations: pa.Table) -> None:
        # Annotations first: a game that is there has its annotations, even after a kill between the two.
        self.table_annotations.append(annotations)
        self.table_games.append(games)

    def _keep_aliases(self, given: dict[str, str] | None) -> dict[str, str]:
        """All aliases given so far: later imports settle the names of all games anew."""
        kept = self.path / "aliases.txt"
        aliases = {**(read_aliases(kept) if kept.is_file() else {}), **(given or {})}
        if given:
            partial = kept.with_suffix(".tmp")
            lines = [f"{name} = {player}\n" for name, player in sorted(aliases.items())]
            partial.write_text("".join(lines), encoding="utf-8")
            partial.replace(kept)
        return aliases

    def _settle_players(
        self, aliases: dict[str, str], spelling_file: Path | None, say: Callable[[str], None]
    ) -> None:
        names = self.table_games.read(["white_name", "black_name"])
        counts = Counter(
            {
                count["values"]: count["counts"]
                for count in pc.value_counts(
                    pa.concat_arrays([single(names["white_name"]), single(names["black_name"])])
                ).to_pylist()
            }
        )
        if not counts:
            return
        spelling = Spelling(spelling_file, say) if spelling_file is not None else None
        spellings = spelling.players(counts) if spelling is not None else {}
        resolved = resolve(counts, aliases, spellings)
        self.table_players.replace(players_table(resolved))
        if spelling is not None:
            players = {one.player for one in resolved.values()}
            self.table_reference_ratings.replace(spelling.ratings(players))

    def games(self, players: Iterable[str] | None = None) -> pa.Table:
        """All games, with the players (`white`, `black`) in place of the names as written.

        Where the tags give no rating, the published rating of that year stands in.
        """
        self._require()
        games = self.table_games.read()
        known = self.table_players.read()
        ratings = self.table_reference_ratings.read()
        for side in ("white", "black"):
            name = single(games[f"{side}_name"])
            player = pc.coalesce(single(known["player"]).take(pc.index_in(name, single(known["name"]))), name)
            games = games.append_column(side, player)
            elo = pc.coalesce(single(games[f"{side}_elo"]), _reference_rating(player, games["year"], ratings))
            games = games.set_column(games.schema.get_field_index(f"{side}_elo"), f"{side}_elo", elo)
        if players is not None:
            wanted = pa.array(list(players), pa.string())
            games = games.filter(pc.or_(pc.is_in(games["white"], wanted), pc.is_in(games["black"], wanted)))
        return games

    # Decisions -----------------------------------------------------------------------------------------

    def decisions(
        self, recipe: str, *, players: Sequence[str] | None = None, trace: bool = False
    ) -> Decisions:
        """Decisions of the analysed games, of all players or of some.

        `recipe="annotations"` takes the evaluations in the games' own comments.
        """
        games = self.games(players)
        if recipe == ANNOTATED:
            decisions = assemble_annotated(games, self.table_annotations.read())
            return decisions if players is None else decisions.select(player=players)
        columns = None if trace else [name for name in ANALYSES.arrow.names if not name.startswith("trace")]
        analyses = _of_recipe(self.table_analyses.read(columns), recipe)
        alone = _of_recipe(self.table_alone.read(), recipe)
        decisions = assemble(games, analyses, alone, recipe, trace=trace)
        return decisions if players is None else decisions.select(player=players)

    # Status --------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """What is in the workspace."""
        self._require()
        counts = query(
            "SELECT exclusion, count(*) AS n FROM games GROUP BY exclusion ORDER BY n DESC", self._tables()
        )
        reasons = {row["exclusion"]: row["n"] for row in counts.to_pylist()}
        players = query("SELECT count(DISTINCT player) AS n FROM players", self._tables())
        recipes = query(
            "SELECT recipe_id, count(*) AS n FROM analyses GROUP BY recipe_id ORDER BY n DESC", self._tables()
        )
        analyses = {row["recipe_id"]: row["n"] for row in recipes.to_pylist()}
        return {
            "games": sum(reasons.values()),
            "excluded": {reason: n for reason, n in reasons.items() if reason is not None},
            "players": players["n"][0].as_py(),
            "annotations": self.table_annotations.count(),
            "analyses": analyses,
            "missing": self._missing(list(analyses)),
        }

    def _missing(self, recipe_ids: list[str]) -> dict[str, int]:
        """How many different positions of the games that may be rated each recipe lacks."""
        if not recipe_ids:
            return {}
        games = self.table_games.read(["moves", "start_fen", "exclusion", "n_plies"])
        wanted = pc.unique(positions_of(games.filter(pc.is_null(games["exclusion"]))).keys)
        known = self.table_analyses.read(["position_key", "recipe_id"])
        return {
            one: pc.sum(pc.invert(pc.is_in(wanted, single(_of_recipe(known, one)["position_key"])))).as_py()
            or 0
            for one in recipe_ids
        }

    # Export --------------------------------------------------------------------------------------------

    def export(self, table: str, format_: str, out: Path | None, *, recipe: str | None = None) -> int:
        """Write games, decisions or ratings as Parquet, CSV or JSON lines; return the number of rows."""
        self._require()
        if table == "games":
            rows = self.games()
        elif table == "decisions":
            rows = self.decisions(self._recipe_to_export(recipe)).to_table()
        elif table == "ratings":
            rows = self.table_ratings.read()
            if not rows.num_rows:
                raise InputError(f"nothing in {self.path} has been rated yet: run assay rate")
        else:
            raise InputError(f"there is no table '{table}' to export: choose games, decisions or ratings")
        return export_table(rows, format_, out)

    def _recipe_to_export(self, recipe: str | None) -> str:
        used = list(self.status()["analyses"])
        if recipe is None and len(used) != 1:
            what = f"choose one with --recipe: {', '.join(used)}" if used else "run assay analyse"
            raise InputError(f"{self.path} has analyses of {len(used)} recipes: {what}")
        return recipe or used[0]


def _reference_rating(player: pa.Array, year: pa.ChunkedArray, ratings: pa.Table) -> pa.Array:
    """Published rating of each player in each year; null where there is none."""
    wanted = pc.binary_join_element_wise(player, single(year).cast(pa.string()), "|")
    known = pc.binary_join_element_wise(
        single(ratings["player"]), single(ratings["year"]).cast(pa.string()), "|"
    )
    return single(ratings["elo"]).take(pc.index_in(wanted, known))


def _of_recipe(rows: pa.Table, recipe_id: str) -> pa.Table:
    return rows.filter(pc.equal(rows["recipe_id"], recipe_id))
