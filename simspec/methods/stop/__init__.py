"""Rules that end a draft by confidence, seeing the dropped token or not."""
