"""Figures of posteriors over skill."""

import numpy as np
import pytest

from assay.models import BayesModel
from assay.models.bayes.skill import apparent_skill_by, training_curve
from assay.report.skill_figures import density_figure, training_figure
from assay.testing import make_decisions


def test_every_density_has_a_line_of_its_own() -> None:
    made = make_decisions(games=30)
    figure = density_figure(apparent_skill_by(BayesModel(), made, "player", "game_id"))
    lines = [one for one in figure.root.iter("polyline") if "stroke" in str(one.get("class"))]
    styles = [(one.get("class"), one.get("stroke-dasharray")) for one in lines]
    assert len(styles) > 20
    assert len(set(styles)) == len(styles)


def test_only_the_densities_that_rest_on_most_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.report.skill_figures.MOST_CURVES", 2)
    made = make_decisions(games=3, plies=80)
    sizes = {"game0": 80, "game1": 40, "game2": 60}
    kept = [
        row
        for row, (game, ply) in enumerate(zip(made.text("game_id"), made.numbers("ply"), strict=True))
        if ply < sizes[game or ""]
    ]
    text = density_figure(apparent_skill_by(BayesModel(), made.take(np.array(kept)), "game_id")).svg()
    assert "game0" in text
    assert "game2" in text
    assert "game1" not in text


def test_training_shows_what_more_decisions_tell() -> None:
    found = training_curve(BayesModel(), make_decisions(games=10, plies=80))
    text = training_figure(found).svg()
    for skill in found:
        assert f"{skill.profile.decisions:,.0f} decisions: {skill.posterior.mean:.3f}" in text
        assert f"{skill.profile.decisions:,.0f} decisions: {skill.posterior.deviation:.3f}" in text
