"""`assay skill` as a user calls it: every use that the paper names."""

from pathlib import Path

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.models.base import recipe_of
from assay.models.bayes import BayesModel
from assay.rating.rate import rate_decisions
from assay.rating.scale import scale_of_mileposts
from examples.commands import document, printed


def test_one_posterior_for_all(six_games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "method", "bayes", six_games)
    (row,) = found["rows"]
    model = BayesModel()
    estimate = model.estimate(model.profile(Decisions.read(six_games)))
    assert row["c"] == pytest.approx(estimate["c"].value)
    assert row["low"] == pytest.approx(estimate["c"].low)
    assert "own searched value" in found["outside"]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (["--by", "player"], 2),
        (["--by", "game"], 12),
        (["--by", "year"], 6),
        (["--by", "event"], 6),
        (["--player", "Ann", "--game", "game3"], 1),
        (["--band", "2100:2500"], 1),
        (["--curve"], 3),
        (["--by", "result"], 4),
    ],
)
def test_every_grouping(
    six_games: Path, capsys: pytest.CaptureFixture[str], options: list[str], rows: int
) -> None:
    assert len(document(capsys, "method", "bayes", six_games, *options)["rows"]) == rows


def test_every_milepost(mileposts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "method", "bayes", mileposts, "--by", "milepost", "--mileposts", mileposts)[
        "rows"
    ]
    assert [row["milepost"] for row in rows] == [str(2000 + 100 * step) for step in range(6)]
    assert [row["c"] for row in rows] == pytest.approx([0.8 + 0.2 * step for step in range(6)], abs=0.4)


def test_elo_through_mileposts(six_games: Path, mileposts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = document(capsys, "method", "bayes", six_games, "--mileposts", mileposts)["rows"]
    assert row["elo_low"] < row["elo"] < row["elo_high"]


def test_elo_is_that_of_rate_by_this_method(
    six_games: Path, mileposts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One way from evidence to Elo: the posterior on the mileposts, which has no Elo far beyond them."""
    decisions, model = Decisions.read(six_games), BayesModel()
    scale = scale_of_mileposts(model, recipe_of(decisions), Decisions.read(mileposts))
    expected, _ = rate_decisions(decisions, scale, methods=["bayes"])
    by_player = ("method", "bayes", six_games, "--by", "player", "--mileposts", mileposts)
    found = document(capsys, *by_player)
    for row in found["rows"]:
        [one] = [player for player in expected if player.player == row["player"]]
        rating = one.ratings["bayes"]
        ends = (rating.elo, rating.low, rating.high)
        assert (row["elo"], row["elo_low"], row["elo_high"]) == pytest.approx(ends)
    assert "as assay rate has it: Elo, as in the mileposts given, 2000 to 2500" in found["intervals"]
    assert "provisional" in found["intervals"]
    perfect = decisions.with_played(np.zeros(len(decisions), np.int64))
    path = six_games.with_name("perfect.parquet")
    perfect.write(path)
    (row,) = document(capsys, "method", "bayes", path, "--mileposts", mileposts)["rows"]
    assert 2400 < row["elo"] < row["elo_high"] < 3500


def test_single_games_are_named_in_words(six_games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "method", "bayes", six_games, "--by", "game")["rows"]
    assert len(rows) == 12
    assert all(row["game"].startswith("against ") for row in rows)
    assert {row["game_id"] for row in rows} == {f"game{number}" for number in range(6)}
    assert len({(row["player"], row["game"]) for row in rows}) == 12
    assert "game_id" not in printed(capsys, "method", "bayes", six_games, "--by", "game")


def test_settings_of_the_agents(capsys: pytest.CaptureFixture[str], six_games: Path, mileposts: Path) -> None:
    asked = ("method", "bayes", str(six_games))
    (fixed,) = document(capsys, *asked)["rows"]
    (adaptive,) = document(capsys, *asked, "--grid", "adaptive")["rows"]
    assert adaptive["c"] == pytest.approx(fixed["c"], abs=1e-3)
    (other,) = document(capsys, *asked, "--offset", "0.5")["rows"]
    assert other["c"] != pytest.approx(fixed["c"], abs=1e-2)
    asked = ("method", "bayes", str(mileposts), "--by", "milepost")
    narrow, wide = (document(capsys, *asked, "--width", width)["rows"] for width in (1, 50))
    assert sum(row["decisions"] for row in narrow) <= sum(row["decisions"] for row in wide)
