"""Sensitivity and consistency from the values of all moves (Regan, Haworth 2011)."""
