"""The page of evaluated games, from made-up ratings."""

from dataclasses import replace

import numpy as np

from assay.rating.calibration import shipped
from research.evidence.evaluated_accuracy import Rated
from research.evidence.evaluated_page import Measured, page_of
from research.evidence.evaluated_scales import Kept
from research.evidence.opponents import Opponents


def rated(n: int, seed: int) -> Rated:
    rng = np.random.default_rng(seed)
    published = rng.normal(2100, 200, n)
    elo = published + rng.normal(10, 150, n)
    return Rated(published, elo, elo - 300, elo + 300, published + rng.normal(0, 100, n))


def test_the_page_shows_what_was_measured() -> None:
    calibration = shipped("evaluated-lichess-classical")
    assert calibration is not None
    by_games = {n: rated(40, n) for n in (1, 3)}
    moves = ("flat", "pool", "population")
    names = (*moves, *(f"{name}, results" for name in moves))
    priors = {one: {name: rated(30, place) for place, name in enumerate(names)} for one in (True, False)}
    sizes = {one: [10, 20] for one in (True, False)}
    by_prior = {prior: {n: rated(60, n) for n in (1, 5)} for prior in ("flat", "population")}
    scale = Kept("made up", 100, 50, (1500.0, 2500.0), by_prior, Opponents(321, 0.6, 0.5, 0.831, 0.829))
    timed = [scale, replace(scale, scale="made up, with clocks")]
    folds = {"traits, flat": rated(50, 9), "all methods, population": rated(50, 8)}
    measured = Measured(
        calibration, by_games, by_games, np.full(40, 14), priors, sizes, 0.5, [scale], timed, folds
    )
    text = page_of(measured)
    one = by_games[1]
    assert f"| 1 | 40 | {one.error:.0f} | {one.guess:.0f} |" in text
    (scale_row,) = (
        line for line in text.splitlines() if line.startswith("| lichess classical | lichess's St")
    )
    assert scale_row.endswith(f"| {calibration.about['results']['b']:.2f} |")
    assert f"{priors[True]['pool'].error:.0f} of {priors[True]['pool'].guess:.0f}" in text
    assert "| 14 | 40 |" in text
    kept = by_prior["flat"][5]
    assert f"| made up, with clocks | 5 | 60 | {kept.error:.0f} | {kept.guess:.0f} |" in text
    assert "| made up | 321 | 0.60 | 0.50 | 0.831 | 0.829 |" in text
    assert f"| traits, flat | 50 | {folds['traits, flat'].error:.0f} |" in text
