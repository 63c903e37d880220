"""Pages of papers from the command line."""

from pathlib import Path

import pytest

from research.papers.__main__ import main, parser


def test_every_paper_with_a_page_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for paper in ("alliot2017", "difatta2009", "ferreira2012", "regan2011"):
        with pytest.raises(SystemExit) as ended:
            parser().parse_args([paper, "--help"])
        assert ended.value.code == 0
        assert f"python -m research.papers {paper}" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        parser().parse_args(["nobody"])


def test_a_paper_without_games_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--docs", str(tmp_path), "difatta2009"]) == 2
    assert "give a file of decisions" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
