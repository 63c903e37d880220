"""One card per player, on axes that all cards share."""

import pytest

from assay.answers.ratings import Quantity
from assay.decisions.decisions import Decisions
from assay.report.parts.cards import _ends, cards
from examples.report_examples import chess_decisions, make_ratings

TITLES = [
    "Distribution of gain",
    "Conformance",
    "Posterior of the skill c",
    "Sensitivity and consistency",
    "Markov matrix",
    "Rating through time",
]


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return chess_decisions()


def test_a_card_has_a_figure_for_every_method(decisions: Decisions) -> None:
    ratings = make_ratings(decisions)
    found = cards(ratings, decisions)
    assert [card.rated for card in found] == list(ratings.players)
    for card in found:
        assert [figure.title for figure in card.figures] == TITLES
        for figure in card.figures:
            assert (figure.drawing is None) == bool(figure.failure)
        assert 0 < card.figures[0].decisions <= card.rated.decisions


def test_only_the_first_have_cards(decisions: Decisions) -> None:
    ratings = make_ratings(decisions)
    assert [card.rated for card in cards(ratings, decisions, most=1)] == [ratings.players[0]]


def test_a_method_that_fails_says_why() -> None:
    """Too few decisions for some methods must not cost the card."""
    decisions = chess_decisions(plies=20)
    (first, *_) = cards(make_ratings(decisions), decisions)
    failed = [figure for figure in first.figures if figure.failure]
    assert failed
    assert all(figure.drawing is None and figure.decisions == 0 for figure in failed)


def test_one_wide_interval_does_not_flatten_the_others() -> None:
    usual = [Quantity(1.0, 0.1, 0.8, 1.2) for _ in range(5)]
    ends = _ends([*usual, Quantity(1.0, 9.0, -20.0, 20.0)])
    assert min(ends) == pytest.approx(0.4)
    assert max(ends) == pytest.approx(1.6)
    assert _ends([]) == []
