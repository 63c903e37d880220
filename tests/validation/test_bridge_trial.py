"""A bridge of few games beside a calibration of many, on games kept out."""

import pytest

from assay.models.registry import make_model
from assay.validation import bridge_trial
from assay.validation.bridge_trial import lines, tried
from examples.bridge_games import revalued
from examples.milepost_games import milepost_games


def test_every_way_rates_the_same_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "assay.rating.calibration.rating_models", lambda: {"conformance": make_model("conformance")}
    )
    monkeypatch.setattr(bridge_trial, "GAMES", (1, 3))
    games = milepost_games(tuple(range(1800, 2600, 200)), games=34, games_each=2, plies=40, seed=71)
    found = tried(games, revalued(games), games=40)
    ways = ["like", "native", "bridge", "bridge without ratings"]
    assert sorted({way for _, way in found}) == sorted(ways)
    for size in (1, 3):
        references = [[one.reference for one in found[size, way]] for way in ways]
        assert all(one == pytest.approx(references[0]) for one in references)
    table = list(lines(found))
    assert len(table) == 2 + len(found)
    assert table[3].startswith("| 1 | native |")
    assert table[3].endswith("| 0 |")
