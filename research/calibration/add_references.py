"""Add what the mileposts show in slices, and lose in positions, to a calibration made before it held that.

    python add_references.py CALIBRATION GAMES

GAMES is the workspace of analysed games that the calibration was made from. Everything else in the file stays
as it is; `assay calibrate` makes both at once.
"""

import sys
from dataclasses import replace

import numpy as np

from assay.models.appearances import Appearances
from assay.rating.calibration import Calibration, reference_of, stacks_of
from assay.rating.references import fit_expected_losses, fit_references
from assay.workspace import Workspace


def main(path: str, games: str) -> None:
    calibration = Calibration.read(path)
    decisions = Workspace(games).decisions(calibration.recipe_id, trace=True)
    appearances = Appearances.of(decisions)
    # Nothing is asked of the methods but which appearances all of them can read.
    mileposts = reference_of(appearances, stacks_of(appearances))
    made = fit_references(appearances, mileposts, calibration.agents)
    lost = fit_expected_losses(appearances, mileposts, calibration.agents)
    replace(calibration, slices=made, losses=lost).write(path)
    again = Calibration.read(path)
    assert again.losses is not None
    print(np.round(again.losses.lines, 4).tolist())
    print({kind: np.round(one.bias(2000)).tolist() for kind, one in again.slices.items()})


if __name__ == "__main__":
    main(*sys.argv[1:])
