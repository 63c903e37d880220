"""Champions in the box: evidence by player and year that ships, rated as any other evidence is.

data/champions.npz holds what the methods need of each champion's analysed games: `traits`, by which players
are rated, one row a year; `conformance`, `covariance` and `markov` one row a game, because their forecasts
resample games; of `bayes`, `choice` and `depth`, whose evidence is thousands of numbers, the strength that
they find in each year. `python -m research champions` makes it (research/calibration/champions.py).

The prior of a champion's year is learned from the champions themselves. A year is expected near the player's
other years, near champions born at about the same time, and near champions of the same age:

    strength(player, year) = mean + cohort(birth) + age(year - birth) + career(player, year)
    how the moves look     = strength + form(player, year)

all of them normal; each changes with time. `form` is what the moves of a player show over some years that is
not strength: style, preparation, the kind of events.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from assay.answers.ratings import PlayerRating, Rating, Record
from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.names import Who, find_player, fold_name, spans
from assay.decisions.profile import ProfileStack
from assay.errors import InputError
from assay.executors import one_blas_thread
from assay.models.base import MoveModel
from assay.models.elo_mapping import Z95, ScalarMapping
from assay.models.traits.features import AGENTS
from assay.models.traits.model import TraitsModel
from assay.rating.calibration import Calibration, shipped
from assay.rating.careers import FORGETTING, MIN_MOVES, Careers, GameProfiles
from assay.rating.comparisons import Roster
from assay.rating.evidence import COUNTS, Sums
from assay.rating.group_ratings import COMBINED, Rater, reading
from assay.rating.pipeline import Request, rate_sums
from assay.rating.posterior import GRID, Prior, Range
from assay.rating.priors import POINTS, Priors
from assay.rating.scale import scale_of
from assay.rating.spread import MARGIN, RawRatings

FORMAT = 2
WHAT = "assay champions"

BY_GAME = ("conformance", "covariance", "markov")
"""Methods whose evidence is kept by game."""

BY_MOVES = ("traits",)
"""What the rating by moves is taken from."""

RESULTS = ("games", "wins", "draws", "losses", "elo", "rated", "opponents", "opponents_rated")
"""Of all classical games of a year: number, results, sum and number of published ratings, the opponents'."""

WORDS = (
    "champions: each year is expected near the player's other years, and near champions of that age and birth"
)

ERAS = (
    "By today's engine, in points of today: which player of today moves as well. Openings known by heart, "
    "adjournments and the opponents' strength differ between eras and are not allowed for."
)
"""What is said once, where ratings of champions stand."""


Years = tuple[Floats, Floats, Floats]
"""Years of players: the year of birth, the year, and a number for the player."""


@dataclass(frozen=True)
class CareerModel:
    """Standard deviations, in Elo, of what makes a champion's year, and the years over which they last."""

    mean: float
    cohort: float
    cohort_years: float
    age: float
    age_years: float
    career: float
    career_years: float
    form: float
    form_years: float

    def covariance(self, first: Years, second: Years, *, looks: bool | Mask) -> Floats:
        """Covariance of the strengths of single years; where `looks`, of how the moves of both look."""
        born, year, player = (np.subtract.outer(*columns) for columns in zip(first, second, strict=True))
        cohort = self.cohort**2 * np.exp(-0.5 * np.square(born / self.cohort_years))
        age = self.age**2 * np.exp(-0.5 * np.square((year - born) / self.age_years))
        career = self.career**2 * np.exp(-np.abs(year) / self.career_years)
        form = looks * self.form**2 * np.exp(-np.abs(year) / self.form_years)
        return np.asarray(cohort + age + (player == 0) * (career + form))


@dataclass(frozen=True)
class CareerPrior(Prior):
    """What other years and other champions let expect of a year: its strength, and how its moves look."""

    strength: float
    look: float
    """Means."""
    strength_variance: float
    look_variance: float
    covariance: float
    shared: float
    """The form of players by the calibration, in whose place the champions' own stands here."""

    def log_density(self, elo: Floats) -> Floats:
        """Logarithm of the density of the strength, up to a constant."""
        return np.asarray(-0.5 * np.square(elo - self.strength) / self.strength_variance)

    def posterior(self, log_likelihood: Floats) -> Floats:
        """Logarithm of the posterior of the strength over GRID, from likelihoods of how the moves look."""
        slope = self.covariance / self.look_variance
        rest = max(self.strength_variance - slope * self.covariance, 1.0)
        middle = self.strength + slope * (POINTS - self.look)
        logs = log_likelihood[..., ::4] - 0.5 * np.square(POINTS - self.look) / self.look_variance
        looks = np.exp(logs - logs.max(axis=-1, keepdims=True)).reshape(-1, len(POINTS))
        seen = np.flatnonzero(looks.max(axis=0) > NOTHING)
        strengths = looks[:, seen] @ np.exp(-0.5 * np.square(POINTS - middle[seen, None]) / rest)
        logs = np.log(np.maximum(strengths, 1e-300))
        return np.stack([np.interp(GRID, POINTS, row) for row in logs]).reshape(log_likelihood.shape)


NOTHING = 1e-20
"""Densities below this share of the highest are left out."""


class Champions(Roster):
    """Champions by year, rated and compared without a game or an engine."""

    about = ERAS
    by_moves = BY_MOVES

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        self.header = header
        self.recipe_id = str(header["recipe_id"])
        self.calibration = shipped(self.recipe_id)
        self.keys = [Who(str(player), int(year)) for player, year in arrays["groups"].tolist()]
        """Every player and year."""
        self.results = dict(zip(self.keys, arrays["results"].tolist(), strict=True))
        """By player and year, the numbers of RESULTS."""
        self.model = CareerModel(**header["prior"])
        self._rows: dict[str, dict[int, int]] = {}
        for row, key in enumerate(self.keys):
            self._rows.setdefault(key.player, {})[key.year or 0] = row
        self.players = sorted(self._rows, key=lambda player: min(self._rows[player]))
        """The champions, in the order of their first years."""
        self._counts = arrays["counts"]
        self._shapes = {name: tuple(shape) for name, shape in header["shapes"].items()}
        self._game_years: Ints = arrays["game_years"].astype(np.int64)
        n_games, self._by_game, self._by_year, self._read = len(self._game_years), {}, {}, {}
        starts = np.searchsorted(self._game_years, np.arange(len(self.keys) + 1))
        adding = sparse.csr_array(
            (np.ones(n_games), np.arange(n_games), starts), shape=(len(self.keys), n_games)
        )
        for name, shape in self._shapes.items():
            read = arrays[f"{name}.read"].astype(np.float64)
            if name in BY_GAME:
                data, indices, indptr = (arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr"))
                rows = sparse.csr_array(
                    (data.astype(np.float64), indices.astype(np.int64), indptr.astype(np.int64)),
                    shape=(n_games, int(np.prod(shape))),
                )
                self._by_game[name] = rows, read
                self._by_year[name], self._read[name] = adding @ rows, adding @ read
            else:
                self._by_year[name], self._read[name] = arrays[f"{name}.sums"].astype(np.float64), read
        self._strengths = {name: arrays[f"{name}.strength"] for name in header["strengths"]}
        born, years = [header["born"][key.player] for key in self.keys], [key.year for key in self.keys]
        columns = (born, years, [self.players.index(key.player) for key in self.keys])
        self._single_years = np.array(columns, np.float64)

    # Files ---------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | Path) -> Champions:
        """Read a file of champions; refused where its features are not those of today."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                header = json.loads(str(stored["header"]))
                if header["what"] != WHAT or header["format"] != FORMAT:
                    raise ValueError("it contains something else")
                champions = cls(header, {name: stored[name] for name in stored.files})
            champions.check()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is not a file of champions: {error}") from error
        return champions

    def check(self) -> None:
        """Refuse evidence that a method of today reads in another way."""
        if self.calibration is None:
            raise InputError(f"recipe {self.recipe_id} of the champions has no Elo scale here")
        models = self.calibration.models
        meanings = {**self.header["models"], **self.header["strengths"]}
        changed = [name for name, meaning in meanings.items() if models[name].identity != meaning]
        if self.header["features"] != features_hash(models):
            changed.append("the features")
        if changed:
            raise InputError(
                f"the champions were read by another version of {', '.join(changed)}: make the file anew "
                "(python -m research champions)"
            )

    # What there is -------------------------------------------------------------------------------------

    def years(self, player: str) -> list[int]:
        """The years of a champion."""
        return list(self._rows[player])

    def who(self, text: str) -> Who:
        """Whom a user means, by full name; years must be there."""
        who = Who.parse(text)
        try:
            player = find_player(who.player, self.players)
        except InputError as error:
            if " may be " in str(error):
                raise
            families = [fold_name(name).family[0].capitalize() for name in self.players]
            near = get_close_matches(fold_name(who.player).family[0].capitalize(), families, 3)
            there = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(families)}"
            raise InputError(f"'{who.player}' is not among the champions: {there}") from None
        if who.event is not None:
            raise InputError(f"champions are known by year, not by event: {player}@{self.years(player)[0]}")
        who = replace(who, player=player)
        if who.years is not None and not set(who.years) & set(self.years(player)):
            raise InputError(
                f"no games of {player} in {who.when}: there are those of {spans(self.years(player))}"
            )
        return who

    def rows(self, who: Who) -> Ints:
        """The years that are meant."""
        years = self._rows[who.player]
        return np.array([years[year] for year in who.years or years if year in years])

    def record(self, rows: Sequence[int] | Ints) -> dict[str, float]:
        """Results of all classical games of some years, and mean ratings of the player and the opponents."""
        sums = np.sum([self.results[self.keys[row]] for row in rows], axis=0).tolist()
        total = dict(zip(RESULTS, sums, strict=True))

        def mean(elo: str, rated: str) -> float:
            return total[elo] / total[rated] if total[rated] else math.nan

        return {
            **{name: total[name] for name in ("games", "wins", "draws", "losses")},
            "score": (total["wins"] + total["draws"] / 2) / max(total["games"], 1),
            "published": mean("elo", "rated"),
            "opponents": mean("opponents", "opponents_rated"),
        }

    # Ratings -------------------------------------------------------------------------------------------

    def sums(self, whom: Sequence[Who], methods: Sequence[str] | None = None) -> Sums:
        """The evidence of each of these by some methods or all, in the form that the pipeline rates."""
        rows = [self.rows(who) for who in whom]
        ends = np.cumsum([0, *map(len, rows)])
        picked = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        meaning, evidence, read = {}, {}, {}
        for name in self._shapes if methods is None else set(self._shapes) & set(methods):
            meaning[name] = self.header["models"][name], self._shapes[name]
            evidence[name], read[name] = self._by_year[name][picked], self._read[name][picked]
        raw = {
            name: self._raw(name, strength[picked])
            for name, strength in self._strengths.items()
            if methods is None or name in methods
        }
        labels = [(who.player, who.when) for who in whom]
        return Sums(self.recipe_id, labels, ends, self._counts[picked], meaning, evidence, read, raw=raw)

    def _raw(self, name: str, strength: Floats) -> Floats:
        assert self.calibration is not None
        mapping, mileposts = self.calibration.mappings[name], self.calibration.mileposts
        assert isinstance(mapping, ScalarMapping)
        return np.clip(mapping.elo(strength), mileposts.min() - MARGIN, mileposts.max() + MARGIN)

    def rated(
        self, whom: Sequence[Who], methods: Sequence[str] | None = None, *, before: int | None = None
    ) -> list[PlayerRating | None]:
        """Each of these as the pipeline rates them, with the results of all classical games.

        `before` knows of other years only those before it.
        """
        assert self.calibration is not None
        request, priors = Request(min_decisions=1, methods=methods), self.priors(whom, before)
        sums, models = self.sums(whom, methods), self.calibration.models
        rated = rate_sums(sums, models, self.calibration, request, priors_of=lambda *_: priors)
        by_key = {(player.player, player.group): player for player in rated.players}
        answer: list[PlayerRating | None] = []
        for who in whom:
            record = self.record(self.rows(who))
            answer.append(
                replace(
                    _within(by_key[who.player, who.when], self.calibration.range),
                    about=who.when,
                    record=Record(*(round(record[name]) for name in ("wins", "draws", "losses"))),
                    reference=record["published"],
                    opponents=record["opponents"],
                )
            )
        return answer

    @cached_property
    def ratings(self) -> dict[Who, PlayerRating]:
        """Every year of everyone, by the rating by moves."""
        return self._by_key(self.keys, BY_MOVES)

    def _by_key(self, keys: Sequence[Who], methods: Sequence[str] | None = None) -> dict[Who, PlayerRating]:
        return {key: year for key, year in zip(keys, self.rated(keys, methods), strict=True) if year}

    def by_year(self, players: Sequence[str] | None = None) -> dict[tuple[str, int], PlayerRating]:
        """Each player's years, of all (by the rating by moves) or of some (by every method)."""
        keys = [key for key in self.keys if key.player in (players or ())]
        ratings = self.ratings if players is None else self._by_key(keys)
        return {(key.player, key.year or 0): year for key, year in ratings.items()}

    def rated_years(
        self,
        whom: Sequence[str],
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        forgetting: float = FORGETTING,
        min_moves: float = MIN_MOVES,
    ) -> dict[str, list[dict[str, Any]]] | None:
        """The rows of careers by the rating by moves alone; None where another method is asked about."""
        if settings or forgetting != FORGETTING:
            return None
        careers = {}
        for who in map(self.who, whom):
            keys = [self.keys[row] for row in self.rows(who)]
            careers[who.player] = [
                {
                    "player": key.player,
                    "year": key.year,
                    "games": rated.games,
                    "active": self.moves(key) >= min_moves,
                    "ratings": {COMBINED: rated.combined},
                    **self.beside(key, rated),
                }
                for key, rated in self._by_key(keys, BY_MOVES).items()
            ]
        return careers

    def best_year(self, player: str, least: float = MIN_MOVES) -> Who:
        """The year of the highest rating, of those with moves enough where there are any."""
        keys = [Who(player, year) for year in self.years(player)]
        enough = [key for key in keys if self.moves(key) >= least] or keys
        return max(enough, key=lambda key: combined.elo if (combined := self.ratings[key].combined) else 0.0)

    def beside(self, key: Who, rated: PlayerRating | None) -> dict[str, Any]:
        """What stands beside a year in a career: its games, the published rating, that year's moves alone."""
        record = self.record(self.rows(key))
        numbers = {name: record[name] for name in ("score", "published", "opponents")}
        return {
            "games_of_year": round(record["games"]),
            **numbers,
            "moves_only": rated and rated.moves_only,
        }

    def single_years(self, rows: Ints) -> Years:
        """Some years as the model of careers takes them."""
        born, years, numbers = self._single_years[:, rows]
        return born, years, numbers

    @cached_property
    def looks(self) -> tuple[Floats, Floats]:
        """How the moves of each year look by the rating by moves, in Elo, and the standard deviation of that.

        Without the player's form, which all years share.
        """
        assert self.calibration is not None
        rater = Rater(self.sums(self.keys, BY_MOVES), self.calibration, methods=BY_MOVES)
        raw = rater.raw([np.array([row]) for row in range(len(self.keys))])
        return looks_of(self.calibration, raw)

    @cached_property
    def _covariances(self) -> tuple[Floats, Floats]:
        """Of the strengths of all years, and of how their moves look."""
        years = self.single_years(np.arange(len(self.keys)))
        strengths, looks = (self.model.covariance(years, years, looks=looks) for looks in (False, True))
        return strengths, looks

    def priors(self, whom: Sequence[Who], before: int | None = None) -> Priors:
        """The prior of each of these from all other years, or from those before a year."""
        assert self.calibration is not None
        peak, deviation = self.looks
        usable = np.isfinite(peak)
        if before is not None:
            usable &= self._single_years[1] < before
        others = np.flatnonzero(usable)
        place = {int(row): index for index, row in enumerate(others)}
        apart = peak[others] - self.model.mean
        # Of the strength and the look of each: their variance, and covariances with the looks of other years.
        variances, shared = np.zeros((len(whom), 2)), np.zeros((len(whom), 2, len(others)))
        outs = []
        for query, who in enumerate(whom):
            rows = self.rows(who)
            weight = self._counts[rows, COUNTS.index("decisions")]
            weight = weight / weight.sum()
            outs.append([place[row] for row in rows.tolist() if row in place])
            for kind, matrix in enumerate(self._covariances):
                variances[query, kind] = weight @ matrix[np.ix_(rows, rows)] @ weight
                shared[query, kind] = (weight @ matrix[rows])[others]
            shared[query][:, outs[query]] = 0.0
        with one_blas_thread():
            noise = np.diag(np.square(deviation[others]))
            factor = cho_factor(self._covariances[1][np.ix_(others, others)] + noise)
            inverse = cho_solve(factor, np.eye(len(others)))
            solved = (shared.reshape(-1, len(others)) @ inverse).reshape(shared.shape)
        form, each = form_by_calibration(self.calibration), list[Prior]()
        for weights, out, with_others, alone in zip(solved, outs, shared, variances, strict=True):
            if out:  # as if the years that are meant were not known
                weights -= np.linalg.solve(inverse[np.ix_(out, out)], weights[:, out].T).T @ inverse[out]
                weights[:, out] = 0.0
            strength, look = (self.model.mean + weights @ apart).tolist()
            taken = weights @ with_others.T
            each.append(
                CareerPrior(
                    strength=strength,
                    look=look,
                    strength_variance=float(max(alone[0] - taken[0, 0], 1.0)),
                    look_variance=float(max(alone[1] - taken[1, 1], 1.0)),
                    covariance=float(alone[0] - taken[0, 1]),
                    shared=form,
                )
            )
        return Priors("population", WORDS, each)

    def scale_error(self, elo: float) -> float:
        """Standard deviation in Elo of the scale itself, which all champions share: of endless games."""
        assert self.calibration is not None
        spread = self.calibration.spread
        channel, endless = spread.channels.index(*BY_MOVES), np.array([1e9])
        values, once = np.zeros((1, len(spread.channels))), np.ones(1)
        raw = RawRatings(values, endless, endless * spread.game_size, once.astype(np.int64), once)
        [width] = spread.deviations(raw, channel, np.array([elo]))[0]
        [form] = spread.form_at(np.array([elo]), channel)
        return math.sqrt(width**2 - form**2)

    # Comparisons by the papers' methods ----------------------------------------------------------------

    def moves(self, key: Who, rated: PlayerRating | None = None) -> float:
        """About how many moves a year has in all its classical games, of which a sample is analysed."""
        counts = dict(zip(COUNTS, self._counts[self._rows[key.player][key.year or 0]].tolist(), strict=True))
        return float(self.results[key][0] * counts["decisions"] / counts["games"])

    def careers(
        self, names: Sequence[str] | None = None, settings: Any = None, **how: Any
    ) -> tuple[dict[str, Careers], list[str]]:
        """Careers as of any games; a year is active by the moves that it has, not by those analysed."""
        moves = {key: self.moves(key) for key in self.keys}
        return super().careers(names, settings, **how, moves=moves)

    def profiles(self, model: MoveModel) -> GameProfiles:
        """The games of everyone by a method; InputError where it can read none of them."""
        if model.name not in self._by_game or model.identity != self.header["models"][model.name]:
            raise InputError(
                "not measured: only the champions' own moves are analysed"
                if model.name == "gain"
                else "not kept by game: it forecasts by its rating"
            )
        rows, read = self._by_game[model.name]
        keys = tuple(map(str, range(len(self._game_years))))
        shape = self._shapes[model.name]
        stack = ProfileStack(model.identity, keys, rows, shape, read[:, 0], read[:, 1], self.recipe_id)
        whose = [self.keys[row] for row in self._game_years]
        return GameProfiles(
            stack, [key.player for key in whose], [key.year for key in whose], [None] * len(whose)
        )


def _within(player: PlayerRating, scale: Range) -> PlayerRating:
    """The same, beyond the scale by the estimate alone: the other years hold what one year's moves show."""
    assert player.combined is not None

    ends = scale.lowest, scale.highest
    ratings = {name: rating.bounded(*ends) for name, rating in player.ratings.items()}
    return replace(player, ratings=ratings, combined=player.combined.bounded(*ends))


def features_hash(models: Mapping[str, MoveModel]) -> str:
    """A hash of the features that `traits` sums: their names in order, and the agents that some compare."""
    model = models["traits"]
    assert isinstance(model, TraitsModel)
    names = [" ".join(block.names) for block in model.blocks] + [str(np.asarray(AGENTS).tolist())]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def looks_of(calibration: Calibration, raw: RawRatings) -> tuple[Floats, Floats]:
    """Peak and standard deviation in Elo of raw ratings by moves, without the players' form."""
    peak, _ = reading(calibration, raw, BY_MOVES)
    within = np.clip(peak, calibration.range.lowest, calibration.range.highest)
    return reading(calibration, raw, BY_MOVES, within, shared=form_by_calibration(calibration))


def form_by_calibration(calibration: Calibration) -> float:
    """Standard deviation of players from their published rating by the rating by moves, in Elo."""
    return float(calibration.spread.form[calibration.spread.channels.index(*BY_MOVES)])


@cache
def champions() -> Champions:
    """The champions that ship with the package."""
    with as_file(files("assay") / "data" / "champions.npz") as path:
        return Champions.read(path)


class WithChampions(Roster):
    """Players of some games, and the champions beside them: compared by their ratings alone."""

    by_moves = BY_MOVES

    def __init__(self, games: Roster) -> None:
        self.games, self.champions = games, champions()
        self.calibration, self.recipe_id = games.calibration, games.recipe_id
        here, there = scale_of(games.calibration), scale_of(self.champions.calibration)
        if here != there:
            scale = "have none" if here is None else f"are on that of {here}"
            raise InputError(
                f"the champions are rated on the scale {there}, and these games {scale}: analyse them with "
                "--recipe quick"
            )

    @property
    def about(self) -> str:  # type: ignore[override]
        """What must be said wherever these players are compared."""
        if self.recipe_id == self.champions.recipe_id:
            return ERAS
        theirs = self.champions.header["recipe"]
        return f"{ERAS} Champions are analysed by another recipe, {theirs}: its error is in their ranges."

    def _roster(self, who: Who) -> Roster:
        return self.champions if who.player in self.champions.players else self.games

    def who(self, text: str) -> Who:
        """Whom a user means: a champion by the family name, else a player of the games."""
        return self.champions.who(text) if is_champion(text) else self.games.who(text)

    def rated(self, whom: Sequence[Who], methods: Sequence[str] | None = None) -> list[PlayerRating | None]:
        """Each as the champions or the games have them."""
        rated = [self._roster(who).rated([who], methods)[0] for who in whom]
        if self.recipe_id == self.champions.recipe_id:
            return rated
        theirs = self.champions.players
        return [
            self._on_other_scale(player) if player and player.player in theirs else player for player in rated
        ]

    def _on_other_scale(self, player: PlayerRating) -> PlayerRating:
        """A champion with the error of the scale, which players rated by another one do not share."""

        def widened(rating: Rating) -> Rating:
            error = Z95 * self.champions.scale_error(rating.elo)
            below, above = (math.hypot(end - rating.elo, error) for end in (rating.low, rating.high))
            return replace(rating, low=rating.elo - below, high=rating.elo + above)

        ratings = {name: widened(rating) for name, rating in player.ratings.items()}
        return replace(player, ratings=ratings, combined=player.combined and widened(player.combined))

    def by_year(self, players: Sequence[str] | None = None) -> dict[tuple[str, int], PlayerRating]:
        """The years of players of the games, and of champions."""
        return {**self.games.by_year(players), **self.champions.by_year(players)}

    def moves(self, key: Who, rated: PlayerRating) -> float:
        """How many moves there are of a year."""
        return self._roster(key).moves(key, rated)

    def careers(self, *_: Any, **__: Any) -> tuple[dict[str, Careers], list[str]]:
        """None: methods compare profiles of one set of games."""
        return {}, []


def is_champion(text: str) -> bool:
    """Whether a user names a champion by the family name."""
    family = set(fold_name(Who.parse(text).player).family)
    return any(family == set(fold_name(name).family) for name in champions().players)
