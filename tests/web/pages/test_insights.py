import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.errors import InputError
from assay.web.pages import insights
from assay.web.pages.insights import cut_of, window_of
from examples.served import whole

NAME = "Fischer, Robert James"


@pytest.fixture
def rated(
    served: Callable[..., Any], analysed: Path, calibrations: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """A served folder whose evaluations have an Elo scale."""
    monkeypatch.setenv("ASSAY_CALIBRATIONS", str(calibrations))
    return served(analysed)


def test_a_player_with_progress_slices_and_a_lesson(rated: Any) -> None:
    text = whole(rated, f"/players/{NAME}", by="colour", window="5")
    assert "went wrong" not in text
    assert "<strong>colour</strong>" in text
    assert "<strong>5 games at a time</strong>" in text
    assert "no trend: it takes 3 periods" in text  # there is one game
    moments = rated.get("/lesson", params={"player": NAME, "as": "json"}).json()["positions"]
    assert text.count("seen from the side of the mover") >= len(moments) > 0
    for one in moments:  # each leads to its position on the board
        assert one["colour"] == "black"
        assert f'/games/{one["game"]}#{2 * one["turn"] - 1}"' in text
    pgn = rated.get("/lesson", params={"player": NAME, "as": "pgn"})
    assert '[SetUp "1"]' in pgn.text
    assert pgn.headers["content-disposition"] == 'attachment; filename="lesson.pgn"'
    assert rated.get("/progress", params={"player": NAME, "as": "svg"}).text.startswith("<svg")
    assert rated.get("/progress", params={"player": NAME, "as": "csv"}).text.startswith("period,")
    assert rated.get("/slices", params={"player": NAME}).headers["location"].endswith("?by=phase#slices")
    elsewhere = rated.get("/lesson", params={"player": "/../?"})
    assert elsewhere.headers["location"] == "/players/%2F..%2F%3F#lesson"
    for address in ("/lesson", "/progress", "/slices"):
        nobody = rated.get(address, params={"player": "Nobody", "as": "json"})
        assert (nobody.status_code, "error" in nobody.json()) == (422, True)


def test_the_documents_are_those_of_the_commands(
    rated: Any, kitchen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = ["--recipe", str(kitchen / "few.toml"), "--engine", str(kitchen / "engine"), "--json"]
    where = [str(rated.site.folder.workspace), "--player", NAME, *usual]
    for command in ("lesson", "progress"):
        page = rated.get(f"/{command}", params={"player": NAME, "as": "json"}).json()
        capsys.readouterr()
        assert main([command, *where]) == 0
        assert page == json.loads(capsys.readouterr().out)
    said = rated.get("/slices", params={"player": NAME, "as": "json"}).json()
    assert main(["rate", *where, "--by", "phase"]) == 2  # a game is too little for that, here as there
    assert said["error"] in capsys.readouterr().err


@pytest.mark.parametrize("odd", ["", "x", "0", "-5", "7", "9" * 40, "5; drop"])
def test_what_is_not_offered_is_the_usual(odd: str) -> None:
    assert cut_of({"by": odd}) == "phase"
    assert window_of({"window": odd}) is None


def test_what_no_part_can_tell_is_said_once(rated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise InputError("there is no calibration that knows slices")

    for name in ("slices_of", "progress_of", "lesson_of"):
        monkeypatch.setattr(insights, name, none)
    text = whole(rated, f"/players/{NAME}")
    assert text.count("there is no calibration that knows slices") == 1
    assert "Worth an hour" not in text
    assert "Moves that cost most" in text
