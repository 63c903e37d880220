"""What every `--json` document contains, as Python types, and the JSON Schemas that are made from them.

A mapping is an object with these keys, `key?` one that may be missing; `{str: type}` an object with any keys;
a list of one type an array. Keys may be added in later versions: a schema allows others than its own. A
number that is not known is null. The files in `assay/data/schemas` are these schemas; the tests compare them,
and put every document that a command prints there to its schema.
"""

import dataclasses
import types
import typing
from collections import Counter
from typing import Any, Literal

from assay.answers.prepared import ImportReport
from assay.answers.results import CalibrationBin, ErrorDifference

_NUMBER = float | None
_TEXT = str | None
_ROW = {str: str | float | None}
_ENDS = {"low": _NUMBER, "high": _NUMBER}
_INTERVAL = {"elo": _NUMBER, **_ENDS}
_VALUED = {"engine": _TEXT, "recipe": _TEXT}
_PLAYER = {"player": str, "games": int, "decisions": int}
_RATED = {
    **_PLAYER,
    "part": _TEXT,
    "reference": _NUMBER,
    "ratings": {str: _INTERVAL},
    "combined": (_INTERVAL, None),
    "measures?": {str: {"name": str, "value": _NUMBER, **_ENDS}},
    "percentiles?": (dict, None),
}
_RATE = {
    **_VALUED,
    "by": str,
    "calibrated": bool,
    "scale": _TEXT,
    "prior": _TEXT,
    "players": [_RATED],
    "left_out": {str: int},
    "notes": [str],
}
_MOVE = {
    "ply": int,
    "player": str,
    "move": str,
    **dict.fromkeys(("evaluation", "gain", "mean_gain"), _NUMBER),
    "decisions": int,
    "combined": (_INTERVAL, None),
    "ratings": {str: _INTERVAL},
}
_MOMENT = {
    **dict.fromkeys(("kind", "game", "colour", "opponent", "fen", "played", "better"), str),
    **dict.fromkeys(("turn", "of_100", "of_100_next"), int),
    "lost": float,
    "before": float,
}

DOCUMENTS: dict[str, Any] = {
    "agent": {"player?": str, "file?": str, "fen?": str, "elos?": [int], "moves?": [{"san": str}]},
    "analyse": {"recipe": str, "recipe_id": str, "engine": str, "positions": int, "missing": int}
    | {"seconds": float, "analysed?": int, "alone?": int, "put_aside?": [{str: Any}], "jobs?": int},
    "backtest": (
        {"rows": [_ROW], "slices": [_ROW], "differences": [ErrorDifference]}
        | {"calibration": {str: [CalibrationBin]}, "unable": {str: str}, "notes": [str]},
        {"matches": [_ROW], "errors": [_ROW]},
    ),
    "calibrate": {"path": str, "recipe_id": str},
    "career": [
        {"player": str, "year": int, "games": float, "decisions": float, "active": bool}
        | {"notes": [str], "ratings?": {str: _INTERVAL}}
    ],
    "compare": {
        "scale": _TEXT,
        "players": [{"player": str, "games": float, "decisions": float, "rating": (_INTERVAL, None)}],
        "expectation": ({"value": _NUMBER, **_ENDS}, None),
    },
    "doctor": [{"check": str, "found": str, "ok": bool, "advice": str}],
    "forecast": {
        "first": str,
        "second": str,
        "forecasts": [
            {"method": str, **dict.fromkeys(("expectation", "win", "draw", "loss"), _NUMBER), **_ENDS}
        ],
        "notes": [str],
    },
    "import": (ImportReport, {"positions": int}),
    "lesson": {**_PLAYER, "elo": float, "positions": [_MOMENT], "percentiles": (dict, None)},
    "live": (
        {"white": str, "black": str, **_VALUED, "scale": _TEXT, "notes": [str], "moves": [_MOVE]},
        _MOVE,
    ),
    "method": (dict, [_ROW]),
    "progress": {
        "player": str,
        "by": str,
        "sentence": str,
        "games_without_date": int,
        "trend": (dict, None),
        "periods": [{"period": str, "games": int, "decisions": int, "few": bool, **_INTERVAL}],
    },
    "rate": (
        {**_RATE, "others?": [_RATE]},
        {"streamed": bool, "games": int, "damage": [str], "sources": [{"source": str, **_RATE}]},
    ),
    "recipes": [
        {"name": str, "meaning": str, "lines": int, "hash_mb": int, "settings": dict}
        | {"scale": _TEXT, "calibration": _TEXT}
    ],
    "remove": {str: int},
    "reproduce": [
        {"paper": str, "item": str, "kind": Literal["inference", "arithmetic"], "published": Any}
        | {"computed": Any, "tolerance": _NUMBER, "ok": bool | None}
    ],
    "results-fit": {
        "model": str,
        "games": int,
        "players": [{"rank": int, "player": str, "games": int, "strength": _NUMBER}],
    },
    "results-predict": dict,
    "results-tune": dict,
    "screen": {
        **_VALUED,
        "players": [
            {**_PLAYER, "reference": _NUMBER, "z": {str: _NUMBER}, "p": _NUMBER, "q": _NUMBER, "flag": _TEXT}
        ],
        "left_out": {str: str},
        "notes": [str],
    },
    "status": {"games": int, "excluded": {str: int}, "players": int, "names": {str: int}, "ambiguous": [str]}
    | {"annotations": int, "analyses": {str: int}, "missing": {str: int}, "recipes": {str: {str: str}}},
    "tournament": [
        {
            "event": _TEXT,
            "scale": _TEXT,
            "players": [
                {"player": str, "elo": _NUMBER, "points": _NUMBER, "expected_points": _NUMBER}
                | {"rating": (_INTERVAL, None), "opponents": [dict]}
            ],
            "notes": [str],
        }
    ],
    "versus": {"method": str, "white": bool, "names": [str], "expectation": [_ROW]},
}
"""The document of each command; several in a tuple are alternatives."""

_PLAIN = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    type(None): "null",
    dict: "object",
}


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints with `--json`."""
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"assay {command} --json"}
    return {**about, **_schema(DOCUMENTS[command])}


def _schema(kind: Any) -> dict[str, Any]:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return {}
    if isinstance(kind, tuple) or origin is types.UnionType:
        return {"anyOf": [_schema(each) for each in inner or kind]}
    if isinstance(kind, list) or origin is list:
        return {"type": "array", "items": _schema((inner or kind)[0])}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is Counter:
        return _schema({str: int})
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return _schema({field.name: hints[field.name] for field in dataclasses.fields(kind)})
    if not isinstance(kind, dict):
        return {"type": _PLAIN[kind]}
    if str in kind:
        return {"type": "object", "additionalProperties": _schema(kind[str])}
    properties = {name.removesuffix("?"): _schema(value) for name, value in kind.items()}
    required = sorted(name for name in kind if not name.endswith("?"))
    return {"type": "object", "properties": properties, "required": required}
