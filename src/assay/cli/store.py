"""Commands on the workspace: import, status, export."""

import typer


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
