"""Attacks on the checker: bogus proofs that must be refused, and those that only a reader can refuse."""
