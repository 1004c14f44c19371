"""The contenders, one file each: a new one is a new file here, with its ``CONTENDER``, and nothing else.

Some of these files are also the process that is timed, so nothing is imported here.
"""
