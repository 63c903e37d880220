"""`assay rate` from a PGN file on: what a user with games and a question does."""

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.engine.engines import EngineConfig
from assay.errors import EngineError, InputError
from assay.rating.calibration import VARIABLE
from assay.settings import VARIABLE as SETTINGS
from assay.source import WorkspaceSource
from assay.study import Study
from assay.workspace import Workspace
from assay.workspace.tables import PartTable
from examples import SIMULATED

ANNOTATED = """
[Event "Test"]
[Site "?"]
[Date "2020.01.02"]
[Round "1"]
[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]

"""


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
        assert one["wins"] + one["draws"] + one["losses"] == one["games"]
        assert one["reference"] == float(one["player"].split()[1])
    assert found["left_out"] == {}
    assert (found["calibrated"], found["scale"], found["prior"]) == (False, None, None)
    assert "assay calibrate" in found["notes"][0]
    assert rated(capsys) == found  # and nothing is analysed again
    fewer = rated(capsys, "--min-turns", "35")  # games that are too short are not counted
    assert fewer["left_out"] == {"too_short": 3}
    assert sum(one["games"] for one in fewer["players"]) == 2 * 9


def test_ratings_are_kept_and_exported(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = rated(capsys)
    rows = Workspace("games.pgn.assay").table_ratings.read().to_pylist()
    kept = {row["player"]: round(row["value"], 4) for row in rows if row["method"] == "gain"}
    assert kept == {one["player"]: one["measures"]["gain"]["value"] for one in found["players"]}
    assert {row["elo"] for row in rows} == {None}  # nothing that could be read as Elo
    assert main(["export", "ratings", "--workspace", "games.pgn.assay"]) == 0
    assert "mean gain, pawns" in capsys.readouterr().out


def test_from_python(games: Path) -> None:
    study = assay.Study(games, recipe="tiny.toml")
    ratings = study.rate(methods=["gain", "conformance"], min_decisions=1)
    assert ratings.methods == ("conformance", "gain")
    record = ratings["Agent 1600"].record
    assert (record.wins, record.draws, record.losses) == (1, 1, 4)
    assert not ratings.calibrated
    assert all(one.combined is None and not one.ratings for one in ratings.players)
    assert "mean over the methods' measures" in ratings.order
    with pytest.raises(KeyError):
        ratings["Nobody"]


def test_games_that_must_not_be_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "short.pgn"
    path.write_text(ANNOTATED + "1. e4 e5 1/2-1/2\n")
    assert main(["rate", str(path)]) == 2
    assert "under 20 moves" in capsys.readouterr().err


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
    measured = found["players"][0]["measures"]
    assert set(measured) == {"conformance", "covariance", "gain", "markov"}  # what two searches can tell
    assert all(one["low"] is None for one in measured.values())  # of one game
    assert any("no interval" in note for note in found["notes"])


def test_without_an_engine(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ASSAY_ENGINE", raising=False)
    monkeypatch.setattr("assay.engine.engines._program", lambda _: None)
    path = annotated(tmp_path / "annotated.pgn")
    assert main(["rate", str(path), "--json"]) == 0  # auto: the comments stand in
    assert json.loads(capsys.readouterr().out)["engine"] == "the games' own comments"
    assert main(["rate", "games.pgn"]) == 3
    assert "no chess engine found" in capsys.readouterr().err
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


def test_settings_are_those_of_the_command(
    games: Path,
    tmp_path: Path,
    scripted: Callable[..., EngineConfig],
    examples: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Recipe, engine and jobs from a settings file: what the command finds, a study finds too."""
    engine, asked = scripted(), []
    settings = tmp_path / "settings.toml"
    settings.write_text(f'engine = "{engine.path}"\njobs = 2\nrecipe = "{Path("tiny.toml").absolute()}"\n')
    monkeypatch.setenv(SETTINGS, str(settings))
    original = Workspace.analyse

    def analyse(workspace: Workspace, recipe: object = "standard", **options: object) -> object:
        asked.append((str(recipe), options["jobs"], options["engine"]))
        return original(workspace, recipe, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Workspace, "analyse", analyse)
    for name in ("one", "other"):
        shutil.copy(examples / "game_of_the_century.pgn", f"{name}.pgn")
    assert main(["rate", "one.pgn", "--json"]) == 0
    by_command = json.loads(capsys.readouterr().out)
    study = Study("other.pgn")
    ratings = study.rate()
    assert ratings.to_dict() == by_command
    assert ratings.engine == "Scripted 1"
    assert ratings.recipe == "tiny"
    assert len(asked) == 2
    assert asked[0] == asked[1]
    assert asked[0][1] == 2
    other = Study("other.pgn", recipe="quick", jobs=1)  # what is said goes before the file
    assert (other.recipe, other.valuation.jobs, other.valuation.engine) == ("quick", 1, engine.path)


def test_the_workspaces_settings_go_before_the_users(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('recipe = "quick"\njobs = 3\n')
    monkeypatch.setenv(SETTINGS, str(settings))
    assert (Study(games).recipe, Study(games).valuation.jobs) == ("quick", 3)
    (Path("games.pgn.assay") / "settings.toml").write_text('recipe = "deep"\n')
    assert (Study(games).recipe, Study(games).valuation.jobs) == ("deep", 3)


def test_games_of_a_server_are_rated_on_its_scale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = annotated(tmp_path / "blitz.pgn")
    tags = '[Site "https://lichess.org/abc"]\n[TimeControl "180+2"]\n[WhiteElo "1500"]'
    path.write_text(path.read_text().replace('[Site "?"]', tags))
    asked = ["rate", str(path), "--evaluations", "file"]
    assert main([*asked, "--json"]) == 0  # without --time: the scale is of this time class
    found = json.loads(capsys.readouterr().out)
    assert (found["scale"], found["recipe_id"]) == ("lichess blitz", "evaluated-lichess-blitz")
    assert set(found["players"][0]["ratings"]) == {"conformance", "covariance", "gain", "markov", "traits"}
    said = " ".join(found["notes"])
    assert "two searches" in said
    assert "bayes, choice and depth" in said
    assert "classical scale" not in said
    assert main(asked) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "lichess blitz player score lichess moves" in printed
    assert "Elo" not in printed.replace("No Elo", "")
    assert main([*asked, "--method", "choice"]) == 2
    assert "several options" in capsys.readouterr().err


# Whose games are read for a rating.


def test_one_player_costs_only_his_games(
    analysed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the recipe has a calibration; without one, players are rated against each other."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(analysed / "tiny.toml", "tiny.toml")
    shutil.copy(SIMULATED, "games.pgn")
    monkeypatch.setattr("assay.rating.pipeline.planned_calibration", lambda *_: True)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    Study("games.pgn", recipe="tiny.toml").rate(players=["Agent 1600", "Agent 2500"])
    some = Workspace("games.pgn.assay").table_analyses.count()
    everything = Workspace(analysed / "games.pgn.assay").table_analyses.count()
    assert 0 < some < everything


@pytest.mark.parametrize(
    ("asked", "analysed_of"),
    [({}, ["Agent 1600"]), ({"prior": "flat"}, ["Agent 1600"]), ({"with_results": True}, None)],
)
def test_whose_games_are_analysed(
    asked: dict[str, Any],
    analysed_of: list[str] | None,
    analysed: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The opponents' moves show the level of an event; all games count only for results."""
    remembered: list[Any] = []

    def remember(study: Any, *_: Any, whom: Any = None, **others: Any) -> Decisions:
        remembered.append(whom)
        raise InputError("that is enough")

    monkeypatch.setattr("assay.rating.pipeline.planned_calibration", lambda *_: True)
    monkeypatch.setattr(WorkspaceSource, "decisions", remember)
    with pytest.raises(InputError, match="that is enough"):
        Study(analysed / "games.pgn.assay").rate(players=["Agent 1600"], **asked)
    assert remembered == [analysed_of]
