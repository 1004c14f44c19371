"""A track: what an organiser does, from the submissions to the release, a module a step."""
