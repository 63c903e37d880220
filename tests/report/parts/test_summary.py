"""What is said first."""

import math
from dataclasses import replace

import pytest

from assay.report.parts.summary import summarise
from examples.report_examples import chess_decisions, make_ratings


def test_a_summary_of_one() -> None:
    decisions = chess_decisions().select(player="Ann")
    summary = summarise(make_ratings(decisions))
    assert summary.second is None
    assert math.isnan(summary.lead)


def test_the_lead_and_whether_the_first_two_can_be_told_apart() -> None:
    ratings = make_ratings(chess_decisions())
    first, second, *others = ratings.players
    summary = summarise(ratings)
    assert (summary.first, summary.second) == (first, second)
    assert summary.lead == pytest.approx(first.combined.elo - second.combined.elo)
    far = replace(second, combined=replace(second.combined, elo=1500.0, low=1400.0, high=1600.0))
    assert summarise(replace(ratings, players=(first, far, *others))).overlap is False
    near = replace(second, combined=replace(first.combined, elo=first.combined.elo - 1))
    assert summarise(replace(ratings, players=(first, near, *others))).overlap is True


def test_half_widths() -> None:
    ratings = make_ratings(chess_decisions())
    halves = sorted((one.combined.high - one.combined.low) / 2 for one in ratings.players)
    summary = summarise(ratings)
    assert (summary.narrowest, summary.usual, summary.widest) == pytest.approx(
        (halves[0], halves[1], halves[2])
    )
