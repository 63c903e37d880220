"""Names in figures: plotly takes text for markup (`<a href=...>`, `<br>`), wherever it stands.

Names come from untrusted files. They go through `literal`, and never into a hovertemplate, where `%{...}`
is replaced: there `%{fullData.name}` or customdata stand for them.
"""

from assay.domain.text import printable


def literal(text: str) -> str:
    """Text that plotly shows as it is written."""
    return printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
