"""A sparring partner that plays like a person of a given Elo, as a UCI engine."""

LOWEST, HIGHEST = 1000, 2800
"""Elos that may be asked for: the mileposts of the calibration that ships."""
