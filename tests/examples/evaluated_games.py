"""Made-up games that bring their evaluations: one value per position, by players of known rating."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, FIDE_CLASSICAL
from assay.decisions.measures import between
from assay.workspace.assemble import (
    Lists,
    build,
    clock_columns,
    coded_moves,
    constant,
    game_columns,
    mark_not_analysed,
)


def evaluated_games(
    elos: Sequence[int] | np.ndarray,
    *,
    games: int = 4,
    plies: int = 90,
    seed: int = 0,
    source: str = FIDE_CLASSICAL,
) -> Decisions:
    """Games between two players of each Elo: the weaker, the more of their moves lose something."""
    rng = np.random.default_rng(seed)
    rows, values = [], []
    for elo in elos:
        for number in range(games):
            lost = rng.exponential(10 + (2900 - elo) / 30, plies) * (rng.random(plies) < 0.5)
            white = np.concatenate(([20.0], 20 - np.cumsum(np.where(np.arange(plies) % 2 == 0, lost, -lost))))
            values.append(np.round(white + rng.normal(0, 4, plies + 1)))
            rows.append(
                {
                    "game_id": f"{elo}-{number}",
                    "white": f"W{elo}-{number % 3}",
                    "black": f"B{elo}-{number % 3}",
                    "date": "2015.05.21",
                    "year": 2015,
                    "event": f"E{number}",
                    "time_class": "classical",
                    "white_elo": int(elo),
                    "black_elo": int(elo),
                    "result": 0.5,
                    "start_fen": None,
                    "exclusion": None,
                }
            )
    schema = {"start_fen": pa.string(), "exclusion": pa.string()}
    table = pa.Table.from_pylist(rows)
    for name, kind in schema.items():
        table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(kind))
    offsets = np.arange(len(rows) + 1) * (plies + 1)
    return decisions_of_values(table, _movers_view(np.concatenate(values), offsets), offsets, source)


def decisions_of_values(
    games: pa.Table, value: Floats, offsets: Ints, recipe_id: str = ANNOTATED
) -> Decisions:
    """Decisions of games from one value per position, without replaying them: for games by the million.

    `value` is from each position's mover's view, NaN where not known, its games divided by `offsets`; `games`
    has the columns of Workspace.games but for the moves. Positions have no names, and moves neither.
    """
    rows, before, after = between(value, offsets)
    known = ~np.isnan(after)
    option_offsets = np.concatenate(([0], np.cumsum(known)))
    unnamed = np.zeros(len(rows), dtype=np.int16)
    options = Lists(option_offsets, unnamed[known], after[known].astype(np.int32))
    columns = {
        **game_columns(games, np.diff(offsets) - 1),
        "position_key": pa.nulls(len(rows), pa.string()),
        "repetition": unnamed,
        "played": coded_moves(unnamed),
        "played_index": pa.array(unnamed, mask=~known),
        "n_legal": pa.nulls(len(rows)),
        "n_lines": unnamed,
        "depth": pa.nulls(len(rows)),
        "before": pa.array(before, from_pandas=True),
        "after": pa.array(after, from_pandas=True),
        "recipe_id": constant(recipe_id, len(rows)),
        **clock_columns(games, offsets, None),
    }
    columns["exclusion"] = mark_not_analysed(columns["exclusion"], np.isnan(before) | ~known)
    return build(columns, options)


def _movers_view(white: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Values from White's view, flat over the positions of games, from the view of each position's mover."""
    ply = np.arange(len(white)) - np.repeat(offsets[:-1], np.diff(offsets))
    return np.where(ply % 2 == 0, white, -white)
