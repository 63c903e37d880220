"""Decisions from evaluations in the games' own comments."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assay.domain import evaluation
from assay.domain import moves as move_codes
from assay.domain.columns import flat, single
from assay.domain.decisions import Decisions
from assay.store.assemble import (
    before_and_after,
    build,
    constant,
    look_up,
    mark_not_analysed,
    move_columns,
    playable,
    positions_of,
    take_known,
)
from assay.store.options import Floats, Ints, Lists
from assay.store.replay import Replay

ANNOTATED = "annotations"
"""Stands in the column recipe_id for evaluations from the games' own comments."""


def assemble_annotated(games: pa.Table, annotations: pa.Table) -> Decisions:
    """Decisions of the games from evaluations in their comments: no engine is needed.

    A comment that evaluates only the position gives a decision with one option, the played move, at the
    value of the next position. Moves without an evaluation before or after are marked `not_analysed`.
    """
    games = playable(games)
    evaluated = annotations.filter(pc.or_(pc.is_valid(annotations["cp"]), pc.is_valid(annotations["mate"])))
    games = games.filter(pc.is_in(games["game_id"], single(evaluated["game_id"])))
    positions = positions_of(games)
    found = _annotated_rows(games, positions, evaluated)
    own = evaluation.encode(single(evaluated["cp"]), single(evaluated["mate"])).to_numpy(zero_copy_only=False)
    value = np.where(found >= 0, own[np.maximum(found, 0)] if len(own) else 0.0, np.nan)
    rows, before, after = before_and_after(value, positions)
    played = move_codes.encode(flat(games["moves"]))
    options = _annotated_lists(evaluated).take(found[rows])
    single_option = np.flatnonzero((options.lengths == 0) & ~np.isnan(_floats(after)))
    options = options.insert_last(
        single_option, played[single_option], _floats(after)[single_option].astype(np.int32)
    )
    columns = {
        **move_columns(games, positions, rows, played, options),
        "n_legal": pa.nulls(len(rows)),
        "n_lines": options.lengths,
        "depth": take_known(evaluated["depth"], found[rows]),
        "before": before,
        "after": after,
        "recipe_id": constant(ANNOTATED, len(rows)),
    }
    unknown = np.isnan(_floats(before)) | (options.lengths == 0)
    columns["exclusion"] = mark_not_analysed(columns["exclusion"], unknown)
    return build(columns, options)


def _annotated_rows(games: pa.Table, positions: Replay, annotations: pa.Table) -> Ints:
    """Row of the annotation of each position; -1 where there is none."""
    game = look_up(single(annotations["game_id"]), games["game_id"])
    number = single(annotations["position"]).to_numpy().astype(np.int64)
    known = np.flatnonzero((game >= 0) & (number < np.diff(positions.offsets)[game] if len(games) else False))
    found = np.full(len(positions.keys), -1, dtype=np.int64)
    found[positions.offsets[game[known]] + number[known]] = known
    return found


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
