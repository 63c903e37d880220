"""The last ratings made, kept in the workspace."""

import math
from typing import Any

import pyarrow as pa

from assay.answers.ratings import Ratings, with_combined
from assay.decisions.schema import RATINGS
from assay.workspace.folder import Folder


def keep_ratings(folder: Folder, ratings: Ratings) -> None:
    """Keep the last ratings made, in place of earlier ones."""
    rows: list[dict[str, Any]] = []
    for one in ratings.players:
        about = {"player": one.player, "part": one.group, "games": one.games, "decisions": one.decisions}
        about["recipe_id"] = ratings.recipe_id
        rows += [
            {**about, "method": method, "elo": rating.elo, "low": rating.low, "high": rating.high}
            for method, rating in with_combined(one).items()
        ]
        rows += [
            {**about, "method": method, "measure": found.name, "value": found.value}
            | {"low": _known(found.low), "high": _known(found.high)}
            for method, found in one.measures.items()
        ]
    with folder.writing():
        folder.ratings.replace(pa.Table.from_pylist(rows, RATINGS.arrow))


def _known(value: float) -> float | None:
    """A number, or nothing where it is not known."""
    return value if math.isfinite(value) else None
