"""What `assay method bayes` answers: rows, what they rest on, figures."""

from pathlib import Path

import pytest

from assay.cli import main
from examples.commands import document, sentence


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
    assert "no proof of cheating" in found["not"]
    assert main(["method", "bayes", str(six_games), "--versus", "engine", "c=1:2"]) == 0
    assert "no proof of cheating" in " ".join(capsys.readouterr().out.split())


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
