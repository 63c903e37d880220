"""Players against players: two of any years, everyone against everyone, and the table of an event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.errors import AssayError, InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.pages.games import people_of

if TYPE_CHECKING:
    from assay.answers.comparisons import Comparison, HeadToHeads, MatchForecasts, Tournament
    from assay.figures.figure import Figure
    from assay.web.reading import Reading

MOST_NUMBERED, MOST_COLOURED = 20, 60
"""Players in the table of all against all: with numbers, and with colours alone."""

MOST_NAMES = 2000
"""Names that a field suggests: more would make the page slow."""


def routes() -> list[Route]:
    """The three pages."""
    return [Route("/compare", compare), Route("/everyone", everyone), Route("/tournament", tournament)]


def names_of(reading: Reading) -> list[str]:
    """All players, those with most games first."""
    counts = {name: len(places) for name, places in reading.places_of_games.items()}
    return sorted(counts, key=lambda name: (-counts[name], name))[:MOST_NAMES]


# Two players ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """What `assay compare` and `assay forecast` say of two players."""

    comparison: Comparison | None
    forecast: MatchForecasts | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Both documents, each under the name of its command; null where a command has no answer."""
        parts = {"compare": self.comparison, "forecast": self.forecast}
        return {name: one and one.to_dict() for name, one in parts.items()} | {"notes": list(self.notes)}

    def rows(self) -> list[Any]:
        """One row for each method that forecasts."""
        return list(self.forecast.rows()) if self.forecast else []

    def words(self) -> list[Any]:
        """The tables that the commands print."""
        return [table for one in (self.forecast, self.comparison) if one for table in one.words()]


def compare(request: Request) -> Response:
    """Two players, each in any years: side by side, and the forecast of a match by every method."""
    first, second = (request.query_params.get(name, "").strip() for name in ("first", "second"))
    names = render.ask(request, ("names",), names_of)
    found = Cached()
    if first and second:
        found = render.ask(
            request, ("compare", first, second), lambda reading: compared(reading, first, second), slow=True
        )
    elif render.wanted(request) != "html":
        raise InputError("name two players: /compare?first=NAME&second=NAME")
    return render.answer(
        request,
        found,
        "compare.html",
        name="compare",
        title="Compare",
        names=names,
        first=first,
        second=second,
        asked=bool(first and second),
        people=people_of(request),
    )


def compared(reading: Reading, first: str, second: str) -> Compared:
    """Both commands; what one of them cannot say is a note, unless neither has an answer."""
    study, notes = reading.study(), []
    comparison, forecast = None, None
    try:
        comparison = study.compare(first, second)
    except AssayError as error:
        notes.append(str(error))
    try:
        forecast = study.forecast(first, second)
    except AssayError as error:
        notes.append(str(error))
    if comparison is None and forecast is None:
        raise InputError(notes[0])
    return Compared(comparison, forecast, tuple(notes))


# Everyone ------------------------------------------------------------------------------------------------


def everyone(request: Request) -> Response:
    """Everyone against everyone: by ratings as the report has it, and by years as `assay versus` does."""
    from assay.models.registry import methods
    from assay.web.pages.people import ratings_of

    method = request.query_params.get("method", "markov")
    least = request.query_params.get("moves", "500")
    moves = float(least) if least.isascii() and least.isdigit() and len(least) < 8 else 500.0
    found = render.ask(
        request, ("versus", method, moves), lambda reading: versus(reading, method, moves), slow=True
    )
    if render.wanted(request) != "html":
        return render.answer(request, found, "", name="everyone", figure=versus_figure)
    ratings = render.ask(request, ("ratings",), ratings_of, slow=True)
    most = MOST_COLOURED if request.query_params.get("show") == "colours" else MOST_NUMBERED
    expected = None
    if ratings.ok and ratings.value.calibrated:
        of_all = ratings.value
        expected = render.ask(request, ("expectations", most), lambda _: expectations(of_all, most))
    return render.page(
        request,
        "everyone.html",
        title="Everyone against everyone",
        found=found,
        figure=versus_figure(found.value) if found.ok else None,
        expected=expected,
        ratings=ratings,
        coloured=most == MOST_COLOURED,
        most_numbered=MOST_NUMBERED,
        most_coloured=MOST_COLOURED,
        method=method,
        methods=list(methods()),
        moves=round(moves),
    )


def versus(reading: Reading, method: str, moves: float) -> HeadToHeads:
    """What `assay versus` answers."""
    return reading.study().versus(method=method, min_moves=moves)


def versus_figure(found: Any) -> Figure:
    """The heat map of `assay versus --plot`."""
    from assay.report.methods import versus_figure as drawn

    return drawn(found, found.method, found.white)


def expectations(ratings: Any, most: int) -> Any:
    """The report's table of expectations from the combined ratings, of the strongest so many."""
    from assay.report.ratings import expectation_table

    return expectation_table(ratings, most)


# An event ------------------------------------------------------------------------------------------------


def tournament(request: Request) -> Response:
    """The events, and the cross-table of one by quality of play."""
    event = request.query_params.get("event", "")
    events = render.ask(request, ("events",), events_of)
    found = Cached()
    if event:
        found = render.ask(
            request, ("tournament", event), lambda reading: cross_tables(reading, event), slow=True
        )
    elif render.wanted(request) != "html":
        raise InputError("name an event: /tournament?event=NAME")
    return render.answer(
        request,
        found,
        "tournament.html",
        name="tournament",
        title="Tournament",
        events=events,
        event=event,
        people=people_of(request),
    )


def events_of(reading: Reading) -> list[tuple[str, int]]:
    """Events with their games, the largest first."""
    from collections import Counter

    counts = Counter(event for event in reading.games["event"].to_pylist() if event)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def cross_tables(reading: Reading, event: str) -> Tournament:
    """What `assay tournament --event NAME` answers."""
    from assay.decisions.exclusions import PART_OF_EVENT

    return reading.study(include=tuple(PART_OF_EVENT)).tournament(event=event)
