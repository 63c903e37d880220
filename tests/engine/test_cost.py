"""What a backlog costs: tried only where the rule of thumb does not settle it."""

from dataclasses import dataclass
from typing import Any

import pytest

from assay.engine import run as cost
from assay.engine.engines import EngineConfig
from assay.engine.recipe import Recipe, find_recipe


@dataclass
class Waiting:
    """As much of a backlog as is looked at."""

    recipe: Recipe
    positions: int

    def __len__(self) -> int:
        return self.positions

    @property
    def n_units(self) -> int:
        return self.positions


def waiting(name: str, positions: int) -> Any:
    return Waiting(find_recipe(name), positions)


def test_rules_of_thumb() -> None:
    assert cost.rough_seconds(waiting("standard", 1000), 1).seconds == pytest.approx(250)
    assert cost.rough_seconds(waiting("standard", 1000), 2).seconds == pytest.approx(125)
    assert cost.rough_seconds(waiting("quick", 1000), 1).seconds == pytest.approx(25)
    assert cost.rough_seconds(waiting("thrifty", 1000), 1).seconds == pytest.approx(250 / 3)
    assert cost.rough_seconds(waiting("alliot2017", 1000), 1).factor > 3  # stops early, nobody knows when


@pytest.mark.parametrize(("positions", "tried"), [(10, False), (1000, True), (100_000, False)])
def test_positions_are_tried_only_near_the_limit(
    positions: int, tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "estimate", lambda *_: cost.Estimate(1, 1, -1.0, 1, 1))
    found = cost.seconds_for(waiting("standard", positions), EngineConfig(), 1, 300.0)
    assert (found == -1.0) == tried
