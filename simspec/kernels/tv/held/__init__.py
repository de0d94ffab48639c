"""CUDA kernels that hold a pair of rows of logits on the chip: which rows they take (`plans`), and their sums (`ordered`)."""
