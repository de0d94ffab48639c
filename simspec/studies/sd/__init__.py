"""Studies of standard speculative decoding."""
