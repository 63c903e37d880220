"""Panel Prepare, as a user types it: import, status, export, analyse, calibrate."""

import json
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from assay.cli import main
from assay.decisions.rules import evaluated
from assay.workspace import Workspace
from examples import SIMULATED
from examples.commands import document, exit_code, run, sentence

EXAMPLE = str(resources.files("assay") / "data" / "examples" / "game_of_the_century.pgn")


DIRTY = Path(__file__).parent.parent / "dirty"


def test_import_status_export(tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "w.assay"
    assert exit_code("import", examples, DIRTY / "simul.pgn", "-w", place) == 0
    out = capsys.readouterr().out
    assert "31 games added" in out
    assert "odds_or_simul" in out
    assert exit_code("import", examples, "-w", place) == 0
    assert "Nothing new: all 29 games were imported before." in capsys.readouterr().out
    assert exit_code("import", examples, "-w", place, "--json") == 0
    assert json.loads(capsys.readouterr().out)["known"] == 29
    assert exit_code("status", "-w", place) == 0
    assert "may be rated" in capsys.readouterr().out
    assert exit_code("status", "-w", place, "--json") == 0
    status = json.loads(capsys.readouterr().out)
    assert status["games"] == 31
    assert {"games", "excluded", "players", "analyses"} <= set(status)
    assert exit_code("export", "games", "-w", place, "--format", "jsonl") == 0
    assert len(capsys.readouterr().out.splitlines()) == 31
    assert exit_code("export", "games", "-w", place, "--out", tmp_path / "g.csv") == 0
    assert "31 rows written" in capsys.readouterr().err


def test_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "import", "-", "-w", str(tmp_path / "w"), "--json"],
        input=(DIRTY / "latin1.pgn").read_bytes(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["added"] == 1


def test_a_failed_import_leaves_what_was_there(
    tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.pgn"
    bad.write_text("no chess here")
    workspace, folder = tmp_path / "old.assay", tmp_path / "folder"
    Workspace(workspace).import_games(examples)
    before = Workspace(workspace).status()
    sentence(capsys, "import", bad, "-w", workspace)
    assert Workspace(workspace).status() == before
    folder.mkdir()
    sentence(capsys, "import", bad, "-w", folder)
    assert list(folder.iterdir()) == []
    new = tmp_path / "new.assay"  # a file that failed beside one that did not
    code, out, err = run(capsys, "import", bad, SIMULATED, "-w", new)
    assert (code, err.splitlines()[0]) == (0, "bad.pgn is not PGN: it has neither tags nor legal moves")
    assert out.startswith("12 games added")


def test_another_writer_keeps_his_new_workspace(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pgn"
    bad.write_text("no chess here")
    workspace = Workspace(tmp_path / "new.assay")
    with workspace.writing():
        assert main(["import", str(bad), "-w", str(workspace.path)]) == 3
        assert (workspace.path / ".lock").is_file()


@pytest.fixture
def workspace(tmp_path):
    path = str(tmp_path / "w.assay")
    assert exit_code("import", EXAMPLE, "-w", path) == 0
    return path


def test_analyse_and_again(workspace, scripted, capsys):
    words = ("analyse", "-w", workspace, "--engine", scripted().path, "--jobs", "2", "--json")
    code, out, _ = run(capsys, *words)
    first = json.loads(out)
    assert (code, first["missing"], first["analysed"], first["put_aside"]) == (0, 83, 83, [])
    code, out, _ = run(capsys, *words)
    assert (code, json.loads(out)["missing"]) == (0, 0)
    code, out, _ = run(capsys, "status", "-w", workspace)
    assert (code, "standard, Scripted 1" in out) == (0, True)
    told = json.loads(run(capsys, "status", "-w", workspace, "--json")[1])
    assert (told["analyses"], told["missing"]) == ({"standard": 83}, {"standard": 0})


def test_dry_run_stores_nothing(workspace, scripted, capsys):
    words = ("analyse", "-w", workspace, "--engine", scripted().path, "--jobs", "1")
    code, out, _ = run(capsys, *words, "--dry-run", "--json")
    told = json.loads(out)
    assert (code, told["missing"]) == (0, 83)
    assert told["disk_bytes"] > 0
    assert json.loads(run(capsys, "status", "-w", workspace, "--json")[1])["analyses"] == {}


def test_only_some_players(workspace, scripted, capsys):
    words = ("analyse", "-w", workspace, "--engine", scripted().path, "--jobs", "1", "--json", "--player")
    assert json.loads(run(capsys, *words, "fischer")[1])["positions"] == 83
    code, _, err = run(capsys, *words, "Nobody")
    assert (code, "there is no player 'Nobody'" in err) == (2, True)


def test_own_moves_of_a_player_are_half_of_the_positions(workspace, scripted, capsys):
    """The game has 83 positions: Byrne (White) is to move in 42 of them, Fischer in 41."""
    words = ("analyse", "-w", workspace, "--engine", scripted().path, "--jobs", "1", "--json", "--own-moves")
    for player, positions in (("fischer", 41), ("byrne", 42)):
        told = json.loads(run(capsys, *words, "--player", player)[1])
        assert (told["positions"], told["missing"]) == (positions, positions)
    decisions = Workspace(workspace).decisions("standard")
    assert len(decisions.filter(evaluated())) == 82
    assert json.loads(run(capsys, *words, "-p", "fischer", "-p", "byrne")[1])["missing"] == 0


def test_one_recipe_by_every_name(workspace, scripted, tmp_path, capsys):
    """By name with its scale, by id, by a file, or as the only one: no second analysis begins."""
    engine = ("--engine", scripted().path)
    code, out, _ = run(
        capsys, "analyse", workspace, *engine, "--recipe", "quick:0.1", "--jobs", "1", "--json"
    )
    assert (code, json.loads(out)["missing"]) == (0, 83)
    [(name, about)] = json.loads(run(capsys, "status", workspace, "--json")[1])["recipes"].items()
    assert name == "quick:0.1"
    file = tmp_path / "same.toml"
    file.write_text('base = "quick"\nnodes = 1500\nhash_mb = 16\n')
    wanted = run(capsys, "method", "markov", workspace, *engine, "--recipe", "quick:0.1", "--json")
    assert wanted[0] == 0
    for recipe in (["--recipe", about["recipe_id"]], ["--recipe", str(file)], []):
        assert run(capsys, "method", "markov", workspace, *engine, *recipe, "--json") == wanted
        assert run(capsys, "export", "decisions", workspace, *recipe)[0] == 0
    assert list(json.loads(run(capsys, "status", workspace, "--json")[1])["analyses"]) == ["quick:0.1"]
    # Another engine, or none: what is analysed under the id is read, and nothing is added.
    for other in (scripted("--name", "Other 2").path, "/no/such/engine"):
        words = ("method", "markov", workspace, "--engine", other, "--recipe", about["recipe_id"], "--json")
        code, out, err = run(capsys, *words)
        assert (code, out) == (0, wanted[1])
        assert "nothing is added to its analyses" in err


def test_positions_put_aside_are_reported(workspace, scripted, capsys):
    engine = scripted("--fault", "none", "--only", "rnbqkb1r/pppppp1p/5np1/8/2P5/5N2/PP1PPPPP/RNBQKB1R w")
    code, _, err = run(capsys, "analyse", "-w", workspace, "--engine", engine.path, "--jobs", "1")
    assert code == 3
    assert "put aside: rnbqkb1r/pppppp1p" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--recipe", "nothing"], 2, "no recipe 'nothing'"),
        (["--recipe", "standard:0"], 2, "scale"),
        (["--recipe", "standard:1e"], 2, "'1e' is not a number"),
        (["--own-moves"], 2, "--player NAME"),
        (["--engine", "/no/such/engine"], 3, "no engine '/no/such/engine'"),
        (["--jobs", "0"], 2, "jobs"),
        (["--syzygy", "/no/such/folder"], 2, "Syzygy"),
    ],
)
def test_wrong_use_is_one_sentence(workspace, scripted, capsys, words, code, said):
    given = [] if "--engine" in words else ["--engine", scripted().path]
    found, out, err = run(capsys, "analyse", "-w", workspace, *given, *words)
    assert (found, out) == (code, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_no_workspace_is_one_sentence(tmp_path, capsys):
    code, _, err = run(capsys, "analyse", "-w", str(tmp_path / "absent"))
    assert code == 2
    assert "assay import" in err


def test_export_and_evaluations(workspace, scripted, capsys, tmp_path):
    run(capsys, "analyse", "-w", workspace, "--engine", scripted().path, "--limit", "9", "--jobs", "1")
    code, out, _ = run(capsys, "export", "pgn", "-w", workspace)
    assert code == 0
    assert out.count("[%eval") == 9
    path = tmp_path / "evaluations.jsonl"
    path.write_text("")
    code, out, _ = run(capsys, "import", "--evaluations", str(path), "-w", workspace)
    assert (code, out.startswith("0 positions")) == (0, True)


def test_settings_of_the_engine_make_another_recipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A setting that the user gives is part of the recipe id; one that is none is one sentence."""
    shutil.copy(SIMULATED, tmp_path / "games.pgn")
    asked = ["analyse", str(tmp_path / "games.pgn"), "--recipe", "quick", "--dry-run", "--json"]
    found = []
    for more in ([], ["--set", "Contempt Off=1"], ["--set", "Slow Mover=90"]):
        code = main([*asked, *more])
        said = capsys.readouterr()
        found.append((code, json.loads(said.out)["recipe_id"] if code == 0 else said.err))
    assert [code for code, _ in found] == [0, 3, 0]
    assert found[0][1] != found[2][1]
    assert found[1][1].count("\n") == 1


def test_removing_says_first_what_would_go(workspace, capsys):
    said = sentence(capsys, "remove", workspace, "--player", "Byrne")
    assert "1 game, 83 positions that no other game has, and all that is known of Byrne, Donald" in said
    assert said.endswith("would be removed: --yes does it\n")
    assert Workspace(workspace).status()["games"] == 1
    aside = Path(workspace) / "damaged" / "games"
    aside.mkdir(parents=True)
    (aside / "part").touch()
    said = sentence(capsys, "remove", workspace, "--player", "Byrne")
    assert "and the file set aside in its folder damaged would be removed" in said
    assert (aside / "part").exists()
    assert document(capsys, "remove", workspace, "--player", "Byrne", "--yes")["games"] == 1
    assert Workspace(workspace).status()["games"] == 0
    assert "no game is meant" in sentence(capsys, "remove", workspace)
