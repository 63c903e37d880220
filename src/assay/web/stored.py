"""Ratings stored in the workspace, so that a server that starts again does not compute them anew.

They are stored as JSON, the priors of players as arrays, for a workspace may come from anyone: a file that is
not what it should be is not used. In each is a hash of all that decides them: the tables, the source of
values, which games are rated, the calibrations of the user, and the program itself.
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
from zipfile import BadZipFile

import numpy as np

from assay.answers.ratings import Ratings
from assay.errors import AssayError
from assay.files import make_own_folder, write_text, written_whole
from assay.rating.calibration import find_calibration, users_folder
from assay.rating.posterior import Prior
from assay.rating.priors import POINTS, EventPrior, usual_prior

if TYPE_CHECKING:
    from assay.web.reading import Reading

_MOST_BYTES = 500_000_000
_LARGEST_PART = 5_000_000
"""Bytes of one array of a prior, unpacked."""
_MOST_PRIORS = 500
"""Of more players the file would be large, and the priors are computed anew."""
_PARTS = tuple(each.name for each in fields(EventPrior))
_DECIDED_BY, _PLAYERS = "decided_by", "players"


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


def store_priors(reading: Reading, ratings: Ratings) -> None:
    """Write down what the events of players let expect of them: parts of their games are rated with it."""
    priors = {each.player: each.prior for each in ratings.players if isinstance(each.prior, EventPrior)}
    if len(priors) > _MOST_PRIORS:
        return
    arrays: dict[str, Any] = {_DECIDED_BY: np.array(_decided_by(reading)), _PLAYERS: np.array([*priors], "U")}
    for number, prior in enumerate(priors.values()):
        arrays |= {f"{number}-{name}": getattr(prior, name) for name in _PARTS}
    with suppress(OSError, AssayError):
        make_own_folder(reading.workspace.cache)
        with written_whole(_path_of(reading, "priors", "npz"), follow=False) as file:
            np.savez_compressed(file, **arrays)


def stored_prior(reading: Reading, player: str) -> Prior | None:
    """Read the prior of a player of the workspace as it is; None where it must be computed anew."""
    path = _path_of(reading, "priors", "npz")
    try:
        if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
            return None
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            if any(part.file_size > _LARGEST_PART for part in stored.zip.infolist()):
                return None
            if stored[_DECIDED_BY] != _decided_by(reading):
                return None
            players = stored[_PLAYERS].tolist()
            if player not in players:  # nothing is known of an event
                calibration = find_calibration(reading.recipe_id)
                return None if calibration is None else usual_prior(calibration)
            parts = {name: stored[f"{players.index(player)}-{name}"].astype(float) for name in _PARTS}
    except (OSError, ValueError, TypeError, KeyError, BadZipFile):
        return None
    shapes = {name: part.shape for name, part in parts.items()}
    levels = parts["levels"].size
    wanted: dict[str, Any] = dict.fromkeys(_PARTS, ()) | {
        "levels": (levels,),
        "expected": (levels, len(POINTS)),
    }
    if shapes != wanted or not all(np.isfinite(part).all() for part in parts.values()):
        return None
    values: dict[str, Any] = {name: part if part.ndim else float(part) for name, part in parts.items()}
    return EventPrior(**values)


def _path_of(reading: Reading, what: str = "ratings", ending: str = "json") -> Path:
    name = hashlib.sha256(reading.recipe_id.encode()).hexdigest()[:16]
    return reading.workspace.cache / f"{what}-{name}.{ending}"


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
