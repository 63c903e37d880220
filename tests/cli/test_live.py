"""`assay live`: where values and the strength of the engine come from."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.answers.live import Known
from assay.answers.ratings import Quantity, Rating
from assay.cli import main
from assay.cli.output import show
from assay.cli.rate import print_new
from assay.engine.engines import EngineConfig
from assay.live.analysis import LiveAnalysis
from assay.live.game import read_game
from assay.source import beside
from assay.workspace import Workspace
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


def test_what_is_analysed_is_kept_for_the_next_call_and_for_rate(
    capsys: pytest.CaptureFixture[str], pgn: Path, scripted: Callable[..., EngineConfig]
) -> None:
    engine = scripted()
    asked = ("live", pgn, "--evaluations", "engine", "--engine", engine.path, "--json")
    first = json.loads(printed(capsys, *asked))
    workspace = Workspace(beside(pgn))
    kept = workspace.table_analyses.count(), workspace.table_alone.count()
    assert kept[0] == len(first["moves"]) + 1
    assert json.loads(printed(capsys, *asked)) == first
    assert (workspace.table_analyses.count(), workspace.table_alone.count()) == kept
    workspace.import_games(pgn)
    assert len(workspace.backlog(engine=engine)) == 0


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
        assert any("one evaluation per position" in note for note in found["notes"])
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
    assert "which is not Elo" in " ".join(shown.split())
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


# What `assay live` prints: a whole game, or one line for each new move.


def test_live_as_csv(pgn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    live = ("live", pgn, "--evaluations", "file", "--csv")
    lines = printed(capsys, *live).splitlines()
    assert printed(capsys, *live, "--follow").splitlines() == lines
    assert lines[0].startswith("ply,player,move")
    assert len(lines) == 83


def test_following_ends_with_the_result(capsys: pytest.CaptureFixture[str], pgn: Path) -> None:
    lines = printed(capsys, "live", pgn, "--evaluations", "file", "--follow").splitlines()
    assert len(lines) == 82
    assert lines[0].startswith("1. Nf3")
    rows = printed(capsys, "live", pgn, "--evaluations", "file", "--follow", "--json").splitlines()
    assert [json.loads(row)["ply"] for row in rows] == list(range(82))


def test_a_move_is_one_line_of_80_characters(
    capsys: pytest.CaptureFixture[str], pgn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveAnalysis(None).update(read_game(pgn))
    rating = Rating("combined", 2200.0, low=1900.0, high=2500.0, decisions=20, games=1)
    later = [
        replace(move, known=Known(20, {"combined": rating}, skill=Quantity(1.05, 0.1, 0.85, 1.25)))
        for move in live.moves[40:]
    ]
    rated = replace(live, moves=(*live.moves[:40], *later), scale="Elo")
    rated = replace(rated, notes=["too early: so few moves."])
    monkeypatch.setenv("COLUMNS", "80")
    show(rated)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("too early" in line for line in lines) == 41  # and what that means
    assert sum("~2200 (1900-2500)" in line and "1.05" in line for line in lines) == 42
    print_new(rated, [], as_json=False, as_csv=False)
    followed = capsys.readouterr().out.splitlines()
    assert max(map(len, followed)) <= 80
    assert sum(line.endswith("~2200 (1900-2500), c 1.05") for line in followed) == 42
    show(rated, csv=True)
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.endswith("decisions,rating_elo,rating_low,rating_high,rating_bound,c,c_low,c_high")
    assert rows[-1].endswith("20,2200.0,1900.0,2500.0,,1.05,0.85,1.25")
    assert rows[0].endswith("0,,,,,,,")
