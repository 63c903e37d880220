"""Splits in time: learn from the games before a month, forecast those after it.

The rules are those of Ferreira 2010, section 5: five months to forecast, both players seen in training,
and both with at least 12 games in the last 48 months of training.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from assay.errors import InputError
from assay.results.table import ResultGames, month_text


@dataclass(frozen=True)
class Rules:
    """What a training and validation set must look like."""

    months: int = 5  # length of the validation set
    least_games: int = 12  # of each player ...
    recent: int = 48  # ... in so many last months of training
    history: int | None = None  # months of training kept; None keeps all

    def __post_init__(self) -> None:
        if self.months < 1 or self.recent < 1 or self.least_games < 0:
            raise InputError("a split needs at least one month, and a number of games that is not negative")
        if self.history is not None and self.history < 1:
            raise InputError("the history kept for training must be at least one month")


@dataclass(frozen=True)
class Split:
    """One training set and the games after it, with their results: for the metric, not for the model."""

    training: ResultGames
    validation: ResultGames

    @classmethod
    def at(cls, games: ResultGames, month: int, rules: Rules | None = None) -> Self:
        """Train up to and including `month`, validate on the months after it."""
        rules = rules or Rules()
        first = int(games.month.min()) if rules.history is None else month - rules.history + 1
        training = games.between(first, month)
        after = games.between(month + 1, month + rules.months)
        recent = training.between(month - rules.recent + 1, month).games_per_player()
        # Seen in training, even where no recent games are asked for.
        eligible = (recent >= rules.least_games) & (training.games_per_player() > 0)
        return cls(training, after.select(eligible[after.white] & eligible[after.black]))

    @property
    def label(self) -> str:
        """Such as `1-95/96-100`."""
        train, valid = self.training.month, self.validation.month
        ends = [month_text(int(month)) for month in (train.min(), train.max(), valid.min(), valid.max())]
        dash = "-" if ends[0].isdigit() else " to "
        return f"{ends[0]}{dash}{ends[1]}/{ends[2]}{dash}{ends[3]}"


def splits(games: ResultGames, count: int, *, apart: int = 1, rules: Rules | None = None) -> list[Split]:
    """The latest `count` splits, each `apart` months before the next.

    `apart=1` gives the paper's overlapping sets (1-95/96-100, 1-94/95-99, ...), `apart=5` its separate ones
    (1-95/96-100, 1-90/91-95, ...), `Rules(history=48)` those of limited history (48-95/96-100, ...).
    """
    rules = rules or Rules()
    known = games.select(~np.isnan(games.result))
    if len(known) == 0:
        raise InputError("there are no games with results to split")
    if count < 1 or apart < 1:
        raise InputError("the number of splits and the months between them must be at least 1")
    last = int(known.month.max()) - rules.months
    if last - apart * (count - 1) < int(known.month.min()):
        raise InputError(f"the games span too few months for {count} splits {apart} months apart")
    ends = [last - apart * index for index in range(count)]
    found = [Split.at(known, end, rules) for end in ends]
    if empty := [end for end, split in zip(ends, found, strict=True) if len(split.validation) == 0]:
        raise InputError(
            f"no game after month {empty[0]} is between two players with {rules.least_games} games in the"
            f" {rules.recent} months before: ask for fewer splits, or for fewer games per player"
        )
    return found
