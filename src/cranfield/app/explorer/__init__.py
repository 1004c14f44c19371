"""The explorer: choose a run and a topic, and find where a system loses its user."""
