"""Calibrations: for one recipe, how every method's answers become ratings, and how far those stray.

Made from games of players with reference ratings. Players near a century of the scale are a milepost; their
pooled profiles make the mapping of each method (DESIGN.md, On the Elo scale), and groups of their games
show how raw ratings of few games stray (assay.models.spread).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from assay.domain.profile import Profile, ProfileStack
from assay.errors import InputError, MappingError
from assay.models.appearances import Appearances
from assay.models.base import MoveModel
from assay.models.elo_mapping import EloMapping, PairwiseMapping, ScalarMapping
from assay.models.elo_posterior import Range
from assay.models.registry import make_model, methods
from assay.models.spread import MARGIN, Spread, fit_spread

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FEWEST_APPEARANCES = 8
"""A century with fewer appearances is no milepost."""

FEWEST_DECISIONS = 10
"""Appearances with fewer decisions after the opening do not calibrate."""

FORMAT = 1

_SPREAD_ARRAYS = ("games", "offset", "slope", "unit", "tilt")
_SPREAD_NUMBERS = ("centre", "game_size", "form", "milepost_games")


def rating_models() -> dict[str, MoveModel]:
    """The methods that rate, on their own settings, by name."""
    return {name: make_model(name) for name in methods()}


@dataclass(frozen=True, eq=False)
class Calibration:
    """Mappings of all methods for one recipe, and how far ratings stray."""

    recipe_id: str
    about: Mapping[str, Any]
    """Engine, recipe and games that it was made with, for people."""
    mileposts: Floats
    """Mean Elo of each milepost."""
    mappings: Mapping[str, EloMapping]
    spread: Spread
    models: Mapping[str, MoveModel] = field(default_factory=rating_models)

    WHAT: ClassVar[str] = "assay calibration"

    def check(self, recipe_id: str) -> None:
        """Refuse another recipe, and methods whose settings have changed since."""
        if recipe_id != self.recipe_id:
            raise MappingError(
                f"this calibration was made with recipe {self.recipe_id}, not {recipe_id or 'none'}: "
                "evaluations of one engine or recipe are not those of another; analyse with that recipe, or "
                "make a calibration of this one (assay calibrate)"
            )
        for name, mapping in self.mappings.items():
            mapping.check(self.models[name].identity, recipe_id)

    @cached_property
    def range(self) -> Range:
        """The Elo that players may have before anything is known."""
        return Range.of(self.mileposts)

    def model(self, name: str) -> MoveModel:
        """A method that rates through this calibration."""
        model = make_model(name)
        model.mapping = self.mappings.get(name)
        return model

    # Making --------------------------------------------------------------------------------------------

    @classmethod
    def fit(cls, appearances: Appearances, about: Mapping[str, Any] | None = None) -> Calibration:
        """A calibration from appearances of players with reference ratings."""
        stacks = stacks_of(appearances)
        reference = Reference.of(appearances, stacks)
        return fit_calibration(stacks, reference, appearances.recipe_id, about or {})

    def raw(self, stacks: Mapping[str, ProfileStack], weights: Floats) -> Floats:
        """Raw ratings of weighted sums of profiles, shape (weights, methods); NaN where there is none."""
        return raw_ratings(self.models, self.mappings, self.mileposts, stacks, weights)

    # Files ---------------------------------------------------------------------------------------------

    def write(self, path: str | Path) -> None:
        """Write an .npz file: numbers and reference profiles, nothing that runs code when read."""
        arrays: dict[str, Any] = {"mileposts": self.mileposts}
        mappings: dict[str, dict[str, Any]] = {}
        for name, mapping in self.mappings.items():
            if isinstance(mapping, ScalarMapping):
                arrays[f"{name}.strength"], arrays[f"{name}.elo"] = mapping.knots_strength, mapping.knots_elo
                mappings[name] = {
                    "model": mapping.model,
                    "quantity": mapping.quantity,
                    "error": mapping.error,
                }
            elif isinstance(mapping, PairwiseMapping):
                profiles = mapping.profiles
                arrays[f"{name}.profiles"] = np.stack([one.evidence for one in profiles])
                arrays[f"{name}.counts"] = np.array([[one.decisions, one.games] for one in profiles])
                mappings[name] = {"model": mapping.model}
        for part in _SPREAD_ARRAYS:
            arrays[f"spread.{part}"] = getattr(self.spread, part)
        header = {
            "what": self.WHAT,
            "format": FORMAT,
            "recipe_id": self.recipe_id,
            "about": dict(self.about),
            "mappings": mappings,
            "methods": list(self.spread.methods),
            "spread": {part: getattr(self.spread, part) for part in _SPREAD_NUMBERS},
        }
        partial = Path(path).with_name(Path(path).name + ".part")
        with partial.open("wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)
        partial.replace(path)

    @classmethod
    def read(cls, path: str | Path) -> Calibration:
        """Read what `write` wrote."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                header = json.loads(str(stored["header"]))
                if header["what"] != cls.WHAT:
                    raise ValueError("it holds something else")
                if header["format"] > FORMAT:
                    raise InputError(f"{path} was written by a newer assay: upgrade assay")
                arrays = {name: stored[name] for name in stored.files if name != "header"}
                return cls._of(header, arrays)
        except FileNotFoundError:
            raise InputError(f"{path} does not exist: make a calibration with assay calibrate") from None
        except (OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is not a calibration: give a file made by assay calibrate") from error

    @classmethod
    def _of(cls, header: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Calibration:
        recipe_id = header["recipe_id"]
        mappings: dict[str, EloMapping] = {}
        for name, one in header["mappings"].items():
            if "quantity" in one:
                knots = arrays[f"{name}.strength"], arrays[f"{name}.elo"]
                mappings[name] = ScalarMapping(one["model"], recipe_id, one["quantity"], *knots, one["error"])
            else:
                counts = arrays[f"{name}.counts"].tolist()
                profiles = tuple(
                    Profile(one["model"], evidence, decisions, games, recipe_id=recipe_id)
                    for evidence, (decisions, games) in zip(arrays[f"{name}.profiles"], counts, strict=True)
                )
                mappings[name] = PairwiseMapping(one["model"], recipe_id, arrays["mileposts"], profiles)
        parts: dict[str, Any] = {part: arrays[f"spread.{part}"] for part in _SPREAD_ARRAYS}
        spread = Spread(tuple(header["methods"]), **parts, **header["spread"])
        return cls(recipe_id, header["about"], arrays["mileposts"], mappings, spread)


@dataclass(frozen=True, eq=False)
class Reference:
    """The appearances that calibrate: which rows, whose, of what Elo, and of which milepost."""

    rows: Ints
    elo: Floats
    size: Floats
    player: Ints
    milepost: Ints
    """Place of the milepost, from 0 without gaps, in order of Elo."""

    @classmethod
    def of(
        cls, appearances: Appearances, stacks: Mapping[str, ProfileStack], among: Ints | None = None
    ) -> Reference:
        """The appearances with a reference rating and enough decisions, all or those `among`."""
        elo = appearances.elo
        century = np.round(elo / 100)
        usable = ~np.isnan(elo) & (appearances.size >= FEWEST_DECISIONS)
        for stack in stacks.values():
            usable &= stack.decisions > 0
        if among is not None:
            usable &= np.isin(np.arange(len(elo)), among)
        found, counts = np.unique(century[usable], return_counts=True)
        kept = found[counts >= FEWEST_APPEARANCES]
        if len(kept) < 3:
            raise InputError(
                f"a calibration needs players near at least three centuries of rating, {FEWEST_APPEARANCES} "
                f"appearances at each; these games have {len(kept)}: give more games with ratings in their "
                "tags"
            )
        rows = np.flatnonzero(usable & np.isin(century, kept))
        milepost = np.searchsorted(kept, century[rows])
        return cls(rows, elo[rows], appearances.size[rows], appearances.player[rows], milepost)

    @property
    def mileposts(self) -> Floats:
        """Mean Elo of each milepost."""
        return np.asarray(np.bincount(self.milepost, self.elo) / np.bincount(self.milepost))


def stacks_of(appearances: Appearances) -> dict[str, ProfileStack]:
    """Profiles of the appearances by every method that can read any of them."""
    stacks = {name: appearances.stack(model) for name, model in rating_models().items()}
    return {name: stack for name, stack in stacks.items() if stack.decisions.any()}


def fit_calibration(
    stacks: Mapping[str, ProfileStack], reference: Reference, recipe_id: str, about: Mapping[str, Any]
) -> Calibration:
    """Mappings from the pooled profiles of the mileposts, then the spread of groups of their games."""
    models = rating_models()
    elos = reference.mileposts
    pooled = (reference.milepost == np.arange(len(elos))[:, None]).astype(np.float64)
    used = {name: stack.only(reference.rows.tolist()) for name, stack in stacks.items()}
    mappings = {}
    for name, stack in used.items():
        with suppress(InputError):  # a method whose answers do not rise with Elo here rates nobody
            mappings[name] = _mapping(models[name], recipe_id, elos, stack.weighted(pooled))
    if not mappings:
        raise InputError("no method's answers rise with the ratings of these players: give more games")
    spread = fit_spread(
        tuple(mappings),
        lambda weights: raw_ratings(models, mappings, elos, used, weights),
        reference.elo,
        reference.size,
        reference.player,
        reference.milepost,
    )
    return Calibration(recipe_id, about, elos, mappings, spread, models)


def raw_ratings(
    models: Mapping[str, MoveModel],
    mappings: Mapping[str, EloMapping],
    mileposts: Floats,
    stacks: Mapping[str, ProfileStack],
    weights: Floats,
) -> Floats:
    """What the mappings make of weighted sums of profiles, bounded; shape (weights, methods)."""
    columns = []
    for name, mapping in mappings.items():
        profiles = stacks[name].weighted(weights)
        filled = [index for index, profile in enumerate(profiles) if profile.decisions > 0]
        column = np.full(len(profiles), np.nan)
        if filled:
            column[filled] = mapping.elos(models[name], [profiles[index] for index in filled])
        columns.append(np.clip(column, mileposts.min() - MARGIN, mileposts.max() + MARGIN))
    return np.stack(columns, axis=1)


def _mapping(model: MoveModel, recipe_id: str, elos: Floats, profiles: Sequence[Profile]) -> EloMapping:
    if model.strength is None:
        mapping = PairwiseMapping.fit(model, recipe_id, list(zip(elos.tolist(), profiles, strict=True)))
        if not model.learned:
            model.learn(mapping.profiles)
        return mapping
    strengths, weights = model.strengths(profiles), np.array([profile.decisions for profile in profiles])
    return ScalarMapping.through(model.identity, recipe_id, model.strength, elos, strengths, weights)
