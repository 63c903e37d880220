"""What `assay tournament` and `assay compare` answer."""

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.decisions.decisions import Decisions
from assay.testing import make_decisions
from examples.commands import printed, sentence
from examples.gain_examples import with_game_ids


def test_compare_as_csv_is_seen_from_both_sides(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", source, "Ann", "Bob", "--csv", "--perceived"]) == 0
    head, *lines = (line.split(",") for line in capsys.readouterr().out.splitlines())
    ann, bob = (dict(zip(head, line, strict=True)) for line in lines)
    assert float(ann["expectation"]) + float(bob["expectation"]) == pytest.approx(1)
    assert float(ann["low"]) + float(bob["high"]) == pytest.approx(1)
    assert float(ann["high"]) + float(bob["low"]) == pytest.approx(1)


def test_the_table_shows_results_expectations_differences_and_strengths(
    capsys: pytest.CaptureFixture[str], meetings: str
) -> None:
    asked = ("tournament", meetings, "--event", "event1", "--resamples", "20")
    shown = printed(capsys, *asked)
    assert "event1 (distributions by event)" in shown
    assert all(word in shown for word in ("Ann", "Bob", "expected", "No ratings"))
    assert not any(word in shown for word in ("strength", "change", "perceived"))
    perceived = " ".join(printed(capsys, *asked, "--perceived").split())
    assert "perceived strength (Ferreira 2012), not Elo" in perceived
    assert "Perceived strength of the engine" in perceived


def test_an_event_is_known_by_part_of_its_name(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    assert "event1 (distributions" in printed(
        capsys, "tournament", meetings, "--event", "VENT1", "--resamples", "0"
    )
    assert "there is no event 'Linares' in these games: there are event0" in sentence(
        capsys, "tournament", meetings, "--event", "Linares"
    )


def test_cells_as_csv(capsys: pytest.CaptureFixture[str], meetings: str) -> None:
    lines = printed(
        capsys, "tournament", meetings, "--from", "match", "--csv", "--resamples", "0"
    ).splitlines()
    assert lines[0] == "event,player,opponent,games,points,expectation"
    assert len(lines) == 5


def test_infinities_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "two.parquet"
    make_decisions(games=1, plies=2).write(path)
    assert "∞" in printed(capsys, "tournament", str(path), "--perceived")
    [table] = json.loads(printed(capsys, "tournament", str(path), "--json", "--perceived"))
    assert table["players"][0]["opponents"][0]["perceived_difference"] is None
    assert table["players"][0]["opponents"][0]["expectation"] in (0, 1)


def test_many_players_are_listed_without_cells(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "many.parquet"
    pairs = [(f"Player {n}", f"Player {n + 1}") for n in range(14)]
    games = [with_game_ids(make_decisions(1, seed=n, players=pair), str(n)) for n, pair in enumerate(pairs)]
    Decisions.concat(games).write(path)
    assert "left out of a table this wide" in printed(capsys, "tournament", str(path), "--resamples", "0")
