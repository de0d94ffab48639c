"""Rules that verify several tokens jointly, side by side: what each accepts for the same number of drafted tokens."""
