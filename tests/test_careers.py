"""Players through the years: forgetting, activity, head-to-heads, matches, and their commands."""

import json
from pathlib import Path

import numpy as np
import pytest

from assay.cli import main
from assay.domain.decisions import Decisions
from assay.domain.names import find_player
from assay.domain.profile import Profile
from assay.errors import InputError
from assay.models.careers import Careers, HeadToHeads, PlayerYear, head_to_heads
from assay.models.conformance import ConformanceModel, smoothed
from assay.models.covariance import CovarianceModel
from assay.models.markov import MarkovModel
from assay.models.registry import make_model, methods
from assay.report.careers import career_figure, to_html, versus_figure
from assay.validation.career_table import career_table
from assay.validation.conformance_table import conformance_by, conformance_with_results
from assay.validation.matches import (
    Match,
    championships,
    elo_expectation,
    find_matches,
    forecast_matches,
    match_errors,
    read_matches,
)
from decision_tables import make_decisions
from game_tables import make_games

NAMES = ["Fischer, Robert James", "Fisher, John", "Spassky, Boris V", "Spassky, Igor"]


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    """Ann and Bob in 2000, 2001, ..., 2004: two games a year."""
    return make_decisions(games=10, plies=80)


@pytest.fixture(scope="module")
def source(decisions: Decisions, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("careers") / "decisions.parquet"
    decisions.write(path)
    return str(path)


class TestNames:
    def test_players_are_found_by_the_beginning_of_their_names(self) -> None:
        assert find_player("fischer", NAMES) == "Fischer, Robert James"
        assert find_player("Spassky, B", NAMES) == "Spassky, Boris V"
        assert find_player("Fisher, John", NAMES) == "Fisher, John"

    @pytest.mark.parametrize(
        ("text", "say"),
        [
            ("Spassky", "give more"),
            ("Fis", "give more"),
            ("Tal", "there is no player"),
            (" ", "there is no player"),
        ],
    )
    def test_unclear_names_are_refused(self, text: str, say: str) -> None:
        with pytest.raises(InputError, match=say):
            find_player(text, NAMES)

    def test_a_player_and_a_year(self) -> None:
        assert PlayerYear.parse("Fischer@1971", NAMES) == PlayerYear("Fischer, Robert James", 1971)
        assert str(PlayerYear.parse("Fischer", NAMES)) == "Fischer, Robert James"
        with pytest.raises(InputError, match="Fischer@1971"):
            PlayerYear.parse("Fischer@soon", NAMES)


class TestCareers:
    def test_years_before_count_half_and_later_ones_nothing(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        parts = [careers.single[PlayerYear("Ann", year)] for year in (2000, 2001, 2002)]
        assert careers.profile(PlayerYear("Ann", 2002)).equals(Profile.sum(parts, [0.25, 0.5, 1.0]))
        whole = MarkovModel().profile(decisions.select(player="Ann"))
        assert careers.profile(PlayerYear("Ann")).equals(whole)

    def test_the_smoothed_indicator_is_the_papers_q(self, decisions: Decisions) -> None:
        model = ConformanceModel("raw")
        careers = Careers(model, decisions, min_moves=10)
        years = [2000, 2001, 2002]
        counts = [careers.single[PlayerYear("Bob", year)].evidence for year in years]
        assert model.at(careers.profile(PlayerYear("Bob", 2002)), 30).value == pytest.approx(
            smoothed(counts, years)[3]
        )

    def test_years_with_few_moves_are_not_active_and_say_so(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=500)
        key = PlayerYear("Ann", 2001)
        assert not careers.is_active(key)
        assert "below the 500" in careers.note(key)
        assert careers.active() == []
        assert any("below" in note for note in careers.forecast(key, PlayerYear("Bob", 2001)).notes)
        with pytest.raises(InputError, match="--min-moves"):
            head_to_heads(careers)

    def test_a_year_that_is_not_there_names_those_that_are(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions)
        with pytest.raises(InputError, match="2000-2004"):
            careers.parse("Ann@1999")

    def test_games_drawn_anew_have_the_weights_of_their_years(self, decisions: Decisions) -> None:
        careers = Careers(ConformanceModel(), decisions, min_moves=10)
        key = PlayerYear("Ann", 2001)
        drawn = careers.resampled(key, 400, seed=3)
        expected = careers.profile(key).decisions
        assert np.mean([one.decisions for one in drawn]) == pytest.approx(expected, rel=0.05)

    def test_intervals_hold_the_forecast(self, decisions: Decisions) -> None:
        for model in (ConformanceModel(), CovarianceModel(), MarkovModel()):
            careers = Careers(model, decisions, min_moves=10)
            forecast = careers.forecast(PlayerYear("Ann", 2004), PlayerYear("Bob", 2004), resamples=50)
            assert forecast.low <= forecast.expectation <= forecast.high

    def test_before_a_year_nothing_is_learned_from_it(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        only = Careers(MarkovModel(), decisions.select(year=[2000, 2001, 2002]), min_moves=10)
        earlier, prior = careers.before(2003), careers.model.prior_
        assert earlier.single.keys() == only.single.keys()
        assert (earlier.model.prior_.rows == only.model.prior_.rows).all()
        assert earlier.before(2005).single.keys() == only.single.keys()
        assert careers.before(2005).single.keys() > only.single.keys()
        assert careers.model.prior_ is prior
        with pytest.raises(InputError, match="no moves before 2000"):
            careers.before(2000)

    def test_a_wrong_factor_is_refused(self, decisions: Decisions) -> None:
        with pytest.raises(InputError, match="forgetting"):
            Careers(MarkovModel(), decisions, forgetting=0.5)


class TestHeadToHeads:
    def test_best_years_have_most_victories_over_others(self) -> None:
        keys = tuple(PlayerYear(name, year) for name in "AB" for year in (1, 2))
        table = np.full((4, 4), 0.5)
        table[0, 2:], table[2:, 0] = (0.4, 0.6), (0.6, 0.4)
        table[1, 2:], table[2:, 1] = (0.55, 0.7), (0.45, 0.3)
        best = HeadToHeads(keys, table).best_years()
        assert best == (PlayerYear("A", 2), PlayerYear("B", 1))
        assert HeadToHeads(keys, table).among(best).as_white.tolist() == [[0.5, 0.55], [0.45, 0.5]]

    def test_matches_share_colours(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        table = head_to_heads(careers)
        assert len(table.keys) == 10
        assert table.match + table.match.T == pytest.approx(np.ones((10, 10)))
        i, j = 1, 7
        assert table.match[i, j] == pytest.approx(careers.forecast(table.keys[i], table.keys[j]).expectation)


class TestMatches:
    def test_the_papers_elo_forecasts(self) -> None:
        printed = [row for row in championships() if row.first_elo]
        assert len(championships()) == 17
        assert len(printed) == 11
        assert elo_expectation(125) == pytest.approx(0.67, abs=0.005)

    def test_forecasts_are_from_the_year_before(self, decisions: Decisions) -> None:
        careers = Careers(MarkovModel(), decisions, min_moves=10)
        matches = [Match("Ann", "Bob", 2003, 0.6, 2500, 2400), Match("Ann", "Bob", 1980, 0.5)]
        rows = forecast_matches(matches, [careers])
        years = PlayerYear("Ann", 2002), PlayerYear("Bob", 2002)
        only = Careers(MarkovModel(), decisions.select(year=[2000, 2001, 2002]), min_moves=10)
        assert rows[0].forecasts["markov"].expectation == only.forecast(*years).expectation
        # A prior of all years would have known more than there was to know.
        assert rows[0].forecasts["markov"].expectation != careers.forecast(*years).expectation
        assert set(rows[0].forecasts) == {"markov", "elo", "half"}
        assert "markov" not in rows[1].forecasts
        assert "markov: no moves of Ann in 1979" in rows[1].notes[0]
        errors = {one.method: one for one in match_errors(rows)}
        assert errors["half"].error == pytest.approx(0.05)
        assert errors["elo"].matches == 1

    def test_matches_are_found_among_the_games(self, decisions: Decisions) -> None:
        assert find_matches(decisions, min_games=2) == []  # two games a year, in two events
        [first, *_] = find_matches(decisions, min_games=1)
        assert (first.first, first.second, first.first_elo, first.second_elo) == ("Ann", "Bob", 2400, 2200)
        games = make_games(games=9, moves=12)
        one_event = find_matches(games, min_games=3)
        assert [(m.first, m.second, m.year, m.games) for m in one_event] == [
            ("A", "B", y, 3) for y in (2000, 2001, 2002)
        ]
        results = {m.year: m.actual for m in one_event}
        for year in (2000, 2001, 2002):
            own = games.select(player="A", year=year)
            shares = dict(zip(own.text("game_id"), own.numbers("result"), strict=True))
            assert results[year] == pytest.approx(np.mean(list(shares.values())))

    def test_lists_of_matches(self, tmp_path: Path) -> None:
        path = tmp_path / "matches.csv"
        path.write_text(
            "first,second,year,actual,first_elo,second_elo\nAnn,Bob,2003,62,2500,\nA,B,2001,0.5,,\n"
        )
        assert read_matches(path) == [Match("Ann", "Bob", 2003, 0.62, 2500), Match("A", "B", 2001, 0.5)]
        path.write_text("first,second\nAnn,Bob\n")
        with pytest.raises(InputError, match="year"):
            read_matches(path)
        path.write_text("first,second,year,actual\nAnn,Bob,soon,50\n")
        with pytest.raises(InputError, match="not a match"):
            read_matches(path)


class TestTables:
    def test_methods_are_found_by_name(self) -> None:
        assert {"conformance", "covariance", "markov"} <= set(methods())
        assert make_model("markov", prior="none").prior == "none"
        with pytest.raises(InputError, match="choose one of"):
            make_model("guess")

    def test_a_career_has_every_year(self, decisions: Decisions) -> None:
        rows = career_table(decisions, "Ann", [MarkovModel()], min_moves=10, resamples=20)
        assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
        assert all(row["conformance_low"] <= row["conformance"] <= row["conformance_high"] for row in rows)
        assert all(row["conformance_0"] <= row["conformance"] for row in rows)
        assert all("markov_expectation" in row and row["ratings"] == {} for row in rows)

    def test_conformance_by_columns_adds_up(self, decisions: Decisions) -> None:
        rows = conformance_by(decisions, ["player", "colour"], "raw")
        assert [(row["player"], row["colour"]) for row in rows] == [
            (player, colour) for player in ("Ann", "Bob") for colour in ("black", "white")
        ]
        model = ConformanceModel("raw")
        assert sum(row["moves"] for row in rows) == model.profile(decisions).decisions

    def test_conformance_with_results_marks_the_best_bound(self) -> None:
        rows = conformance_with_results(make_games(games=60), "raw")
        best = [row for row in rows if row["best"]]
        assert len(best) == 1
        assert best[0]["correlation"] == max(row["correlation"] for row in rows)

    def test_figures_are_single_files(self, decisions: Decisions) -> None:
        rows = career_table(decisions, "Ann", min_moves=10, resamples=5)
        table = head_to_heads(Careers(ConformanceModel(), decisions, min_moves=10))
        for figure in (career_figure({"Ann": rows}, 30), versus_figure(table, "conformance")):
            html = to_html(figure)
            assert "<script src=" not in html
            assert "Ann" in html


class TestCommands:
    def run(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
        assert main([*arguments]) == 0
        return capsys.readouterr().out

    def test_career(self, capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
        figure = tmp_path / "career.html"
        out = self.run(capsys, "career", "Ann", "-s", source, "--json", "--figure", str(figure))
        assert [row["year"] for row in json.loads(out)] == [2000, 2001, 2002, 2003, 2004]
        assert figure.stat().st_size > 100_000
        assert "too few moves" in self.run(capsys, "career", "Ann", "Bob", "-s", source)
        assert self.run(capsys, "career", "Ann", "-s", source, "--csv").startswith("player,year,games")

    def test_versus(self, capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
        figure = tmp_path / "versus.html"
        few = ("-s", source, "--min-moves", "10")
        out = json.loads(self.run(capsys, "versus", *few, "--json", "--figure", str(figure)))
        assert len(out["names"]) == 2
        assert figure.is_file()
        assert "active years of 2 players" in self.run(capsys, "versus", *few, "-m", "covariance", "--white")
        csv = self.run(capsys, "versus", *few, "--csv", "--every-year", "--years", "2001,2003-2004")
        assert len(csv.splitlines()) == 7
        assert main(["versus", *few, "--years", "then"]) == 2
        assert main(["versus", *few, "-m", "guess"]) == 2

    def test_forecast(self, capsys: pytest.CaptureFixture[str], source: str) -> None:
        out = json.loads(
            self.run(capsys, "forecast", "Ann@2003", "Bob", "-s", source, "--json", "--resamples", "20")
        )
        assert {"conformance", "covariance", "markov"} <= {row["method"] for row in out["forecasts"]}
        assert out["notes"]
        assert "Ann@2003 against Bob" in self.run(
            capsys, "forecast", "Ann@2003", "Bob", "-s", source, "-m", "markov"
        )
        assert main(["forecast", "Ann@1990", "Bob", "-s", source]) == 2
        assert "2000-2004" in capsys.readouterr().err

    def test_matches(self, capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path) -> None:
        listed = tmp_path / "matches.csv"
        listed.write_text("first,second,year,actual\nAnn,Bob,2003,0.6\nBob,Ann,2004,0.55\nAnn,Bob,2005,0.5\n")
        few = ("-s", source, "--list", str(listed), "--resamples", "20", "-m", "markov", "-m", "conformance")
        out = json.loads(self.run(capsys, "matches", *few, "--json"))
        assert [one["method"] for one in out["errors"]] == ["markov", "conformance", "half"]
        assert "Mean errors" in self.run(capsys, "matches", *few)
        assert len(self.run(capsys, "matches", *few, "--csv").splitlines()) == 4
        found = json.loads(self.run(capsys, "matches", "-s", source, "--found", "-m", "markov", "--json"))
        assert found == {"matches": [], "errors": []}

    def test_indicators(self, capsys: pytest.CaptureFixture[str], source: str) -> None:
        rows = json.loads(self.run(capsys, "conformance", "-s", source, "--by", "year", "--json"))
        assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
        assert "best" in self.run(capsys, "conformance", "-s", source, "--results", "--loss", "raw")
        rows = json.loads(self.run(capsys, "covariance", "-s", source, "--n0", "0", "--n0", "5", "--json"))
        assert [row["n0"] for row in rows] == [0, 5]
        assert main(["complexity", "-s", source]) == 2
        assert "trace" in capsys.readouterr().err
