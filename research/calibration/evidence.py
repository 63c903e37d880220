"""The evidence of the calibration games as a small file, and the scales made from it.

    python -m research calibration-evidence WORKSPACE OUT [--recipe standard]
    python -m research calibrations EVIDENCE OUT
    python -m research agents-fit EVIDENCE

The first reads the analysed games that `mileposts` and `sides` pick and writes OUT.npz and OUT.parquet: the
profile of every side of every whole game by each method, and whose game it was. Log-likelihoods of many
agents are kept as a few principal components. The second makes the calibration of the recipe from such
files, in the folder OUT, without an engine. Agents from 1500 up, slices and expected losses are those of the
calibration that ships, from games between equals; below 1500 the agents are fitted anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from assay.decisions.arrays import Floats
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import FIDE_CLASSICAL
from assay.decisions.profile import ProfileStack
from assay.models.appearances import Appearances, Mileposts
from assay.models.depth.agents import HIGHEST, LOWEST, AgentsByElo, fit_agents, interpolation
from assay.models.depth.model import DepthModel
from assay.rating.calibration import (
    Calibration,
    fit_calibration,
    place_of,
    rating_models,
    reference_of,
    shipped,
)
from assay.rating.group_ratings import Rater
from assay.rating.with_results import FOLLOWS
from assay.workspace import Workspace
from research import command, command_on_workspace
from research.calibration.results_by_moves import follows_of
from research.markdown import numbers_table

COMPONENTS = {"bayes": 12, "choice": 20, "depth": 24}
"""Principal components that are kept of methods with hundreds of columns that resemble each other."""


def whole_games(workspace: Workspace, recipe_id: str) -> Decisions:
    """Decisions of the games that are analysed from the first to the last position."""
    decisions = workspace.decisions(recipe_id, trace=True)
    codes = decisions.codes("game_id")
    lacking = np.bincount(codes, decisions.n_options == 0, minlength=codes.max() + 1)
    return decisions.take(np.flatnonzero(lacking[codes] == 0))


def write_evidence(appearances: Appearances, path: Path) -> None:
    """Write the evidence of all methods, and the first decision of each side."""
    arrays: dict[str, Any] = {"size": appearances.size}
    meaning = {}
    for name, model in rating_models(appearances.recipe_id).items():
        stack = appearances.stack(model)
        if not stack.decisions.any():
            continue
        meaning[name] = {"model": stack.model, "shape": list(stack.shape)}
        arrays[f"{name}.counts"] = np.stack((stack.decisions, stack.games)).astype(np.uint16)
        if sparse.issparse(stack.evidence):
            matrix = stack.evidence.tocoo()
            arrays[f"{name}.cells"] = np.stack((matrix.row, matrix.col)).astype(np.uint16)
            arrays[f"{name}.values"] = matrix.data.astype(np.uint16)
        elif name in COMPONENTS:
            scale = np.maximum(np.sqrt(np.square(stack.evidence).mean(axis=0)), 1e-12)
            left, size, right = np.linalg.svd(stack.evidence / scale, full_matrices=False)
            n = COMPONENTS[name]
            arrays[f"{name}.left"] = (left[:, :n] * size[:n]).astype(np.float32)
            arrays[f"{name}.right"] = (right[:n] * scale).astype(np.float32)
        else:
            whole = (stack.evidence == np.rint(stack.evidence)).all()
            arrays[f"{name}.dense"] = stack.evidence.astype(np.uint16 if whole else np.float32)
    heads = appearances.decisions.take(appearances.first)
    heads.write(path.with_suffix(".parquet"))
    np.savez_compressed(path.with_suffix(".npz"), meaning=np.array(json.dumps(meaning)), **arrays)


def read_evidence(path: Path) -> tuple[Appearances, dict[str, ProfileStack]]:
    """The sides of a file, and their profiles by method."""
    heads = Decisions.read(path.with_suffix(".parquet"))
    with np.load(path.with_suffix(".npz")) as arrays:
        meaning = json.loads(str(arrays["meaning"]))
        codes = heads.codes("game_id"), heads.codes("player"), np.arange(len(heads))
        appearances = Appearances(heads, *codes, arrays["size"])
        keys = tuple(map(str, range(len(heads))))
        stacks = {}
        for name, about in meaning.items():
            decisions, games = arrays[f"{name}.counts"].astype(np.float64)
            shape = tuple(about["shape"])
            evidence = _matrix(name, arrays, (len(heads), int(np.prod(shape))))
            stacks[name] = ProfileStack(
                about["model"], keys, evidence, shape, decisions, games, appearances.recipe_id
            )
    return appearances, stacks


def _matrix(name: str, arrays: Mapping[str, Any], shape: tuple[int, int]) -> Any:
    if f"{name}.cells" in arrays:
        row, column = arrays[f"{name}.cells"].astype(np.int64)
        return sparse.csr_array((arrays[f"{name}.values"].astype(np.float64), (row, column)), shape=shape)
    if f"{name}.left" in arrays:
        parts: list[Floats] = [arrays[f"{name}.{side}"].astype(np.float64) for side in ("left", "right")]
        return parts[0] @ parts[1]
    return arrays[f"{name}.dense"].astype(np.float64)


def fit_from(path: Path) -> Calibration:
    """The calibration of a file of evidence."""
    appearances, stacks = read_evidence(path)
    before = shipped(appearances.recipe_id)
    assert before is not None
    reference = reference_of(appearances, stacks)
    players = shipped(FIDE_CLASSICAL)
    assert players is not None
    about = {
        **before.about,
        "games": len(np.unique(reference.game)),
        "population": players.about["population"],  # the same players, of whom there are far more
    }
    made = fit_calibration(stacks, reference, appearances.recipe_id, about)
    made = replace(
        made, agents=agents_from(reference, stacks, before), slices=before.slices, losses=before.losses
    )
    follows = follows_of(Rater(appearances, made, stacks=stacks), np.arange(len(appearances)))
    return made if follows is None else replace(made, about={**about, FOLLOWS: follows})


FROM = 1450.0
"""Agents of Elos from here on are fitted to games between equals, of which there are few below."""


def agents_from(
    reference: Mileposts, stacks: Mapping[str, ProfileStack], before: Calibration
) -> AgentsByElo | None:
    """The agents of a calibration, those below FROM fitted to these mileposts."""
    if before.agents is None:
        return None
    equals = before.agents.elo >= FROM
    above = AgentsByElo(before.agents.elo[equals], before.agents.parameters[equals])
    weaker = reference.elos < FROM
    used = stacks[DepthModel.name].only(reference.rows.tolist())
    return fit_agents(reference.elos[weaker], used.weighted(reference.membership[weaker]), above)


def agents_fit(words: Sequence[str]) -> None:
    """Print how well the simulated players of each Elo explain the moves of people of that Elo."""
    parser = command("agents-fit", __doc__)
    parser.add_argument("evidence", type=Path)
    appearances, stacks = read_evidence(parser.parse_args(words).evidence)
    reference = reference_of(appearances, stacks)
    used = stacks[DepthModel.name].only(reference.rows.tolist())
    calibration = shipped(appearances.recipe_id)
    assert calibration is not None
    assert calibration.agents is not None
    scale = np.arange(LOWEST, HIGHEST, 10)
    agents = interpolation(calibration.agents.parameters_at(scale))
    lines = []
    for elo, profile in zip(reference.elos, used.weighted(reference.membership), strict=True):
        each = agents @ profile.evidence / profile.decisions
        at_best = profile.evidence.max() / profile.decisions
        row = f"{np.interp(elo, scale, each):.3f}", f"{at_best:.3f}", f"{scale[each.argmax()]:.0f}"
        lines.append((f"{elo:.0f}", f"{profile.decisions:.0f}", *row))
    print(numbers_table(("Elo", "decisions", "log-likelihood", "best of all", "likest Elo"), lines))


def main(words: Sequence[str]) -> None:
    """Write the evidence of a workspace."""
    parser = command_on_workspace("calibration-evidence", __doc__)
    parser.add_argument("out", type=Path)
    given = parser.parse_args(words)
    workspace = Workspace(given.workspace)
    appearances = Appearances.of(whole_games(workspace, workspace.recipe_id(given.recipe)))
    write_evidence(appearances, given.out)
    print(f"{len(np.unique(appearances.game)):,} games, {len(appearances):,} sides")


def calibrations(words: Sequence[str]) -> None:
    """Make calibrations from files of evidence."""
    parser = command("calibrations", __doc__)
    parser.add_argument("evidence", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    given = parser.parse_args(words)
    for path in given.evidence:
        made = fit_from(path)
        made.write(place_of(made.recipe_id, given.out))
        print(f"{made.recipe_id}: {made.about['games']:,} games, {len(made.mileposts)} mileposts")
