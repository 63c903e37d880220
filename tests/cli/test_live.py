"""`assay live`: where values and the strength of the engine come from."""

import json
from pathlib import Path

import pytest

from assay.cli import main
from examples.commands import printed
from examples.gain_examples import annotated_pgn


def test_comments_that_are_not_there(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", str(examples / "game_of_the_century.pgn"), "--evaluations", "file"]) == 2
    assert "no evaluations in its comments" in capsys.readouterr().err


def test_live_from_comments(capsys: pytest.CaptureFixture[str], pgn: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    arguments = ("live", pgn, "--evaluations", "file", "--plot", str(page))
    shown = printed(capsys, *arguments)
    assert "∞" not in shown
    assert "perceived" not in shown
    assert "No Elo" in shown
    assert "mean gain" in shown
    assert "Mean gain (pawns)" in page.read_text(encoding="utf-8")
    assert printed(capsys, *arguments[:-1], str(tmp_path / "game.svg")) == shown
    assert (tmp_path / "game.svg").read_text(encoding="utf-8") in page.read_text(encoding="utf-8")
    found = json.loads(printed(capsys, *arguments, "--json"))
    assert found["scale"] is None
    assert not {"strength", "elo", "low", "high", "perceived"} & found["moves"][-1].keys()
    assert found["moves"][-1]["measures"]["gain"]["value"] == pytest.approx(0.094, abs=0.001)


@pytest.mark.parametrize("following", [False, True])
def test_values_of_a_known_source_have_its_scale_as_in_rate(
    following: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tags = '[Event "Rated rapid game"]\n[Site "https://lichess.org/abcdefgh"]\n[TimeControl "600+5"]\n'
    game = tmp_path / "game.pgn"
    game.write_text(tags + annotated_pgn())
    live = ("live", game, "--evaluations", "file", "--json")
    if following:
        moves = [json.loads(line) for line in printed(capsys, *live, "--follow").splitlines()]
    else:
        found = json.loads(printed(capsys, *live))
        moves = found["moves"]
        assert found["scale"] == "lichess rapid"
        assert found["recipe_id"] == "evaluated-lichess-rapid"
        assert not any("No Elo" in note or "classical scale" in note for note in found["notes"])
        assert any("one value per position" in note for note in found["notes"])
    asked = ("rate", game, "--evaluations", "file", "--time", "rapid", "--json")
    rated = json.loads(printed(capsys, *asked))
    assert rated["scale"] == "lichess rapid"
    known = {one["player"]: one["combined"] for one in rated["players"]}
    assert {one["player"]: one["combined"] for one in moves[-2:]} == known


def test_the_papers_number_under_its_own_name(capsys: pytest.CaptureFixture[str], pgn: Path) -> None:
    asked = ("live", pgn, "--evaluations", "file", "--perceived", "--engine-profile", "peak")
    found = json.loads(printed(capsys, *asked, "--engine-strength", "2860", "--json"))
    assert found["perceived_engine_strength"] == 2860
    last, first = found["moves"][-1]["perceived"], found["moves"][0]["perceived"]
    assert last["perceived_strength"] == pytest.approx(2817, abs=0.5)
    assert first == {
        "expectation_against_engine": 0.0,
        "perceived_strength": None,
        "perceived_strength_low": None,
        "perceived_strength_high": first["perceived_strength_high"],
    }
    shown = printed(capsys, *asked)
    assert "-43 (" in shown
    assert "which is not Elo" in shown
    assert "∞" not in shown


def test_the_engine_is_not_its_peak_unless_asked_for(
    capsys: pytest.CaptureFixture[str], pgn: Path, meetings: str
) -> None:
    asked = ["live", str(pgn), "--evaluations", "file"]
    assert main([*asked, "--perceived"]) == 2
    assert "--engine-from" in capsys.readouterr().err
    assert main([*asked, "--engine-from", meetings, "--engine-profile", "peak"]) == 2
    assert "choose one" in capsys.readouterr().err


def test_an_engine_that_was_named_must_be_there(capsys: pytest.CaptureFixture[str], pgn: Path) -> None:
    assert main(["live", str(pgn), "--engine", "no-such-engine"]) == 3
    assert "no-such-engine" in capsys.readouterr().err


def test_the_engine_from_other_games(capsys: pytest.CaptureFixture[str], pgn: Path, meetings: str) -> None:
    found = json.loads(
        printed(capsys, "live", pgn, "--evaluations", "file", "--engine-from", meetings, "--json")
    )
    assert found["perceived_engine_strength"] > 2300
    perceived = found["moves"][-1]["perceived"]["perceived_strength"]
    assert perceived < found["perceived_engine_strength"] + 200


def test_a_game_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["live", str(tmp_path / "none.pgn"), "--evaluations", "file"]) == 2
    assert "does not exist" in capsys.readouterr().err
