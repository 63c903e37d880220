import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from assay.decisions.arrays import Floats
from assay.errors import InputError
from assay.results.company import (
    ALONE,
    TUNED,
    CompanyModel,
    CompanySettings,
    evidence,
    ratings,
)
from assay.results.games import ResultGames
from examples.result_games import few, simulated


def slow_objective(
    games: ResultGames, schedule: ResultGames, s: CompanySettings, rating: Floats, white: float
) -> float:
    """Part 1 of the model as its docstring writes it, one game and one player at a time."""
    last = max(games.month.tolist())
    total = 0.0
    meetings: dict[int, list[tuple[int, float]]] = {x: [] for x in range(len(games.players))}
    for m, w, b, r in zip(games.month, games.white, games.black, games.result, strict=True):
        p = 1 / (1 + math.exp(-(rating[w] - rating[b] + white)))
        total -= (r * math.log(p) + (1 - r) * math.log(1 - p)) / (1 + s.fade * (last - m) / 100)
        weight = 1 / (1 + s.company_fade * (last - m) / 100)
        meetings[w].append((b, weight))
        meetings[b].append((w, weight))
    for w, b in zip(schedule.white, schedule.black, strict=True):
        meetings[w].append((b, s.schedule))
        meetings[b].append((w, s.schedule))
    for x, met in meetings.items():
        weight = sum(v for _, v in met)
        company = sum(v * rating[o] for o, v in met) / (s.anchor + weight)
        total += 0.5 * (s.pull + s.pull_by_games * weight) * (rating[x] - company) ** 2
    return total


def test_ratings_are_at_the_minimum_of_the_sum() -> None:
    games, _ = simulated(players=8, games=60, months=30)
    schedule = simulated(players=8, games=10, seed=5)[0].without_results()
    found = ratings(games, schedule, TUNED)
    point = np.append(found.rating, found.white)
    slope = approx_fprime(point, lambda at: slow_objective(games, schedule, TUNED, at[:-1], at[-1]), 1e-6)
    assert np.abs(slope).max() < 1e-3


def test_evidence_of_a_game_is_what_its_docstring_says() -> None:
    games, _ = simulated(players=6, games=80)
    names = games.players
    month = 30
    schedule = few(
        (month, names[0], names[1], math.nan),
        (month, names[0], names[2], math.nan),
        (month, names[3], names[0], math.nan),
        (month + 1, names[1], names[0], math.nan),
    )
    white, black = schedule.codes_in(names)
    schedule = replace(schedule, players=names, white=white, black=black)
    found = ratings(games, schedule, TUNED)
    r, info = found.rating, found.information
    doubt = 1 / (TUNED.doubt_floor + info)
    others = (r[2] + r[3]) - 2 * (r[0] + r[1]) / 2
    expected = [
        r[0] - r[1],
        (r[0] - r[1]) * (doubt[0] + doubt[1]),
        others / (2 + TUNED.few),
        math.log(3 / 1),
        math.log(4 / 2),
    ]
    np.testing.assert_allclose(evidence(found, schedule, TUNED)[0], expected)


def test_expectations_of_a_simulation_are_found() -> None:
    games, truth = simulated(players=40, games=6000)
    plain = replace(
        ALONE, fade=0.0, pull=0.5, pull_by_games=0.0, white=0.2, coefficients=(1.0, 0.0, 0.0, 0.0, 0.0)
    )
    forecast = CompanyModel(plain).fit(games).forecast(games)
    expected = 1 / (1 + np.exp(-(truth[games.white] - truth[games.black] + 0.2)))
    assert np.abs(forecast - expected).mean() < 0.03


def test_a_schedule_among_the_strong_is_evidence_of_strength() -> None:
    games, truth = simulated(players=20, games=1500)
    order = np.argsort(truth)
    strong, weak = ([games.players[index] for index in part] for part in (order[-4:], order[:4]))
    newcomers = few(
        *((30, "climber", name, math.nan) for name in strong),
        *((30, "beginner", name, math.nan) for name in weak),
        (30, "climber", "beginner", math.nan),
    )
    forecast = CompanyModel().fit(games).forecast(newcomers)
    assert forecast[-1] > 0.6
    alone = CompanyModel(ALONE, name="company-alone").fit(games).forecast(newcomers)
    assert alone[-1] == pytest.approx(1 / (1 + math.exp(-ALONE.white)))


@pytest.mark.parametrize(
    "change", [{"pull": 0.0}, {"fade": -1.0}, {"white": math.nan}, {"coefficients": (1.0, 2.0)}]
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError, match="company model"):
        CompanyModel(replace(TUNED, **change))  # type: ignore[arg-type]
