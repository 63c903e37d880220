import pytest
import typer

from assay.cli import compare
from assay.cli.options import METHOD
from assay.web.asking import ask


def command(
    study: str,
    games: str = typer.Argument(..., help="must be given"),
    method: list[str] | None = METHOD,
    limit: int = typer.Option(30, "--limit"),
) -> object:
    return study, games, method, limit


def test_what_is_not_given_is_as_if_left_out() -> None:
    assert ask(command, study="s", games="g") == ("s", "g", None, 30)
    assert ask(command, study="s", games="g", limit=5) == ("s", "g", None, 5)


def test_what_must_be_given_and_what_is_not_known() -> None:
    with pytest.raises(TypeError, match="games must be given"):
        ask(command, study="s")
    with pytest.raises(TypeError, match="takes no colour"):
        ask(command, study="s", games="g", colour="red")


def test_the_decorated_commands_are_asked_themselves() -> None:
    with pytest.raises(AttributeError):  # no study, but it was called with one
        ask(compare.forecast, study=None, players=["a", "b"])
