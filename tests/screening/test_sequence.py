"""The bet: what it makes of 1 on honest players, on others, and from which turn."""

import numpy as np
import pytest

from assay.screening.sequence import IN_GAMES, LATER, QUALITIES, SHARES, Bettor, Outcomes, outcomes_of
from assay.screening.statistics import Turns
from examples.screened_games import PLAIN_TURNS, calibration, played_by, positions

ELO = np.array([-200.0, 0.0, 200.0])


def made(turns: int, brought: np.ndarray | None = None, seed: int = 0) -> Outcomes:
    """Turns whose best move is found in a half to two thirds of all cases, by strength."""
    generator = np.random.default_rng(seed)
    best = generator.uniform(0.2, 0.8, turns)
    shares = []
    for offset in (-0.05, 0.0, 0.05):
        own = np.clip(best + offset, 0.05, 0.95)
        shares.append(np.column_stack((own, 0.6 * (1 - own), 0.4 * (1 - own))))
    p = np.stack(shares, axis=1)
    if brought is None:
        reached = np.cumsum(p[:, 1], axis=1)
        brought = (generator.random(turns)[:, None] > reached).sum(axis=1)
    return Outcomes(ELO, p, brought)


def slow(outcomes: Outcomes, rows: np.ndarray, bettor: Bettor) -> float:
    """What a bet on one game makes, written out: strengths, beginnings, shares and qualities in loops."""
    honest, taken = 0.0, 0.0
    strength = bettor.before @ bettor.by_strength
    p = outcomes.probabilities[rows, :, outcomes.brought[rows]]
    for k, chance in enumerate(strength):
        honest += chance * np.prod(p[:, k])
        for h in SHARES:
            for quality in QUALITIES:
                alternative = [
                    (1 - h) * one + h * quality[outcomes.brought[row]]
                    for one, row in zip(p[:, k], rows, strict=True)
                ]
                weight = chance / (len(SHARES) * len(QUALITIES))
                left = 1.0
                for start in range(len(rows)):
                    begins = 0.5 if start == 0 else LATER
                    taken += weight * left * begins * np.prod(p[:start, k]) * np.prod(alternative[start:])
                    left *= 1 - begins
                taken += weight * left * np.prod(p[:, k])
    return taken / honest


def test_one_game_as_in_a_slow_version() -> None:
    outcomes, bettor = made(6), Bettor(ELO, 60.0, 100.0, 1.0)
    found = bettor.follow(outcomes, [np.arange(6)])
    assert np.exp(found.games[0]) == pytest.approx(slow(outcomes, np.arange(6), bettor))


def test_the_mean_fortune_on_honest_turns_is_one() -> None:
    """Exact: over all that three turns may bring, weighed by how likely the honest model has it."""
    template, bettor = made(3), Bettor(ELO, 60.0, 100.0, 1.0)
    strength = bettor.before @ bettor.by_strength
    whole = 0.0
    for a in range(3):
        for b in range(3):
            for c in range(3):
                outcomes = Outcomes(ELO, template.probabilities, np.array([a, b, c]))
                p = outcomes.probabilities[np.arange(3), :, outcomes.brought]
                whole += (strength @ np.prod(p, axis=0)) * np.exp(
                    bettor.follow(outcomes, [np.arange(3)]).running[-1]
                )
    # All of rho = 1 and rho = 0.3 are bets on the same game.
    assert len(IN_GAMES) == 2
    assert whole == pytest.approx(1.0)


def test_an_honest_player_rarely_makes_the_bettor_rich() -> None:
    """Ville: at most one in ten ever reaches 10; so far none of the games was longer than any number."""
    bettor = Bettor(ELO, 1.0, 1.0, 1.0)
    reached = []
    for seed in range(100):
        outcomes = made(90, seed=seed)
        games = [np.arange(30 * game, 30 * game + 30) for game in range(3)]
        reached.append(bettor.follow(outcomes, games).running.max() >= np.log(10))
    assert np.mean(reached) <= 0.1


def test_waiting_does_not_hide() -> None:
    """Best moves in the last game of four only: the bet pays there, and not before."""
    honest = made(120, seed=3)
    brought = honest.brought.copy()
    brought[90:] = 0
    bettor = Bettor(ELO, 60.0, 100.0, 1.0)
    games = [np.arange(30 * game, 30 * game + 30) for game in range(4)]
    bets = bettor.follow(Outcomes(ELO, honest.probabilities, brought), games)
    assert bets.games.argmax() == 3
    assert bets.running[-1] > np.log(100)
    assert bets.running[2] < np.log(100)


def test_the_turn_from_which_on_is_found() -> None:
    honest = made(60, seed=5)
    brought = honest.brought.copy()
    brought[30:] = 0
    chance = Bettor(ELO, 60.0, 100.0, 1.0).beginning(
        Outcomes(ELO, honest.probabilities, brought), np.arange(60)
    )
    assert chance.sum() == pytest.approx(1)
    assert abs(int(chance.argmax()) - 30) <= 6


def test_a_power_makes_every_bet_smaller() -> None:
    outcomes = made(40, brought=np.zeros(40, np.int64))
    whole, less = (Bettor(ELO, 60.0, 100.0, kappa).follow(outcomes, [np.arange(40)]) for kappa in (1.0, 0.7))
    assert less.running == pytest.approx(0.7 * whole.running)


def test_outcomes_of_real_turns() -> None:
    turns = Turns.of(played_by(positions(30), [2000.0] * 30))
    agents = calibration().agents
    assert agents is not None
    found = outcomes_of(turns, np.full(30, 2000.0), agents, PLAIN_TURNS.curves, 150.0)
    assert found.probabilities.shape == (30, len(found.elo), 3)
    assert found.probabilities.sum(axis=2) == pytest.approx(np.ones((30, len(found.elo))))
    assert (found.probabilities[:, -1, 0] > found.probabilities[:, 0, 0]).mean() > 0.9
    assert set(found.brought.tolist()) <= {0, 1, 2}
    seen = turns.observed()
    assert ((found.brought == 0) == (seen[:, 1] > 0)).all()
