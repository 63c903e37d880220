"""Engine work: recipes, UCI sessions, executors, the backlog."""
