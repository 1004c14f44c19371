"""Other libraries' interfaces, answered by ours: one module a neighbour, named as it is."""
