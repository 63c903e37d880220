"""What every `--json` document contains, as types, and the JSON Schemas that are made from them.

Keys may be added in later versions: a schema allows others than its own. A number that is not known is null.
The files in `assay/data/schemas` are these schemas; a test compares them, and checks what commands print.
"""

import types
import typing
from typing import Any, Literal, NotRequired, TypedDict

Number = float | None


class Interval(TypedDict):
    """A rating with the ends of its interval."""

    elo: Number
    low: Number
    high: Number


class MeasureWithEnds(TypedDict):
    """A method's own number, where there is no Elo scale."""

    name: str
    value: Number
    low: Number
    high: Number


class PlayerDocument(TypedDict):
    """One player, or a part of a player's games: a year, an event, a phase."""

    player: str
    part: str | None
    games: int
    decisions: int
    reference: Number
    ratings: dict[str, Interval]
    combined: Interval | None
    measures: NotRequired[dict[str, MeasureWithEnds]]
    percentiles: NotRequired[dict[str, Any] | None]


class RateDocument(TypedDict):
    """`assay rate`."""

    engine: str | None
    recipe: str | None
    by: str
    calibrated: bool
    scale: str | None
    prior: str | None
    players: list[PlayerDocument]
    left_out: dict[str, int]
    notes: list[str]


class ScreenedDocument(TypedDict):
    """One player of a screening."""

    player: str
    games: int
    decisions: int
    reference: Number
    z: dict[str, Number]
    p: Number
    q: Number
    flag: Any


class ScreenDocument(TypedDict):
    """`assay screen`."""

    engine: str | None
    recipe: str | None
    players: list[ScreenedDocument]
    left_out: dict[str, str]
    notes: list[str]


class StatusDocument(TypedDict):
    """`assay status`."""

    games: int
    excluded: dict[str, int]
    players: int
    names: dict[str, int]
    ambiguous: list[str]
    annotations: int
    analyses: dict[str, int]
    missing: dict[str, int]
    recipes: dict[str, dict[str, str]]


class ImportDocument(TypedDict):
    """`assay import`."""

    files: int
    read: int
    added: int
    known: int
    rated: int
    fragments: int
    annotations: int
    excluded: dict[str, int]
    clocks: dict[str, int]
    doubts: dict[str, int]
    problems: list[str]
    ambiguous: list[str]


class ComparedDocument(TypedDict):
    """One of two players compared."""

    player: str
    games: float
    decisions: float
    rating: Interval | None


class Expected(TypedDict):
    """An expected score with the ends of its interval."""

    value: Number
    low: Number
    high: Number


class CompareDocument(TypedDict):
    """`assay compare`."""

    scale: str | None
    players: list[ComparedDocument]
    expectation: Expected | None


class ForecastByMethod(TypedDict):
    """The expected score of the first player by one method."""

    method: str
    expectation: Number
    low: Number
    high: Number
    win: Number
    draw: Number
    loss: Number


class ForecastDocument(TypedDict):
    """`assay forecast` of two players."""

    first: str
    second: str
    forecasts: list[ForecastByMethod]
    notes: list[str]


class TournamentPlayer(TypedDict):
    """One row of a cross-table."""

    player: str
    elo: Number
    points: Number
    expected_points: Number
    rating: Interval | None
    opponents: list[dict[str, Any]]


class TournamentDocument(TypedDict):
    """One event of `assay tournament`."""

    event: str | None
    scale: str | None
    players: list[TournamentPlayer]
    notes: list[str]


class MomentDocument(TypedDict):
    """A position of a lesson."""

    kind: str
    game: str
    turn: int
    colour: str
    opponent: str
    fen: str
    played: str
    better: str
    lost: float
    before: float
    of_100: int
    of_100_next: int


class LessonDocument(TypedDict):
    """`assay lesson`."""

    player: str
    elo: float
    games: int
    decisions: int
    positions: list[MomentDocument]
    percentiles: dict[str, Any] | None


class PeriodDocument(Interval):
    """One period of a player's progress."""

    period: str
    games: int
    decisions: int
    few: bool


class ProgressDocument(TypedDict):
    """`assay progress`."""

    player: str
    by: str
    periods: list[PeriodDocument]
    trend: dict[str, Any] | None
    sentence: str
    games_without_date: int


class CareerYear(TypedDict):
    """One year of `assay career`; each method's own numbers stand beside these."""

    player: str
    year: int
    games: float
    decisions: float
    active: bool
    notes: list[str]
    ratings: NotRequired[dict[str, Interval]]


class VersusDocument(TypedDict):
    """`assay versus`: each row is a player, each column an opponent."""

    method: str
    white: bool
    names: list[str]
    expectation: list[dict[str, str | float | None]]


class StrengthByResults(TypedDict):
    """One player of `assay results fit`."""

    rank: int
    player: str
    games: int
    strength: Number


class ResultsDocument(TypedDict):
    """`assay results fit`."""

    model: str
    games: int
    players: list[StrengthByResults]


class CheckDocument(TypedDict):
    """One check of `assay doctor`."""

    check: str
    found: str
    ok: bool
    advice: str


class RecipeDocument(TypedDict):
    """One recipe of `assay recipes`."""

    name: str
    meaning: str
    lines: int
    hash_mb: int
    settings: dict[str, Any]
    scale: str | None
    calibration: str | None


class ReproducedDocument(TypedDict):
    """One number of a paper in `assay reproduce`."""

    paper: str
    item: str
    kind: Literal["inference", "arithmetic"]
    published: Any
    computed: Any
    tolerance: Number
    ok: bool


DOCUMENTS: dict[str, Any] = {
    "rate": RateDocument,
    "screen": ScreenDocument,
    "status": StatusDocument,
    "import": ImportDocument,
    "compare": CompareDocument,
    "forecast": ForecastDocument,
    "tournament": list[TournamentDocument],
    "lesson": LessonDocument,
    "progress": ProgressDocument,
    "career": list[CareerYear],
    "versus": VersusDocument,
    "results-fit": ResultsDocument,
    "doctor": list[CheckDocument],
    "recipes": list[RecipeDocument],
    "reproduce": list[ReproducedDocument],
    "method": dict[str, Any] | list[dict[str, str | float | None]],
}
"""The document of each command."""

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints with `--json`."""
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"assay {command} --json"}
    return {**about, **_schema(DOCUMENTS[command])}


def _schema(kind: Any) -> dict[str, Any]:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return {}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(one) for one in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is NotRequired:
        return _schema(inner[0])
    if origin is list:
        return {"type": "array", "items": _schema(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inner[1])}
    hints = typing.get_type_hints(kind)
    return {
        "description": kind.__doc__,
        "type": "object",
        "properties": {name: _schema(hint) for name, hint in hints.items()},
        "required": sorted(kind.__required_keys__),
    }
