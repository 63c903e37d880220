import json
from pathlib import Path

import pytest

from assay import doctor
from assay.cli import main
from assay.doctor import Finding, examine, examine_workspace
from assay.workspace import Workspace
from assay.workspace.analyses import record_recipe
from examples import SIMULATED
from examples.commands import exit_code, run, sentence


def findings(**options: object) -> dict[str, doctor.Finding]:
    return {one.check: one for one in examine(**options)}  # type: ignore[arg-type]


@pytest.mark.engine
def test_a_machine_that_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings()
    assert all(one.ok for one in found.values()), found
    assert "Stockfish" in found["engine"].found
    assert main(["doctor"]) == 0
    assert "engine" in capsys.readouterr().out


def test_no_engine_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(engine="no-such-engine")["engine"]
    assert not found.ok
    assert "--engine" in found.advice
    assert main(["doctor", "--engine", "no-such-engine", "--json"]) == 1
    assert not all(one["ok"] for one in json.loads(capsys.readouterr().out))


def test_a_full_disk_and_old_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = type("Usage", (), {"free": 1e6})
    monkeypatch.setattr("assay.doctor.shutil.disk_usage", lambda _: usage)
    monkeypatch.setattr(
        "assay.doctor.requires", lambda _: ["numpy>=99", "no-such-package", 'x; extra == "dev"']
    )
    found = findings(engine="no-such-engine", place=tmp_path / "w")
    assert not found["free disk"].ok
    assert "numpy" in found["packages"].found
    assert "no-such-package (not there)" in found["packages"].found
    assert "x (" not in found["packages"].found


@pytest.fixture
def games(tmp_path: Path, examples: Path) -> Workspace:
    workspace = Workspace(tmp_path / "w.assay")
    for path in (examples / "game_of_the_century.pgn", SIMULATED):
        workspace.import_games(path)
    return workspace


def test_a_workspace_that_is_whole(games: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    found = {one.check: one for one in examine_workspace(games.path)}
    assert all(one.ok for one in found.values())
    assert found["games"].found == "13 games in 2 parts, whole"
    assert exit_code("doctor", games.path) == 0


def test_a_damaged_and_a_missing_part_are_named_and_set_aside(
    games: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    first, last = games.table_games.parts()
    first.write_bytes(first.read_bytes()[:-1])
    last.unlink()
    code, out, _ = run(capsys, "doctor", games.path, "--json")
    found = {one["check"]: one for one in json.loads(out)}
    assert code == 1
    assert found["games"]["found"] == "0 games in 0 parts, whole"
    assert found[f"games/{first.name}"]["found"] == "damaged, with 1 game"
    assert found[f"games/{last.name}"]["found"] == "missing, with 12 games"
    assert "--repair sets it aside; then assay import" in found[f"games/{first.name}"]["advice"]
    code, _, said = run(capsys, "doctor", games.path, "--repair")
    assert code == 0
    assert "was set aside" in said
    assert (games.path / "damaged" / "games" / first.name).exists()


def test_links_a_broken_marker_and_lost_recipes_are_problems(
    games: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (games.path / "link").symlink_to(tmp_path)
    (games.path / "workspace.json").write_text("{")
    (games.path / "recipes.json").write_text("{")
    bad = {one.check for one in examine_workspace(games.path) if not one.ok}
    assert bad == {"link", "workspace.json", "recipes"}


def test_a_list_of_recipes_is_whole_unverified_or_set_aside(
    games: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    known = {"recipe": {"name": "R"}, "engine": {"name": "E"}}
    listed = games.path / "recipes.json"

    def found() -> Finding:
        [one] = [one for one in examine_workspace(games.path) if one.check == "recipes"]
        return one

    record_recipe(games.table_analyses, "9be7", known)
    assert found().found == "1 used"
    listed.write_text(json.dumps({"9be7": known}))
    assert (found().ok, found().found) == (True, "1 used, unverified")
    code, _, said = run(capsys, "doctor", games.path, "--repair")
    assert (code, found().found) == (0, "1 used")
    assert "has a checksum now" in said
    damaged = listed.read_text().replace('"E"', '"F"')
    listed.write_text(damaged)
    assert (found().ok, found().found) == (False, "recipes.json is damaged")
    code, _, said = run(capsys, "doctor", games.path, "--repair")
    assert (code, found().found) == (0, "0 used")
    assert "was set aside" in said
    assert (games.path / "damaged" / "recipes.json").read_text() == damaged


def test_analyses_of_a_recipe_that_nothing_is_known_of_are_a_problem(
    games: Workspace, tmp_path: Path
) -> None:
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    evaluation = {"pvs": [{"cp": 20, "line": "e2e4 e7e5"}], "knodes": 5, "depth": 20}
    path = tmp_path / "evaluations.jsonl"
    path.write_text(json.dumps({"fen": start, "evals": [evaluation]}))
    assert games.import_evaluations(path) == 1
    assert all(one.ok for one in examine_workspace(games.path))
    (games.path / "recipes.json").unlink()
    [bad] = [one for one in examine_workspace(games.path) if not one.ok]
    assert bad.check == "recipes"
    assert bad.found.endswith("does not contain these of the analyses: lichess")
    [part] = games.table_analyses.parts()
    part.write_bytes(part.read_bytes()[:-1])
    bad_parts = [one.check for one in examine_workspace(games.path) if not one.ok]
    assert bad_parts == [f"analyses/{part.name}"]


def test_what_is_no_workspace_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no workspace" in sentence(capsys, "doctor", tmp_path)
    assert "there is no workspace" in sentence(capsys, "doctor", tmp_path, "--repair")
    assert "name the workspace" in sentence(capsys, "doctor", "--repair")
