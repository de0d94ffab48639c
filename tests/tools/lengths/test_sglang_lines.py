"""SGLang's log lines of decode batches: refused, with what they print and which meaning their rate has."""

from __future__ import annotations

import pytest

from simspec.cli import main
from simspec.tools.lengths import read
from simspec.tools.lengths.sglang_lines import PLAIN, SHIFTED, decode_lines, rate_meanings


def line(length: float, rate: float | None) -> str:
    """A line as the scheduler prints it; before 2025 it printed no rate."""
    share = "" if rate is None else f"accept rate: {rate:.2f}, "
    return (
        f"[2026-10-02 23:42:16 TP0] Decode batch, #running-req: 4, #token: 900, token usage: 0.02, accept len: {length:.2f}, "
        f"{share}cuda graph: True, gen throughput (token/s): 212.31, #queue-req: 0"
    )


def both(lengths: list[float], gamma: int) -> tuple[str, str]:
    """The same lengths with both meanings of the rate."""
    plain = "\n".join(line(length, (length - 1) / gamma) for length in lengths)
    shifted = "\n".join(line(length, length / (gamma + 1)) for length in lengths)
    return plain, shifted


@pytest.mark.parametrize("gamma", range(1, 17))
def test_both_meanings_are_told_apart(gamma) -> None:
    """Lengths of 1, of half of what is possible and of all of it: the other meaning fits no number of drafts."""
    plain, shifted = both([1.0, 1 + gamma / 2, 1.0 + gamma], gamma)
    assert rate_meanings(decode_lines(plain)) == [(PLAIN, gamma)]
    assert rate_meanings(decode_lines(shifted)) == [(SHIFTED, gamma)]


def test_one_line_may_fit_both() -> None:
    """All drafts accepted: 1 is 3/3 and 4/4."""
    assert {name for name, _ in rate_meanings(decode_lines(line(4.0, 1.0)))} == {PLAIN, SHIFTED}
    with pytest.raises(ValueError, match="which these lines do not tell apart"):
        read(line(4.0, 1.0))


def test_a_rate_that_fits_nothing_is_said() -> None:
    with pytest.raises(ValueError, match="fits no one number of drafts"):
        read(f"{line(3.0, 0.75)}\n{line(3.0, 0.5)}")


def test_what_is_refused_is_described(tmp_path, capsys) -> None:
    log = tmp_path / "server.log"
    log.write_text(f"INFO: other\n{both([2.1, 3.3], 4)[1]}\n", encoding="utf-8")
    assert main(["lengths", str(log)]) == 2
    message = capsys.readouterr().err
    assert "2 lines of SGLang's log, which print mean lengths of 2.10 to 3.30 (bonus token included)" in message
    assert (
        f"their accept rate is {SHIFTED}, not {PLAIN}, with 4 drafts a step" in message and "spec_verify_ct" in message
    )
    with pytest.raises(
        ValueError, match=r"1 line of SGLang's log, which print 2\.50 \(bonus token included\) and no counts"
    ):
        read(line(2.5, None))
