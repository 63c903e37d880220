"""What the commands of the panel Prepare answer: imports, analyses, recipes, the state of a workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Made, Row, Table, facts
from assay.cli.answers.numbers import duration

if TYPE_CHECKING:
    from assay.engine.queue import Backlog
    from assay.engine.recipe import Recipe
    from assay.engine.run import AnalysisReport, Estimate
    from assay.pgn.importer import ImportReport

_MAX_FAILURES_SHOWN = 10
_MAX_NAMES_SHOWN = 10


@dataclass(frozen=True)
class ImportAnswer:
    """What an import did."""

    report: ImportReport
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        return self.report.as_dict()

    def rows(self) -> list[Row]:
        """How many games may be rated, and how many not for each reason."""
        from assay.decisions.exclusions import MEANINGS

        left_out = [(reason, n, MEANINGS[reason]) for reason, n in self.report.excluded.most_common()]
        columns = ("reason", "games", "meaning")
        whole = [("may be rated", self.report.rated, ""), *left_out]
        return [dict(zip(columns, row, strict=True)) for row in whole]

    def tables(self) -> Iterable[Table]:
        """The same, with what was known already and what was passed over."""
        report = self.report
        if not report.added:
            yield Table(f"Nothing new: all {report.read:,} games were imported before.", (), ())
            return
        known = f"; {report.known:,} were imported before" if report.known else ""
        notes = []
        if report.annotations:
            notes.append(f"{report.annotations:,} positions have comments with evaluations or clock times.")
        if report.fragments:
            notes.append(f"{report.fragments:,} passages of text are not games and were skipped.")
        notes += _ambiguous(report.ambiguous)
        rows = [tuple(row.values()) for row in self.rows()]
        columns = ("reason", "games", "meaning")
        yield Table(f"{report.added:,} games added{known}", columns, rows, "\n".join(notes))


@dataclass(frozen=True)
class StatusAnswer:
    """What is in a workspace."""

    place: str
    found: dict[str, Any]
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        return self.found

    def rows(self) -> list[Row]:
        """One row for each number."""
        columns = ("what", "number", "note")
        return [dict(zip(columns, (what.strip(), *rest), strict=True)) for what, *rest in self._lines()]

    def tables(self) -> Iterable[Table]:
        """What there is, then who played most."""
        yield Table(self.place, ("what", "number", ""), self._lines())
        names = self.found["names"]
        some = list(names.items())[:_MAX_NAMES_SHOWN]
        more = len(names) - len(some)
        notes = [f"{more:,} more players: --json names them."] if more else []
        notes += _ambiguous(self.found["ambiguous"])
        yield Table("Players with most games", ("player", "games"), some, "\n".join(notes))

    def _lines(self) -> list[tuple[str, int, str]]:
        found = self.found
        rated = found["games"] - sum(found["excluded"].values())
        rows = [("games", found["games"], ""), ("  may be rated", rated, "")]
        rows += [(f"  {reason}", n, "") for reason, n in found["excluded"].items()]
        rows += [("players", found["players"], "")]
        rows += [("positions with evaluations or clocks in comments", found["annotations"], "")]
        for recipe, n in found["analyses"].items():
            missing = found["missing"][recipe]
            engine = found["recipes"][recipe].get("engine", "")
            label = f"analyses: {recipe}" + (f", {engine}" if engine else "")
            said = f"{missing:,} positions missing" if missing else "complete"
            rows.append((label, n, f"{said}, of games that are rated by default"))
        if not found["analyses"]:
            rows.append(("analyses", 0, "run assay analyse"))
        return rows


def _ambiguous(lines: Sequence[str]) -> list[str]:
    """What is to be said of names that stay ambiguous, with lines to paste into a file of aliases."""
    if not lines:
        return []
    shown = lines[:_MAX_NAMES_SHOWN]
    more = len(lines) - len(shown)
    return [
        f"{len(lines):,} names may be short for others, which the games do not settle. Where they are, put "
        "such lines into a file and import with --aliases FILE:",
        *(f"  {line}" for line in shown),
        *([f"  ... {more:,} more: assay status --json lists them"] if more else []),
    ]


def estimate_answer(backlog: Backlog, found: Estimate) -> Made:
    """What an analysis would cost."""
    numbers = {
        "recipe": backlog.recipe.name,
        "recipe_id": backlog.recipe_id,
        "engine": backlog.identity.name,
        "positions": backlog.wanted,
        "missing": found.positions,
        "jobs": found.n_engines,
        "seconds": round(found.seconds, 1),
        "disk_bytes": found.disk_bytes,
    }
    cells = [
        ("recipe", f"{backlog.recipe.name} with {backlog.identity.name}"),
        ("positions in the games", f"{backlog.wanted:,}"),
        ("not analysed yet", f"{found.positions:,}"),
        (f"time with {found.n_engines} engine(s) here", duration(found.seconds)),
        ("disk", f"{found.disk_bytes / 1e6:.1f} MB"),
    ]
    note = f"Time and disk from {found.sampled} positions tried now."
    return facts("To be analysed", numbers, cells, note)


def analysis_answer(report: AnalysisReport) -> Made:
    """What an analysis did; exit code 3 where positions were put aside, which is said in any case."""
    from assay.cli.output import say

    for failure in report.failures[:_MAX_FAILURES_SHOWN]:
        say(f"put aside: {failure.position_key}: {failure.reason}")
    numbers = {
        "recipe": report.recipe,
        "recipe_id": report.recipe_id,
        "engine": report.engine,
        "positions": report.wanted,
        "missing": report.missing,
        "analysed": report.done,
        "alone": report.alone,
        "seconds": round(report.seconds, 1),
        "busy": round(report.busy_share, 3),
        "put_aside": [failure._asdict() for failure in report.failures],
    }
    cells = [
        ("recipe", f"{report.recipe} with {report.engine}"),
        ("positions in the games", f"{report.wanted:,}"),
        ("analysed now", f"{report.done:,}"),
        ("played moves searched alone", f"{report.alone:,}"),
        ("put aside", f"{len(report.failures):,}"),
    ]
    if report.done:
        speed = f"{report.per_second:.1f} positions a second"
        busy = f"{report.n_engines} engine(s) busy {report.busy_share:.1%}"
        cells.append(("time", f"{duration(report.seconds)}: {speed}, {busy}"))
    return replace(facts("Analysed", numbers, cells), exit_code=3 if report.failures else 0)


@dataclass(frozen=True)
class RecipesAnswer:
    """The named recipes, and which of them have an Elo scale with the engine that was found."""

    found: Sequence[Recipe]
    scales: Mapping[str, str | None] = field(default_factory=dict)
    """By recipe, the scale; None where there is none. Empty where no engine was found."""
    engine: str = ""
    kinds: Mapping[str, str | None] = field(default_factory=dict)
    """By recipe, how its calibration was made: native or a bridge, and from how many games."""
    remarks: Sequence[str] = ()
    exit_code: int = 0

    def _scale(self, name: str) -> dict[str, str | None]:
        return {"scale": self.scales.get(name), "calibration": self.kinds.get(name)}

    def document(self) -> list[dict[str, Any]]:
        """Everything that decides an analysis by each."""
        return [{**recipe.describe(), **self._scale(recipe.name)} for recipe in self.found]

    def rows(self) -> list[Row]:
        """The same in short."""
        columns = ("name", "limit", "lines", "hash_mb", "first_turn", "meaning")
        return [
            {**{one: getattr(recipe, one) for one in columns}, **self._scale(recipe.name)}
            for recipe in self.found
        ]

    def tables(self) -> Iterable[Table]:
        """The same in short."""
        columns = ("name", "limit", "lines", "Elo", "meaning", "first turn", "hash MB")
        cells = [
            (
                r.name,
                r.limit,
                r.lines,
                "yes" if self.scales.get(r.name) else "",
                r.meaning,
                r.first_turn,
                r.hash_mb,
            )
            for r in self.found
        ]
        with_engine = "Elo: unknown, since no engine was found; a scale is of a recipe with an engine."
        making = "order and measures (assay calibrate makes a scale, with --like from another)."
        if self.engine and any(self.scales.values()):
            with_engine = (
                f"Elo: has an Elo scale with {self.engine}{self._bridges()}; the others give an {making}"
            )
        elif self.engine:
            with_engine = f"Elo: none has an Elo scale with {self.engine}; they give an {making}"
        own = 'Your own: a .toml file with base = "standard" and what differs (docs/analysis.md).'
        note = f"{with_engine}\n{own}"
        yield Table("Recipes", columns, cells, note, spare=2)

    def _bridges(self) -> str:
        """Which of the scales were carried over by a bridge."""
        carried = [name for name, kind in self.kinds.items() if kind and kind.startswith("bridge")]
        return f" (by a bridge: {', '.join(carried)})" if carried else ""
