"""Applications for the browser, which run on this machine and ask nothing of any other.

`web` is what they share, `guard` says who is answered, `server` serves until a signal comes, and `originals` notices
changed files. What takes long runs in `workers`: processes started afresh, since forked ones lack polars' threads and
only a process can be ended in the midst of its work. Starlette alone serves, the part of FastAPI that is needed,
which starts a quarter of a second sooner.
"""
