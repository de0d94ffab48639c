"""Studies of C-SQS: its threshold along whole texts."""
