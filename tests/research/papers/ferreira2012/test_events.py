"""Events beside the printed strengths."""

from pathlib import Path

import pytest

from assay.decisions.decisions import Decisions
from research.papers.ferreira2012 import events


def test_an_event_is_shown_beside_the_printed_strengths(
    tournament: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "RESAMPLES", 50)
    printed = [{"player": name, "estimated": 2700 + place} for place, name in enumerate("ABCD")]
    text = events.event(tournament, "event", printed)
    heads, rule, *rows, _, agreement = text.splitlines()
    assert heads == "| player | Elo | points | expected | strength | 95% interval | in the paper |"
    assert rule == "|---|---:|---:|---:|---:|---:|---:|"
    assert {row.split(" | ")[0][2:]: row.split(" | ")[-1] for row in rows} == {
        name: f"{2700 + place} |" for place, name in enumerate("ABCD")
    }
    assert agreement.startswith("Rank correlation of our strengths with the paper's: **")
    assert " of 4 published strengths lie inside our intervals" in agreement


def test_the_engine_has_a_strength_by_either_distribution(tournament: Decisions) -> None:
    text = events.engine_strengths({"The Event": tournament})
    assert [row.split(" | ")[1] for row in text.splitlines()[2:]] == ["peak", "measured"]


def test_an_event_in_one_line(tournament: Decisions) -> None:
    assert events.summary("The Event", tournament).startswith(
        f"- The Event: 36 games, {len(tournament):,} decisions,"
    )


@pytest.mark.engine
def test_games_are_analysed_once(examples: Path, tmp_path: Path) -> None:
    game, analyses = examples / "game_of_the_century.pgn", tmp_path / "game_of_the_century" / "analyses"
    first = events.analysed(game, tmp_path, 1, "quick")
    assert len(first) == 82
    parts = sorted(analyses.iterdir())
    assert parts
    assert events.analysed(game, tmp_path, 1, "quick") == first
    assert sorted(analyses.iterdir()) == parts
