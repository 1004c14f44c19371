"""What makes a measure a measure, and what several families share: user models, gains, cascades, sums of prefixes."""
