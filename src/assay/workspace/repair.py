"""What is whole in a workspace, what is damaged or missing, and going on without it: nothing is deleted.

A damaged part goes to `WORKSPACE/damaged/TABLE/`; a part that is missing is not expected any more; a part
without a checksum that can be read gets one; a marker that is gone or damaged is written anew; so it is with
the list of recipes, which is one file. What was lost is then had again as the sentence about it says, since
nothing claims any more that it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError, DamagedError, InputError, SchemaError
from assay.files import make_own_folder, sync
from assay.pgn.players import find_spelling_file
from assay.workspace.analyses import read_recipes, recipes_path, write_recipes
from assay.workspace.folder import Folder
from assay.workspace.tables import PartTable, checksum_of, damaged

if TYPE_CHECKING:
    from assay.workspace.workspace import Workspace

DAMAGED = "damaged"
"""Folder of a workspace for what was set aside."""


class State(StrEnum):
    """How a part is."""

    WHOLE = "whole"
    UNVERIFIED = "unverified"
    DAMAGED = "damaged"
    MISSING = "missing"
    REFUSED = "refused"
    """Of a newer assay, or not to be read for another reason that is no damage."""


@dataclass(frozen=True)
class Condition:
    """How a file of a workspace is: a part, or the list of a table's parts."""

    table: str
    path: Path
    state: State
    rows: int | None = None
    sentence: str = ""


def examine(folder: Folder) -> list[Condition]:
    """How every part is. Parts with a checksum are read for it, others wholly."""
    return [condition for table in folder.tables for condition in _conditions(table)]


def _conditions(table: PartTable) -> Iterator[Condition]:
    name = table.schema.name
    try:
        listed = table.checksums.read()
    except DamagedError as error:
        yield Condition(name, table.checksums.path, State.DAMAGED, sentence=str(error))
        return
    parts = table.parts()
    for lost, checksum in listed.missing(parts).items():
        sentence = str(damaged(table.folder / lost, checksum.rows, None))
        yield Condition(name, table.folder / lost, State.MISSING, checksum.rows, sentence)
    for part in parts:
        try:
            rows = table.examine(part)
            state = State.WHOLE if table.verify(part) else State.UNVERIFIED
            yield Condition(name, part, state, rows)
        except DamagedError as error:
            checksums = listed.find(part.name)
            yield Condition(name, part, State.DAMAGED, checksums[-1].rows if checksums else None, str(error))
        except FileNotFoundError:  # a writer has joined it with others
            continue
        except AssayError as error:
            yield Condition(name, part, State.REFUSED, sentence=str(error))


def repair(workspace: Workspace, say: Callable[[str], None]) -> None:
    """Set aside what is damaged, give up what is missing, and vouch for what can be read."""
    if not workspace.exists() and not workspace.has_lost_its_marker():
        workspace.require()
    with workspace.locked():
        if workspace.has_sound_marker():
            workspace.version()  # refuses a newer one
        else:
            workspace.write_marker()
            say(f"{workspace.marker} was written anew")
        _repair_recipes(workspace, say)
        changed = {table.schema.name for table in workspace.tables if _repair_table(table, say)}
        if changed & {"players", "reference_ratings"}:
            workspace.settle_players(find_spelling_file(), say)
            say("the names were settled anew")


def _repair_recipes(folder: Folder, say: Callable[[str], None]) -> None:
    path = recipes_path(folder.table_analyses)
    try:
        recipes, verified = read_recipes(folder.table_analyses)
        if not verified:
            write_recipes(folder.table_analyses, recipes)
            say(f"{path.name} can be read, and has a checksum now")
    except SchemaError:
        say(f"{path} was set aside: it is now {_set_aside(folder.path, path)}")


def _repair_table(table: PartTable, say: Callable[[str], None]) -> bool:
    """Whether anything was set aside or given up."""
    _refuse_link(table.folder)
    gave_up = False
    # Again and again: under a part that goes, those that it replaced may still be there.
    while bad := [part for part in _conditions(table) if part.state in (State.DAMAGED, State.MISSING)]:
        gave_up = True
        for part in bad:
            say(_give_up(table, part))
    unverified = [part for part in _conditions(table) if part.state is State.UNVERIFIED]
    if unverified:
        table.checksums.put({part.path.name: checksum_of(part.path, part.rows or 0) for part in unverified})
        say(f"{table.schema.name}: all parts can be read, and have a checksum now")
    table.clean()
    return gave_up


def _give_up(table: PartTable, part: Condition) -> str:
    if part.state is State.MISSING:
        table.checksums.forget(part.path.name)
        return f"{part.path} is not expected any more"
    place = _set_aside(table.folder.parent, part.path)
    if part.path != table.checksums.path:
        table.checksums.forget(part.path.name)
    return f"{part.path} was set aside: it is now {place}"


def _refuse_link(folder: Path) -> None:
    if folder.is_symlink():
        raise InputError(f"{folder} is a link, and may lead out of the workspace: remove it")


def _set_aside(workspace: Path, path: Path) -> Path:
    """Move a file to the folder of damaged ones, under a name that is free."""
    _refuse_link(path.parent)
    folder = workspace / DAMAGED / path.parent.relative_to(workspace)
    for place_for in dict.fromkeys((workspace / DAMAGED, folder)):
        make_own_folder(place_for)
    place, number = folder / path.name, 2
    while place.exists() or place.is_symlink():
        place, number = folder / f"{path.name}.{number}", number + 1
    path.rename(place)
    sync(folder)
    sync(path.parent)
    return place
