"""The pages that are made, not written: references, the index of the evidence, numbers.json, charts.

    python -m research pages                         # make all of them anew
    python -m research pages --tables accuracy FILE  # put what a command printed into its page

A page of docs/evidence begins with its question, answer, data, command and date; its tables are what the
command printed. `numbers.json` takes each number that other pages quote from one cell of such a table, and
pages mark it by a comment behind it: 250<!--n:standard.1.error-->.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import typer

from assay.cli import app
from assay.errors import InputError
from research import command
from research.charts import charts
from research.evidence.tables import tables as tables_of_a_workspace

DOCS = Path(__file__).resolve().parent.parent / "docs"
EVIDENCE = DOCS / "evidence"
README = DOCS.parent / "README.md"
FIELDS = ("Question", "Answer", "Data", "Command", "Date")
MARKED = re.compile(r"([^\s|(*]+?)<!--n:([a-z0-9.]+)-->")

SHARED_BY = 4
"""An option of so many commands is described once, at the end of the page."""

TABLES_INTRODUCTION = """# Tables of a workspace

Each table is a folder of Parquet parts ([workspace](files.md#a-workspace)). Tables grow: a new column may be
null, and is null in rows that were written before there was one. Columns of a later version are passed over
in reading and kept.

Evaluations are from the view of the player to move. Where a single number stands for an evaluation (`before`,
`after`, `trace_value`), it is centipawns; a mate in n is 32000 - n, being mated in n is -32000 + n.
"""

COMMANDS_INTRODUCTION = """# Commands

Made from `assay --help`. GAMES is a PGN file or folder, a workspace, a file of decisions, or an account
(`lichess:NAME`). Options that many commands share are [at the end](#shared-options).
"""


@dataclass(frozen=True)
class Number:
    """One cell of a table of the evidence: page, title of the section, beginning of the row, column."""

    question: str
    page: str
    section: str
    row: tuple[str, ...]
    column: str
    part: str = r"(.+)"
    """What of the cell is meant."""


def main(words: Sequence[str]) -> None:
    """Write the pages, or the tables of one study."""
    parser = command("pages", __doc__)
    parser.add_argument("--tables", nargs=2, metavar=("STUDY", "FILE"))
    given = parser.parse_args(words)
    if given.tables:
        study, file = given.tables
        put_tables(EVIDENCE / f"{study}.md", Path(file).read_text(encoding="utf-8"))
    for path, text in made().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def made() -> dict[Path, str]:
    """Every page that is made, with its text."""
    numbers = collect_numbers()
    pages = {DOCS / "numbers.json": json.dumps(numbers, indent=1, ensure_ascii=False) + "\n"}
    for path in [README, *sorted(DOCS.rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        if MARKED.search(text):
            pages[path] = filled(text, numbers)
    pages[EVIDENCE / "index.md"] = evidence_index()
    pages[DOCS / "reference" / "commands.md"] = commands_page()
    pages[DOCS / "reference" / "tables.md"] = tables_page()
    for name, figure in charts(section_tables).items():
        pages[EVIDENCE / "images" / f"{name}.svg"] = f"{figure.svg()}\n"
    return pages


# Evidence ------------------------------------------------------------------------------------------------


def heading_of(path: Path) -> tuple[str, dict[str, str]]:
    """The title of a page of the evidence, and its five fields."""
    text = path.read_text(encoding="utf-8")
    title = text.splitlines()[0].removeprefix("# ")
    fields = dict(re.findall(r"^- \*\*(\w+):\*\* (.+(?:\n  .+)*)$", text, re.MULTILINE))
    lacking = [name for name in FIELDS if name not in fields]
    if lacking:
        raise InputError(f"{path} lacks {', '.join(lacking)} below its title")
    return title, {name: " ".join(fields[name].split()) for name in FIELDS}


def put_tables(path: Path, printed: str) -> None:
    """Put what a command printed into the sections of these titles, or at the end; the date is today's.

    Of a section that is there the first table, or else its first words, are replaced: the others stay.
    """
    text = path.read_text(encoding="utf-8")
    if "- **Date:** " not in text:
        raise InputError(f"{path} has no date below its title")
    text = re.sub(r"(?<=\*\*Date:\*\* ).*", str(date.today()), text, count=1)
    sections = {part.split("\n")[0]: part.strip() for part in re.split(r"^(?=## )", text, flags=re.MULTILINE)}
    for part in filter(None, re.split(r"^(?=## )", printed.strip(), flags=re.MULTILINE)):
        title, _, content = part.strip().partition("\n\n")
        _, *blocks = sections.get(title, title).split("\n\n")
        tables = [place for place, block in enumerate(blocks) if block.startswith("|")]
        place = tables[0] if tables else 0
        blocks[place : place + 1] = [content]
        sections[title] = "\n\n".join((title, *blocks))
    path.write_text("\n\n".join(sections.values()) + "\n", encoding="utf-8")


def evidence_index() -> str:
    """One row for each study."""
    rows = []
    pages = [path for path in sorted(EVIDENCE.glob("*.md")) if path.name != "index.md"]
    for path in pages:
        title, fields = heading_of(path)
        answer = re.split(r"(?<=[a-z)%\d]\.) (?=[A-Z`])", re.sub(r"<!--.*?-->", "", fields["Answer"]))[0]
        data = fields["Data"].split("; ")[0]
        drawn = re.search(r"^!\[.*?\]\((.*?)\)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        chart = f"[chart]({drawn[1]})" if drawn else ""
        rows.append(f"| [{title}]({path.name}) | {answer} | {data} | {fields['Command']} | {chart} |")
    return "\n".join(
        [
            "# Evidence",
            "",
            "One row for each study. Its page has the tables, and the command that makes them. Every number",
            "that other pages quote is in `docs/numbers.json`, taken from these tables.",
            "",
            "| question | answer | data | command | |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *(path.stem for path in pages),
            "```",
            "",
        ]
    )


def section_tables(page: str, section: str) -> list[list[dict[str, str]]]:
    """The tables of a section, each as rows by column; cells without emphasis."""
    text = (EVIDENCE / f"{page}.md").read_text(encoding="utf-8")
    if f"\n## {section}\n" not in text:
        raise InputError(f"docs/evidence/{page}.md has no section {section!r}")
    body = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    found = []
    for block in re.findall(r"(?:^\|.*\n?)+", body, re.MULTILINE):
        heads, _, *rows = [
            [cell.strip().strip("*") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in block.strip().splitlines()
        ]
        found.append([_by_column(heads, row) for row in rows])
    return found


def _by_column(heads: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Cells by their heads; of heads that occur twice the first counts."""
    cells: dict[str, str] = {}
    for head, cell in zip(heads, row, strict=False):
        cells.setdefault(head, cell)
    return cells


# Numbers -------------------------------------------------------------------------------------------------


def collect_numbers() -> dict[str, dict[str, str]]:
    """Each number with its question, where it is from, and what made it."""
    return {
        key: {"value": value_of(number), **source_of(number)} for key, number in sorted(numbers().items())
    }


def source_of(number: Number) -> dict[str, str]:
    """What a reader needs to find the number, and to make it again."""
    _, fields = heading_of(EVIDENCE / f"{number.page}.md")
    return {
        "question": number.question,
        "page": f"evidence/{number.page}.md",
        **{name.lower(): fields[name] for name in ("Data", "Command", "Date")},
    }


def value_of(number: Number) -> str:
    """The text of the cell."""
    for rows in section_tables(number.page, number.section):
        for row in rows:
            if tuple(list(row.values())[: len(number.row)]) == number.row and number.column in row:
                found = re.search(number.part, row[number.column])
                if found:
                    return found[1]
    raise InputError(
        f"docs/evidence/{number.page}.md, {number.section!r}, has no cell {number.row}, {number.column}"
    )


def filled(text: str, numbers: dict[str, dict[str, str]]) -> str:
    """The text with the numbers as they are now."""

    def value(match: re.Match[str]) -> str:
        if match[2] not in numbers:
            raise InputError(f"no number is called {match[2]}: see research/pages.py")
        return f"{numbers[match[2]]['value']}<!--n:{match[2]}-->"

    return MARKED.sub(value, text)


def numbers() -> dict[str, Number]:
    """Where each number that pages quote is found."""
    found: dict[str, Number] = {}
    for recipe in ("standard", "quick"):
        for games, row in (
            ("1", "1"),
            ("3", "3, composite"),
            ("10", "10, composite"),
            ("30", "30, composite"),
        ):
            for key, column in (
                ("error", "average error"),
                ("guess", "guessing the average"),
                ("cover", "95% interval covers"),
                ("width", "mean width of 95%"),
            ):
                found[f"{recipe}.{games}.{key}"] = Number(
                    f"{column}, {games} games with {recipe}", "accuracy", f"`{recipe}`", (row,), column
                )
    for key, row in (("low", "1000 to 1300"), ("top", "2800 and above")):
        for name, part in (("bias", r"[+-](\d+)"), ("cover", r"\((\d+%)")):
            found[f"standard.{key}.{name}"] = Number(
                f"{name} of one game, published {row}, standard",
                "accuracy",
                "By strength",
                (row,),
                "`standard`, 1 game",
                part,
            )
    for games, share in (("9", "half"), ("5", "all")):
        for key, column in (("found", "all"), ("named", "named, of 5")):
            found[f"screening.{share}.{games}.{key}"] = Number(
                f"{share} of the moves from Stockfish 19, {games} games: {key}, in %",
                "screening",
                "Power",
                (f"Stockfish 19, {share}, {games}",),
                column,
            )
    for prior, name in (("population", ""), ("flat", "flat.")):
        section = "FIDE events that were held out"
        for key, column in (
            ("error", "average error"),
            ("guess", "guessing the average"),
            ("cover", "95% interval covers"),
            ("width", "mean width"),
        ):
            found[f"events.{name}{key}"] = Number(
                f"{column}, held-out FIDE events, prior {prior}", "evaluated", section, ("all", prior), column
            )
        for band, row in (("low", "below 1800"), ("high", "2400 and above")):
            for key, column, part in (
                ("bias", "bias", r"[+-](\d+)"),
                ("cover", "95% interval covers", r"(.+)"),
            ):
                found[f"events.{band}.{name}{key}"] = Number(
                    f"{column}, published {row}, prior {prior}",
                    "evaluated",
                    section,
                    (row, prior),
                    column,
                    part,
                )
    for key, row in (
        ("guess", "guessing the average"),
        ("chesskit", "Chesskit"),
        ("cara", "CARA 2.8"),
        ("lucas", "Lucas Chess R6"),
        ("assay", "Assay"),
    ):
        found[f"formulas.{key}"] = Number(
            f"average error of one game, {row}",
            "formulas",
            "One game, one side",
            (row,),
            "average error, points",
        )
        if key not in ("guess", "assay"):
            found[f"formulas.{key}.line"] = Number(
                f"the same after a fitted line, {row}",
                "formulas",
                "One game, one side",
                (row,),
                "after a fitted line",
            )
    return found


# References ----------------------------------------------------------------------------------------------


def tables_page() -> str:
    """The columns of every table, and the reasons in `exclusion`."""
    titles = {"trace": "Columns of a trace", "reasons": "Reasons in `exclusion`"}
    parts = [f"## {titles.get(title, f'`{title}`')}\n\n{text}" for title, text in tables_of_a_workspace()]
    return "\n\n".join([TABLES_INTRODUCTION.strip(), *parts]) + "\n"


def commands_page() -> str:
    """Every command with its example, what it does and its options."""
    leaves = list(_leaves(typer.main.get_command(app), ""))
    uses = Counter(_signature(option) for _, leaf in leaves for option in _options(leaf))
    shared = {_signature(option): (leaf, option) for _, leaf in leaves for option in _options(leaf)}
    parts = [COMMANDS_INTRODUCTION.strip()]
    for name, leaf in leaves:
        example, *words = [" ".join(part.split()) for part in leaf.help.split("\n\n")]
        parts.append(f"## `assay {name}`")
        parts.append(f"```sh\n{example.strip('`').removeprefix('$ ')}\n```")
        parts.extend(words)
        own = [(leaf, option) for option in _options(leaf) if uses[_signature(option)] < SHARED_BY]
        if own:
            parts.append(_option_table(own))
    parts.append("## Shared options")
    parts.append(_option_table([each for key, each in shared.items() if uses[key] >= SHARED_BY]))
    return "\n\n".join(parts) + "\n"


def _leaves(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Commands that do something, by their full names."""
    if not hasattr(group, "commands"):
        yield name, group
        return
    for each, below in group.commands.items():
        if not below.hidden:
            yield from _leaves(below, f"{name} {each}".strip())


def _options(leaf: Any) -> list[Any]:
    return [each for each in leaf.params if each.param_type_name == "option" and not each.hidden]


def _signature(option: Any) -> str:
    return f"{option.opts} {option.help}"


def _option_table(options: Sequence[tuple[Any, Any]]) -> str:
    records = [option.get_help_record(typer.Context(leaf)) for leaf, option in options]
    cells = [
        (names.replace("|", "\\|"), " ".join(words.split()).replace("|", "\\|")) for names, words in records
    ]
    return "\n".join(
        ["| option | effect |", "|---|---|", *(f"| `{names}` | {words} |" for names, words in cells)]
    )
