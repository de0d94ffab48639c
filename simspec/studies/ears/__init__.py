"""Studies of EARS and other relaxed rules."""
