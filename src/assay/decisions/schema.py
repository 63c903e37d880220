"""The tables: one sentence per column, validated on write, filled up on reading.

Schemas grow: a new column is nullable, and a part that was written before there was one reads as nulls
(`fill`). A part of a later assay may have columns that this one does not know: they are passed over, and kept
where parts are joined (`joined`). Only a change of meaning raises the version.

`docs/tables.md` is made from this module (`python -m research tables`), so the two agree. Most of
this is the list of columns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from assay.decisions.text import printable
from assay.errors import SchemaError

SCHEMA_VERSION = 1
"""Raised when the meaning of a stored column changes; older programs refuse newer tables."""

_VERSION_KEY = b"assay.schema_version"
_MOST_DIGITS = 9
_MOST_SAID = 300


@dataclass(frozen=True)
class Column:
    """One column: its name, its Arrow type, what it means, and whether it may be null."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True)
class TableSchema:
    """One documented table."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @property
    def arrow(self) -> pa.Schema:
        """The Arrow schema, stamped with the schema version."""
        fields = [
            pa.field(c.name, c.type, nullable=c.nullable, metadata={"meaning": c.meaning})
            for c in self.columns
        ]
        return pa.schema(fields, metadata={_VERSION_KEY: str(SCHEMA_VERSION).encode()})

    def validate(self, table: pa.Table) -> pa.Table:
        """The table with its columns in order and of the documented types; SchemaError where it cannot be."""
        missing = [c.name for c in self.columns if c.name not in table.column_names]
        if missing:
            raise SchemaError(
                f"table '{self.name}' lacks the columns {', '.join(missing)}: see docs/tables.md"
            )
        surplus = sorted(set(table.column_names) - {c.name for c in self.columns})
        if surplus:
            named = printable(", ".join(surplus))[:_MOST_SAID]
            raise SchemaError(f"table '{self.name}' has unknown columns {named}: see docs/tables.md")
        ordered = table.select([c.name for c in self.columns])
        for column in self.columns:
            if not column.nullable and ordered[column.name].null_count:
                raise SchemaError(f"column '{column.name}' of table '{self.name}' must not be null")
        try:
            return ordered.cast(self.arrow)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
            said = printable(str(error))[:_MOST_SAID]
            raise SchemaError(f"table '{self.name}' does not have the documented types: {said}") from error

    def select(self, columns: Sequence[str] | None = None) -> pa.Schema:
        """The Arrow schema of these columns, or of all, without the stamp."""
        whole = self.arrow
        return pa.schema([whole.field(name) for name in (whole.names if columns is None else columns)])

    def check(self, stored: pa.Schema, origin: str) -> None:
        """Refuse a stored part that a newer assay wrote, or that lacks a column which must not be null."""
        check_version(stored, origin)
        missing = [c.name for c in self.columns if not c.nullable and c.name not in stored.names]
        if missing:
            raise SchemaError(
                f"{origin} lacks the columns {', '.join(missing)} of the table '{self.name}', which must not "
                "be null: put back a copy of it, or move it away and make its rows anew"
            )

    def joined(self, stored: Iterable[pa.Schema]) -> pa.Schema:
        """A schema for the rows of several stored parts: today's, then columns that only a later one knows.

        Its stamp is the highest of all. ArrowTypeError where two parts disagree on the type of such a column.
        """
        own, parts = self.arrow, list(stored)
        unknown = [
            pa.schema([_of_later(field) for field in one if field.name not in own.names]) for one in parts
        ]
        version = max(SCHEMA_VERSION, *(version_of(one) for one in parts)) if parts else SCHEMA_VERSION
        stamp = {_VERSION_KEY: str(version).encode()}
        return pa.schema([*own, *pa.unify_schemas([pa.schema([]), *unknown])], metadata=stamp)


def fill(rows: pa.Table, wanted: pa.Schema, origin: str) -> pa.Table:
    """Stored rows with the wanted columns: those that the part does not have yet are null, others go.

    The part has been through `TableSchema.check`, so what it lacks may be null.
    """
    columns = []
    for field in wanted:
        if field.name not in rows.column_names:
            columns.append(pa.nulls(rows.num_rows, field.type))
            continue
        try:
            columns.append(rows[field.name].cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise SchemaError(
                f"column '{field.name}' of {origin} does not have the documented type: {error}"
            ) from error
    return pa.Table.from_arrays(columns, schema=wanted)


def _of_later(field: pa.Field) -> pa.Field:
    """A column of a later assay as it is written again: parts of today do not have it."""
    meaning = (field.metadata or {}).get(b"meaning")
    return pa.field(field.name, field.type, metadata={b"meaning": meaning} if meaning else None)


def version_of(schema: pa.Schema) -> int:
    """The version that a stored table is stamped with; 0 where it has no stamp that is a number."""
    stamp = (schema.metadata or {}).get(_VERSION_KEY, b"")
    return int(stamp) if stamp.isdigit() and len(stamp) <= _MOST_DIGITS else 0


def check_version(schema: pa.Schema, origin: str) -> None:
    """Refuse a table written by a newer assay."""
    stamp = (schema.metadata or {}).get(_VERSION_KEY)
    if stamp is None:
        return
    if not (stamp.isdigit() and len(stamp) <= _MOST_DIGITS):
        raise SchemaError(f"{origin} is damaged, or not made by assay: its version is not a number")
    if int(stamp) > SCHEMA_VERSION:
        raise SchemaError(
            f"{origin} was written by a newer assay (tables of version {int(stamp)}, "
            f"this one knows {SCHEMA_VERSION}): upgrade assay"
        )


def _optional(name: str, type_: pa.DataType, meaning: str) -> Column:
    return Column(name, type_, meaning, nullable=True)


TEXT, TEXTS = pa.string(), pa.list_(pa.string())
INT16, INT16S = pa.int16(), pa.list_(pa.int16())
INT32, INT32S = pa.int32(), pa.list_(pa.int32())
INT64, INT64S = pa.int64(), pa.list_(pa.int64())
FLOAT32, FLOAT32S = pa.float32(), pa.list_(pa.float32())
FLOAT64 = pa.float64()

GAMES = TableSchema(
    "games",
    "One row per game read, rated or not.",
    (
        Column(
            "game_id",
            TEXT,
            "Hash of tags and moves (of a copy: of its source and number too), 16 hexadecimal digits.",
        ),
        _optional("event", TEXT, "Tag Event."),
        _optional("site", TEXT, "Tag Site."),
        _optional("date", TEXT, "Tag Date as written: YYYY.MM.DD, with ? for what is unknown."),
        _optional("year", INT16, "Year of the date."),
        _optional("round", TEXT, "Tag Round."),
        Column("white_name", TEXT, "Name of White as written; the table players gives the player."),
        Column("black_name", TEXT, "Name of Black as written; the table players gives the player."),
        _optional("white_elo", INT16, "Reference rating of White from the tags."),
        _optional("black_elo", INT16, "Reference rating of Black from the tags."),
        _optional("result", FLOAT32, "Result for White: 1, 0.5 or 0."),
        Column("time_class", TEXT, "bullet, blitz, rapid, classical, correspondence or unknown."),
        Column("n_plies", INT16, "Number of legal moves read."),
        Column("moves", TEXTS, "The legal moves read, UCI."),
        _optional("start_fen", TEXT, "The first position where it is not the usual one."),
        Column(
            "source", TEXT, "Name of the file that the game came from, without the suffix of a compression."
        ),
        _optional(
            "exclusion",
            TEXT,
            "Why the game must not be rated; null if it may. Length and time are judged on reading.",
        ),
        Column("moves_key", INT64, "Hash of the moves: equal for two records of the same moves."),
        _optional("white_fide", INT32, "FIDE id of White from the tags."),
        _optional("black_fide", INT32, "FIDE id of Black from the tags."),
        _optional("time_control", TEXT, "Tag TimeControl as written."),
        _optional(
            "evaluator", TEXT, "Who evaluated the positions, by the tags Annotator, EngineName and EvalDepth."
        ),
        _optional("eco", TEXT, "Code of the opening, A00 to E99, from the tag ECO."),
        _optional("link", TEXT, "Where the game can be seen: tag Link, or Site."),
    ),
)

PLAYERS = TableSchema(
    "players",
    "One row per name as written: which player it means. Made anew by each import.",
    (
        Column("name", TEXT, "A name as written in the games."),
        Column("player", TEXT, "The canonical name of the player."),
        Column("method", TEXT, "How it was found: alias, spelling, matched, as_written or ambiguous."),
    ),
)

REFERENCE_RATINGS = TableSchema(
    "reference_ratings",
    "Published ratings by year from a Scid spelling file. Made anew by each import.",
    (
        Column("player", TEXT, "The canonical name of the player."),
        Column("year", INT16, "Calendar year."),
        Column("elo", INT16, "Published rating of that year."),
    ),
)

ANNOTATIONS = TableSchema(
    "annotations",
    "One row per position of a game about which the file's comments say something.",
    (
        Column("game_id", TEXT, "The game."),
        Column("position", INT16, "Which position: 0 is the first, n the one after n plies."),
        _optional("cp", INT32, "Evaluation of the position in centipawns, its mover's view."),
        _optional("mate", INT16, "Moves to mate, its mover's view; negative when mated."),
        _optional("depth", INT16, "Depth of that evaluation."),
        _optional("clock", FLOAT32, "Seconds left to the player who moved to this position."),
        _optional("elapsed", FLOAT32, "Seconds that the move to this position took."),
        _optional("moves", TEXTS, "Options evaluated in this position, best first, where given."),
        _optional("option_cp", INT32S, "Their evaluations in centipawns, mover's view."),
        _optional("option_mate", INT16S, "Their moves to mate, mover's view."),
        Column("format", TEXT, "Convention of the comment: lichess, cutechess or alliot."),
    ),
)

COSTS = (
    _optional(
        "trace_nodes",
        INT64S,
        "Nodes searched when each complete depth was, one number a depth; null in older analyses.",
    ),
    _optional(
        "trace_seconds",
        FLOAT32S,
        "The same: seconds, as the engine says; null where it does not, and in older analyses.",
    ),
)

ANALYSES = TableSchema(
    "analyses",
    "One row per position and recipe: what the engine said.",
    (
        Column("position_key", TEXT, "FEN without the counters."),
        Column("recipe_id", TEXT, "Hash of the recipe, engine included."),
        Column("n_legal", INT16, "Number of legal moves."),
        Column("depth", INT16, "Depth of the deepest complete iteration."),
        Column("nodes", INT64, "Nodes searched."),
        Column("seconds", FLOAT32, "Time searched."),
        Column(
            "moves",
            TEXTS,
            "Options of the deepest complete iteration, best first; empty when there are none.",
        ),
        Column("cp", INT32S, "Their evaluations in centipawns, mover's view; null where mate is given."),
        Column(
            "mate", INT16S, "Their moves to mate, mover's view, negative when mated; null where cp is given."
        ),
        _optional("wdl", INT16S, "Win, draw, loss of the best move in thousandths."),
        _optional("seldepth", INT16, "Selective depth."),
        _optional("tbhits", INT64, "Table-base hits."),
        Column("trace_depth", INT16S, "The lines of every complete depth, flattened: depth."),
        Column("trace_move", TEXTS, "The same: move."),
        Column("trace_value", INT16S, "The same: centipawns; mates as 32000 less the distance."),
        *COSTS,
        _optional(
            "line",
            TEXTS,
            "What the engine expects: up to 8 plies from the best move on; null in older analyses.",
        ),
    ),
)

ALONE = TableSchema(
    "alone",
    "One row per position, recipe and played move outside the lines: the engine on that move alone.",
    (
        Column("position_key", TEXT, "FEN without the counters."),
        Column("recipe_id", TEXT, "Hash of the recipe, engine included."),
        Column("move", TEXT, "The move searched alone, UCI."),
        _optional("cp", INT32, "Its evaluation in centipawns, mover's view; null where mate is given."),
        _optional("mate", INT16, "Its moves to mate, mover's view; null where cp is given."),
        Column("depth", INT16, "Depth of the search."),
        Column("nodes", INT64, "Nodes searched."),
        Column("seconds", FLOAT32, "Time searched."),
        _optional("trace_depth", INT16S, "Every complete depth of the search; null in older searches."),
        _optional("trace_value", INT16S, "The value at each: centipawns; mates as 32000 less the distance."),
    ),
)

CLOCKS = (
    _optional(
        "seconds_before", FLOAT32, "Seconds on the player's clock when it became his turn; null if unknown."
    ),
    _optional(
        "seconds_spent",
        FLOAT32,
        "Seconds that the move took: the comment's own, or by the clocks and the increment; null if unknown.",
    ),
    _optional(
        "seconds_left",
        FLOAT32,
        "Seconds on the player's clock after the move, any increment added; null if unknown.",
    ),
)
"""The clocks in the comments of a game (assay.decisions.clocks)."""

DECISIONS = TableSchema(
    "decisions",
    "One row per move played, with the value of every option.",
    (
        Column("game_id", TEXT, "The game."),
        _optional("ply", INT16, "0 is White's first move; null where decisions have no turns."),
        Column("player", TEXT, "Who decided."),
        _optional("opponent", TEXT, "Against whom."),
        _optional("colour", TEXT, "white or black."),
        _optional("year", INT16, "Year of the game."),
        _optional("event", TEXT, "Event of the game."),
        _optional("time_class", TEXT, "Time class of the game."),
        _optional("player_elo", INT16, "Reference rating of the player."),
        _optional("opponent_elo", INT16, "Reference rating of the opponent."),
        _optional("result", FLOAT32, "Result of the game for the player: 1, 0.5 or 0."),
        _optional("position_key", TEXT, "FEN without the counters, or any name of the position."),
        _optional("n_legal", INT16, "Number of legal moves."),
        Column("repetition", INT16, "How often the position had occurred before in the game."),
        Column("played", TEXT, "The move played."),
        _optional("played_index", INT16, "Its index in moves; null when it was not evaluated."),
        Column(
            "n_lines", INT16, "How many of the options come from one search; any other was searched alone."
        ),
        _optional("depth", INT16, "Depth of that search."),
        Column("moves", TEXTS, "Options, best first; then the played move if it was searched alone."),
        Column("cp", INT32S, "Their evaluations in centipawns, mover's view; null where mate is given."),
        Column(
            "mate", INT16S, "Their moves to mate, mover's view, negative when mated; null where cp is given."
        ),
        _optional(
            "before",
            INT32,
            "Value of the position: centipawns, mates as 32000 less the distance; null if unknown.",
        ),
        _optional("after", INT32, "Value of the next position, negated to the mover's view."),
        Column("recipe_id", TEXT, "The recipe of the analysis, or where the values come from."),
        _optional("exclusion", TEXT, "Why the decision must not be rated; null if it may."),
        *CLOCKS,
    ),
)

RATINGS = TableSchema(
    "ratings",
    "One row per player and method: the last ratings made. Made anew by each rating.",
    (
        Column("player", TEXT, "The player."),
        Column("part", TEXT, "Year, event or game that was rated apart; empty for all games."),
        Column("method", TEXT, "The method, or combined."),
        _optional("elo", FLOAT64, "Rating on the Elo scale; null without a calibration."),
        _optional("low", FLOAT64, "Lower end of the 95% interval of elo, or else of value."),
        _optional("high", FLOAT64, "Upper end of the 95% interval of elo, or else of value."),
        Column("games", INT32, "Number of games."),
        Column("decisions", INT32, "Number of decisions."),
        Column("recipe_id", TEXT, "The recipe of the analyses."),
        _optional("measure", TEXT, "Without a calibration, what the method measures."),
        _optional("value", FLOAT64, "Without a calibration, how much of it: no Elo."),
    ),
)

TRACE_COLUMNS = (
    Column("trace_depth", INT16S, "The lines of every complete depth, flattened: depth."),
    Column("trace_move", TEXTS, "The same: move."),
    Column("trace_value", INT16S, "The same: centipawns; mates as 32000 less the distance."),
    *COSTS,
    _optional("search_nodes", INT64, "Nodes of the whole search."),
    _optional("search_seconds", FLOAT32, "Seconds of the whole search."),
    _optional(
        "alone_depth",
        INT16S,
        "Where the played move was searched alone, every complete depth of that; null where none is kept.",
    ),
    _optional("alone_value", INT16S, "The played move's value at each."),
)
"""Columns that decisions have besides, when they are asked for with their trace."""

TABLES = (GAMES, PLAYERS, REFERENCE_RATINGS, ANNOTATIONS, ANALYSES, ALONE, DECISIONS, RATINGS)
