"""The JSON Schemas: those of the types ship, answers follow them, and they refuse what is wrong.

`examples.commands.document` puts whatever any test reads from `--json` to its schema.
"""

import gzip
import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from assay.answers.documents import DOCUMENTS, schema_of
from examples.commands import document, name_of_document
from test_golden import DECISIONS, EVALUATED, MILEPOSTS, WORKSPACE

GOLDEN = Path(__file__).parent.parent / "golden" / "answers"
SHIPPED = Path(str(resources.files("assay"))) / "data" / "schemas"


def checked(command: str, answer: Any) -> None:
    Draft202012Validator(schema_of(command)).validate(answer)


@pytest.mark.parametrize("command", DOCUMENTS)
def test_the_files_are_the_schemas_of_the_types(command: str) -> None:
    """To write them anew after a change of the types: ASSAY_SCHEMAS=write."""
    text = json.dumps(schema_of(command), indent=1) + "\n"
    path = SHIPPED / f"{command}.json"
    if os.environ.get("ASSAY_SCHEMAS") == "write":
        path.write_text(text)
    assert path.read_text() == text
    Draft202012Validator.check_schema(schema_of(command))


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json.gz")), ids=lambda path: path.name)
def test_golden_answers_follow_their_schemas(path: Path) -> None:
    arguments = {**WORKSPACE, **DECISIONS, **MILEPOSTS, **EVALUATED}
    words = arguments[path.name.removesuffix(".json.gz")].split()
    checked(name_of_document(*words), json.loads(gzip.decompress(path.read_bytes())))


def test_reproduced_numbers_follow_their_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "reproduce", "--paper", "ferreira2010")


def test_a_schema_refuses_what_is_wrong() -> None:
    right = json.loads(gzip.decompress((GOLDEN / "rate.json.gz").read_bytes()))
    checked("rate", {**right, "later": 1})
    without = {key: value for key, value in right.items() if key != "scale"}
    for wrong in ({**right, "players": 5}, {**right, "scale": 5}, without):
        with pytest.raises(ValidationError):
            checked("rate", wrong)
