"""`assay rate`: its defaults are those of a study, and its report says how to make it again."""

import csv
import inspect
import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from typer.main import get_command

from assay import study
from assay.cli import app, main
from assay.decisions.decisions import Decisions
from assay.rating.calibration import VARIABLE
from assay.rating.pipeline import Request
from assay.screening.screen import screen_source
from assay.source import DecisionsFile
from assay.study import Study
from examples.commands import document, printed, run, sentence
from examples.pupil_games import pupil_games
from examples.screened_games import field, with_first_choice
from examples.server_games import evaluated_games


@pytest.fixture(autouse=True)
def _no_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))


def test_defaults_are_those_of_a_study() -> None:
    """A command that leaves something out must mean what a call means that leaves it out."""
    of_study = {**inspect.signature(Study.rate).parameters, **inspect.signature(Request).parameters}
    of_command = {one.name: one for one in get_command(app).commands["rate"].params}  # type: ignore[attr-defined]
    assert of_command["min_decisions"].default == of_study["min_decisions"].default
    assert of_command["by"].default == of_study["by"].default
    assert of_command["prior"].default == of_study["prior"].default
    assert (of_command["with_"].default, of_study["with_results"].default) == (None, False)
    for one, other in (("player", "players"), ("method", "methods"), ("calibration", "calibration")):
        assert not of_command[one].default
        assert of_study[other].default is None
    opened = inspect.signature(Study).parameters
    for name in ("workspace", "recipe", "engine", "jobs"):
        assert of_command[name].default is None
        assert opened[name].default is None
    assert str(of_command["evaluations"].default) == opened["evaluations"].default


def test_a_player_in_some_years_in_every_command(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As if there were no other games of the player."""
    asked = "--player", "ann@2001-2002"
    [part], [whole] = (
        document(capsys, "rate", source, "--player", who)["players"] for who in ("ann@2001-2002", "ann")
    )
    assert (part["player"], part["about"]) == ("Ann", "2001-2002")
    assert 0 < part["games"] < whole["games"]
    assert "in 1950" in sentence(capsys, "rate", source, "--player", "ann@1950")
    years = document(capsys, "versus", source, "--min-moves", 10, "--every-year", *asked)
    assert years["names"] == ["Ann@2001", "Ann@2002"]
    assert "assay forecast" in sentence(capsys, "versus", source, "--player", "ann@Event 1")
    table = document(capsys, "career", source, "ann@2001-2002", "--min-moves", 10)
    assert [year["year"] for year in table] == [2001, 2002]


def test_a_report_is_written_and_says_how_it_was_made(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    code, _, said = run(
        capsys, "rate", source, "--min-decisions", 7, "-p", "Ann", "-p", "Bob", "--report", page
    )
    assert code == 0
    assert f"the report is in {page}" in said
    text = page.read_text(encoding="utf-8")
    again = "assay rate decisions.parquet --player Ann --player Bob --min-decisions 7 --report report.html"
    assert again in text
    assert str(tmp_path) not in text  # paths are of one machine


def test_a_calibration_that_is_none(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "scale.npz"
    wrong.write_bytes(b"something else")
    assert "scale.npz" in sentence(capsys, "rate", source, "--calibration", wrong)


def test_ratings_are_drawn_where_there_is_a_scale(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without one there is nothing to draw: no Elo-looking bars."""
    assert main(["rate", source, "--plot", str(tmp_path / "r.svg")]) == 2
    assert "no ratings to draw" in capsys.readouterr().err
    assert main(["rate", source, "--plot", str(tmp_path / "r.gif")]) == 2
    assert not list(tmp_path.iterdir())


# Slices for people and for programs.


@pytest.fixture(scope="module")
def pupil(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("answers") / "pupil.parquet"
    pupil_games(8).write(path)
    return str(path)


def test_slices_for_programs(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", pupil, "--by", "pieces", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["part"] for row in rows} <= {"", "32 to 25 men", "24 to 17 men", "16 to 9 men", "8 to 2 men"}
    assert rows[0]["elo"]
    assert rows[1]["difference_elo"]


def test_the_table_fits_and_says_what_was_compared(
    pupil: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["rate", pupil, "--by", "colour", "--details"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "  white" in out
    words = " ".join(out.split())
    assert "Pupil, Pat: " in words
    assert "players of the same rating" in words
    assert out.count("player, colour") == 1  # the table was not cut in two


def test_games_without_what_is_asked(pupil: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing to cut by opening" in sentence(capsys, "rate", pupil, "--by", "opening")
    # Decisions have years only.
    assert "date with its month" in sentence(capsys, "progress", pupil, "-p", "pupil")


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("rate", "{}", "--by", "moon"), "'moon' is not one of"),
        (("rate", "{}", "--method", "guess"), "there is no method 'guess'"),
        (("rate", "{}", "--calibration", "missing.npz"), "missing.npz does not exist"),
        (("live", "missing.pgn"), "missing.pgn does not exist"),
    ],
)
def test_what_is_known_to_be_wrong_at_once_is_refused_before_the_games_are_opened(
    words: tuple[str, ...],
    refusal: str,
    source: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assay.source.open_source", None)
    code, _, err = run(capsys, *(word.format(source) for word in words))
    assert code == 2
    assert refusal in " ".join(err.split())


def test_a_lesson_as_text_and_pgn(
    pupil: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    pgn = tmp_path / "lesson.pgn"
    asked = ["lesson", pupil, "-p", "pupil", "--positions", "4", "--pgn", str(pgn), "--details"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    words = " ".join(out.split())
    assert words.startswith("Pupil, Pat: 4 positions worth an hour of ")
    assert "Of 100 players rated" in words
    assert "Accuracy" in words
    assert "Among others" in words
    assert "active players with a FIDE rating" in words
    assert pgn.read_text().count("[Event ") == 4
    tables = [line for line in out.splitlines() if "/" not in line]  # a FEN is as long as it is
    assert max(map(len, tables)) <= 80


# The commands about one player: what they ask for is there, and their progress is drawn.


def test_progress_is_told_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions: Decisions = pupil_games(6)
    decisions.write(tmp_path / "pupil.parquet")
    dates = {f"game{n}": f"2020-{1 + n:02}-05" for n in range(6)}
    monkeypatch.setattr(DecisionsFile, "dates", lambda self: dates)
    drawn = tmp_path / "progress.svg"
    arguments = ["progress", str(tmp_path / "pupil.parquet"), "-p", "pupil"]
    assert main([*arguments, "--plot", str(drawn), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["periods"]) == 6
    assert found["trend"]["low"] < found["trend"]["a_year"] < found["trend"]["high"]
    assert "Trend: " in drawn.read_text()


# `assay rate` where games are streamed, as a user types it.


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(9))
    return path


def test_sources_stand_apart(capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path) -> None:
    said = ("rate", games, "--evaluations", "file", "--stream", "--jobs", "1")
    found = document(capsys, *said)
    assert found["streamed"] is True
    blitz, rapid = found["sources"]
    assert (blitz["source"], rapid["source"]) == ("evaluated-lichess-blitz", "evaluated-lichess-rapid")
    assert "players" not in found
    assert {one["player"] for one in found["sources"][0]["players"]} <= {f"player{n}" for n in range(5)}
    text = " ".join(printed(capsys, *said).split())
    assert "lichess blitz" in text
    assert not list(tmp_path.glob("*.assay"))
    rows = printed(capsys, *said, "--csv").splitlines()
    assert rows[0].startswith("source,player,")


def test_bands_and_one_source(capsys: pytest.CaptureFixture[str], games: Path) -> None:
    games.write_text(evaluated_games(6).replace("Rated Rapid", "Rated Blitz"))
    found = document(capsys, "rate", games, "--evaluations", "file", "--by", "rating-band", "--jobs", "1")
    assert found["players"] == found["sources"][0]["players"]
    assert all(one["player"].endswith("99") for one in found["players"])


def test_population_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, out = tmp_path / "games.pgn", tmp_path / "population.json"
    path.write_text(evaluated_games(180, n_players=40).replace("Rated Rapid", "Rated Blitz"))
    printed(capsys, "rate", path, "--evaluations", "file", "--population", out, "--jobs", "1")
    first, *_ = json.loads(out.read_text())
    assert (first["source"], first["band"]) == ("evaluated-lichess-blitz", None)


def test_a_file_that_is_cut_is_rated_and_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "cut.pgn.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(evaluated_games(300).encode())
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    code, out, _ = run(capsys, "rate", path, "--evaluations", "file", "--stream", "--jobs", "1", "--json")
    assert code == 2
    assert "cut off" in json.loads(out)["damage"][0]


def test_which_games_are_streamed(
    capsys: pytest.CaptureFixture[str], games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their size, where the file's comments tell the values, and no workspace is named or there."""
    said = ("rate", games, "--evaluations", "file", "--time", "all", "--jobs", "1")
    monkeypatch.setattr(study, "STREAMED_BYTES", 10)
    assert document(capsys, *said)["streamed"]
    assert "streamed" not in document(capsys, *said, "--workspace", tmp_path / "w.assay")
    assert "streamed" not in document(capsys, *said, "--no-stream")
    assert "streamed" not in document(capsys, *said)  # there is a workspace now


def test_what_a_stream_cannot_do(capsys: pytest.CaptureFixture[str], games: Path) -> None:
    said = ("rate", games, "--stream", "--evaluations")
    assert "--player takes all games at once" in sentence(capsys, *said, "file", "--player", "player1")
    assert "--prior takes all games at once" in sentence(capsys, *said, "file", "--prior", "rating")
    assert "leave --stream out" in sentence(capsys, *said, "engine")
    assert "leave --no-stream out" in sentence(capsys, "rate", games, "--no-stream", "--by", "rating-band")


# `assay screen` as a user calls it.


@pytest.fixture(scope="module")
def games_screen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screen") / "field.parquet"
    with_first_choice(field(games=5, turns=25), "Cid", 1.0).write(path)
    return path


def test_defaults_are_those_of_a_study_screen() -> None:
    of_study = inspect.signature(screen_source).parameters
    of_command = {one.name: one for one in get_command(app).commands["screen"].params}  # type: ignore[attr-defined]
    for name in ("by", "min_decisions", "fide_list", "full"):
        assert of_command[name].default == of_study[name].default


def test_people_are_told_how_often_it_errs_and_accuse_nobody(
    games_screen: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, "screen", games_screen, "--details")
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    assert "simulated opens of 10 honest players (5 games each) somebody was named in" in words
    assert "(Holm)" in words
    assert "The games of Cid" in words
    assert not re.search("cheat|guilt|suspect|fraud", words, re.IGNORECASE)


def test_csv_report_and_figure(
    games_screen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, figure = tmp_path / "page.html", tmp_path / "funnel.svg"
    dossier = tmp_path / "dossier.html"
    files = ("--report", page, "--plot", figure, "--dossier", "dee", dossier)
    code, out, _ = run(capsys, "screen", games_screen, "--csv", *files)
    assert "The play of <bdi>Dee</bdi> in 5 games is not unusual" in dossier.read_text()
    assert "Decisions that weigh most" in dossier.read_text()
    assert code == 0
    assert "z_hard" in out.splitlines()[0]
    assert "Play beside rating" in page.read_text(encoding="utf-8")
    assert figure.read_text(encoding="utf-8").startswith("<svg")


def test_bad_input_is_one_sentence(games_screen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "fewer than 5000" in sentence(capsys, "screen", games_screen, "--min-decisions", 5000)
    assert "nobody" in sentence(capsys, "screen", games_screen, "-p", "nobody")


@pytest.mark.parametrize(
    "words", [("lesson", "games.pgn", "--player", "player1"), ("rate", "games.pgn", "--by", "phase")]
)
def test_what_needs_an_engine_says_so_and_starts_none(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Games rated by their evaluations are on a server's scale, which an engine would change unasked."""
    monkeypatch.chdir(tmp_path)
    Path("games.pgn").write_text(evaluated_games(12))
    assert "give --evaluations engine" in sentence(capsys, *words)
    assert not list(Path("games.pgn.assay").glob("analyses/*"))
    said = printed(capsys, "rate", "games.pgn", "--player", "player1")
    assert "assay lesson games.pgn -p player1 --evaluations engine" in said
