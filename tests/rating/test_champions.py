"""Champions that ship by year: a small file made of made-up games, and checks of the one that ships."""

import hashlib
import json
import math
from copy import copy
from dataclasses import asdict
from importlib.resources import as_file, files
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from assay.cli import main
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.names import Who
from assay.errors import InputError
from assay.rating import champions as module
from assay.rating.calibration import shipped
from assay.rating.champions import BY_GAME, RESULTS, CareerModel, Champions, champions
from assay.study import Study
from assay.testing import make_decisions
from examples.commands import document, printed, sentence
from examples.made_up_champions import QUICK, STANDARD, write_champions
from research.calibration.champions import (
    STRENGTHS,
    add_evidence,
    career_prior,
    evidence_arrays,
    results_by_year,
    whole_games,
    write,
)
from research.evidence.champions import beside_published, careers_table, without_opening

BORN = {"Adams, Ann": 1960, "Brown, Bob": 1980}


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_champions(tmp_path_factory.mktemp("champions") / "champions.npz", BORN)


@pytest.fixture
def known(made_up: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Champions:
    """The same in place of those that ship, where there is no workspace."""
    roster = Champions.read(made_up)
    monkeypatch.setattr(module, "champions", lambda: roster)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_WORKSPACE", raising=False)
    return roster


def test_years_and_names(known: Champions) -> None:
    assert known.players == sorted(BORN)
    assert known.years("Adams, Ann") == [2000, 2001, 2002]
    assert known.who("ann@2001") == Who("Adams, Ann", 2001)
    with pytest.raises(InputError, match=r"no games of Adams, Ann in 1999: there are those of 2000-2002"):
        known.who("Adams@1999")
    with pytest.raises(InputError, match=r"'Fischer' is not among the champions: there are Adams, Brown"):
        known.who("Fischer")
    with pytest.raises(InputError, match=r"'Adms' is not among the champions: did you mean Adams\?"):
        known.who("Adms@2000")
    with pytest.raises(InputError, match="known by year, not by event"):
        known.who("Adams@London")


def test_rated_as_any_other_evidence_is(known: Champions) -> None:
    """The moves of all years by a flat prior are those that the pipeline rates of the same decisions."""
    from assay.rating.pipeline import rate_decisions

    decisions = make_decisions(6, 60, players=tuple(BORN), recipe=QUICK, trace=True)  # type: ignore[arg-type]
    expected = {
        player.player: player.combined
        for player in rate_decisions(decisions, shipped(QUICK), prior="flat")[0]
    }
    for name in BORN:
        [rated] = known.rated([Who(name)])
        assert rated.moves_only is not None
        assert (other := expected[name]) is not None
        assert rated.moves_only.elo == pytest.approx(other.elo, abs=0.5)
        assert (rated.moves_only.low, rated.moves_only.high) == pytest.approx((other.low, other.high), abs=1)
        assert rated.combined is not None
        [prior] = known.priors([Who(name)]).each
        assert rated.moves_only.elo < rated.combined.elo < prior.strength


def with_looks(known: Champions, peak: Floats) -> Champions:
    """The same champions, whose moves look otherwise."""
    other = copy(known)
    other.__dict__["looks"] = (peak, known.looks[1])
    return other


def test_the_prior_of_a_year_does_not_know_the_year(known: Champions) -> None:
    peak = known.looks[0].copy()
    peak[known.keys.index(Who("Adams, Ann", 2001))] += 500
    other = with_looks(known, peak)
    assert asdict(known.priors([Who("Adams, Ann", 2001)]).each[0]) == pytest.approx(
        asdict(other.priors([Who("Adams, Ann", 2001)]).each[0])
    )
    [prior], [moved] = (roster.priors([Who("Adams, Ann", 2002)]).each for roster in (known, other))
    assert moved.strength > prior.strength + 10


def test_before_a_year_nothing_later_is_known(known: Champions) -> None:
    peak = known.looks[0].copy()
    peak[[key.year != 2000 for key in known.keys]] += 300
    [prior], [moved] = (
        roster.priors([Who("Adams, Ann", 2000)], before=2001).each
        for roster in (known, with_looks(known, peak))
    )
    assert asdict(moved) == pytest.approx(asdict(prior))


def test_commands_without_games(known: Champions, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forecast", "Adams@2001", "Brown@2000-2002"]) == 0
    captured = capsys.readouterr()
    assert "Twenty champions by year" in captured.err.splitlines()[0]
    assert "Adams@2001 is expected to score" in " ".join(captured.out.split())
    assert "By today's engine" in captured.out
    found = document(capsys, "forecast", "Adams@2001", "Brown@2000-2002", "--json")
    methods = {row["method"] for row in found["forecasts"]}
    assert methods == {"conformance", "covariance", "markov", *STRENGTHS, "traits", "combined"}
    assert any("gain: not measured" in note for note in found["notes"])
    years = document(capsys, "career", "Ann", "--json")
    assert [row["year"] for row in years] == [2000, 2001, 2002]
    assert {row["games_of_year"] for row in years} == {20}
    table = document(capsys, "versus", "--min-moves", "1", "--json")
    assert table["method"] == "rating by moves"
    assert len(table["names"]) == 2
    assert len(document(capsys, "versus", "@2001", "--min-moves", "1", "--json")["names"]) == 2
    assert "those of 2000-2002" in sentence(capsys, "versus", "@1999")
    assert "those of 2000-2002" in sentence(capsys, "compare", "Adams@1999", "Brown")
    assert "gain: not measured" in sentence(capsys, "forecast", "Adams", "Brown", "--method", "gain")


def test_own_players_beside_champions(
    known: Champions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, other = tmp_path / "mine.parquet", tmp_path / "other.parquet"
    make_decisions(6, 60, players=("Me", "You"), recipe=QUICK, trace=True).write(mine)
    make_decisions(6, 60, players=("Me", "You"), trace=True).write(other)
    found = document(capsys, "forecast", mine, "Me", "Adams@2000", "--champions", "--json")
    assert all(found["ratings"])
    assert 0 < found["low"] < found["expectation"] < found["high"] < 1
    assert "Elo scale" not in printed(capsys, "compare", mine, "Me", "Adams", "--champions")
    standard = tmp_path / "standard.parquet"
    make_decisions(6, 60, players=("Me", "You"), recipe=STANDARD, trace=True).write(standard)
    beside = document(capsys, "forecast", standard, "Me", "Adams@2000", "--champions", "--json")
    champion, alike = (answer["ratings"][1] for answer in (beside, found))
    assert champion["elo"] == alike["elo"]
    error = known.scale_error(champion["elo"])
    assert 20 < error < 100
    assert champion["elo"] - champion["low"] == pytest.approx(
        math.hypot(alike["elo"] - alike["low"], 1.96 * error), abs=0.2
    )
    assert any("another recipe, quick" in note for note in beside["notes"])
    assert "are rated on the scale" in sentence(capsys, "forecast", other, "Me", "Adams", "--champions")


def test_a_file_of_other_features_is_refused(made_up: Path, tmp_path: Path) -> None:
    with np.load(made_up) as stored:
        header = json.loads(str(stored["header"]))
        arrays = {name: stored[name] for name in stored.files if name != "header"}
    for other in ({"features": "of another day"}, {"models": {**header["models"], "traits": "other"}}):
        write(tmp_path / "old.npz", {**header, **other}, arrays)
        with pytest.raises(InputError, match=r"another version of (the features|traits): make the file anew"):
            Champions.read(tmp_path / "old.npz")
    (tmp_path / "not.npz").write_bytes(b"nothing")
    with pytest.raises(InputError, match="is not a file of champions"):
        Champions.read(tmp_path / "not.npz")


def test_games_are_taken_as_picked_up_to_the_first_that_is_not_whole() -> None:
    name, other = "Fischer, Robert James", "Somebody"
    games = [
        {"game_id": f"g{n}", "white": name, "black": other, "year": 1971, "moves": [f"m{n}"], "result": 1.0}
        | {"white_elo": 2700, "black_elo": None}
        for n in range(6)
    ]
    assert results_by_year(games)[name, 1971] == [6, 6, 0, 0, 6 * 2700, 6, 0, 0]
    rows = [
        {
            "game_id": game["game_id"],
            "ply": ply,
            "player": name,
            "moves": ["a", "b"],
            "cp": [1, 0],
            "played": "a",
        }
        | {"exclusion": "not_analysed" if game["game_id"] == "g2" and ply else None, "recipe_id": "made"}
        for game in games
        for ply in (0, 2)
    ]
    decisions = whole_games(Decisions.from_table(pa.Table.from_pylist(rows)), games)
    from research.calibration.champions import ordered

    order = [game["game_id"] for game in ordered(games)[name, 1971]]
    assert sorted(set(decisions.text("game_id"))) == sorted(order[: order.index("g2")])


def test_evidence_of_more_games_adds_up() -> None:
    """Two files of different games, one with years of its own, are the file of all of them."""
    calibration = shipped(QUICK)
    assert calibration is not None
    decisions = make_decisions(12, 60, players=tuple(BORN), recipe=QUICK, trace=True)
    late = np.isin(decisions.text("game_id"), sorted(set(decisions.text("game_id")))[4:])
    parts = [
        evidence_arrays(decisions.take(np.flatnonzero(rows)), calibration)
        for rows in (late, ~late, np.full(len(decisions), True))
    ]
    added, whole = add_evidence(*parts[:2]), parts[2]
    assert set(added) == set(whole)
    np.testing.assert_array_equal(added["groups"], whole["groups"])
    for name in ("counts", "game_years", "traits.sums", "traits.read"):
        np.testing.assert_allclose(added[name], whole[name], rtol=1e-4, atol=1e-4, err_msg=name)
    for name in BY_GAME:
        assert added[f"{name}.data"].sum() == whole[f"{name}.data"].sum()
        np.testing.assert_array_equal(added[f"{name}.read"].sum(axis=0), whole[f"{name}.read"].sum(axis=0))
        assert len(added[f"{name}.indptr"]) == len(whole["game_years"]) + 1
    for name in STRENGTHS:
        assert np.isfinite(added[f"{name}.strength"]).sum() == np.isfinite(whole[f"{name}.strength"]).sum()


# The file that ships ---------------------------------------------------------------------------------------


def test_the_shipped_file() -> None:
    roster = champions()
    assert len(roster.players) == 20
    assert len(roster.keys) == len(set(roster.keys)) > 700
    with as_file(files("assay") / "data" / "calibrations" / f"{roster.recipe_id}.npz") as path:
        assert roster.header["calibration"] == hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    for numbers in roster.results.values():
        of = dict(zip(RESULTS, numbers, strict=True))
        assert of["wins"] + of["draws"] + of["losses"] == of["games"] > 0
        assert of["rated"] <= of["games"]
    sums = roster.sums(roster.keys)
    assert sums.game_counts.sum() == len(roster._game_years)
    assert (sums.game_counts <= [roster.results[key][0] for key in roster.keys]).all()
    for name in BY_GAME:
        assert (sums.read[name][:, 0] <= 1.5 * sums.size + 40).all()


def test_every_interval_of_the_shipped_file_contains_its_estimate() -> None:
    for key, player in champions().ratings.items():
        for rating in (player.combined, player.moves_only):
            assert rating is not None, key
            assert rating.low < rating.elo < rating.high
            assert 1000 < rating.elo < 3200
        assert math.isnan(player.reference) or 2000 < player.reference < 2900


def test_ratings_beyond_the_last_milepost_are_above_the_scale() -> None:
    roster = champions()
    assert roster.calibration is not None
    highest = roster.calibration.range.highest
    bounds = {rated.combined.bound for rated in roster.ratings.values() if rated.combined is not None}
    assert bounds == {None, "above"}
    for rated in roster.ratings.values():
        assert rated.combined is not None
        assert (rated.combined.bound == "above") == (rated.combined.elo > highest)
        assert rated.combined.shown.startswith("above") == (rated.combined.elo > highest)


def test_the_page_shows_the_shipped_file() -> None:
    page = (Path(__file__).parents[2] / "docs" / "evidence" / "champions.md").read_text(encoding="utf-8")
    roster = champions()
    for table in (careers_table(roster), beside_published(roster), without_opening(roster)):
        assert table in page
    assert f"{roster.header['games']:,} games, {roster.header['decisions']:,} moves" in page


def test_the_prior_is_found_in_simulated_careers() -> None:
    """Looks and published ratings drawn from a known model give it back."""
    truth = CareerModel(2500.0, 150.0, 40.0, 200.0, 15.0, 80.0, 30.0, 90.0, 6.0)
    born, ages = np.arange(1900.0, 1990.0, 5.0), np.arange(18.0, 54.0, 2.0)
    years = np.repeat(born, len(ages)), np.add.outer(born, ages).ravel(), np.repeat(born, len(ages))
    every = tuple(np.concatenate((column, column)) for column in years)
    n = len(years[0])
    looks = np.logical_and.outer(*[np.arange(2 * n) < n] * 2)
    generator = np.random.default_rng(7)
    elo = generator.multivariate_normal(
        np.full(2 * n, truth.mean),
        truth.covariance(every, every, looks=looks) + np.diag(np.repeat([30.0**2, 20.0**2], n)),
    )
    roster = SimpleNamespace(
        keys=range(n),
        record=lambda rows: {"published": elo[n + rows[0]]},
        looks=(elo[:n], np.full(n, 30.0)),
        single_years=lambda rows: tuple(column[np.asarray(rows)] for column in years),
    )
    fitted = career_prior(roster)  # type: ignore[arg-type]
    assert fitted.form == pytest.approx(truth.form, rel=0.15)
    assert fitted.form_years == pytest.approx(truth.form_years, rel=0.5)
    assert fitted.career == pytest.approx(truth.career, rel=0.3)


def test_versus_of_the_shipped_file_is_antisymmetric() -> None:
    table = Study.champions().versus()
    assert len(table.keys) == 20
    assert np.allclose(table.as_white + table.as_white.T, 1)
    assert table.low is not None
    assert table.high is not None
    assert np.allclose(table.low + table.high.T, 1)
    assert (table.low <= table.as_white).all()
    assert (table.as_white <= table.high).all()
