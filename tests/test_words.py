"""Words as STYLE has them: pages, help and messages say one thing in one way."""

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "assay"

WORDS = {
    r"reference ratings?": "published rating",
    r"combined ratings?|all methods together": "rating by moves",
    r"(?:intervals?|ranges?|regions?) holds?|holds? the (?:truth|published|true)": "covers, contains",
    r"kept out": "held-out",
    r"strays?|strayed": "standard deviation",
    r"(?:is|are|be) drawn to|pulled towards": "shrunk towards",
    r"drawn anew|dealt anew": "bootstrap over games",
    r"dealt|dealings?|halvings?|halved": "split, folds",
    r"signs of (?:traits|play)|(?:the|its) signs": "features",
    r"mean guess": "guessing the average",
    r"expectations?": "expected score",
    r"agents?": "simulated player",
    r"(?<!-)turns? \d+|men on the board|\d+ men|men were": "move 8, pieces",
    r"no proof|(?<!here )is no (?!longer|more|different|better|worse|less|rating|scale|Elo)\w+": "is not a",
    r"one-off run|earlier version of this page|asked was|the lab\b|busy machine": "present state only",
    r"by every published method": "five papers; traits is ours",
    r"(?:contains?|covers?) the true rating": "contained the published rating, and of whom",
}
"""What is not written, and what is written instead."""

ALLOWED = (
    r"[Aa]ssay[- ]agent",
    r"log-likelihood of agent|less agent",
    r"expectation low high",
    r"^combined rating$",
    r"Agent \d{4}",
    r"User-Agent",
    r"expectation propagation",
)
"""Names and terms that contain such a word."""


def prose(text: str) -> str:
    """A page without code, comments, addresses and links' targets."""
    for pattern in (
        r"^ *```.*?^ *```$",
        r"^ {4}[^\n]*$",
        r"<!--.*?-->",
        r"`[^`]*`",
        r"\]\([^)]*\)",
        r"https?://\S+",
    ):
        text = re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.M | re.S)
    return text


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """What a module can print: strings of several words; docstrings where they are the help of a command."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    help_texts = path.parent.name == "cli"
    silent = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for each in body if isinstance(body, list) else []:
            # Documentation of modules, classes, functions and constants.
            documents = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if documents and not (help_texts and "$ assay" in str(each.value.value)):
                silent.add(id(each.value))
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in silent else None
        if isinstance(text, str) and " " in text.strip():
            yield node.lineno, re.sub(r"`[^`]*`", " ", text)


def wrong(text: str) -> list[str]:
    for allowed in ALLOWED:
        text = re.sub(allowed, " ", text)
    return [
        f"{match[0]!r}: write {better}"
        for pattern, better in WORDS.items()
        for match in re.finditer(rf"\b(?:{pattern})\b", text)
    ]


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    text = prose(page.read_text(encoding="utf-8"))
    found = [
        f"line {number}: {each}"
        for number, line in enumerate(text.splitlines(), 1)
        if not (page.parent.name == "evidence" and line.startswith("|"))  # printed by research
        for each in wrong(line)
    ]
    assert found == []


def test_messages_and_help() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {each}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in strings(path)
        for each in wrong(text)
    ]
    assert found == []


def test_templates() -> None:
    found = []
    for path in sorted([*SOURCE.rglob("*.html"), *SOURCE.rglob("*.jinja")]):
        text = re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", path.read_text(encoding="utf-8"), flags=re.S)
        found += [f"{path.name}: {each}" for each in wrong(text)]
    assert found == []


def test_no_message_cites_a_file_that_the_wheel_lacks() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in strings(path)
        if re.search(r"docs/|README|CONTRIBUTING", text) and path.name != "render.py"
    ]
    assert found == []


@pytest.mark.filterwarnings("default")
def test_long_sentences_are_reported() -> None:
    """Not failed: a number is a symptom to look at."""
    long = 0
    for page in PAGES:
        if page.parent.name != "evidence":
            plain = re.sub(
                r"^(?:\||#|- |\d+\. ).*$", "\n\n", prose(page.read_text(encoding="utf-8")), flags=re.M
            )
            for sentence in re.split(r"(?<=[.!?:])\s+|\n\n", plain):
                long += len(sentence.split()) > 40
    if long:
        warnings.warn(f"{long} sentences of more than 40 words", stacklevel=1)
