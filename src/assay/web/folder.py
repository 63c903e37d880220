"""The folder that is served: its workspace, where uploads wait, and what is remembered over a restart."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from assay.errors import InputError
from assay.files import make_own_folder, write_text

RATINGS = "ratings"
"""The table that commands keep their last ratings in."""

WORKSPACE = "games.assay"
"""The workspace within a folder that is not one itself."""

_TRAINING = "training.json"
_LARGEST_WISH, _LARGEST_TRAINING = 100_000, 20_000_000
_ENDINGS = (".pgn", ".gz", ".bz2", ".zst", ".zip", ".txt")
_LONGEST = 80


class ServedFolder:
    """A folder, and the workspace that is it or is in it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{path} is a file: give the folder that is to keep games (a new one will do)")
        itself = (self.path / "workspace.json").is_file()
        self.workspace = self.path if itself else self.path / WORKSPACE
        self._uploads = self.path / "uploads"
        self._wishes = self.path / "serve.json"

    def state(self) -> tuple[str, ...]:
        """List all parts of the workspace's tables, each with its time: changes whenever a table changes."""
        names = []
        with suppress(OSError), os.scandir(self.workspace) as tables:
            for table in tables:
                if table.is_dir(follow_symlinks=False) and table.name != RATINGS:  # pages make their own
                    with suppress(OSError), os.scandir(table.path) as parts:
                        names += [
                            f"{table.name}/{part.name} {part.stat().st_mtime_ns}"
                            for part in parts
                            if part.name.endswith(".parquet")
                        ]
        return tuple(sorted(names))

    # Uploads -----------------------------------------------------------------------------------------------

    def new_upload(self, name: str) -> Path:
        """Name a file to write an upload to: in a folder of its own here, whatever its name says."""
        make_own_folder(self._uploads)
        return Path(mkdtemp(prefix="upload-", dir=self._uploads)) / harmless_name(name)

    async def receive(self, name: str, stream: AsyncIterator[bytes], most: int) -> Path:
        """Write an upload as it comes, no more than is allowed; nothing stays of one that fails."""
        path = self.new_upload(name)
        partial = path.with_name(f"{path.name}.part")
        size = 0
        try:
            with partial.open("xb") as file:
                async for piece in stream:
                    size += len(piece)
                    if size > most:
                        raise InputError(too_large(most))
                    file.write(piece)
            if not size:
                raise InputError("that file is empty: give a PGN file with games")
            partial.replace(path)
        except BaseException:
            self.forget_upload(path)
            raise
        return path

    def left_uploads(self) -> list[Path]:
        """List uploads that a killed server did not come to import."""
        if self._uploads.is_symlink() or not self._uploads.is_dir():
            return []
        folders = [folder for folder in sorted(self._uploads.iterdir()) if folder.is_dir()]
        files = (file for folder in folders for file in folder.iterdir())
        return [file for file in files if file.is_file() and not file.is_symlink() and file.suffix != ".part"]

    def forget_upload(self, path: Path) -> None:
        """Remove an upload with its folder; nothing that is not one."""
        folder = path.parent
        if folder.parent == self._uploads and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):
                self._uploads.rmdir()

    # What is remembered over a restart ---------------------------------------------------------------------

    def wishes(self) -> dict[str, Any]:
        """Read what is wanted, by name; empty where nothing is, or the file cannot be read."""
        return _read(self._wishes, _LARGEST_WISH)

    def keep_wish(self, name: str, wish: Any) -> None:
        """Write down what is wanted under a name, or that nothing is (None); no file where nothing is."""
        wishes = {**self.wishes(), name: wish}
        wishes = {key: value for key, value in wishes.items() if value is not None}
        if wishes:
            write_text(self._wishes, json.dumps(wishes, indent=2) + "\n", follow=False)
        else:
            self._wishes.unlink(missing_ok=True)

    def training(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Read the answers of training, by player and position; empty where there are none."""
        stored = _read(self.workspace / _TRAINING, _LARGEST_TRAINING)
        return {
            player: {key: each for key, each in answers.items() if isinstance(each, dict)}
            for player, answers in stored.items()
            if isinstance(answers, dict)
        }

    def keep_training(self, answers: dict[str, dict[str, dict[str, Any]]]) -> None:
        """Write down the answers of training, in the workspace."""
        write_text(self.workspace / _TRAINING, json.dumps(answers) + "\n", follow=False)

    def named(self, text: str, *, anywhere: bool) -> Path:
        """Find a file that somebody names; within the folder, unless those who name it may read all."""
        given = Path(text.strip()).expanduser()
        path = given if given.is_absolute() else self.path / given
        if not anywhere and not path.resolve().is_relative_to(self.path.resolve()):
            raise InputError(
                "only files in the folder that is served can be named from another machine: upload it"
            )
        if not text.strip() or not path.exists():
            raise InputError(f"{text} does not exist: give the path of a PGN file")
        return path


def _read(path: Path, most: int) -> dict[str, Any]:
    """Read a file of ours that anyone may have changed; empty where it is not what it should be."""
    try:
        if path.is_symlink() or path.stat().st_size > most:
            return {}
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def harmless_name(name: str) -> str:
    """Reduce a name to one that leads nowhere: letters, digits, dots and dashes, and a known ending."""
    plain = re.sub(r"[^\w.-]+", "_", Path(name.replace("\\", "/")).name)[-_LONGEST:].lstrip(".-_")
    return plain if plain.lower().endswith(_ENDINGS) else f"{plain or 'games'}.pgn"


def too_large(most: int) -> str:
    """Say that an upload is too large."""
    return (
        f"that is more than the {most / 1e6:,.0f} MB that may be uploaded: name a file on this machine, or "
        "use assay import"
    )
