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

ENGINE = EngineIdentity("Stockfish 15.1", "nn-ad9b42354671.nnue", (("Hash", "32"),))
STANDARD = NAMED["standard"]


def test_the_papers_settings():
    assert (NAMED["ferreira2012"].depth, NAMED["ferreira2012"].first_turn) == (20, 1)
    assert (NAMED["difatta2009"].depth, NAMED["difatta2009"].lines) == (10, 10)
    assert (NAMED["regan2011"].depth, NAMED["regan2011"].lines, NAMED["regan2011"].cap) == (13, 50, 400)
    alliot = NAMED["alliot2017"]
    assert (alliot.seconds, alliot.lines, alliot.first_turn, alliot.hash_mb) == (240, 2, 10, 4096)
    assert alliot.walk
    assert alliot.adaptive
    assert (STANDARD.nodes, STANDARD.lines, STANDARD.hash_mb, STANDARD.walk) == (150_000, 10, 32, False)


@pytest.mark.parametrize(
    ("changed", "change"),
    [
        *(
            (STANDARD, change)
            for change in (
                {"nodes": 150_001},
                {"lines": 9},
                {"hash_mb": 64},
                {"alone": False},
                {"first_turn": 2},
                {"settings": (("Contempt", "0"),)},
                {"nodes": None, "depth": 10},
                {"enough": 10},
            )
        ),
        *(
            (ENGINE, change)
            for change in (
                {"name": "Stockfish 16"},
                {"network": "other.nnue"},
                {"settings": ()},
                {"tables": "290 files"},
                {"lines": False},
                {"children": "a rule"},
            )
        ),
    ],
)
def test_whatever_decides_an_answer_changes_the_id(changed, change):
    other = dataclasses.replace(changed, **change)
    recipe, engine = (other, ENGINE) if changed is STANDARD else (STANDARD, other)
    assert recipe_id(recipe, engine) != recipe_id(STANDARD, ENGINE)


def test_names_change_no_id():
    renamed = dataclasses.replace(STANDARD, name="mine", meaning="the same")
    assert recipe_id(renamed, ENGINE) == recipe_id(STANDARD, ENGINE)


def test_the_id_of_standard_with_debians_stockfish():
    # Of the analyses that this project has stored: likewise.
    settings = (("Hash", "32"), ("MultiPV", "10"), ("UCI_ShowWDL", "true"))
    engine = dataclasses.replace(ENGINE, settings=settings)
    assert recipe_id(STANDARD, engine) == "672593ce2551e878"


IDS = {
    "standard": "665292e0c08417c4",
    "thrifty": "4b0fd067d5d10682",
    "quick": "5e78b3061aa35f00",
    "deep": "e1867b7e6f39e897",
    "ferreira2012": "d0154a34ef30e601",
    "difatta2009": "69d2f597cd4541d4",
    "regan2011": "eaad03546f2a3ac3",
    "alliot2017": "addd971f8daacfa0",
    "alliot2017-nodes": "c349512bfbca7257",
}
"""A changed id throws away every stored analysis: change these only on purpose."""


@pytest.mark.parametrize("name", sorted(IDS))
def test_the_ids_of_named_recipes_are_stable_from_version_to_version(name):
    assert recipe_id(NAMED[name], ENGINE) == IDS[name]


def test_the_rule_of_what_is_enough_is_part_of_the_id(monkeypatch):
    before = recipe_id(NAMED["thrifty"], ENGINE)
    monkeypatch.setattr("assay.engine.recipe.ENOUGH_RULE", "another rule")
    assert recipe_id(NAMED["thrifty"], ENGINE) != before
    assert recipe_id(STANDARD, ENGINE) == IDS["standard"]


def test_scaling():
    assert (NAMED["thrifty"].scaled(0.1).enough, NAMED["thrifty"].scaled(0.1).nodes) == (5, 15_000)
    assert STANDARD.scaled(0.1).nodes == 15_000
    assert NAMED["alliot2017"].scaled(0.01).seconds == pytest.approx(2.4)
    assert NAMED["alliot2017"].scaled(0.01).hash_mb == 41
    assert NAMED["ferreira2012"].scaled(0.01).depth == 10
    assert NAMED["difatta2009"].scaled(1e-9).depth == 1
    assert STANDARD.scaled(1) is STANDARD


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_senseless_scale_is_refused(scale):
    with pytest.raises(InputError, match="scale"):
        STANDARD.scaled(scale)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"nodes": 1, "depth": 1},
        {"nodes": 0},
        {"nodes": 1, "lines": 0},
        {"nodes": 1, "history": True},
        {"depth": 1, "adaptive": True},
        {"nodes": 1, "cap": 400},
        {"depth": 9, "enough": 8},
        {"nodes": 1, "enough": 3},
        {"nodes": 1, "enough": 8, "adaptive": True},
    ],
)
def test_senseless_recipes_are_refused(fields):
    with pytest.raises(InputError, match="recipe 'x'"):
        Recipe("x", "", **fields)


def test_toml(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "thrifty"\nenough = 9\n')
    assert (find_recipe(str(path)).enough, find_recipe(str(path)).nodes) == (9, 150_000)
    path.write_text('base = "standard"\ndepth = 12\nlines = 3\n[settings]\nContempt = 0\nPonder = false\n')
    recipe = find_recipe(str(path))
    assert (recipe.name, recipe.depth, recipe.nodes, recipe.lines) == ("mine", 12, None, 3)
    assert recipe.settings == (("Contempt", "0"), ("Ponder", "false"))


def test_unknown_names_are_clear_errors(tmp_path):
    with pytest.raises(InputError, match="choose standard"):
        find_recipe("nothing")
    with pytest.raises(InputError, match="no recipe file"):
        find_recipe(str(tmp_path / "absent.toml"))


# Nothing that a recipe file says is a command to the engine, or makes it write a file.

RECIPE = dataclasses.replace(NAMED["standard"], lines=3)


def recipe_file(folder: Path, text: str) -> str:
    path = folder / "shared.toml"
    path.write_text(text)
    return str(path)


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
    assert not any(map(makes_files, ("SyzygyPath", "EvalFile", "Hash", "Ponder", "Threads", "Book File")))
    with pytest.raises(InputError, match="--set"):
        find_recipe(recipe_file(tmp_path, f'nodes = 5\n[settings]\n"{name}" = "/tmp/planted"\n'))


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


SETTING = "nodes = 5\n[settings]\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("depth = ", "not TOML"),
        ('base = "nothing"', "no recipe 'nothing' to start from"),
        ("nodes = 5\nwidth = 3", "unknown width"),
        ('nodes = "many"', "'nodes' cannot be 'many'"),
        ("nodes = true", "'nodes' cannot be True"),
        ("lines = 3", "needs one limit"),
        ('name = "a\\nb"\nnodes = 5', "one line of text"),
        ('meaning = "\\u001b[2J"\nnodes = 5', "one line of text"),
        *(
            (f'{SETTING}SyzygyPath = "<empty>{end}export_net /tmp/planted"', "control character")
            for end in ("\\n", "\\r", "\\u0000", "\\u001b", "\\u0085", "\\u2028")
        ),
        *((f"seconds = {number}", "seconds must be a number") for number in ("nan", "inf")),
        *((f"{SETTING}Hash = {value}", None) for value in ('["a"]', "nan", "inf", "1979-05-27")),
        *((f"nodes = {digits}", None) for digits in ("9" * 400, "9" * 5000)),
        ("nodes = 5\n[settings.Hash]\na = 1", None),
        ("nodes = 5\nsettings = 3", None),
        ("nodes = 5\nlines = " + "9" * 400, None),
        ("seconds = -inf", "needs one limit"),
        ("depth = 2000", None),
        ("nodes = 5\nfirst_turn = 99999999", None),
        ("base = [1]\nnodes = 5", None),
        ("base = {a = 1}", None),
        ("nodes = " + "[" * 5000 + "]" * 5000, None),
        ("a" + ".a" * 5000 + " = 1", None),
        ("nodes = 5\n" + "x" * 5000 + " = 1", None),
        ("#" * (2 << 20), None),
        ("\x00", None),
    ],
)
def test_bad_recipe_files_are_one_sentence(tmp_path: Path, text: str, words: str | None) -> None:
    with pytest.raises(InputError, match=words) as raised:
        find_recipe(recipe_file(tmp_path, text))
    assert len(str(raised.value)) < 500


def test_a_recipe_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="cannot read"):
        find_recipe(str(tmp_path / "folder.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not TOML"):
        find_recipe(str(tmp_path / "bytes.toml"))


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
