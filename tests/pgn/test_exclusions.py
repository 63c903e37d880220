"""How games are recognised that must not be rated, and how fast they were played."""

import pytest

from assay.pgn.clocks import time_class_of
from assay.pgn.exclusions import is_odds_or_simul, is_variant


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"TimeControl": "7200+30"}, "classical"),
        ({"TimeControl": "40/7200:3600"}, "classical"),
        ({"TimeControl": "2700+45"}, "classical"),
        ({"TimeControl": "900+10"}, "rapid"),
        ({"TimeControl": "600"}, "blitz"),
        ({"TimeControl": "180+2"}, "blitz"),
        ({"TimeControl": "60+1"}, "bullet"),
        ({"TimeControl": "1/259200"}, "correspondence"),
        ({"TimeControl": "-", "Event": "World Blitz 2019"}, "blitz"),
        ({"TimeControl": "?", "EventType": "rapid"}, "rapid"),
        ({"Event": "Melody Amber Rapid 10th"}, "rapid"),
        ({"Event": "ICCF Email"}, "correspondence"),
        ({"Event": "Linares"}, "unknown"),
        ({"Event": "Kosmos m 5'"}, "blitz"),
        ({"Event": "Sofia m 25'"}, "rapid"),
        ({"Event": "Paris 30 min"}, "rapid"),
        ({"Event": "EU-ch Rapid-30'"}, "rapid"),
        ({"Event": "Moscow, the 60's, round 12 Minsk"}, "unknown"),
        ({}, "unknown"),
        ({"TimeControl": "9" * 50}, "unknown"),
    ],
)
def test_time_classes(tags: dict[str, str], expected: str) -> None:
    assert time_class_of(tags) == expected


def test_other_rules_and_unequal_terms() -> None:
    assert is_variant({"Variant": "Chess960"})
    assert not any(is_variant({"Variant": text}) for text in ("", "Standard", "From Position"))
    for event in ("Simul, 30b", "Blindfold", "Odds game", "Consultation"):
        assert is_odds_or_simul({"Event": event}), event
    assert is_odds_or_simul({"EventType": "simul"})
    assert not is_odds_or_simul({"Event": "Linares"})
