"""Scripts scored: from a call's events to what became of every expectation."""
