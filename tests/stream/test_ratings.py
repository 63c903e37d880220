"""Streamed measures and ratings, against those of the imported games."""

from pathlib import Path

import pytest

from assay.decisions.evaluation import LICHESS
from assay.decisions.exclusions import TIME_CLASSES, Choice
from assay.errors import InputError
from assay.executors import Serial
from assay.rating.rate import rate_everyone
from assay.stream import parts, ratings
from assay.stream.ratings import ratings_of
from assay.stream.run import Streamed, stream
from assay.workspace import Workspace
from examples.server_games import evaluated_games


@pytest.fixture
def uncalibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "find_calibration", lambda source: None)
    monkeypatch.setattr(ratings, "find_calibration", lambda source: None)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(evaluated_games(24))
    return path


@pytest.fixture
def streamed(games: Path, uncalibrated: None) -> Streamed:
    return stream(games, executor=Serial(), keep=False)


def test_measures_are_those_of_the_imported_games(games: Path, streamed: Streamed, tmp_path: Path) -> None:
    found = ratings_of(streamed)
    assert [one.recipe_id for one in found] == [LICHESS["blitz"], LICHESS["rapid"]]
    texts = ["[Event " + text for text in games.read_text().split("[Event ")[1:]]
    for one, kind in zip(found, ("Blitz", "Rapid"), strict=True):
        path = tmp_path / f"{kind}.pgn"  # a workspace rates the games of one source
        path.write_text("".join(text for text in texts if f"{kind} game" in text))
        workspace = Workspace(tmp_path / kind)
        workspace.import_games(path)
        decisions = workspace.decisions("annotations", choice=Choice(frozenset(TIME_CLASSES)))
        assert one.scale is None
        expected = rate_everyone(decisions, None, methods=parts.METHODS)
        assert {player.player for player in one.players} == {player.player for player in expected.players}
        by_name = {player.player: player for player in expected.players}
        for player in one.players:
            other = by_name[player.player]
            assert (player.games, player.decisions) == (other.games, other.decisions)
            assert player.record == other.record
            assert player.reference == pytest.approx(other.reference)
            for name, measure in player.measures.items():
                assert measure.value == pytest.approx(other.measures[name].value, rel=1e-4)
                # In parts, games tell how they vary a little less well.
                assert measure.low <= measure.value <= measure.high or measure.low != measure.low


def test_names_are_rated_so_many_at_once_whatever_their_shard(
    streamed: Streamed, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {one.recipe_id: one for one in ratings_of(streamed)}
    monkeypatch.setattr(ratings, "AT_ONCE", 3)
    units = list(ratings._units(streamed, 10, 0.95))
    for source, sums in streamed.sums.items():
        own = [unit for unit in units if unit.source == source]
        assert [len(unit.names) for unit in own[:-1]] == [3] * (len(own) - 1)
        assert 0 < len(own[-1].names) <= 3
        named = [name for unit in own for name in unit.names]
        assert sorted(named) == sorted(name for names, _ in sums.shards() for name in names)
    for one in ratings_of(streamed):
        other = {player.player: player for player in whole[one.recipe_id].players}
        for player in one.players:
            assert player.record == other[player.player].record
            for name, measure in player.measures.items():
                assert measure.value == pytest.approx(other[player.player].measures[name].value, rel=1e-9)


def test_what_must_be_said_is_said(streamed: Streamed) -> None:
    (note, *_) = ratings_of(streamed)[0].notes
    assert "duplicates are not sought" in note
    assert "no workspace is written" in note


def test_few_decisions_are_told(streamed: Streamed) -> None:
    with pytest.raises(InputError, match="nobody has 100000"):
        ratings_of(streamed, least=100_000)
    blitz, *_ = ratings_of(streamed)
    most = max(player.decisions for player in blitz.players)
    (only, *_) = ratings_of(streamed, least=most)
    assert len(only.players) + len(only.too_few) == len(blitz.players)
