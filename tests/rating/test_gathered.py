"""Ratings of decisions read in pieces are those of all at once."""

import numpy as np
import pytest

from assay.answers.ratings import with_combined
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.registry import make_model
from assay.rating import gathered
from assay.rating.gathered import Gathered
from assay.rating.groups import Rater, groups_of
from assay.rating.rate import rate_decisions


def in_pieces(decisions, games_at_a_time):
    games = decisions.games
    for start in range(0, len(games), games_at_a_time):
        yield decisions.select(game=games[start : start + games_at_a_time])


@pytest.fixture(scope="module")
def models():
    return {name: make_model(name) for name in ("gain", "conformance", "bayes")}


@pytest.mark.parametrize("by", ["player", "year", "game"])
def test_profiles_of_pieces_add_up_to_those_of_all(games, models, by, monkeypatch):
    monkeypatch.setattr(gathered, "MOST_BLOCKS", 3)
    whole = Appearances.of(games)
    found = Gathered.of(in_pieces(games, 3), models, by)
    appearances, block_of = found.appearances, found.block_of
    assert sorted(zip(appearances.games(), appearances.players(), appearances.size, strict=True)) == sorted(
        zip(whole.games(), whole.players(), whole.size, strict=True)
    )
    expected = {group.title: group.rows for group in groups_of(whole, by)}
    for name, model in models.items():
        single, blocks = whole.stack(model), found.stacks()[name]
        for group in groups_of(appearances, by):
            rows = expected[group.title][whole.size[expected[group.title]] > 0]
            own = np.unique(block_of[group.rows[appearances.size[group.rows] > 0]])
            assert len(own) == min(len(rows), 3)
            if not len(rows):
                continue
            total, summed = single.only(rows.tolist()).total(), blocks.only(own.tolist()).total()
            assert summed.equals(total, 1e-12)
            for number, block in enumerate(own):
                one = single.only(rows[number::3].tolist()).total()
                assert blocks.only([int(block)]).total().equals(one, 1e-12)


def test_ratings_of_pieces_are_those_of_all(games, calibration):
    whole = Appearances.of(games)
    groups = [group for group in groups_of(whole) if whole.size[group.rows].sum() >= 10]
    rows = [group.rows[whole.size[group.rows] > 0] for group in groups]
    expected = dict(zip((g.title for g in groups), Rater(whole, calibration).rate(rows), strict=True))
    found, _ = rate_decisions(in_pieces(games, 2), calibration)
    assert {one.title for one in found} == {title for title, one in expected.items() if one}
    for one in found:
        for method, rating in with_combined(one).items():
            other = expected[one.title][method]
            assert [rating.elo, rating.low, rating.high] == pytest.approx(
                [other.elo, other.low, other.high], abs=1e-6
            )


def test_nothing_to_gather_is_said(models):
    with pytest.raises(InputError, match="no decisions to rate"):
        _ = Gathered.of([], models, "player").appearances
