"""`assay serve`: the same in a browser.

`server.py` has the application and listens, `security.py` guards it, `jobs.py` does what takes long,
`cache.py` keeps answers until the workspace changes, `pages/` has a module for each door. Nothing of numpy
and friends is imported before a page needs it: the first page is painted at once.
"""
