"""Profiles: what a model needs to know about a player, in a form that adds up.

`profile(a + b) == profile(a) + profile(b)` and `0.5 * profile`: a career is a weighted sum over years, an
interval a resampling of per-game profiles, a live rating one more addition, a cluster a reduction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.decisions.arrays import Floats
from assay.errors import InputError
from assay.files import written_whole


@dataclass(frozen=True, eq=False)
class Profile:
    """Additive evidence of one player, or set of players.

    `model` names the method and the settings that give the evidence its meaning, `recipe_id` the analyses it
    is from: profiles of different meaning do not add. Counts are floats because profiles can be weighted.
    """

    model: str
    evidence: Floats
    decisions: float
    games: float
    left_out: dict[str, float] = field(default_factory=dict)
    """How many decisions each rule left out, by its name."""
    recipe_id: str = ""
    """The recipe of the decisions; empty where the evidence is not from analyses, such as simulated."""

    def __add__(self, other: Profile) -> Profile:
        return Profile.sum([self, other])

    def __mul__(self, weight: float) -> Profile:
        return Profile.sum([self], [weight])

    __rmul__ = __mul__

    @staticmethod
    def sum(profiles: Sequence[Profile], weights: Sequence[float] | None = None) -> Profile:
        """Weighted sum of profiles of one meaning."""
        if not profiles:
            raise InputError("no profiles to add")
        check_same_model(profiles)
        scale = [1.0] * len(profiles) if weights is None else list(weights)
        left_out: dict[str, float] = {}
        for weight, profile in zip(scale, profiles, strict=True):
            for rule, count in profile.left_out.items():
                left_out[rule] = left_out.get(rule, 0.0) + weight * count
        return Profile(
            profiles[0].model,
            np.add.reduce([w * p.evidence for w, p in zip(scale, profiles, strict=True)]),
            sum(w * p.decisions for w, p in zip(scale, profiles, strict=True)),
            sum(w * p.games for w, p in zip(scale, profiles, strict=True)),
            left_out,
            profiles[0].recipe_id,
        )

    def equals(self, other: Profile, tolerance: float = 1e-9) -> bool:
        """Whether two profiles hold the same evidence, up to rounding."""
        return bool(
            (self.model, self.recipe_id) == (other.model, other.recipe_id)
            and self.evidence.shape == other.evidence.shape
            and np.allclose(self.evidence, other.evidence, rtol=tolerance, atol=tolerance)
            and np.isclose(self.decisions, other.decisions)
            and np.isclose(self.games, other.games)
        )

    def write(self, path: str | Path) -> None:
        """Write an .npz file: plain arrays, nothing that runs code when read."""
        rules = list(self.left_out)
        with written_whole(path) as file:
            np.savez_compressed(
                file,
                model=np.array(self.model),
                recipe_id=np.array(self.recipe_id),
                evidence=self.evidence,
                counts=np.array([self.decisions, self.games]),
                rules=np.array(rules, dtype=np.str_),
                left_out=np.array([self.left_out[rule] for rule in rules], dtype=np.float64),
            )

    @classmethod
    def read(cls, path: str | Path) -> Profile:
        """Read what `write` wrote."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                decisions, games = stored["counts"].tolist()
                left_out = dict(zip(stored["rules"].tolist(), stored["left_out"].tolist(), strict=True))
                model, recipe_id = str(stored["model"]), str(stored["recipe_id"])
                return cls(model, stored["evidence"], decisions, games, left_out, recipe_id)
        except FileNotFoundError:
            raise InputError(f"{path} does not exist") from None
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{path} is not a profile: {error}") from error


def check_same_model(profiles: Iterable[Profile]) -> None:
    """Profiles of different methods, settings or recipes must not be mixed."""
    profiles = list(profiles)
    models = sorted({profile.model for profile in profiles})
    if len(models) > 1:
        raise InputError(f"profiles of different meaning do not go together: {', '.join(models)}")
    recipes = sorted({profile.recipe_id or "none" for profile in profiles})
    if len(recipes) > 1:
        raise InputError(
            f"profiles of different recipes do not go together: {', '.join(recipes)}; analyse with one recipe"
        )


@dataclass(frozen=True, eq=False)
class ProfileStack:
    """Profiles of several games (or years), one row each: a thousand resamples are one matrix product."""

    model: str
    keys: tuple[str, ...]
    evidence: Any
    """Matrix with one row per key: numpy, or scipy.sparse where most entries are zero."""
    shape: tuple[int, ...]
    """Shape of one profile's evidence."""
    decisions: Floats
    games: Floats
    recipe_id: str = ""
    """The recipe of all of them."""

    @classmethod
    def of(cls, profiles: dict[str, Profile]) -> ProfileStack:
        """A stack from profiles by key."""
        if not profiles:
            raise InputError("no profiles to stack")
        check_same_model(profiles.values())
        first = next(iter(profiles.values()))
        return cls(
            model=first.model,
            keys=tuple(profiles),
            evidence=np.stack([profile.evidence.ravel() for profile in profiles.values()]),
            shape=first.evidence.shape,
            decisions=np.array([profile.decisions for profile in profiles.values()]),
            games=np.array([profile.games for profile in profiles.values()]),
            recipe_id=first.recipe_id,
        )

    def __len__(self) -> int:
        return len(self.keys)

    def only(self, rows: Sequence[int]) -> ProfileStack:
        """The stack of some rows."""
        return replace(
            self,
            keys=tuple(self.keys[row] for row in rows),
            evidence=self.evidence[rows],
            decisions=self.decisions[rows],
            games=self.games[rows],
        )

    def weighted(self, weights: Any) -> list[Profile]:
        """One profile for each row of weights: shape (resamples, keys), numpy or scipy.sparse."""
        is_sparse = hasattr(weights, "toarray")
        matrix = weights if is_sparse else np.atleast_2d(np.asarray(weights, dtype=np.float64))
        sums = matrix @ self.evidence
        sums = sums.toarray() if hasattr(sums, "toarray") else np.asarray(sums)
        decisions, games = matrix @ self.decisions, matrix @ self.games
        return [
            Profile(self.model, row.reshape(self.shape), float(d), float(g), recipe_id=self.recipe_id)
            for row, d, g in zip(sums, decisions, games, strict=True)
        ]

    def total(self) -> Profile:
        """The sum of all."""
        return self.weighted(np.ones(len(self)))[0]
