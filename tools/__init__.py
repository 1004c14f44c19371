"""What keeps the repository in order; run from its root."""
