"""C-SQS: a threshold on the draft's probabilities, moved by online conformal prediction."""
