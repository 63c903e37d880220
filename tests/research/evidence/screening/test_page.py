"""The page: every table is made, and the page that is committed says what the norms that ship say."""

import re
from pathlib import Path

import pytest

from assay.answers.screening import ABOVE, BELOW, SHARES
from assay.screening.norms import find_norms
from assay.screening.source_norms import SourceNorms
from examples.screened_games import STANDARD, calibration
from research.evidence.screening import dealings
from research.evidence.screening import page as pages
from research.evidence.screening.measured import Measurement
from research.evidence.screening.other_engine import OtherEngine
from research.evidence.screening.power import SCENARIOS, share

DOCS = Path(__file__).resolve().parents[4] / "docs"


def test_the_whole_page(measurement: Measurement, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "FEWEST_GAMES", 2)
    monkeypatch.setattr(dealings, "SEEDS", (0,))
    honest, powers = dealings.over_dealings(measurement, {"all moves": share(1.0)}, None, None)
    norms = measurement.norms(calibration(), {"games": 30}, list(dealings.honest_rates(honest, 1)))
    text = pages.page(measurement, norms, powers)
    assert "| all moves, 1 |" in text
    assert "{{" not in text
    assert "--other" in text
    engine = OtherEngine("Other 1 (deep)", 1200, 0.97, 0.55)
    text = pages.page(measurement, norms, powers, engine)
    assert "that of Other 1 (deep)" in text
    assert "one of the ten lines in 97% and the first of them in 55%" in text


def test_the_committed_page_is_of_the_norms_that_ship() -> None:
    norms = find_norms(STANDARD)
    assert norms is not None
    text = (DOCS / "screening.md").read_text(encoding="utf-8")
    assert pages.rates(norms) in text
    assert pages.dispersion(norms) in text
    assert pages.sequence_rates(norms) in text


def test_rates_that_are_off_are_named_where_enough_groups_tell() -> None:
    one = {"games": 5, "band": "all", "nominal": 0.05, "above": 0.1, "below": 0.06, "groups": 100}
    assert pages.off_nominal([one]) == "5 games, all: 8.0 for 5%"
    assert pages.off_nominal([one | {"groups": 40}]) == "", "two groups are due"
    assert pages.off_nominal([one | {"above": 0.05}]) == ""
    assert "1 game, all: 2.0" in pages.off_nominal([one | {"games": 1, "above": 0.0, "below": 0.04}])


def test_the_committed_page_says_how_ours_compares() -> None:
    """Every row of power has both differences with their errors, and the rule is the one that is in force."""
    text = (DOCS / "screening.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| [^|]*, [159] \|.*±", line)]
    assert len(rows) >= 3 * len(SCENARIOS)
    assert all(row.count("±") == 2 for row in rows)
    assert pages.rule(ABOVE) in text
    assert pages.rule(BELOW) in text


def test_where_another_test_has_more_is_said() -> None:
    one = {"games": 1, "ours": 0.1, "plain": 0.2, "index": 0.05}
    one["apart"] = {"plain": (-0.1, 0.04), "index": (0.05, 0.03)}
    powers = {"all moves": [one, one | {"games": 5, "apart": one["apart"] | {"plain": (-0.1, 0.06)}}]}
    assert pages.behind(powers, 2.0) == "all moves, 1: 10.0 against 20.0 (plain, ± 4.0)"
    assert pages.behind(powers).count("plain") == 2
    assert "| all moves, 1 | 10 |" in pages.power(
        {"all moves": [dict.fromkeys(SHARES[ABOVE], 0.0) | one | {"sequence": 0}]}
    )


def test_tables_of_evaluated_sources() -> None:
    """A share of which not one group is due is a dash; intervals stand beside shares over all ratings."""
    base = {"games": 1, "above": 0.05, "below": 0.04, "groups": 100}
    rates = [
        {**base, "band": band, "threshold": threshold, "nominal": nominal}
        for band in ("all", "1400-1800")
        for threshold, nominal in ((1.645, 0.05), (3.09, 0.001))
    ]
    young = {**base, "kind": "up to 13 years", "threshold": 1.645}
    norms = SourceNorms(
        source="made",
        shapes={},
        rates=tuple(rates),
        situations=(
            {**young, "error": 60.0},
            {**young, "error": 150.0},
            {**young, "kind": "blitz", "error": 60.0},
        ),
        about={"scale": "Made Elo"},
    )
    assert "| Made Elo | 1, all | 100 | 5.00 / 4.00 | - |" in pages.source_rates([norms])
    known = pages.known_rates([norms])
    assert "| Made Elo | 1 | 100 | 5 | 5.00 (1.64 to 11.28) | 4.00 (1.10 to 9.93) |" in known
    assert known.count("Made Elo") == 1
    kinds = pages.kinds_of_players(norms)
    assert "| up to 13 years | 1 | 100 | 5.0 / 4.0 | 5.0 / 4.0 |" in kinds
    assert "| blitz | 1 | 100 | 5.0 / 4.0 | - |" in kinds
