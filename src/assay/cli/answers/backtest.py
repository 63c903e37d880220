"""What `assay backtest` answers: errors of forecasters, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.cli.answers.base import Row, Table

if TYPE_CHECKING:
    from assay.rating.backtest import Backtest

_SHOWN = ("log_loss", "brier", "rmse", "month_rmse", "binomial_deviance")


@dataclass(frozen=True)
class BacktestAnswer:
    """Errors by forecaster and split, and paired differences."""

    found: Backtest
    every: bool
    """Whether splits, slices and calibration are shown too."""
    exit_code: int = 0

    @property
    def remarks(self) -> list[str]:
        """What must be said under the table."""
        unable = self.found.unable.items()
        return [*self.found.notes, *(f"{name} is left out: {reason}" for name, reason in unable)]

    def document(self) -> dict[str, Any]:
        """The whole answer as JSON has it."""
        return asdict(self.found)

    def rows(self) -> Sequence[Row]:
        """One row per model and split."""
        return self.found.rows

    def tables(self) -> Iterable[Table]:
        """Errors, differences, and with `every` the slices and the calibration."""
        found = self.found
        stamp = found.stamp
        versions = ", ".join(f"{name} {number}" for name, number in stamp["versions"].items())
        made = f"Games {stamp['digest']}, seed {stamp['seed']}, {versions}."
        rows = found.rows if self.every else [row for row in found.rows if row["split"] == "all"]
        notes = "\n".join([*self.remarks, made])
        title = "Errors, averaged over the splits; less is better"
        yield _metrics(title, ("forecaster", "split", "games"), rows, notes)
        if found.differences:
            cells = [
                (d.first, d.second, d.metric, f"{d.difference:+z.5f}", f"{d.low:+z.5f}", f"{d.high:+z.5f}")
                for d in found.differences
            ]
            columns = ("model", "against", "metric", "difference", "low", "high")
            note = "Below zero: the model is better. 95% intervals by resampling players."
            yield Table("Paired differences", columns, cells, note)
        if self.every:
            yield _metrics("By slices", ("slice", "value", "forecaster", "games"), found.slices)
            bins = [
                (name, f"{b.low:.1f}", f"{b.high:.1f}", b.games, f"{b.forecast:.3f}", f"{b.result:.3f}")
                for name, several in found.calibration.items()
                for b in several
            ]
            yield Table("Calibration", ("forecaster", "from", "to", "games", "expected", "happened"), bins)


def _metrics(title: str, first: tuple[str, ...], rows: Sequence[dict[str, Any]], note: str = "") -> Table:
    metrics = [metric for metric in _SHOWN if metric in rows[0]]
    cells = [[*(row[name] for name in first), *(f"{row[metric]:.5f}" for metric in metrics)] for row in rows]
    return Table(title, (*first, *metrics), cells, note)
