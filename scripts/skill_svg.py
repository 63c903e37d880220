"""A small SVG of posteriors over c, like Figure 1 of Di Fatta, Haworth and Regan 2009."""

from collections.abc import Sequence

import numpy as np

from assay.models.apparent_skill import Skill

WIDTH, HEIGHT, MARGIN = 860, 420, 50


def density_svg(skills: Sequence[Skill]) -> str:
    """Densities of c, one curve per skill, labelled at its peak."""
    ends = np.array([skill.posterior.region(0.9999) for skill in skills])
    low, high = np.floor(ends.min() * 10) / 10, np.ceil(ends.max() * 10) / 10
    top = max(float(skill.posterior.density.max()) for skill in skills) * 1.1

    def x(c: float) -> float:
        return float(MARGIN + (WIDTH - 2 * MARGIN) * (c - low) / (high - low))

    def y(density: float) -> float:
        return float(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * density / top)

    # Labels of neighbouring peaks would lie on one another: alternate their height.
    rank = np.argsort(np.argsort([skill.posterior.mean for skill in skills]))
    parts = [_axis(x, y(0), np.arange(low, high + 0.05, 0.1))]
    for index, skill in enumerate(skills):
        colour = f"hsl({250 - 250 * index / max(1, len(skills) - 1):.0f} 70% 42%)"
        posterior = skill.posterior
        inside = (posterior.c >= low) & (posterior.c <= high) & (posterior.density > top / 2000)
        c, density = posterior.c[inside], posterior.density[inside]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(c, density, strict=True))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        peak, lift = int(np.argmax(density)), 6 + 13 * int(rank[index] % 2)
        parts.append(
            f'<text x="{x(c[peak]):.1f}" y="{y(density[peak]) - lift:.1f}" fill="{colour}" '
            f'text-anchor="middle">{skill.label[0]}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _axis(x, base: float, ticks: np.ndarray) -> str:  # type: ignore[no-untyped-def]
    marks = [f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{base}" y2="{base}" stroke="black"/>']
    marks += [
        f'<text x="{x(tick):.1f}" y="{base + 18:.0f}" text-anchor="middle">{tick:.1f}</text>'
        for tick in ticks
    ]
    marks.append(f'<text x="{WIDTH / 2}" y="{base + 38:.0f}" text-anchor="middle">skill c</text>')
    return "\n".join(marks)
