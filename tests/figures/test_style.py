"""Style sheets of figures."""

import re

from assay.figures.style import (
    COLOURS,
    PALETTE,
    alone_style,
    colour_of,
    dash_of,
    light_style,
    page_style,
    shape_of,
)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG: 1 for equal colours, 21 for black on white."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_a_file_of_its_own_has_no_variables() -> None:
    """Programs other than browsers draw it too."""
    for style in (alone_style(), light_style()):
        assert "var(" not in style
        assert "light-dark" not in style
    assert "@media" not in light_style()
    assert "prefers-color-scheme: dark" in alone_style()


def test_every_variable_has_a_value() -> None:
    style = page_style()
    used, given = (
        set(re.findall(pattern, style)) for pattern in (r"var\(--([\w-]+)\)", r" --([\w-]+): light")
    )
    assert used <= given == set(PALETTE)


def test_words_are_read_and_marks_are_seen_on_both_grounds() -> None:
    for shade in (0, 1):
        ground = PALETTE["paper"][shade]
        assert contrast(PALETTE["ink"][shade], ground) > 7
        assert contrast(PALETTE["soft"][shade], ground) > 4.5
        for number in range(COLOURS):
            assert contrast(PALETTE[f"mark-{number}"][shade], ground) > 3


def test_lines_are_told_apart() -> None:
    looks = [(colour_of(number), dash_of(number)) for number in range(48)]
    assert len(set(looks)) == 48
    assert len({dash_of(number) for number in range(6)}) == 6  # without colour too
    assert len({shape_of(number) for number in range(8)}) == 8
