"""What an installation brings, and what is said without it."""
