import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.domain.decisions import Decisions
from decision_tables import make_decisions
from gain_examples import BYRNE, FISCHER, annotated_pgn, printed_decisions, with_game_ids


@pytest.fixture
def decisions(tmp_path: Path) -> str:
    """Ann and Bob, who met in three events; Cid and Dan, who met each other."""
    path = tmp_path / "decisions.parquet"
    others = with_game_ids(make_decisions(games=6, seed=5, players=("Cid, E", "Dan, F")), "others")
    Decisions.concat([make_decisions(games=9), others]).write(path)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_the_table_shows_results_expectations_differences_and_strengths(
    capsys: pytest.CaptureFixture[str], decisions: str
) -> None:
    shown = run(capsys, "tournament", decisions, "--event", "event1", "--resamples", "20")
    assert "event1 (distributions by event)" in shown
    assert all(word in shown for word in ("Ann", "Bob", "expected", "strength", "change", "95% interval"))
    assert "Engine strength" in shown


def test_one_table_for_each_event(capsys: pytest.CaptureFixture[str], decisions: str) -> None:
    tables = json.loads(run(capsys, "tournament", decisions, "--json", "--resamples", "0"))
    assert [table["event"] for table in tables] == ["event0", "event1", "event2"]


def test_separate_groups_are_said(capsys: pytest.CaptureFixture[str], decisions: str) -> None:
    [table] = json.loads(run(capsys, "tournament", decisions, "--by", "career", "--json"))
    assert len(table["groups"]) == 2
    assert "own" in table["notes"][0]
    by_name = {player["player"]: player for player in table["players"]}
    ann, bob = by_name["Ann"], by_name["Bob"]
    assert ann["strength"] + bob["strength"] == pytest.approx(ann["elo"] + bob["elo"], abs=0.2)
    assert [cell["opponent"] for cell in ann["opponents"]] == ["Bob"]
    assert ann["change"] == pytest.approx(ann["strength"] - ann["elo"], abs=0.11)
    [everyone] = json.loads(
        run(capsys, "tournament", decisions, "--by", "career", "--pairs", "all", "--json")
    )
    assert len(everyone["groups"]) == 1
    assert len(everyone["players"][0]["opponents"]) == 3


def test_cells_as_csv(capsys: pytest.CaptureFixture[str], decisions: str) -> None:
    lines = run(capsys, "tournament", decisions, "--by", "match", "--csv", "--resamples", "0").splitlines()
    assert lines[0] == "event,player,opponent,games,points,expectation,difference"
    assert len(lines) == 5


def test_a_measured_engine_is_nearer_than_its_peak(
    capsys: pytest.CaptureFixture[str], decisions: str
) -> None:
    found = []
    for profile in ("peak", "measured"):
        options = ("--by", "career", "--engine-profile", profile, "--resamples", "0", "--json")
        [table] = json.loads(run(capsys, "tournament", decisions, *options))
        found.append(table["engine_strength"]["by_elo"])
    assert found[0] != found[1]


def test_infinities_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "two.parquet"
    make_decisions(games=1, plies=2).write(path)
    assert "∞" in run(capsys, "tournament", str(path))
    [table] = json.loads(run(capsys, "tournament", str(path), "--json"))
    assert table["players"][0]["opponents"][0]["difference"] is None
    assert table["players"][0]["opponents"][0]["expectation"] in (0, 1)


def test_many_players_are_listed_without_cells(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "many.parquet"
    pairs = [(f"Player {n}", f"Player {n + 1}") for n in range(14)]
    games = [with_game_ids(make_decisions(1, seed=n, players=pair), str(n)) for n, pair in enumerate(pairs)]
    Decisions.concat(games).write(path)
    assert "left out of a table this wide" in run(capsys, "tournament", str(path), "--resamples", "0")


# compare -----------------------------------------------------------------------------------------------


def test_the_paper_s_two_players(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "game.parquet")
    printed_decisions().write(path)
    found = json.loads(run(capsys, "compare", "fischer", "Byrne", "--source", path, "--json"))
    assert [player["player"] for player in found["players"]] == [FISCHER, BYRNE]
    assert found["expectation"]["value"] == pytest.approx(0.655, abs=5e-4)
    assert found["difference"]["value"] == pytest.approx(113, abs=0.5)
    assert not found["resampled"]
    shown = run(capsys, "compare", "Fischer", "Byrne", "--source", path)
    assert "rating difference +113" in shown
    assert "too few games to resample" in shown


def test_a_player_in_two_periods(capsys: pytest.CaptureFixture[str], decisions: str) -> None:
    shown = run(capsys, "compare", "Ann@2000-2001", "Ann@2003", "--source", decisions)
    assert "Ann 2000-2001 against Ann 2003" in shown


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("Ann", "Zed"), "there is no player 'Zed'"),
        (("Ann@1900", "Bob"), "choose other years"),
        (("Ann@x", "Bob"), "write years as"),
    ],
)
def test_wrong_players_are_clear_errors(
    capsys: pytest.CaptureFixture[str], decisions: str, names: tuple[str, str], message: str
) -> None:
    assert main(["compare", *names, "--source", decisions]) == 2
    assert message in capsys.readouterr().err


# live --------------------------------------------------------------------------------------------------


def test_live_from_comments(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game, page = tmp_path / "game.pgn", tmp_path / "game.html"
    game.write_text(annotated_pgn())
    arguments = ("live", str(game), "--from-comments", "--plot", str(page))
    shown = run(capsys, *arguments)
    assert "-∞ (-∞ to" in shown
    assert "-185 (" in shown
    assert page.stat().st_size > 1_000_000  # with the code that draws it
    found = json.loads(run(capsys, *arguments, "--engine-strength", "2860", "--json"))
    assert found["moves"][-1]["strength"] == pytest.approx(2817, abs=0.5)
    assert found["moves"][0]["strength"] is None
    assert found["moves"][0]["expectation"] == 0


def test_following_ends_with_the_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(annotated_pgn())
    lines = run(capsys, "live", str(game), "--from-comments", "--follow").splitlines()
    assert len(lines) == 82
    assert lines[0].startswith("1. Nf3")
    rows = run(capsys, "live", str(game), "--from-comments", "--follow", "--json").splitlines()
    assert [json.loads(row)["ply"] for row in rows] == list(range(82))


def test_the_engine_from_other_games(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, decisions: str
) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(annotated_pgn())
    found = json.loads(
        run(capsys, "live", str(game), "--from-comments", "--engine-from", decisions, "--json")
    )
    assert found["engine_strength"] > 2300
    assert found["moves"][-1]["strength"] < found["engine_strength"] + 200


def test_a_game_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["live", str(tmp_path / "none.pgn"), "--from-comments"]) == 2
    assert "does not exist" in capsys.readouterr().err
