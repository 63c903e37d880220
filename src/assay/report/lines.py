"""How the lines of one figure are told apart: by colour, and beyond the colours by dashes."""

COLOURS = (
    *("#636efa", "#ef553b", "#00cc96", "#ab63fa", "#ffa15a"),
    *("#19d3f3", "#ff6692", "#b6e880", "#ff97ff", "#fecb52"),
)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def line_style(index: int) -> dict[str, str]:
    """Colour and dash of the line with this number from 0: no two of the first sixty are alike."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "dash": DASHES[index // len(COLOURS) % len(DASHES)],
    }
