"""The smallest member of the family of methods, to start a method of one's own from."""

import numpy as np
import numpy.typing as npt

from assay.answers.ratings import Estimate, Forecast, Quantity
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.decisions.rules import Rule, after_turn, evaluated
from assay.models.base import MoveModel


class MeanRankModel(MoveModel):
    """The smallest member of the family: how far down the list the played move stands."""

    name = "mean_rank"
    settings = "plain"
    shape = (2,)

    def rules(self) -> tuple[Rule, ...]:
        return (after_turn(2), evaluated())

    def evidence(self, decisions: Decisions, group: npt.NDArray[np.int64], n_groups: int) -> object:
        rank = np.bincount(group, decisions.played_index.astype(float), minlength=n_groups)
        return np.stack((rank, np.bincount(group, minlength=n_groups)), axis=1)

    def estimate(self, profile: Profile) -> Estimate:
        rank = float(profile.evidence[0] / profile.evidence[1])
        return Estimate(self.name, {"rank": Quantity(rank)}, profile.decisions, profile.games)

    def expectation(self, white: Profile, black: Profile) -> Forecast:
        a, b = (self.estimate(one)["rank"].value for one in (white, black))
        return Forecast(self.name, b / (a + b))
