"""The diagnosis of a verdict: the likely cause, the price, and how many calls known faults would have needed.  No verdict depends on it."""
