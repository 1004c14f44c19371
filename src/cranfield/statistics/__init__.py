"""Statistics of scores by topic: arrays in, arrays out; nothing here knows of runs or judgments."""
