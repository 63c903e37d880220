"""The one table of reasons: what is stored, and what follows from each."""

from pathlib import Path

import pyarrow as pa
import pytest

from assay.decisions import exclusions
from assay.decisions.exclusions import (
    OF_GAMES,
    Choice,
    Exclusion,
)
from assay.decisions.time_control import TIME_CLASSES
from assay.errors import InputError

SOURCES = Path(exclusions.__file__).parent.parent


def test_the_stored_texts_and_their_order_stay_what_they_were() -> None:
    """Workspaces on disk hold these texts."""
    assert [reason.value for reason in OF_GAMES] == [
        "too_large",
        "variant",
        "nonstandard_start",
        "illegal_move",
        "broken_moves",
        "no_moves",
        "duplicate",
        "other_date",
        "too_short",
        "odds_or_simul",
        "fast_time_control",
        "other_time_control",
        "result_conflict",
        "no_result",
    ]
    assert {reason.value for reason in Exclusion if reason not in OF_GAMES} == {
        "not_analysed",
        "other_scale",
        "malformed",
        "no_date",
        "no_two_players",
    }
    stored = pa.array([Exclusion.TOO_SHORT, None], pa.string()).to_pylist()
    assert stored == ["too_short", None]
    assert type(stored[0]) is str


def test_no_module_writes_a_reason_as_a_bare_text() -> None:
    """One concept, one home: others name the members. In lichess's JSON, `variant` is a key."""
    homes = (Path(exclusions.__file__), SOURCES / "pgn" / "ndjson.py")
    found = [
        (path.relative_to(SOURCES).as_posix(), reason.value)
        for path in SOURCES.rglob("*.py")
        if path not in homes
        for reason in Exclusion
        if f'"{reason.value}"' in path.read_text(encoding="utf-8")
    ]
    assert found == []


@pytest.mark.parametrize(
    ("stored", "plies", "time", "expected"),
    [
        (None, 40, "classical", None),
        (None, 39, "blitz", "too_short"),
        (None, 40, "blitz", "fast_time_control"),
        (None, 40, "rapid", "other_time_control"),
        ("no_result", 40, "bullet", "fast_time_control"),
        ("odds_or_simul", 40, "blitz", "odds_or_simul"),
        ("odds_or_simul", 10, "blitz", "too_short"),
        ("duplicate", 10, "blitz", "duplicate"),
        ("from a later assay", 10, "blitz", "from a later assay"),
    ],
)
def test_reasons_by_choice(stored: str | None, plies: int, time: str, expected: str | None) -> None:
    assert Choice().reason(stored, plies, time) == expected


def test_a_choice_in_words() -> None:
    assert Choice.parse() == Choice(frozenset({"classical", "unknown"}), 20)
    assert Choice.parse("Blitz, rapid", 5) == Choice(frozenset({"blitz", "rapid"}), 5)
    assert Choice.parse(["all"]).times == frozenset(TIME_CLASSES)
    assert Choice.parse("blitz").reason(None, 40, "classical") == "other_time_control"
    assert Choice.parse("blitz").reason(None, 40, "blitz") is None
    assert Choice.parse(min_turns=0).reason(None, 1, "unknown") is None
    for wrong in ("slow", "", "blitz,slow"):
        with pytest.raises(InputError, match="--time takes"):
            Choice.parse(wrong)
    with pytest.raises(InputError, match="negative"):
        Choice.parse(min_turns=-1)
