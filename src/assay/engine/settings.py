"""Settings of an engine, by name: those that may be sent to it, and those that a file must not give.

A setting goes to the engine as one line of UCI, so a value with a line end in it would be a command of its
own: Stockfish's `export_net PATH` writes a file. And some settings make an engine write files by themselves
("Debug Log File"). Recipe files are shared, so neither is taken from one.
"""

import math
import re
from collections.abc import Iterable

from assay.decisions.text import has_control, printable
from assay.errors import InputError

Settings = tuple[tuple[str, str], ...]

MOST_CHARACTERS = 4096
"""Of a setting's value: the longest path that Linux takes."""

_MOST_NAME = 100

_WRITES = re.compile("log|debug|write|save|store|export|dump|record|output|learn|experience|session|persist")
_WRITTEN_FILES = ("hashfile", "cachefile")


def makes_files(name: str) -> bool:
    """Whether a setting of this name may make the engine write files: told by the words of the name.

    "Debug Log File" of Stockfish, "LogFile" of Lc0, "Experience File", "Save Hash to File", "Session File",
    "Persistent Hash". Rather one too many: whoever wants such a setting gives it by --set.
    """
    letters = "".join(letter for letter in name.lower() if letter.isalnum())
    return _WRITES.search(letters) is not None or letters.startswith(_WRITTEN_FILES)


def check_setting(name: str, value: str) -> None:
    """Refuse what cannot be sent to an engine as one line."""
    if not name.strip() or has_control(name) or len(name) > _MOST_NAME:
        raise InputError(f"'{_shown(name)}' cannot be the name of an engine setting")
    if has_control(value):
        raise InputError(
            f"the engine setting '{name}' has a control character in its value, such as a line end, which "
            "an engine would take for a command: remove it"
        )
    if len(value) > MOST_CHARACTERS:
        raise InputError(f"the engine setting '{name}' is longer than {MOST_CHARACTERS:,} characters")


def checked_settings(settings: Settings) -> Settings:
    """The settings, each of them such that it can be sent."""
    for name, value in settings:
        check_setting(name, value)
    return settings


def parse_settings(texts: Iterable[str]) -> dict[str, str]:
    """Settings as a user gives them: NAME=VALUE each."""
    found: dict[str, str] = {}
    for text in texts:
        name, given, value = text.partition("=")
        if not given:
            raise InputError(f"'{_shown(text)}' is no setting of an engine: write NAME=VALUE")
        name = name.strip()
        check_setting(name, value)
        found[name] = value
    return found


def settings_in_file(given: dict[str, object], where: str) -> Settings:
    """The settings of a recipe file, as UCI spells them: single values, none that makes an engine write."""
    found: dict[str, str] = {}
    for name, value in given.items():
        if makes_files(name):
            raise InputError(
                f"{where}: '{_shown(name)}' may make an engine write files, so a recipe file cannot give "
                f"it: give it yourself with --set '{_shown(name)}=...'"
            )
        found[name] = _spelled(name, value, where)
    return checked_settings(tuple(sorted(found.items())))


def _spelled(name: str, value: object, where: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    whole = isinstance(value, (str, int))
    if whole or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    raise InputError(f"{where}: the engine setting '{_shown(name)}' must be a text, a number or a flag")


def _shown(text: str) -> str:
    """A name from a file, short enough for a sentence."""
    line = printable(text)
    return line if len(line) <= _MOST_NAME else f"{line[:_MOST_NAME]}..."
