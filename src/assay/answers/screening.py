"""What a screening answers: everyone by how unusual the play is for the rating, most unusual first."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.answers.answer import Answer, Row, Words, counted, number, pick

LEAST_TURNS = 20
"""Fewer turns than this are not screened unless asked for."""

LEVEL = 0.05
"""In so many events of honest players at most somebody is named."""

ABOVE, BELOW = SIDES = ("above", "below")

TOGETHER = "all"
"""The statistics that decide as one: what p and q are made from."""

DECIDING: Mapping[str, float] = {"hard": 0.5, "error": 0.25, "critical": 0.25}
"""Which statistics of games with the engine's lines decide, and how much of the error is given to each."""

_SHOWN = 10
"""Rows of people's tables; programs get everyone."""

EXPLANATIONS = (
    "This is not a verdict on anybody. A rating that lags behind, a good week, preparation or chance can "
    "explain it."
)

_SEEN = (
    "first: % of moves that are the engine's first; sound: % that lose at most 0.05 pawns; lost: scaled "
    "error in hundredths of a pawn; in brackets what is expected of a simulated player of that rating."
)

NEXT = (
    "Next: more games of the same player, then a second engine (--full), then a person who knows the games."
)


def interval_of(rate: Mapping[str, Any], side: str) -> tuple[float, float]:
    """95% interval of an error rate by Clopper and Pearson (1934), as if groups were independent."""
    return share_interval(rate[side] * rate["groups"], rate["groups"])


def share_interval(count: float, n: float) -> tuple[float, float]:
    """95% interval of a share of n by Clopper and Pearson (1934)."""
    from scipy.special import betaincinv

    low = 0.0 if count <= 0 else float(betaincinv(count, n - count + 1, 0.025))
    high = 1.0 if count >= n else float(betaincinv(count + 1, n - count, 0.975))
    return low, high


@dataclass(frozen=True, kw_only=True)
class ScreenedGame:
    """One game of somebody who is named, or of whom a dossier is made."""

    game: str
    about: str
    turns: int
    z: float
    """The statistics that decide as one, in this game alone."""

    def to_dict(self) -> dict[str, Any]:
        return {**pick(self, "game about"), "decisions": self.turns, "z": number(self.z, 3)}


@dataclass(frozen=True, kw_only=True)
class ScreenedTurn:
    """One decision that weighs much."""

    game: str
    move: int
    """Its number."""
    position: str
    played: str
    best: str
    """The engine's first move."""
    loss: float
    """Centipawns."""
    share: float
    """Of players of that rating who find a sound move there."""

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "share": number(self.share, 3)}


@dataclass(frozen=True, kw_only=True)
class Screened:
    """One player, or one player at one event or in one game."""

    player: str
    group: str
    about: str
    games: int
    decisions: int
    """Turns that were screened."""
    reference: float
    """Mean published rating in these games."""
    rating_error: float
    """How far the strength may be from it, as a standard deviation."""
    z: Mapping[str, float]
    """By statistic; `all` is those that decide as one."""
    observed: Mapping[str, float]
    expected: Mapping[str, float]
    """Means over turns, of shares and of pawns lost."""
    p: float
    """Probability that an honest player of this rating departs so far, either way; never below `least_p`."""
    q: float
    """The same for anybody of a field of this size; never below `least_p`."""
    flag: str | None
    each_game: tuple[ScreenedGame, ...] = ()
    turns: tuple[ScreenedTurn, ...] = ()
    """The decisions that weigh most."""
    least_p: float = 0.0
    """The smallest p that the honest games which were measured can show."""
    honest: int = 0
    """How many honest groups of as many games were measured."""
    stands_out: bool = False
    """Whether a second stage tests this player again."""

    @property
    def title(self) -> str:
        """The player, and the group where there is one."""
        return ", ".join(part for part in (self.player, self.about or self.group) if part)

    @property
    def one_in(self) -> str:
        """How rare such play is among honest players: 1 in 20."""
        if not math.isfinite(self.p):
            return "-"
        rarity = f"1 in {1 / max(self.p, self.least_p, 1e-6):,.0f}"
        return f"fewer than {rarity}" if self.p <= self.least_p else rarity

    def shown(self, probability: float) -> str:
        """Write p or q: `<0.001` where it is as small as can be shown."""
        if not math.isfinite(probability):
            return "-"
        small = f"{probability:.2f}" if probability >= 0.1 else f"{probability:.1g}"
        return f"<{self.least_p:g}" if probability <= self.least_p else small

    def to_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "part": self.group,
            **pick(self, "about games decisions"),
            "reference": number(self.reference, 1),
            "rating_error": number(self.rating_error, 1),
            "z": {name: number(value, 3) for name, value in self.z.items()},
            **pick(self, "observed expected"),
            **{name: _small(getattr(self, name)) for name in ("p", "q")},
            "least_p": self.least_p,
            "honest_groups": self.honest,
            **pick(self, "flag each_game turns"),
        }

    def cells(self) -> list[object]:
        """The row of a table for people."""
        return [
            *(self.title, self.games, self.decisions, f"{self.reference:.0f}", z_text(self.z[TOGETHER])),
            *(self.one_in, self.flag or ""),
        ]

    def seen(self) -> dict[str, str]:
        """Observed and, in brackets, expected: shares in percent, losses in hundredths of a pawn."""
        return {
            name: f"{100 * self.observed[name]:.{digits}f} ({100 * self.expected[name]:.{digits}f})"
            for name, digits in (("first", 0), ("sound", 0), ("error", 1))
            if name in self.observed
        }

    def statistics(self) -> list[object]:
        """Observed and expected shares, and z by statistic."""
        pairs = ((text, z_text(self.z[name])) for name, text in self.seen().items())
        cells = [cell for pair in pairs for cell in pair]
        return [self.title, *cells, *(z_text(self.z[name]) for name in ("hard", "critical"))]


@dataclass(frozen=True, kw_only=True)
class Screening(Answer):
    """All players of some games that could be screened, most unusual first."""

    engine: str
    recipe: str
    recipe_id: str
    by: str
    players: tuple[Screened, ...]
    field: int
    """How many were screened, and so how many tests there are; `players` may be some of them."""
    naming: int = 0
    """Nobody is named by fewer games."""
    left_out: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Why somebody could not be screened, by title."""
    rates: tuple[Mapping[str, Any], ...] = ()
    """How often honest players were beyond thresholds; empty where it was not measured with this recipe."""
    opens: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """In how many opens of honest players somebody was named."""
    power: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Which share would be named in this field, with so many `games`, of those who take `half` of their moves
    from an `engine`, or `all`; empty where that was not measured."""
    norms: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The games that the norms rest on."""
    notes: tuple[str, ...] = ()
    unnamed: str = ""
    """Why nobody is named, whatever the numbers: a shifted scale, norms that were not measured."""
    full: Screening | None = None
    """Those who stand out, tested again with more search."""

    @property
    def named(self) -> tuple[Screened, ...]:
        """Whose play is unusual for the rating."""
        return tuple(player for player in self.players if player.flag is not None)

    def __len__(self) -> int:
        return len(self.players)

    @property
    def remarks(self) -> Sequence[str]:
        return self.notes

    def to_dict(self) -> dict[str, Any]:
        return {
            **pick(self, "engine recipe recipe_id by players left_out verdict full naming opens power"),
            "notes": [*filter(None, (self.unnamed,)), *self.notes],
            "screened": self.field,
            "error_rates": [
                {
                    **rate,
                    **{
                        f"{side}_interval": [number(end, 6) for end in interval_of(rate, side)]
                        for side in SIDES
                    },
                }
                for rate in self.rates
            ],
        }

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        for player in self.players:
            cells = player.to_dict()
            del cells["each_game"], cells["turns"]
            by_statistic = {kind: cells.pop(kind) for kind in ("z", "observed", "expected")}
            flat = {
                f"{kind}_{name}": x for kind, numbers in by_statistic.items() for name, x in numbers.items()
            }
            rows.append({**cells, **flat})
        return rows

    @property
    def verdict(self) -> str:
        """How many were screened, whether anyone is unusual, how often honest players are, what is next."""
        if not self.players:
            return "Nobody could be screened."
        who = f"{counted(self.field, 'player')} screened"
        if self.named:
            names = "; ".join(
                f"{player.title} ({player.flag} the rating; {player.one_in} honest players)"
                for player in self.named
            )
            sentences = [f"{who}. Unusual play: {names}.", EXPLANATIONS, self.open_rate, NEXT]
            return " ".join(filter(None, sentences))
        if self.unnamed:
            return f"{who}. {self.unnamed[0].upper()}{self.unnamed[1:]}"
        if max(player.games for player in self.players) < self.naming:
            return f"{who}, nobody with {self.naming} games: by fewer nobody is named. Next: more games."
        most = max(self.players, key=lambda player: (player.games >= self.naming, player.honest))
        if (enough := int(LEVEL * (most.honest + 1))) < self.field:
            return (
                f"{who}: too many at once to name anybody. The play of {most.honest:,} honest players with "
                f"{counted(most.games, 'game')} was measured, enough for fields of {enough}. The table "
                "shows who deviates most."
            )
        beyond = sum(LEVEL * (player.honest + 1) < self.field for player in self.players)
        unable = (
            f"{counted(beyond, 'player')} could not be named: too few honest players with as many games were "
            "measured."
        )
        sentences = [
            f"{who}. Nobody's play is unusual for the rating.",
            unable if beyond else "",
            self.found_in_words,
            self.open_rate,
        ]
        return " ".join(filter(None, sentences))

    @property
    def found_in_words(self) -> str:
        """How often somebody would be named here who takes moves of another engine."""
        if not self.power:
            return ""
        return (
            f"With half of the moves from {self.power['engine']}, {100 * self.power['half']:.0f}% of players "
            f"with {counted(self.power['games'], 'game')} would be named here; with all, "
            f"{100 * self.power['all']:.0f}%."
        )

    @property
    def open_rate(self) -> str:
        """In how many opens of honest players somebody is named, as measured."""
        if not self.opens.get("by_games") or not self.players:
            return ""
        middle = statistics.median_low(player.games for player in self.players)
        near = [counted for counted in self.opens["by_games"] if counted["games"] <= middle]
        counted = max(near or self.opens["by_games"][:1], key=lambda each: each["games"])
        return (
            f"Of {counted['opens']:,} simulated opens of {counted['players']:,} honest players "
            f"({counted['games']} games each) somebody was named in {counted['named']:,}."
        )

    def words(self) -> Iterable[Words]:
        yield self._words()
        if self.full is not None:
            yield replace(self.full._words(), title=f"Tested again: {self.full.verdict}")
        for player in (self.full or self).named:
            yield Words(
                f"The games of {player.title}",
                ["game", "moves", "z"],
                [[game.about or game.game, game.turns, z_text(game.z)] for game in player.each_game],
                "The decisions that weigh most, and how to repeat this: --dossier PLAYER FILE",
            )

    def _words(self) -> Words:
        more = len(self.players) - _SHOWN
        notes = [f"{more:,} more players: see --csv or --json."] if more > 0 else []
        if self.left_out:
            notes.append(f"{len(self.left_out):,} not screened: --details names them.")
        columns = ["player", "games", "moves", "publ.", "z", "honest players", "unusual"]
        rows = [player.cells() for player in self.players[:_SHOWN]]
        if self.unnamed:
            fitting = columns.index("honest players" if self.rates else "z")
            columns, rows = columns[:fitting], [row[:fitting] for row in rows]
        if not self.rates and any(player.observed for player in self.players):
            columns += ["first", "sound", "lost"]
            rows = [[*row, *player.seen().values()] for row, player in zip(rows, self.players, strict=False)]
            notes.append(_SEEN)
        return Words(
            self.verdict,
            columns,
            rows,
            "\n".join([*notes, "More: --details  --report FILE  --dossier PLAYER FILE"]),
            grey=f"{self.recipe} with {self.engine}",
        )

    def details(self) -> Iterable[Words]:
        """Every statistic, p and q, how often the test errs, who was not screened, and how to read it."""
        shown = self.players[:_SHOWN]
        yield Words(
            "As numbers",
            ["player", "z", "p", "q"],
            [
                [
                    *(player.title, z_text(player.z[TOGETHER])),
                    *(player.shown(player.p), player.shown(player.q)),
                ]
                for player in shown
            ],
            self._note(),
        )
        if any(player.observed for player in shown):
            yield Words(
                "Observed and, in brackets, expected at that rating in these positions; z",
                ["player", "first", "z", "sound", "z", "lost", "z", "hard", "crit."],
                [player.statistics() for player in shown],
                f"{_SEEN} hard: sound moves, the more the fewer players find one; crit.: first moves, the "
                "critical ones counting more. z is more for better play. hard, lost and crit. decide.",
            )

    def _note(self) -> str:
        lines = [
            "z: the statistics that decide as one, in standard deviations of honest players, above the "
            "rating if positive; p: probability that an honest player of this rating deviates as far, by "
            "its rank among honest players with as many games; q: the same for anybody of "
            f"{self.field:,} (Holm). Unusual: q of 5% or less in {counted(self.naming, 'game')} or more.",
        ]
        if self.players and (least_p := min(player.least_p for player in self.players)):
            lines.append(
                f"p and q below 1 in {1 / least_p:,.0f} are not shown: too few honest games were measured."
            )
        lines += filter(None, (self.open_rate,))
        if self.left_out:
            shown = [f"{title} ({why})" for title, why in list(self.left_out.items())[:5]]
            more = f" and {len(self.left_out) - 5:,} more" if len(self.left_out) > 5 else ""
            lines.append(f"Not screened: {'; '.join(shown)}{more}.")
        return "\n".join([*lines, *self.notes])


def _small(value: float) -> float | None:
    """Three digits of a number that may be very small."""
    return float(f"{value:.3g}") if math.isfinite(value) else None


def z_text(value: float) -> str:
    """Write a z; a dash where there is none."""
    return f"{value:+z.1f}" if math.isfinite(value) else "-"
