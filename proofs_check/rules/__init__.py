"""The trusted base: terms, rules of derivation and solvers. Whoever doubts a proof need read no other code."""
