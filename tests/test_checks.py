"""Arguments are refused by name, with the amounts."""

import pytest

from simspec.checks import check_memory, physical_memory


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        (1001, "would take 1001 bytes of memory, expected at most 1000 bytes"),
        (1024, "would take 1.0 KiB"),
        (3 * 2**29, "would take 1.5 GiB"),
        (2**59, "would take 512.0 PiB"),
        (2**100, r"would take 2\*\*100 bytes"),
    ],
)
def test_what_is_too_large_is_refused_with_its_size(needed, said) -> None:
    with pytest.raises(ValueError, match=rf"^rows: 7; {said}"):
        check_memory("rows", 7, needed, limit=1000)


def test_what_fits_is_let_through() -> None:
    check_memory("rows", 7, 1000, limit=1000)
    check_memory("rows", 7, 1)


def test_the_machine_is_the_limit() -> None:
    assert 2**20 < physical_memory() <= 2**60
    with pytest.raises(ValueError, match="num"):
        check_memory("num", 1, physical_memory() + 1)
