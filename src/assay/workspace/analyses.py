"""What engines said about the positions: what is missing, getting it, and which recipes were used."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.decisions.arrays import single
from assay.decisions.exclusions import Choice
from assay.engine.backlog import AnalysisReport, Backlog, plan
from assay.engine.backlog import analyse as analyse_missing
from assay.engine.engines import EngineConfig
from assay.engine.identity import planned_recipe_id
from assay.engine.ledger import recipes_used, record_recipe
from assay.engine.recipe import Recipe, find_recipe
from assay.errors import InputError, ReadOnlyError
from assay.pgn.lichess_evaluations import ABOUT as ABOUT_LICHESS
from assay.pgn.lichess_evaluations import RECIPE_ID as LICHESS_EVALUATIONS
from assay.pgn.lichess_evaluations import read_evaluations
from assay.pgn.sources import open_stream
from assay.store.assemble import playable, positions_of
from assay.store.tables import query
from assay.workspace.folder import Folder
from assay.workspace.games import Whom, games_to_analyse, iter_games_to_analyse, none_may_be_rated

Engine = str | EngineConfig | None

_MOVES = ("moves", "start_fen")


def analyse(
    folder: Folder,
    recipe: str | Recipe,
    *,
    jobs: int | None,
    cluster: str | None,
    players: Whom | None,
    limit: int | None,
    engine: Engine,
    include: Iterable[str],
    choice: Choice | None,
    before: Callable[[Backlog, EngineConfig], None] | None,
    progress: Callable[[AnalysisReport], None] | None,
) -> AnalysisReport:
    """Analyse what is missing of the games that may be rated; what is finished is kept."""
    folder.require()
    chosen, config = _recipe(recipe), _engine_config(engine)
    try:
        with folder.writing():
            return analyse_missing(
                iter_games_to_analyse(folder, _MOVES, players, include, choice),
                folder.analyses,
                folder.alone,
                recipe=chosen,
                engine=config,
                jobs=jobs,
                cluster=cluster,
                limit=limit,
                before=before,
                progress=progress,
            )
    except ReadOnlyError:
        games = iter_games_to_analyse(folder, _MOVES, players, include, choice)
        planned = plan(games, folder.analyses, folder.alone, recipe=chosen, engine=config, limit=limit)
        return _nothing_missing(folder, planned)


def _nothing_missing(folder: Folder, planned: Backlog) -> AnalysisReport:
    """What a run does that has nothing to do: that is all that can be done where nothing can be written."""
    if len(planned):
        raise ReadOnlyError(
            f"{folder.path} cannot be written to, and {len(planned):,} of its positions are not analysed: "
            "copy it to where it can be written"
        )
    return AnalysisReport(
        planned.recipe.name, planned.recipe_id, planned.identity.name, wanted=planned.wanted, missing=0
    )


def backlog(
    folder: Folder,
    recipe: str | Recipe,
    *,
    players: Whom | None,
    limit: int | None,
    engine: Engine,
    include: Iterable[str],
    choice: Choice | None,
) -> Backlog:
    """What `analyse` would have to do."""
    return plan(
        iter_games_to_analyse(folder, _MOVES, players, include, choice),
        folder.analyses,
        folder.alone,
        recipe=_recipe(recipe),
        engine=_engine_config(engine),
        limit=limit,
    )


def plan_recipe_id(recipe: str | Recipe, engine: Engine) -> str:
    """The id that analyses of this recipe with this engine have or will have."""
    return planned_recipe_id(_recipe(recipe), _engine_config(engine))


def recipes(folder: Folder) -> dict[str, dict[str, Any]]:
    """Recipe and engine by recipe id, for all that were used here."""
    return recipes_used(folder.analyses)


def recipe_names(folder: Folder, recipe_ids: Iterable[str]) -> dict[str, str]:
    """The name of each recipe; its id where nothing is known of it."""
    known = recipes(folder)
    return {one: known[one]["recipe"]["name"] if one in known else one for one in recipe_ids}


def unexplained_recipe_ids(folder: Folder) -> list[str]:
    """Recipe ids of stored analyses of which nothing is known: recipes.json was lost or is an older one."""
    known = recipes(folder)
    return [one for one in _stored_recipe_ids(folder) if one not in known]


def _stored_recipe_ids(folder: Folder) -> list[str]:
    stored = query(
        "SELECT DISTINCT recipe_id FROM analyses ORDER BY recipe_id", {"analyses": folder.analyses}
    )
    found: list[str] = single(stored[0]).to_pylist()
    return found


def find_recipe_id(folder: Folder, recipe: str | None = None) -> str:
    """The id of a recipe used here, from its id or its name; None stands for the only one."""
    names = recipe_names(folder, _stored_recipe_ids(folder))
    found = [one for one, name in names.items() if recipe is None or recipe in (one, name)]
    if len(found) == 1:
        return found[0]
    if not names:
        unusable = none_may_be_rated(folder)
        raise InputError(unusable or f"nothing in {folder.path} has been analysed yet: run assay analyse")
    known = recipes(folder)
    choice = ", ".join(
        f"{one} ({name}, {known[one]['engine']['name']})" if one in known else one
        for one, name in names.items()
    )
    what = "of several recipes" if found else f"but none of '{recipe}'"
    raise InputError(f"{folder.path} has analyses {what}: choose one with --recipe: {choice}")


def import_evaluations(folder: Folder, source: str | Path) -> int:
    """Take analyses of the games' positions from a file of lichess's evaluations; return how many."""
    wanted = pc.unique(positions_of(playable(games_to_analyse(folder))).keys)
    with folder.writing(), open_stream(Path(source)) as opened:
        known = of_recipe(folder.analyses.read(["position_key", "recipe_id"]), LICHESS_EVALUATIONS)
        missing = set(wanted.to_pylist()) - set(known["position_key"].to_pylist())
        record_recipe(folder.analyses, LICHESS_EVALUATIONS, ABOUT_LICHESS)
        added = 0
        for rows in read_evaluations(opened.stream, missing):
            folder.analyses.append(rows)
            added += rows.num_rows
        folder.analyses.compact()
    return added


def of_recipe(rows: pa.Table, recipe_id: str) -> pa.Table:
    """The rows of one recipe."""
    return rows.filter(pc.equal(rows["recipe_id"], recipe_id))


def _recipe(recipe: str | Recipe) -> Recipe:
    return find_recipe(recipe) if isinstance(recipe, str) else recipe


def _engine_config(engine: Engine) -> EngineConfig:
    return engine if isinstance(engine, EngineConfig) else EngineConfig(engine)
