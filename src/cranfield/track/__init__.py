"""A track: what an organiser does, from the submissions to the release, a module a step.

A step's `parts` says what it makes: files that belong together, under the digests of everything they follow from.
`steps.Workshop` makes what is not up to date, all files of a part or none. Nothing made depends on the time, on earlier
states or on the folder, so a release has the same bytes whatever came before. The judging task is no part: people work
in it, so it is made once, and later arrivals are events. Its grades, and those of logs, are what `selection.records`
makes of the events.
"""
