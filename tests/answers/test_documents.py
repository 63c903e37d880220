"""The JSON Schemas: they are those of the types, and what commands print follows them."""

import gzip
import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from assay.answers.documents import DOCUMENTS, schema_of
from examples.commands import document
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
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text
    Draft202012Validator.check_schema(schema_of(command))


def command_of(name: str) -> str:
    """The command that gave a golden answer."""
    words = {**WORKSPACE, **DECISIONS, **MILEPOSTS, **EVALUATED}[name].split()
    return "results-fit" if words[0] == "results" else words[0]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json.gz")), ids=lambda path: path.name)
def test_golden_answers_follow_their_schemas(path: Path) -> None:
    checked(command_of(path.name.removesuffix(".json.gz")), json.loads(gzip.decompress(path.read_bytes())))


def test_what_preparing_commands_print(
    capsys: pytest.CaptureFixture[str], examples: Path, tmp_path: Path
) -> None:
    checked("import", document(capsys, "import", examples / "tournament.pgn", "-w", tmp_path / "w.assay"))
    checked("status", document(capsys, "status", tmp_path / "w.assay"))
    checked("doctor", document(capsys, "doctor", tmp_path / "w.assay"))
    checked("recipes", document(capsys, "recipes"))


def test_a_schema_refuses_what_is_wrong() -> None:
    right = json.loads(gzip.decompress((GOLDEN / "rate.json.gz").read_bytes()))
    checked("rate", {**right, "later": 1})
    for wrong in (
        {**right, "players": 5},
        {**right, "scale": 5},
        {k: v for k, v in right.items() if k != "scale"},
    ):
        with pytest.raises(ValidationError):
            checked("rate", wrong)
