"""The pages of Di Fatta, Haworth and Regan 2009: what they need."""

from pathlib import Path

import pytest


@pytest.mark.parametrize("words", [[], ["--replications", "100"]])
def test_a_page_needs_games(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from research.papers.__main__ import main

    assert main(["--docs", str(tmp_path), "difatta2009", *words]) == 2
    assert "--toga" in capsys.readouterr().err
