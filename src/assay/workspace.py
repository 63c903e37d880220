"""The one place that knows where files live.

A workspace is a folder: one folder per table below it, `workspace.json` with the version of the tables, and
the writer's lock. Everything in it is Parquet or JSON that other programs can open.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.analysis.annotate import annotated_pgn
from assay.analysis.backlog import AnalysisReport, Backlog, analyse, plan, positions_from
from assay.analysis.engines import EngineConfig
from assay.analysis.ledger import recipes_used, record_recipe
from assay.analysis.recipe import Recipe, find_recipe
from assay.domain.columns import single
from assay.domain.decisions import Decisions
from assay.domain.names import find_player
from assay.domain.rating import Ratings
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
from assay.ingest.lichess_evaluations import ABOUT as ABOUT_LICHESS
from assay.ingest.lichess_evaluations import RECIPE_ID as LICHESS_EVALUATIONS
from assay.ingest.lichess_evaluations import read_evaluations
from assay.ingest.players import players_table, read_aliases, resolve
from assay.ingest.seen import NEEDED, SeenGames
from assay.ingest.sources import find_files, open_source
from assay.ingest.spelling import Spelling, find_spelling_file
from assay.store.annotated import ANNOTATED, assemble_annotated
from assay.store.assemble import assemble, playable, positions_of
from assay.store.export import export_table, export_texts
from assay.store.lock import writer_lock
from assay.store.tables import PartTable, query

Source = str | Path

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731


_MANY_PARTS = 8
"""So many small parts are joined into one; fewer are not worth writing again."""


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
        # The lock may stand alone there: whoever made it was killed, or is about to write the rest.
        others = (
            {path.name for path in self.path.iterdir()} - {".lock", "workspace.tmp"}
            if self.path.is_dir()
            else ()
        )
        if not self.exists() and others:
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
        new_folder = not self.path.is_dir()
        with self.writing(), self._gone_if_nothing_came_of_it(new_folder):
            self._prepare()
            known_aliases = self._keep_aliases(given_aliases)
            try:
                # Nothing holds on to what is known of the games while the names are settled: it is large.
                return import_files(files, SeenGames(self.table_games.read(NEEDED)), self._keep, progress)
            finally:
                self._settle_players(known_aliases, spelling_file, say)
                self.table_games.compact(least=_MANY_PARTS)
                self.table_annotations.compact(least=_MANY_PARTS)

    @contextmanager
    def _gone_if_nothing_came_of_it(self, new_folder: bool) -> Iterator[None]:
        """Take a new workspace away where its first import failed without a game. With the lock held."""
        old = self.exists()
        try:
            yield
        except BaseException:
            tables = self._tables().values()
            if not old and not any(table.parts() for table in tables):
                with suppress(OSError):  # the first error is the one to tell
                    for folder in [table.folder for table in tables if table.folder.is_dir()]:
                        folder.rmdir()
                    for name in (self._marker.name, "aliases.txt", ".lock"):
                        (self.path / name).unlink(missing_ok=True)
                    if new_folder:
                        self.path.rmdir()
            raise

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

    def find_players(self, wanted: Iterable[str]) -> list[str]:
        """The players whom a user means, each by his name or a part of it."""
        known = pc.unique(single(self.table_players.read(["player"])["player"])).to_pylist()
        return [find_player(name, known) for name in wanted]

    # Analysis ------------------------------------------------------------------------------------------

    def analyse(
        self,
        recipe: str | Recipe = "standard",
        *,
        jobs: int | None = None,
        cluster: str | None = None,
        players: Iterable[str] | None = None,
        limit: int | None = None,
        engine: str | EngineConfig | None = None,
        include: Iterable[str] = (),
        progress: Callable[[AnalysisReport], None] | None = None,
    ) -> AnalysisReport:
        """Analyse what is missing of the games that may be rated, of all players or of some.

        Games that must not be rated are analysed only where their reason is in `include`.

        One engine per core, or `jobs` of them, or those of the Dask scheduler at `cluster`. What is finished
        is kept, however the run ends, and the next one goes on from there.
        """
        games = self._to_analyse(players, include)
        with self.writing():
            return analyse(
                games,
                self.table_analyses,
                self.table_alone,
                recipe=find_recipe(recipe) if isinstance(recipe, str) else recipe,
                engine=_engine_config(engine),
                jobs=jobs,
                cluster=cluster,
                limit=limit,
                progress=progress,
            )

    def backlog(
        self,
        recipe: str | Recipe = "standard",
        *,
        players: Iterable[str] | None = None,
        limit: int | None = None,
        engine: str | EngineConfig | None = None,
    ) -> Backlog:
        """What `analyse` would have to do."""
        return plan(
            self._to_analyse(players),
            self.table_analyses,
            self.table_alone,
            recipe=find_recipe(recipe) if isinstance(recipe, str) else recipe,
            engine=_engine_config(engine),
            limit=limit,
        )

    def recipes(self) -> dict[str, dict[str, Any]]:
        """Recipe and engine by recipe id, for all that were used here."""
        return recipes_used(self.table_analyses)

    def recipe_id(self, recipe: str | None = None) -> str:
        """The id of a recipe used here, from its id or its name; None stands for the only one."""
        stored = query("SELECT DISTINCT recipe_id FROM analyses ORDER BY recipe_id", self._tables())
        known = self.recipes()
        names = {
            one: known[one]["recipe"]["name"] if one in known else one
            for one in single(stored[0]).to_pylist()
        }
        found = [one for one, name in names.items() if recipe is None or recipe in (one, name)]
        if len(found) == 1:
            return str(found[0])
        if not names:
            raise InputError(self._why_not_analysed())
        choice = ", ".join(
            f"{one} ({name}, {known[one]['engine']['name']})" if one in known else one
            for one, name in names.items()
        )
        what = "of several recipes" if found else f"but none of '{recipe}'"
        raise InputError(f"{self.path} has analyses {what}: choose one with --recipe: {choice}")

    def _why_not_analysed(self) -> str:
        unusable = self.none_may_be_rated()
        return unusable or f"nothing in {self.path} has been analysed yet: run assay analyse"

    def none_may_be_rated(self, include: Iterable[str] = ()) -> str | None:
        """Why no game may be rated, in a sentence; None where some may, or carry a reason of `include`."""
        reasons = self.reasons()
        if any(reason is None or reason in include for reason in reasons):
            return None
        why = ", ".join(f"{n:,} {str(reason).replace('_', ' ')}" for reason, n in reasons.items())
        return f"no game in {self.path} may be rated ({why or 'there is none'}): give other games"

    def import_evaluations(self, source: Source) -> int:
        """Take analyses of the games' positions from a file of lichess's evaluations; return how many."""
        wanted = pc.unique(positions_of(playable(self._to_analyse(None))).keys)
        with self.writing(), open_source(Path(source)) as opened:
            known = _of_recipe(self.table_analyses.read(["position_key", "recipe_id"]), LICHESS_EVALUATIONS)
            missing = set(wanted.to_pylist()) - set(known["position_key"].to_pylist())
            record_recipe(self.table_analyses, LICHESS_EVALUATIONS, ABOUT_LICHESS)
            added = 0
            for rows in read_evaluations(opened.stream, missing):
                self.table_analyses.append(rows)
                added += rows.num_rows
            self.table_analyses.compact()
        return added

    def export_pgn(self, out: Path | None, *, recipe: str | None = None, form: str = "lichess") -> int:
        """Write the analysed games as PGN with their evaluations, `lichess` or `alliot`; return how many."""
        chosen = self.recipe_id(recipe)
        analyses = _of_recipe(self.table_analyses.read(), chosen)
        alone = _of_recipe(self.table_alone.read(), chosen)
        texts = annotated_pgn(self.games(), analyses, alone, form)
        return export_texts(texts, out)

    def _to_analyse(self, players: Iterable[str] | None, include: Iterable[str] = ()) -> pa.Table:
        self._require()
        games = self.games(None if players is None else self.find_players(players))
        included = pc.is_in(games["exclusion"], value_set=pa.array(list(include), pa.string()))
        return games.filter(pc.or_(pc.is_null(games["exclusion"]), included))

    # Decisions -----------------------------------------------------------------------------------------

    def decisions(
        self, recipe: str, *, players: Sequence[str] | None = None, trace: bool = False
    ) -> Decisions:
        """Decisions of the analysed games, of all players or of some.

        `recipe="annotations"` takes the evaluations in the games' own comments.
        """
        self._require()
        wanted = None if players is None else self.find_players(players)
        games = self.games(wanted)
        if recipe == ANNOTATED:
            decisions = assemble_annotated(games, self.table_annotations.read())
            return decisions if wanted is None else decisions.select(player=wanted)
        recipe = self.recipe_id(recipe)
        analyses = _of_recipe(self.table_analyses.read(_analysis_columns(trace)), recipe)
        alone = _of_recipe(self.table_alone.read(), recipe)
        decisions = assemble(games, analyses, alone, recipe, trace=trace)
        return decisions if wanted is None else decisions.select(player=wanted)

    def iter_decisions(
        self, recipe: str, *, trace: bool = False, games_at_a_time: int = 20_000
    ) -> Iterator[Decisions]:
        """The same, some games at a time, with only their analyses in memory: for what does not fit."""
        recipe = self.recipe_id(recipe)
        games = self.games()
        for start in range(0, games.num_rows, games_at_a_time):
            some = games.slice(start, games_at_a_time)
            wanted = pa.table({"position_key": pc.unique(positions_of(playable(some)).keys)})
            analyses = self._rows_of(ANALYSES, _analysis_columns(trace), wanted, recipe)
            alone = self._rows_of(ALONE, ALONE.arrow.names, wanted, recipe)
            yield assemble(some, analyses, alone, recipe, trace=trace)

    def _rows_of(self, table: TableSchema, columns: list[str], wanted: pa.Table, recipe: str) -> pa.Table:
        """Rows of these positions and this recipe, without reading all others into memory."""
        sql = f"SELECT {', '.join(columns)} FROM {table.name} SEMI JOIN wanted USING (position_key)"
        return query(f"{sql} WHERE recipe_id = ?", {**self._tables(), "wanted": wanted}, [recipe])

    # Ratings -------------------------------------------------------------------------------------------

    def keep_ratings(self, ratings: Ratings) -> None:
        """Keep the last ratings made, in place of earlier ones."""
        rows = [
            {
                "player": one.player,
                "part": one.group,
                "method": method,
                "elo": rating.elo,
                "low": rating.low,
                "high": rating.high,
                "games": one.games,
                "decisions": one.decisions,
                "recipe_id": ratings.recipe_id,
            }
            for one in ratings.players
            for method, rating in (*one.ratings.items(), ("combined", one.combined))
        ]
        with self.writing():
            self.table_ratings.replace(pa.Table.from_pylist(rows, RATINGS.arrow))

    def game_dates(self) -> dict[str, str]:
        """The date of each game by its id, as far as it is known: year, or year and month, or day."""
        games = self.table_games.read(["game_id", "date"])
        known = games.filter(pc.is_valid(games["date"])).to_pydict()
        return {
            game: str(date).replace(".", "-")
            for game, date in zip(known["game_id"], known["date"], strict=True)
            if str(date)[:4].isdigit()
        }

    # Status --------------------------------------------------------------------------------------------

    def reasons(self) -> dict[str | None, int]:
        """How many games must not be rated for each reason, and (None) how many may."""
        self._require()
        counts = query(
            "SELECT exclusion, count(*) AS n FROM games GROUP BY exclusion ORDER BY n DESC", self._tables()
        )
        return {row["exclusion"]: row["n"] for row in counts.to_pylist()}

    def status(self) -> dict[str, Any]:
        """What is in the workspace."""
        reasons = self.reasons()
        players = query("SELECT count(DISTINCT player) AS n FROM players", self._tables())
        recipes = query(
            "SELECT recipe_id, count(*) AS n FROM analyses GROUP BY recipe_id ORDER BY n DESC", self._tables()
        )
        analyses = {row["recipe_id"]: row["n"] for row in recipes.to_pylist()}
        labels = self._labels(list(analyses))
        return {
            "games": sum(reasons.values()),
            "excluded": {reason: n for reason, n in reasons.items() if reason is not None},
            "players": players["n"][0].as_py(),
            "annotations": self.table_annotations.count(),
            "analyses": {labels[one]: n for one, n in analyses.items()},
            "missing": {labels[one]: n for one, n in self._missing(list(analyses)).items()},
            "recipes": {label: {"recipe_id": one, **self._engine_name(one)} for one, label in labels.items()},
        }

    def _labels(self, recipe_ids: list[str]) -> dict[str, str]:
        """The name of each recipe; where two engines ran one recipe, its id besides."""
        known = self.recipes()
        names = {one: known[one]["recipe"]["name"] if one in known else one for one in recipe_ids}
        shared = {name for name, n in Counter(names.values()).items() if n > 1}
        return {one: f"{name} ({one})" if name in shared else name for one, name in names.items()}

    def _engine_name(self, recipe_id: str) -> dict[str, str]:
        about = self.recipes().get(recipe_id)
        return {"engine": about["engine"]["name"]} if about else {}

    def _missing(self, recipe_ids: list[str]) -> dict[str, int]:
        """How many different positions of the games that may be rated each recipe lacks."""
        if not recipe_ids:
            return {}
        games = self.table_games.read(["moves", "start_fen", "exclusion", "n_plies"])
        games = games.filter(pc.is_null(games["exclusion"]))
        known = self.table_analyses.read(["position_key", "recipe_id"])
        recipes = self.recipes()
        missing = {}
        for one in recipe_ids:
            first_turn = recipes[one]["recipe"].get("first_turn", 1) if one in recipes else 1
            wanted = pc.unique(positions_from(games, first_turn)["position_key"])
            stored = single(_of_recipe(known, one)["position_key"])
            missing[one] = pc.sum(pc.invert(pc.is_in(wanted, stored))).as_py() or 0
        return missing

    # Export --------------------------------------------------------------------------------------------

    def export(self, table: str, format_: str, out: Path | None, *, recipe: str | None = None) -> int:
        """Write games, decisions or ratings as Parquet, CSV or JSON lines; return the number of rows."""
        self._require()
        if table == "games":
            rows = self.games()
        elif table == "decisions":
            rows = self.decisions(recipe or self.recipe_id()).to_table()
        elif table == "ratings":
            rows = self.table_ratings.read()
            if not rows.num_rows:
                raise InputError(f"nothing in {self.path} has been rated yet: run assay rate")
        else:
            raise InputError(f"there is no table '{table}' to export: choose games, decisions or ratings")
        return export_table(rows, format_, out)


def _engine_config(engine: str | EngineConfig | None) -> EngineConfig:
    return engine if isinstance(engine, EngineConfig) else EngineConfig(engine)


def _reference_rating(player: pa.Array, year: pa.ChunkedArray, ratings: pa.Table) -> pa.Array:
    """Published rating of each player in each year; null where there is none."""
    wanted = pc.binary_join_element_wise(player, single(year).cast(pa.string()), "|")
    known = pc.binary_join_element_wise(
        single(ratings["player"]), single(ratings["year"]).cast(pa.string()), "|"
    )
    return single(ratings["elo"]).take(pc.index_in(wanted, known))


def _analysis_columns(trace: bool) -> list[str]:
    return [name for name in ANALYSES.arrow.names if trace or not name.startswith("trace")]


def _of_recipe(rows: pa.Table, recipe_id: str) -> pa.Table:
    return rows.filter(pc.equal(rows["recipe_id"], recipe_id))
