"""`assay rate` from a PGN file on: what a user with games and a question does."""

import errno
import json
import shutil
from pathlib import Path

import pytest

import assay
from assay.cli import main
from assay.errors import EngineError, InputError
from assay.models.calibration_files import VARIABLE
from assay.store.tables import PartTable
from assay.study import Study
from assay.workspace import Workspace

RECIPE = """
base = "quick"
nodes = 400
lines = 3
"""

ANNOTATED = """
[Event "Test"]
[Site "?"]
[Date "2020.01.02"]
[Round "1"]
[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]

"""


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Path:
    """The bundled tournament, analysed by a tiny recipe in the workspace beside it."""
    place = tmp_path_factory.mktemp("rate")
    (place / "tiny.toml").write_text(RECIPE)
    shutil.copy(examples / "tournament.pgn", place / "games.pgn")
    Study(place / "games.pgn", recipe=str(place / "tiny.toml")).decisions()
    return place


@pytest.fixture
def games(analysed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, where no calibration is found."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    shutil.copytree(analysed, tmp_path / "place")
    monkeypatch.chdir(tmp_path / "place")
    return Path("games.pgn")


def rated(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["rate", "games.pgn", "--recipe", "tiny.toml", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_rate_from_pgn(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rated(capsys)
    assert found["engine"].startswith("Stockfish")
    assert found["recipe"] == "tiny"
    assert len(found["players"]) == 4
    for one in found["players"]:
        assert one["games"] == 6
        assert one["wins"] + one["draws"] + one["losses"] == 6
        assert one["reference"] == float(one["player"].split()[1])
    assert rated(capsys) == found  # and nothing is analysed again


def test_ratings_are_kept_and_exported(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rated(capsys)
    rows = Workspace("games.pgn.assay").table_ratings.read().to_pylist()
    combined = {row["player"]: round(row["elo"], 1) for row in rows if row["method"] == "combined"}
    assert combined == {one["player"]: one["combined"]["elo"] for one in found["players"]}
    assert main(["export", "ratings", "--workspace", "games.pgn.assay"]) == 0
    assert "combined" in capsys.readouterr().out


def test_by_game_names_the_game(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rated(capsys, "--by", "game", "--player", "Stockfish 2600")
    assert len(found["players"]) == 6
    assert all(one["about"].startswith("against Stockfish") for one in found["players"])


def test_the_report_is_one_file(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", "games.pgn", "--recipe", "tiny.toml", "--report", "out.html"]) == 0
    assert "out.html" in capsys.readouterr().err
    text = Path("out.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "Stockfish 2600" in text
    assert "default-src 'none'" in text  # nothing is fetched
    assert main(["report", "games.pgn", "--recipe", "tiny.toml", "-o", "again.html"]) == 0
    assert "Stockfish 2600" in Path("again.html").read_text(encoding="utf-8")


def test_from_python(games: Path) -> None:
    study = assay.Study(games, recipe="tiny.toml")
    ratings = study.rate(methods=["gain", "conformance"], min_decisions=1)
    assert ratings.methods == ("conformance", "gain")
    assert ratings["Stockfish 1400"].record.losses == 6
    assert not ratings.calibrated
    assert ratings.players[0].combined.elo >= ratings.players[-1].combined.elo
    with pytest.raises(KeyError):
        ratings["Nobody"]


def test_one_player_costs_only_his_games(
    analysed: Path, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the recipe has a calibration; without one, players are rated against each other."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(analysed / "tiny.toml", "tiny.toml")
    shutil.copy(examples / "tournament.pgn", "games.pgn")
    monkeypatch.setattr(Study, "_has_calibration", lambda self: True)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    Study("games.pgn", recipe="tiny.toml").rate(players=["Stockfish 1400", "Stockfish 2600"])
    some = Workspace("games.pgn.assay").table_analyses.count()
    everything = Workspace(analysed / "games.pgn.assay").table_analyses.count()
    assert 0 < some < everything


def test_games_that_must_not_be_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "short.pgn"
    path.write_text(ANNOTATED + "1. e4 e5 1/2-1/2\n")
    assert main(["rate", str(path)]) == 2
    assert "too short" in capsys.readouterr().err


def annotated(path: Path) -> Path:
    """One game with evaluations in its comments, long enough to be rated."""
    shuffle = ["Nf3", "Nf6", "Nc3", "Nc6", "Rg1", "Rg8", "Rh1", "Rh8"]
    moves = ["e4", "e5", "d3", "d6", *shuffle[:4], "h3", "h6", "a3", "a6", "g3", "g6", "b3", "b6"]
    moves += ["Bg2", "Bg7", "Bb2", "Bb7", "Qd2", "Qd7", "Nd1", "Nd8", "Ne3", "Ne6", "Rd1", "Rd8"]
    moves += ["Rh2", "Rh7", "Rh1", "Rh8", "Qc3", "Qc6", "Qd2", "Qd7", "c3", "c6", "Bc1", "Bc8", "Bb2", "Bb7"]
    texts = [
        f"{f'{ply // 2 + 1}.' if ply % 2 == 0 else ''} {move} {{ [%eval {0.1 * (ply % 7):.2f}] }}"
        for ply, move in enumerate(moves)
    ]
    path.write_text(ANNOTATED + " ".join(texts) + " 1/2-1/2\n")
    return path


def test_evaluations_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = annotated(tmp_path / "annotated.pgn")
    assert main(["rate", str(path), "--evaluations", "file", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["engine"] == "the games' own comments"
    assert {one["player"] for one in found["players"]} == {"Ann", "Bob"}
    assert set(found["players"][0]["ratings"]) == {"gain"}
    assert "no reference ratings" in found["notes"][-1]


def test_without_an_engine(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_ENGINE", "no-such-engine")
    path = annotated(tmp_path / "annotated.pgn")
    assert main(["rate", str(path), "--json"]) == 0  # auto: the comments stand in
    assert json.loads(capsys.readouterr().out)["engine"] == "the games' own comments"
    assert main(["rate", "games.pgn"]) == 3
    assert "no-such-engine" in capsys.readouterr().err
    with pytest.raises(InputError, match="no evaluations in their comments"):
        Study(games, evaluations="file").rate()
    with pytest.raises(EngineError):
        Study(games, evaluations="engine").rate()


def test_an_engine_that_is_none(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", "games.pgn", "--engine", "/bin/true", "--recipe", "quick"]) == 3
    error = capsys.readouterr().err
    assert "not a working UCI engine" in error
    assert error.count("\n") == 1


def test_a_full_disk_loses_nothing(
    games: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(PartTable, "replace", full)
        assert main(["rate", "games.pgn", "--recipe", "tiny.toml"]) == 3
    assert "the disk is full" in capsys.readouterr().err
    assert len(rated(capsys)["players"]) == 4


def test_wrong_use(games: Path) -> None:
    with pytest.raises(InputError, match="evaluations come from"):
        Study(games, evaluations="oracle")
    assert main(["rate", "games.pgn", "--by", "moon"]) == 2
    assert main(["rate", "games.pgn", "--min-decisions", "0"]) == 2
