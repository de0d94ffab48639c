"""EARS on a model that answers tasks with known answers: accuracy, accepted drafts and calls, beside speculative decoding."""
