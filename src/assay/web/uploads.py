"""Uploads: written to the folder as they come, no more than is allowed; nothing stays of one that fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from assay.errors import InputError
from assay.web.place import Place


async def receive(place: Place, name: str, stream: AsyncIterator[bytes], most: int) -> Path:
    """Write an upload; the path of its file, whole."""
    path = place.new_upload(name)
    partial = path.with_name(f"{path.name}.part")
    size = 0
    try:
        with partial.open("xb") as file:
            async for piece in stream:
                size += len(piece)
                if size > most:
                    raise InputError(too_large(most))
                file.write(piece)
        if not size:
            raise InputError("that file is empty: give a PGN file with games")
        partial.replace(path)
    except BaseException:
        place.forget_upload(path)
        raise
    return path


def too_large(most: int) -> str:
    """What to say of an upload that is too large."""
    return (
        f"that is more than the {most / 1e6:,.0f} MB that may be uploaded: name a file on this machine, or "
        "use assay import"
    )
