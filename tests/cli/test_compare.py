"""Panel Compare, as a user types it."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from assay.answers.comparisons import Career, MatchForecasts
from assay.answers.ratings import Forecast, PlayerRating, Rating, Record
from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.models.markov import MarkovModel
from assay.rating.calibration import Calibration, place_of
from assay.rating.careers import Careers
from assay.testing import make_decisions
from examples.commands import document, exit_code, printed, run, sentence
from examples.gain_examples import BYRNE, FISCHER, printed_decisions, with_game_ids
from examples.milepost_games import milepost_games


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "Ann", "Bob", "--limit", "1000000000"),
        ("forecast", "Ann", "Bob", "--resamples", "1000000000"),
    ],
    ids=" ".join,
)
def test_numbers_beyond_sense_are_refused_before_the_work(
    arguments: tuple[str, ...], source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([arguments[0], source, *arguments[1:]]) == 2
    assert "Invalid value" in capsys.readouterr().err


def test_separate_groups_are_said(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    asked = ("tournament", meetings, "--from", "career", "--json")
    [plain] = json.loads(printed(capsys, *asked))
    assert plain["scale"] is None
    assert {one["rating"] for one in plain["players"]} == {None}
    assert "perceived" not in json.dumps(plain)
    [table] = json.loads(printed(capsys, *asked, "--perceived"))
    assert len(table["groups"]) == 2
    assert "own" in table["notes"][0]
    by_name = {player["player"]: player for player in table["players"]}
    ann, bob = by_name["Ann"], by_name["Bob"]
    both = ann["perceived_strength"]["value"] + bob["perceived_strength"]["value"]
    assert both == pytest.approx(ann["elo"] + bob["elo"], abs=0.2)
    assert [cell["opponent"] for cell in ann["opponents"]] == ["Bob"]
    [everyone] = json.loads(
        printed(capsys, "tournament", meetings, "--from", "career", "--pairs", "all", "--json")
    )
    assert len(everyone["groups"]) == 1
    assert len(everyone["players"][0]["opponents"]) == 3


def test_a_measured_engine_is_nearer_than_its_peak(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    found = []
    for profile in ("peak", "measured"):
        options = ("--from", "career", "--engine-profile", profile, "--resamples", "0", "--json")
        [table] = json.loads(printed(capsys, "tournament", meetings, "--perceived", *options))
        found.append(table["perceived_engine_strength"]["by_elo"])
    assert found[0] != found[1]


def test_the_paper_s_two_players(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "game.parquet")
    printed_decisions().write(path)
    found = json.loads(printed(capsys, "compare", path, "fischer", "Byrne", "--json", "--perceived"))
    assert [player["player"] for player in found["players"]] == [FISCHER, BYRNE]
    assert found["expectation_by_gain"]["value"] == pytest.approx(0.655, abs=5e-4)
    assert found["perceived_difference"]["value"] == pytest.approx(113, abs=0.5)
    assert not found["resampled"]
    assert "113" not in printed(capsys, "compare", path, "Fischer", "Byrne")
    shown = " ".join(printed(capsys, "compare", path, "Fischer", "Byrne", "--perceived").split())
    assert "Perceived difference +113" in shown
    assert "too few games to resample" in shown


def test_a_player_in_two_periods(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    shown = " ".join(printed(capsys, "compare", meetings, "Ann@2000-2001", "Ann@2003").split())
    assert re.search(r"Ann@2000-2001 is expected to score .* against Ann@2003 by the method gain", shown)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("Ann", "Zed"), "there is no player 'Zed'"),
        (("Ann@1900", "Bob"), "choose other years"),
        (("Ann@x", "Bob"), "there is no event 'x'"),
    ],
)
def test_wrong_players_are_clear_errors(
    capsys: pytest.CaptureFixture[str], meetings: str, names: tuple[str, str], message: str
) -> None:
    assert main(["compare", meetings, *names]) == 2
    assert message in capsys.readouterr().err


def test_strength_through_an_engine_of_known_strength(
    capsys: pytest.CaptureFixture[str], meetings: str
) -> None:
    asked = ("tournament", meetings, "--resamples", "0", "--engine-profile", "peak")
    [table, *_] = json.loads(printed(capsys, *asked, "--engine-strength", "2860", "--json"))
    for one in table["players"]:
        through = one["perceived_through_engine"]
        assert through["low"] < through["value"] < through["high"]
    assert table["engine_strength"] == 2860
    shown = " ".join(printed(capsys, *asked, "--engine-strength", "2860").split())
    assert "of strength 2860 (Algorithm 4): perceived strength" in shown
    assert "through" not in printed(capsys, *asked)


def test_the_engine_s_strength_from_another_event(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    asked = ("compare", meetings, "Ann@event1", "Bob@event1", "--engine-profile", "peak", "--json")
    found = json.loads(printed(capsys, *asked, "--engine-from", "event0"))
    tables = json.loads(
        printed(
            capsys,
            "tournament",
            meetings,
            "--perceived",
            "--engine-profile",
            "peak",
            "--json",
            "--resamples",
            "0",
        )
    )
    assert found["engine_strength"] == tables[0]["perceived_engine_strength"]["by_elo"]
    again = json.loads(printed(capsys, *asked, "--engine-strength", str(found["engine_strength"])))
    values = [[one["perceived_through_engine"]["value"] for one in d["players"]] for d in (found, again)]
    assert values[0] == pytest.approx(values[1], abs=0.11)
    assert main([*asked, "--engine-from", "event0", "--engine-strength", "2800"]) == 2
    assert "choose one" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["provisional", "carried"])
@pytest.mark.parametrize("command", ["compare", "forecast", "career", "tournament"])
def test_a_provisional_scale_or_a_bridge_is_called_so_by_every_command(
    command: str,
    word: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    calibration: Calibration,
) -> None:
    """Fifty players in games are too few to trust; ratings on such a scale never stand without a word.

    Nor do ratings on a scale that a bridge carried over.
    """
    spread = calibration.spread
    if word == "provisional":
        poor = replace(calibration, spread=replace(spread, milepost_games=5.0))
    else:
        about = {"games": 70, "bridge": {"recipe": "standard", "engine": "Fish", "games": 650}}
        poor = replace(calibration, spread=replace(spread, carried=20.0), about=about)
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(tmp_path))
    poor.write(place_of(poor.recipe_id, tmp_path))
    decisions = milepost_games([1800, 2400], seed=5, games=4, games_each=2)
    source = tmp_path / "decisions.parquet"
    decisions.write(source)
    one, other = sorted(decisions.players)[:2]
    names = {"career": [one], "tournament": []}.get(command, [one, other])
    asked = [
        command,
        str(source),
        *names,
        *(["--resamples", "0"] if command in ("forecast", "tournament") else []),
    ]
    assert main(asked) == 0
    said = capsys.readouterr()
    assert word in f"{said.out} {said.err}"


# What `assay tournament` and `assay compare` answer.


def test_compare_as_csv_is_seen_from_both_sides(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", source, "Ann", "Bob", "--csv", "--perceived"]) == 0
    head, *lines = (line.split(",") for line in capsys.readouterr().out.splitlines())
    ann, bob = (dict(zip(head, line, strict=True)) for line in lines)
    assert float(ann["expectation_by_gain"]) + float(bob["expectation_by_gain"]) == pytest.approx(1)
    assert float(ann["low_by_gain"]) + float(bob["high_by_gain"]) == pytest.approx(1)
    assert ann["expectation"] == ""  # without a scale there are no ratings to expect anything by


def test_the_table_shows_results_expectations_differences_and_strengths(
    capsys: pytest.CaptureFixture[str], meetings: str
) -> None:
    asked = ("tournament", meetings, "--event", "event1", "--resamples", "20")
    shown = printed(capsys, *asked)
    assert "event1 · " in shown
    assert all(word in shown for word in ("Ann", "Bob", "pts", "No ratings"))
    assert not any(word in shown for word in ("strength", "exp.", "perceived", "by gain"))
    assert "distributions by event: not on the Elo scale" in printed(capsys, *asked, "--details")
    perceived = " ".join(printed(capsys, *asked, "--perceived").split())
    assert "perceived strength (Ferreira 2012), not Elo" in perceived
    assert "Perceived strength of the engine" in perceived


def test_an_event_is_known_by_part_of_its_name(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    assert "event1 · " in printed(capsys, "tournament", meetings, "--event", "VENT1", "--resamples", "0")
    assert "there is no event 'Linares' in these games: there are event0" in sentence(
        capsys, "tournament", meetings, "--event", "Linares"
    )


def test_cells_as_csv(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    lines = printed(
        capsys, "tournament", meetings, "--from", "match", "--csv", "--resamples", "0"
    ).splitlines()
    assert lines[0] == "event,player,opponent,games,points,expectation,expectation_by_gain"
    assert len(lines) == 5


def test_infinities_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "two.parquet"
    make_decisions(games=1, plies=2).write(path)
    assert "∞" in printed(capsys, "tournament", str(path), "--perceived")
    [table] = json.loads(printed(capsys, "tournament", str(path), "--json", "--perceived"))
    assert table["players"][0]["opponents"][0]["perceived_difference"] is None
    assert table["players"][0]["opponents"][0]["expectation_by_gain"] in (0, 1)


def test_many_players_are_listed_without_cells(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "many.parquet"
    pairs = [(f"Player {n}", f"Player {n + 1}") for n in range(14)]
    games = [with_game_ids(make_decisions(1, seed=n, players=pair), str(n)) for n, pair in enumerate(pairs)]
    Decisions.concat(games).write(path)
    assert "½" not in printed(capsys, "tournament", str(path), "--resamples", "0").splitlines()[0]


# What `assay forecast` and `assay backtest matches` answer.


def test_nothing_to_forecast(opening: str, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no decisions of Ann in 1990" in sentence(capsys, "forecast", source, "Ann@1990", "Bob")
    sentence(capsys, "forecast", source, "Ann@1990", "Bob", "-m", "markov")
    sentence(capsys, "forecast", source, "Ann", "Nobody", "--json")
    assert "can be forecast" in sentence(capsys, "backtest", "matches", source, "-m", "markov")
    assert "can be forecast" in sentence(capsys, "backtest", "matches", opening)


def test_equal_notes_of_matches_are_said_once(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "matches.csv"
    listed.write_text(
        "first,second,year,actual\nAnn,Bob,2003,0.6\nAnn,Zed,2003,0.5\nAnn,Zed,2004,0.5\nAnn,Zed,2002,1\n"
    )
    few = ("--resamples", "0", "-m", "markov", "-m", "conformance")
    assert main(["backtest", "matches", source, "--list", str(listed), *few]) == 0
    (note,) = [line for line in capsys.readouterr().out.splitlines() if "Zed" in line and "here" in line]
    assert note.rstrip().endswith("(3 matches)")


def test_forecast(capsys: pytest.CaptureFixture[str], source: str) -> None:
    out = document(capsys, "forecast", source, "Ann@2003", "Bob", "--resamples", 20)
    assert {"conformance", "covariance", "markov"} <= {row["method"] for row in out["forecasts"]}
    assert out["notes"]
    shown = " ".join(printed(capsys, "forecast", source, "Ann@2003", "Bob", "-m", "markov").split())
    assert re.search("Ann@2003 is expected to score .* against Bob by the method markov", shown)
    code, _, said = run(capsys, "forecast", source, "Ann@1990", "Bob")
    assert code == 2
    assert "2000-2004" in said


def test_what_a_method_does_not_know_is_null() -> None:
    answer = MatchForecasts("Ann", "Bob", [Forecast("gain", 0.6, notes=("rough",))], ["markov: none"])
    assert answer.to_dict()["forecasts"][0] == {
        "method": "gain",
        "expectation": 0.6,
        **dict.fromkeys(("low", "high", "win", "draw", "loss")),
    }
    assert answer.remarks == ["gain: rough; markov: none"]
    assert [words.title for words in answer.words()] == [
        "Ann is expected to score 60% against Bob by the method gain."
    ]
    (table,) = answer.details()
    assert list(table.rows) == [("gain", "60", "", "", "", "")]


def test_settings_of_the_papers_wherever_their_methods_compare(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    """Raw counts in ten classes, as Alliot has it; and the number of convolutions."""
    asked = ("forecast", source, "Ann", "Bob", "--min-moves", 10, "--resamples", 0)
    model = MarkovModel("uniform", prior="none")
    careers = Careers(model, Decisions.read(source), forgetting=2.0, min_moves=10)
    expected = careers.forecast(careers.parse("Ann"), careers.parse("Bob"), 0).expectation
    paper = document(capsys, *asked, "-m", "markov", "--markov-prior", "none", "--classes", "uniform")
    assert paper["forecasts"][0]["expectation"] == pytest.approx(expected, abs=1e-4)
    plain = document(capsys, *asked, "--method", "markov")
    assert plain["forecasts"][0]["expectation"] != paper["forecasts"][0]["expectation"]
    short, usual = (
        document(capsys, *asked, "--method", "covariance", *more)["forecasts"][0]["expectation"]
        for more in (("--n0", 0), ())
    )
    assert short != usual
    versus = ("versus", source, "--min-moves", 10)
    assert document(capsys, *versus, "--markov-prior", "none") != document(capsys, *versus)
    assert "n0 is one of covariance" in sentence(capsys, *versus, "--n0", 16)
    career = ("career", source, "Ann", "--min-moves", 10)
    assert document(capsys, *career, "--classes", "uniform") != document(capsys, *career)


def test_a_forecast_by_ratings_begins_with_the_answer() -> None:
    ratings = [
        Rating("combined", elo, low=elo - 150, high=elo + 150, decisions=200, games=8) for elo in (2610, 2600)
    ]
    record = Record(3, 3, 2)
    rated = [
        PlayerRating(
            player=name,
            group="",
            games=8,
            decisions=200,
            record=record,
            reference=2620,
            ratings={},
            combined=x,
        )
        for name, x in zip(("Ann", "Bob"), ratings, strict=True)
    ]
    close = Forecast("combined", 0.51, low=0.41, high=0.61)
    answer = MatchForecasts(
        "Ann", "Bob", [Forecast("gain", 0.7), close], (), (rated[0], rated[1]), "FIDE Elo"
    )
    (words,) = answer.words()
    assert words.title == "Too close to call: Ann is expected to score 51% (41 to 61) against Bob."
    assert [list(row)[:5] for row in words.rows] == [
        ["Ann", 8, "2620", "2610", "2460-2760"],
        ["Bob", 8, "2620", "2600", "2450-2750"],
    ]
    assert answer.to_dict()["expectation"] == 0.51
    settled = replace(answer, forecasts=[replace(close, low=0.505)])
    assert next(iter(settled.words())).title.startswith("Ann is expected to score 51% (50 to 61)")


# What `assay career` and `assay versus` answer.


def test_a_career_fits_a_small_page(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert exit_code("career", source, "Ann") == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "No room here for" in text


def test_career(capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
    figure = tmp_path / "career.html"
    rows = document(capsys, "career", source, "Ann", "--plot", figure)
    assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
    assert "<title>Ann, 2003: " in figure.read_text(encoding="utf-8")
    assert printed(capsys, "career", source, "Ann", "--csv").startswith("player,year,games")


def test_versus(capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
    figure = tmp_path / "versus.html"
    few = (source, "--min-moves", 10)
    out = document(capsys, "versus", *few, "--plot", figure)
    assert len(out["names"]) == 2
    assert figure.is_file()
    assert "years with enough moves, of 2 players" in printed(
        capsys, "versus", *few, "-m", "covariance", "--white"
    )
    csv = printed(capsys, "versus", *few, "--csv", "--every-year", "--years", "2001,2003-2004")
    assert len(csv.splitlines()) == 7
    assert exit_code("versus", *few, "--years", "then") == 2
    assert exit_code("versus", *few, "-m", "guess") == 2


def test_ratings_of_a_year_are_columns() -> None:
    row = {
        "player": "Ann",
        "year": 2001,
        "games": 2.0,
        "decisions": 40.0,
        "active": False,
        "notes": ["a note"],
    }
    numbers = {"conformance_0": 0.5, "conformance": math.nan}
    rating = Rating("combined", 2404.4, low=2300, high=2500, decisions=40, games=2)
    answer = Career({"Ann": [{**row, **numbers, "ratings": {"combined": rating}}]})
    (flat,) = answer.rows()
    assert (flat["elo_combined"], flat["low_combined"], flat["conformance"]) == (2404.4, 2300.0, None)
    assert not {"ratings", "notes"} & set(flat)
    (table,) = answer.words()
    (cells,) = table.rows
    assert table.title == "Ann: in 2001, 2400 (2300-2500)"
    assert list(cells)[:4] == ["2001 *", 2, "2400", "2300-2500"]
    assert "too few moves (--min-moves): 1 of 1 years" in table.note
    (by_method,) = answer.details()
    assert "a note" in by_method.note
