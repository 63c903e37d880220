"""Tables into figures into one self-contained HTML file."""
