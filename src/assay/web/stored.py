"""Ratings stored in the workspace, so that a server that starts again does not compute them anew.

They are stored as JSON, for a workspace may come from anyone: a file that is not what it should be is not
used. Beside them is a hash of all that decides them: the tables, the source of values, which games are rated,
the calibrations of the user, and the program itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from assay.answers.ratings import Ratings
from assay.errors import AssayError
from assay.files import make_own_folder, write_text
from assay.rating.calibration import users_folder

if TYPE_CHECKING:
    from assay.web.reading import Reading

_MOST_BYTES = 500_000_000


def stored_ratings(reading: Reading) -> Ratings | None:
    """Read the ratings of the workspace as it is; None where there are none, or they are of another state."""
    path = _path_of(reading)
    try:
        if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
            return None
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["decided_by"] != _decided_by(reading):
            return None
        ratings: Ratings = _restored(Ratings, stored["ratings"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return ratings


def store_ratings(reading: Reading, ratings: Ratings) -> None:
    """Write ratings down; where the workspace cannot be written to they are computed anew next time."""
    text = json.dumps({"decided_by": _decided_by(reading), "ratings": _plain(ratings)})
    with suppress(OSError, AssayError):
        make_own_folder(reading.workspace.cache)
        write_text(_path_of(reading), text, follow=False)


def _path_of(reading: Reading) -> Path:
    name = hashlib.sha256(reading.recipe_id.encode()).hexdigest()[:16]
    return reading.workspace.cache / f"ratings-{name}.json"


def _decided_by(reading: Reading) -> str:
    """Hash all that decides ratings."""
    own, options = users_folder(), reading.site.options
    parts = (
        reading.state,
        reading.recipe_id,
        (options.time, options.min_turns),
        [] if own is None else list(_stamps(own)),
        _program(),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _program() -> list[tuple[str, int, int]]:
    return list(_stamps(Path(str(files("assay")))))


def _stamps(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Give name, size and time of all code and data in a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".npz", ".json", ".parquet", ".toml", ".csv") and path.is_file():
            about = path.stat()
            yield str(path.relative_to(folder)), about.st_size, about.st_mtime_ns


def _plain(value: Any) -> Any:
    """Turn a result into what JSON has."""
    if is_dataclass(value):
        # What is not compared is not stored: what leads back to the decisions, and players' priors.
        names = (each.name for each in fields(value) if each.compare)
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _restored(kind: Any, value: Any) -> Any:
    """Turn it back into a result of a kind; what is not of that kind is an error."""
    arguments = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        if value is None and type(None) in arguments:
            return None
        return _restored(next(each for each in arguments if each is not type(None)), value)
    if is_dataclass(kind) and isinstance(kind, type):
        kinds = _kinds(kind)
        return kind(**{name: _restored(kinds[name], each) for name, each in value.items()})
    if get_origin(kind) is tuple:
        each_kind = [arguments[0]] * len(value) if arguments[1:] == (...,) else arguments
        return tuple(_restored(one, each) for one, each in zip(each_kind, value, strict=True))
    if isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping):
        return {str(key): _restored(arguments[1], each) for key, each in value.items()}
    if get_origin(kind) is Literal and value in arguments:
        return value
    if not isinstance(value, int | float if kind is float else kind):
        raise TypeError(f"{value!r} is not {kind}")
    return value


@cache
def _kinds(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, localns={"Decisions": object})
