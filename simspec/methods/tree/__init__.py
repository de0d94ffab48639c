"""Trees of drafts: rules at a node, traversal verification, the best tree for a number of nodes."""
