"""What makes a measure a measure: declaration, parameters, documentation, names, gains, and measures of one's own."""
