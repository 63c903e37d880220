"""The paper's events of other years, analysed anew: Tables 2, 5 and 6, and the matches of section 8.

All are in one workspace. What is not analysed there to the end yet is named, and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from assay.answers.ratings import Quantity
from assay.decisions.decisions import Decisions
from assay.decisions.names import fold
from assay.errors import InputError
from assay.models.gain.model import GainModel, compare
from assay.models.gain.tournament import engine_strength_from, of_strength, strengths
from assay.reproduce import facts
from research.markdown import PLAIN, RIGHT, render, table
from research.papers.ferreira2012.events import INCLUDE, family, model_for

WHOLE = 0.99
"""An event is whole when so many of its moves are analysed."""

SPELLINGS = {"kortschnoj": "korchnoi", "huebner": "hubner"}
"""Names as the games have them, where the paper has others."""


@dataclass(frozen=True)
class Event:
    """An event: what it is called here, a word of its name in the games, and its year."""

    title: str
    word: str
    year: int

    def of(self, decisions: Decisions) -> Decisions:
        """Its decisions."""
        of_year = decisions.select(year=self.year)
        names = {name for name in of_year.text("event") if name is not None and self.word in name}
        return of_year.select(event=sorted(names))


LONDON = Event("London Classic 2011", "London", 2011)
TAL = Event("Tal Memorial 2011", "Tal Memorial", 2011)
CANDIDATES = Event("Candidates 1971", "Candidat", 1971)
MATCHES = {
    "fischer_spassky_1972": Event("Fischer-Spassky 1972", "World Championship", 1972),
    "kasparov_karpov_1985": Event("Kasparov-Karpov 1985", "World Championship", 1985),
    "fischer_spassky_1992": Event("Fischer-Spassky 1992", "Belgrade", 1992),
    "kasparov_deep_blue_1997": Event("Kasparov-Deep Blue 1997", "Man-Machine", 1997),
}
EVENTS = (LONDON, TAL, CANDIDATES, *MATCHES.values())


class History:
    """The events of a workspace, and the engine's strength as the London Classic 2011 has it."""

    def __init__(self, decisions: Decisions) -> None:
        self.decisions = decisions
        self.printed = facts("ferreira2012")

    def of(self, event: Event) -> Decisions:
        """The decisions of an event."""
        return event.of(self.decisions)

    def analysed(self, event: Event) -> tuple[int, int]:
        """How many moves of an event are analysed, and how many there are."""
        own = self.of(event)
        return int((own.n_options > 0).sum()), len(own)

    def is_whole(self, *events: Event) -> bool:
        """Whether all of these events are analysed to the end."""
        return all(0 < whole * WHOLE <= done for done, whole in map(self.analysed, events))

    def coverage(self) -> str:
        """What is analysed of each event."""
        rows = []
        for event in EVENTS:
            done, whole = self.analysed(event)
            state = "whole" if self.is_whole(event) else "not whole yet: left out below"
            rows.append((event.title, len(self.of(event).games), f"{done:,} of {whole:,}", state))
        return table(("event", "games", "moves analysed", ""), rows, (PLAIN, RIGHT, RIGHT, PLAIN))

    @cached_property
    def models(self) -> Mapping[str, GainModel]:
        """The engine as its peak and as it was measured, each of the strength that London 2011 gives it."""
        london, whole = self.of(LONDON), [self.of(event) for event in EVENTS if self.is_whole(event)]
        peak = model_for(london, "peak")
        measured = GainModel(engine_profile="measured", include=INCLUDE).measure_engine(
            Decisions.concat(whole)
        )
        return {
            name: of_strength(model, engine_strength_from(london, model))
            for name, model in (("peak", peak), ("measured", measured))
        }

    def engines(self) -> str:
        """The engine's strength by either distribution, beside the paper's."""
        peak, measured = (f"{model.engine_strength:.0f}" for model in self.models.values())
        return f"{peak} with its peak, {measured} with its measured distribution"

    # Table 2 -------------------------------------------------------------------------------------------

    def table_2(self) -> str:
        """Players at London against players at the Tal Memorial: the paper's difference, ours, agreement."""
        model = self.models["peak"]
        london, tal = self.of(LONDON), self.of(TAL)
        names = {family(name): name for name in london.players}
        rows, theirs, ours, inside = [], [], [], 0
        shown = [name for name in self.printed["table_2"] if name in names]
        for row in shown:
            cells = [row]
            for column in shown:
                printed = self.printed["table_2"][row][column]
                first, second = london.select(player=names[row]), tal.select(player=names[column])
                found = compare(first, second, model)
                value, low, high = found.differences
                theirs.append(float(printed["difference"]))
                ours.append(value)
                inside += low <= theirs[-1] <= high
                cells.append(f"{printed['difference']:+d}; {value:+.0f} ({low:+.0f} to {high:+.0f})")
            rows.append(cells)
        heads = ("at London", *(f"{name} at Tal" for name in shown))
        agreement = (
            f"{inside} of {len(ours)} published differences lie inside our intervals; the rank correlation "
            f"of the differences is **{spearmanr(theirs, ours).statistic:.2f}**, their mean distance "
            f"{np.abs(np.subtract(theirs, ours)).mean():.0f} points. The pairs share "
            f"{2 * len(shown)} distributions, so they are no {len(ours)} separate tests."
        )
        return f"{table(heads, rows)}\n\n{agreement}"

    # Algorithm 4 ---------------------------------------------------------------------------------------

    def table_5(self) -> str:
        """The Candidates of 1971 through the engine."""
        printed = {one["player"]: float(one["estimated"]) for one in self.printed["table_5"]["players"]}
        elos = {one["player"]: float(one["elo"]) for one in self.printed["table_5"]["players"]}
        return self._through_engine(CANDIDATES, printed, elos)

    def matches(self) -> Iterator[tuple[str, str]]:
        """Each match that is whole, with its table."""
        for key, event in MATCHES.items():
            if self.is_whole(event):
                printed = {name: float(value) for name, value in self.printed["section_8"][key].items()}
                yield event.title, self._through_engine(event, printed, {}) + self._direct(event)

    def _direct(self, event: Event) -> str:
        """The two players of a match directly, by Algorithm 1."""
        own = self.of(event)
        first, second = own.players
        if event is MATCHES["kasparov_deep_blue_1997"]:
            first, second = second, first  # Kasparov first, as in the paper
        found = compare(own.select(player=first), own.select(player=second), self.models["peak"])
        value, low, high = found.differences
        theirs = ""
        if event is MATCHES["kasparov_deep_blue_1997"]:
            theirs = f" The paper: {self.printed['section_8']['kasparov_over_deep_blue']}."
        return (
            f"\n\nDirectly (Algorithm 1) {family(first)} is ahead of {family(second)} by {value:.0f} "
            f"({low:.0f} to {high:.0f}).{theirs}"
        )

    def _through_engine(self, event: Event, printed: Mapping[str, float], elos: Mapping[str, float]) -> str:
        own = self.of(event)
        found = {name: strengths(own, model) for name, model in self.models.items()}
        rows: list[tuple[Any, ...]] = []
        for player, _ in sorted(found["peak"], key=lambda key: -found["peak"][key].value):
            name = published_name(player, printed)
            theirs = printed.get(name, float("nan"))
            rows.append((name, elos.get(name), theirs, *(by[player, ""] for by in found.values())))
        ours = ("in the paper", "by the engine's peak", "by its measured distribution")
        heads = ("player", *(["Elo"] if elos else []), *ours)
        lines = table(
            heads, [tuple(_cells(row, bool(elos))) for row in rows], (PLAIN, *[RIGHT] * (len(heads) - 1))
        )
        return f"{lines}\n\n{_agreement([row for row in rows if not np.isnan(row[2])])}"


def published_name(player: str, printed: Mapping[str, float]) -> str:
    """The name that the paper has for a player; the family name where it has none."""
    own = fold(family(player))
    own = SPELLINGS.get(own, own)
    return next((name for name in printed if fold(name) == own), family(player))


def _cells(row: Sequence[Any], with_elo: bool) -> Iterator[str]:
    name, elo, theirs, *ours = row
    yield name
    if with_elo:
        yield f"{elo:.0f}" if elo is not None else ""
    yield "" if np.isnan(theirs) else f"{theirs:.0f}"
    for one in ours:
        yield f"{one.value:.0f} ({one.low:.0f} to {one.high:.0f})"


def _agreement(rows: Sequence[Sequence[Any]]) -> str:
    """How far the published strengths and ours agree."""
    theirs = np.array([row[2] for row in rows])
    said = []
    for place, how in enumerate(("peak", "measured distribution"), start=3):
        ours: list[Quantity] = [row[place] for row in rows]
        inside = sum(one.low <= value <= one.high for one, value in zip(ours, theirs, strict=True))
        text = f"With the {how} {inside} of {len(rows)} published strengths lie inside our intervals"
        if len(rows) > 2:
            rank = spearmanr(theirs, [one.value for one in ours]).statistic
            text += f", and the rank correlation with the paper is **{rank:.2f}**"
        said.append(text)
    return ". ".join(said) + "."


def page(decisions: Decisions) -> str:
    """The page of the events, from the decisions of their workspace."""
    found = History(decisions)
    if not found.is_whole(LONDON):
        raise InputError("the London Classic 2011, which gives the engine its strength, is not analysed yet")
    context = {
        "engines": found.engines(),
        "engine": found.printed["section_8"]["engine"],
        "coverage": found.coverage(),
        "table_2": found.table_2() if found.is_whole(TAL) else "",
        "table_5": found.table_5() if found.is_whole(CANDIDATES) else "",
        "matches": list(found.matches()),
        "missing": ", ".join(event.title for event in MATCHES.values() if not found.is_whole(event)),
    }
    return render(files(__package__) / "gain-events.md.jinja", context)
