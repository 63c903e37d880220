import numpy as np
import pytest

from assay.models.depth.by_elo import AgentsByElo
from assay.models.depth.model import DepthModel
from assay.models.depth.probabilities import probabilities
from assay.models.depth.scores import slopes
from assay.models.depth.views import Positions
from assay.testing import make_decisions
from examples.slice_players import ELO, chances, choices, simulation

AGENTS = AgentsByElo(
    np.array([1000.0, 2000.0, 3000.0]), np.array([[0.7, 0.0, 0], [1.1, -1.5, 1], [1.5, -3, 2]])
)


def test_the_slope_is_the_derivative_of_the_log_likelihood() -> None:
    decisions = make_decisions(games=2, trace=True).filter(*DepthModel().rules())
    elo = np.linspace(1400, 2600, len(decisions))
    found = slopes(decisions, AGENTS, elo)
    played = decisions.offsets[:-1] + decisions.played_index
    positions = Positions.of(decisions)
    low, high = (
        np.log(probabilities(positions, AGENTS.agents(elo + step)).options[played]) for step in (-1.0, 1.0)
    )
    inside = np.abs((elo - 2000) % 1000) > 30  # lines have a bend at their ends
    assert found.slope[inside] == pytest.approx(((high - low) / 2)[inside], rel=0.02, abs=2e-6)


def test_information_is_the_variance_of_the_slope_of_the_agent_that_chose() -> None:
    known, share = choices(), chances(ELO)
    counts = simulation().moves.counts
    starts = np.cumsum(counts) - counts
    mean = np.add.reduceat(share * known.slope, starts)
    square = np.add.reduceat(share * np.square(known.slope), starts)
    informed = np.add.reduceat(share * known.information, starts)
    assert mean.sum() == pytest.approx(0, abs=0.1 * np.sqrt(square.sum()))
    assert informed.sum() == pytest.approx(square.sum(), rel=0.1)


def test_decisions_in_pieces_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decisions = make_decisions(games=2, trace=True).filter(*DepthModel().rules())
    elo = np.full(len(decisions), 1800.0)
    whole = slopes(decisions, AGENTS, elo)
    monkeypatch.setattr("assay.models.depth.scores.ROWS", 7)
    parts = slopes(decisions, AGENTS, elo)
    assert parts.slope == pytest.approx(whole.slope)
    assert parts.information == pytest.approx(whole.information)
