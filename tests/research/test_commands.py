"""The commands of `python -m research`, and what research may import."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

from research import papers
from research.__main__ import COMMANDS, main
from research.markdown import PLAIN, RIGHT, numbers_table, table

ROOT = Path(__file__).resolve().parents[2]


def test_research_imports_no_private_name() -> None:
    private = []
    for path in (ROOT / "research").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay"):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                private += [f"{path.name}: {name}" for name in names if name.startswith("_")]
    assert not private


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_needs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, function = COMMANDS[name][0].split(":")
    assert callable(getattr(import_module(module), function))
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"python -m research {name}" in capsys.readouterr().out


def test_an_unknown_command_is_answered_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nobody"]) == 2
    assert "reproduce" in capsys.readouterr().out
    assert main([]) == 0


def test_what_is_missing_is_named_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--data", str(tmp_path), "--paper", "ferreira2012"]) == 0
    err = capsys.readouterr().err
    assert "mileposts: left out" in err
    assert "give a folder for it with --work" in err
    assert "give a folder for it with --work" in err


def test_every_paper_has_parts() -> None:
    for paper in papers.PAPERS:
        assert import_module(f"research.papers.{paper}").PARTS


def test_a_workspace_without_games_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["accuracy", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_table_has_heads_a_rule_and_rows() -> None:
    assert table(("player", "Elo"), [("Tal", 2700), ("Euwe", 2600)], (PLAIN, RIGHT)) == (
        "| player | Elo |\n|---|---:|\n| Tal | 2700 |\n| Euwe | 2600 |"
    )
    assert numbers_table(("", "a"), []).splitlines()[1] == "| --- | ---: |"
