"""The company model: a player is known by their results and by the company they keep.

Ours, not a paper's. Ratings are on the natural scale: a difference d is an expected score of
1 / (1 + exp(-d)). Two parts:

1. Ratings r and White's advantage h minimise

       sum_g w_g CE(result_g, r_white - r_black + h)  +  1/2 sum_x pull_x (r_x - c_x)^2

   where CE is the cross entropy and c_x the company of x: the weighted average rating of everybody they met
   (Sismanis 2010, "Elo++"), of everybody they are going to meet, and of an anchor at zero. Pairings are
   evidence: organisers invite, and Swiss systems pair, by strength that results on file do not yet show.

2. A forecast adds to the difference of ratings what the schedule itself says: whether a player's other
   opponents of the same month are stronger than this pairing (in a Swiss system they are winning), and
   whether they play more games (in a knock-out they are still in, and invitations go to those who do well).

The second part uses only who meets whom in the games to be forecast, never a result. Where even that is
not known beforehand, `ALONE` forecasts each game as if it were the only one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit, logit

from assay.decisions.arrays import Floats, Ints
from assay.errors import AssayError, FitError, InputError
from assay.results.ferreira import Report, circular_search, time_weight
from assay.results.games import ResultGames, Split
from assay.results.metrics import month_rmse

EVIDENCE = ("difference", "doubt", "company", "month_games", "all_games")
_TOLERANCE = 1e-6
_LIMIT = 50


@dataclass(frozen=True)
class CompanySettings:
    """What decides the ratings, and the coefficients of the forecast."""

    # Ratings
    fade: float  # how fast results fade: beta 4 of Ferreira 2010, Eq. 13
    company_fade: float  # how fast opponents fade
    pull: float  # weight of the company against results ...
    pull_by_games: float  # ... and what each (weighted) game in that company adds to it
    anchor: float  # games against the anchor in everybody's company
    schedule: float  # weight of a game to come in the company; 0 leaves the schedule out
    # Forecast
    few: float  # other games of the month at which its company counts half
    doubt_floor: float  # information of a player without games, for `doubt`
    white: float  # log odds of White between equals
    coefficients: tuple[float, ...]  # of EVIDENCE, in its order

    def check(self) -> Self:
        """The same settings, if they can be used."""
        positive = (self.pull, self.anchor, self.few, self.doubt_floor)
        others = (self.fade, self.company_fade, self.pull_by_games, self.schedule)
        if not all(np.isfinite([*positive, *others, self.white, *self.coefficients])):
            raise InputError("every setting of the company model must be a finite number")
        if len(self.coefficients) != len(EVIDENCE):
            raise InputError(f"the company model needs {len(EVIDENCE)} coefficients: {', '.join(EVIDENCE)}")
        if min(positive) <= 0 or min(others) < 0:
            raise InputError("the weights of the company model must not be negative, nor its pull zero")
        return self


# assay results tune --model company training_data.csv --sets 10 --apart 5
TUNED = CompanySettings(
    fade=6.0,
    company_fade=3.0,
    pull=3.0,
    pull_by_games=0.15,
    anchor=5.0,
    schedule=1.5,
    few=3.0,
    doubt_floor=0.15,
    white=0.220713,
    coefficients=(1.078133, 0.997192, 0.955549, 0.078096, 0.052551),
)
# assay results tune --model company-alone training_data.csv --sets 10 --apart 5
ALONE = replace(
    TUNED,
    fade=8.0,
    company_fade=1.5,
    pull=1.5,
    pull_by_games=0.1,
    schedule=0.0,
    white=0.221176,
    coefficients=(1.097026, 0.279397, 0.0, 0.0, 0.0),
)


class Ratings(NamedTuple):
    """The minimum of part 1."""

    rating: Floats
    information: Floats  # of the results of each player: the sum of w p (1 - p)
    white: float


def company_of(
    games: ResultGames, schedule: ResultGames, settings: CompanySettings
) -> tuple[csr_array, Floats]:
    """The matrix that takes ratings to every player's company, and the weight of that company.

    The anchor is at zero, so that each row sums to less than one.
    """
    fading = time_weight(games.month.max() - games.month, settings.company_fade)
    weight = np.concatenate([fading, fading, np.full(2 * len(schedule), settings.schedule)])
    player = np.concatenate([games.white, games.black, schedule.white, schedule.black])
    opponent = np.concatenate([games.black, games.white, schedule.black, schedule.white])
    size = len(games.players)
    meetings = csr_array((weight, (player, opponent)), shape=(size, size))
    total = np.asarray(np.bincount(player, weight, minlength=size), dtype=float)
    return diags_array(1.0 / (settings.anchor + total)).tocsr() @ meetings, total


def ratings(games: ResultGames, schedule: ResultGames, settings: CompanySettings) -> Ratings:
    """The ratings that minimise part 1, by Newton's method.

    `schedule` must use the same list of players. The sum is convex; its Hessian is never built, the
    conjugate gradients need only its products.
    """
    company, weight = company_of(games, schedule, settings)
    apart = diags_array(np.ones(len(weight))).tocsr() - company
    apart_transposed = apart.T.tocsr()
    # One row per game: +1 for White, -1 for Black.
    rows, sides = np.repeat(np.arange(len(games)), 2), np.column_stack([games.white, games.black]).ravel()
    shape = (len(games), len(games.players))
    pairing = csr_array((np.tile([1.0, -1.0], len(games)), (rows, sides)), shape=shape)
    pairing_transposed = pairing.T.tocsr()
    pull = settings.pull + settings.pull_by_games * weight
    fading = time_weight(games.month.max() - games.month, settings.fade)
    rating, white = np.zeros(len(weight)), float(logit(np.clip(games.result.mean(), 0.01, 0.99)))
    for _ in range(_LIMIT):
        expectation = expit(pairing @ rating + white)
        error = fading * (expectation - games.result)
        curvature = fading * expectation * (1.0 - expectation)
        information = np.abs(pairing_transposed) @ curvature
        slope = pairing_transposed @ error + apart_transposed @ (pull * (apart @ rating))

        def hessian(vector: Floats, curvature: Floats = curvature) -> Floats:
            results = pairing_transposed @ (curvature * (pairing @ vector))
            return np.asarray(results + apart_transposed @ (pull * (apart @ vector)))

        step = _solve(hessian, -slope, information + pull)
        white_step = -error.sum() / curvature.sum()
        rating, white = rating + step, white + white_step
        if max(np.abs(step).max(), abs(white_step)) < _TOLERANCE:
            return Ratings(rating, information, white)
    raise FitError(f"the ratings of the company model did not converge in {_LIMIT} steps")


def _solve(product: Callable[[Floats], Floats], target: Floats, diagonal: Floats) -> Floats:
    """Solve for one Newton step, as exactly as a step that will be repeated needs."""
    shape = (len(target), len(target))
    hessian = LinearOperator(shape, matvec=product, dtype=float)
    scaled = LinearOperator(shape, matvec=lambda vector: vector / diagonal, dtype=float)
    step, _ = cg(hessian, target, rtol=1e-2, M=scaled, maxiter=500)
    return np.asarray(step)


def evidence(rated: Ratings, schedule: ResultGames, settings: CompanySettings) -> NDArray[np.float64]:
    """Return what part 2 uses of each game, one column per name in `EVIDENCE`; each favours White."""
    rating, players = rated.rating, len(schedule.players)
    white, black = schedule.white, schedule.black
    difference = rating[white] - rating[black]
    doubt = 1.0 / (settings.doubt_floor + rated.information)
    month = schedule.month - schedule.month.min(initial=0)
    in_month = _Company(month * players + white, month * players + black, rating[white], rating[black])
    middle = (rating[white] + rating[black]) / 2.0
    games = schedule.games_per_player()
    return np.column_stack(
        [
            difference,
            difference * (doubt[white] + doubt[black]),
            in_month.above(middle, settings.few),
            np.log(in_month.white_games / in_month.black_games),
            np.log(games[white] / games[black]),
        ]
    )


class _Company:
    """The other opponents that the players of each game meet in the same month."""

    def __init__(self, white: Ints, black: Ints, white_rating: Floats, black_rating: Floats) -> None:
        _, place = np.unique(np.concatenate([white, black]), return_inverse=True)
        white, black = place[: len(white)], place[len(white) :]
        games = np.bincount(place)
        total = np.bincount(place, np.concatenate([black_rating, white_rating]))
        self.white_games, self.black_games = games[white], games[black]
        self._white_total = total[white] - black_rating
        self._black_total = total[black] - white_rating

    def above(self, middle: Floats, few: float) -> Floats:
        """How far White's other opponents are above this pairing, less the same of Black's.

        An average over n others counts n / (n + few): of one other opponent little can be said.
        """
        whites = (self._white_total - (self.white_games - 1) * middle) / (self.white_games - 1 + few)
        blacks = (self._black_total - (self.black_games - 1) * middle) / (self.black_games - 1 + few)
        return np.asarray(whites - blacks)


class CompanyModel:
    """The model above: `fit` keeps the games, `forecast` rates with the schedule in view.

    Learned: `games_`; after a forecast also `players_`, `rating_` and `information_` of that moment.
    Players never seen are rated by their company in the schedule alone.
    """

    def __init__(self, settings: CompanySettings = TUNED, *, name: str = "company") -> None:
        self.name = name
        self.settings = settings.check()

    def fit(self, games: ResultGames) -> Self:
        """Learn from games with results."""
        self.games_ = games.require_results()
        return self

    def rate(self, games: ResultGames) -> Ratings:
        """The ratings (in the order of `games.players`) that past games alone give."""
        return ratings(games, games.select(np.zeros(len(games), dtype=bool)), self.settings)

    def forecast(self, games: ResultGames) -> Floats:
        """White's expected result in each game; of `games`, all that is looked at is who meets whom when."""
        # One list of players: those of the training games, then those who are only in the schedule.
        players = tuple(dict.fromkeys((*self.games_.players, *games.players)))
        white, black = games.codes_in(players)
        schedule = replace(games, players=players, white=white, black=black)
        rated = ratings(replace(self.games_, players=players), schedule, self.settings)
        self.players_, (self.rating_, self.information_, _) = players, rated
        columns = evidence(rated, schedule, self.settings)
        return np.asarray(expit(self.settings.white + columns @ np.array(self.settings.coefficients)))


# Tuning: settings by circular search, coefficients by least squares. For each candidate of the settings, the
# coefficients are learned from all validation sets but one and tried on that one, in turn; so the error that
# the search sees is that of forecasts of games which the coefficients have not seen.

_SEARCHED = ("fade", "company_fade", "pull", "pull_by_games", "anchor", "schedule", "few")
_SCHEDULE = ("schedule", "few")
_ALONE = ("difference", "doubt")
_SETTLED = 1e-12
"""A fit is done where a step changes the coefficients, or the error, by less than this share."""
# Round numbers to begin from: the search, not this line, decides.
START = replace(
    TUNED,
    fade=8.0,
    pull_by_games=0.1,
    schedule=1.0,
    white=0.2,
    coefficients=(1.0, 0.0, 0.0, 0.0, 0.0),
)
# A search this coarse is enough: the error is flat around the minimum, and a finer one fits its noise.
PRECISION = 0.1
_GAIN = 2e-5


@dataclass(frozen=True)
class TunedCompany:
    """The settings found, and the error they had on sets left out, one after the other."""

    settings: CompanySettings
    errors: tuple[float, ...]
    evaluations: int

    @property
    def error(self) -> float:
        """The average over the sets."""
        return float(np.mean(self.errors))


def tune_company(
    splits: Sequence[Split],
    *,
    start: CompanySettings = START,
    schedule: bool = True,
    precision: float = PRECISION,
    report: Report | None = None,
) -> TunedCompany:
    """The settings whose forecasts of left-out validation sets are best, with coefficients from all sets."""
    if len(splits) < 2:
        raise InputError("the company model needs at least two validation sets: one to learn, one to try")
    start = start if schedule else replace(start, schedule=0.0)
    names = tuple(name for name in _SEARCHED if schedule or name not in _SCHEDULE)
    used = np.array([schedule or name in _ALONE for name in EVIDENCE])

    def settings_of(values: Sequence[float]) -> CompanySettings:
        changes: dict[str, Any] = dict(zip(names, values, strict=True))
        return replace(start, **changes)

    def objective(values: tuple[float, ...]) -> float:
        try:
            return float(np.mean(left_out_errors(splits, settings_of(values).check(), used)))
        except AssayError:
            return float("inf")

    search = circular_search(
        objective, [getattr(start, name) for name in names], precision=precision, gain=_GAIN, report=report
    )
    settings = settings_of(search.values)
    cases = [_columns(split, settings, used) for split in splits]
    best = least_squares(cases, [split.validation for split in splits])
    coefficients = np.zeros(len(EVIDENCE))
    coefficients[used] = best[1:]
    settings = replace(settings, white=float(best[0]), coefficients=tuple(coefficients.tolist()))
    return TunedCompany(settings, tuple(left_out_errors(splits, settings, used)), search.evaluations)


def left_out_errors(
    splits: Sequence[Split], settings: CompanySettings, used: NDArray[np.bool_]
) -> list[float]:
    """The month-aggregated RMSE of each set, with coefficients learned from the others."""
    cases = [_columns(split, settings, used) for split in splits]
    games = [split.validation for split in splits]
    errors = []
    for index, (columns, played) in enumerate(zip(cases, games, strict=True)):
        coefficients = least_squares(
            [*cases[:index], *cases[index + 1 :]], [*games[:index], *games[index + 1 :]]
        )
        errors.append(month_rmse(played, expit(columns @ coefficients)))
    return errors


def _columns(split: Split, settings: CompanySettings, used: NDArray[np.bool_]) -> Floats:
    """A column of ones for White's advantage, then the evidence that is used."""
    schedule = split.validation.without_results()
    columns = evidence(ratings(split.training, schedule, settings), schedule, settings)[:, used]
    return np.column_stack([np.ones(len(columns)), columns])


def least_squares(cases: Sequence[Floats], games: Sequence[ResultGames]) -> Floats:
    """The coefficients whose expected results are closest to the results, game by game."""
    columns = np.concatenate(cases)
    result = np.concatenate([played.result for played in games])

    def residuals(coefficients: Floats) -> Floats:
        return np.asarray(expit(columns @ coefficients) - result)

    def slopes(coefficients: Floats) -> Floats:
        expectation = expit(columns @ coefficients)
        return np.asarray((expectation * (1.0 - expectation))[:, None] * columns)

    start = np.zeros(columns.shape[1])
    fit = optimize.least_squares(residuals, start, slopes, method="lm", ftol=_SETTLED, xtol=_SETTLED)
    if not fit.success:
        raise FitError(f"the coefficients of the company model did not settle: {fit.message}")
    return np.asarray(fit.x, dtype=np.float64)
