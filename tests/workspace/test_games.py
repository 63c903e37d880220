"""Which games may be rated, and why the others may not."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.workspace import Workspace


def test_reasons_are_counted(workspace: Workspace, examples: Path, dirty: Path) -> None:
    with pytest.raises(InputError, match="no workspace"):
        workspace.reasons()
    workspace.import_games([examples, dirty / "blitz.pgn"])
    assert workspace.reasons() == {None: 13, "duplicate": 3, "fast_time_control": 1}
    assert workspace.none_may_be_rated() is None


def test_where_no_game_may_be_rated_a_sentence_says_why(workspace: Workspace, dirty: Path) -> None:
    workspace.import_games(dirty / "too_short.pgn")
    assert workspace.none_may_be_rated(["too_short"]) is None
    said = workspace.none_may_be_rated()
    assert said == (
        f"no game in {workspace.path} may be rated (1 too short): "
        "left out: 1 under 20 turns; --min-turns 1 includes it"
    )


def test_excluded_games_are_analysed_only_where_asked_for(workspace: Workspace, dirty: Path) -> None:
    workspace.import_games([dirty / "clean.pgn", dirty / "too_short.pgn"])
    rated = workspace.games_to_analyse()
    assert (rated.num_rows, rated["exclusion"].null_count) == (2, 2)
    assert workspace.games_to_analyse(include=["too_short"]).num_rows == 3
    assert workspace.games_to_analyse(include=["variant"]).num_rows == 2
    assert workspace.games_to_analyse(players=["able"]).num_rows == 1


def test_dates_as_far_as_they_are_known(workspace: Workspace, tmp_path: Path) -> None:
    dates = ("1956.10.17", "1956.??.??", "????.??.??", "soon")
    (tmp_path / "g.pgn").write_text(
        "".join(f'[White "A"]\n[Black "B"]\n[Date "{date}"]\n\n1. e4 e5 1-0\n\n' for date in dates)
    )
    workspace.import_games(tmp_path / "g.pgn")
    assert sorted(workspace.game_dates().values()) == ["1956-10-17", "1956-??-??"]
