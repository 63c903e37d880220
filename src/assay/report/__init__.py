"""Results become figures, figures become one self-contained HTML file."""
