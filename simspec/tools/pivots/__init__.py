"""PAD on a model that answers tasks with known answers: labels from rollouts, a classifier, and what decoding by it costs."""
