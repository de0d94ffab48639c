"""Studies of TASC: n-gram drafts and added tokens on tasks."""
