from pathlib import Path

import pytest

from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.web import reading as module
from assay.web.site import Options, Site
from assay.workspace import Workspace
from assay.workspace.assemble import ANNOTATED


def test_nothing_is_analysed_or_written_by_reading(analysed: Path, kitchen: Path) -> None:
    before = sorted(path.stat().st_mtime_ns for path in analysed.rglob("*"))
    reading = Site(analysed, Options(recipe=str(kitchen / "few.toml"), engine="/no/such/engine")).reading()
    assert len(reading.study().decisions()) == len(reading.study().decisions(trace=True)) > 70
    assert reading.study().rate().players
    assert reading.places_of_games.keys() >= {"Ann"}
    assert sorted(path.stat().st_mtime_ns for path in analysed.rglob("*")) == before


def test_decisions_of_all_are_read_once(analysed: Path, kitchen: Path) -> None:
    reading = Site(analysed, Options(recipe=str(kitchen / "few.toml"))).reading()
    traced = reading.study().decisions(trace=True)
    assert reading.study().decisions() is traced
    assert reading.decisions is traced
    assert len(reading.study().decisions(players=["Byrne"])) < len(traced)


def test_decisions_of_a_player_are_read_once_and_of_few_players_kept(
    analysed: Path, kitchen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PLAYERS_CACHED", 1)
    reading = Site(analysed, Options(recipe=str(kitchen / "few.toml"))).reading()
    source, valuation = reading.source, reading.study().valuation

    def read(name: str, trace: bool | None = None) -> list[Decisions]:
        return list(source.decisions(valuation, players=[name], trace=trace))

    (first,) = read("Fischer")
    assert set(first.players) == {"Fischer, Robert James"}
    assert read("Fischer", True)[0] is first  # a small workspace is read with the trace
    assert read("Fischer", False)[0] is first
    assert read("Byrne")[0] is not first
    assert len(source._cache) == 1
    assert read("Fischer")[0] is not first
    (everyone,) = source.decisions(valuation)
    assert len(everyone) > len(first)


def test_a_study_of_a_player_is_the_same_until_another_is_asked_for(analysed: Path) -> None:
    reading = Site(analysed, Options()).reading()
    ann = reading.study_of("Ann")
    assert reading.study_of("Ann") is ann
    assert reading.study_of("Ben") is not ann


def test_which_recipe_is_shown(analysed: Path, kitchen: Path, pgn: Path, tmp_path: Path) -> None:
    own = Site(analysed, Options(recipe=str(kitchen / "few.toml"))).reading()
    other = Site(analysed, Options(recipe="deep")).reading()
    assert own.recipe_id == other.recipe_id in own.analysed_positions  # there is no other
    Workspace(tmp_path / "games.assay").import_games(pgn)
    assert Site(tmp_path, Options()).reading().recipe_id == ANNOTATED


def test_without_games_or_analyses_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no games yet"):
        Site(tmp_path, Options()).reading().recipe_id  # noqa: B018
    plain = tmp_path / "plain.pgn"
    plain.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 *\n')
    Workspace(tmp_path / "games.assay").import_games(plain)
    with pytest.raises(InputError, match="nothing is analysed yet"):
        Site(tmp_path, Options()).reading().recipe_id  # noqa: B018
