"""What tests share."""

from pathlib import Path

SIMULATED = Path(__file__).resolve().parents[1] / "golden" / "data" / "tournament.pgn"
"""Twelve games of simulated players of 1600, 1900, 2200 and 2500, everyone against everyone twice."""
