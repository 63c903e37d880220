"""Screening: how unusual play is for a rating, how often honest players would show it, and in which games."""
