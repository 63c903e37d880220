"""Everything that pages share: the place, what was worked out, the queue, how the server was started."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.web.following import Follower
from assay.web.jobs import Jobs
from assay.web.place import Place
from assay.web.shelf import Found, Shelf
from assay.web.sparring import Sparring, upload_of
from assay.web.work import work_of

if TYPE_CHECKING:
    from assay.decisions.exclusions import Choice
    from assay.engine.recipe import Recipe
    from assay.web.reading import Reading

PATIENCE = 0.2
"""Seconds that a page waits for what is being worked out before it is shown without."""

RECIPES = ("quick", "standard", "deep")
"""Recipes that a page offers; `assay serve --recipe` adds another."""


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

    def chosen(self, workspace: Path) -> str:
        """The recipe that is used where none is named."""
        from assay.settings import find_settings

        return self.recipe or find_settings(workspace).recipe or "standard"

    def offered(self, workspace: Path) -> list[str]:
        """The recipes that may be asked for from a page, the usual one first."""
        return list(dict.fromkeys((self.chosen(workspace), *RECIPES)))

    def recipe_of(self, name: str) -> Recipe:
        """A recipe by its name."""
        from assay.engine.recipe import find_recipe

        return find_recipe(name)

    def jobs_for(self, workspace: Path) -> int | None:
        """How many engines run at once; None: one for each core."""
        from assay.settings import find_settings

        return self.jobs if self.jobs is not None else find_settings(workspace).jobs

    def engine_for(self, workspace: Path) -> str | None:
        """The engine that somebody named."""
        from assay.settings import find_settings

        return self.engine or find_settings(workspace).engine

    def choice(self) -> Choice:
        """Which games are rated."""
        from assay.decisions.exclusions import Choice

        return Choice.parse(self.time, self.min_turns)


class Site:
    """What a page is made from."""

    def __init__(self, place: Place, options: Options | None = None) -> None:
        self.place = place
        self.options = options or Options()
        self.shelf = Shelf()
        self.jobs = Jobs(place, work_of(place, self.options))
        self.follower = Follower(self.options.recipe, self.options.engine)
        self.sparring = Sparring(self._keep_game, self.options.recipe, self.options.engine)
        self._reading: tuple[Any, Reading] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Make the folder and begin with what is to be done."""
        self.place.prepare()
        self.jobs.start()

    def close(self) -> None:
        """End what runs."""
        self.sparring.close()
        self.follower.end()
        self.jobs.close()
        self.shelf.close()

    @property
    def version(self) -> str:
        """Changes whenever a page might look different."""
        return f"{self.jobs.version}.{self.shelf.version}.{self.follower.version}.{self.sparring.version}"

    def _keep_game(self, pgn: str, title: str) -> None:
        """A game that was played here goes into the workspace like any other."""
        self.jobs.add_import(upload_of(self.place, pgn), title)

    def reading(self) -> Reading:
        """The workspace as it is now. Imports numpy and friends when first called."""
        from assay.web.reading import Reading

        state = self.place.state()
        with self._lock:
            if self._reading is None or self._reading[0] != state:
                self._reading = state, Reading(self.place, self.options)
            return self._reading[1]

    def ask(
        self,
        key: Any,
        make: Callable[[Reading], Any],
        *,
        patience: float | None = PATIENCE,
        slow: bool = False,
    ) -> Found:
        """What `make` finds in the workspace as it is now, worked out once."""
        state = self.place.state()
        return self.shelf.get(key, state, lambda: make(self.reading()), patience=patience, slow=slow)
