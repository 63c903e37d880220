"""Everything that pages share: the folder, cached answers, the queue, how the server was started."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.settings import Settings, find_settings
from assay.web.cache import Cache, Cached
from assay.web.folder import ServedFolder
from assay.web.jobs import Jobs, work_of
from assay.web.pages.live import Follower
from assay.web.pages.spar import Sparring

if TYPE_CHECKING:
    from assay.decisions.exclusions import Choice
    from assay.web.reading import Reading
    from assay.web.tries import Tries


_QUIET = 10.0
"""Seconds without a change after which a workspace is not being written to: an analysis writes every five."""


@dataclass(frozen=True)
class Options:
    """How the server was started; what is None comes from the settings, as with every command."""

    recipe: str | None = None
    engine: str | None = None
    jobs: int | None = None
    time: str | None = None
    min_turns: int | None = None
    most_bytes: int = 500_000_000
    """Of an upload."""
    anywhere: bool = True
    """Whether files outside the folder may be named: not by those on other machines."""


class Site:
    """What a page is made from."""

    def __init__(self, folder: Path, options: Options | None = None) -> None:
        self.folder = ServedFolder(folder)
        self.options = options or Options()
        self.cache = Cache()
        self.jobs = Jobs(self.folder, work_of(self))
        self.follower = Follower(self.options.recipe, self.options.engine)
        self.sparring = Sparring(self._keep_game, self.options.recipe, self.options.engine)
        self._reading: tuple[Any, Reading] | None = None
        self.values: str | None = self.folder.wishes().get("values")
        """What ratings are made by, where that was chosen: the id of a recipe, or of the games' comments."""
        self._state: tuple[str, ...] = ()
        self._changed = -_QUIET
        """When the workspace was last seen to change."""
        self._with_scale: dict[str | None, list[str]] = {}
        self._lock = threading.Lock()
        self._tries: Tries | None = None

    def start(self) -> None:
        """Make the folder and begin with what is to be done."""
        self.folder.path.mkdir(parents=True, exist_ok=True)
        self.jobs.start()

    def close(self) -> None:
        """End what runs."""
        self.sparring.close()
        self.follower.end()
        if self._tries is not None:
            self._tries.close()
        self.jobs.close()
        self.cache.close()

    @property
    def version(self) -> str:
        """Changes whenever a page might look different."""
        return f"{self.jobs.version}.{self.cache.version}.{self.follower.version}.{self.sparring.version}"

    # How it was started ------------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The settings of the user and of the workspace."""
        return find_settings(self.folder.workspace)

    @property
    def recipe(self) -> str:
        """The recipe that is used where none is named."""
        return self.options.recipe or self.settings.recipe or "standard"

    def recipes(self) -> list[str]:
        """List the recipes that may be asked for from a page: the usual one, and those with an Elo scale.

        Starts the engine once to see which have one. Imports numpy and friends when first called.
        """
        from assay.doctor import calibrations

        engine = self.engine
        if engine not in self._with_scale:
            try:
                by_recipe, _ = calibrations(engine)
            except AssayError:  # the analysis says it
                return [self.recipe]
            self._with_scale[engine] = [name for name, scale in by_recipe.items() if scale is not None]
        return list(dict.fromkeys((self.recipe, *self._with_scale[engine])))

    @property
    def quickest(self) -> str:
        """The recipe for a first look: of one game, or of a move that is tried."""
        return "quick" if "quick" in self.recipes() else self.recipe

    def review(self, game_id: str) -> None:
        """Have a game analysed now, before anything else is."""
        row = self.reading().workspace.game(game_id).to_pylist()[0]
        self.jobs.add_review(game_id, "{white} – {black}".format(**row), self.quickest)

    @property
    def tries(self) -> Tries:
        """The engine for moves that are tried. Imports numpy and friends when first called."""
        from assay.web.tries import Tries

        with self._lock:
            self._tries = self._tries or Tries(self)
            return self._tries

    @property
    def engines(self) -> int | None:
        """How many engines run at once; None: one for each core."""
        return self.options.jobs if self.options.jobs is not None else self.settings.jobs

    @property
    def engine(self) -> str | None:
        """The engine that somebody named."""
        return self.options.engine or self.settings.engine

    @property
    def choice(self) -> Choice:
        """Which games are rated: what was chosen, or what is usual."""
        from assay.decisions.exclusions import Choice

        return Choice.parse(self.options.time, self.options.min_turns)

    def choose_values(self, recipe_id: str) -> None:
        """Make ratings by these values from now on, also after a restart."""
        self.values = recipe_id
        self.folder.keep_wish("values", recipe_id)
        self.cache.version += 1

    # What is known -----------------------------------------------------------------------------------------

    def reading(self) -> Reading:
        """Read the workspace as it is now. Imports numpy and friends when first called."""
        from assay.web.reading import Reading

        state = self.folder.state(), self.values
        with self._lock:
            if self._reading is None or self._reading[0] != state:
                self._reading = state, Reading(self)
            return self._reading[1]

    def ask(
        self,
        key: Any,
        make: Callable[[Reading], Any],
        *,
        patience: float | None,
        slow: bool = False,
    ) -> Cached:
        """Give what `make` computes from the workspace as it is now, computed once."""
        by = (self.values, key)
        state = self.folder.state()
        if state != self._state:
            self._state, self._changed = state, time.monotonic()
        return self.cache.get(
            by,
            state,
            lambda: make(self.reading()),
            patience=patience,
            slow=slow,
            rest=self._changed + _QUIET - time.monotonic(),
        )

    def _keep_game(self, pgn: str, title: str) -> None:
        """A game that was played here goes into the workspace like any other."""
        path = self.folder.new_upload("spar.pgn")
        path.write_text(pgn, encoding="utf-8")
        self.jobs.add_import(path, title)
