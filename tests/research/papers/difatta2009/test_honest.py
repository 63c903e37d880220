"""How often honest players look like an engine."""

import math
from collections.abc import Callable
from pathlib import Path

from assay.decisions.decisions import Decisions
from assay.models.bayes_skill import HONEST
from assay.rating.calibration import find_calibration
from research.papers.difatta2009.honest import RECIPE, log_ratios


def test_engine_seldom_describes_honest_games_better(shared_data: Callable[[str], Path]) -> None:
    """The rate that is printed is the measured one, and none is favoured by a factor of a hundred."""
    calibration = find_calibration(RECIPE)
    assert calibration is not None
    found = log_ratios(Decisions.read(shared_data("analysed/mileposts.parquet")), calibration.spread)
    assert (int((found > 0).sum()), len(found)) == HONEST
    assert found.max() < math.log(100)
