"""What is in a workspace, and what is missing."""

from collections import Counter
from typing import Any

from assay.engine.backlog import rows_of
from assay.engine.lines import GameLines
from assay.engine.wanted import Wanted
from assay.store.tables import query
from assay.workspace.analyses import recipe_names, recipes
from assay.workspace.folder import Folder
from assay.workspace.games import iter_games_to_analyse, reasons
from assay.workspace.players import ambiguous_names, games_by_player


def status(folder: Folder) -> dict[str, Any]:
    """How many games, players and analyses there are, what is left out and what is missing."""
    found = reasons(folder)
    players = query("SELECT count(DISTINCT player) AS n FROM players", {"players": folder.players})
    counts = query(
        "SELECT recipe_id, count(*) AS n FROM analyses GROUP BY recipe_id ORDER BY n DESC",
        {"analyses": folder.analyses},
    )
    analyses = {row["recipe_id"]: row["n"] for row in counts.to_pylist()}
    labels = _labels(folder, list(analyses))
    return {
        "games": sum(found.values()),
        "excluded": {reason: n for reason, n in found.items() if reason is not None},
        "players": players["n"][0].as_py(),
        "names": games_by_player(folder),
        "ambiguous": [one.alias for one in ambiguous_names(folder)],
        "annotations": folder.annotations.count(),
        "analyses": {labels[one]: n for one, n in analyses.items()},
        "missing": {labels[one]: n for one, n in _missing(folder, list(analyses)).items()},
        "recipes": {label: {"recipe_id": one, **_engine_name(folder, one)} for one, label in labels.items()},
    }


def _labels(folder: Folder, recipe_ids: list[str]) -> dict[str, str]:
    """The name of each recipe; where two engines ran one recipe, its id besides."""
    names = recipe_names(folder, recipe_ids)
    shared = {name for name, n in Counter(names.values()).items() if n > 1}
    return {one: f"{name} ({one})" if name in shared else name for one, name in names.items()}


def _engine_name(folder: Folder, recipe_id: str) -> dict[str, str]:
    about = recipes(folder).get(recipe_id)
    return {"engine": about["engine"]["name"]} if about else {}


def _missing(folder: Folder, recipe_ids: list[str]) -> dict[str, int]:
    """How many different positions of the games that may be rated each recipe lacks."""
    if not recipe_ids:
        return {}
    lines = GameLines.of(iter_games_to_analyse(folder, ("moves", "start_fen")))
    used = recipes(folder)
    missing = {}
    for one in recipe_ids:
        first_turn = used[one]["recipe"].get("first_turn", 1) if one in used else 1
        wanted = Wanted(lines, first_turn, alone=False)
        wanted.note_lines(rows_of(folder.analyses, one, ["position_key", "depth"]))
        missing[one] = wanted.count_unknown()
    return missing
