"""Ratings stored in the workspace, so that a server that starts again does not compute them anew.

They are stored as JSON and arrays, for a workspace may come from anyone: a file that is not what it should be
is not used. In it is a hash of all that decides them: the tables, the source of values, which games are
rated, the calibrations of the user, and the program itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints
from zipfile import BadZipFile

import numpy as np

from assay.answers.ratings import Ratings
from assay.errors import AssayError
from assay.files import make_own_folder, written_whole
from assay.rating.calibration import find_calibration, users_folder
from assay.rating.posterior import Prior
from assay.rating.priors import POINTS, EventPrior, usual_prior

if TYPE_CHECKING:
    from assay.web.reading import Reading

_MOST_BYTES = 500_000_000
"""Of the file, and of each of its arrays unpacked."""
_MOST_PRIORS = 500
"""Of more players the file would be large, and the priors are computed anew."""
_PARTS = tuple(each.name for each in fields(EventPrior))
_DECIDED_BY, _RATINGS, _PLAYERS = "decided_by", "ratings", "players"
_DAMAGED = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, BadZipFile)


def store(reading: Reading, ratings: Ratings) -> None:
    """Write ratings down, and what the events of players let expect of them.

    Where the workspace cannot be written to they are computed anew next time.
    """
    priors = {each.player: each.prior for each in ratings.players if isinstance(each.prior, EventPrior)}
    arrays: dict[str, Any] = {
        _DECIDED_BY: np.array(_decided_by(reading)),
        _RATINGS: np.frombuffer(json.dumps(_plain(ratings)).encode(), np.uint8),
    }
    if len(priors) <= _MOST_PRIORS:
        arrays[_PLAYERS] = np.array([*priors], "U")
        for number, prior in enumerate(priors.values()):
            arrays |= {f"{number}-{name}": getattr(prior, name) for name in _PARTS}
    with suppress(OSError, AssayError):
        make_own_folder(reading.workspace.cache)
        with written_whole(path_of(reading), follow=False) as file:
            np.savez_compressed(file, **arrays)


def stored_ratings(reading: Reading) -> Ratings | None:
    """Read the ratings of the workspace as it is; None where there are none, or they are of another state."""
    try:
        with _opened(reading) as stored:
            ratings: Ratings = _restored(Ratings, json.loads(stored[_RATINGS].tobytes()))
    except _DAMAGED:
        return None
    return ratings


def stored_prior(reading: Reading, player: str) -> Prior | None:
    """Read the prior of a player of the workspace as it is; None where it must be computed anew."""
    try:
        with _opened(reading) as stored:
            players = stored[_PLAYERS].tolist()
            if player not in players:  # nothing is known of an event
                calibration = find_calibration(reading.recipe_id)
                return None if calibration is None else usual_prior(calibration)
            parts = {name: stored[f"{players.index(player)}-{name}"].astype(float) for name in _PARTS}
    except _DAMAGED:
        return None
    errors = parts["errors"].size
    shapes = {"errors": (errors,), "expected": (errors, len(POINTS))}
    fits = all(parts[name].shape == shapes.get(name, ()) for name in _PARTS)
    if not fits or not all(np.isfinite(part).all() for part in parts.values()):
        return None
    values: dict[str, Any] = {name: part if part.ndim else float(part) for name, part in parts.items()}
    return EventPrior(**values)


def path_of(reading: Reading) -> Path:
    """Name the file of what is rated by these values."""
    name = hashlib.sha256(reading.recipe_id.encode()).hexdigest()[:16]
    return reading.workspace.cache / f"ratings-{name}.npz"


@contextmanager
def _opened(reading: Reading) -> Iterator[Any]:
    """Open the file; an error where it is not of the workspace as it is, or not what it should be."""
    path = path_of(reading)
    if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
        raise ValueError(path)
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        if any(part.file_size > _MOST_BYTES for part in stored.zip.infolist()):
            raise ValueError(path)
        if stored[_DECIDED_BY] != _decided_by(reading):
            raise KeyError(path)
        yield stored


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
