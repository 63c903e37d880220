"""Tables into figures, figures into self-contained pages."""
