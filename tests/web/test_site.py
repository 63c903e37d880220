from pathlib import Path

import pytest

from assay.errors import InputError
from assay.web.place import Place
from assay.web.site import Options, Site


def test_the_usual_recipe_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SETTINGS", str(tmp_path / "none.toml"))
    assert Options().offered(tmp_path) == ["standard", "quick", "deep"]
    assert Options(recipe="my.toml").offered(tmp_path)[0] == "my.toml"
    (tmp_path / "settings.toml").write_text('recipe = "deep"\njobs = 3\n')
    assert Options().chosen(tmp_path) == "deep"
    assert (Options().jobs_for(tmp_path), Options(jobs=1).jobs_for(tmp_path)) == (3, 1)
    with pytest.raises(InputError):
        Options(time="often").choice()


def test_a_reading_is_of_one_state(tmp_path: Path) -> None:
    site = Site(Place(tmp_path))
    before = site.reading()
    assert site.reading() is before
    (tmp_path / "games.assay" / "games").mkdir(parents=True)
    (tmp_path / "games.assay" / "games" / "part-1.parquet").write_text("")
    assert site.reading() is not before
    site.close()


def test_the_version_tells_of_every_change(tmp_path: Path) -> None:
    site = Site(Place(tmp_path))
    before = site.version
    site.jobs.add_import(tmp_path / "a.pgn", "a.pgn")
    between = site.version
    assert site.ask("key", lambda reading: reading.empty, patience=None).value is True
    assert len({before, between, site.version}) == 3
    site.close()
