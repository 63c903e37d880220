"""Every player of some decisions, rated."""

import re
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assay.answers.ratings import Rating
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED
from assay.errors import InputError
from assay.models.intervals import FEWEST_GAMES
from assay.models.registry import make_model
from assay.rating.calibration import (
    WITH_CLOCKS,
    Calibration,
    all_shipped,
    find_calibration,
    rating_models,
    shipped,
    with_clocks,
)
from assay.rating.pipeline import Request, notes_on, rate_decisions, rate_everyone, ratings_of
from assay.study import Study
from examples.milepost_games import milepost_games
from examples.server_games import evaluated_game
from research.calibration.evaluated import TEACHINGS


def test_new_players_are_rated_where_they_are(calibration: Calibration) -> None:
    new = milepost_games(seed=1, games=6, games_each=6)
    players, too_few = rate_decisions(new, calibration)
    assert not too_few
    truth = np.array([one.reference for one in players])
    found = np.array([one.combined.elo for one in players])
    inside = [one.combined.low <= one.reference <= one.combined.high for one in players]
    assert np.mean(inside) >= 18 / 20
    assert np.corrcoef(truth, found)[0, 1] > 0.9
    assert players == tuple(sorted(players, key=lambda one: -one.combined.elo))
    # These games have no trace.
    known = {name for name, model in rating_models().items() if not model.reads_trace}
    assert set(players[0].ratings) == known


def test_more_games_narrower_intervals(calibration: Calibration) -> None:
    new = milepost_games([2000], seed=2, games=12, games_each=12)
    whole, _ = rate_decisions(new, calibration)
    single, _ = rate_decisions(new, calibration, by="game")
    assert len(whole) == 2
    assert len(single) == 24
    width = {one.player: one.combined.high - one.combined.low for one in whole}
    # At the end of the scale (1700) the prior leaves little room, for one game or for twelve.
    least = [1.3 if one.combined.elo > 1800 else 1.0 for one in single]
    wider = [(one.combined.high - one.combined.low) / width[one.player] for one in single]
    assert sum(least) > 30
    assert (np.array(wider) > least).all()
    assert {one.games for one in single} == {1}
    assert {one.record.draws for one in single} == {1}


def test_history_by_period(calibration: Calibration) -> None:
    new = milepost_games([2200], seed=3, games=6, games_each=6)
    periods = {game: "2001-0" + str(1 + index // 3) for index, game in enumerate(new.games)}
    for one in rate_everyone(new, calibration, periods=periods).players:
        assert [label for label, _ in one.history] == ["2001-01", "2001-02"]
        assert all(rating.games == 3 for _, rating in one.history)


def test_nobody_with_enough_decisions(games: Decisions, calibration: Calibration) -> None:
    with pytest.raises(InputError, match="nobody has 1000"):
        rate_decisions(games, calibration, min_decisions=1000)


def test_a_level_is_what_intervals_are_of(calibration: Calibration) -> None:
    new = milepost_games([1800, 2200], seed=4, games=6, games_each=6)
    narrow, wide = (rate_decisions(new, calibration, level=level)[0] for level in (0.5, 0.95))
    for one, other in zip(narrow, wide, strict=True):
        assert one.combined.high - one.combined.low < 0.5 * (other.combined.high - other.combined.low)
    for wrong in ({"level": 1.5}, {"methods": []}):
        with pytest.raises(InputError):
            rate_decisions(new, calibration, **wrong)


def test_a_rating_of_zero_is_none(calibration: Calibration) -> None:
    table = milepost_games([2000], games=2).table()
    place = table.schema.get_field_index("player_elo")
    table = table.set_column(place, table.schema.field(place), [np.zeros(len(table), np.int16)])
    players, _ = rate_decisions(Decisions.from_table(table), calibration)
    assert all(np.isnan(one.reference) for one in players)


def numbers(rating: Rating) -> list[float]:
    return [rating.elo, rating.low, rating.high]


def test_parts_are_rated_as_the_whole_command_rates_them(calibration: Calibration) -> None:
    new = milepost_games([1900, 2300], seed=8, games=2, games_each=2)
    players, _ = rate_decisions(new, calibration, methods=["bayes"])
    kept, _ = make_model("bayes").select(new)
    parts = [kept.select(player=one.player) for one in players]
    found = ratings_of(parts, new, calibration, "bayes")
    for one, rating in zip(players, found, strict=True):
        assert rating is not None
        assert numbers(rating) == pytest.approx(numbers(one.ratings["bayes"]), rel=1e-12)
    # Some moves of a game are no game.
    assert ratings_of([kept.take(np.arange(3))], new, calibration, "bayes") == [None]


# Clocks count where they are asked for by name, and nowhere else.

BULLET = "evaluated-lichess-bullet"


def games(path: Path, event: str = "Rated bullet game", without: str = "") -> Path:
    """Games of three players; those of one of them may lack clocks."""
    chosen = Random(3)
    text = ""
    pairs = [("ann", "bob"), ("cid", "ann"), *[("bob", "cid")] * (6 if without else 1)]
    for number, pair in enumerate(pairs):
        one = evaluated_game(number, *pair, chosen, event)
        text += re.sub(r"\[%clk [^\]]*\]", "", one) if without in pair and without else one
    path.write_text(text)
    return path


def test_only_scales_that_clocks_help_have_them() -> None:
    for teaching in TEACHINGS:
        timed = shipped(f"{teaching.source}{WITH_CLOCKS}")
        assert (timed is not None) == teaching.clocks
        if timed is not None:
            assert set(timed.mappings) - {"clocks"} == set(shipped(teaching.source).mappings)  # type: ignore[union-attr]
            assert timed.by_moves[:2] == ("clocks", "traits")
    assert all("clocks" not in one.mappings for one in all_shipped())
    with pytest.raises(InputError, match="lichess bullet alone"):
        with_clocks("evaluated-lichess-blitz")


def test_clocks_count_when_asked_for(tmp_path: Path) -> None:
    study = Study(games(tmp_path / "games.pgn"), evaluations="file")
    alone, both = study.rate(), study.rate(with_clocks=True)
    assert (alone.recipe_id, both.recipe_id, both.scale) == (BULLET, BULLET, "lichess bullet")
    assert not any("clocks" in one.ratings for one in alone.players)
    assert all("clocks" in one.ratings for one in both.players)
    by_name = {one.player: one.combined for one in alone.players}
    assert all(one.combined != by_name[one.player] for one in both.players)
    assert any("--with clocks" in note for note in both.notes)
    assert not any("--with clocks" in note for note in alone.notes)


def test_whose_games_have_no_clocks_is_said(tmp_path: Path) -> None:
    study = Study(games(tmp_path / "games.pgn", without="ann"), evaluations="file")
    found = study.rate(with_clocks=True, min_decisions=1)
    # Of bob and cid six games of seven have clocks, of ann none.
    assert {one.player: "clocks" in one.ratings for one in found.players} == {
        "ann": False,
        "bob": True,
        "cid": True,
    }
    [note] = [note for note in found.notes if "--with clocks" in note]
    assert "of ann have a clock" in note


def test_games_without_clocks_or_of_another_scale_are_refused(tmp_path: Path) -> None:
    study = Study(games(tmp_path / "blitz.pgn", "Rated Blitz game"), evaluations="file")
    with pytest.raises(InputError, match="leave it out"):
        study.rate(with_clocks=True)
    path = games(tmp_path / "bare.pgn")
    path.write_text(re.sub(r"\[%clk [^\]]*\]", "", path.read_text()))
    with pytest.raises(InputError, match="have no clocks"):
        Study(path, evaluations="file").rate(with_clocks=True)


# What must be said with ratings is said, and nothing else.

STANDARD = "672593ce2551e878"


def notes(recipe_id: str = STANDARD, games: int = 6, methods: Any = None, **read: Any) -> tuple[str, ...]:
    """The notes on one player, of pieces as far as notes look at them."""
    usual = {"time_classes": {"classical"}, "traced": True, "only": None, "without_value": 0.0}
    pieces = SimpleNamespace(recipe_id=recipe_id, **{**usual, "decisions": {}, **read})
    ratings = SimpleNamespace(players=[SimpleNamespace(games=games)])
    made_with = ("Some engine", "standard")
    return notes_on(ratings, pieces, find_calibration(recipe_id), made_with, Request(methods=methods))


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ({}, []),
        ({"recipe_id": "0" * 16, "games": 2}, ["assay calibrate", f"Below {FEWEST_GAMES} games"]),
        ({"decisions": {None: 1990, "malformed": 10}}, ["10 of 2,000 decisions are left out: their list"]),
        ({"time_classes": {"blitz"}}, ["blitz"]),
        ({"traced": False}, ["depth"]),
        ({"traced": False, "methods": ["gain"]}, []),
        ({"recipe_id": ANNOTATED}, ["", ""]),
        ({"recipe_id": ANNOTATED, "without_value": 0.3}, ["", "", "30%"]),
    ],
)
def test_what_must_be_said_with_ratings(read: dict[str, Any], words: list[str]) -> None:
    said = notes(**read)
    assert len(said) == len(words)
    assert all(word in note for word, note in zip(words, said, strict=True))
