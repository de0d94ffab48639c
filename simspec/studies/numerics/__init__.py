"""How far computations of one model differ: what was measured, and the study of it."""
