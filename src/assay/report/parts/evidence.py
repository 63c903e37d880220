"""What the methods say about one player in their own terms, for the player's card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.answers.ratings import Estimate, PlayerRating
from assay.decisions.decisions import Decisions
from assay.decisions.profile import Profile
from assay.errors import AssayError
from assay.models import BayesModel, ChoiceModel, ConformanceModel, GainModel, MarkovModel
from assay.models.base import MoveModel
from assay.models.bayes.posterior import Posterior

GROUP_COLUMNS = {"year": "year", "event": "event", "game": "game_id"}
"""The column of decisions that each kind of group is a value of."""


@dataclass
class PlayerEvidence:
    """One player's profiles and estimates by method; where a method failed, its reason instead."""

    profiles: dict[str, Profile] = field(default_factory=dict)
    estimates: dict[str, Estimate] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


class Examiner:
    """The methods of the cards, on their default settings."""

    def __init__(self) -> None:
        self.gain, self.conformance, self.markov = GainModel(), ConformanceModel(), MarkovModel()
        self.bayes, self.choice = BayesModel(), ChoiceModel()

    @property
    def models(self) -> tuple[MoveModel, ...]:
        """All of them, in the order of the figures on a card."""
        return self.gain, self.conformance, self.bayes, self.choice, self.markov

    def examine(self, decisions: Decisions) -> PlayerEvidence:
        """What every method says about these decisions: few of them must not cost the whole report."""
        return _examined(self.models, decisions)

    def compare(self, everybody: Decisions) -> PlayerEvidence:
        """All players together, by the methods whose figures show them."""
        return _examined((self.gain, self.conformance), everybody)

    def posterior(self, found: PlayerEvidence) -> Posterior:
        """Probability density of the skill c."""
        return self.bayes.posterior(found.profiles["bayes"])


def _examined(models: Sequence[MoveModel], decisions: Decisions) -> PlayerEvidence:
    found = PlayerEvidence()
    for model in models:
        try:
            profile = model.profile(decisions)
            estimate = model.estimate(profile)
        except AssayError as error:
            found.failures[model.name] = str(error)
        else:
            found.profiles[model.name], found.estimates[model.name] = profile, estimate
    return found


def decisions_of(decisions: Decisions, rated: PlayerRating, by: str) -> Decisions:
    """The decisions that a rating rests on: of the player, and of the group where there is one.

    "unknown year" is the group of those without a year. None where no decision is of the group: a label that
    was made elsewhere.
    """
    own = decisions.select(player=rated.player)
    column = GROUP_COLUMNS.get(by)
    if column is None or not rated.group:
        return own
    known = [None if value is None else str(value) for value in own.text(column)]
    wanted = None if rated.group == f"unknown {by}" else rated.group
    return own.take(np.flatnonzero([value == wanted for value in known]))
