"""Applications for the browser, which run on this machine and ask nothing of any other."""
