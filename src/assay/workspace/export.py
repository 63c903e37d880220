"""What is in a workspace, written for other programs."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.measures import loss
from assay.decisions.schema import DECISIONS
from assay.engine.annotate import annotated_pgn
from assay.errors import InputError
from assay.store.comments import CLOCK_COLUMNS, with_clocks
from assay.store.export import export_table, export_texts
from assay.workspace.analyses import find_recipe_id, of_recipe
from assay.workspace.decisions import decisions_of
from assay.workspace.folder import Folder
from assay.workspace.games import game_dates
from assay.workspace.players import games_with_players

_LIMIT = 1000
"""Losses are between values of at most ten pawns, mates included."""

More = Callable[[Decisions], Mapping[str, Floats]]
"""What makes columns beside decisions that are read with their trace."""


def export(
    folder: Folder,
    table: str,
    format_: str,
    out: Path | None,
    *,
    recipe: str | None,
    more: More | None = None,
) -> int:
    """Write games, decisions or ratings as Parquet, CSV or JSON lines; return the number of rows.

    `more` makes columns beside decisions, of which the date and the loss come in any case.
    """
    folder.require()
    if table == "games":
        rows = games_with_players(folder)
    elif table == "decisions":
        if recipe in (ANNOTATED, *EVALUATED) and not folder.annotations.count():
            raise InputError(f"the games of {folder.path} have no evaluations in their comments")
        chosen = recipe or find_recipe_id(folder)
        decisions = decisions_of(folder, chosen, players=None, trace=more is not None)
        rows = with_columns(decisions, game_dates(folder), more)
    elif table == "ratings":
        rows = folder.ratings.read()
        if not rows.num_rows:
            raise InputError(f"nothing in {folder.path} has been rated yet: run assay rate")
    else:
        raise InputError(f"there is no table '{table}' to export: choose games, decisions or ratings")
    return export_table(rows, format_, out)


def with_columns(decisions: Decisions, dates: Mapping[str, str], more: More | None) -> pa.Table:
    """Decisions with the date of their game, their loss and what else is made; without their trace."""
    table = decisions.to_table().select(DECISIONS.arrow.names)
    table = table.append_column(
        "date", pa.array([dates.get(game) for game in table["game_id"].to_pylist()], pa.string())
    )
    columns = {"loss": loss(decisions, _LIMIT), **({} if more is None else more(decisions))}
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values, pa.float64(), from_pandas=True))
    return table


def export_pgn(folder: Folder, out: Path | None, *, recipe: str | None, form: str) -> int:
    """Write the analysed games as PGN with their evaluations, `lichess` or `alliot`; return how many.

    What the games' comments said of clocks stands in them again.
    """
    chosen = find_recipe_id(folder, recipe)
    analyses = of_recipe(folder.analyses.read(), chosen)
    alone = of_recipe(folder.alone.read(), chosen)
    clocks = with_clocks(folder.annotations.read(CLOCK_COLUMNS))
    return export_texts(annotated_pgn(games_with_players(folder), analyses, alone, form, clocks), out)
