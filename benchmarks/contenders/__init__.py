"""The contenders, a file each: a new one is a new file here, with its ``CONTENDERS``, and nothing else.

Some of these files are also the process that is timed, so nothing is imported here.
"""
