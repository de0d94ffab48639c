"""What a run shows: its progress, tables and pictures."""
