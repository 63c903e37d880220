"""Figures of posteriors over the skill c, like Figures 1 and 2 of Di Fatta, Haworth and Regan 2009."""

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from assay.models.apparent_skill import Skill
from assay.report.lines import line_style
from assay.report.markup import literal

MOST_CURVES = 40
"""More densities than this cannot be told apart: the figure shows those resting on most decisions."""


def density_figure(skills: Sequence[Skill], title: str = "Probability of the model E(c)") -> go.Figure:
    """The density of c for each player or group (Figure 1)."""
    figure = go.Figure()
    most = sorted(skills, key=lambda skill: -skill.profile.decisions)[:MOST_CURVES]
    for index, skill in enumerate(skill for skill in skills if skill in most):
        figure.add_trace(_density(skill, ", ".join(skill.label), index))
    low, high = _range(most)
    return _dressed(figure, title).update_layout(
        xaxis={"title": "skill c", "range": [low, high]}, yaxis={"title": "probability density"}
    )


def training_figure(curve: Sequence[Skill]) -> go.Figure:
    """Density, mean and deviation against the number of decisions (Figure 2)."""
    figure = make_subplots(rows=1, cols=3, subplot_titles=("density of c", "mean of c", "deviation of c"))
    sizes = [skill.profile.decisions for skill in curve]
    for index, skill in enumerate(curve):
        name = f"{skill.profile.decisions:,.0f} decisions"
        figure.add_trace(_density(skill, name, index), row=1, col=1)
    for column, values in enumerate(
        ([s.posterior.mean for s in curve], [s.posterior.deviation for s in curve]), start=2
    ):
        trace = go.Scatter(x=sizes, y=values, mode="lines+markers", showlegend=False)
        figure.add_trace(trace, row=1, col=column)
        figure.update_xaxes(title="decisions", type="log", row=1, col=column)
    figure.update_xaxes(title="skill c", range=_range(curve), row=1, col=1)
    return _dressed(figure, "Training: what more decisions tell").update_layout(width=1300)


def self_contained(figure: go.Figure) -> str:
    """The figure as one HTML file that needs no network."""
    page: str = figure.to_html(full_html=True, include_plotlyjs=True)
    return page


def _density(skill: Skill, name: str, index: int) -> go.Scatter:
    posterior = skill.posterior
    return go.Scatter(
        x=posterior.c,
        y=posterior.density,
        mode="lines",
        name=literal(name),
        line=line_style(index),
        hovertemplate="c %{x:.3f}, density %{y:.2f}",
    )


def _range(skills: Sequence[Skill]) -> tuple[float, float]:
    regions = [skill.posterior.region(0.999) for skill in skills]
    return min(low for low, _ in regions), max(high for _, high in regions)


def _dressed(figure: go.Figure, title: str) -> go.Figure:
    return figure.update_layout(title=literal(title), template="plotly_white", width=1000, height=600)
