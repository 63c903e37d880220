"""What conformance and covariance share: counts of losses by class as the additive evidence."""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar

from assay.decisions.arrays import Ints
from assay.decisions.decisions import Decisions
from assay.decisions.rules import Rule
from assay.errors import InputError
from assay.models.base import MoveModel
from assay.models.losses.measure import LossMeasure, count_classes, loss_classes


class LossCountModel(MoveModel, ABC):
    """A method on counts of losses: none, each `step` centipawns up to `top`."""

    beyond_apart: ClassVar[bool]
    """Whether losses beyond the top are a class of their own, or count as the top."""

    def __init__(self, measure: LossMeasure, step: int, top: int) -> None:
        if step <= 0 or top <= 0 or top % step:
            raise InputError(f"the top, {top} centipawns, must be a multiple of the step, {step}")
        self.measure, self.step, self.top = measure, step, top

    @property
    def settings(self) -> str:
        """Losses and their classes: what the counts mean."""
        return f"{self.measure}, {self.step} to {self.top}"

    def rules(self) -> tuple[Rule, ...]:
        """Those of the losses."""
        return self.measure.rules()

    @property
    def shape(self) -> tuple[int, ...]:
        """One count per class."""
        return (self.top // self.step + (2 if self.beyond_apart else 1),)

    def evidence(self, decisions: Decisions, group: Ints, n_groups: int) -> Any:
        """Counts of losses by class."""
        size = self.shape[0]
        classes = loss_classes(self.measure.of(decisions), self.step, size - 1)
        return count_classes(classes, group, n_groups, size)
