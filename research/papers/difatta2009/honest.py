"""How often `engine` describes the moves of honest players better than their own ratings do.

    python -m research.papers.difatta2009.honest ANALYSED

ANALYSED is a file of decisions from milepost games, played over the board by players of known rating. Each
half of the games is judged by the mapping from c to Elo of the other half, one player in one game at a time;
form and variation from game to game are those of the calibration of `standard`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.models.bayes import DISPERSION, BayesModel
from assay.models.bayes_skill import Hypothesis, apparent_skill_by, likelihood_ratio
from assay.models.mileposts import mapping_from
from assay.rating.calibration import find_calibration
from assay.rating.spread import Spread

RECIPE = "672593ce2551e878"


def log_ratios(decisions: Decisions, spread: Spread) -> Floats:
    """Log likelihood ratios of engine against the own rating: every player in every game, by halves."""
    model = BayesModel()
    _, order = np.unique(decisions.codes("game_id"), return_inverse=True)
    second = order % 2 == 1
    halves = [decisions.take(np.flatnonzero(second == part)) for part in (False, True)]
    found = []
    for judged, known in (halves, halves[::-1]):
        mapping = mapping_from(model, known)
        for one in apparent_skill_by(model, judged, "player", "game_id", "player_elo"):
            elo = float(one.label[2])
            strays = spread.beyond_chance(model.name, elo, one.profile.decisions, DISPERSION)
            own = Hypothesis.rated(elo, mapping, strays)
            found.append(likelihood_ratio(one.profile, Hypothesis.engine(), own).log_ratio)
    return np.array(found)


def main() -> None:
    """Print the rate that is in use beside every such answer, measured again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("analysed", type=Path)
    calibration = find_calibration(RECIPE)
    assert calibration is not None, "ships with the package"
    found = log_ratios(Decisions.read(parser.parse_args().analysed), calibration.spread)
    above = [int((found > np.log(bound)).sum()) for bound in (1, 10, 100)]
    print(f"{len(found)} players in games: engine better {above[0]}, by 10 {above[1]}, by 100 {above[2]}")


if __name__ == "__main__":
    main()
