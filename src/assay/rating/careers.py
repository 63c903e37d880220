"""Players through the years: profiles with a forgetting factor, and anyone against anyone in any year.

Alliot 2017: the profile of a year counts the years before by half, a quarter, ... (sections 3.2.1 and 4.4.1);
a year is active with 500 moves or more (4.4.1); every player-year can meet every other (4.3.2 and 4.4.2).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.answers.comparisons import HeadToHeads
from assay.answers.ratings import Forecast, PlayerRating, with_combined
from assay.decisions.arrays import Floats, Ints
from assay.decisions.decisions import Decisions
from assay.decisions.names import Who, find_player, spans
from assay.decisions.profile import Profile, ProfileStack
from assay.errors import FitError, InputError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.intervals import (
    FEWEST_GAMES,
    equal_tailed,
    pair_factor,
    resample_weights,
    resampling_factor,
    widened,
)

FORGETTING = 2.0
MIN_MOVES = 500

NO_INTERVAL = f"one of the two has fewer than {FEWEST_GAMES} games: no interval from a bootstrap over games"

UNBORROWED = 1e6
"""Counted so many times, games speak for themselves: what a method borrows from others hardly counts."""

LEAST_EXPECTATION = 0.001
"""Expectations of resamples are taken to be no nearer to 0 or 1 than this."""

WIDENED = {"choice": 1.4}
"""Intervals of a method's own comparison, times so much: as wide as simulation demands.

Fits of s and c to few games stray further from those to many than resampled games show: unwidened, intervals
of six games held the truth for 100 of 119 simulated pairs."""


@dataclass(frozen=True, eq=False)
class GameProfiles:
    """One profile for each player and game by one method, with the player, the year and the event."""

    stack: ProfileStack
    players: Sequence[str]
    years: Sequence[int | None]
    events: Sequence[str | None]

    @classmethod
    def of(cls, model: MoveModel, decisions: Decisions) -> GameProfiles:
        """The games of some decisions; InputError where none with a year pass the rules of the method."""
        appearances = Appearances.of(decisions)
        named = np.flatnonzero(appearances.player >= 0)
        stack = appearances.stack(model).only(named.tolist())
        players, events = appearances.names("player"), [*appearances.names("event"), None]
        years = appearances.numbers("year")[named]
        if not (stack.decisions[~np.isnan(years)] > 0).any():
            raise InputError(model.none_passes(decisions))
        return cls(
            stack,
            [players[code] for code in appearances.player[named]],
            [None if np.isnan(year) else int(year) for year in years],
            [events[code] for code in appearances.codes("event")[named]],
        )


class Careers:
    """Profiles of every player and year by one method."""

    def __init__(
        self,
        model: MoveModel,
        games: GameProfiles | Decisions,
        *,
        forgetting: float = FORGETTING,
        min_moves: float = MIN_MOVES,
        moves: Mapping[Who, float] | None = None,
    ) -> None:
        """`moves` has how many there are of each year, where the games are a sample of it."""
        if not forgetting >= 1:
            raise InputError("the forgetting factor must be 1 (nothing is forgotten) or more")
        self.model, self.forgetting, self.min_moves = model, forgetting, min_moves
        self.of_games = games if isinstance(games, GameProfiles) else GameProfiles.of(model, games)
        stack = self.of_games.stack
        self._rows: dict[str, list[int]] = {}
        by_year: dict[tuple[str, int], list[int]] = {}
        for row, (player, year) in enumerate(zip(self.of_games.players, self.of_games.years, strict=True)):
            self._rows.setdefault(player, []).append(row)
            if year is not None and stack.decisions[row] > 0:
                by_year.setdefault((player, year), []).append(row)
        keys = sorted(by_year)
        ends = np.cumsum([0, *(len(by_year[key]) for key in keys)])
        rows = np.concatenate([by_year[key] for key in keys])
        weights = sparse.csr_array((np.ones(len(rows)), rows, ends), shape=(len(keys), len(stack)))
        self.single = {Who(*key): profile for key, profile in zip(keys, stack.weighted(weights), strict=True)}
        """Each year by itself."""
        self._moves = moves or {key: profile.decisions for key, profile in self.single.items()}
        self._before: dict[int, Careers] = {}
        self._learn()

    def _learn(self) -> None:
        self.model.learn(list(self.single.values()))

    def before(self, year: int) -> Careers:
        """The careers as they were known before a year: what was learned is of earlier years too.

        For forecasts of what has happened since: a prior learned from later years would know too much.
        """
        if year not in self._before:
            single = {
                key: one for key, one in self.single.items() if key.year is not None and key.year < year
            }
            if not single:
                raise InputError(f"there are no moves before {year} to forecast from")
            earlier = copy(self)
            earlier.single, earlier.model, earlier._before = single, copy(self.model), {}
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

    def is_active(self, key: Who) -> bool:
        """Whether a year, or what else is asked for, has moves enough; all years together always have."""
        if key.year is None and key.event is None:
            return True
        moves = self._moves[key] if key in self._moves else self.profile(key).decisions
        return moves >= self.min_moves

    def active(self, years: Sequence[int] | None = None) -> list[Who]:
        """The active years of all players: all of them, or these."""
        return [key for key in self.single if self.is_active(key) and (years is None or key.year in years)]

    def parse(self, text: str) -> Who:
        """Whom a user means (assay.decisions.names); years and event must be there."""
        player = find_player(Who.parse(text).player, self._rows)
        if player not in self.players:
            raise InputError(f"no decisions of {player} pass the rules: choose other games")
        events = {event for row in self._rows[player] if (event := self.of_games.events[row])}
        return self._check_years(Who.parse(text).resolve([player], events))

    def _check_years(self, key: Who) -> Who:
        years = self.years(key.player)
        if key.years is not None and not set(key.years) & set(years):
            when = str(key).rpartition("@")[2]
            raise InputError(f"no moves of {key.player} in {when}: there are those of {spans(years)}")
        return key

    def note(self, key: Who) -> str:
        """What must be said of a year that is not active; nothing otherwise."""
        return "" if self.is_active(key) else f"{key}: below the {self.min_moves:g} moves of an active year"

    def weight(self, year: int, key: Who) -> float:
        """What a year counts for a player in a year, in several, or in all.

        A year counts those before it, ever less; later ones nothing. Several years count alike.
        """
        if key.year is None:
            return 1.0
        if key.last is not None:
            return float(key.year <= year <= key.last)
        return 0.0 if year > key.year else float(self.forgetting ** (year - key.year))

    def profile(self, key: Who) -> Profile:
        """The profile of a year with those before it, of several years or all alike, or of an event."""
        if key.event is not None:
            rows, weight = self._game_weights(key)
            return self.of_games.stack.only(rows).weighted(weight[None])[0]
        years = self.years(self._check_years(key).player)
        profiles = [self.single[Who(key.player, year)] for year in years]
        return Profile.sum(profiles, [self.weight(year, key) for year in years])

    def _game_weights(self, key: Who) -> tuple[list[int], Floats]:
        """A player's rows, and what each counts in a profile; without a year, nothing but at its event."""
        rows, games = self._rows[key.player], self.of_games
        if key.event is None:
            years = (games.years[row] for row in rows)
            return rows, np.array([0.0 if year is None else self.weight(year, key) for year in years])
        meant = key.years
        at_event = [
            games.events[row] == key.event and (meant is None or games.years[row] in meant) for row in rows
        ]
        return rows, np.array(at_event, np.float64)

    def _counted(self, key: Who) -> tuple[ProfileStack, Floats, Ints]:
        """A player's games, what each counts in a profile, and which of them count at all."""
        rows, weight = self._game_weights(key)
        stack = self.of_games.stack.only(rows)
        return stack, weight, np.flatnonzero((weight > 0) & (stack.decisions > 0))

    def games(self, key: Who) -> int:
        """How many games a profile rests on, those of years before included."""
        return len(self._counted(key)[2])

    def resampled(self, key: Who, resamples: int, seed: int) -> list[Profile]:
        """The same profile from games resampled with replacement: moves of one game stay together."""
        stack, weight, used = self._counted(key)
        draws = np.zeros((resamples, len(weight)))
        draws[:, used] = resample_weights(len(used), resamples, seed) * weight[used]
        return stack.weighted(draws)

    def forecast(self, first: Who, second: Who, resamples: int = 200, seed: int = 1) -> Forecast:
        """Forecast of a match with colours shared; the interval is from a bootstrap over games.

        It is never narrower than the method's own, which takes moves as independent. Where one of the two has
        too few games to draw there is none, and a note says so.
        """
        forecast = self.model.match(self.profile(first), self.profile(second))
        notes = [note for note in (self.note(first), self.note(second)) if note]
        low = high = float("nan")
        if min(self.games(first), self.games(second)) < FEWEST_GAMES:
            notes.append(NO_INTERVAL)
        elif resamples > 1:
            low, high = self._interval(forecast.expectation, first, second, resamples, seed)
            low, high = float(np.fmin(low, forecast.low)), float(np.fmax(high, forecast.high))
        return replace(forecast, low=low, high=high, notes=(*forecast.notes, *notes))

    def _interval(
        self, value: float, first: Who, second: Who, resamples: int, seed: int
    ) -> tuple[float, float]:
        """Ends about the forecast, as far apart as those of resampled games, on the scale of angles.

        A method that borrows from all players draws few games to their mean, so that forecasts of resamples
        vary too little: games are counted many times there, which leaves nothing borrowed.
        """
        sides = [self._unborrowed(who, resamples, seed + turn) for turn, who in enumerate((first, second))]
        one, other = sides
        # Where a method does all against all in one go, blocks of pairs are faster than pairs by themselves.
        block = 25 if type(self.model).expectations is not MoveModel.expectations else 1
        drawn = np.concatenate(
            [
                np.diag(_match(self.model, one[start : start + block], other[start : start + block]))
                for start in range(0, resamples, block)
            ]
        )
        return self._ends(value, drawn, first, second)

    def _unborrowed(self, who: Who, resamples: int, seed: int) -> list[Profile]:
        return [UNBORROWED * profile for profile in self.resampled(who, resamples, seed)]

    def _ends(self, value: float, drawn: Floats, first: Who, second: Who) -> tuple[float, float]:
        low, high = equal_tailed(_angle(drawn))
        reach = pair_factor(self.games(first), self.games(second)) * float(high - low) / 2
        reach *= WIDENED.get(self.model.name, 1.0)
        middle, least = float(_angle(value)), float(_angle(0.0))
        ends = np.sin(np.clip([middle - reach, middle + reach], least, np.pi / 2 - least)) ** 2
        return float(min(ends[0], value)), float(max(ends[1], value))

    def with_ranges(self, table: HeadToHeads, resamples: int = 60, seed: int = 1) -> HeadToHeads:
        """The same with the 95% range of every pair, as `forecast` has it; NaN where games are too few."""
        keys, match = table.keys, table.match
        sides = [self._unborrowed(key, resamples, seed + place) for place, key in enumerate(keys)]
        drawn = np.stack([_match(self.model, each, each) for each in map(list, zip(*sides, strict=True))])
        low = np.full(match.shape, np.nan)
        for i, j in itertools.combinations(range(len(keys)), 2):
            if min(self.games(keys[i]), self.games(keys[j])) >= FEWEST_GAMES:
                alone = self.model.match(self.profile(keys[i]), self.profile(keys[j]))
                ends = self._ends(float(match[i, j]), drawn[:, i, j], keys[i], keys[j])
                low[i, j] = np.fmin(ends[0], alone.low)
                low[j, i] = 1 - np.fmax(ends[1], alone.high)
        return replace(table, low=low, high=1 - low.T)


def _angle(share: npt.ArrayLike) -> Floats:
    """Expectations as angles, on which shares vary alike; as far as one in a thousand: none is certain.

    Log odds would not do: by methods that reach 0 and 1 (conformance has a straight line) a few resamples
    there would tear the interval apart.
    """
    return np.asarray(np.arcsin(np.sqrt(np.clip(share, LEAST_EXPECTATION, 1 - LEAST_EXPECTATION))))


def _match(model: MoveModel, first: Sequence[Profile], second: Sequence[Profile]) -> Floats:
    """Expectations of matches with colours shared."""
    return (model.expectations(first, second) + 1 - model.expectations(second, first).T) / 2


def head_to_heads(careers: Careers, keys: Sequence[Who] | None = None) -> HeadToHeads:
    """Every active player-year (or these) against every other: Tables 7 to 9."""
    chosen = tuple(careers.active() if keys is None else keys)
    if len(chosen) < 2:
        raise InputError(
            f"fewer than two player-years have {careers.min_moves:g} moves: "
            "ask for fewer (--min-moves), or give more games"
        )
    profiles = [careers.profile(key) for key in chosen]
    return HeadToHeads(chosen, careers.model.expectations(profiles, profiles))


def career_table(
    player: str,
    conformance: Careers,
    others: Sequence[Careers] = (),
    *,
    ratings: Mapping[tuple[str, int], PlayerRating] | None = None,
    resamples: int = 200,
) -> list[dict[str, Any]]:
    """One row per year: games, moves, conformance at 0 and at its bound, and each method's estimates.

    Alliot 2017, section 4.2.3, Figures 16 and 17. Intervals of conformance are from a bootstrap over games.
    `ratings` are those of every player's years.
    """
    who = conformance.parse(player)
    name, rows = who.player, []
    for year in conformance.years(name):
        if who.years is not None and year not in who.years:
            continue
        key, notes = Who(name, year), list[str]()
        rated = (ratings or {}).get((name, year))
        row: dict[str, Any] = {
            "player": name,
            "year": year,
            "games": conformance.single[key].games,
            "decisions": conformance.single[key].decisions,
            "active": conformance.is_active(key),
            **_quantities(conformance, key),
        }
        if resamples > 1 and conformance.games(key) >= FEWEST_GAMES:
            row |= _ends_by_games(conformance, key, resamples)
        for careers in others:
            if key in careers.single:
                method = careers.model.name
                try:
                    row |= {f"{method}_{name}": x for name, x in _quantities(careers, key).items()}
                except FitError as error:  # a year that one method cannot read has the numbers of the others
                    notes.append(f"{key}: {method}: {error}")
        rows.append({**row, "notes": notes, "ratings": with_combined(rated) if rated else {}})
    return rows


def _quantities(careers: Careers, key: Who) -> dict[str, float]:
    estimate = careers.model.estimate(careers.profile(key))
    values: dict[str, float] = {}
    for name, quantity in estimate.quantities.items():
        values |= {name: quantity.value, f"{name}_low": quantity.low, f"{name}_high": quantity.high}
    return values


def _ends_by_games(careers: Careers, key: Who, resamples: int) -> dict[str, float]:
    """Ends of the intervals of conformance, a share of moves, from a bootstrap over games."""
    drawn = [careers.model.estimate(one) for one in careers.resampled(key, resamples, seed=1)]
    whole, factor = careers.model.estimate(careers.profile(key)), resampling_factor(careers.games(key))
    ends: dict[str, float] = {}
    for name in whole.quantities:
        between = equal_tailed([one[name].value for one in drawn])
        low, high = np.clip(widened(whole[name].value, between, factor), 0.0, 1.0).tolist()
        ends[f"{name}_low"], ends[f"{name}_high"] = low, high
    return ends
