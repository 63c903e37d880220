"""What the commands on players and years share: options, careers, and how numbers are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from assay.domain.decisions import Decisions
    from assay.models.careers import Careers

METHOD = typer.Option("markov", "--method", "-m", help="Method, by its short name.")
FORGETTING = typer.Option(2.0, "--forgetting", help="How much less each year before counts: 2 is half.")
MIN_MOVES = typer.Option(500.0, "--min-moves", help="Moves that make a year active.")
RESAMPLES = typer.Option(
    200, "--resamples", min=0, max=100_000, help="How often games are drawn anew for an interval; 0: none."
)


def careers_of(decisions: Decisions, method: str, forgetting: float, min_moves: float) -> Careers:
    """Profiles of every player and year by a method of this name."""
    from assay.models.base import recipe_of
    from assay.models.calibration_files import calibrated
    from assay.models.careers import Careers
    from assay.models.registry import make_model

    model = calibrated(make_model(method), recipe_of(decisions))
    return Careers(model, decisions, forgetting=forgetting, min_moves=min_moves)


def careers_by_name(
    decisions: Decisions, names: list[str] | None, forgetting: float, min_moves: float
) -> tuple[list[Careers], list[str]]:
    """Careers by these methods; without names by every one that can, and why the others cannot."""
    from assay.models.base import recipe_of
    from assay.models.calibration_files import calibrated
    from assay.models.careers import careers_of_all
    from assay.models.registry import make_model, methods

    if names:
        return [careers_of(decisions, name, forgetting, min_moves) for name in names], []
    recipe_id = recipe_of(decisions)
    models = [calibrated(make_model(name), recipe_id) for name in methods()]
    return careers_of_all(models, decisions, forgetting=forgetting, min_moves=min_moves)


def parse_years(text: str | None) -> list[int] | None:
    """Years from text: 1971, or 1960-1972, or 1960,1971."""
    from assay.errors import InputError

    if text is None:
        return None
    years: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        if not low.isdigit() or (dash and not high.isdigit()):
            raise InputError(f"'{text}' are not years: write 1971, or 1960-1972, or 1960,1971")
        years += range(int(low), int(high if dash else low) + 1)
    return years


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN: what is not known is null."""
    return {key: None if isinstance(value, float) and value != value else value for key, value in row.items()}


def percent(share: float, digits: int = 0) -> str:
    """A share in percent; nothing where it is not known."""
    return "" if share != share else f"{100 * share:.{digits}f}"


def number(value: float) -> str:
    """A number to two places."""
    return "" if value != value else f"{value:z.2f}"


def span(low: float, high: float) -> str:
    """The ends of an interval in percent."""
    return "" if low != low else f"{100 * low:.0f} to {100 * high:.0f}"


def cell(one: Any) -> str:
    """A forecast with its interval."""
    if one is None:
        return ""
    ends = span(one.low, one.high)
    return percent(one.expectation) + (f" ({ends})" if ends else "")


def with_interval(row: dict[str, Any], name: str) -> str:
    """A quantity of a row with its interval."""
    value, low, high = (row.get(key, float("nan")) for key in (name, f"{name}_low", f"{name}_high"))
    return number3(value) + ("" if low != low else f" ({number3(low)} to {number3(high)})")


def number3(value: float) -> str:
    """A number to three digits."""
    return "" if value != value else f"{value:.3g}"
