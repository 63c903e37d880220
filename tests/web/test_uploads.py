import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.web.place import Place
from assay.web.uploads import receive


async def pieces(*parts: bytes | Exception) -> AsyncIterator[bytes]:
    for part in parts:
        if isinstance(part, Exception):
            raise part
        yield part


def test_an_upload_is_written_as_it_comes(tmp_path: Path) -> None:
    path = asyncio.run(receive(Place(tmp_path), "a.pgn", pieces(b"1. e4", b" e5"), 100))
    assert path.read_bytes() == b"1. e4 e5"
    assert path.name == "a.pgn"


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ((b"12345", b"67890", b"1"), InputError),
        ((), InputError),
        ((b"123", ConnectionError("gone")), ConnectionError),
    ],
)
def test_nothing_stays_of_one_that_fails(tmp_path: Path, parts: tuple[bytes], error: type[Exception]) -> None:
    with pytest.raises(error):
        asyncio.run(receive(Place(tmp_path), "a.pgn", pieces(*parts), 10))
    assert list(tmp_path.iterdir()) == []
