import numpy as np
import pytest

from assay.models.depth.likelihood import Positions, probabilities
from assay.screening.turns import UNLISTED, Turns, rules
from assay.testing import make_decisions
from examples.screened_games import calibration, field, played_by, positions

ELO = 2000.0


def test_observed_is_what_was_played() -> None:
    turns = Turns.of(positions(5))
    seen = turns.observed(np.array([0, 1, 2, 3, 7]))
    assert seen[:, 0].tolist() == [1, 0, 0, 0, 0]
    assert seen[:, 2].tolist() == [1, 1, 1, 0, 0]
    assert seen[0, 1] == 1
    assert (seen[:, 3] <= 0).all()
    assert seen[0, 3] == 0


def test_projections_as_in_a_slow_version() -> None:
    """Regan and Haworth 2011, section 6: expectations and moments, option by option."""
    decisions = positions(6)
    turns = Turns.of(decisions)
    agents = calibration().agents
    assert agents is not None
    found = turns.project(agents, np.full(6, ELO))
    p = probabilities(Positions.of(decisions), agents.at(ELO)).options
    for row in range(6):
        own = p[8 * row : 8 * row + 8]
        delta = turns.delta[8 * row : 8 * row + 8]
        left, beyond = 1 - own.sum(), delta[-1] + UNLISTED
        mean = sum(a * b for a, b in zip(own, delta, strict=True)) + left * beyond
        square = sum(a * b**2 for a, b in zip(own, delta, strict=True)) + left * beyond**2
        third = (
            sum(a * (mean - b) ** 3 for a, b in zip(own, delta, strict=True)) + left * (mean - beyond) ** 3
        )
        assert found.expected[row, 0] == pytest.approx(own[0])
        assert found.expected[row, 1] == pytest.approx(own[delta == 0].sum())
        assert found.expected[row, 2] == pytest.approx(own[:3].sum())
        assert found.expected[row, 3] == pytest.approx(-mean)
        assert found.error_variance[row] == pytest.approx(square - mean**2)
        assert found.error_third[row] == pytest.approx(third)


def test_what_is_at_stake_is_how_much_worse_the_second_line_is() -> None:
    turns = Turns.of(positions(40))
    second = turns.delta[turns.decisions.offsets[:-1] + 1]
    assert turns.stake == pytest.approx(np.sqrt(np.clip(second, 0, 1)))
    assert (turns.stake[second == 0] == 0).all()
    assert turns.stake.max() <= 1


def test_an_agent_shows_what_it_projects() -> None:
    decisions = played_by(positions(1500, seed=3), [ELO] * 1500, seed=1)
    turns = Turns.of(decisions)
    agents = calibration().agents
    assert agents is not None
    found = turns.project(agents, np.full(len(turns), ELO))
    apart = (turns.observed() - found.expected).sum(axis=0)
    share = found.expected[:, :3]
    deviation = np.sqrt([*(share * (1 - share)).sum(axis=0), found.error_variance.sum()])
    assert (np.abs(apart / deviation) < 3.5).all()


def test_some_turns_are_not_screened() -> None:
    table = make_decisions(trace=True)
    kept = table.filter(*rules())
    assert 0 < len(kept) < len(table)
    assert (kept.numbers("ply") >= 16).all()
    assert (np.abs(kept.numbers("before")) <= 300).all()
    assert not len(make_decisions().filter(*rules())), "without a trace nothing can be projected"
    assert len(field(games=1, turns=20).filter(*rules())) == 80
