"""`assay method ...` as a user calls it: each method in its own numbers."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from assay.cli import main
from assay.cli.methods import paper_of
from assay.decisions.decisions import Decisions
from assay.models.base import recipe_of
from assay.models.bayes import BayesModel, Hypothesis, log_probability
from assay.models.elo_mapping import ScalarMapping
from assay.rating.pipeline import rate_decisions
from assay.rating.scale import scale_of_mileposts
from assay.rating.spread import LEAST_FORM
from assay.testing import make_decisions
from examples.commands import document, printed, run, sentence
from examples.drawings import texts


def test_indicators(capsys: pytest.CaptureFixture[str], source: str) -> None:
    rows = document(capsys, "method", "conformance", source, "--by", "year")
    assert [row["year"] for row in rows] == [2000, 2001, 2002, 2003, 2004]
    assert "best" in printed(capsys, "method", "conformance", source, "--results", "--loss", "raw")
    rows = document(capsys, "method", "covariance", source, "--n0", 0, "--n0", 5)
    assert [row["n0"] for row in rows] == [0, 5]
    assert "trace" in sentence(capsys, "method", "complexity", source)


@pytest.mark.parametrize("method", ["gain", "markov"])
def test_a_methods_own_numbers(capsys: pytest.CaptureFixture[str], source: str, method: str) -> None:
    # The engine's own distribution is measured on all the moves at hand: the peak is the same for everyone.
    more = ("--engine-profile", "peak") if method == "gain" else ()
    rows = document(capsys, "method", method, source, *more)
    assert [row["player"] for row in rows] == ["Ann", "Bob"]
    (ann,) = document(capsys, "method", method, source, "--player", "ann", *more)
    assert {**ann, **rows[0]} == ann
    assert len(document(capsys, "method", method, source, "--by", "year")) == 10


def test_gain_by_events_and_the_engine_by_players(capsys: pytest.CaptureFixture[str], source: str) -> None:
    """Table 2 of Ferreira 2012 in one call, everyone at every event; and Table 4."""
    rows = document(capsys, "method", "gain", source, "--show", "pairs", "--by", "event")
    names = {row["player"] for row in rows}
    assert len(rows) == len(names) * (len(names) - 1)
    by_pair = {(row["player"], row["opponent"]): row for row in rows}
    for (player, opponent), row in by_pair.items():
        back = by_pair[opponent, player]
        assert row["expectation"] + back["expectation"] == pytest.approx(1)
        assert row["difference_low"] <= row["difference"] <= row["difference_high"]
    assert "event0" in printed(capsys, "method", "gain", source, "--show", "pairs", "--by", "event")
    peak = ("--engine-profile", "peak")
    engine = document(capsys, "method", "gain", source, "--show", "engine", *peak)
    own = {row["player"]: row for row in document(capsys, "method", "gain", source, "--by", "event", *peak)}
    for row in engine:
        assert row["engine_by_elo"] == pytest.approx(row["elo"] - row["difference"])
    assert {row["player"] for row in engine} == set(own) == {"Ann", "Bob"}
    words = printed(capsys, "method", "gain", source, "--show", "engine")
    assert "Strength of the engine (Algorithm 3)" in words
    assert "These analyses have several lines" in words
    assert "--by has no effect" in sentence(
        capsys, "method", "gain", source, "--show", "engine", "--by", "year"
    )


def test_the_distribution_of_gain_is_drawn(
    capsys: pytest.CaptureFixture[str], source: str, tmp_path: Path
) -> None:
    figure = tmp_path / "gain.svg"
    printed(capsys, "method", "gain", source, "--plot", figure)
    text = figure.read_text(encoding="utf-8")
    assert {"Ann", "Bob"} <= set(texts(text))
    assert "gain of a move, pawns" in text
    printed(capsys, "compare", source, "Ann@2001", "Bob", "--plot", figure)
    text = figure.read_text(encoding="utf-8")
    assert {"Ann@2001", "Bob", "Ann@2001 less Bob"} <= set(texts(text))
    assert "difference of two gains, pawns" in text


def test_a_player_in_some_years(capsys: pytest.CaptureFixture[str], source: str) -> None:
    rows = document(capsys, "method", "gain", source, "--player", "ann@2001-2002", "--by", "year")
    assert [(row["player"], row["year"]) for row in rows] == [("Ann", "2001"), ("Ann", "2002")]
    for method in ("markov", "bayes", "choice"):
        whole, part = (
            document(capsys, "method", method, source, "--player", who) for who in ("ann", "ann@2001-2002")
        )
        assert part != whole


@pytest.mark.parametrize(
    "asked",
    [
        "markov --markov-prior none",
        "markov --colours apart",
        "conformance --loss raw --k1 1.44",
        "conformance --loss raw --search",
        "conformance --search --k2 -3",
        "conformance --results --by year",
        "covariance --vector tanh --n0 3",
        "choice --by player --fit likelihood",
        "choice --width 20",
        "choice --by milepost --min-decisions 9",
        "choice --period 1991-1994",
        "bayes --sequence 2400 --by year",
        "bayes --by result --grid adaptive",
        "bayes --curve --by year",
        "bayes --width 20",
    ],
)
def test_an_option_without_effect_is_an_error(
    capsys: pytest.CaptureFixture[str], source: str, asked: str
) -> None:
    method, *options = asked.split()
    unused = next(word for word in reversed(options) if word.startswith("--"))
    assert f"{unused} has no effect" in sentence(capsys, "method", method, source, *options)


def test_every_method_cites_its_paper(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("gain", "bayes", "choice", "conformance", "covariance", "markov", "complexity"):
        paper = paper_of(name)
        assert paper is not None
        said = " ".join(printed(capsys, "method", name, "--help").split())
        assert paper.name[-4:] in said, name


def test_markov_as_the_paper_has_it(capsys: pytest.CaptureFixture[str], source: str) -> None:
    asked = ("method", "markov", source, "--markov-prior", "none", "--classes", "uniform")
    rows = document(capsys, *asked, "--show", "pairs")
    assert [row["white"] for row in rows] == ["Ann", "Bob"]
    assert "--by has no effect" in sentence(capsys, *asked, "--show", "pairs", "--by", "year")
    apart = document(capsys, *asked, "--show", "matrix", "--colours", "apart")
    assert len(apart) == 2 * 2 * 10
    with_prior = document(capsys, "method", "markov", source, "--classes", "uniform", "--show", "pairs")
    assert with_prior[0]["expectation"] != rows[0]["expectation"]


def test_k_by_search_and_curves_of_covariance(capsys: pytest.CaptureFixture[str], source: str) -> None:
    shown = " ".join(printed(capsys, "method", "conformance", source, "--search", "--results").split())
    assert "by search k1 =" in shown
    paper, found = document(capsys, "method", "covariance", source, "--vector", "tanh")
    assert (paper["k1"], paper["k2"], paper["a"]) == (1.2, -3.41, 1.16)
    assert found["correlation"] >= paper["correlation"]
    # The results of these games are drawn at random.
    _, _, said = run(capsys, "method", "covariance", source, "--vector", "spline")
    assert "no rising vector" in said


@pytest.mark.parametrize("method", ["conformance", "markov"])
def test_repetitions_are_left_out_where_that_is_asked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, method: str
) -> None:
    some = make_decisions(games=6, plies=60)
    again = np.arange(len(some)) % 4 == 0
    table = some.table()
    place = table.column_names.index("repetition")
    path = tmp_path / "repeated.parquet"
    Decisions.from_table(table.set_column(place, "repetition", pa.array(again.astype(np.int16)))).write(path)
    moves = [
        sum(row["decisions" if method == "markov" else "moves"] for row in document(capsys, *asked))
        for asked in (("method", method, str(path)), ("method", method, str(path), "--no-repetitions"))
    ]
    assert 0 < moves[1] < moves[0]


def test_depth_and_traits_read_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.parquet"
    make_decisions(trace=True).write(path)
    [ann, bob] = document(capsys, "method", "depth", path)
    assert {ann["player"], bob["player"]} == {"Ann", "Bob"}
    assert ann["sight_low"] <= ann["sight"] <= ann["sight_high"]
    assert "assay calibrate" in sentence(capsys, "method", "traits", path)


# `assay skill` as a user calls it: every use that the paper names.


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


# What `assay method choice` answers.


def test_c_can_be_held(capsys: pytest.CaptureFixture[str], source: str) -> None:
    found = document(capsys, "method", "choice", source, "--c", 0.5, "--fit", "likelihood")
    assert found["c"] == 0.5
    assert found["interval"] is None


def test_players_on_the_scale_of_mileposts(
    capsys: pytest.CaptureFixture[str], source: str, mileposts: object
) -> None:
    code, out, said = run(
        capsys, "method", "choice", source, "--by", "player", "--mileposts", mileposts, "--csv"
    )
    assert code == 0, said
    head, *rows = out.splitlines()
    assert head == "group,games,decisions,s,c,elo,low,high,published,difference"
    assert [row.split(",")[0] for row in rows] in (["Ann", "Bob"], ["Bob", "Ann"])
    code, out, said = run(
        capsys,
        *("method", "choice", source, "--by", "player", "--mileposts", mileposts, "--min-decisions", 99_999),
    )
    assert "left out: 2 of 2 groups (" in said
    assert "there is no player to rate: give more games, or lower --min-decisions" in said
    assert (code, out) == (2, "")


def test_without_a_scale_s_and_c_are_told_and_no_elo(capsys: pytest.CaptureFixture[str], source: str) -> None:
    """Regan and Haworth's question 3 on games whose recipe has no calibration."""
    found = document(capsys, "method", "choice", source, "--by", "player")
    for row in found["rows"] if isinstance(found, dict) else found:
        assert row["s_low"] <= row["s"] <= row["s_high"]
        assert row["c_low"] <= row["c"] <= row["c_high"]
        assert row["elo"] is None
    said = " ".join(printed(capsys, "method", "choice", source, "--by", "player").split())
    assert "Sensitivity and consistency by player" in said
    assert "there is no Elo scale for choice here" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "period"], "give the periods to compare"),
        (["--by", "period", "--period", "then"], "then"),
        (["--fit", "guess"], "guess"),
        (["--curve", "line"], "no curve named"),
    ],
)
def test_wrong_use_is_one_sentence(
    capsys: pytest.CaptureFixture[str], source: str, options: list[str], message: str
) -> None:
    assert message in sentence(capsys, "method", "choice", source, *options)


# What `assay method bayes` answers: rows, what they rest on, figures.


@pytest.mark.parametrize("by", ["all", "player", "game", "year", "result"])
def test_skill_of_decisions_that_pass_no_rule(
    by: str, opening: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence(capsys, "method", "bayes", opening, "--by", by, "--plot", tmp_path / "figure.html")
    assert list(tmp_path.iterdir()) == []


def test_two_hypotheses_and_what_the_ratio_is_not(
    six_games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "method", "bayes", six_games, "--versus", "engine", "c=1")
    assert found["rows"][0]["log ratio"] < 0
    assert "not proof of cheating" in found["not"]
    assert main(["method", "bayes", str(six_games), "--versus", "engine", "c=1:2"]) == 0
    assert "not proof of cheating" in " ".join(capsys.readouterr().out.split())


def test_tables_say_what_became_of_moves_outside_the_lines(
    six_games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["method", "bayes", str(six_games), "--by", "result", "--outside", "exclude"]) == 0
    assert "outside the lines are left out" in " ".join(capsys.readouterr().out.split())


def test_csv_and_figures(six_games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            ["method", "bayes", str(six_games), "--by", "player", "--csv", "--plot", str(tmp_path / "f.html")]
        )
        == 0
    )
    assert capsys.readouterr().out.splitlines()[0] == "player,games,decisions,c,deviation,low,high"
    assert main(["method", "bayes", str(six_games), "--curve", "--plot", str(tmp_path / "g.html")]) == 0
    for name in ("f.html", "g.html"):
        page = (tmp_path / name).read_text()
        assert "<svg" in page
        assert "<script" not in page
        assert 'src="http' not in page


# What `assay method bayes` is asked, from the words of the command line.


def test_a_sequence_under_a_player(
    six_games: Path, mileposts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, decisions = BayesModel(), Decisions.read(six_games)
    scale = scale_of_mileposts(BayesModel(), recipe_of(decisions), Decisions.read(mileposts))
    mapping = scale.mappings["bayes"]
    assert isinstance(mapping, ScalarMapping)
    rated = Hypothesis.rated(2300, mapping, LEAST_FORM)
    (row,) = document(capsys, "method", "bayes", six_games, "--sequence", "2300", "--mileposts", mileposts)[
        "rows"
    ]
    expected = log_probability(model.profile(decisions), rated) / math.log(10)
    assert row["log10 probability"] == pytest.approx(expected)
    assert row["probability of a move"] == pytest.approx(10 ** (expected / row["decisions"]))
    (agent,) = document(capsys, "method", "bayes", six_games, "--sequence", "c=1.4")["rows"]
    assert agent["player"] == "c = 1.4"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--player", "Nobody"], "there is no player 'Nobody'"),
        (["--band", "high"], "is not a range"),
        (["--sequence", "2400"], "use a recipe with a calibration"),
        (["--sequence", "strong"], "does not describe a player"),
        (["--sequence", "c=1:x"], "is not a range"),
        (["--curve", "--by", "result"], "choose one of"),
        (["--by", "milepost"], "one century of rating"),
        (["--by", "milepost", "--width", "-1"], "'--width'"),
    ],
)
def test_wrong_use_is_one_sentence_skill_questions(
    six_games: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["method", "bayes", str(six_games), *options]) == 2
    assert message in capsys.readouterr().err
