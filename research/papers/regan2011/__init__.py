"""Regan, Haworth 2011, Intrinsic chess ratings."""
