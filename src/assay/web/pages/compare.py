"""Players against players: two of any years, everyone, the table of an event, strength by results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay.errors import AssayError, InputError
from assay.web import render
from assay.web.cache import Cached
from assay.web.pages.games import people_of
from assay.web.pages.players import ask_ratings, games_of_players

if TYPE_CHECKING:
    from assay.answers.answer import Rows
    from assay.answers.comparisons import Comparison, CrossTable, HeadToHeads, MatchForecasts, Tournament
    from assay.answers.ratings import Ratings
    from assay.web.reading import Reading

MOST_NUMBERED, MOST_COLOURED = 20, 60
"""Players in the table of all against all: with numbers, and with colours alone."""

MOST_NAMES = 2000
"""Names that a field suggests: more would make the page slow."""

MODELS = ("ferreira2010", "company")
"""Models of results."""


def routes() -> list[Route]:
    """The pages."""
    return [
        Route("/compare", compare),
        Route("/everyone", everyone),
        Route("/tournament", tournament),
        Route("/results", results),
    ]


# Two players ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """What `assay compare` and `assay forecast` answer of two players; None where one has no answer."""

    comparison: Comparison | MatchForecasts | None
    forecast: MatchForecasts | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give both documents, each under the name of its command; null where it has no answer."""
        parts = {"compare": self.comparison, "forecast": self.forecast}
        rated = self.forecast.rated if self.forecast else ()
        return {
            **{name: part and part.to_dict() for name, part in parts.items()},
            "players": [player.to_dict() for player in rated if player],
            "notes": list(self.notes),
        }

    def rows(self) -> list[Any]:
        """Give one row for each method that forecasts."""
        return list(self.forecast.rows()) if self.forecast else []

    def words(self) -> list[Any]:
        """Give what the commands print with --details: the page itself has the answer."""
        return [table for part in (self.forecast, self.comparison) if part for table in part.details()]

    def details(self) -> tuple[()]:
        """Give nothing more."""
        return ()


def compare(request: Request) -> Response:
    """Two players, each in any years: by their ratings at once, then by every method."""
    first, second = (request.query_params.get(name, "").strip() for name in ("first", "second"))
    key, match, methods = (first, second), Cached(), Cached()
    if first and second:
        match = render.ask(
            request,
            ("match", *key),
            lambda reading: reading.study().forecast(first, second, ratings=reading.ratings),
            slow=True,
        )
        if match.ready:
            methods = render.ask(
                request, ("compare", *key), lambda reading: compared(reading, *key), slow=True
            )
    elif render.wanted(request) != "html":
        raise InputError("name two players: /compare?first=NAME&second=NAME")
    return render.respond(
        request,
        methods,
        "compare.html",
        name="compare",
        title="Compare",
        match=match,
        names=render.ask(request, ("games of players",), games_of_players),
        most_names=MOST_NAMES,
        first=first,
        second=second,
        asked=bool(first and second),
        people=people_of(request),
    )


def compared(reading: Reading, first: str, second: str) -> Compared:
    """Ask both commands; what one of them lacks is a note, unless neither has an answer."""
    study, notes = reading.study(), []
    commands: dict[str, Callable[..., Any]] = {"comparison": study.compare, "forecast": study.forecast}
    parts: dict[str, Any] = dict.fromkeys(commands)
    for name, command in commands.items():
        try:
            parts[name] = command(first, second, ratings=reading.ratings)
        except AssayError as error:
            notes.append(str(error))
    if len(notes) == len(parts):
        raise InputError(notes[0])
    answer = Compared(**parts, notes=tuple(notes))
    answer.rows()  # by every method, while nobody waits for the page
    return answer


# Everyone ------------------------------------------------------------------------------------------------


def everyone(request: Request) -> Response:
    """Everyone against everyone: by ratings as the report has it, and by years as `assay versus` does."""
    from assay.models.registry import methods

    method = request.query_params.get("method", "markov")
    moves = render.whole_number(request.query_params.get("moves", ""), 500)

    def make(reading: Reading) -> HeadToHeads:
        return reading.study().versus(method=method, min_moves=float(moves))

    answer = render.ask(request, ("versus", method, moves), make, slow=True)
    if render.wanted(request) != "html":
        return render.respond(request, answer, name="everyone", figure=render.figure_of)
    ratings = ask_ratings(request)
    most = MOST_COLOURED if request.query_params.get("show") == "colours" else MOST_NUMBERED
    expected = None
    if ratings.ok and ratings.value.calibrated:
        from assay.report.ratings import expectation_table

        rated = ratings.value
        expected = render.ask(request, ("expectations", most), lambda _: expectation_table(rated, most))
    return render.page(
        request,
        "everyone.html",
        title="Everyone against everyone",
        answer=answer,
        figure=render.figure_of(answer.value) if answer.ok else None,
        expected=expected,
        ratings=ratings,
        coloured=most == MOST_COLOURED,
        most_numbered=MOST_NUMBERED,
        most_coloured=MOST_COLOURED,
        method=method,
        methods=list(methods()),
        moves=moves,
        chosen="method" in request.query_params,
    )


# An event ------------------------------------------------------------------------------------------------


def tournament(request: Request) -> Response:
    """The events, and the cross-table of one by quality of play."""
    event = request.query_params.get("event", "")

    def make(reading: Reading) -> Tournament:
        from assay.decisions.exclusions import PART_OF_EVENT

        return reading.study(include=tuple(PART_OF_EVENT)).tournament(event=event)

    answer = Cached()
    if event:
        answer = render.ask(request, ("tournament", event), make, slow=True)
    elif render.wanted(request) != "html":
        raise InputError("name an event: /tournament?event=NAME")
    return render.respond(
        request,
        answer,
        "tournament.html",
        name="tournament",
        title="Tournament",
        events=render.ask(request, ("events",), events_of),
        ratings=ask_ratings(request) if event else None,
        standing=standing,
        in_words=in_words,
        event=event,
        people=people_of(request),
    )


def standing(table: CrossTable, ratings: Ratings) -> list[dict[str, Any]]:
    """Give the players of an event by their points, each with the rating that the page Players shows."""
    by_player = {player.player: player for player in ratings.players}
    return [
        {
            "player": name,
            "title": name,
            "combined": by_player[name].combined if name in by_player else None,
            "reference": float(table.elos[row]),
            "points": float(table.total_results[row]),
            "games": int(table.games[row].sum()),
        }
        for row, name in enumerate(table.players)
    ]


def in_words(table: CrossTable, ratings: Ratings) -> str:
    """Say who of an event probably played best, by the same ratings."""
    present = tuple(player for player in ratings.players if player.player in table.players)
    return " ".join(replace(ratings, players=present).sentences())


def events_of(reading: Reading) -> list[tuple[str, int]]:
    """List events with their games, the largest first."""
    counts = Counter(event for event in reading.games["event"].to_pylist() if event)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


# Results alone -------------------------------------------------------------------------------------------


def results(request: Request) -> Response:
    """What `assay results fit` answers."""
    model = request.query_params.get("model", MODELS[0])
    model = model if model in MODELS else MODELS[0]

    def make(reading: Reading) -> Rows:
        from assay.results.baselines import strengths
        from assay.results.competition import read_results
        from assay.source import open_source

        reading.games  # noqa: B018 - says that there are none
        source = open_source(reading.workspace.path, keep=False)
        return strengths(read_results(source).games, model, limit=200)

    return render.respond(
        request,
        render.ask(request, ("results", model), make, slow=True),
        "results.html",
        name="results",
        title="Results",
        model=model,
        models=MODELS,
        people=people_of(request),
    )
