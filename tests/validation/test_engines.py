"""The same games by several sources of values."""

import pytest

from assay.models.appearances import Appearances
from assay.rating.bridge import Bridge
from assay.validation.engines import compared, tables
from examples.bridge_games import few_methods, revalued
from examples.milepost_games import milepost_games


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
