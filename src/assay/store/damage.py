"""What is said of a part that is damaged or missing: which one, what is lost with it, and how to go on."""

from pathlib import Path
from shlex import quote

from assay.errors import DamagedError

_LOST = {
    "games": ("game", "games", "assay import brings them back from their PGN files"),
    "players": ("name", "names", "the names are settled anew"),
    "reference_ratings": ("published rating", "published ratings", "the next assay import finds them again"),
    "annotations": (
        "position with a comment",
        "positions with comments",
        "their games, imported into a new workspace, bring them back",
    ),
    "analyses": ("analysed position", "analysed positions", "assay analyse analyses them again"),
    "alone": ("move searched alone", "moves searched alone", "assay analyse searches them again"),
    "ratings": ("rating", "ratings", "assay rate makes them again"),
}
"""What the rows of each table are, and how they are had again."""


def rows_of(table: str, rows: int) -> str:
    """So many games, positions or whatever a table holds."""
    one, many, _ = _LOST.get(table, ("row", "rows", ""))
    return f"{rows:,} {one if rows == 1 else many}"


def how_to_have_again(table: str) -> str:
    """How what is lost from a table is had again, once the part is out of the way."""
    return _LOST.get(table, ("", "", "make its rows anew"))[2]


def damaged(part: Path, why: str, rows: int | None) -> DamagedError:
    """A part cannot be read as it was written."""
    lost = _lost(part.parent.name, rows)
    return DamagedError(
        f"{part} is damaged ({why}), and {lost} in it cannot be read: put back a copy of it, or run "
        f"{_repair(part)}, which sets it aside; then {how_to_have_again(part.parent.name)}"
    )


def missing(part: Path, rows: int) -> DamagedError:
    """A part that should be there is not."""
    lost = _lost(part.parent.name, rows)
    return DamagedError(
        f"{part} is missing, and {lost} in it with it: put back a copy of it, or run {_repair(part)} to go "
        f"on without it; then {how_to_have_again(part.parent.name)}"
    )


def _lost(table: str, rows: int | None) -> str:
    if rows is None:
        return f"the {_LOST.get(table, ('', 'rows', ''))[1]}"
    return f"the {rows_of(table, rows)}"


def _repair(part: Path) -> str:
    return f"assay doctor {quote(str(part.parent.parent))} --repair"
