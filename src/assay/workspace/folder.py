"""Where the files of a workspace are, which version its tables have, and who may write them.

A workspace is a folder: one folder per table below it, the checksums of their parts, `workspace.json` with
the version of the tables, and the writer's lock. Everything in it is Parquet, JSON or text that other
programs can open. It may come from anyone: nothing is written through a link in it.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any

from filelock import lock_descriptor

from assay.decisions.schema import DECISIONS, SCHEMA_VERSION, TABLES
from assay.errors import InputError, LockedError, MachineError, ReadOnlyError, SchemaError, printable
from assay.files import PARTIAL, is_special, write_text
from assay.pgn.accounts import NOTES as ACCOUNTS
from assay.workspace.tables import CHECKSUMS, PartTable, finish, is_part

LOCK = ".lock"
_MARKER = "workspace.json"
_MOST_BYTES = 1_000_000
_STORED = [schema for schema in TABLES if schema is not DECISIONS]


class Folder:
    """The tables of one study, and the files beside them: what a workspace is on disk."""

    def __init__(self, path: str | Path, *, check: bool = True) -> None:
        """Without `check`, a folder whose marker is damaged or gone: to be repaired."""
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is a file, not a workspace: give the path of a folder")
        self.aliases = self.path / "aliases.txt"
        self.marker = self.path / _MARKER
        self.cache = self.path / "cache"  # answers that were computed from the tables, and can be again
        self.tables = tuple(PartTable(self.path / schema.name, schema) for schema in _STORED)
        (
            self.table_games,
            self.table_players,
            self.table_reference_ratings,
            self.table_annotations,
            self.table_analyses,
            self.table_alone,
            self.table_ratings,
        ) = self.tables
        if check:
            self.version()

    def version(self) -> int | None:
        """The version of the tables by the marker; None where there is none. A newer one is refused."""
        about = self._read_marker()
        version = None if about is None else int(about["schema_version"])
        if version is not None and version > SCHEMA_VERSION:
            raise SchemaError(
                f"{self.path} was written by a newer assay (tables of version {version}): upgrade assay"
            )
        return version

    def has_sound_marker(self) -> bool:
        """Whether the marker is there and can be read, whatever its version."""
        try:
            return self._read_marker() is not None
        except SchemaError:
            return False

    def _read_marker(self) -> dict[str, Any] | None:
        try:
            if self.marker.stat().st_size > _MOST_BYTES or is_special(self.marker):
                raise ValueError("too large, or a pipe that would never end")
            about = json.loads(self.marker.read_text(encoding="utf-8"))
            int(about["schema_version"])
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError, IsADirectoryError):
            raise SchemaError(
                f"{self.marker} is damaged: it should contain the version of the tables; {self._repair} "
                "makes it anew"
            ) from None
        return dict(about)

    def write_marker(self) -> None:
        """Mark the folder as a workspace with tables of this version. With the lock held."""
        about = self._read_marker() if self.has_sound_marker() else None
        text = json.dumps({**(about or {}), "schema_version": SCHEMA_VERSION})
        write_text(self.marker, f"{text}\n", follow=False)

    def exists(self) -> bool:
        """Whether anything has been written here."""
        return self.marker.is_file()

    def require(self) -> None:
        """Refuse to go on where there is no workspace."""
        if not self.exists():
            self.refuse_without_marker()
            raise InputError(f"there is no workspace at {self.path}: import games first (assay import)")

    def has_lost_its_marker(self) -> bool:
        """Whether the folder contains parts of tables, but not the file that makes it a workspace."""
        parts = (file for table in self.tables for file in table.folder.glob("*") if is_part(file.name))
        return not self.marker.exists() and any(parts)

    def refuse_without_marker(self) -> None:
        """Name the command that takes up a workspace without its marker, where this is one."""
        if self.has_lost_its_marker():
            raise InputError(
                f"{self.path} has the tables of a workspace, and no {_MARKER}: "
                f"{self._repair} takes it up again"
            )

    @property
    def _repair(self) -> str:
        return f"assay doctor {quote(str(self.path))} --repair"

    @contextmanager
    def writing(self, command: str | None = None) -> Iterator[None]:
        """Hold the writer's lock; a second writer gets a LockedError that names the first.

        What a killed writer left half done is done first; the marker follows the version of the tables.
        """
        self.refuse_without_marker()
        # The lock may stand alone there: whoever made it was killed, or is about to write the rest.
        others = {path.name for path in self.path.glob("*")} - {LOCK, f"{_MARKER}{PARTIAL}"}
        if not self.exists() and others:
            raise InputError(
                f"{self.path} contains other files: choose an empty or a new folder as workspace"
            )
        with self.locked(command):
            if self.exists() and (self.version() or 0) < SCHEMA_VERSION:
                self.write_marker()
            yield

    @contextmanager
    def locked(self, command: str | None = None) -> Iterator[None]:
        """Hold the lock on whatever is there, with what a killed writer left half done finished."""
        with writer_lock(self.path / LOCK, command):
            finish(self.path, self.tables)
            yield

    def prepare(self) -> None:
        """Mark the folder as a workspace and clear away what a killed writer left. With the lock held."""
        if not self.exists():
            self.write_marker()
        for file in (self.marker, self.aliases, self.path / ACCOUNTS):
            file.with_name(file.name + PARTIAL).unlink(missing_ok=True)
        for table in self.tables:
            table.clean()

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Hold the lock on a folder made ready; a new workspace in which nothing came to be is removed."""
        new_folder = not self.path.is_dir()
        with self.writing():
            new = not self.exists()
            try:
                self.prepare()
                yield
            except BaseException:
                if new and not any(table.parts() for table in self.tables):
                    with suppress(OSError):  # the first error is the one to raise
                        for folder in (*(table.folder for table in self.tables), self.path / CHECKSUMS):
                            if folder.is_dir():
                                folder.rmdir()
                        for file in (self.marker, self.aliases, self.path / ACCOUNTS, self.path / LOCK):
                            file.unlink(missing_ok=True)
                        if new_folder:
                            self.path.rmdir()
                raise


# One writer at a time; the error of a second one names the first.

_MOST_ABOUT_HOLDER = 4096
_NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)


@contextmanager
def writer_lock(path: Path, command: str | None = None) -> Iterator[None]:
    """Hold the writer's lock. The system lets go of it when the holder ends, however it ends.

    `command` stands in its file for what this process was started with: a name that is to be forgotten must
    not be written down there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(
            f"cannot make the folder {path.parent}: {error.strerror}; choose another place"
        ) from error
    descriptor = _open(path)
    try:
        if not lock_descriptor(descriptor, blocking=False):
            raise LockedError(
                f"{path.parent} is being written to by {_holder(path)}: wait until it ends, or stop it"
            )
        os.ftruncate(descriptor, 0)
        started = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
        about = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "command": (started if command is None else command)[:200],
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        # Windows keeps others from reading the first byte, which the lock is on: what they are to read
        # begins behind it.
        os.write(descriptor, b" " + json.dumps(about).encode())
        yield
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    """The lock's file. A link in its place is not followed: in a foreign workspace it may lead anywhere."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise MachineError(f"{path} is a link, and may lead out of the workspace: remove it") from error
        if error.errno in _NOT_WRITABLE:
            raise ReadOnlyError(
                f"{path.parent} cannot be written to ({error.strerror}): copy it to where it can be, or "
                "choose another place"
            ) from error
        raise
    about = os.fstat(descriptor)
    if stat.S_ISREG(about.st_mode) and about.st_nlink == 1:
        return descriptor
    os.close(descriptor)
    if not stat.S_ISREG(about.st_mode):
        raise MachineError(f"{path} is not a file: remove it")
    raise MachineError(f"{path} has another name elsewhere, which would be written to as well: remove it")


def _holder(path: Path) -> str:
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(1)
            content = file.read(_MOST_ABOUT_HOLDER)
        # An earlier assay left no byte for the lock: its first brace has been passed over.
        about = json.loads(content if content.startswith(b"{") else b"{" + content)
        return printable("process {pid} on {host} ('{command}', since {since})".format(**about))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "another process"
