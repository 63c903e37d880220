"""The command line: parse, call, print; no logic.

Each module of this package holds the commands of one panel of `assay --help`, or of one family, and is
registered here; the answers that they print are in `assay.answers`. Modules import numpy and friends inside
the commands, so that `assay --help` stays fast.
"""

import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import typer

from assay.cli.options import HelpfulGroup, register
from assay.cli.output import say
from assay.errors import AssayError, MachineError, printable

INTERRUPTED = 130

# Arrow's own allocators keep what they have freed: 50,000 games of an account took 1.1 GB in place of 0.9.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

app = typer.Typer(
    name="assay",
    cls=HelpfulGroup,
    help="Rate chess players by the moves they play: how strong, and how sure that is.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _register() -> None:
    """Add every command to the application, in the panels and the order that `assay --help` shows."""
    from assay.cli import compare, methods, prepare, rate, research

    panels: dict[str, tuple[Callable[..., None], ...]] = {
        "Rate": (rate.rate, rate.lesson, rate.progress, rate.live, rate.screen, rate.serve),
        "Compare": (
            compare.tournament,
            compare.compare,
            compare.forecast,
            compare.career,
            compare.versus,
        ),
        "Prepare": (
            *(prepare.import_games, prepare.analyse, prepare.status, prepare.export, prepare.remove),
            *(prepare.calibrate, prepare.doctor, prepare.recipes),
        ),
        "Research": (research.reproduce, research.agent),
    }
    for panel, commands in panels.items():
        names = {command.__name__.removesuffix("_games"): command for command in commands}
        register(app, names, rich_help_panel=panel)
    methods.register_methods(app)
    research.register_research(app)


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
    """Run one command; return its exit code.

    0 done, 1 a check failed, 2 wrong use or bad input, 3 the engine or the machine failed, 130 interrupted.
    """
    try:
        code = app(
            args=list(arguments) if arguments is not None else None, prog_name="assay", standalone_mode=False
        )
        if sys.stdout is not None:  # closed: `assay ... >&-`
            sys.stdout.flush()
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except AssayError as error:
        return _say(str(error), error.exit_code)
    except BrokenPipeError:
        return _nobody_reads()
    except SystemExit as left:  # so typer leaves, where the reader has gone
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        return _nobody_reads()
    except MemoryError:
        return _say(
            "there is not enough memory for this: give fewer games or fewer --resamples",
            MachineError.exit_code,
        )
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _say("the disk is full: free some space and run the command again", MachineError.exit_code)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return _say(
                f"you may not read or write {error.filename}: choose another place", MachineError.exit_code
            )
        raise
    except Exception as error:
        if hasattr(error, "exit_code") and hasattr(error, "show"):  # click's usage errors
            error.show()
            return int(error.exit_code)
        raise
    if code == INTERRUPTED:  # typer turns Ctrl-C into this code without a word
        return _say("interrupted; what was finished is kept", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _nobody_reads() -> int:
    """The reader of a pipe (`assay ... | head`) has gone: no error of ours, nor is what is left to write."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return 0


def _say(sentence: str, code: int) -> int:
    say(f"assay: {printable(sentence)}")
    return code


_register()
