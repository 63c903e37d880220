"""What a machine or a workspace lacks for assay to work well, and what to do about it."""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from shlex import quote

from packaging.requirements import Requirement

from assay.engine.engines import EngineConfig, find_engine, identify, identities, is_named
from assay.engine.recipe import NAMED, recipe_id
from assay.errors import AssayError, SchemaError
from assay.executors import usable_cores
from assay.pgn.players import find_spelling_file
from assay.rating.calibration import Calibration, find_calibration
from assay.rating.scale import bridge_minutes, kind_of, nearest_to, scale_of
from assay.workspace import Workspace
from assay.workspace.analyses import read_recipes
from assay.workspace.repair import Condition, State
from assay.workspace.repair import examine as examine_parts
from assay.workspace.repair import repair as repair_parts
from assay.workspace.tables import how_to_have_again, rows_of

DISTRIBUTION = "assay-chess"
LEAST_FREE_GB = 1.0


@dataclass(frozen=True)
class Finding:
    """One check: what was found, and what to do if that is a problem."""

    check: str
    found: str
    ok: bool = True
    advice: str = ""


def examine(engine: str | None = None, place: Path | None = None) -> list[Finding]:
    """Every check, in the order in which problems are best solved."""
    return [
        *_python(),
        *_packages(),
        *_engine(engine),
        *_scales(engine),
        *_machine(place or Path.cwd()),
        *_optional(),
    ]


def _python() -> Iterator[Finding]:
    ok = sys.version_info >= (3, 11)
    yield Finding("Python", platform.python_version(), ok, "" if ok else "install Python 3.11 or later")


def _packages() -> Iterator[Finding]:
    """The packages that the distribution asks for, extras apart."""
    missing = []
    listed = [Requirement(line) for line in requires(DISTRIBUTION) or []]
    needed = [package for package in listed if not package.marker or package.marker.evaluate({"extra": ""})]
    for package in needed:
        try:
            if version(package.name) not in package.specifier:
                missing.append(f"{package.name} {version(package.name)} (needs {package.specifier})")
        except PackageNotFoundError:
            missing.append(f"{package.name} (not there)")
    if missing:
        advice = "install them with pip, or assay again"
        yield Finding("packages", ", ".join(missing), ok=False, advice=advice)
    else:
        yield Finding("packages", f"all {len(needed)} there")


def _engine(named: str | None) -> Iterator[Finding]:
    """Whether there is an engine that can do the standard recipe."""
    try:
        path = find_engine(named)
        identity = identify(EngineConfig(path), NAMED["quick"])
    except AssayError as error:
        sentence, _, advice = str(error).partition(": ")
        yield Finding("engine", sentence, ok=False, advice=advice or "name another with --engine")
        return
    network = f", network {identity.network}" if identity.network else ""
    yield Finding("engine", f"{identity.name} at {path}{network}")


def calibrations(named: str | None = None) -> tuple[dict[str, Calibration | None], str]:
    """The calibration of each named recipe with the engine that is found, and the engine's name.

    Nothing of either where no engine is found, unless one was named: then that is an error.
    """
    try:
        config = EngineConfig(find_engine(named))
    except AssayError:
        if is_named(named):
            raise
        return {}, ""
    try:
        engines = identities(config, list(NAMED.values()))
    except AssayError:  # an engine that cannot work has no scale
        return {}, ""
    by_recipe = {
        name: find_calibration(recipe_id(recipe, identity))
        for (name, recipe), identity in zip(NAMED.items(), engines, strict=False)
    }
    return by_recipe, engines[0].name


def _scales(named: str | None) -> Iterator[Finding]:
    """Which recipes give ratings, with the engine that is found."""
    try:
        by_recipe, engine = calibrations(named)
    except AssayError:  # told by the check of the engine
        return
    if not by_recipe:
        return
    by_scale: dict[str, list[str]] = {}
    for name, scale in by_recipe.items():
        if scale is not None:
            by_scale.setdefault(scale_of(scale) or "", []).append(f"{name} ({kind_of(scale)})")
    able = "; ".join(f"{scale}: {', '.join(names)}" for scale, names in by_scale.items())
    advice = (
        ""
        if able
        else f"assay calibrate --like standard makes one, in about {bridge_minutes('standard')} min; the "
        f"nearest with a scale is {nearest_to(engine, 'standard')}"
    )
    yield Finding("Elo scale", f"with {engine}, {able or 'none'}", advice=advice)


def _machine(place: Path) -> Iterator[Finding]:
    cores = usable_cores()
    advice = "" if cores > 1 else "analysis uses one engine per core: a machine with more is faster"
    yield Finding("cores", str(cores), advice=advice)
    existing = next(path for path in (place, *place.absolute().parents) if path.exists())
    free = shutil.disk_usage(existing).free / 1e9
    enough = free >= LEAST_FREE_GB
    advice = "" if enough else "free some space: an analysed position takes about 2 kB"
    yield Finding("free disk", f"{free:.1f} GB", enough, advice)
    writable = os.access(existing, os.W_OK)
    advice = "" if writable else "choose another folder with --workspace"
    yield Finding("folder", f"{existing} {'can' if writable else 'cannot'} be written", writable, advice)


def _optional() -> Iterator[Finding]:
    """What is good to have: its absence is no problem."""
    spelling = find_spelling_file()
    advice = "" if spelling else "for canonical names and yearly ratings: apt-get install scid-rating-data"
    yield Finding("spelling file", str(spelling or "none"), advice=advice)
    try:
        yield Finding("cluster", f"dask.distributed {version('distributed')}")
    except PackageNotFoundError:
        yield Finding("cluster", "none", advice="for many machines: pip install distributed")


def examine_workspace(path: Path) -> list[Finding]:
    """How a workspace is: every table, then each part that is damaged or missing."""
    workspace = Workspace(path, check=False)
    again = f"assay doctor {quote(str(path))} --repair"
    if not workspace.exists():
        workspace.require()
    return [
        *_marker(workspace, again),
        *_links(workspace),
        *_tables(examine_parts(workspace), again),
        *_recipes_used(workspace, again),
    ]


def repair_workspace(path: Path, say: Callable[[str], None]) -> None:
    """Set aside what is damaged, and go on with the rest; `say` is told what was done."""
    repair_parts(Workspace(path, check=False), say)


def _marker(workspace: Workspace, again: str) -> Iterator[Finding]:
    name = workspace.marker.name
    if workspace.has_sound_marker():
        yield Finding(name, f"tables of version {workspace.version()}")
    else:
        yield Finding(name, "damaged", ok=False, advice=f"{again} writes it anew")


def _links(workspace: Workspace) -> Iterator[Finding]:
    """Links, which nothing is written through."""
    for path in sorted(workspace.path.iterdir()):
        if path.is_symlink():
            yield Finding(path.name, "a link", ok=False, advice="remove it: nothing is written through it")


def _tables(conditions: list[Condition], again: str) -> Iterator[Finding]:
    for table in dict.fromkeys(part.table for part in conditions):
        parts = [part for part in conditions if part.table == table]
        sound = [part for part in parts if part.state in (State.WHOLE, State.UNVERIFIED)]
        unverified = sum(part.state is State.UNVERIFIED for part in parts)
        rows = rows_of(table, sum(part.rows or 0 for part in sound))
        state = f"unverified {unverified:,} of them" if unverified else "whole"
        number = "1 part" if len(sound) == 1 else f"{len(sound):,} parts"
        advice = f"an earlier assay wrote them; {again} gives them checksums" if unverified else ""
        yield Finding(table, f"{rows} in {number}, {state}", advice=advice)
        yield from (_bad(part, again) for part in parts if part not in sound)


def _bad(part: Condition, again: str) -> Finding:
    check = f"{part.path.parent.name}/{part.path.name}"
    if part.state is State.REFUSED:
        return Finding(check, part.sentence, ok=False, advice="upgrade assay, or put back a copy of it")
    lost = f", with {rows_of(part.table, part.rows)}" if part.rows is not None else ""
    aside = "sets it aside" if part.state is State.DAMAGED else "goes on without it"
    advice = f"put back a copy of it, or {again} {aside}; then {how_to_have_again(part.table)}"
    return Finding(check, f"{part.state}{lost}", ok=False, advice=advice)


_NOTED_ANEW = "assay analyse, with every recipe and engine used, notes them anew"


def _recipes_used(workspace: Workspace, again: str) -> Iterator[Finding]:
    try:
        recipes, verified = read_recipes(workspace.table_analyses)
    except SchemaError:
        advice = f"put back a copy of it, or {again} sets it aside; then {_NOTED_ANEW}"
        yield Finding("recipes", "recipes.json is damaged", ok=False, advice=advice)
        return
    except AssayError as error:
        yield Finding("recipes", str(error), ok=False, advice="put back a copy of recipes.json")
        return
    try:
        unexplained = [recipe for recipe in workspace.recipe_ids() if recipe not in recipes]
    except AssayError:  # a part that cannot be read, which is told with its table
        unexplained = []
    if unexplained:
        problem = f"recipes.json does not contain these of the analyses: {', '.join(unexplained)}"
        advice = f"put back a copy of it; otherwise {_NOTED_ANEW}"
        yield Finding("recipes", problem, ok=False, advice=advice)
    elif verified:
        yield Finding("recipes", f"{len(recipes):,} used")
    else:
        advice = f"an earlier assay wrote the list of them; {again} gives it a checksum"
        yield Finding("recipes", f"{len(recipes):,} used, unverified", advice=advice)
