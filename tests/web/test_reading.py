from pathlib import Path

import pytest

from assay.errors import InputError
from assay.store.annotated import ANNOTATED
from assay.web.place import Place
from assay.web.reading import Reading
from assay.web.site import Options
from assay.workspace import Workspace


def test_nothing_is_analysed_or_written_by_reading(analysed: Path, kitchen: Path) -> None:
    before = sorted(path.stat().st_mtime_ns for path in analysed.rglob("*"))
    reading = Reading(Place(analysed), Options(recipe=str(kitchen / "few.toml"), engine="/no/such/engine"))
    assert len(reading.study().decisions()) == len(reading.study().decisions(trace=True)) > 70
    assert reading.study().rate().players
    assert reading.places_of_games.keys() >= {"Ann"}
    assert sorted(path.stat().st_mtime_ns for path in analysed.rglob("*")) == before


def test_decisions_of_all_are_read_once(analysed: Path, kitchen: Path) -> None:
    reading = Reading(Place(analysed), Options(recipe=str(kitchen / "few.toml")))
    traced = reading.study().decisions(trace=True)
    assert reading.study().decisions() is traced
    assert reading.decisions is traced
    assert len(reading.study().decisions(players=["Byrne"])) < len(traced)


def test_which_recipe_is_shown(analysed: Path, kitchen: Path, pgn: Path, tmp_path: Path) -> None:
    own = Reading(Place(analysed), Options(recipe=str(kitchen / "few.toml")))
    other = Reading(Place(analysed), Options(recipe="deep"))
    assert own.recipe_id == other.recipe_id in own.analysed_positions  # there is no other
    Workspace(tmp_path / "games.assay").import_games(pgn)
    assert Reading(Place(tmp_path), Options()).recipe_id == ANNOTATED


def test_without_games_or_analyses_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no games yet"):
        Reading(Place(tmp_path), Options()).recipe_id  # noqa: B018
    plain = tmp_path / "plain.pgn"
    plain.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 *\n')
    Workspace(tmp_path / "games.assay").import_games(plain)
    with pytest.raises(InputError, match="nothing is analysed yet"):
        Reading(Place(tmp_path), Options()).recipe_id  # noqa: B018
