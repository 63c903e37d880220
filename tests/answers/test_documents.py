"""The JSON Schemas that ship: what commands print follows them, and they refuse what is wrong."""

import gzip
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from examples import SIMULATED
from examples.commands import document
from test_golden import DECISIONS, EVALUATED, MILEPOSTS, WORKSPACE

GOLDEN = Path(__file__).parent.parent / "golden" / "answers"
SHIPPED = Path(str(resources.files("assay"))) / "data" / "schemas"


def checked(command: str, answer: Any) -> None:
    schema = json.loads((SHIPPED / f"{command}.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(answer)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json.gz")), ids=lambda path: path.name)
def test_golden_answers_follow_their_schemas(path: Path) -> None:
    commands = {**WORKSPACE, **DECISIONS, **MILEPOSTS, **EVALUATED}
    words = commands[path.name.removesuffix(".json.gz")].split()
    command = "results-fit" if words[0] == "results" else words[0]
    checked(command, json.loads(gzip.decompress(path.read_bytes())))


def test_what_preparing_commands_print(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    checked("import", document(capsys, "import", SIMULATED, "-w", tmp_path / "w.assay"))
    checked("status", document(capsys, "status", tmp_path / "w.assay"))
    checked("doctor", document(capsys, "doctor", tmp_path / "w.assay"))
    checked("recipes", document(capsys, "recipes"))
    checked("reproduce", document(capsys, "reproduce", "--paper", "ferreira2010"))


def test_a_schema_refuses_what_is_wrong() -> None:
    right = json.loads(gzip.decompress((GOLDEN / "rate.json.gz").read_bytes()))
    checked("rate", {**right, "later": 1})
    without = {key: value for key, value in right.items() if key != "scale"}
    for wrong in ({**right, "players": 5}, {**right, "scale": 5}, without):
        with pytest.raises(ValidationError):
            checked("rate", wrong)
