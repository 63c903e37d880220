"""The published methods, on one contract."""
