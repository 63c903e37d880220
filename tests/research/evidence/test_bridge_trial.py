"""A bridge of few games beside a calibration of many, on games kept out."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.decisions.exclusions import Choice
from assay.engine.recipe import NAMED
from assay.models.registry import make_model
from assay.workspace import Workspace
from examples.bridge_games import revalued
from examples.engines import scripted_engine
from examples.milepost_games import milepost_games
from research.evidence import bridge_trial
from research.evidence.bridge_trial import lines, read_sides, tried


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
    assert " to " not in table[3]
    assert " to " in table[4], "the difference from native, with its interval"
    assert table[3].endswith("| 0 |")


def test_the_other_side_may_be_the_same_searches_cut_short(tmp_path: Path) -> None:
    """No engine is needed for it, and every method reads it: the trace is cut too."""
    moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nc3 Nc6 4. Nb1 Nb8 1/2-1/2"
    (tmp_path / "games.pgn").write_text(f'[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n{moves}\n')
    workspace = Workspace(tmp_path / "games.assay")
    workspace.import_games(tmp_path / "games.pgn")
    recipe = replace(NAMED["quick"], name="tiny", nodes=None, depth=6, lines=4)
    choice = Choice(min_turns=0)
    workspace.analyse(recipe, engine=scripted_engine(tmp_path), jobs=1, choice=choice)
    whole, shallow = read_sides(workspace, "tiny", "depth 3 lines 2")
    assert len(whole) == len(shallow) == 8
    [name] = set(shallow.to_table()["recipe_id"].to_pylist())
    assert name.endswith(" at depth 3 lines 2")
    offsets, depths, _, _ = shallow.trace()
    assert np.diff(offsets).tolist() == [6] * 8
    assert depths.max() == 3
    assert {len(one) for one in shallow.to_table()["moves"].to_pylist()} <= {2, 3}, "and the played move"
