"""Players through the years: profiles with a forgetting factor, and anyone against anyone in any year.

Alliot 2017: the profile of a year counts the years before by half, a quarter, ... (sections 3.2.1 and 4.4.1);
a year is active with 500 moves or more (4.4.1); every player-year can meet every other (4.3.2 and 4.4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay.domain.decisions import Decisions
from assay.domain.names import find_player
from assay.domain.profile import Profile, ProfileStack, resample_weights
from assay.domain.rating import Forecast
from assay.errors import InputError
from assay.models.base import MoveModel

Floats = npt.NDArray[np.float64]

FORGETTING = 2.0
MIN_MOVES = 500


@dataclass(frozen=True, order=True)
class PlayerYear:
    """A player in a year, or in all years."""

    player: str
    year: int | None = None

    def __str__(self) -> str:
        return self.player if self.year is None else f"{self.player}@{self.year}"

    @classmethod
    def parse(cls, text: str, players: Sequence[str]) -> PlayerYear:
        """`Fischer@1971`, or `Fischer` for all years, with the player found among these."""
        name, at, year = text.rpartition("@")
        if not at:
            return cls(find_player(text, players))
        if not year.isdigit():
            raise InputError(f"'{text}' is not a player and a year: write it as in Fischer@1971")
        return cls(find_player(name, players), int(year))


class Careers:
    """Profiles of every player and year by one method."""

    def __init__(
        self,
        model: MoveModel,
        decisions: Decisions,
        *,
        forgetting: float = FORGETTING,
        min_moves: float = MIN_MOVES,
    ) -> None:
        if not forgetting >= 1:
            raise InputError("the forgetting factor must be 1 (nothing is forgotten) or more")
        self.model = model
        self.forgetting = forgetting
        self.min_moves = min_moves
        self._decisions = decisions
        self._games: dict[str, tuple[ProfileStack, list[int]]] = {}
        self.single = {
            PlayerYear(*key): profile for key, profile in model.profiles_by_year(decisions).items()
        }
        """Each year by itself."""
        self._before: dict[int, Careers] = {}
        self._learn()

    def _learn(self) -> None:
        self.model.learn([profile for profile in self.single.values() if profile.decisions > 0])

    def before(self, year: int) -> Careers:
        """The careers as they were known before a year: what was learned is of earlier years too.

        For forecasts of what has happened since: a prior learned from later years would know too much.
        """
        if year not in self._before:
            known = {key: one for key, one in self.single.items() if key.year is not None and key.year < year}
            if not any(one.decisions > 0 for one in known.values()):
                raise InputError(f"there are no moves before {year} to forecast from")
            earlier = copy(self)
            earlier.single, earlier.model, earlier._before = known, copy(self.model), {}
            earlier._learn()
            self._before[year] = earlier
        return self._before[year]

    @property
    def players(self) -> list[str]:
        """Everyone with a year."""
        return sorted({key.player for key in self.single})

    def years(self, player: str) -> list[int]:
        """The years of a player, active or not."""
        return [key.year for key in self.single if key.player == player and key.year is not None]

    def is_active(self, key: PlayerYear) -> bool:
        """Whether the year has moves enough."""
        return key.year is None or self.single[key].decisions >= self.min_moves

    def active(
        self, players: Sequence[str] | None = None, years: Sequence[int] | None = None
    ) -> list[PlayerYear]:
        """The active years, of all players or of some, in all years or some."""
        return [
            key
            for key in self.single
            if self.is_active(key)
            and (players is None or key.player in players)
            and (years is None or key.year in years)
        ]

    def parse(self, text: str) -> PlayerYear:
        """A player and year from text; the year must be there."""
        key = PlayerYear.parse(text, self.players)
        if key.year is not None and key not in self.single:
            have = self.years(key.player)
            raise InputError(f"no moves of {key.player} in {key.year}: there are those of {_spans(have)}")
        return key

    def note(self, key: PlayerYear) -> str:
        """What must be said of a year that is not active; nothing otherwise."""
        if self.is_active(key):
            return ""
        return (
            f"{key}: {self.single[key].decisions:.0f} moves, below the {self.min_moves:g} of an active year"
        )

    def weight(self, year: int, key: PlayerYear) -> float:
        """What a year counts in the profile of another: later years nothing, years before ever less."""
        if key.year is None:
            return 1.0
        return 0.0 if year > key.year else float(self.forgetting ** (year - key.year))

    def profile(self, key: PlayerYear) -> Profile:
        """The profile of a year with those before it, or of all years alike."""
        years = self.years(key.player)
        if key.year is not None and key.year not in years:
            raise InputError(f"no moves of {key.player} in {key.year}: there are those of {_spans(years)}")
        profiles = [self.single[PlayerYear(key.player, year)] for year in years]
        return Profile.sum(profiles, [self.weight(year, key) for year in years])

    def resampled(self, key: PlayerYear, resamples: int, seed: int) -> list[Profile]:
        """The same profile from games drawn anew, with replacement: moves of one game stay together."""
        stack, years = self._games_of(key.player)
        weight = np.array([self.weight(year, key) for year in years])
        used = np.flatnonzero((weight > 0) & (stack.decisions > 0))
        draws = np.zeros((resamples, len(weight)))
        draws[:, used] = resample_weights(len(used), resamples, seed) * weight[used]
        return stack.weighted(draws)

    def _games_of(self, player: str) -> tuple[ProfileStack, list[int]]:
        """Profiles of a player's games, and their years."""
        if player not in self._games:
            own = self._decisions.select(player=player)
            own = own.take(np.flatnonzero(~np.isnan(own.numbers("year"))))
            stack = self.model.profiles_by(own)
            years = dict(zip(own.text("game_id"), own.numbers("year").astype(int).tolist(), strict=True))
            present = [index for index, game in enumerate(stack.keys) if game in years]
            stack = stack.only(present)
            self._games[player] = stack, [years[game] for game in stack.keys]
        return self._games[player]

    def forecast(
        self, first: PlayerYear, second: PlayerYear, resamples: int = 200, seed: int = 1
    ) -> Forecast:
        """Forecast of a match with colours shared; the interval is the method's, or from games drawn anew."""
        forecast = self.model.match(self.profile(first), self.profile(second))
        notes = tuple(note for note in (self.note(first), self.note(second)) if note)
        low, high = forecast.low, forecast.high
        if np.isnan(low) and resamples > 1:
            low, high = self._interval(first, second, resamples, seed)
        return replace(forecast, low=low, high=high, notes=(*forecast.notes, *notes))

    def _interval(
        self, first: PlayerYear, second: PlayerYear, resamples: int, seed: int
    ) -> tuple[float, float]:
        one, other = self.resampled(first, resamples, seed), self.resampled(second, resamples, seed + 1)
        # Where a method does all against all in one go, blocks of pairs are faster than pairs by themselves.
        block = 25 if type(self.model).expectations is not MoveModel.expectations else 1
        drawn = np.concatenate(
            [
                np.diag(_match(self.model, one[start : start + block], other[start : start + block]))
                for start in range(0, resamples, block)
            ]
        )
        low, high = np.quantile(drawn, (0.025, 0.975)).tolist()
        return low, high


def careers_of_all(
    models: Sequence[MoveModel],
    decisions: Decisions,
    *,
    forgetting: float = FORGETTING,
    min_moves: float = MIN_MOVES,
) -> tuple[list[Careers], list[str]]:
    """Careers by every method that can read these decisions, and why the others cannot."""
    able, unable = [], []
    for model in models:
        try:
            able.append(Careers(model, decisions, forgetting=forgetting, min_moves=min_moves))
        except InputError as error:
            unable.append(f"{model.name}: {error}")
    return able, unable


def _match(model: MoveModel, first: Sequence[Profile], second: Sequence[Profile]) -> Floats:
    """Expectations of matches with colours shared."""
    return (model.expectations(first, second) + 1 - model.expectations(second, first).T) / 2


def _spans(years: Sequence[int]) -> str:
    """Years as text, runs of them joined: 1955-1958, 1960."""
    runs: list[list[int]] = []
    for year in sorted(years):
        if runs and year == runs[-1][-1] + 1:
            runs[-1].append(year)
        else:
            runs.append([year])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs) or "no year"


@dataclass(frozen=True, eq=False)
class HeadToHeads:
    """Every player-year against every other."""

    keys: tuple[PlayerYear, ...]
    as_white: Floats
    """Expectation of the row with White against the column."""

    @property
    def match(self) -> Floats:
        """Expectation of the row in a match with colours shared."""
        return np.asarray((self.as_white + 1 - self.as_white.T) / 2)

    def best_years(self) -> tuple[PlayerYear, ...]:
        """The year of each player with most victories over all years of all others (section 4.3.2).

        The mean expectation decides between equals. Players come best first, by their expectation against
        the best years of the others.
        """
        players = np.array([key.player for key in self.keys])
        others = players[:, None] != players[None, :]
        wins = ((self.match > 0.5) & others).sum(axis=1)
        mean = np.where(others, self.match, 0.0).sum(axis=1)
        best = [
            max(np.flatnonzero(players == player), key=lambda row: (wins[row], mean[row]))
            for player in dict.fromkeys(players.tolist())
        ]
        among = self.match[np.ix_(best, best)].sum(axis=1)
        return tuple(self.keys[best[index]] for index in np.argsort(-among, kind="stable"))

    def among(self, keys: Sequence[PlayerYear]) -> HeadToHeads:
        """Those between these only, in this order."""
        rows = [self.keys.index(key) for key in keys]
        return HeadToHeads(tuple(keys), self.as_white[np.ix_(rows, rows)])


def head_to_heads(careers: Careers, keys: Sequence[PlayerYear] | None = None) -> HeadToHeads:
    """Every active player-year (or these) against every other: Tables 7 to 9."""
    chosen = tuple(careers.active() if keys is None else keys)
    if len(chosen) < 2:
        raise InputError(
            f"fewer than two player-years have {careers.min_moves:g} moves: "
            "ask for fewer (--min-moves), or give more games"
        )
    profiles = [careers.profile(key) for key in chosen]
    return HeadToHeads(chosen, careers.model.expectations(profiles, profiles))
