import numpy as np
import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.models.depth.likelihood import Positions, probabilities
from assay.screening.statistics import (
    SOUND,
    TAKEN,
    UNLISTED,
    Curves,
    Turns,
    expected_of,
    not_prepared,
    rules,
    shared,
)
from assay.testing import make_decisions
from examples.screened_games import PLAIN_TURNS, calibration, field, made_projection, played_by, positions

ELO = 2000.0


def test_observed_is_what_was_played() -> None:
    turns = Turns.of(positions(5))
    seen = turns.observed(np.array([0, 1, 2, 3, 7]))
    first, sound, error = seen.T
    assert first.tolist() == [1, 0, 0, 0, 0]
    assert sound.tolist() == (error >= -SOUND).tolist()
    assert (error <= 0).all()
    assert error[0] == 0
    beyond = turns.observed(np.array([0, 1, 2, 3, -1]))[-1]
    last = -turns.values[2][-1]
    assert beyond.tolist() == [0, 0, -(last + UNLISTED)], "a move that no line has"


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
        delta = -turns.values[2][8 * row : 8 * row + 8]
        left, beyond = 1 - own.sum(), delta[-1] + UNLISTED
        mean = sum(a * b for a, b in zip(own, delta, strict=True)) + left * beyond
        square = sum(a * b**2 for a, b in zip(own, delta, strict=True)) + left * beyond**2
        assert found.expected[row, 0] == pytest.approx(own[0])
        assert found.expected[row, 1] == pytest.approx(own[delta <= SOUND].sum())
        assert found.expected[row, 2] == pytest.approx(-mean)
        assert found.variance[row] == pytest.approx(square - mean**2)


def test_what_is_at_stake_is_how_much_worse_the_second_line_is() -> None:
    turns = Turns.of(positions(40))
    second = -turns.values[2][turns.decisions.offsets[:-1] + 1]
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
    share = found.expected[:, :2]
    deviation = np.sqrt([*(share * (1 - share)).sum(axis=0), found.variance.sum()])
    assert (np.abs(apart / deviation) < 3.5).all()


def test_some_turns_are_not_screened() -> None:
    table = make_decisions(trace=True)
    kept = table.filter(*rules())
    assert 0 < len(kept) < len(table)
    assert (kept.numbers("ply") >= 16).all()
    assert (np.abs(kept.numbers("before")) <= 300).all()
    assert not len(make_decisions().filter(*rules())), "without a trace nothing can be projected"
    assert len(field(games=1, turns=20).filter(*rules())) == 80


NOTHING = np.tile([0.0, 1.0, 0.0, 0.0, 0.0], (3, 1))


def test_without_curves_nothing_is_bent() -> None:
    projected = made_projection(20)
    found = Curves(NOTHING).bend(projected, np.full(20, 1900.0))
    assert found.expected[:, :3] == pytest.approx(projected.expected)
    first, sound = projected.expected[:, :2].T
    assert found.weights[:, 0] == pytest.approx(np.log1p(TAKEN / (1 - TAKEN) / sound))
    for place, weight, p in ((3, found.weights[:, 0], sound), (4, projected.stake, first)):
        assert found.expected[:, place] == pytest.approx(weight * p)
        assert found.variance[:, place] == pytest.approx(weight**2 * p * (1 - p))
    assert found.variance[:, 2] == pytest.approx(projected.variance)


def played_turns(n: int = 400, strength: float = ELO, seed: int = 0) -> tuple[Turns, np.ndarray]:
    decisions = played_by(positions(n, seed), [strength] * n, seed + 1)
    return Turns.of(decisions), np.arange(n) // (n // 2)


def test_more_is_expected_of_a_higher_rating() -> None:
    turns, place = played_turns(200)
    agents = calibration().agents
    assert agents is not None
    low, high = (
        expected_of(turns, place, np.full(2, elo), agents, PLAIN_TURNS.curves, np.full(2, 60.0)).evidence()
        for elo in (1700.0, 2500.0)
    )
    assert (low.apart > high.apart).all()
    assert (low.slope > 0).all()
    # The slope is what a point of Elo changes: over 800 points, not quite a straight line.
    assert (low.apart - high.apart) / 800 == pytest.approx((low.slope + high.slope) / 2, rel=0.5)


def test_a_spread_rating_expects_what_the_spread_agents_do_on_average() -> None:
    turns, place = played_turns(60)
    agents = calibration().agents
    assert agents is not None
    wide = expected_of(
        turns, place, np.full(2, ELO), agents, PLAIN_TURNS.curves, np.full(2, 200.0)
    ).evidence()
    slow = np.zeros(2)
    for share, side in ((1 / 6, -1), (2 / 3, 0), (1 / 6, 1)):
        elo = ELO + side * np.sqrt(3) * 200.0
        p = turns.project(agents, np.full(60, elo)).expected[:, 0]
        slow += share * np.bincount(place, p)
    assert wide.observed[:, 0] - wide.apart[:, 0] == pytest.approx(slow)


def test_positions_that_three_players_had_are_prepared() -> None:
    pairs = [*((who, "x") for who in ("Ann", "Bob", "Cid")), ("Ann", "y"), ("Ann", "y"), ("Ann", "y")]
    pairs += [("Bob", "y"), ("Ann", None), ("Bob", None), ("Cid", None)]
    rows = [
        {
            "game_id": f"game {row}",
            "player": player,
            "moves": ["a"],
            "cp": [0],
            "played": "a",
            "position_key": key,
        }
        for row, (player, key) in enumerate(pairs)
    ]
    table = Decisions.from_table(pa.Table.from_pylist(rows))
    assert shared(table).tolist() == [True] * 3 + [False] * 7
    assert len(table.filter(not_prepared())) == 7
