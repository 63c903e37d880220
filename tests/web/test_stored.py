"""Ratings that a server stored are shown by the next one, as long as nothing changed that decides them."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.answers.ratings import Measure, Rating, Ratings
from assay.errors import InputError
from assay.study import Study
from assay.web import stored
from assay.web.reading import Reading
from assay.web.site import Options, Site
from examples.served import many_ratings


@pytest.fixture
def served_folder(analysed: Path, tmp_path: Path) -> Path:
    shutil.copytree(analysed, tmp_path / "served")
    return tmp_path / "served"


def reading_of(folder: Path, **options: object) -> Reading:
    return Site(folder, Options(**options)).reading()  # type: ignore[arg-type]


def refused(*_: object, **__: object) -> Ratings:
    raise InputError("computed anew")


def test_ratings_are_not_computed_anew_after_a_restart(
    served_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = reading_of(served_folder).ratings
    monkeypatch.setattr(Study, "rate", refused)
    after = reading_of(served_folder).ratings
    assert json.dumps(after.to_dict()) == json.dumps(before.to_dict())
    assert repr(after.players) == repr(before.players)  # to the last digit
    with pytest.raises(InputError, match="computed anew"):  # other games are rated
        _ = reading_of(served_folder, min_turns=5).ratings
    site = Site(served_folder, Options())
    site.values = "annotations"
    with pytest.raises(InputError, match="computed anew"):  # by other values
        _ = site.reading().ratings
    monkeypatch.setattr(stored, "_program", lambda: "another assay")
    with pytest.raises(InputError, match="computed anew"):
        _ = reading_of(served_folder).ratings


def test_games_that_came_in_between_count(served_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.workspace import Workspace

    _ = reading_of(served_folder).ratings
    more = served_folder / "more.pgn"
    more.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 *\n')
    Workspace(served_folder / "games.assay").import_games(more)
    monkeypatch.setattr(Study, "rate", refused)
    with pytest.raises(InputError, match="computed anew"):
        _ = reading_of(served_folder).ratings


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", "null", "[" * 100_000, '{"players": [{"elo": "x"}]}', '{"by": 3}', None],
)
def test_a_damaged_or_foreign_file_is_not_used(served_folder: Path, content: str | None) -> None:
    reading = reading_of(served_folder)
    first = reading.ratings.to_dict()
    path = stored.path_of(reading)
    if content is None:
        path.write_bytes(b"not what it should be")
    else:
        decided_by = np.array(stored._decided_by(reading))
        np.savez(path, decided_by=decided_by, ratings=np.frombuffer(content.encode(), np.uint8))
    assert stored.stored_ratings(reading) is None
    assert reading_of(served_folder).ratings.to_dict() == first


def test_a_workspace_that_cannot_be_written_to_is_rated_all_the_same(served_folder: Path) -> None:
    (served_folder / "elsewhere").mkdir()
    (served_folder / "games.assay" / "cache").symlink_to(served_folder / "elsewhere")
    assert reading_of(served_folder).ratings.players
    assert list((served_folder / "elsewhere").iterdir()) == []


def test_every_kind_of_rating_comes_back_as_it_was() -> None:
    ratings = many_ratings(3)
    measure = Measure("gain", "mean gain", math.nan, low=-1.5)
    history = (("1999", Rating("combined", 2000.25, low=-math.inf, high=math.nan, decisions=1, games=2)),)
    bound = Rating("combined", 1600.0, low=1500, high=1700, decisions=1, games=2, bound="below")
    odd = replace(
        ratings.players[0], moves_only=bound, measures={"gain": measure}, history=history, combined=None
    )
    ratings = replace(ratings, players=(odd, *ratings.players[1:]), left_out={"short": 3})
    back = stored._restored(Ratings, json.loads(json.dumps(stored._plain(ratings))))
    assert repr(vars(back)) == repr(vars(ratings))
