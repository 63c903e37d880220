"""How Sphinx builds the site: `make docs`, into build/site. No network is used."""

from importlib.metadata import version as installed_version

project = "Assay"
author = "The Assay developers"
copyright = "The Assay developers, GPL 3 or later"
release = version = installed_version("assay-chess")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["notebooks"]
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
autodoc_default_options = {"members": True, "undoc-members": False}

html_theme = "furo"
html_title = f"Assay {version}"
html_copy_source = False
html_show_sourcelink = False
