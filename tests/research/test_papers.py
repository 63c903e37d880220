"""The pages of the papers have every row that their commands print with the code of today."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from assay.errors import InputError
from research.papers import PAPERS, Games

EVIDENCE = Path(__file__).resolve().parents[2] / "docs" / "evidence"


@pytest.mark.proof
@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_has_the_rows_that_its_command_prints(paper: str, shared_data: Callable[[str], Path]) -> None:
    """Of what needs no engine. Otherwise make the page anew: python -m research pages --tables."""
    games = Games(shared_data("analysed/mileposts-standard").parents[1])
    text = "".join(page.read_text(encoding="utf-8") for page in EVIDENCE.glob(f"*{paper}*.md"))
    if paper == "ferreira2010":
        text = (EVIDENCE / "results.md").read_text(encoding="utf-8")
    for part in import_module(f"research.papers.{paper}").PARTS:
        try:
            for title, printed in part(games):
                rows = [line for line in printed.splitlines() if re.match(r"\| *[^- ]", line)]
                missing = [row for row in rows if row not in text]
                assert not missing, f"{paper}, {part.__name__}, {title}"
        except InputError as error:
            if "--work" not in str(error):
                raise
