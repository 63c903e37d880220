"""Calibrations: for one recipe, how every method's answers become ratings, and how far those vary.

Made from games of players with published ratings. Players near a century of the scale are a milepost. Their
pooled profiles make the mapping of each method to a raw rating. `traits` is the rating by moves, and a ridge
regression on the raw ratings of the papers' methods is that of these together. Groups of games show how raw
ratings vary (assay.rating.spread).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, ClassVar
from zipfile import BadZipFile
from zlib import error as ZlibError  # noqa: N812

import numpy as np

from assay.decisions.arrays import Floats, Ints
from assay.decisions.evaluation import ANNOTATED, EVALUATED, FIDE_CLASSICAL, FIDE_OTHER
from assay.decisions.profile import Profile, ProfileStack
from assay.engine.recipe import described, stockfish_recipe
from assay.errors import InputError, MappingError
from assay.files import written_whole
from assay.models.appearances import Appearances, Mileposts, assign_folds, too_few
from assay.models.base import MoveModel
from assay.models.depth.agents import AgentsByElo, fit_agents
from assay.models.depth.model import DepthModel
from assay.models.elo_mapping import FEW_APPEARANCES, EloMapping, PairwiseMapping, ScalarMapping
from assay.models.registry import make_model, methods
from assay.models.traits.model import (
    CLOCKS,
    ClocksModel,
    LineTraitsModel,
    ValueTraitsModel,
)
from assay.rating.calibration_reading import (
    SLICE_ARRAYS,
    SPREAD_ARRAYS,
    SPREAD_NUMBERS,
    UnsoundError,
    check_sound,
    of_today,
    read_arrays,
)
from assay.rating.posterior import Range
from assay.rating.references import ExpectedLosses, SliceReference, fit_expected_losses, fit_references
from assay.rating.spread import MARGIN, Spread, fit_spread, hats, with_form
from assay.settings import folder_of

FEWEST_MILEPOSTS = 3
"""A calibration rests on no fewer: two would make any curve a line."""

FOLDS = 10
"""Methods that are taught learn from nine tenths of the games what they say of the last."""

MOST_FOR_SPREAD = 300
"""Appearances of a milepost that the spread is learned from; curves and weights are made from all."""

MOST_FOR_FORM = 4000
"""Appearances of players of several games that form is learned from, where the spread's are thinned."""

PLAYERS_FOR_FORM = 50
"""Of fewer such players form is learned from the thinned ones."""

SEVERAL, GAMES_EACH = 5, 20
"""Games that such a player has, at least, and of which so many count: more say little more of one player."""

PAPERS = "papers"
METHODS_OF_PAPERS = ("bayes", "choice", "conformance", "covariance", "gain", "markov")

FORMAT = 5
"""Three since part of the variance of a game lasts, four since mixes took the place of covariances between
methods, five since curves took the place of lines."""

_UNREADABLE = (
    *(OSError, EOFError, BadZipFile, ZlibError, RuntimeError, NotImplementedError),  # no whole archive
    *(ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError),  # another content
    *(MemoryError, OverflowError, np.linalg.LinAlgError),
)


def rating_models(recipe_id: str = "") -> dict[str, MoveModel]:
    """The methods that rate, on their own settings, by name: those that read what its values tell."""
    found = {name: make_model(name) for name in methods()}
    if recipe_id in (ANNOTATED, *EVALUATED):
        found[ValueTraitsModel.name] = ValueTraitsModel()
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibration:
    """Mappings of all methods for one recipe, and how far ratings are off."""

    recipe_id: str
    about: Mapping[str, Any]
    """Engine, recipe and games that it was made with, for people."""
    mileposts: Floats
    """Mean Elo of each milepost."""
    mappings: Mapping[str, EloMapping]
    spread: Spread
    mixes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Weights of raw ratings, by mix."""
    agents: AgentsByElo | None = None
    """The agent that chooses as players of each Elo do (assay.models.depth); None where no trace was read."""
    slices: Mapping[str, SliceReference] = field(default_factory=dict)
    """What the mileposts show by phase, colour, ... (assay.rating.references); empty without trace."""
    losses: ExpectedLosses | None = None
    """How the agents' expected losses become those of players; None without trace."""
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
            if name not in self.models:
                raise MappingError(
                    f"this calibration contains the method '{name}', which is not installed here: install "
                    "the package that brings it, or make a calibration without it (assay calibrate)"
                )
            mapping.check(self.models[name].identity, recipe_id)

    @cached_property
    def range(self) -> Range:
        """The Elo that players may have before anything is known."""
        return Range.of(self.mileposts)

    @property
    def carried_from(self) -> Mapping[str, Any] | None:
        """The calibration that was carried over to this engine, for people; None for a native one."""
        return self.about.get("bridge")

    @property
    def models_used(self) -> dict[str, MoveModel]:
        """The models that it has a mapping for."""
        return {name: self.models[name] for name in self.mappings}

    @property
    def by_moves(self) -> tuple[str, ...]:
        """The channels that the rating by moves is taken from: the first that reads a player's games."""
        fallback = (CLOCKS, "traits", PAPERS, *self.mappings)
        return tuple(dict.fromkeys(name for name in fallback if name in self.spread.channels))

    @property
    def reads_trace(self) -> bool:
        """Whether decisions must be read with their trace, for some method to rate them."""
        return any(self.models[name].reads_trace for name in self.mappings if name in self.models)

    def for_recipe(self, recipe_id: str, about: Mapping[str, Any]) -> Calibration:
        """The same scale for another recipe or engine: whoever carries it over answers for the error."""
        mappings = {}
        for name, mapping in self.mappings.items():
            mappings[name] = replace(mapping, recipe_id=recipe_id)
            if isinstance(mapping, PairwiseMapping):
                profiles = tuple(replace(profile, recipe_id=recipe_id) for profile in mapping.profiles)
                mappings[name] = replace(mapping, recipe_id=recipe_id, profiles=profiles)
        return replace(self, recipe_id=recipe_id, about=about, mappings=mappings)

    def model(self, name: str) -> MoveModel:
        """A method that rates through this calibration."""
        model = self._fresh(name)
        if name in self.mappings:
            model.mapping = self.mappings[name]
            model.with_weights(self.models[name].weights)
        return model

    def _fresh(self, name: str) -> MoveModel:
        if name == CLOCKS:
            return ClocksModel()
        return type(self.models[name])() if name in self.mappings else make_model(name)

    # Making --------------------------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        appearances: Appearances,
        about: Mapping[str, Any] | None = None,
        models: Mapping[str, MoveModel] | None = None,
    ) -> Calibration:
        """A calibration from appearances of players with published ratings; of all methods, or of these."""
        stacks = stacks_of(appearances, models)
        reference = reference_of(appearances, stacks)
        made = fit_calibration(stacks, reference, appearances.recipe_id, about or {}, models)
        return replace(
            made,
            slices=fit_references(appearances, reference, made.agents),
            losses=fit_expected_losses(appearances, reference, made.agents),
        )

    def raw(self, stacks: Mapping[str, ProfileStack], weights: Any) -> Floats:
        """Raw ratings of weighted sums of profiles, shape (weights, channels); NaN where there is none."""
        values = raw_ratings(self.models, self.mappings, self.mileposts, stacks, weights)
        return with_mixes(values, tuple(self.mappings), self.mixes)

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
                mappings[name] = {"model": mapping.model, "smooth": mapping.smooth}
                if not np.array_equal(mapping.elos_of_mileposts, self.mileposts):
                    arrays[f"{name}.elo"] = mapping.elos_of_mileposts  # of a bridge
            for key, array in self.models[name].weights.items():
                arrays[f"{name}.lessons.{key}"] = array
        for part in SPREAD_ARRAYS:
            arrays[f"spread.{part}"] = getattr(self.spread, part)
        if self.agents is not None:
            arrays["agents.elo"], arrays["agents.parameters"] = self.agents.elo, self.agents.parameters
        for kind, known in self.slices.items():
            for part in SLICE_ARRAYS:
                arrays[f"slices.{kind}.{part}"] = getattr(known, part)
        if self.losses is not None:
            arrays["losses.lines"] = self.losses.lines
        header = {
            "what": self.WHAT,
            "format": FORMAT,
            "recipe_id": self.recipe_id,
            "about": dict(self.about),
            "mappings": mappings,
            "mixes": {name: dict(weights) for name, weights in self.mixes.items()},
            "spread": {part: getattr(self.spread, part) for part in SPREAD_NUMBERS},
        }
        with written_whole(path) as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)

    @classmethod
    def read(cls, path: str | Path) -> Calibration:
        """Read what `write` wrote, and refuse what it never writes (assay.rating.calibration_reading)."""
        try:
            header, arrays = read_arrays(Path(path))
            if header["what"] != cls.WHAT:
                raise ValueError("it contains something else")
            if header["format"] > FORMAT:
                raise InputError(f"{path} was written by a newer assay: upgrade assay")
            header, arrays = of_today(header, arrays)
            check_sound(header, arrays, _models_of(header))
            return cls._of(header, arrays)
        except FileNotFoundError:
            raise InputError(f"{path} does not exist: make a calibration with assay calibrate") from None
        except UnsoundError as error:
            raise InputError(
                f"{path} is not a calibration, {error}: make one with assay calibrate"
            ) from error
        except _UNREADABLE as error:
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
                elos = arrays.get(f"{name}.elo", arrays["mileposts"])
                smooth = one.get("smooth", False)  # which calibrations made before do not have
                mappings[name] = PairwiseMapping(one["model"], recipe_id, elos, profiles, smooth)
        models = _models_of(header)
        for name, mapping in mappings.items():
            if mapping.model == models[name].identity:  # others are refused where they would be used
                models[name].with_weights(_weights(name, arrays))
        parts: dict[str, Any] = {part: arrays[f"spread.{part}"] for part in SPREAD_ARRAYS}
        # Calibrations that were made without trace have no agents, slices or losses.
        agents = None
        if "agents.elo" in arrays:
            agents = AgentsByElo(arrays["agents.elo"], arrays["agents.parameters"])
        kinds = dict.fromkeys(name.split(".")[1] for name in arrays if name.startswith("slices."))
        return cls(
            recipe_id=recipe_id,
            about=header["about"],
            mileposts=arrays["mileposts"],
            mappings=mappings,
            spread=Spread(channels=(*mappings, *header["mixes"]), **parts, **header["spread"]),
            mixes=header["mixes"],
            models=models,
            agents=agents,
            slices={
                kind: SliceReference(**{part: arrays[f"slices.{kind}.{part}"] for part in SLICE_ARRAYS})
                for kind in kinds
            },
            losses=ExpectedLosses(arrays["losses.lines"]) if "losses.lines" in arrays else None,
        )


def _models_of(header: Mapping[str, Any]) -> dict[str, MoveModel]:
    """The methods of a file: those that rate by moves, and the clocks where they count too."""
    models = rating_models(str(header["recipe_id"]))
    if CLOCKS in header["mappings"]:
        models[CLOCKS] = ClocksModel()
    by_lines = LineTraitsModel()
    if by_lines.identity in json.dumps(header["mappings"]):  # of any form: it is checked with these models
        models[by_lines.name] = by_lines
    return models


def _weights(name: str, arrays: Mapping[str, Floats]) -> dict[str, Floats]:
    """What a file holds for a method that is taught."""
    start = f"{name}.lessons."
    return {key.removeprefix(start): array for key, array in arrays.items() if key.startswith(start)}


def stacks_of(
    appearances: Appearances, models: Mapping[str, MoveModel] | None = None
) -> dict[str, ProfileStack]:
    """Profiles of the appearances by every method that can read any of them."""
    models = models or rating_models(appearances.recipe_id)
    stacks = appearances.stacks(models)
    return {name: stack for name, stack in stacks.items() if stack.decisions.any()}


def reference_of(
    appearances: Appearances, stacks: Mapping[str, ProfileStack], among: Ints | None = None
) -> Mileposts:
    """The mileposts that calibrate, of all appearances or of those `among`."""
    found = Mileposts.of(appearances, stacks, among=among)
    if len(found) < FEWEST_MILEPOSTS:
        raise InputError(f"a calibration cannot be made: {too_few(FEWEST_MILEPOSTS, len(found))}")
    return found


def fit_calibration(
    stacks: Mapping[str, ProfileStack],
    reference: Mileposts,
    recipe_id: str,
    about: Mapping[str, Any],
    models: Mapping[str, MoveModel] | None = None,
) -> Calibration:
    """Mappings from the pooled profiles of the mileposts, then the spread of groups of their games."""
    models = models or rating_models(recipe_id)
    elos, pooled = reference.elos, reference.membership
    used = {name: stack.only(reference.rows.tolist()) for name, stack in stacks.items()}
    mappings = {}
    rng = np.random.default_rng(0)
    fold = assign_folds(reference.game, reference.player, reference.milepost, FOLDS, rng)
    # What was learned from these appearances would know them too well: weights of the other folds judge them.
    used = {
        name: models[name].fit_weights(stack, reference.elo, reference.opponent, fold)
        for name, stack in used.items()
    }
    # Tried where an engine analysed the games: scales of evaluated ones reach over a thousand points more.
    smooth = recipe_id not in (ANNOTATED, *EVALUATED) and len(reference.rows) <= FEW_APPEARANCES * len(
        reference
    )
    for name, stack in used.items():
        with suppress(InputError):  # a method whose answers do not rise with Elo here rates nobody
            mappings[name] = _mapping(models[name], recipe_id, elos, stack.weighted(pooled), smooth)
    if not mappings:
        raise InputError("no method's answers rise with the ratings of these players: give more games")
    some = thinned(reference.milepost, MOST_FOR_SPREAD)
    members = [name for name in METHODS_OF_PAPERS if name in mappings]
    mixes = {}
    if members:
        single = raw_ratings(models, mappings, elos, _rows(used, some), np.eye(len(some)))
        columns = single[:, [list(mappings).index(member) for member in members]]
        mixes[PAPERS] = mix_of(members, columns, reference.elo[some])

    def raw_of(rows: Ints) -> Callable[[Floats], Floats]:
        stacks_of_rows = _rows(used, rows)
        return lambda weights: with_mixes(
            raw_ratings(models, mappings, elos, stacks_of_rows, weights), tuple(mappings), mixes
        )

    spread = fit_spread(
        (*mappings, *mixes),
        raw_of(some),
        reference.elo[some],
        reference.size[some],
        reference.player[some],
        reference.milepost[some],
    )
    # Curves rest on all of the appearances, though the spread was learned from some of them.
    spread = replace(spread, milepost_games=len(reference.rows) / len(reference))
    often = of_several_games(reference.player, MOST_FOR_FORM)
    if len(some) < len(reference.rows) and len(np.unique(reference.player[often])) >= PLAYERS_FOR_FORM:
        # Thinned appearances are one or two of most players; form shows in players who have more.
        values = raw_of(often)(np.eye(len(often)))
        finite = np.isfinite(values).all(axis=1)
        chosen = often[finite]
        error = values[finite] - hats(reference.elo[chosen], spread.knots) @ spread.curve[0].T
        spread = with_form(spread, error, reference.elo[chosen], reference.player[chosen])
    return Calibration(
        recipe_id=recipe_id,
        about=about,
        mileposts=elos,
        mappings=mappings,
        spread=spread,
        mixes=mixes,
        agents=_agents(used, elos, pooled),
        models=models,
    )


def mix_of(members: Sequence[str], raw: Floats, elo: Floats) -> dict[str, float]:
    """Weights by which the members' raw ratings of single games foretell Elo best, none below zero.

    With weights below zero, or strengths in place of ratings, groups of ten games are rated worse.
    """
    from scipy.optimize import nnls

    finite = np.isfinite(raw).all(axis=1)
    weights, _ = nnls(raw[finite] - raw[finite].mean(axis=0), elo[finite] - elo[finite].mean())
    chosen = {name: float(weight) for name, weight in zip(members, weights, strict=True) if weight > 0}
    return chosen or {members[0]: 1.0}


def _rows(stacks: Mapping[str, ProfileStack], rows: Ints) -> dict[str, ProfileStack]:
    return {name: stack.only(rows.tolist()) for name, stack in stacks.items()}


def with_mixes(values: Floats, methods: Sequence[str], mixes: Mapping[str, Mapping[str, float]]) -> Floats:
    """Raw ratings by method, and by each mix after them: shape (groups, channels)."""
    columns = [values]
    for weights in mixes.values():
        members = values[:, [methods.index(member) for member in weights]]
        columns.append((members @ np.array(list(weights.values())))[:, None])
    return np.concatenate(columns, axis=1)


def thinned(milepost: Ints, most: int) -> Ints:
    """At most so many appearances of each milepost, in order; all where there are no more."""
    rng = np.random.default_rng(0)
    kept = []
    for one in np.unique(milepost):
        rows = np.flatnonzero(milepost == one)
        kept.append(rows if len(rows) <= most else rng.choice(rows, most, replace=False))
    return np.sort(np.concatenate(kept))


def of_several_games(player: Ints, most: int) -> Ints:
    """About so many appearances, in order, of players by lot who have SEVERAL or more; GAMES_EACH at most."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(player))
    known, counts = np.unique(player, return_counts=True)
    kept, found = np.zeros(0, np.int64), 0
    for one in rng.permutation(known[counts >= SEVERAL]):
        if found >= most:
            break
        own = order[player[order] == one][:GAMES_EACH]
        kept, found = np.concatenate((kept, own)), found + len(own)
    return np.sort(kept)


def _agents(used: Mapping[str, ProfileStack], elos: Floats, pooled: Floats) -> AgentsByElo | None:
    """The agents of the mileposts, where their decisions were read with trace."""
    if DepthModel.name not in used:
        return None
    return fit_agents(elos, used[DepthModel.name].weighted(pooled))


def raw_ratings(
    models: Mapping[str, MoveModel],
    mappings: Mapping[str, EloMapping],
    mileposts: Floats,
    stacks: Mapping[str, ProfileStack],
    weights: Any,
) -> Floats:
    """What the mappings make of weighted sums of profiles, bounded; shape (weights, methods).

    NaN of a method that has read nothing, or of which there are no profiles.
    """
    columns = []
    for name, mapping in mappings.items():
        column = np.full(weights.shape[0], np.nan)
        if name in stacks:
            stack = stacks[name]
            filled = np.flatnonzero(weights @ stack.decisions > 0)
            if len(filled):
                column[filled] = mapping.weighted_elos(models[name], stack, weights[filled])
        if not models[name].linear:
            column = np.clip(column, mileposts.min() - MARGIN, mileposts.max() + MARGIN)
        columns.append(column)
    return np.stack(columns, axis=1)


def _mapping(
    model: MoveModel, recipe_id: str, elos: Floats, profiles: Sequence[Profile], smooth: bool
) -> EloMapping:
    mileposts = list(zip(elos.tolist(), profiles, strict=True))
    if model.linear:
        weights = np.sqrt([profile.decisions for profile in profiles])
        slope, offset = np.polyfit(elos, model.strengths(profiles), 1, w=weights)
        ends = np.array([elos.min(), elos.max()])
        if not slope > 0:
            raise InputError(f"what {model.name} finds does not rise with Elo in these mileposts")
        knots = offset + slope * ends, ends
        return ScalarMapping(model.identity, recipe_id, model.strength or "", *knots, 0.0)
    if model.strength is not None:
        return ScalarMapping.fit(model, recipe_id, mileposts, smooth=smooth)
    mapping = PairwiseMapping.fit(model, recipe_id, mileposts, smooth=smooth)
    if not model.learned:
        model.learn(mapping.profiles)
    return mapping


# Where calibrations are found: those of a user, then the ones that ship with the package.

VARIABLE = "ASSAY_CALIBRATIONS"
"""Names another folder for a user's calibrations."""

REFERENCE, QUICK = "672593ce2551e878", "266262b92aeaddbc"
"""The recipes standard, whose calibration was made from the most games, and quick with Stockfish 15.1."""

WITH_CLOCKS = "-clocks"
"""Ends the name of a calibration by which clocks count besides moves."""

_SUFFIX = ".npz"
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,80}")


def users_folder() -> Path | None:
    """The folder of a user's own calibrations; None where there is no home (a container)."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    folder = folder_of("data")
    return None if folder is None else folder / "calibrations"


def place_of(recipe_id: str, folder: Path | None = None) -> Path:
    """Where the calibration of a recipe is kept. Its id may come from an untrusted file, and is no path."""
    if not _PLAIN.fullmatch(recipe_id):
        raise InputError(f"'{recipe_id}' cannot be the id of a recipe: name the file to write with --out")
    chosen = folder or users_folder()
    if chosen is None:
        raise InputError(f"there is no home to keep calibrations in: name one with --out or {VARIABLE}")
    return chosen / f"{recipe_id}{_SUFFIX}"


def find_calibration(recipe_id: str, folders: Iterable[Path] = ()) -> Calibration | None:
    """The calibration of a recipe: from these folders, the user's, or the package; None if there is none.

    One that was made with other settings of a method than those of today is passed over: its curves would be
    read with numbers of another meaning.
    """
    if not _PLAIN.fullmatch(recipe_id):
        return None
    own = users_folder()
    for folder in (*folders, *([] if own is None else [own])):
        path = place_of(recipe_id, folder)
        if path.is_file() and _is_of_today(found := Calibration.read(path)):
            return found
    return shipped(recipe_id) or _of_other_version(recipe_id) or _of_family(recipe_id)


OTHER_VERSION = 100.0
"""Standard deviation in Elo by which the scale of evaluated FIDE games is off for another version of its
evaluator: on games evaluated by a Stockfish of 2015 all ratings were 97 points too high."""


def _of_other_version(recipe_id: str) -> Calibration | None:
    """The scale of evaluated FIDE games for a version of Stockfish that it was not made from: wider."""
    scale = shipped(FIDE_CLASSICAL)
    if recipe_id != FIDE_OTHER or scale is None:
        return None
    caveat = (
        "The scale is provisional here: it was made from evaluations of other versions of Stockfish. All "
        f"ratings may be too high or too low together: {OTHER_VERSION:.0f} points, a standard deviation, are "
        "in the 95% ranges for that."
    )
    wider = replace(scale, spread=replace(scale.spread, carried=OTHER_VERSION))
    return wider.for_recipe(recipe_id, {**scale.about, "caveat": caveat})


def _of_family(recipe_id: str) -> Calibration | None:
    """The scale of a Stockfish that was not measured: the mean of the versions that were."""
    name = stockfish_recipe(recipe_id)
    resource = files("assay") / "data" / "bridges" / f"stockfish-{name}{_SUFFIX}"
    if name is None or not resource.is_file():
        return None
    with as_file(resource) as path:
        family = Calibration.read(path)
    known = described(recipe_id)
    assert known is not None
    return family.for_recipe(recipe_id, {**family.about, "engine": known["engine"]["name"]})


def with_clocks(recipe_id: str) -> Calibration:
    """The calibration of a source of values by which the clocks count too; an InputError without one.

    It is made from the same games (research.calibration.evaluated), and ships with the package.
    """
    found = shipped(f"{recipe_id}{WITH_CLOCKS}") if _PLAIN.fullmatch(recipe_id) else None
    if found is None:
        raise InputError(
            "--with clocks counts on the scale of lichess bullet alone, where it was measured to help: "
            "these games are on another, so leave it out"
        )
    return found


def _is_of_today(calibration: Calibration) -> bool:
    models = calibration.models
    return all(
        name not in models or mapping.model == models[name].identity
        for name, mapping in calibration.mappings.items()
    )


def calibrated(model: MoveModel, recipe_id: str) -> MoveModel:
    """The model with the mapping of a calibration that is found, where there is one for its settings."""
    calibration = find_calibration(recipe_id)
    mapping = None if calibration is None else calibration.mappings.get(model.name)
    if mapping is not None and mapping.model == model.identity:
        assert calibration is not None
        model.mapping = mapping
        model.with_weights(calibration.models[model.name].weights)
    return model


def all_shipped() -> list[Calibration]:
    """The calibrations that come with the package, the one of the most games first."""
    folder = files("assay") / "data" / "calibrations"
    names = [one.name.removesuffix(_SUFFIX) for one in folder.iterdir() if one.name.endswith(_SUFFIX)]
    names = [name for name in names if not name.endswith(WITH_CLOCKS)]
    found = (shipped(name) for name in sorted(names, key=lambda name: (name != REFERENCE, name)))
    return [one for one in found if one is not None]


@cache
def shipped(recipe_id: str) -> Calibration | None:
    """The calibration of a recipe that comes with the package; None if there is none."""
    resource = files("assay") / "data" / "calibrations" / f"{recipe_id}{_SUFFIX}"
    if not resource.is_file():
        return None
    with as_file(resource) as path:
        return Calibration.read(path)
