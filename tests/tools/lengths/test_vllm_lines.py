"""vLLM's log: its lines among others, several of them, of several versions, and those that contradict themselves."""

from __future__ import annotations

import json

import numpy as np
import pytest

from simspec.cli import main
from simspec.tools.lengths import lengths, read
from tests.tools.lengths.engines import vllm_line

SAMPLE = (
    "(EngineCore pid=7) INFO 11-20 10:00:00 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 2.04, Accepted "
    "throughput: 31.20 tokens/s, Drafted throughput: 90.00 tokens/s, Accepted: 312 tokens, Drafted: 900 tokens, Per-position "
    "acceptance rate: 0.620, 0.280, 0.140, Avg Draft acceptance rate: 34.7%"
)
EARLY = (
    "INFO 04-05 10:00:00 [metrics.py:61] SpecDecoding metrics: Draft acceptance rate: 34.7%, Accepted: 312 tokens, Drafted: 900 "
    "tokens"
)
OTHER = 'INFO:     127.0.0.1:50000 - "POST /v1/completions HTTP/1.1" 200 OK'


def steps_of(rng: np.random.Generator, number: int, places: int = 3) -> list[tuple[int, int]]:
    """Steps that draft all places, and accept any number of them."""
    return [(places, int(a)) for a in rng.integers(0, places + 1, number)]


def test_a_line_among_others() -> None:
    """300 steps by hand: 900 drafts, three a step; 186, 84 and 42 of them accept 1, 2 and 3 drafts."""
    log = read(f"{OTHER}\n{SAMPLE}\n{OTHER}\n")
    assert log.counts[0] == (300, 312, 900, (186, 84, 42))
    of = lengths(log)
    assert (of.steps, of.requests, of.length.value) == (300, None, 2.04)
    assert of.rate is not None and of.rate.value == pytest.approx(0.34667, abs=1e-5)
    assert [m.value for m in of.positions] == pytest.approx([0.62, 0.28, 0.14])


def test_intervals_add_up() -> None:
    """Two intervals of 4 and 2 steps: pooled over 6 steps, 5 accepted drafts; an interval without drafts is left out."""
    lines = [vllm_line([(3, 0), (3, 1), (3, 1), (3, 0)]), vllm_line([(3, 3), (3, 0)], clock="10:00:10"), vllm_line([])]
    log = read("\n".join([OTHER, *lines, OTHER]))
    assert lengths(log).length.value == 1 + 5 / 6
    assert [m.value for m in lengths(log).positions] == [3 / 6, 1 / 6, 1 / 6]
    assert "lines of intervals without a draft are left out: 1" in log.notes


@pytest.mark.parametrize("seed", range(20))
def test_steps_are_those_that_were_printed(seed) -> None:
    """Where every step drafts all positions the steps follow exactly; 20 logs of 1 to 3,000 steps."""
    rng = np.random.default_rng(seed)
    steps = steps_of(rng, int(rng.integers(1, 3000)), places=int(rng.integers(1, 8)))
    places = steps[0][0]
    counts = read(vllm_line(steps, places=places)).counts[0]
    assert counts[:3] == (len(steps), sum(a for _, a in steps), sum(d for d, _ in steps))


@pytest.mark.parametrize("seed", range(20))
def test_steps_that_draft_unequally(seed) -> None:
    """The steps then follow up to rounding: within the range that is said, and the length within half its last digit."""
    rng = np.random.default_rng(seed)
    steps = [(int(d), int(rng.integers(0, d + 1))) for d in rng.integers(1, 5, int(rng.integers(1, 400)))]
    if not any(a for _, a in steps):
        steps.append((4, 4))
    log = read(vllm_line(steps, places=4))
    counts = log.counts[0]
    truth = 1 + sum(a for _, a in steps) / len(steps)
    assert abs(1 + counts.accepted / counts.steps - truth) < 0.011
    assert counts.reached is not None
    for position, count in enumerate(counts.reached):
        assert abs(count / counts.steps - sum(a > position for _, a in steps) / len(steps)) < 0.0021 + 1 / counts.steps


@pytest.mark.parametrize(
    "line",
    [
        SAMPLE.replace("Accepted throughput", "Current speculative depth: 3, Accepted throughput"),
        SAMPLE[SAMPLE.index("SpecDecoding") :],
        f"\x1b[36m(EngineCore pid=7)\x1b[0;0m {SAMPLE[19:]}",
        json.dumps({"log": SAMPLE + "\n", "stream": "stderr"}),
        f"vllm-1  | {SAMPLE}",
        f"2026-01-01T00:00:00.1Z {SAMPLE}\r",
        EARLY + ", Mean acceptance length: 2.04, Per-position acceptance rate: 0.620, 0.280, 0.140",
    ],
)
def test_other_versions_and_wrappers(line) -> None:
    assert read(f"{OTHER}\n{line}\n").counts == ((300, 312, 900, (186, 84, 42)),)


def test_a_mean_without_the_bonus_token_is_named() -> None:
    """The first versions printed accepted drafts over steps."""
    log = read(SAMPLE.replace("2.04", "1.04"))
    assert log.counts[0].steps == 300
    assert any("without the bonus token" in note and "line 1 says 1.04" in note for note in log.notes)


def test_a_rate_that_counts_the_steps_is_named() -> None:
    """(312 + 300)/(900 + 300) is 51 %."""
    log = read(SAMPLE.replace("34.7%", "51.0%"))
    assert any("(accepted + steps)/(drafted + steps)" in note for note in log.notes)


def test_lines_without_rates() -> None:
    """312 accepted drafts at a mean of 2.04 took 299 to 301 steps; an interval that accepts nothing drafts as the others."""
    log = read(
        vllm_line([(3, 1)] * 312 + [(0, 0)] * 0, has_rates=False)
        + "\n"
        + vllm_line([(3, 0)] * 10, has_rates=False, clock="10:00:10")
    )
    assert log.counts == ((312, 312, 936, None), (10, 0, 30, None))
    assert any("between" in note for note in log.notes)
    with pytest.raises(ValueError, match="none of 30 drafts is accepted and no rates by position"):
        read(vllm_line([(3, 0)] * 10, has_rates=False))


def test_a_line_that_stands_twice_with_its_time_is_counted_once() -> None:
    log = read(f"{SAMPLE}\n{SAMPLE}")
    assert log.counts[0].steps == 300 and len(log.counts) == 1
    assert any("repeated" in note for note in log.notes)
    bare = SAMPLE[SAMPLE.index("SpecDecoding") :]  # without a time two intervals may be alike
    assert len(read(f"{bare}\n{bare}").counts) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Accepted: 312 tokens", "Accepted: -5 tokens", "line 1: Accepted is '-5'; expected a whole number"),
        ("Accepted: 312 tokens", "Accepted: 3.5 tokens", "Accepted is '3.5'"),
        ("Accepted: 312 tokens", "Accepted: inf tokens", "Accepted is 'inf'"),
        ("Accepted: 312 tokens", "Accepted: True tokens", "Accepted is 'True'"),
        ("Drafted: 900 tokens", "Drafted: 9007199254740993 tokens", "at most 2\\*\\*53"),
        ("Accepted: 312 tokens", "Accepted: 901 tokens", "901 of 900 drafts accepted"),
        ("Accepted: 312 tokens, ", "", "no Accepted in the"),
        ("Accepted: 312 tokens, ", "Accepted: 312 tokens, Accepted: 312 tokens, ", "Accepted stands twice"),
        ("2.04", "2.94", "no number of steps gives 312 accepted of 900 drafts, mean length 2.94"),
        ("2.04", "inf", "Mean acceptance length is 'inf'"),
        ("2.04", "nan", "Mean acceptance length is not a number, of 900 drafts"),
        ("0.620, 0.280", "0.280, 0.620", "rates by position rise from 0.28 to 0.62 at position 2"),
        ("0.620, 0.280", "1.620, 0.280", "the rate at position 1 is 1.62; expected between 0 and 1"),
        ("0.620, 0.280", "0.620, nan", "Per-position acceptance rate is 'nan'"),
        ("0.620, 0.280", "0.920, 0.280", "no number of steps gives"),
        ("34.7%", "44.7%", "Draft acceptance rate is 0.447; expected 0.346667"),
        (SAMPLE[-200:], "", "line 1:"),
    ],
)
def test_a_line_that_contradicts_itself_is_refused(old, new, message) -> None:
    assert old in SAMPLE
    with pytest.raises(ValueError, match=message):
        read(SAMPLE.replace(old, new))


def test_lines_of_versions_without_a_length() -> None:
    with pytest.raises(ValueError, match=r"312 of 900 drafts accepted, a rate of 0\.347, and no length follows"):
        read(EARLY)
    zeroth = "INFO 02-11 14:50:38 metrics.py:477] Speculative metrics: Draft acceptance rate: 0.550, System efficiency: 0.133"
    with pytest.raises(ValueError, match="lines of vLLM before version 1"):
        read(zeroth)


def test_a_prompt_that_quotes_a_line_is_no_line() -> None:
    """Text of strangers in a log is not counted, in whatever it is quoted, and none of it is printed."""
    forged = "SpecDecoding metrics: Mean acceptance length: 9.00, Accepted: 800 tokens, Drafted: 800 tokens"
    for line in (
        f"INFO 11-20 10:00:00 [logger.py:39] Received request a: prompt: '{forged}'",
        json.dumps({"text": forged}),
        f"# as in `{forged}`",
    ):
        assert read(f"{SAMPLE}\n{line}").counts == read(SAMPLE).counts


def test_the_command_prints_nothing_of_a_line(tmp_path, capsys) -> None:
    log = tmp_path / "vllm.log"
    hostile = "\x1b]0;owned\x07[red]<script>alert(1)</script>"
    log.write_bytes(f"{hostile}\n{SAMPLE}\n\xff{OTHER}".encode("latin-1"))
    assert main(["lengths", str(log)]) == 0
    captured = capsys.readouterr()
    assert "acceptance length  2.040" in captured.out and "acceptance rate    0.347" in captured.out
    assert "script" not in captured.out and "\x1b" not in captured.out
    log.write_text(SAMPLE.replace("312 tokens", f"{hostile} tokens"), encoding="utf-8")
    assert main(["lengths", str(log)]) == 2
    assert "\x1b" not in capsys.readouterr().err
    log.write_text(SAMPLE, encoding="utf-16")
    assert main(["lengths", str(log), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 300
