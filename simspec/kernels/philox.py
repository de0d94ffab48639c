"""The path that studies of users import, for counter-based random numbers; they are written in `simspec.kernels.random`."""

from simspec.kernels.random import Draws, make_key, normal, philox4x32, reduced_chi_square, student_t, uniform, words

__all__ = ["Draws", "make_key", "normal", "philox4x32", "reduced_chi_square", "student_t", "uniform", "words"]
