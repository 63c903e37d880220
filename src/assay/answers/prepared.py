"""What preparing games gives: imports, analyses and their cost, workspaces, recipes, calibrations, agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.answers.answer import Answer, Facts, Row, Words, duration, pick
from assay.decisions.arrays import Floats
from assay.decisions.evaluation import MATE, MATE_BOUND
from assay.decisions.exclusions import MEANINGS

_MOST_NAMES = 10

# Games ---------------------------------------------------------------------------------------------------


@dataclass
class ImportReport(Answer):
    """What an import did."""

    files: int = 0
    read: int = 0
    added: int = 0
    known: int = 0
    fragments: int = 0
    annotations: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    clocks: Counter[str] = field(default_factory=Counter)
    """Clocks that tell nothing, by what is wrong with them: `backwards`, `absurd` (decisions.clocks)."""
    doubts: Counter[str] = field(default_factory=Counter)
    """Games whose evaluations are not what they should be, by what is wrong (assay.pgn)."""
    problems: list[str] = field(default_factory=list)
    """What is wrong with files of which nothing, or only the beginning, was read; the others were."""
    ambiguous: list[str] = field(default_factory=list)
    """Lines for a file of aliases that would settle the names which stay ambiguous, most games first."""

    @property
    def rated(self) -> int:
        """How many of the added games may be rated."""
        return self.added - sum(self.excluded.values())

    def to_dict(self) -> dict[str, Any]:
        counts = {name: dict(getattr(self, name)) for name in ("excluded", "clocks", "doubts")}
        return {**asdict(self), **counts, "rated": self.rated}

    def rows(self) -> list[Row]:
        left_out = [(reason, n, MEANINGS[reason]) for reason, n in self.excluded.most_common()]
        columns = ("reason", "games", "meaning")
        return [dict(zip(columns, row, strict=True)) for row in [("may be rated", self.rated, ""), *left_out]]

    def words(self) -> Iterable[Words]:
        if not self.added:
            known = f": all {self.read:,} games were imported before" if self.read else ""
            yield Words(f"Nothing new{known}.")
            return
        before = f"; {self.known:,} were imported before" if self.known else ""
        notes = []
        if self.annotations:
            notes.append(f"{self.annotations:,} positions have comments with evaluations or clock times.")
        if self.fragments:
            notes.append(f"{self.fragments:,} passages of text are not games and were skipped.")
        notes += _ambiguous(self.ambiguous)
        rows = [tuple(row.values()) for row in self.rows()]
        columns = ("reason", "games", "meaning")
        yield Words(f"{self.added:,} games added{before}", columns, rows, "\n".join(notes))


@dataclass(frozen=True)
class WorkspaceStatus(Answer):
    """What is in a workspace."""

    place: str
    numbers: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.numbers

    def rows(self) -> list[Row]:
        columns = ("what", "number", "note")
        return [dict(zip(columns, (what.strip(), *rest), strict=True)) for what, *rest in self._lines()]

    def words(self) -> Iterable[Words]:
        yield Words(self.place, ("what", "number", ""), self._lines())
        names = self.numbers["names"]
        shown = list(names.items())[:_MOST_NAMES]
        more = len(names) - len(shown)
        notes = [f"{more:,} more players: --json names them."] if more else []
        notes += _ambiguous(self.numbers["ambiguous"])
        yield Words("Players with most games", ("player", "games"), shown, "\n".join(notes))

    def _lines(self) -> list[tuple[str, int, str]]:
        numbers = self.numbers
        rated = numbers["games"] - sum(numbers["excluded"].values())
        rows = [("games", numbers["games"], ""), ("  may be rated", rated, "")]
        rows += [(f"  {reason}", n, "") for reason, n in numbers["excluded"].items()]
        rows += [("players", numbers["players"], "")]
        rows += [("positions with evaluations or clocks in comments", numbers["annotations"], "")]
        for recipe, n in numbers["analyses"].items():
            missing = numbers["missing"][recipe]
            engine = numbers["recipes"][recipe].get("engine", "")
            label = f"analyses: {recipe}" + (f", {engine}" if engine else "")
            done = f"{missing:,} positions missing" if missing else "complete"
            rows.append((label, n, f"{done}, of games that are rated by default"))
        if not numbers["analyses"]:
            rows.append(("analyses", 0, "run assay analyse"))
        return rows


def _ambiguous(lines: Sequence[str]) -> list[str]:
    """A note on names that stay ambiguous, with lines to paste into a file of aliases."""
    if not lines:
        return []
    shown = lines[:_MOST_NAMES]
    more = len(lines) - len(shown)
    return [
        f"{len(lines):,} names may be short for others, which the games do not settle. Where they are, put "
        "such lines into a file and import with --aliases FILE:",
        *(f"  {line}" for line in shown),
        *([f"  ... {more:,} more: assay status --json lists them"] if more else []),
    ]


# Analyses ------------------------------------------------------------------------------------------------


class _OfFacts(Answer):
    """Single numbers, and the same as labelled cells for people."""

    def facts(self) -> Facts:
        """What it answers."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        return self.facts().to_dict()

    def rows(self) -> list[Row]:
        return self.facts().rows()

    def words(self) -> Iterable[Words]:
        return self.facts().words()


@dataclass(frozen=True)
class AnalysisEstimate(_OfFacts):
    """What an analysis will cost here, from a short measurement."""

    positions: int
    n_engines: int
    seconds: float
    disk_bytes: int
    sampled: int
    recipe: str = ""
    recipe_id: str = ""
    engine: str = ""
    wanted: int = 0
    """Positions in the games, analysed or not."""

    def facts(self) -> Facts:
        numbers = {
            **pick(self, "recipe recipe_id engine disk_bytes"),
            "positions": self.wanted,
            "missing": self.positions,
            "jobs": self.n_engines,
            "seconds": round(self.seconds, 1),
        }
        cells = [
            ("recipe", f"{self.recipe} with {self.engine}"),
            ("positions in the games", f"{self.wanted:,}"),
            ("not analysed yet", f"{self.positions:,}"),
            (f"time with {self.n_engines} engine(s) here", duration(self.seconds)),
            ("disk", f"{self.disk_bytes / 1e6:.1f} MB"),
        ]
        return Facts(
            "To be analysed",
            numbers,
            cells,
            f"Processor time and disk from {self.sampled} positions tried now.",
        )


@dataclass
class AnalysisReport(_OfFacts):
    """What a run did; also what the progress display shows while it runs."""

    recipe: str
    recipe_id: str
    engine: str
    wanted: int
    missing: int
    n_engines: int = 0
    done: int = 0
    alone: int = 0
    nodes: int = 0
    seconds: float = 0.0
    busy: float = 0.0
    failures: list[Any] = field(default_factory=list)
    """Positions that were put aside (assay.engine.run.Failure)."""

    @property
    def per_second(self) -> float:
        """Positions per second."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def busy_share(self) -> float:
        """Share of the time that the engines were at work."""
        return min(1.0, self.busy / (self.seconds * self.n_engines)) if self.seconds else 0.0

    @property
    def exit_code(self) -> int:
        return 3 if self.failures else 0

    def facts(self) -> Facts:
        numbers = {
            **pick(self, "recipe recipe_id engine missing alone"),
            "positions": self.wanted,
            "analysed": self.done,
            "seconds": round(self.seconds, 1),
            "busy": round(self.busy_share, 3),
            "put_aside": [failure._asdict() for failure in self.failures],
        }
        cells = [
            ("recipe", f"{self.recipe} with {self.engine}"),
            ("positions in the games", f"{self.wanted:,}"),
            ("analysed now", f"{self.done:,}"),
            ("played moves searched alone", f"{self.alone:,}"),
            ("put aside", f"{len(self.failures):,}"),
        ]
        if self.done:
            speed = f"{self.per_second:.1f} positions a second"
            busy = f"{self.n_engines} engine(s) busy {self.busy_share:.1%}"
            cells.append(("time", f"{duration(self.seconds)}: {speed}, {busy}"))
        return Facts("Analysed", numbers, cells)


@dataclass(frozen=True)
class Recipes(Answer):
    """The named recipes, and which of them have an Elo scale with the engine at hand."""

    described: Sequence[Mapping[str, Any]]
    """Everything that decides an analysis by each."""
    short: Sequence[Mapping[str, Any]]
    """The same in a few columns, with `scale` and `calibration`: None where there is none."""
    engine: str = ""
    """Empty where no engine was found."""

    def to_dict(self) -> list[dict[str, Any]]:
        scales = [{name: row[name] for name in ("scale", "calibration")} for row in self.short]
        return [{**recipe, **scale} for recipe, scale in zip(self.described, scales, strict=True)]

    def rows(self) -> list[Row]:
        return list(self.short)

    def words(self) -> Iterable[Words]:
        columns = ("name", "limit", "lines", "Elo", "meaning", "first turn", "hash MB")
        names = ("name", "limit", "lines", "scale", "meaning", "first_turn", "hash_mb")
        cells = [
            [("yes" if row[name] else "") if name == "scale" else row[name] for name in names]
            for row in self.short
        ]
        making = "order and measures (assay calibrate --like standard makes a scale)."
        if not self.engine:
            scales = "unknown, since no engine was found; a scale is of a recipe with an engine."
        elif any(row["scale"] for row in self.short):
            carried = [r["name"] for r in self.short if (r["calibration"] or "").startswith("carried")]
            those = f" (carried over from another engine: {', '.join(carried)})" if carried else ""
            scales = (
                f"has an Elo scale with {self.engine}{those}; the others are the papers' own or for single "
                f"purposes, and give an {making}"
            )
        else:
            scales = f"none has an Elo scale with {self.engine}; they give an {making}"
        yours = 'Your own: a .toml file with base = "standard" and what differs.'
        yield Words("Recipes", columns, cells, f"Elo: {scales}\n{yours}", spare=2)


# Calibrations --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CalibrationSummary(Answer):
    """A calibration that was made: what one game shows by each method, and the accuracy on held-out games."""

    path: str
    recipe_id: str
    about: Mapping[str, Any]
    one_game: Mapping[str, float | None]
    """Standard deviation in Elo of each method's rating of one game; None where it is beyond any scale."""
    mileposts: Sequence[float] = ()
    form: float = 0.0
    """How far players' form strays from their ratings, in Elo."""
    provisional: Sequence[str] = ()
    """Why the calibration is provisional."""
    caveat: str = ""
    held_out: Sequence[Row] = ()
    """Where it was measured, the accuracy by number of games and method."""

    def to_dict(self) -> dict[str, Any]:
        return {
            **pick(self, "path recipe_id"),
            **self.about,
            "mileposts": [round(elo) for elo in self.mileposts],
            "form": round(self.form, 1),
            "provisional": list(self.provisional),
            "one_game": dict(self.one_game),
            "held_out": list(self.held_out),
        }

    def rows(self) -> list[Row]:
        one_game = [{"method": name, "one_game": deviation} for name, deviation in self.one_game.items()]
        return list(self.held_out) or [*one_game]

    def words(self) -> Iterable[Words]:
        about = self.about
        yield Words(
            f"Calibration of {about.get('recipe')} with {about.get('engine')}: {about.get('games'):,} games, "
            f"{len(self.mileposts)} mileposts from {min(self.mileposts):.0f} to {max(self.mileposts):.0f}",
            ("method", "one game has a standard deviation of"),
            [(name, _deviation(deviation)) for name, deviation in self.one_game.items()],
            f"Written to {self.path}. Players' form has a standard deviation of {self.form:.0f}."
            + (f"\n{self.caveat}" if self.caveat else ""),
        )
        if self.held_out:
            cells = [
                (
                    *(row["games"], "one player" if row["one_player"] else "composite", row["method"]),
                    *(row["groups"], f"{row['mean_error']:.0f}", f"{row['bias']:+z.0f}"),
                    *(f"{row['within_95']:.1%}", f"{row['within_50']:.1%}", f"{row['width']:.0f}"),
                )
                for row in self.held_out
            ]
            columns = ("games", "of", "method", "groups", "mean error", "bias", "in 95%", "in 50%", "width")
            yield Words("Held-out games", columns, cells)


def _deviation(deviation: float | None) -> str:
    return "says nothing" if deviation is None else f"{deviation:.0f}"


# Agents --------------------------------------------------------------------------------------------------

_LEAST_SHOWN = 0.005
"""Listed moves below this at every Elo stand among the others."""


@dataclass(frozen=True)
class Explained(Answer):
    """A position with the probability of each legal move for players of some Elos."""

    fen: str
    engine: str
    recipe: str
    recipe_id: str
    caveat: str
    elos: tuple[int, ...]
    """The one asked for first."""
    depth: int
    legal: tuple[str, ...]
    """Legal moves, likeliest first for the Elo asked for."""
    san: tuple[str, ...]
    values: dict[str, int]
    """Values of the lines, mover's view."""
    share: Floats
    """Probability: shape (legal moves, elos)."""

    @property
    def listed(self) -> list[int]:
        """Places of moves that some depth lists or that have a value; the others are not told apart."""
        return [place for place, move in enumerate(self.legal) if move in self.values]

    @property
    def remarks(self) -> list[str]:
        return [self.caveat] if self.caveat else []

    def to_dict(self) -> dict[str, Any]:
        return {
            **pick(self, "fen engine recipe recipe_id elos depth"),
            "caveat": self.caveat or None,
            "moves": [self._move(place) for place in range(len(self.legal))],
        }

    def _move(self, place: int) -> dict[str, Any]:
        value = self.values.get(self.legal[place])
        mate = value is not None and abs(value) >= MATE_BOUND
        return {
            "move": self.legal[place],
            "san": self.san[place],
            "cp": None if value is None or mate else value,
            "mate": None if value is None or not mate else _mate(value),
            "probability": {
                str(elo): round(float(share), 6)
                for elo, share in zip(self.elos, self.share[place], strict=True)
            },
        }

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        for place in range(len(self.legal)):
            move = self._move(place)
            shares = {f"probability_{elo}": share for elo, share in move.pop("probability").items()}
            rows.append({**move, **shares})
        return rows

    def words(self) -> Iterable[Words]:
        shown = [place for place in self.listed if self.share[place].max() >= _LEAST_SHOWN]
        rows = [
            [self.san[place], self._value(place), *(f"{100 * share:.1f}" for share in self.share[place])]
            for place in shown
        ]
        rest = [place for place in range(len(self.legal)) if place not in shown]
        if rest:
            together = self.share[rest].sum(axis=0)
            others = f"{len(rest)} other move{'s' if len(rest) > 1 else ''}"
            rows.append([others, "", *(f"{100 * share:.1f}" for share in together)])
        note = (
            f"Per cent. Values in pawns for the side to move: {self.engine}, "
            f"{self.recipe}, depth {self.depth}."
        )
        if self.caveat:
            note = f"{note} {self.caveat[0].upper()}{self.caveat[1:]}."
        columns = ("move", "value", *(str(elo) for elo in self.elos))
        yield Words("What players of these Elos would play", columns, rows, note)

    def _value(self, place: int) -> str:
        value = self.values[self.legal[place]]
        return f"mate in {_mate(value)}" if abs(value) >= MATE_BOUND else f"{value / 100:+.2f}"


def _mate(value: int) -> int:
    return MATE - value if value > 0 else -MATE - value
