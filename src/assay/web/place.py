"""The folder that is served: its workspace, where uploads wait, and what is to go on after a restart."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from assay.errors import InputError
from assay.files import make_own_folder, write_text

WORKSPACE = "games.assay"
"""The workspace within a folder that is none itself."""

_MARKER = "workspace.json"
_UPLOADS = "uploads"
_KEPT = "serve.json"
_MOST_KEPT = 100_000
_ENDINGS = (".pgn", ".gz", ".bz2", ".zst", ".zip", ".txt")
_LONGEST = 80


class Place:
    """A folder, and the workspace that is it or is in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{folder} is a file: give the folder that is to keep games (a new one will do)")
        itself = (self.folder / _MARKER).is_file()
        self.workspace = self.folder if itself else self.folder / WORKSPACE

    @property
    def name(self) -> str:
        """What to call it in a title."""
        return self.folder.name

    def prepare(self) -> None:
        """Make the folder, if it is not there."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def state(self) -> tuple[str, ...]:
        """What changes whenever a table of the workspace changes: the names of all its parts."""
        found = []
        with suppress(OSError), os.scandir(self.workspace) as tables:
            for table in tables:
                if table.is_dir(follow_symlinks=False):
                    with suppress(OSError), os.scandir(table.path) as parts:
                        found += [
                            f"{table.name}/{one.name}" for one in parts if one.name.endswith(".parquet")
                        ]
        return tuple(sorted(found))

    # Uploads -----------------------------------------------------------------------------------------------

    def new_upload(self, name: str) -> Path:
        """A file to write an upload to: in a folder of its own here, whatever its name says."""
        base = self._uploads()
        make_own_folder(base)
        return Path(mkdtemp(prefix="upload-", dir=base)) / harmless_name(name)

    def left_uploads(self) -> list[Path]:
        """Uploads that a killed server did not come to import."""
        base = self._uploads()
        if base.is_symlink() or not base.is_dir():
            return []
        files = (one for folder in sorted(base.iterdir()) if folder.is_dir() for one in folder.iterdir())
        return [one for one in files if one.is_file() and not one.is_symlink() and one.suffix != ".part"]

    def forget_upload(self, path: Path) -> None:
        """Remove an upload with its folder; nothing that is not one."""
        folder = path.parent
        if folder.parent == self._uploads() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):
                self._uploads().rmdir()

    def _uploads(self) -> Path:
        return self.folder / _UPLOADS

    # What is to go on --------------------------------------------------------------------------------------

    def kept(self) -> dict[str, Any]:
        """What was asked for and is not done; empty where nothing is, or where the file cannot be read."""
        path = self._kept_file()
        try:
            if path.is_symlink() or path.stat().st_size > _MOST_KEPT:
                return {}
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep(self, wanted: dict[str, Any]) -> None:
        """Write down what is to go on after a restart; nothing where nothing is."""
        path = self._kept_file()
        if wanted:
            write_text(path, json.dumps(wanted, indent=2) + "\n", follow=False)
        else:
            path.unlink(missing_ok=True)

    def _kept_file(self) -> Path:
        return self.folder / _KEPT

    # Files that are named ----------------------------------------------------------------------------------

    def named(self, text: str, *, anywhere: bool) -> Path:
        """A file that somebody names; within the folder, unless those who name it may read everything."""
        given = Path(text.strip()).expanduser()
        path = given if given.is_absolute() else self.folder / given
        if not anywhere and not path.resolve().is_relative_to(self.folder.resolve()):
            raise InputError(
                "only files in the folder that is served can be named from another machine: upload it"
            )
        if not text.strip() or not path.exists():
            raise InputError(f"{text} does not exist: give the path of a PGN file")
        return path


def harmless_name(name: str) -> str:
    """A name of a file that leads nowhere: letters, digits, dots and dashes, with an ending that is known."""
    plain = re.sub(r"[^\w.-]+", "_", Path(name.replace("\\", "/")).name)[-_LONGEST:].lstrip(".-_")
    return plain if plain.lower().endswith(_ENDINGS) else f"{plain or 'games'}.pgn"
