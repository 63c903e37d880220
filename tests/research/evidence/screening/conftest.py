"""A small measurement, all of it: folds judged by one calibration instead of four, which take minutes."""

from collections.abc import Iterator

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.models.appearances import deal_folds
from assay.screening.turns import Turns
from examples.screened_games import PLAIN, calibration, field
from research.evidence.screening import dealings, measured, trials
from research.evidence.screening.measured import Measurement
from research.evidence.screening.trials import Fold, Trial


@pytest.fixture(scope="package")
def measurement() -> Iterator[Measurement]:
    """Five players of each of three ratings, two games each."""
    tables = []
    for place, elo in enumerate((1800, 2000, 2200)):
        names = [f"{name} {elo}" for name in ("Ann", "Bob", "Cid", "Dee", "Eve")]
        tables.append(field(names, games=2, turns=26, elo=elo, seed=10 * place))

    def made(trial: Trial, one: int, _: object) -> Fold:
        rows = np.flatnonzero(trial.fold == one)
        at = np.flatnonzero(np.isin(trial.place, rows))
        return Fold(rows, calibration(), PLAIN.curves, at, Turns.of(trial.turns.decisions.take(at)))

    patch = pytest.MonkeyPatch()
    patch.setattr(Trial, "_made", made)
    patch.setattr(trials, "FOLDS", 2)
    patch.setattr(measured, "FOLDS", 2)
    patch.setattr(trials, "deal_folds", lambda *given: deal_folds(*given[:3], 2, given[4]))
    patch.setattr(measured, "GAMES", (1, 2))
    patch.setattr(measured, "DEALT", 2)
    patch.setattr(dealings, "DEALT", 2)
    yield Measurement(Trial(Decisions.concat(tables)))
    patch.undo()
