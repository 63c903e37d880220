"""The workspace as it is at one moment: what is analysed, and nothing that would start an engine or write.

Pages read; they never analyse. So their study is of what is analysed already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import RLock
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.answers.ratings import PlayerRating, Ratings
from assay.decisions.decisions import Decisions
from assay.decisions.evaluation import ANNOTATED, EVALUATED
from assay.decisions.exclusions import Choice
from assay.errors import InputError
from assay.report.cards import PlayerEvidence, compare
from assay.source import GAMES_AT_A_TIME, Valuation, WorkspaceSource
from assay.study import Study
from assay.web.stored import store, stored_prior, stored_ratings
from assay.workspace import Workspace

if TYPE_CHECKING:
    from assay.web.site import Site


_PLAYERS_CACHED = 4
"""Players whose decisions are held with their trace: some megabytes each."""

OWN = "games' own evaluations"
"""What the evaluations in the games' comments are called."""

_COLUMNS = ("game_id", "event", "date", "round", "result", "n_plies", "time_class", "eco")


@dataclass(frozen=True)
class Values:
    """Where the values of moves come from, that ratings are made by: a recipe, or the games' comments."""

    recipe_id: str
    name: str
    games: int
    """How many games that may be rated they cover, about."""


def of_comments(recipe_id: str | None) -> bool:
    """Whether values are those in the games' comments."""
    return recipe_id in (ANNOTATED, *EVALUATED)


def scale_in_words(recipe_id: str) -> str:
    """Name a source of evaluations in comments."""
    return "others" if recipe_id == ANNOTATED else recipe_id.removeprefix("evaluated-").replace("-", " ")


class CachedSource(WorkspaceSource):
    """A workspace that holds the decisions read last: a page asks for the same ones often."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace.path, workspace)
        self._cache: dict[Any, tuple[bool, list[Decisions]]] = {}
        self._lock = RLock()

    def decisions(
        self,
        valuation: Valuation,
        *,
        players: Sequence[str] | None = None,
        trace: bool | None = False,
        at_once: bool = False,
        **more: Any,
    ) -> Iterator[Decisions]:
        """Read decisions, or take them from the cache; all players in pieces may be too many for it."""
        if players is None and not at_once:
            yield from super().decisions(valuation, trace=trace, **more)
            return
        if trace is None:
            trace = self.workspace.table_games.count() <= GAMES_AT_A_TIME
        trace = trace and not of_comments(self.recipe_id(valuation))
        names = None if players is None else tuple(players)
        key = valuation.choice, names, at_once
        read = partial(super().decisions, valuation, players=players, at_once=at_once, **more)
        with self._lock:
            traced, pieces = self._cache.pop(key, (False, []))
            if not pieces or (trace and not traced):
                traced, pieces = trace, list(read(trace=trace))
            self._cache[key] = traced, pieces  # the last one asked for is the last
            of_players = [key for key in self._cache if key[1] is not None]
            for oldest in of_players[:-_PLAYERS_CACHED]:
                del self._cache[oldest]
        yield from pieces


class Reading:
    """One state of the workspace; what is read of it is held with it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.state = site.folder.state()
        self._study_of: tuple[str, Study] | None = None

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace; an error says where it is of a newer assay."""
        return Workspace(self.site.folder.workspace)

    @property
    def empty(self) -> bool:
        """Whether nothing was imported yet."""
        return not self.workspace.exists()

    def _refuse_empty(self) -> None:
        if self.empty:
            raise InputError("there are no games yet: drop a PGN file on the first page")

    @cached_property
    def values(self) -> tuple[Values, ...]:
        """All values that there are: the games' own first, then by recipes."""
        if self.empty:
            return ()
        own: dict[str, int] = {}
        if self.workspace.table_annotations.count():
            own, _ = self.source.evaluated(self._study(ANNOTATED).valuation)
        values = [
            Values(key, OWN if len(own) == 1 else f"{OWN}, {scale_in_words(key)}", games)
            for key, games in own.items()
        ]
        about = self.workspace.recipes()
        names = {
            key: about.get(key, {}).get("recipe", {}).get("name", key) for key in self.analysed_positions
        }
        several = {name for name, n in Counter(names.values()).items() if n > 1}
        rated = self.workspace.reasons(self.site.choice).get(None, 0)
        alone = len(own) + len(names) == 1  # how much of the games it covers decides nothing
        coverage = dict.fromkeys(names, (0, 1)) if alone else self.workspace.coverage(self.site.choice)
        for key, (missing, wanted) in coverage.items():
            engine = about.get(key, {}).get("engine", {}).get("name", key)
            name = f"{names[key]}, {engine}" if names[key] in several else names[key]
            values.append(Values(key, name, round(rated * (1 - missing / wanted)) if wanted else 0))
        return tuple(values)

    @cached_property
    def recipe_id(self) -> str:
        """What ratings are made by: what was chosen, else what covers most games, engines before comments."""
        self._refuse_empty()
        chosen = [each for each in self.values if each.recipe_id == self.site.values]
        if not self.values:
            raise InputError("nothing is analysed yet: start the analysis on the first page")
        in_order = chosen or sorted(self.values, key=lambda each: (-each.games, of_comments(each.recipe_id)))
        return in_order[0].recipe_id

    @cached_property
    def analysed_positions(self) -> dict[str, int]:
        """How many positions are analysed by each recipe, most first."""
        return dict(self.workspace.table_analyses.value_counts("recipe_id").most_common())

    @cached_property
    def source(self) -> CachedSource:
        """What studies of this state share."""
        return CachedSource(self.workspace)

    def study(self, include: Sequence[str] = ()) -> Study:
        """Open what the commands work with, of what is analysed."""
        return self._study(self.recipe_id, include)

    def _study(self, recipe_id: str, include: Sequence[str] = ()) -> Study:
        options = self.site.options
        return Study(
            self.source,
            recipe=options.recipe,
            include=include,
            analysed=recipe_id,
            time=options.time,
            min_turns=options.min_turns,
        )

    def study_of(self, name: str) -> Study:
        """Open the study of one player, the same for all that is asked of them: it rates them once."""
        if self._study_of is None or self._study_of[0] != name:
            self._study_of = name, self.study()
        return self._study_of[1]

    @cached_property
    def ratings(self) -> Ratings:
        """All players rated, as `assay rate` does; stored in the workspace for the next start."""
        return stored_ratings(self) or self._rate()

    def _rate(self) -> Ratings:
        # Without the way back to the decisions: they are read again where needed, and not all held.
        ratings = replace(self.study().rate(), read=None)
        store(self, ratings)
        return ratings

    def rating_with_prior(self, name: str) -> PlayerRating | None:
        """Give a player's rating with the prior that it has; None for a player who has no rating."""
        rated = self.rating_of(name)
        if rated is None or rated.prior is not None or not self.ratings.calibrated:
            return rated
        if (prior := stored_prior(self, name)) is None:
            self.ratings = self._rate()
            return self.rating_of(name)
        return replace(rated, prior=prior)

    def rating_of(self, name: str) -> PlayerRating | None:
        """Give a player's rating; None for a player who has none."""
        return next((player for player in self.ratings.players if player.player == name), None)

    @cached_property
    def choice(self) -> Choice:
        """Which games are rated, as the study chooses them."""
        try:
            chosen = self.source.choice(self.study().valuation)
        except InputError:  # nothing is analysed
            chosen = None
        return self.site.choice if chosen is None else chosen

    @cached_property
    def games(self) -> pa.Table:
        """All games without their moves, players by their canonical names, the last first."""
        self._refuse_empty()
        games = self.workspace.games(None, self.choice, columns=_COLUMNS)
        by = [("date", "descending"), ("event", "ascending"), ("round", "ascending")]
        return games.take(pc.sort_indices(games, by))

    @cached_property
    def places_of_games(self) -> dict[str, list[int]]:
        """By player, the rows of their games."""
        places: dict[str, list[int]] = {}
        for side in ("white", "black"):
            for place, name in enumerate(self.games[side].to_pylist()):
                places.setdefault(name, []).append(place)
        return {name: sorted(set(rows)) for name, rows in places.items()}

    @cached_property
    def decisions(self) -> Decisions:
        """All decisions, without the trace: what cards and tables of everyone are made from."""
        return self.study().decisions()

    @cached_property
    def everybody(self) -> PlayerEvidence:
        """All players together, to compare one with."""
        return compare(self.decisions)
