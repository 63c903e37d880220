"""Sources that are files: decisions, and results."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.source.files import DecisionsFile, ResultsFile
from assay.source.valuation import Valuation
from assay.testing import make_decisions


@pytest.fixture
def source(tmp_path: Path) -> DecisionsFile:
    make_decisions(games=4, plies=30).write(tmp_path / "d.parquet")
    return DecisionsFile(tmp_path / "d.parquet")


def test_all_or_some_players(source: DecisionsFile) -> None:
    assert set(source.decisions(Valuation()).players) == {"Ann", "Bob"}
    assert source.decisions(Valuation(), players=["ann"]).players == ["Ann"]
    with pytest.raises(InputError, match="no player"):
        source.decisions(Valuation(), players=["Zed"])


def test_the_recipe_must_be_the_one_asked_for(source: DecisionsFile) -> None:
    recipe_id = source.recipe_id(Valuation())
    assert recipe_id is not None
    assert source.analysed(recipe_id) == source.analysed()
    with pytest.raises(InputError, match="do not go together"):
        source.analysed("another")


def test_dates_are_years(source: DecisionsFile) -> None:
    dates = source.dates()
    assert set(dates) == set(source.analysed().games)
    assert all(len(date) == 4 and date.isdigit() for date in dates.values())


def test_what_it_does_not_have(source: DecisionsFile) -> None:
    assert source.workspace is None
    assert source.place is None
    assert (source.about("x"), source.left_out()) == ({}, {})
    with pytest.raises(InputError, match="a file of decisions"):
        source.games()


def test_results_have_no_moves(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("Month #,White Player #,Black Player #,Score\n")
    assert ResultsFile.looks_like(tmp_path / "r.csv")
    with pytest.raises(InputError, match="no moves"):
        ResultsFile(tmp_path / "r.csv").decisions(Valuation())
