"""What lists show rank by rank: curves, traces, archetypes, ties, overlap, references, and lists that are altered."""
