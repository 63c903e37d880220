"""Variants of the Markov method, on the championships' names and on made-up years."""

import re
from dataclasses import replace

import numpy as np
import pytest

from assay.decisions.decisions import Decisions
from assay.models.markov import ValueClasses
from assay.rating.forecasts import Match
from assay.reproduce.alliot2017 import Recovery
from assay.testing import make_decisions
from research.papers.alliot2017 import markov_variants
from research.papers.alliot2017.markov_variants import PooledMarkov, RawMarkov, _variant, prior_strengths


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return make_decisions(games=10, plies=80)


def test_variants_are_told_apart_by_name_and_prior() -> None:
    assert (RawMarkov().name, RawMarkov().prior) == ("markov raw", "none")
    assert (PooledMarkov().name, PooledMarkov().prior) == ("markov pooled", "pooled")
    assert RawMarkov().identity != PooledMarkov().identity


def test_a_variant_is_tried_with_every_prior(decisions: Decisions, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [
        Match(first="Ann", second="Bob", year=year, actual=actual)
        for year, actual in ((2002, 0.6), (2003, 0.5), (2004, 0.4))
    ]
    monkeypatch.setattr(markov_variants, "championships", lambda: matches)
    cells = _variant(decisions, ValueClasses.growing(), "pooled")
    assert len(cells) == 2 * len(markov_variants.PRIORS) + 1
    for cell in cells[::2]:
        assert float(cell) >= 0


def test_the_likelihoods_are_of_all_years(decisions: Decisions) -> None:
    said = prior_strengths(decisions)
    assert "of the 10 player-years" in said
    one, per_row = (float(text) for text in re.findall(r"(-[\d.]+) with", said)[:2])
    assert per_row >= one  # more numbers fit no worse


def test_what_was_simulated_becomes_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Recovery(7, 0.95, 0.02, 0.05, 480.4)

    def recovered(rows: np.ndarray, *_: object, moves: int, **__: object) -> Recovery:
        assert rows.sum(axis=1) == pytest.approx(np.ones(len(rows)))
        return replace(found, strength=float(moves))

    monkeypatch.setattr(markov_variants, "recovery", recovered)
    rows = markov_variants.simulated(pairs=7).splitlines()[2:]
    assert len(rows) == 6
    assert rows[0] == "| 0.0 | pooled | 1500 | 7 | 95.0 | 2.0 | 5.0 | 1500 |"
