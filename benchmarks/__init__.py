"""Speed and memory, side by side with other evaluation tools: ``python -m benchmarks`` from the repository root."""
