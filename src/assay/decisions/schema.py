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
            pa.schema([_nullable(field) for field in one if field.name not in own.names]) for one in parts
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


def _nullable(field: pa.Field) -> pa.Field:
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


_MOVES = pa.list_(pa.string())
_CP = pa.list_(pa.int32())
_MATE = pa.list_(pa.int16())

GAMES = TableSchema(
    "games",
    "One row per game read, rated or not.",
    (
        Column(
            "game_id",
            pa.string(),
            "Hash of tags and moves (of a copy: of its source and number too), 16 hexadecimal digits.",
        ),
        Column("event", pa.string(), "Tag Event.", nullable=True),
        Column("site", pa.string(), "Tag Site.", nullable=True),
        Column(
            "date", pa.string(), "Tag Date as written: YYYY.MM.DD, with ? for what is unknown.", nullable=True
        ),
        Column("year", pa.int16(), "Year of the date.", nullable=True),
        Column("round", pa.string(), "Tag Round.", nullable=True),
        Column("white_name", pa.string(), "Name of White as written; the table players gives the player."),
        Column("black_name", pa.string(), "Name of Black as written; the table players gives the player."),
        Column("white_elo", pa.int16(), "Reference rating of White from the tags.", nullable=True),
        Column("black_elo", pa.int16(), "Reference rating of Black from the tags.", nullable=True),
        Column("result", pa.float32(), "Result for White: 1, 0.5 or 0.", nullable=True),
        Column("time_class", pa.string(), "bullet, blitz, rapid, classical, correspondence or unknown."),
        Column("n_plies", pa.int16(), "Number of legal moves read."),
        Column("moves", _MOVES, "The legal moves read, UCI."),
        Column("start_fen", pa.string(), "The first position where it is not the usual one.", nullable=True),
        Column(
            "source",
            pa.string(),
            "Name of the file that the game came from, without the suffix of a compression.",
        ),
        Column(
            "exclusion",
            pa.string(),
            "Why the game must not be rated; null if it may. Length and time are judged on reading.",
            nullable=True,
        ),
        Column("moves_key", pa.int64(), "Hash of the moves: equal for two records of the same moves."),
        Column("white_fide", pa.int32(), "FIDE id of White from the tags.", nullable=True),
        Column("black_fide", pa.int32(), "FIDE id of Black from the tags.", nullable=True),
        Column("time_control", pa.string(), "Tag TimeControl as written.", nullable=True),
        Column(
            "evaluator",
            pa.string(),
            "Who evaluated the positions, by the tags Annotator, EngineName and EvalDepth.",
            nullable=True,
        ),
        Column("eco", pa.string(), "Code of the opening, A00 to E99, from the tag ECO.", nullable=True),
        Column("link", pa.string(), "Where the game can be seen: tag Link, or Site.", nullable=True),
    ),
)

PLAYERS = TableSchema(
    "players",
    "One row per name as written: which player it means. Made anew by each import.",
    (
        Column("name", pa.string(), "A name as written in the games."),
        Column("player", pa.string(), "The canonical name of the player."),
        Column("method", pa.string(), "How it was found: alias, spelling, matched, as_written or ambiguous."),
    ),
)

REFERENCE_RATINGS = TableSchema(
    "reference_ratings",
    "Published ratings by year from a Scid spelling file. Made anew by each import.",
    (
        Column("player", pa.string(), "The canonical name of the player."),
        Column("year", pa.int16(), "Calendar year."),
        Column("elo", pa.int16(), "Published rating of that year."),
    ),
)

ANNOTATIONS = TableSchema(
    "annotations",
    "One row per position of a game about which the file's comments say something.",
    (
        Column("game_id", pa.string(), "The game."),
        Column("position", pa.int16(), "Which position: 0 is the first, n the one after n plies."),
        Column(
            "cp", pa.int32(), "Evaluation of the position in centipawns, its mover's view.", nullable=True
        ),
        Column("mate", pa.int16(), "Moves to mate, its mover's view; negative when mated.", nullable=True),
        Column("depth", pa.int16(), "Depth of that evaluation.", nullable=True),
        Column(
            "clock", pa.float32(), "Seconds left to the player who moved to this position.", nullable=True
        ),
        Column("elapsed", pa.float32(), "Seconds that the move to this position took.", nullable=True),
        Column(
            "moves", _MOVES, "Options evaluated in this position, best first, where given.", nullable=True
        ),
        Column("option_cp", _CP, "Their evaluations in centipawns, mover's view.", nullable=True),
        Column("option_mate", _MATE, "Their moves to mate, mover's view.", nullable=True),
        Column("format", pa.string(), "Convention of the comment: lichess, cutechess or alliot."),
    ),
)

COSTS = (
    Column(
        "trace_nodes",
        pa.list_(pa.int64()),
        "Nodes searched when each complete depth was, one number a depth; null in older analyses.",
        nullable=True,
    ),
    Column(
        "trace_seconds",
        pa.list_(pa.float32()),
        "The same: seconds, as the engine says; null where it does not, and in older analyses.",
        nullable=True,
    ),
)

ANALYSES = TableSchema(
    "analyses",
    "One row per position and recipe: what the engine said.",
    (
        Column("position_key", pa.string(), "FEN without the counters."),
        Column("recipe_id", pa.string(), "Hash of the recipe, engine included."),
        Column("n_legal", pa.int16(), "Number of legal moves."),
        Column("depth", pa.int16(), "Depth of the deepest complete iteration."),
        Column("nodes", pa.int64(), "Nodes searched."),
        Column("seconds", pa.float32(), "Time searched."),
        Column(
            "moves",
            _MOVES,
            "Options of the deepest complete iteration, best first; empty when there are none.",
        ),
        Column("cp", _CP, "Their evaluations in centipawns, mover's view; null where mate is given."),
        Column(
            "mate", _MATE, "Their moves to mate, mover's view, negative when mated; null where cp is given."
        ),
        Column(
            "wdl", pa.list_(pa.int16()), "Win, draw, loss of the best move in thousandths.", nullable=True
        ),
        Column("seldepth", pa.int16(), "Selective depth.", nullable=True),
        Column("tbhits", pa.int64(), "Table-base hits.", nullable=True),
        Column("trace_depth", pa.list_(pa.int16()), "The lines of every complete depth, flattened: depth."),
        Column("trace_move", _MOVES, "The same: move."),
        Column(
            "trace_value", pa.list_(pa.int16()), "The same: centipawns; mates as 32000 less the distance."
        ),
        *COSTS,
    ),
)

ALONE = TableSchema(
    "alone",
    "One row per position, recipe and played move outside the lines: the engine on that move alone.",
    (
        Column("position_key", pa.string(), "FEN without the counters."),
        Column("recipe_id", pa.string(), "Hash of the recipe, engine included."),
        Column("move", pa.string(), "The move searched alone, UCI."),
        Column(
            "cp",
            pa.int32(),
            "Its evaluation in centipawns, mover's view; null where mate is given.",
            nullable=True,
        ),
        Column("mate", pa.int16(), "Its moves to mate, mover's view; null where cp is given.", nullable=True),
        Column("depth", pa.int16(), "Depth of the search."),
        Column("nodes", pa.int64(), "Nodes searched."),
        Column("seconds", pa.float32(), "Time searched."),
        Column(
            "trace_depth",
            pa.list_(pa.int16()),
            "Every complete depth of the search; null in older searches.",
            nullable=True,
        ),
        Column(
            "trace_value",
            pa.list_(pa.int16()),
            "The value at each: centipawns; mates as 32000 less the distance.",
            nullable=True,
        ),
    ),
)

CLOCKS = (
    Column(
        "seconds_before",
        pa.float32(),
        "Seconds on the player's clock when it became his turn; null if unknown.",
        nullable=True,
    ),
    Column(
        "seconds_spent",
        pa.float32(),
        "Seconds that the move took: the comment's own, or by the clocks and the increment; null if unknown.",
        nullable=True,
    ),
    Column(
        "seconds_left",
        pa.float32(),
        "Seconds on the player's clock after the move, any increment added; null if unknown.",
        nullable=True,
    ),
)
"""What the clocks of the games' comments say of a decision (assay.decisions.clocks)."""

DECISIONS = TableSchema(
    "decisions",
    "One row per move played, with the value of every option.",
    (
        Column("game_id", pa.string(), "The game."),
        Column(
            "ply", pa.int16(), "0 is White's first move; null where decisions have no turns.", nullable=True
        ),
        Column("player", pa.string(), "Who decided."),
        Column("opponent", pa.string(), "Against whom.", nullable=True),
        Column("colour", pa.string(), "white or black.", nullable=True),
        Column("year", pa.int16(), "Year of the game.", nullable=True),
        Column("event", pa.string(), "Event of the game.", nullable=True),
        Column("time_class", pa.string(), "Time class of the game.", nullable=True),
        Column("player_elo", pa.int16(), "Reference rating of the player.", nullable=True),
        Column("opponent_elo", pa.int16(), "Reference rating of the opponent.", nullable=True),
        Column("result", pa.float32(), "Result of the game for the player: 1, 0.5 or 0.", nullable=True),
        Column(
            "position_key",
            pa.string(),
            "FEN without the counters, or any name of the position.",
            nullable=True,
        ),
        Column("n_legal", pa.int16(), "Number of legal moves.", nullable=True),
        Column("repetition", pa.int16(), "How often the position had occurred before in the game."),
        Column("played", pa.string(), "The move played."),
        Column(
            "played_index", pa.int16(), "Its index in moves; null when it was not evaluated.", nullable=True
        ),
        Column(
            "n_lines",
            pa.int16(),
            "How many of the options come from one search; any other was searched alone.",
        ),
        Column("depth", pa.int16(), "Depth of that search.", nullable=True),
        Column("moves", _MOVES, "Options, best first; then the played move if it was searched alone."),
        Column("cp", _CP, "Their evaluations in centipawns, mover's view; null where mate is given."),
        Column(
            "mate", _MATE, "Their moves to mate, mover's view, negative when mated; null where cp is given."
        ),
        Column(
            "before",
            pa.int32(),
            "Value of the position: centipawns, mates as 32000 less the distance; null if unknown.",
            nullable=True,
        ),
        Column(
            "after", pa.int32(), "Value of the next position, negated to the mover's view.", nullable=True
        ),
        Column("recipe_id", pa.string(), "The recipe of the analysis, or where the values come from."),
        Column(
            "exclusion", pa.string(), "Why the decision must not be rated; null if it may.", nullable=True
        ),
        *CLOCKS,
    ),
)

RATINGS = TableSchema(
    "ratings",
    "One row per player and method: the last ratings made. Made anew by each rating.",
    (
        Column("player", pa.string(), "The player."),
        Column("part", pa.string(), "Year, event or game that was rated apart; empty for all games."),
        Column("method", pa.string(), "The method, or combined."),
        Column("elo", pa.float64(), "Rating on the Elo scale; null without a calibration.", nullable=True),
        Column("low", pa.float64(), "Lower end of the 95% interval of elo, or else of value.", nullable=True),
        Column(
            "high", pa.float64(), "Upper end of the 95% interval of elo, or else of value.", nullable=True
        ),
        Column("games", pa.int32(), "Number of games."),
        Column("decisions", pa.int32(), "Number of decisions."),
        Column("recipe_id", pa.string(), "The recipe of the analyses."),
        Column("measure", pa.string(), "Without a calibration, what the method measures.", nullable=True),
        Column("value", pa.float64(), "Without a calibration, how much of it: no Elo.", nullable=True),
    ),
)

TRACE_COLUMNS = (
    Column("trace_depth", pa.list_(pa.int16()), "The lines of every complete depth, flattened: depth."),
    Column("trace_move", _MOVES, "The same: move."),
    Column("trace_value", pa.list_(pa.int16()), "The same: centipawns; mates as 32000 less the distance."),
    *COSTS,
    Column("search_nodes", pa.int64(), "Nodes of the whole search.", nullable=True),
    Column("search_seconds", pa.float32(), "Seconds of the whole search.", nullable=True),
    Column(
        "alone_depth",
        pa.list_(pa.int16()),
        "Where the played move was searched alone, every complete depth of that; null where none is kept.",
        nullable=True,
    ),
    Column("alone_value", pa.list_(pa.int16()), "The played move's value at each.", nullable=True),
)
"""Columns that decisions have besides, when they are asked for with their trace."""

TABLES = (GAMES, PLAYERS, REFERENCE_RATINGS, ANNOTATIONS, ANALYSES, ALONE, DECISIONS, RATINGS)
