"""Figures of posteriors over the skill c, like Figures 1 and 2 of Di Fatta, Haworth and Regan 2009."""

from collections.abc import Sequence

from assay.figures import densities
from assay.figures.curves import Panel, Series, curves
from assay.figures.densities import Density
from assay.figures.figure import Figure
from assay.models.bayes.skill import Skill

MOST_CURVES = 40
"""More densities than this cannot be told apart: the figure shows those resting on most decisions."""


def density_figure(skills: Sequence[Skill], title: str = "Probability of the model E(c)") -> Figure:
    """The density of c for each player or group (Figure 1)."""
    most = sorted(skills, key=lambda skill: -skill.profile.decisions)[:MOST_CURVES]
    shown = [_density(skill, ", ".join(skill.label)) for skill in skills if skill in most]
    return densities.density_figure(title, shown, _range(most), "skill c")


def training_figure(curve: Sequence[Skill]) -> Figure:
    """Density, mean and deviation against the number of decisions (Figure 2)."""
    ends = _range(curve)
    drawn = [
        densities.density(_density(skill, f"{skill.profile.decisions:,.0f} decisions"), ends, number)
        for number, skill in enumerate(curve)
    ]
    means = [skill.posterior.mean for skill in curve]
    deviations = [skill.posterior.deviation for skill in curve]
    panels = [
        Panel(drawn, title="density of c", x_title="skill c", x=ends),
        _by_size(curve, means, "mean of c"),
        _by_size(curve, deviations, "deviation of c"),
    ]
    return curves("Training: what more decisions tell", panels, columns=3, width=1200)


def _by_size(curve: Sequence[Skill], values: Sequence[float], title: str) -> Panel:
    sizes = [skill.profile.decisions for skill in curve]
    titles = [f"{size:,.0f} decisions: {value:.3f}" for size, value in zip(sizes, values, strict=True)]
    line = Series(title, sizes, values, titles=titles, listed=False)
    return Panel([line], title=title, x_title="decisions", x_text="{:,.0f}".format, logarithmic=True)


def _density(skill: Skill, name: str) -> Density:
    return name, skill.posterior.c, skill.posterior.density


def _range(skills: Sequence[Skill]) -> tuple[float, float]:
    regions = [skill.posterior.region(0.999) for skill in skills]
    return min(low for low, _ in regions), max(high for _, high in regions)
