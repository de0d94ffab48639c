"""The benchmark of what a user of a real model waits for."""
