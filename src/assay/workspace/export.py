"""What is in a workspace, written for other programs."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.answers.answer import csv_cell
from assay.decisions import evaluation
from assay.decisions.arrays import Floats, flat, single
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import OURSELVES
from assay.decisions.measures import expectation, loss, lost_score
from assay.decisions.schema import DECISIONS
from assay.engine.replay import Replay
from assay.engine.trace import changes
from assay.errors import InputError, printable
from assay.files import written_whole
from assay.workspace.assemble import playable, positions_of, rows_of_positions

_LIMIT = 1000
"""Losses are between values of at most ten pawns, mates included."""

More = Callable[[Decisions], Mapping[str, Floats]]
"""What makes columns beside decisions that are read with their trace."""


def with_columns(decisions: Decisions, dates: Mapping[str, str], more: More | None) -> pa.Table:
    """Decisions with the date of their game, their loss and what else is made; without their trace."""
    table = decisions.table().select(DECISIONS.arrow.names)
    table = table.append_column(
        "date", pa.array([dates.get(game) for game in table["game_id"].to_pylist()], pa.string())
    )
    columns = {"loss": loss(decisions, _LIMIT), **({} if more is None else more(decisions))}
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values, pa.float64(), from_pandas=True))
    return table


FORMATS = ("parquet", "csv", "jsonl")


def export_table(table: pa.Table, format_: str, out: Path | None) -> int:
    """Write a table to a file, whole or not at all, or to standard output; return the number of rows."""
    if format_ not in FORMATS:
        raise InputError(f"unknown format '{format_}': choose one of {', '.join(FORMATS)}")
    if format_ == "parquet":
        if out is None:
            raise InputError("Parquet is not for reading on a screen: name a file with --out")
        with written_whole(out) as file:
            pq.write_table(table, file, compression="zstd")
        return int(table.num_rows)
    with _text_to(out) as text:
        _write_text(table, format_, text)
    return int(table.num_rows)


def export_texts(texts: Iterable[str], out: Path | None) -> int:
    """Write texts to a file, whole or not at all, or to standard output; return how many."""
    count = 0
    with _text_to(out) as file:
        for text in texts:
            file.write(text)
            count += 1
    return count


@contextmanager
def _text_to(out: Path | None) -> Iterator[IO[str]]:
    """A file to write text to, whole or not at all; standard output where none is named."""
    if out is None:
        if sys.stdout is None:
            raise InputError("standard output is closed: name a file to write to with --out")
        yield sys.stdout
        return
    with written_whole(out) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.detach()  # flushes, and leaves the file open to be synced and renamed


def _write_text(table: pa.Table, format_: str, file: IO[str]) -> None:
    if format_ == "jsonl":
        for row in _rows(table):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in _rows(table):
        writer.writerow([csv_cell(value) for value in row.values()])


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


# Games with what the engine said of them, as PGN that others can read.

FORMS = ("lichess", "alliot", "full")
MARKS = ((0.15, 4, "Blunder"), (0.10, 2, "Mistake"), (0.05, 6, "Inaccuracy"))
"""The least loss of expected score of each mark, its glyph in PGN (`??`, `?`, `?!`) and its name."""
_MOST_PLIES_SHOWN = 8
_BATCH_GAMES = 200
_LINE_LENGTH = 100
_RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1", None: "*"}


class _Known(NamedTuple):
    """What is known of one position."""

    row: dict[str, Any]
    values: list[int]

    @property
    def value(self) -> int | None:
        return self.values[0] if self.values else None


class Shares(NamedTuple):
    """How many players of an Elo play what was played, for each decision; NaN where that is not known."""

    elo: int
    of: Callable[[Decisions], Floats]


class Verdict(NamedTuple):
    """What is written of a played move: the expected score before and behind it, and who else plays it."""

    before: float
    after: float
    of_100: str


def verdicts(decisions: Decisions, shares: Shares | None) -> dict[tuple[str, int], Verdict]:
    """Of the moves that lost enough of the expected score to be marked, by game and ply."""
    before = expectation(decisions.best_value)
    after = before - lost_score(decisions)
    rows = np.flatnonzero(~np.isnan(loss(decisions)) & (before - after >= MARKS[-1][0]))
    marked = decisions.take(rows)
    share = shares.of(marked) if shares is not None and len(marked) else np.full(len(marked), np.nan)
    places = zip(marked.text("game_id"), marked.numbers("ply"), strict=True)
    of_100 = [
        f" {100 * part:.0f} of 100 players of {shares.elo} play this."
        if shares is not None and not np.isnan(part)
        else ""
        for part in share
    ]
    return {
        (str(game), int(ply)): Verdict(float(before[row]), float(after[row]), text)
        for (game, ply), row, text in zip(places, rows, of_100, strict=True)
    }


def annotated_pgn(
    games: pa.Table,
    analyses: pa.Table,
    alone: pa.Table,
    form: str,
    clocks: pa.Table | None = None,
    marked: Mapping[tuple[str, int], Verdict] | None = None,
) -> Iterator[str]:
    """The text of each game with the analyses of one recipe as comments, `lichess`, `alliot` or `full`.

    `games` has the columns of Workspace.games; those of which nothing is analysed are passed over. `clocks`
    are the annotations that tell of them (assay.workspace.assemble), `marked` the moves that `full` marks.
    """
    if form not in FORMS:
        raise InputError(f"there is no form of comments '{form}': choose {', '.join(FORMS)}")
    searched = _searched_alone(alone)
    games = playable(games)
    for start in range(0, games.num_rows, _BATCH_GAMES):
        batch = games.slice(start, _BATCH_GAMES)
        positions = positions_of(batch)
        analysed = _known(analyses, positions.keys)
        times = _times(batch, positions, clocks)
        for index, game in enumerate(batch.to_pylist()):
            first, end = positions.offsets[index], positions.offsets[index + 1]
            keys = positions.keys.slice(first, end - first).to_pylist()
            if any(key in analysed for key in keys):
                if form == "alliot":
                    notes = _alliot(game, keys, analysed, searched, times[first:end])
                else:
                    notes = _lichess(game, keys, analysed, times[first:end], marked or {})
                yield _text(game, notes)


def _searched_alone(alone: pa.Table) -> dict[tuple[str, str], int]:
    values = evaluation.encode(single(alone["cp"]), single(alone["mate"])).to_pylist()
    places = zip(alone["position_key"].to_pylist(), alone["move"].to_pylist(), strict=True)
    return dict(zip(places, values, strict=True))


def _known(analyses: pa.Table, keys: pa.Array) -> dict[str, _Known]:
    rows = analyses.filter(pc.is_in(analyses["position_key"], keys))
    values = evaluation.encode(flat(rows["cp"]), flat(rows["mate"])).to_pylist()
    analysed = {}
    end = 0
    for row in rows.to_pylist():
        start, end = end, end + len(row["moves"])
        analysed[row["position_key"]] = _Known(row, values[start:end])
    return analysed


def _times(games: pa.Table, positions: Replay, clocks: pa.Table | None) -> list[list[str]]:
    """The commands `[%clk]` and `[%emt]` that stand behind the move to each position."""
    commands: list[list[str]] = [[] for _ in range(len(positions.keys))]
    if clocks is None or not clocks.num_rows:
        return commands
    rows_of = rows_of_positions(games, positions.offsets, clocks)
    places = (rows_of >= 0).nonzero()[0].tolist()
    for place, row in zip(places, clocks.take(pa.array(rows_of[rows_of >= 0])).to_pylist(), strict=True):
        both = (("clk", row["clock"]), ("emt", row["elapsed"]))
        commands[place] = [
            f"[%{name} {written_duration(seconds)}]" for name, seconds in both if seconds is not None
        ]
    return commands


def written_duration(seconds: float) -> str:
    """Seconds as `h:mm:ss`, with a fraction where there is one."""
    hundredths = round(100 * seconds)
    minutes, rest = divmod(hundredths, 6000)
    fraction = f".{rest % 100:02d}".rstrip("0") if rest % 100 else ""
    return f"{minutes // 60}:{minutes % 60:02d}:{rest // 100:02d}{fraction}"


class _Note(NamedTuple):
    """What stands behind a move: a comment, a glyph, and variations to it with a comment each."""

    comment: str
    glyph: int | None = None
    variations: Sequence[tuple[Sequence[str], str]] = ()


def _lichess(
    game: dict[str, Any],
    keys: list[str],
    analysed: dict[str, _Known],
    times: list[list[str]],
    marked: Mapping[tuple[str, int], Verdict],
) -> Iterator[_Note]:
    """The value of each position, the first one before all moves.

    Behind a marked move stand its glyph, what it lost, and the engine's line as a variation.
    """
    import chess

    yield _Note(_evaluation(keys[0], analysed))
    for ply in range(len(game["moves"])):
        words = [_evaluation(keys[ply + 1], analysed), *times[ply + 1]]
        verdict = marked.get((game["game_id"], ply))
        if verdict is None or keys[ply] not in analysed:
            yield _Note(" ".join(words))
            continue
        glyph, name = next(mark[1:] for mark in MARKS if verdict.before - verdict.after >= mark[0])
        line = _line(keys[ply], analysed[keys[ply]].row)
        better = chess.Board(f"{keys[ply]} 0 1").san(chess.Move.from_uci(line[0])) if line else ""
        words.append(
            f"{name}: expected score {verdict.before:.0%} to {verdict.after:.0%}. Better was {better}."
            f"{verdict.of_100}"
        )
        yield _Note(" ".join(words), glyph, [(line, "")] if line else ())


def _line(key: str, row: dict[str, Any]) -> list[str]:
    """The engine's line from a position on, its best move at least, as far as it is legal."""
    import chess

    board = chess.Board(f"{key} 0 1")
    line: list[str] = []
    for move in (row["line"] or row["moves"][:1])[:_MOST_PLIES_SHOWN]:
        parsed = chess.Move.from_uci(move)
        if not board.is_legal(parsed):  # a workspace may come from anyone
            break
        line.append(move)
        board.push(parsed)
    return line


def _evaluation(key: str, analysed: dict[str, _Known]) -> str:
    """`[%eval]` of a position; empty where it is not known."""
    value = analysed[key].value if key in analysed else None
    if value is None:
        return ""
    white = value if key.split(" ")[1] == "w" else -value
    if abs(value) >= evaluation.MATE_BOUND:
        distance = evaluation.MATE - abs(value)
        text = f"#{distance if white > 0 else -distance}"
    else:
        text = f"{white / 100:.2f}"
    return f"[%eval {text},{analysed[key].row['depth']}]"


def _alliot(
    game: dict[str, Any],
    keys: list[str],
    analysed: dict[str, _Known],
    searched: dict[tuple[str, str], int],
    times: list[list[str]],
) -> Iterator[_Note]:
    """The value of each move behind it, the other options as variations."""
    yield _Note("")
    for ply, move in enumerate(game["moves"]):
        words, variations = times[ply + 1], []
        if (analysis := analysed.get(keys[ply])) is not None and analysis.values:
            options = dict(zip(analysis.row["moves"], analysis.values, strict=True))
            if move not in options and (keys[ply], move) in searched:
                # No better than the last line, as in the assembled decisions.
                options[move] = min(searched[keys[ply], move], analysis.values[-1])
            if move in options:
                words = [_comment(analysis.row, move, options.pop(move)), *words]
                variations = [([other], _comment(analysis.row, other, n)) for other, n in options.items()]
        if ply + 1 == len(game["moves"]):
            # Alliot's database has nothing on the final position, which the last move's gain needs.
            words = [*words, _evaluation(keys[-1], analysed)]
        yield _Note(" ".join(words), None, variations)


def _comment(row: dict[str, Any], move: str, value: int) -> str:
    """`{value,depth,seldepth,tbhits,time,dmean,(dmax,ddmax)}`; a mate in n moves as #n."""
    mates = abs(value) >= evaluation.MATE_BOUND
    distance = evaluation.MATE - abs(value)
    shown = f"#{distance if value > 0 else -distance}" if mates else str(value)
    changed = changes(row["trace_depth"], row["trace_move"], row["trace_value"], move)
    mean, largest, at = (round(changed.mean), changed.largest, changed.at_depth) if changed else (0, 0, 0)
    return (
        f"{shown},{row['depth']},{row['seldepth'] or 0},{row['tbhits'] or 0},"
        f"{round(1000 * row['seconds'])},{mean},({largest},{at})"
    )


def _text(row: dict[str, Any], notes: Iterator[_Note]) -> str:
    """A game as PGN, the first note before its moves."""
    import chess.pgn

    game = chess.pgn.Game()
    if row["start_fen"]:
        game.setup(row["start_fen"])
    tags = {name.title(): row[name] for name in ("event", "site", "date", "round", "white", "black")}
    tags |= {"Result": _RESULTS[row["result"]], "Annotator": OURSELVES}
    optional = {"WhiteElo": "white_elo", "BlackElo": "black_elo", "TimeControl": "time_control"}
    tags |= {tag: str(row[name]) for tag, name in optional.items() if row.get(name)}
    for tag, value in tags.items():
        text = "?" if value is None else printable(value)  # a workspace may come from anyone
        game.headers[tag] = text.replace("\\", "\\\\").replace('"', '\\"')
    game.comment = next(notes).comment
    node: chess.pgn.GameNode = game
    for move, note in zip(row["moves"], notes, strict=True):
        parent = node
        glyphs = [] if note.glyph is None else [note.glyph]
        node = parent.add_variation(chess.Move.from_uci(move), comment=note.comment.strip(), nags=glyphs)
        for line, comment in note.variations:
            parent.add_line(map(chess.Move.from_uci, line), comment=comment)
    return f"{game.accept(chess.pgn.StringExporter(columns=_LINE_LENGTH))}\n\n"
