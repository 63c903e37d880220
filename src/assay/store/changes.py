"""A change of several tables at once: in force by one rename, so there whole or not at all.

The parts that change are written, under their own names and with their checksums, to a folder of their own
(`changing/`). When all of them are there it is renamed (`changed/`): from then on readers take its parts in
place of those of the same name. Then each part is moved to its place. Whoever is killed before the rename has
changed nothing; after it, everything, and the next writer moves what is left (`finish`).
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.errors import InputError
from assay.files import make_own_folder, sync
from assay.store.tables import CHANGED, PartTable

CHANGING = "changing"


@contextmanager
def changing(workspace: Path) -> Iterator[Path]:
    """A folder for what changes, which is in force as a whole when the block ends, unless by an error.

    With the writer's lock held; `finish` follows.
    """
    staging, changed = workspace / CHANGING, workspace / CHANGED
    if changed.exists():
        raise InputError(f"{changed} is in the way: move it elsewhere")
    _clear(staging)
    make_own_folder(staging)
    try:
        yield staging
    except BaseException:
        _clear(staging)
        raise
    staging.rename(changed)
    sync(workspace)


def finish(workspace: Path, tables: Iterable[PartTable]) -> None:
    """Move what is in force to its place, and clear away what never was. With the writer's lock held."""
    _clear(workspace / CHANGING)
    changed = workspace / CHANGED
    if changed.is_symlink():
        changed.unlink()
    if not changed.is_dir():
        return
    for table in tables:
        table.take_changed_parts()
    for file in [path for path in changed.iterdir() if path.is_file() and not path.is_symlink()]:
        file.replace(workspace / file.name)
    sync(workspace)
    _clear(changed)


def _clear(folder: Path) -> None:
    """Remove a folder with all that is in it; of a link only the link."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.is_dir():
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
