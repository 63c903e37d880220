"""Write docs/tables.md from the schemas."""

from pathlib import Path

from assay.domain.interchange import REQUIRED
from assay.domain.schema import SCHEMA_VERSION, TABLES, TRACE_COLUMNS, Column
from assay.ingest.exclusions import REASONS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tables.md"

HEAD = f"""# The tables

Made from `assay.domain.schema` by `scripts/make_tables_page.py`; version {SCHEMA_VERSION} of the tables.

A workspace is a folder with one folder per table. A table is a set of Parquet parts, each named after the
range of writes that it holds: `00000003-00000003.parquet` is the third write, `00000001-00000007.parquet`
replaces the first seven. A part whose range lies within another's is passed over. Parts are written under a
temporary name, synced and renamed, so a part is there whole or not at all. Any program that reads Parquet can
read a table; readers never wait for a writer, and there is one writer at a time.

Evaluations are from the view of the player to move. Where a single number stands for an evaluation (`before`,
`after`, `trace_value`), it is centipawns, and a mate in n is 32000 - n, being mated in n is -32000 + n.
"""


def columns(rows: tuple[Column, ...]) -> str:
    lines = ["| column | type | may be null | meaning |", "|---|---|---|---|"]
    lines += [f"| `{c.name}` | {c.type} | {'yes' if c.nullable else ''} | {c.meaning} |" for c in rows]
    return "\n".join(line.replace("<element: ", "<").replace("<item: ", "<") for line in lines)


def page() -> str:
    parts = [HEAD]
    for table in TABLES:
        parts.append(f"## `{table.name}`\n\n{table.meaning}\n\n{columns(table.columns)}\n")
        if table.name == "decisions":
            parts.append(f"With their trace, decisions have besides:\n\n{columns(TRACE_COLUMNS)}\n")
            needed = ", ".join(f"`{name}`" for name in REQUIRED)
            parts.append(
                f"A file made elsewhere needs only {needed}: see [the interchange format](interchange.md).\n"
            )
    reasons = "\n".join(f"| `{reason}` | {meaning} |" for reason, meaning in REASONS.items())
    parts.append(f"## Reasons in `exclusion`\n\n| reason | meaning |\n|---|---|\n{reasons}\n")
    parts.append(
        "Decisions have one more, `not_analysed`: the position has no analysis (or comment) of that recipe.\n"
    )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
