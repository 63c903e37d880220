"""A method's own numbers by player and by part of a player."""

import pytest

from assay.errors import InputError
from assay.models.gain.model import GainModel
from assay.models.markov.model import MarkovModel
from assay.rating.estimates import estimates_by
from assay.testing import make_decisions


def test_rows_are_the_methods_own_estimates() -> None:
    decisions = make_decisions(games=6, plies=80)
    model = GainModel()
    rows = {row["player"]: row for row in estimates_by(model, decisions)}
    assert set(rows) == {"Ann", "Bob"}
    for player, row in rows.items():
        alone = model.estimate(model.profile(decisions.select(player=player)))
        assert row["mean_gain"] == pytest.approx(alone["mean_gain"].value)
        assert row["games"] == 6


def test_parts_of_a_player() -> None:
    decisions = make_decisions(games=10, plies=80)
    rows = estimates_by(MarkovModel(), decisions, "year")
    assert [row["year"] for row in rows if row["player"] == "Ann"] == ["2000", "2001", "2002", "2003", "2004"]
    games = estimates_by(GainModel(), decisions, "game")
    assert len(games) == 20
    assert all(row["game"].startswith("against ") for row in games)


def test_nothing_passes_the_rules() -> None:
    opening = make_decisions(games=2, plies=6)
    with pytest.raises(InputError, match="can be used by markov"):
        estimates_by(MarkovModel(), opening)
