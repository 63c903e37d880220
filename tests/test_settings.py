"""Settings files: the user's own, and one in a workspace, which may come from anyone."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.settings import NAME, VARIABLE, Settings, find_settings, users_file


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "own.toml"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    place = tmp_path / "games.assay"
    place.mkdir()
    return place


def test_no_file_says_nothing(own: Path) -> None:
    assert find_settings() == Settings()


def test_the_workspace_comes_first(own: Path, workspace: Path) -> None:
    own.write_text('engine = "mine"\njobs = 3\nrecipe = "quick"\n[aliases]\nA = "B"\nC = "D"\n')
    (workspace / NAME).write_text('recipe = "deep"\n[aliases]\nA = "X"\n')
    found = find_settings(workspace)
    assert (found.engine, found.jobs, found.recipe) == ("mine", 3, "deep")
    assert found.aliases == {"A": "X", "C": "D"}
    assert find_settings().recipe == "quick"


def test_a_workspace_starts_no_program(own: Path, workspace: Path) -> None:
    (workspace / NAME).write_text('engine = "/bin/sh"\n')
    found = find_settings(workspace)
    assert found.engine is None
    assert "only your own settings" in found.notes[0]


def test_a_recipe_of_a_workspace_stays_inside(own: Path, workspace: Path) -> None:
    (workspace / "mine.toml").write_text('base = "quick"\n')
    (workspace / NAME).write_text('recipe = "mine.toml"\n')
    assert find_settings(workspace).recipe == str(workspace / "mine.toml")
    (workspace / NAME).write_text('recipe = "../../elsewhere.toml"\n')
    with pytest.raises(InputError, match="a file in the workspace"):
        find_settings(workspace)


@pytest.mark.parametrize(
    ("text", "say"),
    [
        ("colour = 1", "there is no setting 'colour'"),
        ("jobs = 0", "1 or more"),
        ("jobs = true", "a whole number"),
        ('jobs = "two"', "a whole number"),
        ("engine = 1", "text in quotes"),
        ("aliases = 1", "a table"),
        ("[aliases]\nA = 1", "aliases are lines"),
        ("= =", "cannot be read"),
        ("a = " + "[" * 5000, "cannot be read"),
        ("jobs = " + "9" * 5000, "cannot be read"),
    ],
)
def test_what_is_wrong_is_one_sentence(text: str, say: str, own: Path) -> None:
    own.write_text(text)
    with pytest.raises(InputError, match=say) as caught:
        find_settings()
    assert str(own) in str(caught.value)


def test_where_the_users_own_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", "place")
    assert users_file() == Path("place/assay") / NAME
