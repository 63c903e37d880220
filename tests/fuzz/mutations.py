"""Changes to files as damage and malice make them: bytes, numbers, lines, structure. All by one generator."""

import json
import random
from collections.abc import Callable
from typing import Any

Change = Callable[[bytes, random.Random], bytes]

NUMBERS = ("0", "-1", "1e400", "nan", "inf", "9" * 20, "9" * 5000, "0x10", "\u00b2", "-0", "1.5")
TOKENS = (
    *(b"\0", b"\n", b"\r", b"\x1b[2J", b"\xff", b"\xef\xbb\xbf", b'"', b"'", b"\\", b"{", b"}", b"[", b"]"),
    *(bytes([letter]) for letter in b"();%,=#\t*"),
    *(b'[Event "x"]\n', b"\n\n", b"1.", b"\xe2\x80\xa8"),
    *(b"[[", b'"""', b"null", b"true", b"x" * 3000, b"(" * 3000, b"{" * 3000, b"[" * 3000),
)
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 10**30, float("inf"), float("nan"), "", "x", "\n", "9" * 5000),
    *([], {}, [[]], {"a": {}}, ["a", None, 1]),
)


def flip(content: bytes, chance: random.Random) -> bytes:
    """Single bits, as a bad disk does."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def cut(content: bytes, chance: random.Random) -> bytes:
    """A file that ends too early."""
    return content[: chance.randrange(len(content) + 1)]


def remove(content: bytes, chance: random.Random) -> bytes:
    """A part that is missing."""
    start = chance.randrange(len(content) + 1)
    return content[:start] + content[start + chance.randrange(1, 200) :]


def insert(content: bytes, chance: random.Random) -> bytes:
    """Something that means something to a reader, anywhere."""
    place = chance.randrange(len(content) + 1)
    return content[:place] + chance.choice(TOKENS) * chance.choice((1, 1, 3)) + content[place:]


def repeat(content: bytes, chance: random.Random) -> bytes:
    """A part that is there many times."""
    start = chance.randrange(len(content) + 1)
    piece = content[start : start + chance.randrange(1, 300)]
    return content[:start] + piece * chance.randrange(2, 40) + content[start:]


def number(content: bytes, chance: random.Random) -> bytes:
    """A number that is another, or none."""
    places = [place for place, letter in enumerate(content[:100_000]) if chr(letter).isdigit()]
    if not places:
        return insert(content, chance)
    place = chance.choice(places)
    return content[:place] + chance.choice(NUMBERS).encode() + content[place + 1 :]


def shuffle(content: bytes, chance: random.Random) -> bytes:
    """Lines in another order."""
    lines = content.split(b"\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


BYTES: tuple[Change, ...] = (flip, cut, remove, insert, repeat)
TEXT: tuple[Change, ...] = (*BYTES, number, shuffle)


def several(content: bytes, chance: random.Random, ways: tuple[Change, ...]) -> bytes:
    """One to four of these changes, one after the other."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        content = chance.choice(ways)(content, chance)
    return content[: 1 << 20]


def change_json(found: Any, chance: random.Random) -> Any:
    """One value somewhere in it that is another, or missing."""
    found = json.loads(json.dumps(found))
    place = found
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return found
        key = chance.choice(keys)
        inside = place[key]
        if isinstance(inside, (dict, list)) and inside and chance.random() < 0.7:
            place = inside
            continue
        if chance.random() < 0.2:
            del place[key]
        else:
            place[key] = chance.choice(VALUES)
        return found
