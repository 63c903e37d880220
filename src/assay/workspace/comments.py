"""Decisions from evaluations in the games' own comments: no engine is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions import evaluation, move_codes
from assay.decisions.arrays import Codes, Floats, Ints, flat, make_lists, single
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, evaluated_by
from assay.decisions.exclusions import Exclusion
from assay.workspace.assemble import (
    Lists,
    before_and_after,
    build,
    clock_columns,
    constant,
    mark_not_analysed,
    move_columns,
    playable,
    positions_of,
    rows_of_positions,
    take_rows,
    with_clocks,
)


def assemble_annotated(games: pa.Table, annotations: pa.Table, recipe_id: str | None = None) -> Decisions:
    """Decisions of the games from evaluations in their comments: no engine is needed.

    A comment that evaluates only the position gives a decision with one option, the played move, at the
    value of the next position: a search of its own, so no line lists it (`n_lines` is 0). Moves without an
    evaluation before or after are marked `not_analysed`. The recipe is the source of the values
    (assay.decisions.evaluation), by default the one that most games have, whose others are then marked.
    """
    games = playable(games)
    if recipe_id is None:
        games, recipe_id = of_one_source(games)
    evaluated = annotations.filter(pc.or_(pc.is_valid(annotations["cp"]), pc.is_valid(annotations["mate"])))
    games = games.filter(pc.is_in(games["game_id"], single(evaluated["game_id"])))
    positions = positions_of(games)
    rows_of = rows_of_positions(games, positions.offsets, evaluated)
    values = evaluation.encode(single(evaluated["cp"]), single(evaluated["mate"])).to_numpy(
        zero_copy_only=False
    )
    value = np.where(rows_of >= 0, values[np.maximum(rows_of, 0)] if len(values) else 0.0, np.nan)
    rows, before, after = before_and_after(value, positions)
    played = move_codes.encode(flat(games["moves"]))
    options = _annotated_lists(evaluated).take(rows_of[rows])
    options, n_lines = _lines_first(options, played)
    single_option = np.flatnonzero((options.lengths == 0) & ~np.isnan(_floats(after)))
    options = options.insert_last(
        single_option, played[single_option], _floats(after)[single_option].astype(np.int32)
    )
    columns = {
        **move_columns(games, positions, rows, played, options),
        "n_legal": _legal_moves(positions.keys, rows, n_lines),
        "n_lines": n_lines,
        "depth": take_rows(evaluated["depth"], rows_of[rows]),
        "before": before,
        "after": after,
        "recipe_id": constant(recipe_id, len(rows)),
        **clock_columns(games, positions.offsets, with_clocks(annotations)),
    }
    unknown = np.isnan(_floats(before)) | (options.lengths == 0)
    columns["exclusion"] = mark_not_analysed(columns["exclusion"], unknown)
    return build(columns, options, _searches(evaluated, rows_of[rows]))


def _searches(annotations: pa.Table, rows: Ints) -> dict[str, pa.Array]:
    """What Alliot's comments say of the searches; nothing where there are none of them."""
    if annotations["dmean"].null_count == len(annotations):
        return {}
    kept = {name: take_rows(annotations[name], rows) for name in ("dmean", "dmax", "ddmax")}
    return {"search_seconds": take_rows(annotations["seconds"], rows), **kept}


def _lines_first(options: Lists, played: Codes) -> tuple[Lists, Ints]:
    """The options with a move searched alone behind the lines, and the number of lines of each row.

    Comments do not tell it from a line. There are as many lines as options where the best one was played;
    where there is one more, and none is worse than the played move, that was searched alone.
    """
    lengths, place = options.lengths, options.find(played)
    of_best = lengths[(place == 0) & (lengths > 1)]
    if not len(of_best):
        return options, lengths
    usual = int(np.bincount(of_best).argmax())
    last = options.offsets[1:] - 1
    at = options.offsets[:-1] + place
    rows = np.flatnonzero((lengths == usual + 1) & (place > 0))
    rows = rows[options.values[at[rows]] == options.values[last[rows]]]
    codes = options.codes.copy()
    codes[at[rows]], codes[last[rows]] = options.codes[last[rows]], options.codes[at[rows]]
    n_lines = lengths.copy()
    n_lines[rows] -= 1
    return replace(options, codes=codes), n_lines


def _legal_moves(keys: pa.Array, rows: Ints, n_lines: Ints) -> pa.Array:
    """The number of legal moves where comments have several lines, which methods on all moves need."""
    import chess

    counts: list[int | None] = [None] * len(rows)
    listed = np.flatnonzero((n_lines > 0) & (n_lines > 1).any())
    for row, key in zip(listed.tolist(), keys.take(pa.array(rows[listed])).to_pylist(), strict=True):
        counts[row] = chess.Board(f"{key} 0 1").legal_moves.count()
    return pa.array(counts, pa.int16())


def decisions_between(
    before: Floats,
    after: Floats,
    ply: Ints,
    game: Ints,
    recipe_id: str,
    columns_of_games: Mapping[str, pa.Array],
) -> Decisions:
    """Decisions of moves by the values before and after, which must be known: in the fewest columns.

    Enough for methods that read one value per ply and count by game (games have numbers, no names): what a
    stream lets go as soon as it is added up.
    """
    n = len(before)
    nothing = pa.nulls(n, pa.float64())
    columns = {
        "game_id": pa.DictionaryArray.from_arrays(
            pa.array(game, pa.int32()), pa.array(np.arange(int(game.max(initial=-1)) + 1)).cast(pa.string())
        ),
        "ply": pa.array(ply, pa.float64()),
        "played_index": pa.array(np.zeros(n, np.int16)),
        "n_legal": nothing,
        "n_lines": pa.array(np.zeros(n)),
        "before": pa.array(before),
        "after": pa.array(after),
        "recipe_id": constant(recipe_id, n),
        "exclusion": pa.DictionaryArray.from_arrays(pa.nulls(n, pa.int32()), pa.array([], pa.string())),
        "values": make_lists(np.arange(n + 1), pa.array(after.astype(np.int32))),
        **columns_of_games,
    }
    return Decisions(pa.table(columns))


def sources_of(games: pa.Table) -> list[str]:
    """The source of the values of each game, by its tags (assay.decisions.evaluation)."""
    names = ("site", "event", "evaluator", "time_class")
    # Tables made before there was such a column lack it.
    columns = [
        games[name].to_pylist() if name in games.column_names else [None] * games.num_rows for name in names
    ]
    by_tags: dict[tuple[str | None, ...], str] = {}
    sources = []
    for tags in zip(*columns, strict=True):
        if tags not in by_tags:
            by_tags[tags] = evaluated_by(*(str(tag or "") for tag in tags))
        sources.append(by_tags[tags])
    return sources


def main_source(games: pa.Table) -> str:
    """The source of values that most of the games have that may be rated."""
    rated = games.filter(pc.is_null(games["exclusion"]))
    return max(Counter(sources_of(rated)).items(), key=lambda pair: pair[1], default=(ANNOTATED, 0))[0]


def of_one_source(games: pa.Table, source: str | None = None) -> tuple[pa.Table, str]:
    """The games with the source named, or that most have; those of another are marked `other_scale`."""
    source = source or main_source(games)
    if source == ANNOTATED:
        return games, source
    other = pa.array([game_source != source for game_source in sources_of(games)], pa.bool_())
    mark = pc.if_else(other, Exclusion.OTHER_SCALE.value, pa.scalar(None, pa.string()))
    place = games.schema.get_field_index("exclusion")
    return games.set_column(place, "exclusion", pc.coalesce(single(games["exclusion"]), mark)), source


def _annotated_lists(annotations: pa.Table) -> Lists:
    """Options that comments name; most name none."""
    values = evaluation.encode(flat(annotations["option_cp"]), flat(annotations["option_mate"]))
    lengths = pc.fill_null(pc.list_value_length(single(annotations["moves"])), 0).to_numpy(
        zero_copy_only=False
    )
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    return Lists(
        offsets, move_codes.encode(flat(annotations["moves"])), values.to_numpy(zero_copy_only=False)
    )


def _floats(column: pa.Array) -> Floats:
    floats: Floats = column.to_numpy(zero_copy_only=False).astype(np.float64)
    return floats
