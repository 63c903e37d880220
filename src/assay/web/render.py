"""Answers as pages for people, and as JSON, CSV or a figure for programs: at the same address.

What is asked for is said by `Accept`, or by `?as=json` where a link must do.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from assay.decisions.text import printable
from assay.errors import AssayError
from assay.report.page import page_templates
from assay.web.cache import Cached
from assay.web.site import PATIENCE, Site

if TYPE_CHECKING:
    from assay.figures.figure import Figure

_KINDS = {"application/json": "json", "text/csv": "csv", "image/svg+xml": "svg", "text/html": "html"}

NAV = (
    ("/", "Start"),
    ("/players", "Players"),
    ("/games", "Games"),
    ("/compare", "Compare"),
    ("/everyone", "Everyone"),
    ("/tournament", "Tournament"),
    ("/screen", "Screen"),
    ("/results", "Results"),
    ("/live", "Live"),
    ("/spar", "Spar"),
    ("/workspace", "Workspace"),
)


_OF_COMMANDS = (
    ("see --csv or --json", "see the downloads"),
    ("see --json or --csv", "see the downloads"),
    ("--json names them", "the downloads name them"),
    (" (--min-moves)", ""),
    (" (--min-decisions)", ""),
    (", or lower --min-decisions", ""),
)
"""What answers say of options of the command line, and what a page says in its place."""


def wanted(request: Request) -> str:
    """What is asked for: html, json, csv, svg or the name of another download."""
    if said := request.query_params.get("as"):
        return said
    accept = request.headers.get("accept", "")
    found = [(accept.find(kind), name) for kind, name in _KINDS.items() if kind in accept]
    return min(found)[1] if found else "html"


def site_of(request: Request) -> Site:
    """What the pages share."""
    site: Site = request.app.state.site
    return site


def ask(request: Request, key: Any, make: Callable[[Any], Any], *, slow: bool = False) -> Cached:
    """What is found in the workspace; a program waits for it, a page does not wait long."""
    patience = _patience_left(request) if wanted(request) == "html" else None
    return site_of(request).ask(key, make, patience=patience, slow=slow)


def _patience_left(request: Request) -> float:
    """Seconds that a page may still wait: all that it asks for shares them."""
    now = time.monotonic()
    if not hasattr(request.state, "until"):
        request.state.until = now + PATIENCE
    return max(0.0, float(request.state.until) - now)


# Answers -------------------------------------------------------------------------------------------------


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """A page for people."""
    site = site_of(request)
    text = (
        templates()
        .get_template(template)
        .render(
            request=request,
            path=request.url.path,
            nav=NAV,
            place=site.folder.path.name,
            version=site.version,
            analysing=site.jobs.analysing,
            again=lambda **change: address(request, **change),
            **context,
        )
    )
    return HTMLResponse(text, status)


def document(value: Any, status: int = 200) -> Response:
    """A document for programs, as the commands print it."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return Response(f"{text}\n", status, media_type="application/json")


def download(content: str | bytes, kind: str, name: str) -> Response:
    """A file to be kept."""
    plain = re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)  # a header holds no other letters
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="{plain}"'}
    )


def table(rows: Sequence[Mapping[str, Any]], name: str) -> Response:
    """Rows as CSV."""
    from assay.cli.output import to_csv

    columns = list(dict.fromkeys(column for row in rows for column in row))
    return download(to_csv(rows, columns), "text/csv", f"{name}.csv")


def refusal(request: Request, sentence: str, status: int = 422) -> Response:
    """One sentence: what went wrong, and what to do."""
    if wanted(request) in ("json", "csv", "svg"):
        return document({"error": sentence}, status)
    return page(request, "refusal.html", status=status, sentence=sentence, title="That did not work")


def answer(
    request: Request,
    found: Cached,
    template: str,
    *,
    name: str,
    of: Callable[[Any], Any] = lambda value: value,
    figure: Callable[[Any], Figure] | None = None,
    **context: Any,
) -> Response:
    """An answer of a command, in the way that is asked for; `of` takes it from what was found."""
    how = wanted(request)
    if how != "html" and found.error:
        return refusal(request, found.error)
    if how == "json":
        shown = of(found.value)
        return document(shown.to_dict() if hasattr(shown, "to_dict") else shown.document())
    if how == "csv":
        return table(of(found.value).rows(), name)
    if how == "svg" and figure is not None:
        return download(f"{figure(found.value).svg()}\n", "image/svg+xml", f"{name}.svg")
    if how != "html":
        return refusal(request, f"this page is not to be had as '{printable(how)}'", 406)
    return page(request, template, found=found, **context)


def fail(request: Request, error: Exception) -> Response:
    """What is said of an error that a user can do something about."""
    from assay.web.cache import sentence_of

    return refusal(request, sentence_of(error), 422 if isinstance(error, AssayError) else 500)


def address(request: Request, **change: Any) -> str:
    """The page's address with some of its parameters changed; None leaves one out."""
    kept = {
        name: value for name, value in request.query_params.items() if name not in change and name != "as"
    }
    kept |= {name: str(value) for name, value in change.items() if value is not None}
    return f"{request.url.path}?{urlencode(kept)}" if kept else request.url.path


# Templates -----------------------------------------------------------------------------------------------


@cache
def templates() -> Environment:
    """The templates; names in them are text, whatever file they come from."""
    made = page_templates("assay.web")
    for name in ("elo", "interval", "points", "counted", "measured", "measured_interval"):
        made.filters[name] = _wording(name)
    made.filters["segment"] = lambda text: quote(str(text), safe="")
    made.filters["duration"] = _duration
    made.filters["shade"] = lambda strength: round(10 * float(strength))
    made.filters["numbered"] = lambda number: f"{number:,}"
    made.filters["for_pages"] = for_pages
    made.globals["outlines"] = _outlines
    return made


def for_pages(text: str) -> str:
    """A sentence of a command for those who have no command line before them."""
    for of_command, of_page in _OF_COMMANDS:
        text = text.replace(of_command, of_page)
    return text


def _wording(name: str) -> Callable[..., str]:
    """A filter of the report, imported when it is first used."""

    def shown(*given: Any) -> str:
        from assay.report import page as wording

        text: str = getattr(wording, name)(*given)
        return text

    return shown


def _duration(seconds: float) -> str:
    from assay.answers.answer import duration

    return duration(seconds)


def _outlines() -> Iterable[tuple[str, str]]:
    """The shapes of marks by the names that figures use."""
    from assay.figures.svg import REFERENCE_SHAPE, SHAPES

    yield from ((str(number), shape) for number, shape in enumerate(SHAPES.values()))
    yield "reference", REFERENCE_SHAPE


@cache
def style_sheet() -> str:
    """The report's style with that of the figures, and what only pages have."""
    from importlib.resources import files

    from assay.figures.svg import page_style

    report = (files("assay.report") / "templates" / "ratings.css").read_text(encoding="utf-8")
    own = (files("assay.web") / "static" / "pages.css").read_text(encoding="utf-8")
    return f"{page_style()}\n{report}\n{own}"


def json_for_script(value: Any) -> JSONResponse:
    """A small document for the page's own script."""
    return JSONResponse(value)
