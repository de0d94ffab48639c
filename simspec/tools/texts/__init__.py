"""How repetitive a task is, and what n-gram drafts and added tokens could gain on it: `simspec texts`."""
