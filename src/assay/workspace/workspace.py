"""A workspace: games, what engines said of them, and the decisions that are made of both.

Readers need no lock and never wait for a writer. A writer holds the lock as long as it writes: a second one
is refused, unless what it was asked for is there already.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.answers.prepared import AnalysisReport, ImportReport
from assay.answers.ratings import Ratings, with_combined
from assay.decisions.arrays import single
from assay.decisions.clocks import wrong_in_words
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Choice
from assay.decisions.names import NAMELESS, Who, find_player
from assay.decisions.schema import ALONE, ANALYSES, ANNOTATIONS, RATINGS, TableSchema
from assay.decisions.slices import families
from assay.engine.engines import EngineConfig
from assay.engine.queue import Backlog, GameLines, Wanted
from assay.engine.recipe import EngineIdentity, Recipe, described_recipe, find_recipe, recipe_id
from assay.engine.run import Outcome, new_report
from assay.errors import InputError, LockedError, MachineError, ReadOnlyError
from assay.files import PARTIAL, is_special, write_text
from assay.pgn.accounts import Account, WantedGames
from assay.pgn.comments import doubts_in_words
from assay.pgn.importer import NEEDED, Progress, SeenGames, Segment, import_files
from assay.pgn.lichess_evaluations import ABOUT as ABOUT_LICHESS
from assay.pgn.lichess_evaluations import RECIPE_ID as LICHESS_EVALUATIONS
from assay.pgn.lichess_evaluations import read_evaluations
from assay.pgn.players import (
    AMBIGUOUS,
    Ambiguous,
    Resolved,
    Spelling,
    alias_key,
    ambiguous,
    find_spelling_file,
    players_table,
    read_aliases,
    resolve,
)
from assay.pgn.players import NEEDED as NEEDED_TO_RESOLVE
from assay.pgn.reader import GameRecord
from assay.pgn.sources import find_files, open_stream
from assay.workspace import export, removal
from assay.workspace.analyses import (
    Ledger,
    analyse,
    of_recipe,
    plan,
    read_recipes,
    record_recipe,
    rows_of_recipe,
)
from assay.workspace.assemble import (
    CLOCK_COLUMNS,
    StoredAnalyses,
    assemble,
    assemble_annotated,
    coded_ids,
    of_games,
    of_one_source,
    playable,
    positions_of,
    source_of_most,
    with_clocks,
    without_empty_columns,
    wrong_clocks,
)
from assay.workspace.export import Shares
from assay.workspace.folder import LOCK, Folder
from assay.workspace.games import (
    CHOICE_COLUMNS,
    MARK_COLUMNS,
    SIDES,
    KnownPlayers,
    games_of,
    left_out_by_choice,
    mark,
    names_as_written,
    played_by,
    reasons,
)
from assay.workspace.tables import gathered

Source = str | Path

Whom = Iterable[str | Who]
"""Players, each in some years or at some event where that is said: `Tal@1958-1960`."""

_NOTHING: Callable[..., None] = lambda *_: None  # noqa: E731

_MANY_PARTS = 8
"""So many small parts are joined into one; fewer are not worth writing again."""

_GAMES_AT_ONCE = 20_000
_ROWS_AT_ONCE = 50_000

_MOST_HELD = 4_000_000
"""Positions whose stored options are held at once; of ten options each they take some 90 bytes."""


class _NewGame(Exception):  # noqa: N818 - not an error: there is something to write
    """A game was read that is not in the workspace."""


class _OnlySeen(SeenGames):
    """Refuses games that are new."""

    def admit(self, records: Sequence[GameRecord]) -> list[int]:
        if super().admit(records):
            raise _NewGame
        return []


class Workspace(Folder):
    """A folder that holds the tables of one study."""

    def __repr__(self) -> str:
        return f"Workspace({str(self.path)!r})"

    # Importing -----------------------------------------------------------------------------------------

    def import_games(
        self,
        source: Source | Iterable[Source],
        *,
        aliases: Source | Mapping[str, str] | None = None,
        spelling: Source | None = None,
        progress: Progress = _NOTHING,
        say: Callable[[str], None] = _NOTHING,
        instead: Callable[[str], None] | None = None,
        wanted: WantedGames | None = None,
    ) -> ImportReport:
        """Import PGN from files, folders, `-` or accounts; then settle which names are one player.

        Where nothing is new no lock is needed. Where another process holds it that is an error, unless
        `instead` is given and there are games: it is told that others are left out.
        """
        sources = [source] if isinstance(source, str | Path) else list(source)
        accounts = [account for place in sources if (account := Account.parse(place)) is not None]
        files = [file for place in sources if Account.parse(place) is None for file in find_files(place)]
        if isinstance(aliases, str | Path):
            given = read_aliases(Path(aliases))
        else:
            given = {alias_key(name): player for name, player in (aliases or {}).items()}
        spelling_file = find_spelling_file(Path(spelling) if spelling is not None else None)
        report = None
        if spelling is None and not accounts and self._names_are_settled(given, spelling_file):
            report = self._import_nothing_new(files, progress)
        if report is None:
            try:
                fetched = (
                    account.fetch(self.path, wanted, say=say, progress=progress) for account in accounts
                )
                every: Iterable[Path | Segment] = chain(files, chain.from_iterable(fetched))
                report = self._import_files(every, given, spelling_file, progress, say)
            except LockedError:
                if instead is None or not self.table_players.parts():
                    raise
                instead(f"another process is writing to {self.path}: games that are not in it are left out")
                return ImportReport()
        elif any(self.path.rglob(f"*{PARTIAL}")):  # left by a writer that was killed, or of one at work
            with suppress(LockedError, ReadOnlyError), self.writing():
                self.prepare()
        for sentence in (*report.problems, *doubts_in_words(report.doubts), *wrong_in_words(report.clocks)):
            say(sentence)
        report.ambiguous = [name.alias for name in self.ambiguous_names()]
        return report

    def _names_are_settled(self, aliases: Mapping[str, str], spelling_file: Path | None) -> bool:
        """Whether all names were settled with these aliases, and since the spelling file was changed."""
        parts = self.table_players.parts() if self.exists() else []
        if not parts or not aliases.items() <= self._read_aliases().items():
            return False
        return spelling_file is None or spelling_file.stat().st_mtime < parts[-1].stat().st_mtime

    def _import_nothing_new(self, files: list[Path], progress: Progress) -> ImportReport | None:
        """The report where every game of the files is there; None where one is not."""
        if any(is_special(file) or str(file) == "-" for file in files):  # which can be read but once
            return None
        try:
            return import_files(files, _OnlySeen(self.table_games.read(NEEDED)), _NOTHING, progress)
        except _NewGame:
            return None

    def _import_files(
        self,
        files: Iterable[Path | Segment],
        aliases: Mapping[str, str],
        spelling_file: Path | None,
        progress: Progress,
        say: Callable[[str], None],
    ) -> ImportReport:
        clocks: Counter[str] = Counter()

        def keep(games: pa.Table, annotations: pa.Table) -> None:
            # Annotations first: a game that is there has its annotations, even after a kill between the two.
            self.table_annotations.append(annotations)
            self.table_games.append(games)
            clocks.update(wrong_clocks(games, annotations))

        with self.filling():
            if aliases:
                every = {**self._read_aliases(), **aliases}
                write_text(self.aliases, removal.alias_lines(every), follow=False)
            try:
                # Nothing holds on to what is stored of the games while the names are settled: it is large.
                report = import_files(files, SeenGames(self.table_games.read(NEEDED)), keep, progress)
            finally:
                self.settle_players(spelling_file, say)
                self.table_games.compact(least=_MANY_PARTS)
                self.table_annotations.compact(least=_MANY_PARTS)
        report.clocks = clocks
        return report

    def _read_aliases(self) -> dict[str, str]:
        """All aliases given so far: later imports settle the names of all games anew."""
        return read_aliases(self.aliases) if self.aliases.is_file() else {}

    def settle_players(self, spelling_file: Path | None, say: Callable[[str], None]) -> None:
        """Make the tables of players and of published ratings anew, from all games. With the lock held."""
        games = self.table_games.read(list(NEEDED_TO_RESOLVE))
        counts = names_as_written(games)
        if not counts:
            return
        spelling = Spelling(spelling_file, say) if spelling_file is not None else None
        spellings = spelling.players(counts) if spelling is not None else {}
        resolved = resolve(counts, self._read_aliases(), spellings, games)
        self.table_players.replace(players_table(resolved))
        if spelling is not None:
            players = {name.player for name in resolved.values()}
            self.table_reference_ratings.replace(spelling.ratings(players))

    def import_evaluations(self, source: Source) -> int:
        """Take analyses of the games' positions from a file of lichess's evaluations; return how many."""
        wanted = {
            key
            for games in self.games_to_analyse()
            for key in pc.unique(positions_of(playable(games)).keys).to_pylist()
        }
        with self.writing(), open_stream(Path(source)) as opened:
            stored = self.table_analyses.select({"recipe_id": [LICHESS_EVALUATIONS]}, ["position_key"])
            missing = wanted - set(stored["position_key"].to_pylist())
            record_recipe(self.table_analyses, LICHESS_EVALUATIONS, ABOUT_LICHESS)
            added = 0
            for rows in read_evaluations(opened.stream, missing):
                self.table_analyses.append(rows)
                added += rows.num_rows
            self.table_analyses.compact()
        return added

    def plan_removal(
        self,
        *,
        players: Iterable[str] = (),
        events: Iterable[str] = (),
        game_ids: Iterable[str] = (),
    ) -> removal.Removal:
        """What `remove` would remove: games of players (`Tal@1958` too), of events, or by their ids."""
        return removal.plan_removal(self, players, events, game_ids)

    def remove(self, planned: removal.Removal) -> removal.RemovalReport:
        """Remove games with everything that is there only because of them; whole or not at all."""
        return removal.remove(self, planned)

    def remove_all(self) -> None:
        """Remove the workspace with all that is in it."""
        self.require()
        if self.path.is_symlink():
            raise InputError(f"{self.path} is a link: remove it by hand")
        with self.writing(command="assay remove"):
            # The marker stays until last: a removal that was killed can be made again.
            for path in [path for path in self.path.iterdir() if path not in (self.marker, self.path / LOCK)]:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()
            shutil.rmtree(self.path)

    # Games and players ---------------------------------------------------------------------------------

    def games(
        self,
        players: Whom | None = None,
        choice: Choice | None = None,
        columns: Iterable[str] | None = None,
    ) -> pa.Table:
        """All games, or those of some players (`Tal@1958-1960`), marked by the choice (`KnownPlayers`).

        With all columns, or with these and what it takes to choose the games.
        """
        self.require()
        games = KnownPlayers(self, choice).put_into(self.table_games.read(_and_needed(columns)))
        return games if players is None else games_of(games, self.find_whom(players))

    def game(self, game_id: str, choice: Choice | None = None) -> pa.Table:
        """One game by its id: a table of one row, with its moves and players."""
        self.require()
        rows = self.table_games.select({"game_id": [game_id]})
        if not rows.num_rows:
            raise InputError(f"there is no game '{game_id}' in {self.path}")
        return KnownPlayers(self, choice).put_into(rows.slice(0, 1))

    def games_to_analyse(
        self,
        players: Whom | None = None,
        include: Iterable[str] = (),
        choice: Choice | None = None,
        own_moves: bool = False,
    ) -> Iterator[pa.Table]:
        """Moves and first positions of the games that may be rated or carry a reason of `include`, in pieces.

        With `own_moves` also which sides these players had: `of_white`, `of_black`.
        """
        self.require()
        if own_moves and players is None:
            raise InputError("whose own moves are to be analysed? Name the players: --player NAME")
        columns, reasons_included = ["moves", "start_fen"], pa.array(list(include), pa.string())
        whom = None if players is None else self.find_whom(players)
        for games in self._pieces(whom, choice, _GAMES_AT_ONCE, columns):
            included = pc.is_in(games["exclusion"], value_set=reasons_included)
            rated = games.filter(pc.or_(pc.is_null(games["exclusion"]), included))
            moves = rated.select([*columns, "n_plies", "exclusion"])
            for side in SIDES if own_moves else ():
                moves = moves.append_column(f"of_{side}", played_by(rated, whom or (), side))
            yield moves

    def _moves_of(self, game_ids: Sequence[str]) -> Iterator[pa.Table]:
        """The same of single games."""
        columns = ["moves", "start_fen", "n_plies", "exclusion"]
        yield playable(self.table_games.select({"game_id": game_ids}, columns))

    def _pieces(
        self, whom: list[Who] | None, choice: Choice | None, rows: int, columns: Iterable[str] | None = None
    ) -> Iterator[pa.Table]:
        """The same games as `games`, some `rows` at a time."""
        players = KnownPlayers(self, choice)
        games = (players.put_into(piece) for piece in self.table_games.chunks(rows, _and_needed(columns)))
        # A player may have few of so many games.
        return games if whom is None else gathered((games_of(piece, whom) for piece in games), rows)

    def game_dates(self) -> dict[str, str]:
        """The date of each game by its id, as far as it is known: year, or year and month, or day."""
        games = self.table_games.read(["game_id", "date"])
        dated = games.filter(pc.is_valid(games["date"])).to_pydict()
        return {
            game: str(date).replace(".", "-")
            for game, date in zip(dated["game_id"], dated["date"], strict=True)
            if str(date)[:4].isdigit()
        }

    def game_openings(self) -> dict[str, str]:
        """The opening of each game by its id: of the tag ECO, or of tagged games that begin alike."""
        games = self.table_games.read(["game_id", "eco", "moves", "start_fen"])
        usual = games.filter(pc.is_null(games["start_fen"]))
        columns = (usual[name].to_pylist() for name in ("game_id", "eco", "moves"))
        return families(zip(*columns, strict=True))

    def reasons(self, choice: Choice | None = None) -> dict[str | None, int]:
        """How many games must not be rated for each reason, and (None) how many may."""
        self.require()
        return reasons(mark(self.table_games.read(list(MARK_COLUMNS)), choice))

    def none_may_be_rated(self, include: Iterable[str] = (), choice: Choice | None = None) -> str | None:
        """Why no game may be rated, in a sentence; None where some may, or carry a reason of `include`."""
        self.require()
        games = mark(self.table_games.read(list(MARK_COLUMNS)), choice)
        counts = reasons(games)
        if any(reason is None or reason in include for reason in counts):
            return None
        if advice := left_out_by_choice(games, choice):
            return f"no game in {self.path} may be rated: {advice}"
        why = ", ".join(f"{n:,} {str(reason).replace('_', ' ')}" for reason, n in counts.items())
        return f"no game in {self.path} may be rated ({why or 'there is none'}): give other games"

    def find_players(self, wanted: Iterable[str]) -> list[str]:
        """The players whom a user means, each by a name or a part of it."""
        players = pc.unique(single(self.table_players.read(["player"])["player"])).to_pylist()
        return [find_player(name, players) for name in wanted]

    def find_whom(self, wanted: Whom) -> list[Who]:
        """Whom a user means, players in some years or at some event, by full names.

        A part of a name means who played in those years, if that is one.
        """
        meant = [Who.parse(who) if isinstance(who, str) else who for who in wanted]
        if all(who.years is None and who.event is None for who in meant):
            players = self.find_players(who.player for who in meant)
            return [replace(who, player=player) for who, player in zip(meant, players, strict=True)]
        games = KnownPlayers(self).put_into(self.table_games.read(list(CHOICE_COLUMNS)))
        return [_find_who(games, who) for who in meant]

    def ambiguous_names(self) -> list[Ambiguous]:
        """The names that the last import left ambiguous, the most frequent first."""
        rows = self.table_players.read().to_pylist()
        if not any(row["method"] == AMBIGUOUS for row in rows):
            return []
        resolved = {row["name"]: Resolved(row["player"], row["method"]) for row in rows}
        return ambiguous(resolved, names_as_written(self.table_games.read(["white_name", "black_name"])))

    # Analyses ------------------------------------------------------------------------------------------

    def analyse(
        self,
        recipe: str | Recipe = "standard",
        *,
        jobs: int | None = None,
        cluster: str | None = None,
        players: Whom | None = None,
        games: Sequence[str] | None = None,
        limit: int | None = None,
        engine: str | EngineConfig | None = None,
        include: Iterable[str] = (),
        choice: Choice | None = None,
        own_moves: bool = False,
        before: Callable[[Backlog, EngineConfig], None] | None = None,
        progress: Callable[[AnalysisReport], None] | None = None,
        instead: Callable[[str], None] | None = None,
    ) -> AnalysisReport:
        """Analyse what is missing of the games that may be rated, of all players or some (`Tal@1958-1960`).

        `games` names single games by their ids, which are analysed whatever stands against rating them. With
        `own_moves` only positions with one of these players to move: half of them, enough for every method
        but gain. `before` is shown the backlog before any engine starts, and may object by an error.

        One engine per core, or `jobs` of them, or those of the Dask scheduler at `cluster`. Where another
        process writes that is an error, unless nothing is missing, or something is there and `instead` given,
        which is told how much is missing.
        """
        self.require()
        chosen, config = self.find_recipe(recipe), _engine_config(engine)
        moves = partial(self.games_to_analyse, players, list(include), choice, own_moves)
        if games is not None:
            moves = partial(self._moves_of, games)
        tables = (self.table_analyses, self.table_alone)
        try:
            with self.writing():
                return analyse(
                    moves(),
                    *tables,
                    recipe=chosen,
                    engine=config,
                    jobs=jobs,
                    cluster=cluster,
                    limit=limit,
                    before=before,
                    progress=progress,
                )
        except (LockedError, ReadOnlyError) as error:
            backlog = plan(moves(), *tables, recipe=chosen, engine=config, limit=limit)
            self._go_without(backlog, error, instead)
            return new_report(backlog)

    def keep_analyses(self, recipe: Recipe, identity: EngineIdentity, outcome: Outcome) -> None:
        """Keep analyses made one by one, of a game that is being played. Makes the workspace if need be."""
        chosen = recipe_id(recipe, identity)
        with self.filling():
            about = {"recipe": recipe.describe(), "engine": identity.describe()}
            record_recipe(self.table_analyses, chosen, about)
            ledger = Ledger(self.table_analyses, self.table_alone, chosen)
            ledger.add(outcome)
            ledger.close()

    def _go_without(
        self, backlog: Backlog, error: MachineError, instead: Callable[[str], None] | None
    ) -> None:
        """Object where positions are missing and cannot be analysed now."""
        if not len(backlog):
            return
        if isinstance(error, ReadOnlyError):
            raise ReadOnlyError(
                f"{self.path} cannot be written to, and {len(backlog):,} of its positions are not analysed: "
                "copy it to where it can be written"
            ) from None
        if instead is None or len(backlog) == backlog.wanted:
            raise error
        instead(
            f"another process is writing to {self.path}: {len(backlog):,} positions are still to be "
            "analysed, and what is finished is used"
        )

    def backlog(
        self,
        recipe: str | Recipe = "standard",
        *,
        players: Whom | None = None,
        limit: int | None = None,
        engine: str | EngineConfig | None = None,
        include: Iterable[str] = (),
        choice: Choice | None = None,
        own_moves: bool = False,
    ) -> Backlog:
        """What `analyse` would have to do."""
        return plan(
            self.games_to_analyse(players, include, choice, own_moves),
            self.table_analyses,
            self.table_alone,
            recipe=self.find_recipe(recipe),
            engine=_engine_config(engine),
            limit=limit,
        )

    def find_recipe(self, recipe: str | Recipe) -> Recipe:
        """The recipe of a name (`standard`, `standard:0.1`), of a TOML file, or of an id used here."""
        if isinstance(recipe, Recipe):
            return recipe
        if recipe not in self.recipes():
            return find_recipe(recipe)
        described = described_recipe(self.recipes()[recipe]["recipe"])
        if described is None:
            raise InputError(f"recipe {recipe} of {self.path} is not an engine's: nothing can be added to it")
        return described

    def only_recipe(self) -> Recipe | None:
        """The recipe by which alone positions were analysed here, by one engine; None where there is none."""
        used = self.recipe_ids() if self.exists() else []
        about = self.recipes().get(used[0]) if len(used) == 1 else None
        return None if about is None else described_recipe(about["recipe"])

    def recipes(self) -> dict[str, dict[str, Any]]:
        """Recipe and engine by recipe id, for all that were used here."""
        return read_recipes(self.table_analyses)[0]

    def recipe_id(self, recipe: str | None = None) -> str:
        """The id of a recipe used here, as `find_recipe` names it; None stands for the only one."""
        recipes = self.recipes()
        names = {key: recipes[key]["recipe"]["name"] if key in recipes else key for key in self.recipe_ids()}
        matching = [key for key, name in names.items() if recipe is None or recipe in (key, name)]
        if recipe is not None and not matching:
            with suppress(InputError):
                search = _search(find_recipe(recipe).describe())
                matching = [
                    key for key in names if key in recipes and _search(recipes[key]["recipe"]) == search
                ]
        if len(matching) == 1:
            return matching[0]
        if not names:
            unusable = self.none_may_be_rated()
            why = f" ({unusable})" if unusable else ""
            raise InputError(f"nothing in {self.path} has been analysed yet: run assay analyse{why}")
        choice = ", ".join(
            f"{key} ({name}, {recipes[key]['engine']['name']})" if key in recipes else key
            for key, name in names.items()
        )
        what = "of several recipes" if matching else f"but none of '{recipe}'"
        raise InputError(f"{self.path} has analyses {what}: choose one with --recipe: {choice}")

    def recipe_ids(self) -> list[str]:
        """The recipe ids of the stored analyses."""
        return sorted(self.table_analyses.value_counts("recipe_id"))

    def plies(self) -> int:
        """How many plies all games have."""
        return pc.sum(self.table_games.read(["n_plies"])["n_plies"]).as_py() or 0

    def games_with_values(self) -> pa.Array:
        """The ids of games that have an evaluation in a comment."""
        comments = self.table_annotations.read(["game_id", "cp", "mate"])
        valued = pc.or_(pc.is_valid(comments["cp"]), pc.is_valid(comments["mate"]))
        return pc.unique(single(comments["game_id"].filter(valued)))

    # Decisions and ratings -----------------------------------------------------------------------------

    def decisions(
        self,
        recipe: str,
        *,
        players: Sequence[str] | None = None,
        trace: bool = False,
        choice: Choice | None = None,
    ) -> Decisions:
        """Decisions of the analysed games, of all players or of some.

        `recipe="annotations"` takes the evaluations in the games' own comments, `evaluated-lichess-blitz` and
        the like those of one source.
        """
        self.require()
        wanted = None if players is None else self.find_players(players)
        games = self.games(wanted, choice)
        if recipe in (ANNOTATED, *EVALUATED):
            games, source = of_one_source(games, None if recipe == ANNOTATED else recipe)
            return _of_players(assemble_annotated(games, self.table_annotations.read(), source), wanted)
        recipe_id = self.recipe_id(recipe)
        if wanted is not None:
            return _of_players(self.decisions_of_games(recipe_id, games, trace=trace), wanted)
        analyses = of_recipe(self.table_analyses.read(_columns(ANALYSES, trace)), recipe_id)
        alone = of_recipe(self.table_alone.read(_columns(ALONE, trace)), recipe_id)
        decisions = assemble(games, analyses, alone, recipe_id, trace=trace, clocks=self._clocks())
        return _of_players(decisions, wanted)

    def iter_decisions(
        self,
        recipe: str,
        *,
        trace: bool = False,
        games_at_a_time: int = _GAMES_AT_ONCE,
        choice: Choice | None = None,
        players: Sequence[str] | None = None,
    ) -> Iterator[Decisions]:
        """The same, some games at a time: for what does not fit into memory.

        What is held of all positions are numbers: the evaluations in comments; of analyses without traces the
        options, unless they are too many.
        """
        self.require()
        wanted = None if players is None else self.find_players(players)
        whom = None if wanted is None else [Who(player) for player in wanted]
        pieces = partial(self._pieces, whom, choice, games_at_a_time)
        for decisions in map(self._assembling(recipe, trace, pieces), pieces()):
            yield _of_players(decisions, wanted)

    def _assembling(
        self, recipe: str, trace: bool, pieces: Callable[[], Iterator[pa.Table]]
    ) -> Callable[[pa.Table], Decisions]:
        """What makes decisions of each of these pieces of the table of games."""
        if recipe in (ANNOTATED, *EVALUATED):
            rows = (coded_ids(chunk) for chunk in self.table_annotations.chunks(_ROWS_AT_ONCE))
            comments = pa.concat_tables([coded_ids(ANNOTATIONS.arrow.empty_table()), *rows])
            comments = without_empty_columns(comments.unify_dictionaries())
            source = recipe if recipe in EVALUATED else source_of_most(pieces())
            return lambda games: assemble_annotated(
                of_one_source(games, source)[0], of_games(comments, games), source
            )
        recipe_id = self.recipe_id(recipe)
        clocks = self._clocks()
        compact = None if trace else self._compact(recipe_id, pieces())
        if compact is None:
            return lambda games: self.decisions_of_games(recipe_id, games, trace=trace, clocks=clocks)
        alone = of_recipe(self.table_alone.read(), recipe_id)
        return lambda games: assemble(games, compact, alone, recipe_id, clocks=clocks)

    def decisions_of_games(
        self, recipe: str, games: pa.Table, *, trace: bool = False, clocks: pa.Table | None = None
    ) -> Decisions:
        """Decisions of some rows of the table of games: quick however many others there are.

        `clocks` are what comments say of clocks, where that has been read for all games already.
        """
        if recipe == ANNOTATED or clocks is None:
            names = ANNOTATIONS.arrow.names if recipe == ANNOTATED else CLOCK_COLUMNS
            comments = self.table_annotations.select({"game_id": single(games["game_id"])}, names)
            if recipe == ANNOTATED:
                return assemble_annotated(games, comments)
            clocks = with_clocks(comments)
        recipe_id = self.recipe_id(recipe)
        wanted = {"position_key": pc.unique(positions_of(playable(games)).keys), "recipe_id": [recipe_id]}
        analyses = self.table_analyses.select(wanted, _columns(ANALYSES, trace))
        alone = self.table_alone.select(wanted, _columns(ALONE, trace))
        return assemble(games, analyses, alone, recipe_id, trace=trace, clocks=clocks)

    def _clocks(self) -> pa.Table:
        """What comments say of clocks, of all games."""
        return with_clocks(self.table_annotations.read(CLOCK_COLUMNS))

    def _compact(self, recipe_id: str, pieces: Iterator[pa.Table]) -> StoredAnalyses | None:
        """What is stored of all positions of these games; None where they are too many to be held."""
        wanted = np.zeros(0, np.uint64)
        for games in pieces:
            wanted = np.union1d(wanted, positions_of(playable(games)).hashes)
            if len(wanted) > _MOST_HELD:
                return None
        rows = self.table_analyses.chunks(_ROWS_AT_ONCE, StoredAnalyses.COLUMNS)
        return StoredAnalyses.of((of_recipe(batch, recipe_id) for batch in rows), wanted)

    def keep_ratings(self, ratings: Ratings) -> None:
        """Keep the last ratings made, in place of earlier ones; not while another process writes."""
        rows: list[dict[str, Any]] = []
        for player in ratings.players:
            about: dict[str, Any] = {
                "player": player.player,
                "part": player.group,
                "games": player.games,
                "decisions": player.decisions,
                "recipe_id": ratings.recipe_id,
            }
            rows += [
                {**about, "method": method, "elo": rating.elo, "low": rating.low, "high": rating.high}
                for method, rating in with_combined(player).items()
            ]
            rows += [
                {**about, "method": method, "measure": measure.name, "value": measure.value}
                | {"low": _finite(measure.low), "high": _finite(measure.high)}
                for method, measure in player.measures.items()
            ]
        with suppress(LockedError), self.writing():
            self.table_ratings.replace(pa.Table.from_pylist(rows, RATINGS.arrow))

    # For people and other programs ---------------------------------------------------------------------

    def status(self, choice: Choice | None = None) -> dict[str, Any]:
        """How many games, players and analyses there are, what is left out and what is missing."""
        counts = self.reasons(choice)
        analyses = dict(self.table_analyses.value_counts("recipe_id").most_common())
        recipes = self.recipes()
        names = {key: recipes[key]["recipe"]["name"] if key in recipes else key for key in analyses}
        # Where two engines ran one recipe, its id besides.
        shared = {name for name, n in Counter(names.values()).items() if n > 1}
        engines = {key: {"engine": recipes[key]["engine"]["name"]} if key in recipes else {} for key in names}
        labels = {key: f"{name} ({key})" if name in shared else name for key, name in names.items()}
        players = self._games_by_player()
        return {
            "games": sum(counts.values()),
            "excluded": {reason: n for reason, n in counts.items() if reason is not None},
            "players": sum(n if name == NAMELESS else 1 for name, n in players.items()),
            "names": players,
            "ambiguous": [name.alias for name in self.ambiguous_names()],
            "annotations": self.table_annotations.count(),
            "analyses": {labels[key]: n for key, n in analyses.items()},
            "missing": {labels[key]: missing for key, (missing, _) in self.coverage().items()},
            "recipes": {label: {"recipe_id": key, **engines[key]} for key, label in labels.items()},
        }

    def _games_by_player(self) -> dict[str, int]:
        """How many games each player has, the one with most first."""
        counts = names_as_written(self.table_games.read(["white_name", "black_name"]))
        rows = self.table_players.read(["name", "player"])
        players = dict(zip(rows["name"].to_pylist(), rows["player"].to_pylist(), strict=True))
        games: Counter[str] = Counter()
        for name, n in counts.items():
            games[players.get(name, name)] += n
        return dict(sorted(games.items(), key=lambda item: (-item[1], item[0])))

    def coverage(self, choice: Choice | None = None) -> dict[str, tuple[int, int]]:
        """By recipe id: how many different positions of the games that may be rated it lacks, of how many."""
        coverage, recipes = {}, self.recipes()
        recipe_ids = self.recipe_ids()
        lines = GameLines.of(self.games_to_analyse(choice=choice) if recipe_ids else ())
        for key in recipe_ids:
            first_turn = recipes[key]["recipe"].get("first_turn", 1) if key in recipes else 1
            wanted = Wanted(lines, first_turn, alone=False)
            wanted.note(rows_of_recipe(self.table_analyses, key, ["position_key", "depth"]))
            coverage[key] = wanted.count_unknown(), len(wanted)
        return coverage

    def export(
        self,
        table: str,
        format_: str,
        out: Path | None,
        *,
        recipe: str | None = None,
        more: export.More | None = None,
    ) -> int:
        """Write games, decisions or ratings as Parquet, CSV or JSON lines; return the number of rows.

        `more` makes columns beside decisions, their date and loss (`assay.insights.difficulty.columns_of`).
        """
        self.require()
        if table == "games":
            rows = self.games()
        elif table == "decisions":
            if recipe in (ANNOTATED, *EVALUATED) and not self.table_annotations.count():
                raise InputError(f"the games of {self.path} have no evaluations in their comments")
            decisions = self.decisions(recipe or self.recipe_id(), trace=more is not None)
            rows = export.with_columns(decisions, self.game_dates(), more)
        elif table == "ratings":
            rows = self.table_ratings.read()
            if not rows.num_rows:
                raise InputError(f"nothing in {self.path} has been rated yet: run assay rate")
        else:
            raise InputError(f"there is no table '{table}' to export: choose games, decisions or ratings")
        return export.export_table(rows, format_, out)

    def export_pgn(
        self,
        out: Path | None,
        *,
        recipe: str | None = None,
        form: str = "lichess",
        shares: Shares | None = None,
    ) -> int:
        """Write the analysed games as PGN (`lichess`, `alliot` or `full` comments); return how many.

        `shares` state for `full` how many players play a marked move (`assay.insights.difficulty.shares_of`).
        """
        recipe_id = self.recipe_id(recipe)
        analyses = of_recipe(self.table_analyses.read(), recipe_id)
        alone = of_recipe(self.table_alone.read(), recipe_id)
        marked = None
        if form == "full":
            marked = export.verdicts(self.decisions(recipe_id, trace=shares is not None), shares)
        texts = export.annotated_pgn(self.games(), analyses, alone, form, self._clocks(), marked)
        return export.export_texts(texts, out)


def _and_needed(columns: Iterable[str] | None) -> list[str] | None:
    """These columns and those that tell which games are in question; None stands for all."""
    return None if columns is None else list(dict.fromkeys((*CHOICE_COLUMNS, *columns)))


def _find_who(games: pa.Table, meant: Who) -> Who:
    then = games
    if meant.years is not None:
        then = games.filter(pc.is_in(games["year"], pa.array(list(meant.years), pa.int16())))
    then = then if then.num_rows else games
    names = {name for side in ("white", "black") for name in pc.unique(then[side]).to_pylist()}
    player = find_player(meant.player, names)
    if meant.event is None:
        return replace(meant, player=player)
    events = pc.unique(pc.drop_null(games_of(games, [Who(player)])["event"])).to_pylist()
    return replace(meant, player=player).resolve([player], events)


def _of_players(decisions: Decisions, wanted: Sequence[str] | None) -> Decisions:
    return decisions if wanted is None else decisions.select(player=wanted)


def _columns(table: TableSchema, trace: bool) -> list[str]:
    """The columns of a table that decisions are made of, with its trace or without."""
    return [name for name in table.arrow.names if name != "line" and (trace or not name.startswith("trace"))]


def _finite(value: float) -> float | None:
    """A number, or nothing where it is not known."""
    return value if math.isfinite(value) else None


def _search(description: Mapping[str, Any]) -> dict[str, Any]:
    """What decides a search: a description without name and meaning."""
    return {name: value for name, value in description.items() if name not in ("name", "meaning")}


def _engine_config(engine: str | EngineConfig | None) -> EngineConfig:
    return engine if isinstance(engine, EngineConfig) else EngineConfig(engine)
