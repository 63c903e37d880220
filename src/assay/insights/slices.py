"""Slices of ratings: where, when and against what a player is stronger or weaker than on the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from assay.answers.insights import Difference, PlayerSlices, Slice, Slices
from assay.answers.ratings import PlayerRating, Rating, Ratings
from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import EVALUATED
from assay.decisions.grouping import By
from assay.decisions.slices import FIXED, in_words, slicing
from assay.errors import InputError
from assay.insights.differences import differences
from assay.insights.discoveries import RATE, q_values
from assay.models.depth.by_elo import AgentsByElo
from assay.models.depth.model import DepthModel
from assay.models.depth.scores import slopes
from assay.rating.calibration import Calibration
from assay.rating.references import SliceReference, SliceSums, sums_by_slice

LEAST = 20
"""Decisions of a slice that is shown, unless asked otherwise."""

_OF_GAMES = (By.MONTH, By.OPENING)


class Gatherer:
    """Sums of slopes by player, game and slice, from decisions that come in pieces of whole games."""

    def __init__(self, by: By, agents: AgentsByElo, ratings: Mapping[str, float]) -> None:
        self.by, self.agents, self.ratings = by, agents, ratings
        self._sums: dict[str, list[SliceSums]] = {player: [] for player in ratings}
        self._names: list[str] = list(FIXED.get(by, ()))
        self.unknown = dict.fromkeys(ratings, 0)

    def add(self, piece: Decisions, of_games: Mapping[str, str] | None = None) -> None:
        """Decisions of whole games."""
        kept = piece.select(player=list(self.ratings)).filter(*DepthModel().rules())
        if not len(kept):
            return
        own = np.array([self.ratings.get(name, np.nan) for name in kept.names("player")])
        player = kept.codes("player")
        elo: Floats = own[player]
        cut = slicing(kept, self.by, own=elo, of_games=of_games)
        for name in cut.names:
            if name not in self._names:
                self._names.append(name)
        part = np.array([*(self._names.index(name) for name in cut.names), -1], np.int64)[cut.slice]
        found = slopes(kept, self.agents, elo)
        _, game = np.unique(kept.codes("game_id"), return_inverse=True)
        for code in np.unique(player).tolist():
            rows = np.flatnonzero(player == code)
            _, place = np.unique(game[rows], return_inverse=True)
            sums = sums_by_slice(
                found.slope[rows],
                found.information[rows],
                place,
                int(place.max()) + 1,
                part[rows],
                len(self._names),
            )
            name = kept.names("player")[code]
            self._sums[name].append(sums)
            self.unknown[name] += int((part[rows] < 0).sum())

    def of(self, player: str) -> SliceSums | None:
        """The sums of one player: a row for each game, a column for each of `names`."""
        found = self._sums[player]
        if not found:
            return None
        width = len(self._names)

        def whole(part: str) -> Floats:
            arrays = [getattr(one, part) for one in found]
            return np.concatenate([np.pad(one, ((0, 0), (0, width - one.shape[1]))) for one in arrays])

        return SliceSums(whole("slope"), whole("information"), whole("decisions"))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the slices: those of everyone in their order, others as they came."""
        return tuple(self._names)


def check_sliceable(calibration: Calibration) -> None:
    """Refuse a calibration that does not say what players of known Elo show in slices: InputError."""
    if calibration.recipe_id in EVALUATED:
        raise InputError(
            "slices are read from the values of all options at every depth, and these games bring one value "
            "for each position: analyse them (--evaluations engine, recipe standard with Stockfish 15.1)"
        )
    if calibration.bridged_from is not None:
        made = calibration.bridged_from
        raise InputError(
            "a bridge carries no slices, since the few games that it is made from do not show what players "
            f"of known Elo do in them: analyse with {made.get('recipe')} and {made.get('engine')}"
        )
    if calibration.agents is None or not calibration.slices:
        raise InputError(
            "slices are compared with what players of known Elo show in them, which this calibration does "
            "not hold: make it anew with this assay (assay calibrate)"
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
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Slices:
    """Slices of rated players' decisions, which may come in pieces, with their trace."""
    check_sliceable(calibration)
    assert calibration.agents is not None
    rated = [one for one in ratings.players if one.combined is not None]
    gatherer = Gatherer(by, calibration.agents, {one.player: _elo(one) for one in rated})
    for piece in pieces:
        gatherer.add(piece, of_games)
    reference = _comparable(calibration.slices.get(by.value), gatherer, rated)
    dispersion = _dispersion(calibration.slices, by)
    found = []
    for done, one in enumerate(rated, 1):
        sums = gatherer.of(one.player)
        if sums is not None and sums.decisions.sum() > 0:
            found.append(_player(one, sums, gatherer, reference, dispersion, least, level))
        progress(done, len(rated))
    if not found:
        raise InputError(_nothing_known(by))
    return Slices(
        by=by.value,
        players=_told(found, by, rate),
        ratings=ratings,
        rate=rate,
        compared=reference is not None,
        notes=_notes(by, reference, rate, sum(len(one.slices) for one in found)),
    )


def _elo(one: PlayerRating) -> float:
    return float("nan") if one.combined is None else one.combined.elo


def _comparable(
    reference: SliceReference | None, gatherer: Gatherer, rated: Sequence[PlayerRating]
) -> SliceReference | None:
    """What the mileposts show, if it covers every slice that anybody here has decisions in."""
    if reference is None:
        return None
    for one in rated:
        sums = gatherer.of(one.player)
        if sums is not None and (sums.decisions.sum(axis=0) > 0)[~reference.learned].any():
            return None
    return reference


def _dispersion(known: Mapping[str, SliceReference], by: By) -> float:
    """Where mileposts do not show the slices: that of colours, for whole games, or else that of phases."""
    like = By.COLOUR if by in _OF_GAMES else By.PHASE
    return float(known[like.value].dispersion.max()) if like.value in known else 2.0


def _player(
    one: PlayerRating,
    sums: SliceSums,
    gatherer: Gatherer,
    reference: SliceReference | None,
    dispersion: float,
    least: int,
    level: float,
) -> PlayerSlices:
    whole = one.combined
    assert whole is not None  # those without one are not sliced
    decisions, games = sums.decisions.sum(axis=0), (sums.decisions > 0).sum(axis=0)
    apart = differences(sums, whole.elo, reference, dispersion, level)
    order = range(len(decisions)) if gatherer.by in FIXED else np.argsort(gatherer.names)
    slices = [
        Slice(
            name=gatherer.names[k],
            games=int(games[k]),
            decisions=int(decisions[k]),
            difference=apart[k],
            rating=_rating(whole, apart[k], decisions[k], games[k]),
        )
        for k in order
        if decisions[k] >= least
    ]
    return PlayerSlices(
        player=one.player,
        whole=whole,
        reference=one.reference,
        slices=tuple(slices),
        too_few={gatherer.names[k]: int(decisions[k]) for k in order if 0 < decisions[k] < least},
        unknown=gatherer.unknown[one.player],
    )


def _rating(whole: Rating, difference: Difference | None, decisions: float, games: float) -> Rating | None:
    """The whole and the difference, whose variances add.

    The error of the best estimate of a whole is not correlated with differences within it (Hausman 1978).
    """
    if difference is None:
        return None
    reach = float(ndtri((1 + whole.level) / 2))
    deviation = float(np.hypot((whole.high - whole.low) / (2 * reach), difference.deviation))
    elo = whole.elo + difference.elo
    return replace(
        whole,
        elo=elo,
        low=elo - reach * deviation,
        high=elo + reach * deviation,
        decisions=float(decisions),
        games=float(games),
        note="",
    )


def _told(found: Sequence[PlayerSlices], by: By, rate: float) -> tuple[PlayerSlices, ...]:
    """The same with what stands out among all slices shown, and a sentence for each player."""
    p = [np.nan if s.difference is None else s.difference.p for one in found for s in one.slices]
    q = iter(q_values(p).tolist())
    told = []
    for one in found:
        slices = tuple(
            replace(s, q=value, stands_out=bool(value <= rate))
            for s, value in zip(one.slices, q, strict=False)
        )
        told.append(replace(one, slices=slices, sentence=_sentence(slices, by)))
    return tuple(told)


def _sentence(slices: Sequence[Slice], by: By) -> str:
    """What stands out, the surest first: weaker in the endgame, -180 (-330 to -20), 94 decisions."""
    if sum(one.difference is not None for one in slices) < 1:
        return "nothing to compare"
    told = sorted((one for one in slices if one.stands_out), key=lambda one: one.q)
    parts = []
    for one in told:
        difference = one.difference
        if difference is None:
            continue
        word = "weaker" if difference.elo < 0 else "stronger"
        ends = f"{difference.low:+.0f} to {difference.high:+.0f}"
        parts.append(
            f"{word} {in_words(by, one.name)}, {difference.elo:+.0f} ({ends}), {one.decisions:,} decisions"
        )
    return "; ".join(parts) or "nothing stands out"


def _notes(by: By, reference: SliceReference | None, rate: float, shown: int) -> tuple[str, ...]:
    many = f"{shown:,} slices" if shown != 1 else "one slice"
    notes = [
        "Difference: a slice less the player's whole, with its own 95% interval; moves after turn 8, read by "
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


def _nothing_known(by: By) -> str:
    wants = {
        By.MONTH: "none of these games has a date with its month",
        By.OPENING: "none of these games has a tag ECO, or begins as one that has",
        By.CLOCK: "these games have no clocks in their comments",
        By.OPPONENT: "none of the opponents has a rating in the tags",
    }
    why = wants.get(by, "no decision could be read")
    return f"there is nothing to cut by {by}: {why}; choose another --by"
