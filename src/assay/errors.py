"""Every error that assay raises on purpose.

AssayError
├── InputError          wrong use or bad input                       (exit code 2)
│   ├── PgnError        a file that cannot be read as PGN
│   ├── SchemaError     a table whose columns are not as documented
│   ├── DamagedError    a file of a workspace that is damaged or missing
│   └── MappingError    no Elo mapping for this engine and recipe
├── EngineError         the chess engine failed                      (exit code 3)
├── MachineError        the machine failed: disk, permissions        (exit code 3)
│   ├── LockedError     another writer holds the workspace
│   ├── ReadOnlyError   a workspace that cannot be written to
│   └── NetworkError    a server that cannot be reached, or does not answer as it should
└── FitError            a fit that did not converge: no number given (exit code 1)

The message of each is one sentence with what happened and what to do about it. The command line
prints it without a traceback and exits with `exit_code`. Text from untrusted files that is shown in one, or
anywhere else, is made `printable` first.
"""

import re
import unicodedata


class AssayError(Exception):
    """Base of every error that assay raises on purpose."""

    exit_code = 2


class InputError(AssayError):
    """Wrong use or bad input."""


class PgnError(InputError):
    """A file that cannot be read as PGN."""


class SchemaError(InputError):
    """A table whose columns are not as documented, or are of a newer version."""


class DamagedError(InputError):
    """A file of a workspace is damaged or missing; what was in it is lost until it is made anew."""


class MappingError(InputError):
    """No Elo mapping for this engine and recipe."""


class EngineError(AssayError):
    """The chess engine failed, or there is none."""

    exit_code = 3


class MachineError(AssayError):
    """The machine failed: disk full, no permission."""

    exit_code = 3


class LockedError(MachineError):
    """Another writer holds the workspace."""


class ReadOnlyError(MachineError):
    """A workspace that cannot be written to: it can be read, rated and exported."""


class NetworkError(MachineError):
    """A server that cannot be reached, or does not answer as it should."""


class FitError(AssayError):
    """A fit that did not converge; there is no number to give."""

    exit_code = 1


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # category Cc, and the breaks of lines beyond it


def printable(text: str) -> str:
    """Text on one line, without what commands a terminal or turns the order in which it is read.

    Control characters (ESC, the C1 introducers, tabs and breaks of lines) become a blank, characters of
    format (overrides of direction, marks of no width) go, and halves of surrogate pairs, which cannot be
    written, are replaced.
    """
    if text.isprintable():
        return text
    shown = {"Cf": "", "Cs": "\N{REPLACEMENT CHARACTER}"}
    line = _CONTROL.sub(" ", text)
    return "".join(
        letter if letter.isprintable() else shown.get(unicodedata.category(letter), letter) for letter in line
    )


def has_control(text: str) -> bool:
    """Whether a text holds what ends a line or commands a terminal: no name and no setting does."""
    return _CONTROL.search(text) is not None
