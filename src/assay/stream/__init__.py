"""Games that bring their evaluations, streamed: read, added up by player and let go. Nothing is stored."""
