"""The one writer of pages, and what draws figures on them; it knows nothing of what they show."""
