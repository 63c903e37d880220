"""From a file of decisions to its screening."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.rating.calibration import VARIABLE
from assay.source import DecisionsFile, Evaluations, Valuation
from assay.study import Study
from assay.testing import make_decisions
from examples.screened_games import field, with_first_choice


@pytest.fixture(autouse=True)
def _no_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screen") / "field.parquet"
    with_first_choice(field(games=2, turns=25), "Cid", 1.0).write(path)
    return path


def test_a_study_screens_and_says_how_often_it_errs(games: Path) -> None:
    found = Study(games).screen()
    assert (found.engine, found.recipe) == ("Stockfish 15.1", "standard")
    assert found.field == 4
    assert found.players[0].player == "Cid"
    assert found.rates
    assert found.full is None


def test_everyone_counts_where_some_are_shown(games: Path) -> None:
    everyone, one = Study(games).screen(), Study(games).screen(players=["dee"])
    assert [who.player for who in one.players] == ["Dee"]
    assert one.field == 4
    assert one.players[0].q == next(who.q for who in everyone.players if who.player == "Dee")


def test_what_is_standard_already_is_not_tested_again(games: Path) -> None:
    said: list[str] = []
    found = Study(games, say=said.append).screen(full=True)
    assert found.full is None
    assert "those of standard already" in said[-1]


QUICK = "266262b92aeaddbc"


def of_recipe(decisions: Decisions, recipe_id: str) -> Decisions:
    table = decisions.to_table()
    column = pa.array([recipe_id] * len(decisions), table.schema.field("recipe_id").type)
    return Decisions.from_table(table.set_column(table.column_names.index("recipe_id"), "recipe_id", column))


def test_those_who_are_named_are_tested_again_as_some_of_everyone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look has values of quick, the second of standard, of whom the first named alone."""
    path = tmp_path / "field.parquet"
    standard = with_first_choice(field(games=2, turns=25), "Cid", 1.0)
    of_recipe(standard, QUICK).write(path)
    asked: list[tuple[object, object, object]] = []
    plain = DecisionsFile.decisions

    def decisions(self: DecisionsFile, valuation: Valuation, **given: Any) -> Decisions:
        asked.append((valuation.recipe, valuation.evaluations, given.get("players")))
        return plain(self, valuation, **given) if len(asked) == 1 else standard

    monkeypatch.setattr(DecisionsFile, "decisions", decisions)
    found = Study(path, recipe="quick", evaluations="file").screen(full=True)
    named = sorted(one.player for one in found.named)
    assert "Cid" in named
    assert len(named) < 4
    assert any("another recipe" in note for note in found.notes)
    assert asked[1] == ("standard", Evaluations.ENGINE, named)
    assert found.full is not None
    assert found.full.recipe == "standard"
    assert found.full.field == found.field == 4
    assert sorted(one.player for one in found.full.players) == named
    again = found.full.players[0]
    assert again.player == "Cid"
    assert again.bonferroni == pytest.approx(min(4 * again.p, 1.0))
    assert again.q == pytest.approx(min(4 * again.p, 1.0))
    assert found.full.rates


def test_a_file_of_values_cannot_be_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "field.parquet"
    of_recipe(with_first_choice(field(games=2, turns=25), "Cid", 1.0), QUICK).write(path)
    said: list[str] = []
    assert Study(path, say=said.append).screen(full=True).full is None
    assert "cannot be made anew" in said[-1]


def test_a_recipe_without_calibration_has_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "made.parquet"
    make_decisions(trace=True).write(path)
    with pytest.raises(InputError, match="nothing to hold the moves against"):
        Study(path).screen()


def test_evaluations_of_nobody_known_have_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "evaluated.parquet"
    make_decisions(recipe="annotations").write(path)
    with pytest.raises(InputError, match="do not say by whom they were evaluated"):
        Study(path).screen()
