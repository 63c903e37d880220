"""Slices of rated players, from decisions to sentences."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.answers.insights import Difference, Slice
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED
from assay.decisions.grouping import By
from assay.errors import InputError
from assay.insights.slices import Gatherer, _sentence, check_sliceable, slices_of
from assay.rating.calibration import Calibration, all_shipped
from assay.study import Study
from examples.pupil_games import pupil_games


def test_slices_of_a_study(pupil: Path) -> None:
    found = Study(pupil).slices("phase")
    assert found.compared
    assert {one.player for one in found.players} == {"Pupil, Pat", "Rival, Ray"}
    for one in found.players:
        assert one.whole.elo == found.ratings[one.player].combined.elo  # type: ignore[union-attr]
        assert {cut.name for cut in one.slices} | set(one.too_few) <= {"opening", "middlegame", "endgame"}
        assert one.sentence
        for cut in one.slices:
            assert cut.difference is not None
            assert cut.rating is not None
            assert cut.rating.elo == pytest.approx(one.whole.elo + cut.difference.elo)
            assert cut.rating.high - cut.rating.low > one.whole.high - one.whole.low
            assert cut.difference.low < cut.difference.elo < cut.difference.high
            assert cut.decisions >= 20


def test_players_may_be_named_and_whole_games_are_slices_too(pupil: Path) -> None:
    found = Study(pupil).slices("colour", players=["pupil"])
    [one] = found.players
    assert [cut.name for cut in one.slices] == ["white", "black"]
    white, black = (cut.difference for cut in one.slices)
    assert white is not None
    assert black is not None
    assert white.p == pytest.approx(black.p)
    assert white.elo * black.elo < 0
    assert sum(cut.games for cut in one.slices) == 8


def test_what_these_games_cannot_be_cut_by_is_said(pupil: Path) -> None:
    for by, why in (("month", "date with its month"), ("opening", "tag ECO"), ("clock", "no clocks")):
        with pytest.raises(InputError, match=f"nothing to cut by {by}.*{why}"):
            Study(pupil).slices(by)


def test_without_a_calibration_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    table = pupil_games(2).to_table()
    other = table.set_column(
        table.column_names.index("recipe_id"), "recipe_id", [["another"] * table.num_rows]
    )
    Decisions.from_table(other).write(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="no calibration for recipe another"):
        Study(tmp_path / "other.parquet").slices("phase")


def test_a_calibration_without_slices_is_refused(pupil: Path, calibration: Calibration) -> None:
    ratings = Study(pupil).rate()
    with pytest.raises(InputError, match="make it anew"):
        slices_of([Decisions.read(pupil)], ratings, replace(calibration, slices={}), By.PHASE)


def test_bridges_and_evaluated_games_say_why_they_have_no_slices(calibration: Calibration) -> None:
    bridge = next(one for one in all_shipped() if one.bridged_from is not None)
    with pytest.raises(
        InputError, match=r"bridge carries no slices.*analyse with standard and Stockfish 15\.1"
    ):
        check_sliceable(bridge)
    evaluated = next(one for one in all_shipped() if one.recipe_id in EVALUATED)
    with pytest.raises(InputError, match="one value for each position: analyse them"):
        check_sliceable(evaluated)
    check_sliceable(calibration)


def test_decisions_in_pieces_as_at_once(pupil: Path, calibration: Calibration) -> None:
    decisions = Decisions.read(pupil)
    assert calibration.agents is not None
    elos = {"Pupil, Pat": 1800.0, "Rival, Ray": 1750.0}
    whole, parts = (Gatherer(By.PHASE, calibration.agents, elos) for _ in range(2))
    whole.add(decisions)
    for name in decisions.games:
        parts.add(decisions.select(game=name))
    for player in elos:
        once, later = whole.of(player), parts.of(player)
        assert once is not None
        assert later is not None
        assert later.slope.sum(axis=0) == pytest.approx(once.slope.sum(axis=0))
        assert len(later.slope) == len(once.slope)


def test_months_that_a_later_piece_brings(pupil: Path, calibration: Calibration) -> None:
    decisions = Decisions.read(pupil)
    assert calibration.agents is not None
    gatherer = Gatherer(By.MONTH, calibration.agents, {"Pupil, Pat": 1800.0})
    gatherer.add(decisions.select(game="game0"), {"game0": "2021-03"})
    gatherer.add(decisions.select(game="game2"), {"game2": "2021-01"})
    gatherer.add(decisions.select(game="game4"), {})
    found = gatherer.of("Pupil, Pat")
    assert found is not None
    assert gatherer.names == ("2021-03", "2021-01")
    assert (found.decisions > 0).tolist() == [[True, False], [False, True], [False, False]]
    assert gatherer.unknown["Pupil, Pat"] > 0


def test_sentences() -> None:
    apart = Difference(elo=-180.4, low=-330, high=-20, against_rest=-250, p=0.01, deviation=80)
    weak = Slice(
        name="endgame", games=9, decisions=94, rating=None, difference=apart, q=0.02, stands_out=True
    )
    told = _sentence([weak], By.PHASE)
    assert told == "weaker in the endgame, -180 (-330 to -20), 94 decisions"
    assert _sentence([replace(weak, stands_out=False)], By.PHASE) == "nothing stands out"
    assert _sentence([replace(weak, difference=None)], By.PHASE) == "nothing to compare"
    strong = replace(weak, difference=replace(apart, elo=120.0), name="white", q=0.01)
    assert _sentence([weak, strong], By.COLOUR).startswith("stronger with White, +120")
    assert np.isnan(Slice(name="", games=1, decisions=1, rating=None, difference=None).q)
