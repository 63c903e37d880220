"""Evidence adds up: by group, in blocks, whatever the pieces."""

import numpy as np
import pyarrow as pa
import pytest

from assay.answers.ratings import with_combined
from assay.decisions.decisions import Decisions
from assay.errors import InputError
from assay.models.appearances import Appearances
from assay.models.registry import make_model
from assay.rating import evidence
from assay.rating.calibration import Calibration
from assay.rating.evidence import APART, Evidence, Pieces, groups_of, part_of
from assay.rating.group_ratings import Rater
from assay.rating.pipeline import rate_decisions

# Groups of appearances, and their ratings.


def test_groups_by_year_event_and_game(appearances: Appearances) -> None:
    by_year = groups_of(appearances, "year")
    assert {group.label for group in by_year} == {"2000", "2001", "2002"}
    assert sum(len(group.rows) for group in by_year) == len(appearances)
    assert {group.label for group in groups_of(appearances, "event")} == {"event0", "event1"}
    assert len(groups_of(appearances, "game")) == len(appearances)
    with pytest.raises(InputError, match="not by 'moon'"):
        groups_of(appearances, "moon")


def test_batches_do_not_change_ratings(appearances: Appearances, calibration: Calibration) -> None:
    rater = Rater(appearances, calibration)
    groups = [group.rows for group in groups_of(appearances)]
    together = [ratings["combined"].elo for ratings in rater.rate(groups)]
    apart = [rater.rate([rows])[0]["combined"].elo for rows in groups]
    assert together == pytest.approx(apart)


def test_only_some_methods(appearances: Appearances, calibration: Calibration) -> None:
    [ratings] = Rater(appearances, calibration, methods=["gain"]).rate([np.arange(6)])
    assert set(ratings) == {"gain", "combined"}
    assert ratings["gain"].elo == ratings["combined"].elo
    with pytest.raises(InputError, match="no method 'magic'"):
        Rater(appearances, calibration, methods=["magic"])


# Ratings of decisions read in pieces are those of all at once.


def in_pieces(decisions, games_at_a_time):
    games = decisions.games
    for start in range(0, len(games), games_at_a_time):
        yield decisions.select(game=games[start : start + games_at_a_time])


@pytest.fixture(scope="module")
def models():
    return {name: make_model(name) for name in ("gain", "conformance", "bayes")}


@pytest.mark.parametrize("by", ["player", "year", "game"])
@pytest.mark.parametrize("waiting", [0, 10_000])
def test_profiles_of_pieces_add_up_to_those_of_all(games, models, by, waiting, monkeypatch):
    monkeypatch.setattr(evidence, "_MOST_WAITING", waiting)
    whole = Appearances.of(games)
    sums = Evidence.of(in_pieces(games, 3), models, by, blocks=3).sums()
    expected = {group.title: group.rows for group in groups_of(whole, by)}
    assert {group.title for group in sums.titled()} == set(expected)
    stacks = sums.stacks()
    for name, model in models.items():
        single = whole.stack(model)
        for group in sums.titled():
            rows = expected[group.title][whole.size[expected[group.title]] > 0]
            assert len(group.rows) == min(len(rows), 3)
            assert sums.size[group.rows].sum() == whole.size[rows].sum()
            assert sums.count("games")[group.rows].sum() == len(rows)
            assert sums.reference(group.rows) == pytest.approx(np.nanmean(whole.elo[rows]), nan_ok=True)
            for number, block in enumerate(group.rows.tolist()):
                one = single.only(rows[number::3].tolist()).total()
                assert stacks[name].only([block]).total().equals(one, 1e-12)


def test_games_that_are_apart_have_their_first_decision(games, models):
    found = Evidence.of(in_pieces(games, 3), models, blocks=APART)
    sums, single = found.sums(), found.appearances
    assert len(sums) == len(single) == (Appearances.of(games).size > 0).sum()
    players = [player for place, (player, _) in enumerate(sums.groups) for _ in sums.rows(place)]
    assert single.players() == players
    assert np.nan_to_num(single.elo).tolist() == sums.count("elo").tolist()


def test_sums_come_back_from_plain_arrays_and_sparse_ones_take_four_bytes(games, models):
    found = Evidence(models, "x")
    for piece in in_pieces(games, 4):
        found.add(part_of(piece, models, compact=True))
    arrays = found.arrays()
    again = Evidence.restored(models, "x", arrays)
    assert len(again) == len(found)
    assert arrays["gain.indices"].dtype == arrays["gain.indptr"].dtype == np.int32
    np.testing.assert_array_equal(again.sums().counts, found.sums().counts)
    for name, stack in again.sums().stacks().items():
        assert stack.total().equals(found.sums().stacks()[name].total(), 1e-12)
    with pytest.raises(ValueError, match="another form"):
        Evidence.restored(models, "x", {**arrays, ".": arrays["."][1:]})


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


def test_nothing_to_rate_is_said(calibration):
    with pytest.raises(InputError, match="no decisions to rate"):
        rate_decisions([], calibration)


def test_one_piece_is_kept_and_several_are_not(games: Decisions) -> None:
    first, second = games.games[:2]
    one, other = games.select(game=first), games.select(game=second)
    empty = games.select(game="no such game")
    single = Pieces([empty, one])
    assert [len(piece) for piece in single.read()] == [len(one)]
    assert single.only is one
    several = Pieces(iter([one, empty, other]))
    assert several.recipe_id == single.recipe_id != ""
    assert [len(piece) for piece in several.read()] == [len(one), len(other)]
    assert several.only is None
    assert several.players == {*one.players, *other.players}


def test_games_left_out_are_counted_once_over_all_pieces(games: Decisions) -> None:
    some = games.select(game=games.games[:3])
    table = some.table()
    reasons = ["too_short" if game == games.games[0] else None for game in some.text("game_id")]
    marked = Decisions.from_table(
        table.set_column(table.schema.get_field_index("exclusion"), "exclusion", [reasons])
    )
    pieces = Pieces([marked.select(game=game) for game in marked.games])
    assert sum(map(len, pieces.read())) == len(some)
    assert pieces.left_out == {"too_short": 1}


def test_moves_without_a_value_are_counted(games: Decisions) -> None:
    table = games.table()
    reasons = ["not_analysed" if row % 4 == 0 else None for row in range(table.num_rows)]
    place = table.schema.get_field_index("exclusion")
    marked = Decisions.from_table(table.set_column(place, "exclusion", pa.array(reasons, pa.string())))
    pieces = Pieces([marked])
    list(pieces.read())
    assert abs(pieces.without_value - 0.25) < 0.01
