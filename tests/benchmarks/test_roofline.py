"""The yardstick does the operations it says, on every thread."""

import numpy as np
import pytest

from benchmarks import roofline


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [1.0, 1e5, 3e6])
def test_at_least_so_many_operations(count, threads):
    done = roofline.operations(count, threads)()
    assert count <= done < count + threads * 2 * roofline._WIDTH * roofline._DEPTH


def test_numbers_change_with_every_turn():
    """One turn by hand: three times exclusive-or and addition, modulo 2**32."""
    x = np.arange(roofline._WIDTH, dtype=np.uint32)
    a, b = 0x9E3779B9, 0xBB67AE85
    expected = [int(v) for v in x]
    for _ in range(2 * roofline._DEPTH):
        expected = [((v ^ a) + b) % 2**32 for v in expected]
    roofline._spin()(2, x, np.uint32(a), np.uint32(b))
    assert x.tolist() == expected
