"""Where a ranked list should end: the best place in hindsight, rules that are learned, and runs cut there."""
