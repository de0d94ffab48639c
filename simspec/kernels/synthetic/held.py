"""Which launch holds synthetic row pairs that are drawn once (`pairs.h`): a pure function of model, vocabulary and device.

Not here: launching (`cuda_synthetic`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["LOG2_E", "Held", "held", "is_held"]

LOG2_E = 1 / math.log(2)
"""What turns nats into logits in base 2."""
FAR = 100.0
"""Largest size of a Gaussian logit, in base 2, for which no largest logit is looked for."""
RADIUS = 6.77
"""Of a normal draw, at most: the square root of 2 log 2^33, and a rounding."""
LARGEST = 1e37
"""Size that logits in float32 may have, so that none overflows."""
SECTIONS = 8
GROUP = 1024
SLOTS = 512
"""Sections of a row, tokens of a group and slots of a section (`pairs.h`)."""
QUADS = 2 * SLOTS
"""Quads, of 16 bytes, that a group of each slot takes."""
BOARD = 8 * (2 * SLOTS + 3 * SECTIONS)
"""Bytes of shared memory beside the quads."""
GROUPS_IN_SHARED = 6
"""Groups of a slot in the shared memory of a block: 96 KB, so that a multiprocessor of Hopper has room for two blocks."""
MANY = 8192
"""Tokens from which a cluster takes a row: a group for each block."""


class Held(NamedTuple):
    """A launch: the source and its kernel, blocks a row, threads and bytes of shared memory a block.

    A block has `in_shared` groups of a slot in shared memory, and `behind_quads` quads behind it.
    """

    source: str
    kernel: str
    blocks: int
    threads: int
    shared: int
    in_shared: int
    behind_quads: int

    def clusters(self, processors: int) -> int:
        """Rows that a device works on at once: two blocks on each of its multiprocessors.

        >>> held(128_256, 9).clusters(132)
        33
        """
        return max(1, 2 * processors // self.blocks)


def is_held(df: float, location: float, scale: float) -> bool:
    """Whether `pairs.h` takes a model: Gaussian logits in base 2 of at most `FAR`, Student-t ones (df >= 1) that are floats.

    The scale of Student-t draws is times sqrt(df): such a radius is at most sqrt(df) 2^(33/df).  A draft logit is at most
    3 times the location and sqrt(2) times the scale's largest draw.

    >>> is_held(math.inf, 0.0, 3.0), is_held(math.inf, 0.0, 30.0), is_held(5.0, 0.0, 1e30), is_held(1.0, 0.0, 1e30)
    (True, False, True, False)
    """
    radius, limit = (RADIUS, FAR) if df == math.inf else (2 ** (33 / df), LARGEST)
    return (3 * abs(location) + 1.42 * radius * scale) * LOG2_E <= limit


def held(vocab: int, major: int, one_block: bool = False) -> Held:
    """The launch for rows of so many tokens on a device of a compute capability (its major number).

    >>> held(128_256, 9)
    Held(source='spread_pairs', kernel='pairs_8', blocks=8, threads=512, shared=106688, in_shared=6, behind_quads=2048)
    >>> held(1_000, 9).blocks, held(128_256, 8).blocks
    (1, 1)
    """
    blocks = 8 if major >= 9 and vocab >= MANY and not one_block else 1
    groups = -(-vocab // GROUP)
    of_slot = -(-groups // (2 * SECTIONS))
    used = of_slot * -(-min(groups, SECTIONS) // blocks)
    # on older devices a block has 48 KB unless it asks for more: two groups
    in_shared = min(used, GROUPS_IN_SHARED if blocks == 8 else 2)
    source = "pairs" if blocks == 1 else "spread_pairs"
    shared = BOARD + 16 * QUADS * in_shared
    return Held(source, f"pairs_{blocks}", blocks, SLOTS, shared, in_shared, QUADS * (used - in_shared))
