"""What knows nothing of retrieval: errors, text that is escaped and counted, memory, options, tables, JSON."""
