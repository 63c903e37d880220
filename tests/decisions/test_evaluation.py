"""Evaluations as plain integers."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decisions import evaluation
from assay.decisions.decisions import Decisions
from assay.decisions.elo import POINTS_PER_LOGIT
from assay.decisions.elo import expectation as elo_expectation
from assay.decisions.evaluation import (
    ANNOTATED,
    FICS_BLITZ,
    FIDE_CLASSICAL,
    FIDE_OTHER,
    LICHESS,
    OURSELVES,
    evaluated_by,
)
from assay.decisions.measures import agreement, between, expectation, gain, loss, loss_between, lost_score


@given(st.lists(st.one_of(st.integers(-30_000, 30_000), st.sampled_from([31_999, -31_998, -32_000, 31_500]))))
def test_values_survive_the_two_columns(values: list[int]) -> None:
    cp, mate = evaluation.decode(values)
    assert all((a is None) != (b is None) for a, b in zip(cp.to_pylist(), mate.to_pylist(), strict=True))
    assert evaluation.encode(cp, mate).to_pylist() == values


def test_mates_are_ordered_beyond_centipawns() -> None:
    ordered = [
        *map(evaluation.from_mate, (0, -1, -9)),
        -30_000,
        0,
        30_000,
        *map(evaluation.from_mate, (9, 2, 1)),
    ]
    assert ordered == sorted(ordered)
    assert evaluation.from_mate(3) == -evaluation.from_mate(-3)
    assert evaluation.from_cp(99_999) < evaluation.from_mate(50)
    assert evaluation.clip(np.array([31_999, -120, -31_990]), 3900).tolist() == [3900, -120, -3900]


# Whose values games bring along, by what they say of themselves.

LICHESS_SITE = "https://lichess.org/abcdEFGH"


@pytest.mark.parametrize(
    ("site", "event", "evaluator", "time_class", "source"),
    [
        ("Springfield", "Open", "depth 14", "unknown", FIDE_CLASSICAL),
        ("Springfield", "Open", "Stockfish 8, depth 20", "classical", FIDE_OTHER),
        ("Springfield", "Open", "Stockfish 16.1, depth 20", "classical", ANNOTATED),
        ("Springfield", "Open", "depth 30", "classical", ANNOTATED),
        ("Springfield", "Open", "Somebody, depth 18", "classical", ANNOTATED),
        ("Springfield", "Open", "", "classical", ANNOTATED),
        ("Springfield", "Blitz", "depth 16", "blitz", ANNOTATED),
        ("https://example.org/1", "Open", "depth 16", "classical", ANNOTATED),
        (LICHESS_SITE, "Rated Blitz game", "", "rapid", LICHESS["blitz"]),
        (LICHESS_SITE, "rated rapid game", "", "rapid", LICHESS["rapid"]),
        (LICHESS_SITE, "Team League (45+45)", "", "classical", LICHESS["classical"]),
        (LICHESS_SITE, "Rated UltraBullet game", "", "correspondence", ANNOTATED),
        ("https://lichess.org/broadcast/x", "Open", "", "classical", ANNOTATED),
        ("FICS", "FICS rated blitz game", "Stockfish depth 15 (somebody)", "blitz", FICS_BLITZ),
        ("FICS", "FICS rated blitz game", "", "blitz", ANNOTATED),
    ],
)
def test_the_source_of_values(site: str, event: str, evaluator: str, time_class: str, source: str) -> None:
    assert evaluated_by(site, event, evaluator, time_class) == source


def test_games_that_we_wrote_ourselves_are_on_nobodys_scale() -> None:
    assert evaluated_by("https://lichess.org/abc", "Rated blitz game", OURSELVES, "blitz") == ANNOTATED


# Judgements over decisions: loss, gain, agreement, expectation.


def table(**columns: list[object]) -> pa.Table:
    rows = len(columns["player"])
    whole = {"moves": [["a", "b"]] * rows, "cp": [[30, 10]] * rows, "played": ["a"] * rows, **columns}
    return pa.table(whole)


def test_loss_and_gain() -> None:
    decisions = Decisions.from_table(
        table(
            player=["Ann"] * 4, moves=[["a", "b"]] * 3 + [["a"]], cp=[[30, 10], [5000, 30], [None, 100], [7]],
            mate=[[None, None], [None, None], [2, None], [None]], played=["b", "b", "b", "a"],
            after=[-5, 0, 31_000, None], n_legal=[2, 2, 2, 20],
        )
    )  # fmt: skip
    assert loss(decisions).tolist()[:3] == [20, 4970, 31_898]
    assert np.isnan(loss(decisions)[3])  # one option of twenty: nothing to compare it with
    assert loss(decisions, limit=3900).tolist()[:3] == [20, 3870, 3800]
    assert gain(decisions).tolist()[:2] == [-35, -5000]
    assert gain(decisions, limit=3900).tolist()[1:3] == [-3900, 0]
    assert agreement(decisions).tolist()[:3] == [0, 0, 0]


def test_a_move_lost_no_more_than_the_next_analysis_confirms() -> None:
    """A move outside the engine's lines has a value of few nodes: -300 here, and 0 when it was played."""
    decisions = Decisions.from_table(
        table(
            player=["Ann"] * 4, cp=[[20, -300]] * 3 + [[20]], moves=[["a", "b"]] * 3 + [["a"]],
            played=["b", "b", "b", "a"], before=[20, 20, 20, 200], after=[0, -280, None, 0],
            n_legal=[2, 2, 2, 20],
        )
    )  # fmt: skip
    expected = [
        expectation(best) - expectation(left) for best, left in ((20, 0), (20, -280), (20, -300), (200, 0))
    ]
    assert lost_score(decisions).tolist() == pytest.approx(expected)


@given(st.lists(st.integers(-32000, 32000), min_size=2, max_size=9))
def test_expectation_rises_and_is_fair(values: list[int]) -> None:
    found = expectation(np.sort(values))
    assert (np.diff(found) >= 0).all()
    assert expectation(-found[0]) == pytest.approx(1 - expectation(found[0]))


# Losses from consecutive evaluations, against a slow reading of one game at a time.


def test_many_games_at_once_are_as_one_after_another() -> None:
    rng = np.random.default_rng(1)
    games = [rng.integers(-300, 300, size).astype(float) for size in (4, 1, 9, 2, 30)]
    offsets = np.concatenate(([0], np.cumsum([len(game) for game in games])))
    rows, before, after = between(np.concatenate(games), offsets)
    expected = [(game[ply], -game[ply + 1]) for game in games for ply in range(len(game) - 1)]
    assert list(zip(before.tolist(), after.tolist(), strict=True)) == expected
    assert not np.isin(offsets[1:] - 1, rows).any()  # no move is played in the last position


def test_a_move_that_seems_to_gain_lost_nothing() -> None:
    before, after = np.array([50.0, 50.0, np.nan, 40.0]), np.array([20.0, 90.0, 10.0, np.nan])
    assert loss_between(before, after)[:2].tolist() == [30.0, 0.0]
    assert np.isnan(loss_between(before, after)[2:]).all()


def test_values_are_clipped_before_they_are_compared() -> None:
    assert loss_between(np.array([31_990.0]), np.array([700.0]), 1000).tolist() == [300.0]


# The Elo curve: known points, fairness, and what a logit is worth.


def test_the_elo_curve() -> None:
    assert elo_expectation([0, 400, -400, 800]) == pytest.approx([0.5, 10 / 11, 1 / 11, 100 / 101])
    share = elo_expectation(POINTS_PER_LOGIT)
    assert np.log(share / (1 - share)) == pytest.approx(1)
