"""Studies of SQS: drafting over a thin wire."""
