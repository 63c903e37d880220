"""Moves and results together, against sums over the Elos of all players at once."""

import numpy as np
import pytest

from assay.errors import InputError
from assay.models.bayes.posterior import Posterior
from assay.rating import joint
from assay.rating.joint import Meetings, joint_posteriors
from assay.rating.posterior import GRID, Range
from assay.results.metrics import log_likelihood

PRIOR = Range(1500, 2800).log_density(GRID)


def moves(elo: float, deviation: float) -> np.ndarray:
    return PRIOR - 0.5 * np.square((GRID - elo) / deviation)


def meetings(
    *games: tuple[int, int, float],
    ahead: float = 33.0,
    draws: float = 1.0,
    shares: tuple[float, float] = (1.0, 1.0),
) -> Meetings:
    player, opponent, result = (np.array(column) for column in zip(*games, strict=True))
    every = np.tile(shares, (len(games), 1))
    return Meetings(player, opponent, np.full(len(games), ahead), result.astype(float), draws, every)


def slow_posteriors(own: list[np.ndarray], met: Meetings) -> list[tuple[float, float]]:
    """Mean and deviation of each of three players, from the density at every triple of Elos."""
    at = GRID[::16]
    axes = np.meshgrid(at, at, at, indexing="ij")
    log = sum(one[::16].reshape([-1 if k == axis else 1 for k in range(3)]) for axis, one in enumerate(own))
    for game in range(len(met)):
        one, other = met.shares[game]
        difference = one * axes[met.player[game]] - other * axes[met.opponent[game]] + met.ahead[game]
        log = log + log_likelihood(difference, met.result[game], met.draws)
    density = np.exp(log - log.max())
    density /= density.sum()
    found = []
    for axis in axes:
        mean = (density * axis).sum()
        found.append((mean, np.sqrt((density * (axis - mean) ** 2).sum())))
    return found


TRIPLES = {
    "one game": [(0, 1, 1.0)],
    "a circle of wins": [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)],
    "one wins all": [(0, 1, 1.0), (0, 2, 1.0), (1, 0, 0.0), (1, 2, 0.5), (2, 0, 0.0), (0, 1, 1.0)],
    "a long match": [(0, 1, 1.0), (0, 1, 0.5)] * 8,
}


@pytest.mark.parametrize("games", TRIPLES.values(), ids=TRIPLES)
@pytest.mark.parametrize(
    ("deviation", "ahead", "shares"),
    [(150.0, 33.0, (1.0, 1.0)), (450.0, 33.0, (1.0, 1.0)), (250.0, 400.0, (0.8, 1.0))],
)
def test_as_with_every_triple_of_elos(
    games: list[tuple[int, int, float]], deviation: float, ahead: float, shares: tuple[float, float]
) -> None:
    own = [moves(1700, deviation), moves(2100, deviation), moves(2600, deviation)]
    met = meetings(*games, ahead=ahead, shares=shares)
    found = joint_posteriors(own, met)
    for one, (mean, spread) in zip(found, slow_posteriors(own, met), strict=True):
        assert one.mean == pytest.approx(mean, abs=0.05 * spread)
        assert one.deviation == pytest.approx(spread, rel=0.03)


def test_without_results_everybody_has_their_own() -> None:
    own = [moves(1700, 200), moves(2100, 200), moves(2600, 200)]
    alone = [Posterior.of(GRID, one).mean for one in own]
    found = joint_posteriors(own, meetings((0, 1, 0.5)))
    assert found[2].mean == alone[2]
    assert found[0].mean > alone[0] + 20
    assert found[1].mean < alone[1] - 20
    nobody = Meetings(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 2, 1.0, np.zeros((0, 2)))
    assert [one.mean for one in joint_posteriors(own, nobody)] == alone


def test_whoever_beats_the_well_known_is_known_better() -> None:
    own = [moves(2000, 1000), moves(2200, 10)]
    found = joint_posteriors(own, meetings(*[(0, 1, 0.5)] * 40, ahead=0.0))
    assert found[0].mean == pytest.approx(2200, abs=15)
    assert found[0].deviation < 60


def test_too_many_for_one_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "MOST_PLAYERS", 1)
    with pytest.raises(InputError, match="leave --with results"):
        joint_posteriors([moves(2000, 200)] * 2, meetings((0, 1, 1.0)))
