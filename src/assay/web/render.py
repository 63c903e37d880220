"""Answers as pages for people, and as JSON, CSV or a figure for programs: at the same address.

What is asked for is said by `Accept`, or by `?as=json` where a link must do.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import parse_qs, urlencode

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from assay.answers.answer import Drawn, columns_of, duration, to_csv
from assay.errors import AssayError, InputError, printable
from assay.figures.svg import REFERENCE_SHAPE, SHAPES, Svg, page_style
from assay.report.page import asset, elo, page_templates
from assay.web.cache import Cached, sentence_of

if TYPE_CHECKING:
    from assay.answers.answer import Answer
    from assay.figures.figure import Figure
    from assay.web.site import Site

T = TypeVar("T")
S = TypeVar("S")

PATIENCE = 0.2
"""Seconds that a page waits for what is being computed before it is shown without."""

MOST_TEXT = 20_000_000
"""Bytes of a form, pasted games included."""

ROWS = 50
"""Rows on one page of a table."""

PGN = "application/x-chess-pgn"

STYLE = "style.css"
STATIC = {
    STYLE: ("pages.css", "text/css"),
    **{
        name: (name, "text/javascript") for name in ("pages.js", "board.js", "game.js", "spar.js", "train.js")
    },
    "icon.svg": ("icon.svg", "image/svg+xml"),
}
"""Styles, scripts and pictures of ours: the file, and its kind."""

_KINDS = {"application/json": "json", "text/csv": "csv", "image/svg+xml": "svg", "text/html": "html"}

DOORS: dict[str, tuple[tuple[str, str], ...]] = {
    "Home": (("/", "Home"),),
    "Players": (("/players", "Players"), ("/train", "Train")),
    "Games": (("/games", "Games"),),
    "Compare": (
        ("/compare", "Two players"),
        ("/everyone", "Everyone"),
        ("/champions", "Champions"),
        ("/tournament", "Tournament"),
        ("/results", "Results"),
    ),
    "Play": (("/spar", "Spar"), ("/live", "Live")),
}
"""The pages behind each door of the head: a page is added by its address and its name."""

WHEEL = (("/screen", "Fair play"), ("/workspace", "Workspace"))
"""Pages behind the wheel."""

_OF_COMMANDS = (
    ("The decisions that weigh most, and how to repeat this: --dossier PLAYER FILE", ""),
    ("see --csv or --json", "see the downloads"),
    ("see --json or --csv", "see the downloads"),
    ("--json names them", "the downloads name them"),
    ("(--evaluations engine, recipe", "(recipe"),
    ("assay calibrate --like standard makes one", "assay calibrate makes one on the command line"),
    (
        "put such lines into a file and import with --aliases FILE",
        "such lines in a file of aliases settle it",
    ),
)
"""What answers say of options of the command line, and what a page says in its place."""

_OPTION = r"(?:--[a-z]|docs/)"
_ASIDE = re.compile(rf" \([^()]*{_OPTION}[^()]*\)")
_CLAUSE = re.compile(rf"[;,:] (?:(?![;,:] |\. ).)*?{_OPTION}(?:(?!; |\. |\.$).)*")
_LINE = re.compile(r"(?:More: )?--[a-z].*")
"""An option in brackets, in a clause, and as a whole line."""

_BARS = re.compile("\\s*[\u2581-\u2588][\u2581-\u2588 ]*")
"""A chart in letters: a page has the figure."""


# Questions -----------------------------------------------------------------------------------------------


def wanted(request: Request) -> str:
    """Say what is asked for: html, json, csv, svg or the name of another download."""
    if kind := request.query_params.get("as"):
        return kind
    accept = request.headers.get("accept", "")
    accepted = [(accept.find(kind), name) for kind, name in _KINDS.items() if kind in accept]
    return min(accepted)[1] if accepted else "html"


def site_of(request: Request) -> Site:
    """Give what the pages share."""
    site: Site = request.app.state.site
    return site


def ask(request: Request, key: Any, make: Callable[[Any], Any], *, slow: bool = False) -> Cached:
    """Compute something from the workspace, or take it from the cache.

    A program waits for it; a page does not wait long, and all that it asks for shares its patience.
    """
    patience = None
    if wanted(request) == "html":
        now = time.monotonic()
        if not hasattr(request.state, "until"):
            request.state.until = now + PATIENCE
        patience = max(0.0, float(request.state.until) - now)
    return site_of(request).ask(key, make, patience=patience, slow=slow)


def values_of(request: Request) -> Cached:
    """Give what ratings may be made by, and which of them they are."""
    return ask(request, ("values",), lambda reading: (reading.values, reading.values and reading.recipe_id))


def whole_number(text: str, otherwise: int = 0) -> int:
    """Read a number that somebody may have typed into an address."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise


async def read_form(request: Request) -> dict[str, str]:
    """Read the fields of a form, which is bounded: larger things are uploaded as files."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_TEXT:
            raise InputError(f"that is more than {MOST_TEXT // 1_000_000} MB of text: drop it as a file")
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    return {name: values[0] for name, values in fields.items()}


@dataclass(frozen=True)
class Paged(Generic[T]):
    """One page of rows."""

    rows: Sequence[T]
    page: int
    pages: int
    first: int
    """Number of the first row, from 1; 0 where there is none."""
    of_all: int

    def with_rows(self, rows: Sequence[S]) -> Paged[S]:
        """Put other rows in the places of these."""
        return Paged(rows, self.page, self.pages, self.first, self.of_all)


def paged(rows: Sequence[T], page: str, size: int = ROWS) -> Paged[T]:
    """Cut out the page that is asked for; the nearest one where there is none of that number."""
    pages = max(1, -(-len(rows) // size))
    number = min(max(whole_number(page, 1), 1), pages)
    start = (number - 1) * size
    return Paged(rows[start : start + size], number, pages, start + 1 if rows else 0, len(rows))


# Answers -------------------------------------------------------------------------------------------------


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """Answer with a page for people."""
    site = site_of(request)
    text = (
        templates()
        .get_template(template)
        .render(
            request=request,
            doors=DOORS,
            door=door_of(request.url.path),
            wheel=WHEEL,
            here=place_of(request.url.path),
            most=site.options.most_bytes,
            place=site.folder.path.name,
            version=request.state.version,
            analysing=site.jobs.analysing,
            values=values_of(request),
            again=lambda **change: address(request, **change),
            **context,
        )
    )
    return HTMLResponse(text, status)


def place_of(path: str) -> str:
    """Give the address of the list that a page belongs to."""
    return "/" + path.split("/")[1]


def door_of(path: str) -> str:
    """Name the door that a page is behind; empty for those behind the wheel."""
    pages = ((door, address) for door, pages in DOORS.items() for address, _ in pages)
    return next((door for door, address in pages if address == place_of(path)), "")


def document(value: Any, status: int = 200) -> Response:
    """Answer with a document for programs, as the commands print it."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return Response(f"{text}\n", status, media_type="application/json")


def download(content: str | bytes, kind: str, name: str) -> Response:
    """Answer with a file to be kept."""
    plain = re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)  # a header holds no other letters
    headers = {"content-disposition": f'attachment; filename="{plain}"'}
    return Response(content, media_type=kind, headers=headers)


def computed_download(
    request: Request, key: Any, make: Callable[[Any], str | bytes], kind: str, name: str
) -> Response:
    """Answer with a file that takes long to make; even a page waits for it."""
    answer = site_of(request).ask(key, make, patience=None, slow=True)
    return refusal(request, answer.error) if answer.error else download(answer.value, kind, name)


def figure_of(answer: Answer) -> Figure:
    """Draw an answer as its command does."""
    from assay.report.figures import figure_of

    return figure_of(answer)


def drawing(figure: Figure, name: str) -> Response:
    """Answer with a figure to be kept."""
    return download(f"{figure.svg()}\n", "image/svg+xml", f"{name}.svg")


def table(rows: Sequence[Mapping[str, Any]], name: str) -> Response:
    """Answer with rows as CSV."""
    return download(to_csv(rows, columns_of(rows)), "text/csv", f"{name}.csv")


def refusal(request: Request, sentence: str, status: int = 422) -> Response:
    """Answer with one sentence: what went wrong, and what to do."""
    if wanted(request) in ("json", "csv", "svg"):
        return document({"error": sentence}, status)
    return page(request, "refusal.html", status=status, sentence=sentence, title="That did not work")


def fail(request: Request, error: Exception) -> Response:
    """Answer with the sentence of an error."""
    return refusal(request, sentence_of(error), 422 if isinstance(error, AssayError) else 500)


def respond(
    request: Request,
    answer: Cached,
    template: str = "",
    *,
    name: str,
    of: Callable[[Any], Any] = lambda value: value,
    figure: Callable[[Any], Figure] | None = None,
    **context: Any,
) -> Response:
    """Answer what a command answers, in the way that is asked for; `of` takes it from what is cached."""
    kind = wanted(request)
    if kind != "html" and answer.error:
        return refusal(request, answer.error)
    if kind == "json":
        return document(of(answer.value).to_dict())
    if kind == "csv":
        return table(of(answer.value).rows(), name)
    if kind == "svg" and figure is not None:
        return drawing(figure(answer.value), name)
    if kind != "html":
        return refusal(request, f"this page is not to be had as '{printable(kind)}'", 406)
    return page(request, template, answer=answer, **context)


def address(request: Request, **change: Any) -> str:
    """Write the page's address with some of its parameters changed; None leaves one out."""
    query = {name: text for name, text in request.query_params.items() if name not in change and name != "as"}
    query |= {name: str(value) for name, value in change.items() if value is not None}
    return f"{request.url.path}?{urlencode(query)}" if query else request.url.path


# Templates -----------------------------------------------------------------------------------------------


@cache
def templates() -> Environment:
    """Load the templates; names in them are text, whatever file they come from."""
    loaded = page_templates("assay.web")
    loaded.filters["duration"] = duration
    loaded.filters["numbered"] = lambda number: f"{number:,}"
    loaded.filters["for_pages"] = for_pages
    loaded.filters["track"] = _track
    loaded.filters["track_axis"] = _track_axis
    loaded.tests["drawn"] = lambda cell: isinstance(cell, Drawn)
    loaded.globals["outlines"] = _outlines
    loaded.globals["static"] = static_address
    return loaded


def for_pages(text: str) -> str:
    """Turn a sentence of a command into one for those who have no command line before them."""
    for of_command, of_page in _OF_COMMANDS:
        text = text.replace(of_command, of_page)
    return "" if _LINE.fullmatch(text) else _CLAUSE.sub("", _ASIDE.sub("", _BARS.sub("", text)))


def _track(cell: Drawn) -> Svg:
    """Draw a cell that a terminal draws in letters. Imports numpy."""
    from assay.figures.axes import ticks
    from assay.figures.intervals import REFERENCE, Mark, Row, track

    words = f"{cell.value:.0f} ({cell.low:.0f} to {cell.high:.0f})"
    marks = [Mark(cell.mark, REFERENCE, f"published rating {elo(cell.mark)}")]
    row = Row(words, cell.value, cell.low, cell.high, words, marks)
    return track(row, cell.axis, ticks(*cell.axis, most=5))


def _track_axis(cell: Drawn) -> Svg:
    """Write the numbers of the axis of such cells."""
    from assay.figures.axes import ticks
    from assay.figures.intervals import track_axis

    return track_axis(cell.axis, ticks(*cell.axis, most=5), elo)


def _outlines() -> Iterable[tuple[str, str]]:
    """Give the shapes of marks by the names that figures use."""
    yield from ((str(number), shape) for number, shape in enumerate(SHAPES.values()))
    yield "reference", REFERENCE_SHAPE


@cache
def static_file(name: str) -> tuple[str, str]:
    """Read the style sheet, or a script or picture of ours; with it a hash of its content."""
    content = (files("assay.web") / "static" / STATIC[name][0]).read_text(encoding="utf-8")
    if name == STYLE:  # the report's style, that of the figures, and what only pages have
        content = f"{page_style()}\n{asset('ratings.css')}\n{content}"
    return content, hashlib.sha256(content.encode()).hexdigest()[:16]


def static_address(name: str) -> str:
    """Write the address of a file of ours, by which a browser may keep it for good."""
    return f"/static/{name}?v={static_file(name)[1]}"
