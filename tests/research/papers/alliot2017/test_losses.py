"""Conformance and covariance as the page has them, from games whose losses are known."""

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.decisions.measures import loss
from assay.models.conformance import ConformanceModel
from assay.models.covariance import correlation_surface
from examples.game_tables import make_games
from research.papers.alliot2017 import losses


@pytest.fixture(scope="module")
def games() -> Decisions:
    return make_games(games=40)


def cells(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines()[2:] if line.startswith("|")]


def test_perfect_moves_with_either_colour(games: Decisions) -> None:
    kept, _ = ConformanceModel("raw").select(games)
    for colour, found, _ in cells(losses.by_colour(games)):
        share = float(np.mean(loss(kept.select(colour=colour)) <= 0))
        assert float(found) == pytest.approx(100 * share, abs=0.051)


def test_the_best_bound_is_that_of_the_largest_correlation(games: Decisions) -> None:
    text = losses.conformance_curve(games)
    bounds = text.splitlines()[0].strip("| ").split(" | ")[1:-1]
    rows = cells(text)
    assert [row[0] for row in rows][:2] == ["raw", "Guid and Bratko"]
    for _, *curve, best in rows:
        largest = max(map(float, curve))
        assert float(curve[bounds.index(best)]) == pytest.approx(largest, abs=0.0011)


def test_every_number_of_convolutions_has_its_best_bound(
    games: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def few(decisions: Decisions, n0s: tuple[int, ...], bounds: list[float]) -> np.ndarray:
        asked.append(n0s)
        return np.tile(correlation_surface(decisions, (0,), bounds), (len(n0s), 1))

    monkeypatch.setattr(losses, "correlation_surface", few)
    rows = cells(losses.covariance_surface(games))
    assert [int(row[0]) for row in rows] == list(asked[0])  # type: ignore[call-overload]
    assert len({tuple(row[1:]) for row in rows}) == 1
