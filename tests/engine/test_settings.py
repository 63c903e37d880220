"""Nothing that a recipe file says is a command to the engine, or makes it write a file."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from assay.engine.engines import find_engine, identify, open_engine
from assay.engine.recipe import (
    NAMED,
    EngineIdentity,
    Recipe,
    find_recipe,
    makes_files,
    parse_settings,
    recipe_id,
)
from assay.engine.uci import UciSession
from assay.errors import EngineError, InputError

RECIPE = dataclasses.replace(NAMED["standard"], lines=3)
ENGINE = EngineIdentity("Stockfish 15.1", "nn-ad9b42354671.nnue", ())


def recipe_file(folder: Path, text: str) -> str:
    path = folder / "shared.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("end", ["\\n", "\\r", "\\u0000", "\\u001b", "\\u0085", "\\u2028"])
def test_a_value_with_a_line_end_is_refused_where_it_is_read(tmp_path: Path, end: str) -> None:
    text = f'nodes = 5\n[settings]\nSyzygyPath = "<empty>{end}export_net /tmp/planted"\n'
    with pytest.raises(InputError, match="control character"):
        find_recipe(recipe_file(tmp_path, text))


@pytest.mark.parametrize("text", ['name = "a\\nb"\nnodes = 5', 'meaning = "\\u001b[2J"\nnodes = 5'])
def test_names_are_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="one line of text"):
        find_recipe(recipe_file(tmp_path, text))


def test_the_session_sends_no_line_end(scripted, tmp_path: Path) -> None:
    session = UciSession([scripted("--heard", tmp_path / "heard").path])
    try:
        with pytest.raises(InputError, match="control character"):
            session.set_option("EvalFile", "a\nsetoption name Hash value 1")
        for position, go in (("startpos\nquit", "depth 1"), ("startpos", "depth 1\nquit")):
            with pytest.raises(EngineError, match="line end"):
                session.search(position, go, n_lines=1, clear=True, ceiling=5)
    finally:
        session.close()
    assert not (tmp_path / "heard").exists()


@pytest.mark.parametrize(
    "name",
    [
        "Debug Log File",
        "debug log file",
        "LogFile",
        "Write Search Log",
        "Experience File",
        "Save Hash to File",
        "Session File",
        "Persistent Hash",
        "Hash File",
        "Learning Mode",
    ],
)
def test_settings_that_make_files_are_refused_in_a_recipe_file(tmp_path: Path, name: str) -> None:
    assert makes_files(name)
    with pytest.raises(InputError, match="--set"):
        find_recipe(recipe_file(tmp_path, f'nodes = 5\n[settings]\n"{name}" = "/tmp/planted"\n'))


def test_settings_that_only_read_are_taken(tmp_path: Path) -> None:
    names = ("SyzygyPath", "EvalFile", "Contempt", "Hash", "Ponder", "UCI_Chess960", "Threads", "Book File")
    assert not any(map(makes_files, names))


def test_the_user_may_give_what_a_file_may_not(scripted, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    recipe = RECIPE.with_settings(parse_settings(["Debug Log File=mine = yes.txt"]))
    session, identity = open_engine(scripted("--heard", heard), recipe)
    session.close()
    assert "setoption name Debug Log File value mine = yes.txt\n" in heard.read_text()
    assert dict(identity.settings)["Debug Log File"] == "mine = yes.txt"
    assert recipe_id(recipe, identity) != recipe_id(RECIPE, identity)


def test_given_settings_go_before_those_of_the_recipe_and_into_its_id() -> None:
    base = dataclasses.replace(RECIPE, settings=(("Contempt", "0"), ("Ponder", "false")))
    given = base.with_settings({"contempt": "24"})
    assert given.settings == (("Ponder", "false"), ("contempt", "24"))
    assert recipe_id(given, ENGINE) != recipe_id(base, ENGINE)
    assert base.with_settings({}) is base
    with pytest.raises(InputError, match="control character"):
        base.with_settings({"Contempt": "1\nquit"})


@pytest.mark.parametrize("text", ["Contempt", "=5", "\n=5", "A=b\nc"])
def test_what_is_no_setting_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_settings([text])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"Hash": "abc"}, "takes a whole number for 'Hash'"),
        ({"Hash": "nan"}, "takes a whole number"),
        ({"Hash": "9" * 4096}, "at most 1024"),
        ({"Hash": "0"}, "at least 1"),
        ({"Style": "101"}, "at most 100"),
        ({"Absent": "1"}, "has no setting"),
    ],
)
def test_numbers_that_an_engine_cannot_take_are_one_sentence(scripted, settings, said) -> None:
    with pytest.raises(EngineError, match=said):
        identify(scripted(), RECIPE.with_settings(settings))


@pytest.mark.parametrize(
    "text",
    [
        'nodes = 5\n[settings]\nHash = ["a"]',
        "nodes = 5\n[settings]\nHash = nan",
        "nodes = 5\n[settings]\nHash = inf",
        "nodes = 5\n[settings]\nHash = 1979-05-27",
        "nodes = 5\n[settings.Hash]\na = 1",
        "nodes = 5\nsettings = 3",
        "seconds = nan",
        "seconds = inf",
        "seconds = -inf",
        "nodes = " + "9" * 400,
        "nodes = " + "9" * 5000,
        "nodes = 5\nlines = " + "9" * 400,
        "depth = 2000",
        "nodes = 5\nfirst_turn = 99999999",
        "base = [1]\nnodes = 5",
        "base = {a = 1}",
        "nodes = " + "[" * 5000 + "]" * 5000,
        "a" + ".a" * 5000 + " = 1",
        "nodes = 5\n" + "x" * 5000 + " = 1",
        "#" * (2 << 20),
        "\x00",
    ],
)
def test_hostile_recipe_files_are_one_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as raised:
        find_recipe(recipe_file(tmp_path, text))
    assert len(str(raised.value)) < 500


def test_a_recipe_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="cannot read"):
        find_recipe(str(tmp_path / "folder.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not TOML"):
        find_recipe(str(tmp_path / "bytes.toml"))


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 10**400])
def test_a_limit_is_a_number(seconds) -> None:
    with pytest.raises(InputError, match="seconds must be a number"):
        Recipe("x", "", seconds=seconds)


@pytest.mark.engine
def test_stockfish_writes_no_file_for_a_recipe(tmp_path: Path, stockfish) -> None:
    """The attack that was found: a network exported over a file of the user, through a setting's value."""
    planted = tmp_path / "planted"
    for name, value in (("SyzygyPath", f"<empty>\nexport_net {planted}"), ("Debug Log File", str(planted))):
        text = f'nodes = 5\n[settings]\n"{name}" = "{value}"\n'
        with pytest.raises(InputError):
            open_engine(stockfish, find_recipe(recipe_file(tmp_path, text)))
    assert not planted.exists()
    log = tmp_path / "log"
    session, _ = open_engine(stockfish, RECIPE.with_settings({"Debug Log File": str(log)}))
    session.close()
    assert log.stat().st_size > 0
    assert shutil.which(find_engine())
