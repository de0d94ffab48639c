"""The Monte Carlo engine: studies run in blocks until each cell has enough, here or on many workers."""
