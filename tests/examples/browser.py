"""Headless Chromium, for tests of what is drawn."""

import shutil
import subprocess
import zlib
from pathlib import Path

# The shell is Chromium without its windows; it starts faster, and it is what `make test` installs.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Chromium without a window, with a profile of its own."""
    return subprocess.run(
        [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            f"--user-data-dir={folder / 'profile'}",
            "--enable-logging=stderr",
            *options,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def different_lines(image: Path) -> int:
    """How many lines of pixels differ from one another, as they are packed: few where an image is blank."""
    content, place, packed, width = image.read_bytes(), 8, b"", 0
    while place < len(content):
        size, kind = int.from_bytes(content[place : place + 4]), content[place + 4 : place + 8]
        body = content[place + 8 : place + 8 + size]
        if kind == b"IHDR":
            width = int.from_bytes(body[:4]) * {2: 3, 6: 4}[body[9]] + 1
        elif kind == b"IDAT":
            packed += body
        place += size + 12
    pixels = zlib.decompress(packed)
    return len({pixels[start : start + width] for start in range(0, len(pixels), width)})
