"""Strength from the distribution of gain (Ferreira 2012)."""
