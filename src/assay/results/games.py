"""Games by their results alone: who met whom in which month, and how it ended.

Everything that rates players from results (the model of Ferreira 2010, Elo, Glicko-2, ...) reads this one
value and nothing else. Months are counted from 1, so that the competition of 2010 (months 1 to 105) and
calendar dates (month 1 is January of the year 1) need one formula only.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.decisions.arrays import Floats, Ints
from assay.errors import InputError

RESULTS = (0.0, 0.5, 1.0)
_DATE = re.compile(r"^(\d{4})(?:[.\-/](\d{1,2}|\?{1,2})(?:[.\-/].*)?)?$")
_MIDDLE_OF_YEAR = 7


def month_of(year: int, month: int) -> int:
    """The number of a calendar month: January of the year 1 is month 1."""
    return 12 * (year - 1) + month


def month_text(month: int) -> str:
    """A month as people write it: `1997-05` for a calendar month, the bare number for a small one."""
    year, index = divmod(month - 1, 12)
    return f"{year + 1}-{index + 1:02}" if year >= 999 else str(month)


def month_of_date(date: str) -> int | None:
    """The month of a date such as `1997.05.11`, `1997-05` or `1997.??.??`; None where the year is unknown.

    A year without a month counts as July, which is never more than half a year wrong.
    """
    match = _DATE.match(date.strip())
    if match is None:
        return None
    month = match.group(2)
    if month is None or "?" in month or not 1 <= int(month) <= 12:
        return month_of(int(match.group(1)), _MIDDLE_OF_YEAR)
    return month_of(int(match.group(1)), int(month))


@dataclass(frozen=True, eq=False, kw_only=True)
class ResultGames:
    """Games as columns; `white` and `black` are positions in `players`.

    month      number of the month, from 1
    result     White's: 1, 0.5, 0; NaN where the game is still to be forecast
    white_elo, black_elo   published ratings where known, else NaN
    game_id    one per game where known, so that models of moves can find their analyses; else empty
    """

    month: Ints
    white: Ints
    black: Ints
    result: Floats
    players: tuple[str, ...]
    white_elo: Floats = field(default_factory=lambda: np.empty(0))
    black_elo: Floats = field(default_factory=lambda: np.empty(0))
    game_id: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("month", "white", "black", "result", "white_elo", "black_elo"):
            given = getattr(self, name)
            if name.endswith("_elo") and not np.size(given):
                given = np.full(len(self.month), np.nan)
            array = np.array(given, dtype=np.int64 if name in ("month", "white", "black") else float)
            array.setflags(write=False)  # frozen all the way down
            object.__setattr__(self, name, array)
            if array.shape != self.month.shape or array.ndim != 1:
                raise InputError("the columns of the games must be of one length")
        if self.game_id and len(self.game_id) != len(self):
            raise InputError("there must be one game_id per game, or none at all")
        if len(set(self.players)) != len(self.players):
            raise InputError("the list of players names one of them twice")
        codes = np.concatenate([self.white, self.black])
        if codes.size and (codes.min() < 0 or codes.max() >= len(self.players)):
            raise InputError("a game names a player who is not in the list of players")
        if (alone := np.flatnonzero(self.white == self.black)).size:
            raise InputError(f"{self.players[self.white[alone[0]]]!r} cannot play against themselves")
        if (~(np.isin(self.result, RESULTS) | np.isnan(self.result))).any():
            raise InputError("a result must be 0, 0.5 or 1")

    def __len__(self) -> int:
        return len(self.month)

    @classmethod
    def from_names(
        cls,
        month: ArrayLike,
        white: Sequence[str],
        black: Sequence[str],
        result: ArrayLike,
        **more: Any,
    ) -> Self:
        """Games whose players are given by name."""
        players, codes = np.unique(np.array([*white, *black], dtype=object), return_inverse=True)
        return cls(
            month=np.asarray(month),
            white=codes[: len(white)],
            black=codes[len(white) :],
            result=np.asarray(result),
            players=tuple(str(name) for name in players),
            **more,
        )

    @property
    def year(self) -> Ints:
        """The year of each game: the calendar's, or that of the competition, from 1."""
        return (self.month - 1) // 12 + 1

    def select(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Select games by a mask or by rows, in that order; the list of players stays as it is."""
        rows = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        names = ("month", "white", "black", "result", "white_elo", "black_elo")
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in names}
        return replace(
            self, **columns, game_id=tuple(self.game_id[row] for row in rows) if self.game_id else ()
        )

    def between(self, first: int, last: int) -> Self:
        """The games of months `first` to `last`, both included."""
        return self.select((self.month >= first) & (self.month <= last))

    def require_results(self) -> Self:
        """Return the same games; raise where there is none or one has no result."""
        if len(self) == 0:
            raise InputError("there are no games to learn from")
        if np.isnan(self.result).any():
            raise InputError("a game to learn from has no result")
        return self

    def without_results(self) -> Self:
        """Return the same games as a schedule: what a forecaster may see before they are played."""
        return replace(self, result=np.full(len(self), np.nan))

    def codes_in(self, players: Sequence[str]) -> tuple[Ints, Ints]:
        """Return White and Black as positions in another list of players; -1 where they are not in it."""
        place = {name: index for index, name in enumerate(players)}
        mapping = np.array([place.get(name, -1) for name in self.players], dtype=np.int64)
        return mapping[self.white], mapping[self.black]

    def games_per_player(self) -> Ints:
        """Count the games of each player."""
        return np.bincount(np.concatenate([self.white, self.black]), minlength=len(self.players))

    def digest(self) -> str:
        """Return twelve hexadecimal digits that change when the games do: the stamp of a backtest."""
        summary = hashlib.sha256("\n".join(self.players).encode())
        for column in (self.month, self.white, self.black, self.result):
            summary.update(np.ascontiguousarray(column).tobytes())
        return summary.hexdigest()[:12]


# Splits in time: learn from the games before a month, forecast those after it.


@dataclass(frozen=True)
class Rules:
    """What a training and validation set must look like (Ferreira 2010, section 5)."""

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
    """A training set and the games after it, with their results: for the metric, not for the model."""

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
    games = games.select(~np.isnan(games.result))
    if len(games) == 0:
        raise InputError("there are no games with results to split")
    if count < 1 or apart < 1:
        raise InputError("the number of splits and the months between them must be at least 1")
    last = int(games.month.max()) - rules.months
    if last - apart * (count - 1) < int(games.month.min()):
        raise InputError(f"the games span too few months for {count} splits {apart} months apart")
    chosen = []
    for end in range(last, last - apart * count, -apart):
        split = Split.at(games, end, rules)
        if len(split.validation) == 0:
            raise InputError(
                f"no game after month {end} is between two players with {rules.least_games} games in the"
                f" {rules.recent} months before: ask for fewer splits, or for fewer games per player"
            )
        chosen.append(split)
    return chosen
