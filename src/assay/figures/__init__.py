"""Arrays into SVG: the figure layer. It handles numbers and names, not ratings or models."""
