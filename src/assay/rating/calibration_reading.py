"""A calibration's file, read with care: it may come from anyone, and every rating rests on it.

Nothing in it is run (numbers and one JSON text), its size is bounded before anything is unpacked, and numbers
that no calibration has (not finite, knots out of order, shapes that do not fit) are refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from assay.decisions.arrays import Floats
from assay.decisions.grouping import By
from assay.decisions.slices import FIXED
from assay.errors import InputError
from assay.models.base import MoveModel

MOST_BYTES = 256 << 20
"""Unpacked, all arrays together: the ones that ship have 2 MB."""

_HEADER = "header"
SPREAD_ARRAYS = ("knots", "games", "curve", "variance", "tilt", "form")
SPREAD_NUMBERS = ("centre", "game_size", "milepost_games", "lasting", "carried")
SLICE_ARRAYS = ("lines", "covariance", "dispersion", "decisions")
_MOST_NUMBER = 1e15
_MOST_WEIGHT = 100.0
_MOST_PARAMETER = 20.0
"""ln c, the logit of sight and rise are far within: beyond it the exponential would not be finite."""
_RESULTS = ("b", "error")
_MOST_B = 5.0
"""How far results follow moves: with 1, moves of a game say of its result what Elo says of results."""
QUANTILES = "quantiles"
"""What a calibration may say of the ratings of its players: at equal steps from the lowest to the highest."""
_MOST_QUANTILES = 1001
_LOWEST_ELO, _HIGHEST_ELO = 100.0, 4000.0


class UnsoundError(ValueError):
    """What is wrong with a calibration, in words."""


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, Floats]]:
    """The header and the arrays of an .npz file, its size checked before it is unpacked."""
    with path.open("rb") as file, ZipFile(file) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > MOST_BYTES:
            raise UnsoundError(f"it unpacks to more than {MOST_BYTES >> 20} MB")
        arrays = {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    header = json.loads(str(arrays.pop(_HEADER)))
    if not isinstance(header, dict):
        raise UnsoundError("its header is not an object")
    return header, arrays


def _array(archive: ZipFile, member: ZipInfo) -> Any:
    """One array; what it claims to be is compared with what is there before room is made for it."""
    with archive.open(member) as file:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = read(file)
        if kind.hasobject or int(np.prod(shape, dtype=object)) * kind.itemsize > member.file_size:
            raise UnsoundError(f"{member.filename} is not what it claims to be")
    with archive.open(member) as file:
        return npy.read_array(file, allow_pickle=False)


def check_sound(
    header: Mapping[str, Any], arrays: Mapping[str, Floats], models: Mapping[str, MoveModel]
) -> None:
    """Refuse what no calibration holds, in words."""
    mappings, mixes = header["mappings"], header["mixes"]
    kinds = (("recipe_id", str), ("about", dict), ("mappings", dict), ("mixes", dict), ("spread", dict))
    for name, kind in kinds:
        if not isinstance(header[name], kind):
            raise UnsoundError(f"{name} has another form")
    if not mappings:
        raise UnsoundError("it has no method")
    for name, weights in mixes.items():
        if (
            name in mappings
            or not isinstance(weights, dict)
            or not weights
            or not set(weights) <= set(mappings)
        ):
            raise UnsoundError(f"the mix {str(name)[:40]} is not of its methods")
        if not all(isinstance(weight, float) and abs(weight) <= _MOST_WEIGHT for weight in weights.values()):
            raise UnsoundError(f"the weights of the mix {str(name)[:40]} cannot be")
    for name, array in arrays.items():
        if array.dtype.kind not in "fiu" or not (np.abs(array) < _MOST_NUMBER).all():
            raise UnsoundError(f"{name} contains what is not a number, or one that is far too large")
    _check_rising("mileposts", arrays["mileposts"])
    for name, mapping in mappings.items():
        if name not in models:
            raise InputError(
                f"this calibration contains the method '{str(name)[:40]}', which this assay lacks: "
                "upgrade assay"
            )
        _check_mapping(name, mapping, arrays, models[name])
    _check_spread(header["spread"], arrays, len(mappings) + len(mixes))
    _check_results(header["about"].get("results"))
    _check_population(header["about"].get("population"))
    _check_agents(arrays)
    _check_slices(arrays)
    if "losses.lines" in arrays and arrays["losses.lines"].shape != (2, 4):
        raise UnsoundError("its expected losses have another shape")


def _check_results(said: object) -> None:
    """How far results follow moves is said or not; what cannot be is refused."""
    if said is None:
        return
    if not isinstance(said, dict) or not all(isinstance(said.get(name), int | float) for name in _RESULTS):
        raise UnsoundError("what it says of results has another form")
    if not (0 <= said["b"] <= _MOST_B and 0 < said["error"] < _HIGHEST_ELO):
        raise UnsoundError("what it says of results cannot be")


def _check_population(said: object) -> None:
    """How strong its players were is said or not; a prior that cannot be is refused."""
    if said is None:
        return
    if not isinstance(said, dict) or not all(_is_positive(said.get(name)) for name in ("mean", "deviation")):
        raise UnsoundError("what it says of its players has another form")
    if not (_LOWEST_ELO <= said["mean"] <= _HIGHEST_ELO and 1 <= said["deviation"] <= _HIGHEST_ELO):
        raise UnsoundError("its players are not on the Elo scale")
    quantiles = said.get(QUANTILES, [_LOWEST_ELO, _HIGHEST_ELO])
    if not isinstance(quantiles, list) or not 2 <= len(quantiles) <= _MOST_QUANTILES:
        raise UnsoundError("what it says of its players has another form")
    if not all(map(_is_positive, quantiles)) or any(a > b for a, b in pairwise(quantiles)):
        raise UnsoundError("the quantiles of its players do not rise")
    if quantiles[0] < _LOWEST_ELO or quantiles[-1] > _HIGHEST_ELO:
        raise UnsoundError("its players are not on the Elo scale")


def _check_agents(arrays: Mapping[str, Floats]) -> None:
    """Agents by Elo are there or not; half of them, or agents that cannot be, are refused."""
    found = [name for name in arrays if name.startswith("agents.")]
    if not found:
        return
    if sorted(found) != ["agents.elo", "agents.parameters"]:
        raise UnsoundError("its simulated players have another form")
    elo, parameters = arrays["agents.elo"], arrays["agents.parameters"]
    _check_rising("the Elos of its simulated players", elo)
    if parameters.shape != (len(elo), 3) or (np.abs(parameters) > _MOST_PARAMETER).any():
        raise UnsoundError("its simulated players have another form")


def _check_slices(arrays: Mapping[str, Floats]) -> None:
    """What mileposts show in slices is there or not; of a kind that is there, all of it."""
    found = [name.split(".") for name in arrays if name.startswith("slices.")]
    if any(len(name) != 3 for name in found):
        raise UnsoundError("its slices have another form")
    for kind in {name[1] for name in found}:
        if kind not in FIXED or {name[2] for name in found if name[1] == kind} != set(SLICE_ARRAYS):
            raise UnsoundError("its slices have another form")
        lines, covariance, dispersion, decisions = (arrays[f"slices.{kind}.{part}"] for part in SLICE_ARRAYS)
        n = len(FIXED[By(kind)])
        shapes = [one.shape for one in (lines, covariance, dispersion, decisions)]
        if shapes != [(n, 2), (2 * n, 2 * n), (n,), (n,)]:
            raise UnsoundError(f"its slices by {kind} have another shape")
        scale = max(float(np.abs(covariance).max()), 1.0)
        if not np.allclose(covariance, covariance.T) or np.linalg.eigvalsh(covariance).min() < -1e-6 * scale:
            raise UnsoundError(f"the errors of its slices by {kind} are no covariance")
        if (dispersion <= 0).any() or (decisions < 0).any():
            raise UnsoundError(f"its slices by {kind} vary less than not at all")


def _check_rising(name: str, elo: Floats, least: int = 2) -> None:
    if elo.ndim != 1 or len(elo) < least or (np.diff(elo) <= 0).any():
        raise UnsoundError(f"{name} do not rise")
    if elo.min() < _LOWEST_ELO or elo.max() > _HIGHEST_ELO:
        raise UnsoundError(f"{name} are not on the Elo scale")


def _check_mapping(name: str, mapping: Any, arrays: Mapping[str, Floats], model: MoveModel) -> None:
    if not isinstance(mapping["model"], str):
        raise UnsoundError(f"the mapping of {name} has another form")
    if "quantity" in mapping:
        strength, elo = arrays[f"{name}.strength"], arrays[f"{name}.elo"]
        _check_rising(f"the knots of {name}", elo)
        if strength.shape != elo.shape or (np.diff(strength) <= 0).any():
            raise UnsoundError(f"the knots of {name} do not rise")
        if mapping["quantity"] != model.strength or not _is_positive(mapping["error"], zero=True):
            raise UnsoundError(f"the mapping of {name} has another form")
        return
    if not isinstance(mapping.get("smooth", False), bool):
        raise UnsoundError(f"the mapping of {name} has another form")
    profiles, counts = arrays[f"{name}.profiles"], arrays[f"{name}.counts"]
    elo = arrays.get(f"{name}.elo", arrays["mileposts"])
    _check_rising(f"the Elos of {name}", elo)
    n = len(elo)
    if len(profiles) != n or counts.shape != (n, 2) or (counts <= 0).any():
        raise UnsoundError(f"the profiles of {name} are not those of the mileposts")
    # Of other settings the shape may differ, which is told when it is used (Calibration.check).
    if mapping["model"] == model.identity and profiles.shape[1:] != model.shape:
        raise UnsoundError(f"the profiles of {name} have another shape")


def _check_spread(numbers: Mapping[str, Any], arrays: Mapping[str, Floats], channels: int) -> None:
    may_be_zero = ("lasting", "carried")
    sound = [_is_positive(number, zero=name in may_be_zero) for name, number in numbers.items()]
    if sorted(numbers) != sorted(SPREAD_NUMBERS) or not all(sound) or numbers["lasting"] >= 1:
        raise UnsoundError("the spread has another form")
    knots, games, *others = (arrays[f"spread.{part}"] for part in SPREAD_ARRAYS)
    n = len(games)
    shapes = [(n, channels, len(knots)), (n, channels), (channels,), (channels,)]
    if games.ndim != 1 or not n or [other.shape for other in others] != shapes:
        raise UnsoundError("the spread has another shape")
    if (games <= 0).any() or (np.diff(games) <= 0).any():
        raise UnsoundError("the spread's numbers of games do not rise")
    _check_rising("the knots of the spread", knots)
    if not np.allclose(np.diff(knots), knots[1] - knots[0]) or (np.diff(others[0], axis=2) <= 0).any():
        raise UnsoundError("the spread's curves do not rise in equal steps")
    for part in ("variance", "form"):
        if (arrays[f"spread.{part}"] <= 0).any():
            raise UnsoundError(f"the spread's {part} is not positive")


def of_today(
    header: Mapping[str, Any], arrays: Mapping[str, Floats]
) -> tuple[dict[str, Any], dict[str, Floats]]:
    """A file of an older format as one of this: of covariances between methods, or of lines for curves."""
    header, renewed = dict(header), dict(arrays)
    if header["format"] < 4:
        header, renewed = _without_covariances(header, renewed)
    if header["format"] < 5:
        knots = np.array([arrays["mileposts"].min(), arrays["mileposts"].max()])
        offset, slope = renewed.pop("spread.offset"), renewed.pop("spread.slope")
        if offset.shape != slope.shape or not (slope > 0).all():
            raise UnsoundError("the spread has another shape")
        renewed["spread.knots"] = knots
        renewed["spread.curve"] = offset[:, :, None] + slope[:, :, None] * knots
    return header, renewed


def _without_covariances(
    header: Mapping[str, Any], arrays: Mapping[str, Floats]
) -> tuple[dict[str, Any], dict[str, Floats]]:
    """A file of format 3 or older, which had covariances between methods, as one of lines and variances."""
    methods, spread = header["methods"], {"lasting": 0.0, "carried": 0.0, **header["spread"]}
    if not isinstance(methods, list) or methods != list(header["mappings"]) or not methods:
        raise UnsoundError("its methods and their mappings differ")
    unit = np.asarray(arrays["spread.unit"], np.float64)
    form = float(spread.pop("form"))
    if "bridge.shift" in arrays:
        # The error of the bridge at its centre, of the method that decides, in Elo.
        place = methods.index("traits") if "traits" in methods else 0
        one_game = np.sqrt(unit[0][place, place]) / arrays["spread.slope"][0][place]
        spread["carried"] = float(one_game * np.sqrt(arrays["bridge.shift"][place, place]))
    others = {
        name: array
        for name, array in arrays.items()
        if not name.startswith("bridge.") and name != "spread.unit"
    }
    others["spread.variance"] = np.diagonal(unit, axis1=1, axis2=2)
    others["spread.form"] = np.full(len(methods), form)
    return {**header, "mixes": {}, "spread": spread}, others


def _is_positive(number: Any, *, zero: bool = False) -> bool:
    usable = isinstance(number, (int, float)) and not isinstance(number, bool) and abs(number) < 1e9
    return bool(usable and (number > 0 or (zero and number == 0)))
