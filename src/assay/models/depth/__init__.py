"""`depth`: agents that weigh what moves are worth at every depth (Regan and Haworth 2011, section 8)."""
