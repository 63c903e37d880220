"""Commands as a user types them, and what they print."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from assay.answers.documents import schema_of
from assay.cli import main


def exit_code(*arguments: object) -> int:
    """The exit code of a command."""
    return main([str(one) for one in arguments])


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The exit code of a command, its results and its messages; what was printed before is let go."""
    capsys.readouterr()
    code = exit_code(*arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The results of a command that does its work."""
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    return out


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """The results of a command that does its work, by its JSON, which follows its schema."""
    answer = json.loads(printed(capsys, *arguments, "--json"))
    Draft202012Validator(schema_of(name_of_document(*arguments))).validate(answer)
    return answer


def name_of_document(command: object, subcommand: object = "", *_: object) -> str:
    """Under which name `assay.answers.documents` has what a command prints."""
    return f"results-{subcommand}" if command == "results" else str(command)


def sentence(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command that cannot do its work says: one sentence, and nothing on stdout."""
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("assay: ")
    assert err.count("\n") == 1
    return err
