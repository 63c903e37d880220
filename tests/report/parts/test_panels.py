"""The figures of a card."""

from dataclasses import replace

import pytest

from assay.decisions.decisions import Decisions
from assay.report.parts.evidence import Examiner
from assay.report.parts.panels import (
    Frame,
    _gain_shares,
    _short_dates,
    choice,
    conformance,
    gain,
    history,
    markov,
    skill,
)
from assay.report.parts.wording import pawns
from examples.report_examples import chess_decisions, make_ratings


def test_dates_below_a_figure_leave_out_the_year_they_share() -> None:
    assert _short_dates(["2011-12-03", "2011-12-05"]) == ["12-03", "12-05"]
    assert _short_dates(["2011-11", "2011-12"]) == ["11", "12"]
    assert _short_dates(["2010", "2011"]) == ["2010", "2011"]
    assert _short_dates(["2010-12", "2011-01"]) == ["2010-12", "2011-01"]


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return chess_decisions()


@pytest.fixture(scope="module")
def frame(decisions: Decisions) -> Frame:
    examiner = Examiner()
    found = [examiner.examine(part) for _, part in decisions.by("player")]
    return Frame(
        examiner.compare(decisions),
        found,
        skill=(0.0, 3.0),
        sensitivity=(0.0, 1.0),
        consistency=(0.0, 1.0),
        elo=(2000.0, 3000.0),
    )


def test_what_figures_say_in_numbers(decisions: Decisions, frame: Frame) -> None:
    examiner, own = Examiner(), frame.others[0]
    c, mean = own.estimates["bayes"]["c"], own.estimates["gain"]["mean_gain"].value
    assert f"c = {c.value:.2f} ({c.low:.2f} to {c.high:.2f})" == skill(examiner, own, frame).numbers
    assert gain(examiner, own, frame).numbers.startswith(f"mean gain {pawns(100 * mean)} pawns")
    assert markov(own).numbers.startswith(f"{own.estimates['markov']['kept'].value:.0%} of moves keep")
    assert choice(own, frame).numbers.startswith(f"s = {own.estimates['choice']['s'].value:.2f}")
    assert "%" in conformance(examiner, own, frame).numbers


def test_a_player_without_a_history_says_so(decisions: Decisions, frame: Frame) -> None:
    rated = make_ratings(decisions).players[0]
    assert history(rated, frame).drawing is not None
    assert "all games count together" in history(replace(rated, history=()), frame).failure


def test_bars_of_gain_are_shares(frame: Frame) -> None:
    shares = _gain_shares(Examiner(), frame.others[0])
    assert sum(shares) == pytest.approx(1)
    assert min(shares) >= 0
