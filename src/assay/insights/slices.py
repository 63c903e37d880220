"""Slices of ratings: where, when and against what a player is stronger or weaker than on the whole.

Slice and whole share decisions, so their difference is not taken between two ratings: the slice is compared
with the rest, which is the same question, and shrunk by the rest's share of the information, for

    whole = w slice + (1 - w) rest,      slice - whole = (1 - w) (slice - rest).

Of two parts of one player's decisions the slopes (assay.models.depth) give by how many points each was played
above the player's rating; what players of that rating show there is subtracted from both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri

from assay.answers.insights import Difference, PlayerSlices, Slice, Slices
from assay.answers.ratings import PlayerRating, Rating, Ratings
from assay.decisions.arrays import Floats, Mask
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED
from assay.decisions.grouping import By
from assay.decisions.slices import FIXED, in_words, slicing
from assay.errors import InputError
from assay.models.depth.agents import AgentsByElo
from assay.models.depth.expected import slopes
from assay.models.depth.model import DepthModel
from assay.models.intervals import q_values
from assay.rating.calibration import Calibration
from assay.rating.posterior import GRID
from assay.rating.references import SliceReference, SliceSums, against_rest, independent, sums_by_slice

LEAST = 20
"""Decisions of a slice that is shown, unless asked otherwise."""

RATE = 0.10
"""Share of what stands out that may be chance, on average."""

OWN_GAMES = 30.0
"""So many games of a player show as much about how their games vary as all of the calibration does."""

_OF_GAMES = (By.MONTH, By.OPENING)

_LACKING = {
    By.MONTH: "none of these games has a date with its month",
    By.OPENING: "none of these games has a tag ECO, or begins as one that has",
    By.CLOCK: "these games have no clocks in their comments",
    By.OPPONENT: "none of the opponents has a rating in the tags",
}
"""Why games cannot be cut in some way."""


class Gatherer:
    """Sums of slopes by player, game and slice, from decisions that come in pieces of whole games."""

    def __init__(self, by: By, agents: AgentsByElo, ratings: Mapping[str, float]) -> None:
        self.by, self.agents, self.ratings = by, agents, ratings
        self._sums: dict[str, list[SliceSums]] = {player: [] for player in ratings}
        self.names: list[str] = list(FIXED.get(by, ()))
        """Of the slices: those of everyone in their order, others as they came."""
        self.unknown = dict.fromkeys(ratings, 0)

    def add(self, piece: Decisions, of_games: Mapping[str, str] | None = None) -> None:
        """Decisions of whole games."""
        usable = piece.select(player=list(self.ratings)).filter(*DepthModel().rules())
        if not len(usable):
            return
        player, players = usable.codes("player"), usable.names("player")
        elo: Floats = np.array([self.ratings.get(name, np.nan) for name in players])[player]
        cut = slicing(usable, self.by, own=elo, of_games=of_games)
        self.names += [name for name in cut.names if name not in self.names]
        part = np.array([*map(self.names.index, cut.names), -1], np.int64)[cut.slice]
        by_decision = slopes(usable, self.agents, elo)
        _, game = np.unique(usable.codes("game_id"), return_inverse=True)
        for code in np.unique(player).tolist():
            rows = np.flatnonzero(player == code)
            _, place = np.unique(game[rows], return_inverse=True)
            sums = sums_by_slice(
                by_decision.slope[rows],
                by_decision.information[rows],
                place,
                int(place.max()) + 1,
                part[rows],
                len(self.names),
            )
            self._sums[players[code]].append(sums)
            self.unknown[players[code]] += int((part[rows] < 0).sum())

    def of(self, player: str) -> SliceSums | None:
        """Return the sums of one player: a row for each game, a column for each of `names`."""
        pieces = self._sums[player]
        if not pieces:
            return None
        width = len(self.names)

        def whole(part: str) -> Floats:
            arrays = [getattr(sums, part) for sums in pieces]
            return np.concatenate([np.pad(array, ((0, 0), (0, width - array.shape[1]))) for array in arrays])

        return SliceSums(whole("slope"), whole("information"), whole("decisions"))


def check_sliceable(calibration: Calibration) -> None:
    """Refuse a calibration without what players of known Elo show in slices: InputError."""
    if calibration.recipe_id in EVALUATED:
        raise InputError(
            "slices are read from the values of all options at every depth, and these games bring one value "
            "for each position: analyse them (--evaluations engine, recipe standard with Stockfish 15.1)"
        )
    if calibration.carried_from is not None:
        source = calibration.carried_from
        raise InputError(
            f"what players of known Elo show in slices was measured with {source.get('engine')}, whose scale "
            f"was carried over to this engine: analyse with {source.get('recipe')} and {source.get('engine')}"
        )
    if calibration.agents is None or not calibration.slices:
        raise InputError(
            "slices are compared with those of players of known Elo, which this calibration lacks: make it "
            "again (assay calibrate)"
        )


def slices_of(
    pieces: Iterable[Decisions],
    ratings: Ratings,
    calibration: Calibration,
    by: By,
    *,
    of_games: Mapping[str, str] | None = None,
    least: int = LEAST,
    level: float = 0.95,
    rate: float = RATE,
) -> Slices:
    """Slices of rated players' decisions, which may come in pieces, with their trace."""
    check_sliceable(calibration)
    assert calibration.agents is not None
    rated = [player for player in ratings.players if player.combined is not None]
    elos = {player.player: player.combined.elo for player in rated if player.combined is not None}
    gatherer = Gatherer(by, calibration.agents, elos)
    for piece in pieces:
        gatherer.add(piece, of_games)
    reference = _comparable(calibration.slices.get(by.value), gatherer, rated)
    # Where mileposts do not show the slices: that of colours, for whole games, or else that of phases.
    like = calibration.slices.get((By.COLOUR if by in _OF_GAMES else By.PHASE).value)
    dispersion = 2.0 if like is None else float(like.dispersion.max())
    players = []
    for player in rated:
        sums = gatherer.of(player.player)
        if sums is not None and sums.decisions.sum() > 0:
            players.append(_player(player, sums, gatherer, reference, dispersion, least, level, ratings.span))
    if not players:
        why = _LACKING.get(by, "no decision could be read")
        raise InputError(f"there is nothing to cut by {by}: {why}; choose another --by")
    return Slices(
        by=by.value,
        players=_with_q(players, by, rate),
        ratings=ratings,
        rate=rate,
        compared=reference is not None,
        notes=_notes(by, reference, rate, sum(len(player.slices) for player in players)),
    )


def _comparable(
    reference: SliceReference | None, gatherer: Gatherer, rated: Sequence[PlayerRating]
) -> SliceReference | None:
    """Return what the mileposts show, if it covers every slice that anybody here has decisions in."""
    if reference is None:
        return None
    for player in rated:
        sums = gatherer.of(player.player)
        if sums is not None and (sums.decisions.sum(axis=0) > 0)[~reference.learned].any():
            return None
    return reference


def _player(
    rated: PlayerRating,
    sums: SliceSums,
    gatherer: Gatherer,
    reference: SliceReference | None,
    dispersion: float,
    least: int,
    level: float,
    span: tuple[float, float],
) -> PlayerSlices:
    whole = rated.combined
    assert whole is not None  # those without rated are not sliced
    decisions, games = sums.decisions.sum(axis=0), (sums.decisions > 0).sum(axis=0)
    apart = differences(sums, whole.elo, reference, dispersion, level)
    order = range(len(decisions)) if gatherer.by in FIXED else np.argsort(gatherer.names)
    slices = [
        Slice(
            name=gatherer.names[k],
            games=int(games[k]),
            decisions=int(decisions[k]),
            difference=apart[k],
            rating=_rating(whole, apart[k], decisions[k], games[k], span),
        )
        for k in order
        if decisions[k] >= least
    ]
    return PlayerSlices(
        player=rated.player,
        whole=whole,
        reference=rated.reference,
        slices=tuple(slices),
        too_few={gatherer.names[k]: int(decisions[k]) for k in order if 0 < decisions[k] < least},
        unknown=gatherer.unknown[rated.player],
    )


def _rating(
    whole: Rating, difference: Difference | None, decisions: float, games: float, span: tuple[float, float]
) -> Rating | None:
    """The whole and the difference, whose variances add; beyond the span of the scale a bound.

    The error of the best estimate of a whole is not correlated with differences within it (Hausman 1978).
    """
    if difference is None:
        return None
    reach = float(ndtri((1 + whole.level) / 2))
    deviation = float(np.hypot((whole.high - whole.low) / (2 * reach), difference.deviation))
    elo = whole.elo + difference.elo
    low, high = np.clip((elo - reach * deviation, elo + reach * deviation), GRID[0], GRID[-1]).tolist()
    return replace(
        whole,
        elo=min(max(elo, span[0]), span[1]),
        low=low,
        high=high,
        decisions=float(decisions),
        games=float(games),
        note="",
        bound="below" if elo < span[0] else "above" if elo > span[1] else None,
        end=span[0] if elo < span[0] else span[1],
    )


def _with_q(players: Sequence[PlayerSlices], by: By, rate: float) -> tuple[PlayerSlices, ...]:
    """Add what stands out among all slices shown, and a sentence for each player."""
    shown = [part for player in players for part in player.slices]
    p = np.array([np.nan if part.difference is None else part.difference.p for part in shown])
    q = iter(q_values(p).tolist())
    with_q = []
    for player in players:
        slices = tuple(
            replace(part, q=value, stands_out=bool(value <= rate))
            for part, value in zip(player.slices, q, strict=False)
        )
        with_q.append(replace(player, slices=slices, sentence=_sentence(slices, by)))
    return tuple(with_q)


def _sentence(slices: Sequence[Slice], by: By) -> str:
    """Say what stands out, the surest first: weaker in the endgame, -180 (-330 to -20), 94 decisions."""
    if all(part.difference is None for part in slices):
        return "nothing to compare"
    parts = []
    for part in sorted((part for part in slices if part.stands_out), key=lambda part: part.q):
        if (difference := part.difference) is not None:
            word = "weaker" if difference.elo < 0 else "stronger"
            ends = f"{difference.low:+.0f} to {difference.high:+.0f}"
            where = in_words(by, part.name)
            parts.append(f"{word} {where}, {difference.elo:+.0f} ({ends}), {part.decisions:,} decisions")
    return "; ".join(parts) or "nothing stands out"


def _notes(by: By, reference: SliceReference | None, rate: float, shown: int) -> tuple[str, ...]:
    many = f"{shown:,} slices" if shown != 1 else "one slice"
    notes = [
        "Difference: a slice less the player's whole, with its own 95% interval; moves after move 8, read by "
        "the method depth.",
        f"Stands out (*): at most {rate:.0%} of what is named may be chance, among the {many} shown.",
    ]
    if reference is not None:
        notes.append(
            "Each slice is beside what players of the same rating show there: "
            f"{reference.decisions.sum():,.0f} decisions of the calibration's games."
        )
    elif by is By.CLOCK:
        notes.append(
            "No players of known Elo with clocks to compare with: everyone plays worse in time pressure, and "
            "that is part of these differences."
        )
    elif by is By.OPPONENT:
        notes.append("Not compared with others: the calibration has too few games between unequal players.")
    else:
        notes.append(f"Not compared with others: each {by} is taken to be as hard to play as the rest.")
    return tuple(notes)


GROWTH = 0.001
"""How the variance of a slice's slopes grows for each point that it is weaker: who plays worse plays less
evenly. In endgames of milepost games it is 1.19 and 1.45 times that of players 200 and 400 points above."""

_WEAKEST = 800.0
_ROUNDS = 30


def differences(
    sums: SliceSums,
    elo: float,
    reference: SliceReference | None,
    dispersion: float,
    level: float = 0.95,
) -> list[Difference | None]:
    """Each slice of one player's appearances against the rest; None where there is no rest, or no slice.

    Without a `reference` slices are taken to be alike for everyone, and `dispersion` stands for that of the
    mileposts.
    """
    n_slices = sums.slope.shape[1]
    information = sums.information.sum(axis=0)
    bias, stretch = np.zeros(n_slices), np.ones(n_slices)
    learned = np.full(n_slices, dispersion)
    if reference is not None:
        bias, stretch, learned = reference.bias(elo), reference.stretch, reference.dispersion
    left = sums.slope - sums.information * bias
    total = left.sum(axis=0) * stretch
    variance = independent(sums.information, stretch) * _shrunk_dispersion(sums, left, stretch, learned)
    weighed = np.square(stretch) * information
    compared: list[Difference | None] = []
    for k in range(n_slices):
        rest = float(information.sum() - information[k])
        if information[k] <= 0 or rest <= 0:
            compared.append(None)
            continue
        apart = float(total[k] / information[k] - (total.sum() - total[k]) / rest)
        if reference is not None:  # for want of milepost games
            weights = np.where(np.arange(n_slices) == k, 1.0, -information / rest) * stretch
            variance[k] += float(weights @ reference.bias_covariance(elo) @ weights)
        deviation = float(np.sqrt(variance[k]))
        # The share of the variance that is the slice's, and that of the whole's information in the rest.
        slice_part, rest_part = weighed[k] / information[k] ** 2, (weighed.sum() - weighed[k]) / rest**2
        of_slice = float(slice_part / (slice_part + rest_part))
        share = float(rest / information.sum())
        reach = float(ndtri((1 + level) / 2)) * deviation
        compared.append(
            Difference(
                elo=apart * share,
                low=_end(apart, -reach, of_slice) * share,
                high=_end(apart, reach, of_slice) * share,
                against_rest=apart,
                p=float(2 * ndtr(-abs(apart) / deviation)),
                deviation=deviation * share,
            )
        )
    return compared


def _end(apart: float, reach: float, of_slice: float) -> float:
    """An end of the interval: the difference that lies just so many of its own deviations from `apart`."""
    end = apart + reach
    for _ in range(_ROUNDS):
        weaker = min(max(-end, 0.0), _WEAKEST)
        end = apart + reach * float(np.sqrt(1 + of_slice * np.expm1(GROWTH * weaker)))
    return end


def _shrunk_dispersion(sums: SliceSums, left: Floats, stretch: Floats, learned: Floats) -> Floats:
    """Estimate the dispersion of the player's games, shrunk towards the mileposts' where they are few."""
    information = sums.information.sum(axis=0)
    apart = left - sums.information * left.sum(axis=0) / np.where(information > 0, information, 1.0)
    in_slice: Mask = sums.decisions > 0
    outside: Mask = sums.decisions.sum(axis=1, keepdims=True) > sums.decisions
    games = np.minimum(in_slice.sum(axis=0), outside.sum(axis=0))
    # The means were taken from the player's of_games games.
    of_games = against_rest(apart, sums.information, stretch) * games / np.maximum(games - 1, 1)
    more = np.maximum(games - 1, 0)
    share = np.where(np.isnan(of_games), 0.0, more / (more + OWN_GAMES))
    return np.asarray((1 - share) * learned + share * np.nan_to_num(of_games))
