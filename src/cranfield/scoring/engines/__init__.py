"""Ways of carrying batches of runs to the measures."""
