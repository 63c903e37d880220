import numpy as np
import pytest

from assay.decisions.measures import expectation
from assay.models.depth.expected import expected
from assay.models.depth.probabilities import probabilities
from assay.models.depth.views import Positions
from assay.testing import make_decisions
from examples.slice_players import agents, simulation


def test_written_out_for_positions_whose_moves_are_all_listed() -> None:
    decisions = make_decisions(games=1, plies=10, trace=True)  # six options, six legal moves
    found = expected(decisions, agents(), 2000.0)
    share = probabilities(Positions.of(decisions), agents().at(2000.0))
    for row in range(len(decisions)):
        own = slice(*decisions.offsets[row : row + 2])
        values, p = decisions.values[own].astype(float), share.options[own]
        assert found.loss[row] == pytest.approx((p * (values[0] - values)).sum(), abs=1e-6)
        worth = expectation(values)
        assert found.lost[row] == pytest.approx((p * (worth[0] - worth)).sum(), abs=1e-9)
        played = decisions.played_index[row]
        assert found.as_good[row] == pytest.approx(p[values >= values[played]].sum())
        assert found.best[row] == pytest.approx(p[values >= values[0]].sum())
        assert found.fine[row] == pytest.approx(p[worth >= worth[0] - 0.01].sum())
        assert found.better[row] == pytest.approx(p[worth >= worth[played] + 0.05].sum())


def test_moves_below_the_lines_count_as_they_do_where_all_are_known() -> None:
    moves = simulation().moves
    rows, first = np.arange(len(moves.counts)), np.zeros(len(moves.counts), np.int64)
    best = np.array([values[-1].argmax() for values in moves.values])
    few = expected(moves.with_lines(rows, best, 10), agents(), 1800.0)
    all_ = expected(moves.with_lines(rows, best, int(moves.counts.max())), agents(), 1800.0)
    assert first.sum() == 0
    assert few.lost.mean() == pytest.approx(all_.lost.mean(), rel=0.25)
    assert few.best == pytest.approx(all_.best, abs=0.2)


def test_stronger_players_lose_less() -> None:
    decisions = make_decisions(games=2, trace=True)
    losses = [expected(decisions, agents(), elo).loss.mean() for elo in (1500.0, 2000.0, 2500.0)]
    assert losses[0] > losses[1] > losses[2]
