"""Posteriors over c, drawn."""

from assay.models.bayes import BayesModel
from assay.models.bayes_skill import apparent_skill, apparent_skill_by
from assay.testing import make_decisions
from examples.drawings import texts
from research.papers.difatta2009 import figure
from research.papers.difatta2009.figure import density_svg


def test_the_figure_has_a_curve_and_a_name_for_each_skill() -> None:
    model = BayesModel(opening_turns=0)
    skills = [apparent_skill(model, make_decisions(games=n, options=4)) for n in (20, 40)]
    drawn = figure.density_svg(skills)
    assert drawn.count("<polyline") == 2
    assert drawn.startswith("<svg ")
    assert drawn.endswith("</svg>\n")


def test_densities_have_their_names_at_the_peaks() -> None:
    skills = apparent_skill_by(BayesModel(), make_decisions(games=10, players=("1600", "2700")), "player")
    drawn = density_svg(skills)
    assert drawn.count("<polyline") == 2
    assert texts(drawn).count("1600") == texts(drawn).count("2700") == 2  # in the legend, and at the peak
    assert drawn.endswith("</svg>\n")
