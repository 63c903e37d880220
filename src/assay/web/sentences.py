"""Errors as one sentence on a page; what is no fault of the user is also written to the terminal."""

from __future__ import annotations

import errno
import sys
import traceback

from assay.decisions.text import printable
from assay.errors import AssayError


def sentence_of(error: BaseException) -> str:
    """What to say of an error."""
    if isinstance(error, AssayError):
        return printable(str(error))
    if isinstance(error, MemoryError):
        return "there is not enough memory for this: ask about fewer games"
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return "the disk is full: free some space and try again; what was finished is kept"
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return printable(f"{error.filename} may not be read or written: choose another place")
    traceback.print_exception(error, file=sys.stderr)
    return printable(
        f"something in assay went wrong ({type(error).__name__}): the terminal of assay serve says more"
    )
