"""The same games by several sources of values."""

import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.exclusions import Exclusion
from assay.models.appearances import Appearances
from assay.rating.bridge import Bridge
from examples.bridge_games import few_methods, revalued
from examples.milepost_games import milepost_games
from research.evidence.engines import analysed, compared, tables


def test_a_source_that_errs_more_agrees_less(appearances: Appearances) -> None:
    native = few_methods(appearances)
    games = milepost_games((1700, 2000, 2300, 2600), games=16, games_each=2, plies=50, seed=81)
    own = Appearances.of(games)
    near, far = (
        compared(Bridge.of(native, own, Appearances.of(revalued(games, error=error)))) for error in (5, 120)
    )
    assert (near.raw > far.raw).all()
    assert near.raw.min() > 0.8
    written = list(tables({"near": near, "far": far}))
    assert written[0].endswith("| bayes | conformance | gain |")
    rows = [row for row in written if row.startswith("| 5 |")]
    assert [row.split(" | ")[1] for row in rows] == ["like", "near", "far", "jury"]
    assert float(rows[1].split(" | ")[3]) == pytest.approx(1.0, abs=0.2)
    by_rating = [row for row in written if row.startswith(("| near | ", "| far | "))][2:]
    assert [row.count(" ± ") for row in by_rating] == [4, 4], "a shift for each band of ratings"


def test_only_games_that_are_analysed_nearly_whole_are_compared() -> None:
    games = milepost_games((2000,), games=4, games_each=2, plies=50, seed=83)
    assert len(analysed(games)) == 4
    rows = games.to_table().to_pylist()
    first = rows[0]["game_id"]
    for row in [one for one in rows if one["game_id"] == first][:6]:
        row["exclusion"] = Exclusion.NOT_ANALYSED.value
    some = Decisions.from_table(pa.Table.from_pylist(rows, schema=games.to_table().schema))
    assert analysed(some) == analysed(games) - {first}
