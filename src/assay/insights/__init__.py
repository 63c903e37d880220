"""Where, when and against what a player loses strength; what positions asked; which are worth a lesson."""
