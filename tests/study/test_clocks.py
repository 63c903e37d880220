"""Clocks count where they are asked for by name, and nowhere else."""

import re
from pathlib import Path
from random import Random

import pytest

from assay.errors import InputError
from assay.rating.files import WITH_CLOCKS, all_shipped, shipped, with_clocks
from assay.study import Study
from assay.validation.evaluated import TEACHINGS
from examples.server_games import evaluated_game

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
            assert set(timed.spread.methods) - {"clocks"} == set(shipped(teaching.source).spread.methods)  # type: ignore[union-attr]
    assert all("clocks" not in one.spread.methods for one in all_shipped())
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
