"""The reference positions."""

from assay.models import ChoiceModel
from assay.models.choice.reference import ExpectedLoss, expectation_of_match, expected_loss


def test_the_reference_is_harder_for_weaker_agents() -> None:
    model = ChoiceModel()
    assert len(model.reference) == 300
    losses = [
        expected_loss(model.reference, s, 0.5, model.curve, model.conversion) for s in (0.08, 0.15, 0.3)
    ]
    assert losses[0].mean < losses[1].mean < losses[2].mean
    # About what players of 2700 and 1600 lose per turn, in scaled pawns.
    assert 0.05 < losses[0].mean < 0.1
    assert 0.18 < losses[2].mean < 0.26
    assert expectation_of_match(losses[0], losses[2], 40) > 0.9
    still = ExpectedLoss(0.1, 0.0)
    assert expectation_of_match(still, still, 40) == 0.5
