"""The tables: one sentence per column, validated on write, filled up on reading.

Schemas grow: a new column is nullable, and a part that was written before there was one reads as nulls
(`fill`). A part of a later assay may have columns that this one does not know: they are passed over, and kept
where parts are joined (`joined`). Only a change of meaning raises the version.

`docs/reference/tables.md` is made from this module (`python -m research pages`), so the two agree. Most of
this is the list of columns.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from assay.errors import SchemaError, printable

SCHEMA_VERSION = 1
"""Raised when the meaning of a stored column changes; older programs refuse newer tables."""

_VERSION_KEY = b"assay.schema_version"
_MOST_DIGITS = 9
_MOST_SHOWN = 300


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
        fields = [pa.field(c.name, c.type, c.nullable, metadata={"meaning": c.meaning}) for c in self.columns]
        return pa.schema(fields, metadata={_VERSION_KEY: str(SCHEMA_VERSION).encode()})

    def validate(self, table: pa.Table) -> pa.Table:
        """The table with its columns in order and of the documented types; SchemaError where it cannot be."""
        names = [column.name for column in self.columns]
        if missing := [name for name in names if name not in table.column_names]:
            lacking = ", ".join(missing)
            raise SchemaError(f"table '{self.name}' lacks the columns {lacking}")
        if surplus := sorted(set(table.column_names) - set(names)):
            shown = printable(", ".join(surplus))[:_MOST_SHOWN]
            raise SchemaError(f"table '{self.name}' has unknown columns {shown}")
        ordered = table.select(names)
        for column in self.columns:
            if not column.nullable and ordered[column.name].null_count:
                raise SchemaError(f"column '{column.name}' of table '{self.name}' must not be null")
        try:
            return ordered.cast(self.arrow)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
            why = printable(str(error))[:_MOST_SHOWN]
            raise SchemaError(f"table '{self.name}' does not have the documented types: {why}") from error

    def select(self, columns: Sequence[str] | None = None) -> pa.Schema:
        """The Arrow schema of these columns, or of all, without the stamp."""
        whole = self.arrow
        return pa.schema([whole.field(name) for name in (whole.names if columns is None else columns)])

    def check(self, stored: pa.Schema, origin: str) -> None:
        """Refuse a stored part that a newer assay wrote, or that lacks a column which must not be null."""
        check_version(stored, origin)
        if missing := [c.name for c in self.columns if not c.nullable and c.name not in stored.names]:
            raise SchemaError(
                f"{origin} lacks the columns {', '.join(missing)} of the table '{self.name}', which must not "
                "be null: put back a copy of it, or move it away and make its rows anew"
            )

    def joined(self, stored: Iterable[pa.Schema]) -> pa.Schema:
        """A schema for the rows of several checked parts: today's, then columns that only a later one has.

        ArrowTypeError where two parts disagree on the type of such a column.
        """
        today = self.arrow
        later = [
            # Parts of today do not have these columns, so they may be null.
            pa.schema([field.with_nullable(True) for field in part if field.name not in today.names])
            for part in stored
        ]
        return pa.schema([*today, *pa.unify_schemas([pa.schema([]), *later])], metadata=today.metadata)


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
            f"this one reads {SCHEMA_VERSION}): upgrade assay"
        )


_LINE = re.compile(r"^ *(\w+) +(\w+\??) +(\S.*(?:\n {12,}\S.*)*)$", re.M)


def _columns(text: str) -> tuple[Column, ...]:
    """Columns from lines of name, type (`texts`: a list of text; `text?`: may be null) and meaning."""
    columns = []
    for name, kind, meaning in _LINE.findall(text):
        scalar = pa.string() if kind.startswith("text") else pa.type_for_alias(kind.rstrip("s?"))
        type_ = pa.list_(scalar) if kind.rstrip("?").endswith("s") else scalar
        columns.append(Column(name, type_, " ".join(meaning.split()), nullable=kind.endswith("?")))
    return tuple(columns)


GAMES = TableSchema(
    "games",
    "One row per game read, rated or not.",
    _columns("""
    game_id      text     Hash of tags and moves (of a copy: of its source and number too), 16 hexadecimal
                          digits.
    event        text?    Tag Event.
    site         text?    Tag Site.
    date         text?    Tag Date as written: YYYY.MM.DD, with ? for what is unknown.
    year         int16?   Year of the date.
    round        text?    Tag Round.
    white_name   text     Name of White as written; the table players gives the player.
    black_name   text     Name of Black as written; the table players gives the player.
    white_elo    int16?   Reference rating of White from the tags.
    black_elo    int16?   Reference rating of Black from the tags.
    result       float32? Result for White: 1, 0.5 or 0.
    time_class   text     bullet, blitz, rapid, classical, correspondence or unknown.
    n_plies      int16    Number of legal moves read.
    moves        texts    The legal moves read, UCI.
    start_fen    text?    The first position where it is not the usual one.
    source       text     Name of the file that the game came from, without the suffix of a compression.
    exclusion    text?    Why the game must not be rated; null if it may. Length and time are judged on
                          reading.
    moves_key    int64    Hash of the moves: equal for two records of the same moves.
    white_fide   int32?   FIDE id of White from the tags.
    black_fide   int32?   FIDE id of Black from the tags.
    time_control text?    Tag TimeControl as written.
    evaluator    text?    Who evaluated the positions, by the tags Annotator, EngineName and EvalDepth.
    eco          text?    Code of the opening, A00 to E99, from the tag ECO.
    link         text?    Where the game can be seen: tag Link, or Site.
    """),
)

PLAYERS = TableSchema(
    "players",
    "One row per name as written: which player it means. Made anew by each import.",
    _columns("""
    name   text A name as written in the games.
    player text The canonical name of the player.
    method text How it was found: alias, spelling, matched, as_written or ambiguous.
    """),
)

REFERENCE_RATINGS = TableSchema(
    "reference_ratings",
    "Published ratings by year from a Scid spelling file. Made anew by each import.",
    _columns("""
    player text  The canonical name of the player.
    year   int16 Calendar year.
    elo    int16 Published rating of that year.
    """),
)

ANNOTATIONS = TableSchema(
    "annotations",
    "One row per position of a game that has a comment in the file.",
    _columns("""
    game_id     text     The game.
    position    int16    Which position: 0 is the first, n the one after n plies.
    cp          int32?   Evaluation of the position in centipawns, its mover's view.
    mate        int16?   Moves to mate, its mover's view; negative when mated.
    depth       int16?   Depth of that evaluation.
    clock       float32? Seconds left to the player who moved to this position.
    elapsed     float32? Seconds that the move to this position took.
    moves       texts?   Options evaluated in this position, best first, where given.
    option_cp   int32s?  Their evaluations in centipawns, mover's view.
    option_mate int16s?  Their moves to mate, mover's view.
    seconds     float32? Seconds that the engine searched, in Alliot's database, as the next three.
    dmean       int32?   Mean change of the best option's value from one depth to the next, centipawns.
    dmax        int32?   Largest such change.
    ddmax       int16?   Depth of that change.
    format      text     Convention of the comment: lichess, cutechess or alliot.
    """),
)

ANALYSES = TableSchema(
    "analyses",
    "One row per position and recipe: what the engine said.",
    _columns("""
    position_key  text      FEN without the counters.
    recipe_id     text      Hash of the recipe, engine included.
    n_legal       int16     Number of legal moves.
    depth         int16     Depth of the deepest complete iteration.
    nodes         int64     Nodes searched.
    seconds       float32   Time searched.
    moves         texts     Options of the deepest complete iteration, best first; empty when there are none.
    cp            int32s    Their evaluations in centipawns, mover's view; null where mate is given.
    mate          int16s    Their moves to mate, mover's view, negative when mated; null where cp is given.
    wdl           int16s?   Win, draw, loss of the best move in thousandths.
    seldepth      int16?    Selective depth.
    tbhits        int64?    Table-base hits.
    trace_depth   int16s    The lines of every complete depth, flattened: depth.
    trace_move    texts     The same: move.
    trace_value   int16s    The same: centipawns; mates as 32000 less the distance.
    trace_nodes   int64s?   Nodes searched when each complete depth was, one number a depth; null in older
                            analyses.
    trace_seconds float32s? The same: seconds, as the engine says; null where it does not, and in older
                            analyses.
    line          texts?    What the engine expects: up to 8 plies from the best move on; null in older
                            analyses.
    """),
)

ALONE = TableSchema(
    "alone",
    "One row per position, recipe and played move outside the lines: the engine on that move alone.",
    _columns("""
    position_key text    FEN without the counters.
    recipe_id    text    Hash of the recipe, engine included.
    move         text    The move searched alone, UCI.
    cp           int32?  Its evaluation in centipawns, mover's view; null where mate is given.
    mate         int16?  Its moves to mate, mover's view; null where cp is given.
    depth        int16   Depth of the search.
    nodes        int64   Nodes searched.
    seconds      float32 Time searched.
    trace_depth  int16s? Every complete depth of the search; null in older searches.
    trace_value  int16s? The value at each: centipawns; mates as 32000 less the distance.
    """),
)

DECISIONS = TableSchema(
    "decisions",
    "One row per move played, with the value of every option.",
    _columns("""
    game_id        text     The game.
    ply            int16?   0 is White's first move; null where decisions have no turns.
    player         text     Who decided.
    opponent       text?    Against whom.
    colour         text?    white or black.
    year           int16?   Year of the game.
    event          text?    Event of the game.
    time_class     text?    Time class of the game.
    player_elo     int16?   Reference rating of the player.
    opponent_elo   int16?   Reference rating of the opponent.
    result         float32? Result of the game for the player: 1, 0.5 or 0.
    position_key   text?    FEN without the counters, or any name of the position.
    n_legal        int16?   Number of legal moves.
    repetition     int16    How often the position had occurred before in the game.
    played         text     The move played.
    played_index   int16?   Its index in moves; null when it was not evaluated.
    n_lines        int16    How many of the options come from one search; any other was searched alone.
    depth          int16?   Depth of that search.
    moves          texts    Options, best first; then the played move if it was searched alone.
    cp             int32s   Their evaluations in centipawns, mover's view; null where mate is given.
    mate           int16s   Their moves to mate, mover's view, negative when mated; null where cp is given.
    before         int32?   Value of the position: centipawns, mates as 32000 less the distance; null if
                            unknown.
    after          int32?   Value of the next position, negated to the mover's view.
    recipe_id      text     The recipe of the analysis, or where the values come from.
    exclusion      text?    Why the decision must not be rated; null if it may.
    seconds_before float32? Seconds on the player's clock when it became his turn; null if unknown.
    seconds_spent  float32? Seconds that the move took: the comment's own, or by the clocks and the increment;
                            null if unknown.
    seconds_left   float32? Seconds on the player's clock after the move, any increment added; null if
                            unknown.
    """),
)

RATINGS = TableSchema(
    "ratings",
    "One row per player and method: the last ratings made. Made anew by each rating.",
    _columns("""
    player    text     The player.
    part      text     Year, event or game that was rated apart; empty for all games.
    method    text     The method, or combined.
    elo       float64? Rating on the Elo scale; null without a calibration.
    low       float64? Lower end of the 95% interval of elo, or else of value.
    high      float64? Upper end of the 95% interval of elo, or else of value.
    games     int32    Number of games.
    decisions int32    Number of decisions.
    recipe_id text     The recipe of the analyses.
    measure   text?    Without a calibration, what the method measures.
    value     float64? Without a calibration, how much of it: no Elo.
    """),
)

TRACE_COLUMNS = _columns("""
    trace_depth    int16s    The lines of every complete depth, flattened: depth.
    trace_move     texts     The same: move.
    trace_value    int16s    The same: centipawns; mates as 32000 less the distance.
    trace_nodes    int64s?   Nodes searched when each complete depth was, one number a depth; null in older
                             analyses.
    trace_seconds  float32s? The same: seconds, as the engine says; null where it does not, and in older
                             analyses.
    search_nodes   int64?    Nodes of the whole search.
    search_seconds float32?  Seconds of the whole search.
    dmean          int32?    Mean change of the value from one depth to the next, centipawns, where Alliot's
                             comments say it in place of the lines of every depth.
    dmax           int32?    The same: the largest change.
    ddmax          int16?    The same: the depth of the largest change.
""")
"""Columns that decisions have besides, when they are read with their trace."""

TABLES = (GAMES, PLAYERS, REFERENCE_RATINGS, ANNOTATIONS, ANALYSES, ALONE, DECISIONS, RATINGS)
