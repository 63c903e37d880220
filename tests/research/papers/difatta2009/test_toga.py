"""Skill in the games of one milepost, as a row of the page."""

import pytest

from assay.models.bayes import BayesModel
from assay.models.bayes_skill import apparent_skill
from assay.reproduce import facts
from assay.testing import make_decisions
from examples.gain_examples import with_column
from research.papers.difatta2009 import real_games
from research.papers.difatta2009.toga import toga_row


@pytest.mark.parametrize("elo", [2100, 2700])
def test_a_row_has_the_skill_of_its_milepost(elo: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_games, "RESAMPLES", 20)
    model, decisions = BayesModel(), make_decisions(games=8, plies=60)
    games = decisions.text("game_id")
    near = [elo if game in ("game0", "game1", "game2", "game3", "game4") else 1500 for game in games]
    for name in ("player_elo", "opponent_elo"):
        decisions = with_column(decisions, name, near)
    row = toga_row(model, decisions, elo)
    own = apparent_skill(model, decisions.select(game=[f"game{n}" for n in range(5)]))
    low, high = own.posterior.region()
    assert row[:7] == (
        str(elo),
        model.outside,
        "5",
        f"{own.profile.decisions:,.0f}",
        f"{own.posterior.mean:.3f}",
        f"{own.posterior.deviation:.3f}",
        f"{low:.2f} to {high:.2f}",
    )
    (paper,) = [one["mean_c"] for one in facts("difatta2009")["apparent_skill"] if one["name"] == f"E{elo}"]
    assert row[-1] == f"{paper:.3f}"
