"""One module for each kind of page: it asks what a command asks, and fills a template with the answer."""
