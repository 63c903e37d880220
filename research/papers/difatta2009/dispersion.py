"""How much more c varies over games than its posterior says: where DISPERSION of bayes is from.

    python -m research.papers.difatta2009.dispersion ANALYSED

ANALYSED is a file of decisions from milepost games. For each milepost, the variance of the mean of c between
resamples of whole games, divided by the variance of the posterior of all its games.
"""

import argparse
from pathlib import Path

import numpy as np

from assay.decisions.decisions import Decisions
from assay.models.bayes import DISPERSION, BayesModel
from assay.models.bayes_skill import band, mileposts
from assay.models.intervals import resample_weights

RESAMPLES = 3000
SEED = 1
WIDTH = 20
"""Elo on either side of a milepost."""


def dispersion(model: BayesModel, decisions: Decisions) -> float:
    """Variance of c over resampled games, divided by that of the posterior: moves taken as independent."""
    stack = model.profiles_by(decisions)
    drawn = stack.weighted(resample_weights(len(stack), RESAMPLES, SEED))
    means = [model.posterior(profile).mean for profile in drawn]
    return float(np.var(means, ddof=1) / model.posterior(stack.total()).deviation ** 2)


def main() -> None:
    """Print the ratio of each milepost, and their mean beside the number in use."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("analysed", type=Path)
    model, decisions = BayesModel(), Decisions.read(parser.parse_args().analysed)
    ratios = []
    for elo, skill in mileposts(model, decisions):
        ratios.append(dispersion(model, band(decisions, elo - WIDTH, elo + WIDTH)))
        print(f"{elo:.0f}: {skill.profile.games:.0f} games, {ratios[-1]:.2f}")
    print(
        f"{len(ratios)} mileposts: mean {np.mean(ratios):.2f}, {min(ratios):.1f} to {max(ratios):.1f}; "
        f"in use: {DISPERSION:g}"
    )


if __name__ == "__main__":
    main()
