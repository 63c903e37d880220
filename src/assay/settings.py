"""What a user does not want to type again: engine, jobs, recipe, names and aliases, from settings files.

Two files are read, each in TOML: the user's own (`settings.toml` in the folder of assay's settings) and one
in a workspace (`WORKSPACE/settings.toml`), which comes first. The command line comes before both.

    engine = "stockfish"
    jobs = 4
    recipe = "standard"
    contact = "you@example.org"
    lichess_token = "lip_..."
    me = ["my-lichess-name", "MyChesscomName", "Surname, Name"]

    [aliases]
    "Kasparov, Gary" = "Kasparov, Garry"

A workspace may come from anyone, and an engine is a program: only the user's own file may name one, or give
the contact and the token with which servers are asked, or say who the user is.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from assay.errors import InputError

VARIABLE = "ASSAY_SETTINGS"
"""Names another file than the usual one as the user's own."""

ENGINE_VARIABLE = "ASSAY_ENGINE"
"""Names the engine, and comes before the files."""

NAME = "settings.toml"

_MOST_BYTES = 1_000_000
_SERVER = re.compile(r"(lichess|chesscom|chess\.com|https?):", re.IGNORECASE)
_KINDS: dict[str, tuple[type, str]] = {
    "engine": (str, "text in quotes"),
    "jobs": (int, "a whole number"),
    "recipe": (str, "text in quotes"),
    "contact": (str, "text in quotes"),
    "lichess_token": (str, "text in quotes"),
    "me": (list, 'a list of names: ["name", ...]'),
    "aliases": (dict, 'a table of lines "name" = "player"'),
}


class Evaluations(StrEnum):
    """Where the values of moves come from."""

    AUTO = "auto"
    """The games' comments where most games have values of a known source, or where there is no engine on this
    machine; else the engine."""
    FILE = "file"
    ENGINE = "engine"


@dataclass(frozen=True)
class Settings:
    """What the files contain; None where a setting is absent."""

    engine: str | None = None
    jobs: int | None = None
    recipe: str | None = None
    contact: str | None = None
    """Whom the people of a server may write to about what is asked of it: an address of mail or of a page."""
    lichess_token: str | None = None
    me: tuple[str, ...] = ()
    """The names that the user plays under: games are joined under the first, and answers are about them."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What was found in a file and is not followed."""

    def over(self, other: Settings) -> Settings:
        """These settings, and the other's where these say nothing."""
        given = {name: value for name, value in vars(self).items() if value}
        given |= {"aliases": {**other.aliases, **self.aliases}, "notes": (*self.notes, *other.notes)}
        return replace(other, **given)


def users_file() -> Path:
    """The file with the user's own settings, whether it is there or not."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named)
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "assay" / NAME


def folder_of(kind: str) -> Path | None:
    """The folder of assay's `cache` or `data` in the user's home; None where there is no home."""
    variable, usual = {"cache": ("XDG_CACHE_HOME", ".cache"), "data": ("XDG_DATA_HOME", ".local/share")}[kind]
    try:
        return Path(os.environ.get(variable) or Path.home() / usual) / "assay"
    except RuntimeError:
        return None


def find_settings(workspace: Path | None = None) -> Settings:
    """The settings of a workspace, if it has any, over the user's own."""
    users = _read(users_file())
    if os.environ.get(ENGINE_VARIABLE):  # said for this run: it comes before what is said for all
        users = replace(users, engine=None)
    if workspace is None:
        return users
    path = workspace / NAME
    settings = _read(path)
    if settings.engine is not None:
        note = f"{path} names an engine, which is not followed: only your own settings may start a program"
        settings = replace(settings, engine=None, notes=(note,))
    settings = replace(settings, contact=None, lichess_token=None, me=())
    if settings.recipe is not None:
        if Path(settings.recipe).name != settings.recipe:
            raise InputError(f"{path}: name a recipe of assay, or a file in the workspace, as recipe")
        if (workspace / settings.recipe).is_file():
            settings = replace(settings, recipe=str(workspace / settings.recipe))
    return settings.over(users)


def _read(path: Path) -> Settings:
    try:
        if not path.is_file():
            return Settings()
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path} is too large for settings: it may have {_MOST_BYTES:,} bytes")
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or a number of 5,000 digits
        raise InputError(f"{path} cannot be read as settings: {error}") from None
    except OSError:
        return Settings()
    return _checked(content, path)


def _checked(content: Mapping[str, Any], path: Path) -> Settings:
    if unknown := sorted(set(content) - set(_KINDS)):
        raise InputError(f"{path}: there is no setting '{unknown[0]}': there are {', '.join(sorted(_KINDS))}")
    for name, value in content.items():
        kind, words = _KINDS[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{path}: '{name}' must be {words}")
    if content.get("jobs", 1) < 1:
        raise InputError(f"{path}: 'jobs' must be 1 or more")
    if not all(isinstance(player, str) for player in content.get("aliases", {}).values()):
        raise InputError(f'{path}: aliases are lines "name" = "player"')
    me = content.get("me", [])
    if not all(isinstance(name, str) and name.strip() for name in me):
        raise InputError(f"{path}: 'me' must be {_KINDS['me'][1]}")
    aliases = {**dict.fromkeys(me[1:], *me[:1]), **content.get("aliases", {})}
    return Settings(**{**content, "me": tuple(me), "aliases": aliases})


def names_server(games: str | Path) -> bool:
    """Whether games are named by an account or an address: only then is the network used."""
    return _SERVER.match(str(games)) is not None


def check_games(path: Path) -> None:
    """Refuse games that are not there, before anything is imported to read them."""
    if not path.exists() and not names_server(path):
        raise InputError(
            f"{path} does not exist: give a PGN file or folder, a workspace, a file of decisions or results, "
            "or an account (lichess:NAME)"
        )
