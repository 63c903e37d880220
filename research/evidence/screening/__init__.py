"""Error rates and power of the screening, and its norms."""
