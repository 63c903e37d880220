"""Parquet parts, DuckDB queries, and the join that assembles decisions."""
