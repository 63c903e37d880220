"""Made-up games that bring their evaluations: one value per position, by players of known rating."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.decisions.measures import movers_view
from assay.store.annotated import decisions_of_values


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
    return decisions_of_values(table, movers_view(np.concatenate(values), offsets), offsets, source)
