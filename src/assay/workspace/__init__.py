"""The one place that knows where files live."""

from assay.workspace.workspace import Workspace

__all__ = ["Workspace"]
