"""The same in a browser: a local server whose pages ask what the commands ask.

`serving.py` listens, `app.py` puts the pages together, `pages/` has one module for each, `jobs.py` does what
takes long one after another, `shelf.py` keeps what was worked out. Nothing of numpy and friends is imported
before a page needs it: the first page is painted at once.
"""
