"""Moving mass along a softmax affinity, without its V x V matrix."""
