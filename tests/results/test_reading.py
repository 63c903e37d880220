"""Games by their results, from every kind of source."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.results.competition import read_results
from assay.source.opening import open_source
from assay.testing import make_decisions


def test_pgn_and_workspace_give_the_same(examples: Path, tmp_path: Path) -> None:
    pgn = open_source(examples / "tournament.pgn", tmp_path / "w.assay")
    found = read_results(pgn)
    again = read_results(open_source(tmp_path / "w.assay"))
    assert len(found.games) == len(again.games) == 12
    assert found.csv is None
    assert found.left_out == again.left_out == {}


def test_a_file_of_results(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("Month #,White Player #,Black Player #,Score\n1,1,2,1\n1,2,1,0.5\n")
    found = read_results(open_source(path))
    assert len(found.games) == 2
    assert found.csv is not None


def test_decisions_are_no_games(tmp_path: Path) -> None:
    make_decisions(games=2, plies=20).write(tmp_path / "d.parquet")
    with pytest.raises(InputError, match="a file of decisions"):
        read_results(open_source(tmp_path / "d.parquet"))


def test_no_game_that_counts(tmp_path: Path) -> None:
    path = tmp_path / "open.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 *\n')
    with pytest.raises(InputError, match=r"no game of .* counts"):
        read_results(open_source(path, keep=False))
