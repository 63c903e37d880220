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

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit, logit

from assay.decisions.arrays import Floats
from assay.errors import FitError, InputError
from assay.results.ferreira import time_weight
from assay.results.games import ResultGames

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


# Found by a circular search over ten separate validation sets of months 1 to 100 (docs/evidence/results.md).
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
# The same without the schedule.
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
    month = (schedule.month - schedule.month.min(initial=0)) * players
    # The other opponents that both players meet in the same month: how far they are above this pairing. An
    # average over n others counts n / (n + few): of one other opponent little can be said.
    _, place = np.unique(np.concatenate([month + white, month + black]), return_inverse=True)
    opponents = np.bincount(place, np.concatenate([rating[black], rating[white]]))
    in_month = np.bincount(place)[place].reshape(2, -1)
    total = opponents[place].reshape(2, -1) - [rating[black], rating[white]]
    middle = (rating[white] + rating[black]) / 2.0
    above = (total - (in_month - 1) * middle) / (in_month - 1 + settings.few)
    games = schedule.games_per_player()
    return np.column_stack(
        [
            difference,
            difference * (doubt[white] + doubt[black]),
            above[0] - above[1],
            np.log(in_month[0] / in_month[1]),
            np.log(games[white] / games[black]),
        ]
    )


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
