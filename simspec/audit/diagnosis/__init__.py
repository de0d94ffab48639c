"""What stands beside a verdict: the likely cause, the price, what known faults would have needed.  No verdict depends on it."""
