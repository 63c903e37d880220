"""Engines: recipes, UCI sessions, what is asked of a position, the queue of positions, runs."""
