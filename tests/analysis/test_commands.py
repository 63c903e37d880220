"""The commands of analysis, as a user types them."""

import json
from importlib import resources

import pytest

from assay.cli import main

EXAMPLE = str(resources.files("assay") / "examples" / "game_of_the_century.pgn")


@pytest.fixture
def workspace(tmp_path):
    path = str(tmp_path / "w.assay")
    assert main(["import", EXAMPLE, "-w", path]) == 0
    return path


def run(capsys, *words):
    """Exit code and what was printed to stdout and stderr."""
    capsys.readouterr()
    code = main(list(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


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


def test_tables_for_people(workspace, scripted, capsys):
    words = ("analyse", "-w", workspace, "--engine", scripted().path, "--limit", "5")
    assert run(capsys, *words, "--dry-run")[0] == 0
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "standard with Scripted 1" in out


def test_dry_run_stores_nothing(workspace, scripted, capsys):
    words = ("analyse", "-w", workspace, "--engine", scripted().path, "--jobs", "1")
    code, out, _ = run(capsys, *words, "--dry-run", "--json")
    told = json.loads(out)
    assert (code, told["missing"]) == (0, 83)
    assert told["disk_bytes"] > 0
    assert json.loads(run(capsys, "status", "-w", workspace, "--json")[1])["analyses"] == {}


def test_only_some_players(workspace, scripted, capsys):
    words = ("analyse", "-w", workspace, "--engine", scripted().path, "--jobs", "1", "--json", "--players")
    assert json.loads(run(capsys, *words, "fischer")[1])["positions"] == 83
    code, _, err = run(capsys, *words, "Nobody")
    assert (code, "there is no player 'Nobody'" in err) == (2, True)


def test_positions_put_aside_are_reported(workspace, scripted, capsys):
    engine = scripted("--fault", "none", "--only", "rnbqkb1r/pppppp1p/5np1/8/2P5/5N2/PP1PPPPP/RNBQKB1R w")
    code, _, err = run(capsys, "analyse", "-w", workspace, "--engine", engine.path, "--jobs", "1")
    assert code == 3
    assert "put aside: rnbqkb1r/pppppp1p" in err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--recipe", "nothing"], 2, "no recipe 'nothing'"),
        (["--scale", "0"], 2, "scale"),
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


def test_recipes(capsys):
    code, out, _ = run(capsys, "recipes", "--json")
    assert code == 0
    assert {"standard", "alliot2017"} <= {recipe["name"] for recipe in json.loads(out)}
    assert "standard" in run(capsys, "recipes")[1]


def test_export_and_evaluations(workspace, scripted, capsys, tmp_path):
    run(capsys, "analyse", "-w", workspace, "--engine", scripted().path, "--limit", "9", "--jobs", "1")
    code, out, _ = run(capsys, "export", "pgn", "-w", workspace)
    assert code == 0
    assert out.count("[%eval") == 9
    path = tmp_path / "evaluations.jsonl"
    path.write_text("")
    code, out, _ = run(capsys, "import-evaluations", str(path), "-w", workspace)
    assert (code, out.startswith("0 positions")) == (0, True)
