"""The command line: parse, call, print; no logic.

Each module of this package holds one group of commands and is registered here. Modules import numpy and
friends inside the commands, so that `assay --help` stays fast.
"""

import errno
import sys
from collections.abc import Sequence

import typer

from assay.domain.text import printable
from assay.errors import AssayError, MachineError

INTERRUPTED = 130

app = typer.Typer(
    name="assay",
    help="Rates chess players by the moves they play, with intervals that hold.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _register() -> None:
    """Add every group of commands to the application, in the order that `assay --help` shows."""
    from assay.cli import (
        analysis,
        backtest,
        bayes,
        careers,
        choice,
        doctor,
        gain,
        indicators,
        live,
        matches,
        rate,
        reproduce,
        results,
        store,
    )

    groups = (
        rate,
        store,
        analysis,
        gain,
        live,
        bayes,
        choice,
        indicators,
        careers,
        matches,
        results,
        backtest,
        reproduce,
        doctor,
    )
    for group in groups:
        group.register(app)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        from assay import __version__

        typer.echo(__version__)
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code (DESIGN.md: 0, 1, 2, 3, 130)."""
    try:
        code = app(args=list(arguments) if arguments is not None else None, standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except AssayError as error:
        return _say(str(error), error.exit_code)
    except BrokenPipeError:
        # The reader of a pipe (`assay ... | head`) has gone: not an error of ours.
        sys.stderr.close()
        return 0
    except MemoryError:
        return _say(
            "there is not enough memory for this: ask for less (fewer games or resamples)",
            MachineError.exit_code,
        )
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _say("the disk is full: free some space and run the command again", MachineError.exit_code)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return _say(f"no permission for {error.filename}: choose another place", MachineError.exit_code)
        raise
    except Exception as error:
        if hasattr(error, "exit_code") and hasattr(error, "show"):  # click's usage errors
            error.show()
            return int(error.exit_code)
        raise
    if code == INTERRUPTED:  # typer turns Ctrl-C into this code without a word
        return _say("interrupted; what was finished is kept", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _say(sentence: str, code: int) -> int:
    print(f"assay: {printable(sentence)}", file=sys.stderr)
    return code


_register()
