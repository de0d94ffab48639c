"""SQS: draft laws sparsified and rounded to a lattice, and the bits that this takes."""
