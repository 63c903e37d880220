"""The statistics of a screening: what each turn counts, observed and expected at the player's rating.

Regan and Haworth 2011, section 6: the agent's probabilities p_i of the options of a turn project first-move
agreement, p_0 with variance p_0 (1 - p_0), and scaled error, sum p_i delta_i with variance sum p_i delta_i^2
- (sum p_i delta_i)^2. All statistics here are of this kind, and turned so that more is better play:

| name | what a turn counts |
|---|---|
| first | 1 where the engine's first move was played |
| sound | 1 where the move loses at most SOUND |
| error | minus the scaled loss in pawns, 0 to about 1.6 |
| hard | as sound, times the log-likelihood ratio of taking the move in one turn of three |
| critical | as first, times the root of the scaled loss of the second line, at most 1 |

Players of every rating find most moves without which all is lost, so `hard` counts them little: whoever takes
moves only there is seen by what was at stake, `critical`.

The agent has three parameters and does not play quite as people do: it finds one of the first three moves
four times in a hundred less than they. So shares are recalibrated on the scale of the logit, and errors on
that of the logarithm (`Curves`), by five numbers each, learned on games of players with known ratings:

    logit p' = a + b logit p + c (Elo - 2100) / 400 + d [endgame] + g [turns 9 to 14], and likewise ln e'

In endgames people find the best move far more often than the agent does (the tree is thin, and technique is
known), and so they do in the first turns after the opening, which many have seen before: without d and g,
who plays many endgames would look like an engine. The variance of a turn follows: p' (1 - p'), and for errors
that of the agent times (e' / e)^2.

The rating is not the strength: the agent's Elo is normal around it. Expectations are those of the spread
agent, by the three points of Gauss and Hermite, R and R -+ sqrt(3) times the deviation; how much they
change by Elo tells what a wrong rating, or a good day, does to a statistic.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import expit, logit

from assay.decisions.arrays import Floats, Ints, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.rules import (
    Rule,
    after_turn,
    choice_of_two,
    enough_lines,
    evaluated,
    not_repeated,
    rated,
    traced,
    within,
)
from assay.models.appearances import OPENING_TURNS
from assay.models.choice.spreads import Scaling, differences
from assay.models.depth.agents import AgentsByElo
from assay.models.depth.likelihood import Positions, probabilities

NAMES = ("first", "sound", "error", "hard", "critical")
"""In the order of columns."""

PROJECTED = NAMES[:3]
"""Those that the agent's probabilities project as they are: two shares and the error."""

_WEIGHED = [1, 0]
"""The columns that `hard` and `critical` weigh."""

SOUND = 0.05
"""Scaled loss of a sound move at most, in pawns. In honest games the first move of another search is the
first of this one in some 60 of 100 turns, and sound in some 80; players' moves are in 45 and 64."""

TAKEN = 1 / 3
"""h of the weights of `hard`, ln(1 + h / ((1 - h) P)): the share of turns in which somebody may take the move
from elsewhere."""

CENTRE, UNIT = 2100.0, 400.0
"""Lines over Elo are given at 2100 and by their change for 400 points."""

DECIDED = 300
"""Positions further from equal than so many centipawns do not count, as in Regan and Haworth 2011."""

SHARED_BY = 3
"""A position in which so many different players had to move, in the games at hand, is taken as prepared."""

UNLISTED = 0.1
"""A move outside the lines has so much more scaled error than the last line: in the milepost games 0.11
pawns on average over the moves that were played there, which are 5 in 100."""

FEW_MEN = 12
"""An endgame has so many pieces on the board or fewer, kings and pawns included."""

EARLY_TURNS = 14
"""Up to this turn much is still known from elsewhere."""

_SCALING = Scaling(tie=0.0, unlisted="left out")
_LEAST = 1e-4
"""Shares and errors are held off zero by so much."""
_REACH = np.sqrt(3.0)
_WEIGHTS = (1 / 6, 2 / 3, 1 / 6)


def rules() -> tuple[Rule, ...]:
    """Which decisions count by turns, preparation apart."""
    return (
        rated(),
        after_turn(OPENING_TURNS),
        evaluated(),
        choice_of_two(),
        enough_lines(),
        traced(),
        not_repeated(),
        within(DECIDED),
    )


def not_prepared() -> Rule:
    """Leave out positions in which several players had to move: they were known before the game."""
    return Rule(f"position of fewer than {SHARED_BY} players", lambda decisions: ~shared(decisions))


def shared(decisions: Decisions) -> Mask:
    """Tell which decisions are in positions that several players had to move in."""
    codes: dict[str, int] = {}
    keys = decisions.text("position_key")
    key = np.array([-1 if text is None else codes.setdefault(text, len(codes)) for text in keys])
    pairs = np.unique(np.stack((key, decisions.codes("player")), axis=1), axis=0)
    players = np.bincount(pairs[pairs[:, 0] >= 0, 0], minlength=max(len(codes), 1))
    return np.asarray((key >= 0) & (players[key] >= SHARED_BY))


def endgame(decisions: Decisions) -> Mask:
    """Tell which positions have few pieces; those that are not a position of chess have many."""
    keys = decisions.text("position_key")
    men = [sum(map(str.isalpha, (key or "").split(" ")[0])) if "/" in (key or "") else 99 for key in keys]
    return np.asarray([n <= FEW_MEN for n in men])


# Turns -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Turns:
    """Decisions that are screened, with what every option counts."""

    decisions: Decisions
    positions: Positions
    lines: Ints
    """How many options of each decision are lines of the engine's search; another was searched alone."""
    values: Floats
    """What each option counts: shape (PROJECTED, options)."""
    beyond: Floats
    """What a move counts that is not among the options: shape (PROJECTED, turns)."""
    phase: Floats
    """1 or 0: whether a turn is in an endgame, and whether it is one of the first after the opening."""
    stake: Floats
    """Of each turn in `critical`: the root of the scaled loss of the second line, at most 1."""

    @classmethod
    def of(cls, decisions: Decisions) -> Turns:
        """Read decisions that the rules keep: `decisions.filter(*rules())`."""
        starts = decisions.offsets[:-1]
        lines = np.clip(decisions.numbers("n_lines").astype(np.int64), 1, decisions.n_options)
        lost = differences(decisions.values, decisions.offsets, _SCALING)
        rank = np.arange(len(lost)) - np.repeat(starts, np.diff(decisions.offsets))
        # What is not listed is a little worse than the last line: the played move, where it was searched
        # alone, must not change what was to be expected before it was played.
        last = lost[starts + lines - 1] + UNLISTED
        early = decisions.numbers("ply") < 2 * EARLY_TURNS
        return cls(
            decisions,
            Positions.of(decisions),
            lines,
            np.array([rank == 0, lost <= SOUND, -lost], np.float64),
            np.array([np.zeros(len(last)), last <= SOUND, -last], np.float64),
            np.column_stack((endgame(decisions), early)).astype(np.float64),
            np.sqrt(np.clip(lost[starts + np.minimum(lines - 1, 1)], 0.0, 1.0)),
        )

    def __len__(self) -> int:
        return len(self.decisions)

    def observed(self, played: Ints | None = None) -> Floats:
        """Return what was played, or what these options would be: shape (turns, PROJECTED).

        -1 is a move that is not among the options.
        """
        index = self.decisions.played_index if played is None else played
        return np.where(index < 0, self.beyond, self.values[:, self.decisions.offsets[:-1] + index]).T

    def project(self, agents: AgentsByElo, elo: Floats) -> Projected:
        """Return what the agent of each turn's Elo would show in these positions."""
        elos, of_turn = np.unique(elo, return_inverse=True)
        distinct = agents.agents(elos)
        p = probabilities(self.positions, [distinct[index] for index in of_turn]).options
        starts, counts = self.decisions.offsets[:-1], np.diff(self.decisions.offsets)
        rank = np.arange(len(p)) - np.repeat(starts, counts)
        p = np.where(rank < np.repeat(self.lines, counts), p, 0.0)
        tail = np.clip(1.0 - np.add.reduceat(p, starts), 0.0, 1.0)

        def moment(place: int, power: int) -> Floats:
            listed = np.add.reduceat(p * self.values[place] ** power, starts)
            return np.asarray(listed + tail * self.beyond[place] ** power)

        first, sound, error = (moment(place, 1) for place in range(3))
        return Projected(
            np.column_stack((first, sound, error)),
            np.maximum(moment(2, 2) - np.square(error), 0.0),
            self.phase,
            self.stake,
        )


@dataclass(frozen=True, eq=False)
class Projected:
    """What an agent would show, turn by turn."""

    expected: Floats
    """Shape (turns, PROJECTED)."""
    variance: Floats
    """Of the error; of a share p it is p (1 - p)."""
    phase: Floats
    stake: Floats

    def take(self, turns: Ints) -> Projected:
        """Select turns."""
        return Projected(**{part.name: getattr(self, part.name)[turns] for part in fields(self)})


# Expectations at a rating ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Expected:
    """What players of a rating show, turn by turn and statistic by statistic: shape (turns, NAMES)."""

    expected: Floats
    variance: Floats
    weights: Floats
    """Of each turn in `hard` and `critical`."""

    def apart(self, observed: Floats) -> Floats:
        """Return observed less expected; `observed` has the columns PROJECTED."""
        return np.column_stack((observed, self.weights * observed[:, _WEIGHED])) - self.expected


@dataclass(frozen=True, eq=False)
class Curves:
    """a, b, c, d, g of every projected quantity: shape (PROJECTED, 5)."""

    numbers: Floats

    def bend(self, projected: Projected, elo: Floats, weights: Floats | None = None) -> Expected:
        """Return what players show where the agents of their Elos project this.

        `weights` are those of `hard` and `critical`, where another agent than this decides them.
        """
        shares = projected.expected[:, :2]
        share = np.column_stack(
            [
                expit(curve_features(share_scale(raw), elo, projected.phase) @ numbers)
                for raw, numbers in zip(shares.T, self.numbers, strict=False)
            ]
        )
        plain = np.maximum(-projected.expected[:, 2], _LEAST)
        error = np.exp(curve_features(np.log(plain), elo, projected.phase) @ self.numbers[2])
        variance = np.square(error / plain) * projected.variance
        binomial = share * (1 - share)
        if weights is None:
            weights = np.column_stack((np.log1p(TAKEN / (1 - TAKEN) / share[:, 1]), projected.stake))

        def columns(of: Floats, own: Floats, power: int) -> Floats:
            return np.column_stack((of, own, weights**power * of[:, _WEIGHED]))

        return Expected(columns(share, -error, 1), columns(binomial, variance, 2), weights)


def curve_features(x: Floats, elo: Floats, phase: Floats) -> Floats:
    """Return the columns that a, b, c, d, g multiply."""
    return np.column_stack((np.ones(len(x)), x, (elo - CENTRE) / UNIT, phase))


def share_scale(share: Floats) -> Floats:
    """Return shares on the scale of the logit, held off 0 and 1."""
    return np.asarray(logit(np.clip(share, _LEAST, 1 - _LEAST)))


def error_scale(error: Floats) -> Floats:
    """Return errors on the scale of the logarithm, held off 0."""
    return np.asarray(np.log(np.maximum(error, _LEAST)))


# Sums over the turns of each appearance ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Evidence:
    """Sums over the screened turns of appearances: shape (appearances, NAMES)."""

    apart: Floats
    """Observed less expected; more is better play."""
    variance: Floats
    """Had turns been independent, and the agent right."""
    slope: Floats
    """How much more is expected for a point of Elo."""
    observed: Floats
    turns: Ints
    """How many turns each appearance has."""

    def only(self, rows: Ints) -> Evidence:
        """Select appearances."""
        return Evidence(**{part.name: getattr(self, part.name)[rows] for part in fields(self)})


@dataclass(frozen=True, eq=False)
class Expectations:
    """What is expected at turns, whichever moves are played there."""

    turns: Turns
    place: Ints
    n: int
    """How many appearances there are."""
    middle: Expected
    spread: Floats
    """Means over the error of the rating."""
    slope: Floats

    def apart(self, played: Ints | None = None) -> Floats:
        """Return observed less expected by turn: shape (turns, NAMES)."""
        return self.middle.apart(self.turns.observed(played)) + self.middle.expected - self.spread

    def evidence(self, played: Ints | None = None) -> Evidence:
        """Sum by appearance the moves that were played, or, for simulations, others."""
        apart = self.apart(played)

        def summed(part: Floats) -> Floats:
            return np.stack([np.bincount(self.place, column, self.n) for column in part.T], axis=1)

        return Evidence(
            summed(apart),
            summed(self.middle.variance),
            summed(self.slope),
            summed(apart + self.spread),
            np.bincount(self.place, minlength=self.n),
        )


def expected_of(
    turns: Turns, place: Ints, elo: Floats, agents: AgentsByElo, curves: Curves, error: Floats
) -> Expectations:
    """Project turns; `place` is the appearance of each turn, `elo` the rating of each appearance.

    `error` is how far the strength of each is from the rating, as a standard deviation.
    """
    rating, reach = elo[place], _REACH * error[place]
    middle = curves.bend(turns.project(agents, rating), rating)
    low, high = (
        curves.bend(turns.project(agents, rating + side), rating + side, middle.weights)
        for side in (-reach, reach)
    )
    ends = zip(_WEIGHTS, (low, middle, high), strict=True)
    spread = np.asarray(sum(share * end.expected for share, end in ends))
    slope = (high.expected - low.expected) / (2 * reach[:, None])
    return Expectations(turns, place, len(elo), middle, spread, slope)
