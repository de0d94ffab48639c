"""Studies of PAD: pivots, their labels and classifiers, speed against utility."""
