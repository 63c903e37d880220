"""Simulated players choose among all legal moves, and are seen through some lines."""

import numpy as np

from assay.decisions import measures
from assay.models.bayes import BayesModel
from research.evidence.coverage.players import LINES, MOVES, Player, play, skill_of

PAIR = (Player("weak", 1800, 1800), Player("strong", 2500, 2500))


def test_games_are_whole_and_seen_through_lines() -> None:
    made = play([PAIR], 4, seed=1)
    assert len(made) == 4 * 2 * MOVES
    assert made.players == ["strong", "weak"]
    assert len(made.games) == 4
    assert (made.numbers("n_lines") <= LINES).all()
    assert (made.n_options <= made.numbers("n_legal")).all()
    outside = made.played_index >= made.numbers("n_lines")
    assert 0 < outside.mean() < 0.5  # some choices are of moves that the lines do not show
    assert np.array_equal(made.numbers("before"), made.best_value)
    off = made.numbers("after") - made.played_value
    assert 10 < off[np.abs(made.played_value) < 1000].std() < 20
    results = made.select(colour="white").numbers("result")[::MOVES]
    assert np.allclose(results + made.select(colour="black").numbers("result")[::MOVES], 1)


def test_the_stronger_loses_less_and_has_the_skill() -> None:
    made = play([PAIR], 60, seed=2)
    lost = {name: float(np.nanmean(measures.loss(made.select(player=name), 300))) for name in made.players}
    assert lost["strong"] < lost["weak"]
    model = BayesModel()
    for one in PAIR:
        found = model.posterior(model.profile(made.select(player=one.name)))
        assert abs(found.mean - skill_of(one.true)) < 0.15
