"""One rating everywhere: every call rates the same games alike, to the point."""

import shutil
from pathlib import Path

import pytest

from assay.rating.calibration import Calibration, place_of
from assay.study import Study
from examples.milepost_games import milepost_games


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calibration: Calibration) -> Study:
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(tmp_path))
    calibration.write(place_of(calibration.recipe_id, tmp_path))
    milepost_games([1800, 2000, 2400], seed=5, games=4, games_each=4).write(tmp_path / "decisions.parquet")
    return Study(tmp_path / "decisions.parquet")


@pytest.fixture
def event(tmp_path: Path) -> Study:
    """An event of four players, who show each other's level where the prior is the population."""
    folder = tmp_path / "tournament.assay"
    shutil.copytree(Path(__file__).parents[1] / "golden" / "data" / "tournament.assay", folder)
    return Study(folder, analysed=True)


@pytest.mark.parametrize("which", ["study", "event"])
def test_every_call_has_the_rating_that_rate_has(which: str, request: pytest.FixtureRequest) -> None:
    study = request.getfixturevalue(which)
    everyone = study.rate()
    one, other = (everyone[name] for name in sorted(player.player for player in everyone.players)[:2])
    names = one.player, other.player
    elos = [player.combined.elo for player in (one, other)]
    assert [study.rate(players=[name]).players[0].combined.elo for name in names] == pytest.approx(elos)
    compared, forecast = study.compare(*names), study.forecast(*names, resamples=0)
    assert [compared.scale.rating(name).elo for name in names] == pytest.approx(elos)
    assert [player.combined.elo for player in forecast.rated] == pytest.approx(elos)
    assert compared.forecast.expectation == pytest.approx(forecast.answer.expectation)
    table = study.tournament(taken_from="career", resamples=0)
    assert [table.scale.rating(name).elo for name in names] == pytest.approx(elos)
    by_year = {int(part.group): part for part in study.rate(by="year").players if part.player == one.player}
    years = {row["year"]: row["ratings"]["combined"] for row in study.career(one.player).players[one.player]}
    assert years == {year: part.combined for year, part in by_year.items()}


def test_a_methods_own_rating_does_not_depend_on_the_others_asked_for(event: Study) -> None:
    together = {player.player: player.ratings["bayes"].elo for player in event.rate().players}
    alone = {player.player: player.ratings["bayes"].elo for player in event.rate(methods=["bayes"]).players}
    assert alone == pytest.approx(together)


def test_an_expected_score_follows_elos_curve(study: Study) -> None:
    (table,) = study.tournament(taken_from="career", pairs="met", resamples=0).to_dict()
    rating = {player["player"]: player["rating"]["elo"] for player in table["players"]}
    for player in table["players"]:
        expected = [
            cell["games"] / (1 + 10 ** ((rating[cell["opponent"]] - rating[player["player"]]) / 400))
            for cell in player["opponents"]
        ]
        assert player["expected_points"] == pytest.approx(sum(expected), abs=0.01)
