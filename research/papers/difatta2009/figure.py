"""Posteriors over c, like Figure 1 of Di Fatta, Haworth and Regan 2009."""

from collections.abc import Sequence

import numpy as np

from assay.figures.curves import density_figure
from assay.models.bayes_skill import Skill


def density_svg(skills: Sequence[Skill]) -> str:
    """Densities of c, one curve per skill, named at its peak."""
    regions = np.array([skill.posterior.region(0.9999) for skill in skills])
    ends = float(np.floor(regions.min() * 10) / 10), float(np.ceil(regions.max() * 10) / 10)
    densities = [(skill.label[0], skill.posterior.c, skill.posterior.density) for skill in skills]
    return f"{density_figure('Densities of the skill c', densities, ends, 'skill c').svg()}\n"
