"""Slices of rated players, from decisions to sentences."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from assay.answers.insights import Difference, Slice
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED
from assay.decisions.grouping import By
from assay.errors import InputError
from assay.insights.difficulty import expected_of
from assay.insights.slices import (
    GROWTH,
    RATE,
    Gatherer,
    _sentence,
    check_sliceable,
    differences,
    slices_of,
)
from assay.models.intervals import q_values
from assay.rating.calibration import Calibration, all_shipped
from assay.rating.references import SliceReference, SliceSums
from assay.study import Study
from examples.pupil_games import pupil_games
from examples.slice_players import ELO, player


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
            inside = np.clip(one.whole.elo + cut.difference.elo, *found.ratings.span)
            assert cut.rating.elo == pytest.approx(inside)
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


def test_beyond_the_scale_a_slice_is_a_bound(pupil: Path) -> None:
    study = Study(pupil)
    found = study.slices("phase", ratings=replace(study.rate(), span=(2700.0, 2800.0)))
    shown = [cut.rating for one in found.players for cut in one.slices if cut.rating is not None]
    assert shown
    for rating in shown:
        assert (rating.shown, rating.bound) == ("below 2700", "below")
        assert rating.low >= 600


def test_what_these_games_cannot_be_cut_by_is_said(pupil: Path) -> None:
    for by, why in (("month", "date with its month"), ("opening", "tag ECO"), ("clock", "no clocks")):
        with pytest.raises(InputError, match=f"nothing to cut by {by}.*{why}"):
            Study(pupil).slices(by)


def test_without_a_calibration_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    table = pupil_games(2).table()
    other = table.set_column(
        table.column_names.index("recipe_id"), "recipe_id", [["another"] * table.num_rows]
    )
    Decisions.from_table(other).write(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="there is no Elo scale for this recipe and engine"):
        Study(tmp_path / "other.parquet").slices("phase")


def test_a_calibration_without_slices_is_refused(pupil: Path, calibration: Calibration) -> None:
    ratings = Study(pupil).rate()
    with pytest.raises(InputError, match="make it again"):
        slices_of([Decisions.read(pupil)], ratings, replace(calibration, slices={}), By.PHASE)


def test_bridges_and_evaluated_games_say_why_they_have_no_slices(calibration: Calibration) -> None:
    bridge = next(one for one in all_shipped() if one.carried_from is not None)
    with pytest.raises(
        InputError, match=r"carried over to this engine: analyse with \w+ and Stockfish 15\.1"
    ):
        check_sliceable(bridge)
    with pytest.raises(InputError, match=r"only the ratings were carried over.*Stockfish 15\.1"):
        expected_of(pupil_games(1), bridge, 1800.0)
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
    for name in elos:
        once, later = whole.of(name), parts.of(name)
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
    assert gatherer.names == ["2021-03", "2021-01"]
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


# A slice against the rest: simulated players of known strength, and a slow version of the arithmetic.


def test_honest_players_are_within_their_intervals_and_weak_ones_are_found_as_often_as_expected() -> None:
    honest = [differences(player(seed), ELO, None, 1.0)[1] for seed in range(300)]
    false = np.mean([one is not None and one.p <= 0.05 for one in honest])
    assert 0.02 <= false <= 0.09  # of 300, 0.05 has a deviation of 0.013
    weak = [one for seed in range(200) if (one := differences(player(seed, weak=1700), ELO, None, 1.0)[1])]
    deviation = np.array([abs(one.deviation * one.against_rest / one.elo) for one in weak])
    found = np.mean([one.p <= 0.05 and one.elo < 0 for one in weak])
    # By the deviation of the difference, and the truth: how often it is beyond 1.96 of them.
    assert found == pytest.approx(np.mean(ndtr(300 / deviation - 1.96)), abs=0.1)
    apart = np.array([one.against_rest for one in weak])
    assert apart.mean() == pytest.approx(-300, abs=60)
    assert np.mean(np.abs(apart + 300) < 1.96 * deviation) > 0.9


def test_of_all_that_stands_out_no_more_is_chance_than_said() -> None:
    shares = []
    for group in range(30):  # ten players at a time, three of them weak
        truth = [one < 3 for one in range(10)]
        p = []
        for one, is_weak in enumerate(truth):
            found = differences(player(1000 * group + one, weak=1300.0 if is_weak else ELO), ELO, None, 1.0)[
                1
            ]
            assert found is not None
            p.append(found.p)
        out = q_values(p) <= RATE
        shares.append((out & ~np.array(truth)).sum() / max(out.sum(), 1))
    assert np.mean(shares) <= RATE + 0.04


def test_slice_and_whole_as_written_out() -> None:
    rng = np.random.default_rng(0)
    sums = SliceSums(rng.normal(size=(5, 2)), rng.uniform(1, 2, (5, 2)), np.full((5, 2), 20.0))
    first, second = differences(sums, 2000.0, None, 1.7)
    assert first is not None
    assert second is not None
    slope, own = sums.slope.sum(axis=0), sums.information.sum(axis=0)
    apart = slope[0] / own[0] - slope[1] / own[1]
    assert first.against_rest == pytest.approx(apart)
    whole = slope.sum() / own.sum()
    assert first.elo == pytest.approx(slope[0] / own[0] - whole)
    assert second.elo == pytest.approx(slope[1] / own[1] - whole)
    assert first.p == pytest.approx(second.p)
    assert first.high - first.elo == pytest.approx(1.959964 * first.deviation, rel=0.01)


def test_the_interval_holds_every_difference_that_is_not_refused() -> None:
    sums = SliceSums(np.array([[-3.0, 1.0]] * 6), np.array([[0.01, 0.02]] * 6), np.full((6, 2), 30.0))
    found = differences(sums, 2000.0, None, 1.0)[0]
    assert found is not None
    share = found.elo / found.against_rest
    own = sums.information.sum(axis=0)
    of_slice = (1 / own[0]) / (1 / own[0] + 1 / own[1])
    deviation = found.deviation / share
    for end in (found.low / share, found.high / share):
        # Weaker by so much, the slice would vary by more.
        there = deviation * np.sqrt(1 + of_slice * np.expm1(GROWTH * max(-end, 0)))
        assert abs(found.against_rest - end) == pytest.approx(1.959964 * there)
    assert found.elo - found.low > found.high - found.elo
    assert (found.p < 0.05) == (found.high < 0)


def test_what_others_show_is_taken_off_and_its_error_added() -> None:
    sums = SliceSums(np.array([[3.0, 1.0]] * 4), np.array([[0.01, 0.02]] * 4), np.full((4, 2), 30.0))
    bare = differences(sums, 2100.0, None, 1.0)[0]
    known = SliceReference(
        lines=np.array([[100.0, 0.0], [-20.0, 0.0]]),
        covariance=np.diag([900.0, 0.0, 400.0, 0.0]),
        dispersion=np.ones(2),
        decisions=np.full(2, 1000.0),
    )
    beside = differences(sums, 2100.0, known, 1.0)[0]
    assert bare is not None
    assert beside is not None
    assert beside.against_rest == pytest.approx(bare.against_rest - 120)
    share = beside.elo / beside.against_rest
    assert beside.deviation**2 == pytest.approx(bare.deviation**2 + share**2 * 1300, rel=1e-6)


def test_where_there_is_no_rest_there_is_no_difference() -> None:
    only = SliceSums(np.array([[1.0, 0.0]]), np.array([[2.0, 0.0]]), np.array([[20.0, 0.0]]))
    assert differences(only, 2000.0, None, 1.0) == [None, None]


def test_own_games_that_vary_more_widen_the_interval() -> None:
    calm = SliceSums(np.tile([[0.1, -0.1], [-0.1, 0.1]], (30, 1)), np.ones((60, 2)), np.full((60, 2), 9.0))
    wild = SliceSums(calm.slope * 50, calm.information, calm.decisions)
    found = [differences(one, 2000.0, None, 1.5)[0] for one in (calm, wild)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[1].deviation > 2 * found[0].deviation


def test_the_printed_example_of_1995() -> None:
    # Benjamini and Hochberg 1995, section 3.2: of fifteen, four are rejected at 0.05.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    p += [0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert (q_values(p) <= 0.05).sum() == 4
    assert q_values(p) == pytest.approx(false_discovery_control(p))


def test_what_could_not_be_compared_counts_for_nothing() -> None:
    found = q_values([0.01, np.nan, 0.2])
    assert found[[0, 2]] == pytest.approx([0.02, 0.2])
    assert np.isnan(found[1])
    assert len(q_values([])) == 0
