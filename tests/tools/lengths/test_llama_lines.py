"""llama.cpp's log: lines of requests and of statistics, which count the same tokens, of several versions."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.tools.lengths import lengths, read
from tests.tools.lengths.engines import llama_request, llama_statistics

SAMPLE = (
    "0.01.000.000 I slot print_timing: id  0 | task 3 | draft acceptance = 0.62500 (  150 accepted /   240 generated), mean "
    "acceptance length =  2.88, acceptance rate per position = (0.825, 0.600, 0.450)"
)
STATISTICS = (
    "0.01.000.100 I statistics     draft-simple: #calls(b,g,a) =    1     80     80, #gen drafts =     80, #acc drafts =    66, "
    "#gen tokens =    240, #acc tokens =   150, #mean acc len = 2.88, #acc rate/pos = (0.825, 0.600, 0.450), dur(b,g,a) = 0.004, "
    "300.000, 0.100 ms"
)
FIRST = [(3, 1), (3, 0), (3, 3)]
SECOND = [(3, 2), (2, 2)]


def test_a_request_and_its_statistics_are_counted_once() -> None:
    """80 steps by hand: 240 drafts, three a step; 66, 48 and 36 of them accept 1, 2 and 3 drafts."""
    log = read(f"srv  log: other\n{SAMPLE}\n{STATISTICS}\n")
    assert log.counts == ((80, 150, 240, (66, 48, 36)),) and log.by_request
    of = lengths(log)
    assert (of.length.value, of.requests) == (2.875, 1)
    assert of.rate is not None and of.rate.value == 0.625
    assert [m.value for m in of.positions] == [0.825, 0.6, 0.45]
    assert any("statistics repeat their tokens and are not added" in note for note in log.notes)


def test_statistics_alone() -> None:
    log = read(STATISTICS)
    assert log.counts == ((80, 150, 240, (66, 48, 36)),) and not log.by_request


@pytest.mark.parametrize("form", ["full", "two lines", "mean"])
def test_requests_of_several_slots(form) -> None:
    """Two requests of 3 and 2 steps, and statistics over both after each."""
    text = "\n".join(
        [
            llama_request(FIRST, 0, form=form),
            llama_statistics(FIRST),
            llama_request(SECOND, 1, form=form),
            llama_statistics([*FIRST, *SECOND]),
        ]
    )
    of = lengths(read(text))
    assert (of.requests, of.steps, of.length.value) == (2, 5, 1 + 8 / 5)
    assert of.by_request is not None and of.by_request.value == (1 + 4 / 3 + 3) / 2
    assert len(of.positions) == (0 if form == "mean" else 3)


def test_statistics_are_used_where_requests_have_no_length() -> None:
    """Older lines of requests print no mean: the last statistics count, those before them are in them."""
    last = llama_statistics([*FIRST, *SECOND], form="old")
    text = "\n".join(
        [
            llama_request(FIRST, 0, form="old"),
            llama_statistics(FIRST, form="old"),
            llama_request(SECOND, 1, form="bare"),
            last,
        ]
    )
    log = read(text)
    assert log.counts == ((5, 8, 14, None),) and not log.by_request
    assert any("not all of them print a mean length" in note for note in log.notes)
    with pytest.raises(ValueError, match="line 3: 5 drafts in 4 calls"):
        read(f"{llama_request(FIRST, 0, form='old')}\n{last.replace('#calls = 5', '#calls = 4')}")
    with pytest.raises(ValueError, match=r"8 of 14 drafts accepted, a rate of 0\.571, and no length follows"):
        read("\n".join([llama_request(FIRST, 0, form="old"), llama_request(SECOND, 1, form="bare")]))


def test_requests_without_drafts_are_left_out() -> None:
    """What divides by nothing is no number."""
    nothing = "slot print_timing: id  0 | task 9 | draft acceptance = nan (    0 accepted /     0 generated), mean len =  1.00"
    assert read(f"{SAMPLE}\n{nothing}").counts == read(SAMPLE).counts
    with pytest.raises(ValueError, match="contains no verification step"):
        lengths(read(nothing))


def test_several_drafters_add_up() -> None:
    log = read(llama_statistics(FIRST, drafter="ngram-mod") + "\n" + llama_statistics(SECOND, drafter="draft-mtp"))
    assert lengths(log).steps == 5 and lengths(log).length.value == 1 + 8 / 5


def test_a_request_that_accepts_nothing() -> None:
    """It prints a mean of 1.00, which says nothing of its steps: without rates it drafts as the others do."""
    nothing = [(3, 0), (3, 0)]
    assert read(llama_request(nothing, 0)).counts == ((2, 0, 6, (0, 0, 0)),)
    both = "\n".join([llama_request(FIRST, 0, form="mean"), llama_request(nothing, 1, form="mean")])
    assert read(both).counts == ((3, 4, 9, None), (2, 0, 6, None))


@pytest.mark.parametrize("seed", range(20))
def test_steps_are_those_that_were_printed(seed) -> None:
    """Requests of 1 to 300 steps: where all draft alike, the steps follow exactly; the statistics have them in any case."""
    rng = np.random.default_rng(seed)
    places = int(rng.integers(1, 7))
    steps = [(places, int(a)) for a in rng.integers(0, places + 1, int(rng.integers(1, 300)))]
    assert read(llama_request(steps, 0, places=places)).counts[0].steps == len(steps)
    unequal = [(int(d), int(rng.integers(0, d + 1))) for d in rng.integers(1, 5, int(rng.integers(1, 300)))]
    counts = read(llama_statistics(unequal, places=4)).counts[0]
    assert counts.steps == len(unequal) and counts.reached is not None
    assert counts.reached[0] == pytest.approx(sum(a > 0 for _, a in unequal), abs=1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("150 accepted", "-5 accepted", "line 1: accepted is '-5'"),
        ("150 accepted", "inf accepted", "accepted is 'inf'"),
        ("150 accepted", "250 accepted", "250 of 240 drafts accepted"),
        ("0.62500", "0.72500", "draft acceptance is 0.725; expected 0.625"),
        ("0.62500", "nan", "draft acceptance is not a number, of 240 drafts"),
        ("2.88", "3.88", "no number of steps gives 150 accepted of 240 drafts, mean length 3.88"),
        ("2.88", "-2.88", "mean acceptance length is '-2.88'"),
        ("0.825, 0.600", "0.600, 0.825", "rates by position rise"),
        ("0.825, 0.600", "1.825, 0.600", "expected between 0 and 1"),
        ("0.825, 0.600", "0.925, 0.600", "no number of steps gives"),
        (" generated)", "", "line 1: 'draft acceptance = 0.62500"),
        ("(0.825", "0.825", "expected acceptance rate per position"),
        ("0.450)", "nan)", "acceptance rate per position is 'nan'; expected a number"),
        ("0.450)", ")", "acceptance rate per position is ''"),
        ("2.88, acceptance rate per position = (0.825, 0.600, 0.450)", "1.50", "no number of steps gives"),
        ("length =  2.88", "length =  3", "is '3'; expected a number that is not negative, with its decimals"),
        ("length =  2.88", "length =", "expected mean acceptance length = 2.88"),
    ],
)
def test_a_request_that_contradicts_itself_is_refused(old, new, message) -> None:
    assert old in SAMPLE
    with pytest.raises(ValueError, match=message):
        read(SAMPLE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#acc tokens =   150", "#acc tokens =  -150", "#acc tokens is '-150'"),
        ("#acc tokens =   150", "#acc tokens =   250", "250 of 240 drafts accepted"),
        ("#acc tokens =   150", "#acc tokens =   160", "no number of steps gives"),
        ("#acc tokens =   150, ", "", "no #acc tokens"),
        ("#acc tokens =   150, ", "#acc tokens =   150, #acc tokens = 150, ", "stands twice"),
        ("#acc drafts =    66", "#acc drafts =    86", "86 drafts with an accepted token among 80"),
        ("#acc drafts =    66", "#acc drafts =    60", "60 accepted drafts in 80 steps, and a rate of 0.825"),
        (
            "#acc drafts =    66",
            "#acc drafts =     0",
            "0 drafts with an accepted token among 80 drafts, in 80 steps with 150",
        ),
        (
            "#gen drafts =     80",
            "#gen drafts =    180",
            "150 of 240 drafted tokens accepted, and 114 drafts of which none is",
        ),
        ("1     80     80", "1     80", "holds 2 numbers; expected 3"),
        ("1     80     80", "1     80     70", "no number of steps|accepted drafts in 70 steps"),
        ("1     80     80", "1     80     0", "in 0 steps"),
        ("2.88", "4.88", "no number of steps gives"),
        ("0.825, 0.600", "0.600, 0.825", "accepted drafts in 80 steps, and a rate of 0.6"),
    ],
)
def test_statistics_that_contradict_themselves_are_refused(old, new, message) -> None:
    assert old in STATISTICS
    with pytest.raises(ValueError, match=message):
        read(STATISTICS.replace(old, new))


def test_statistics_that_go_down_are_refused() -> None:
    with pytest.raises(ValueError, match="line 2: #gen drafts of draft-simple goes down from 5 to 3"):
        read(llama_statistics([*FIRST, *SECOND]) + "\n" + llama_statistics(FIRST).replace(".100 I", ".200 I"))
    with pytest.raises(ValueError, match="requests accept 8 drafts, and the statistics after them count 4"):
        read("\n".join([llama_request(FIRST, 0), llama_request(SECOND, 1), llama_statistics(FIRST)]))


def test_logs_of_two_engines_are_refused() -> None:
    line = "SpecDecoding metrics: Mean acceptance length: 1.50, Accepted: 2 tokens, Drafted: 4 tokens"
    with pytest.raises(
        ValueError, match=r"both vLLM's log and llama\.cpp's log, which may count the same tokens twice"
    ):
        read(f"{SAMPLE}\n{line}")


def timed(tokens: int, prefix: str = "0.00.900.000 I slot print_timing: id  0 | task 3 | ") -> str:
    """Timing lines of a request, as a server of 2026 prints them before its line about drafts."""
    return (
        f"{prefix}prompt eval time =     189.10 ms /     5 tokens (   37.82 ms per token,    26.44 tokens per second)\n"
        f"{prefix}       eval time =    5350.15 ms / {tokens:5d} tokens (  137.18 ms per token,     7.29 tokens per second)\n"
        f"{prefix}      total time =    5539.26 ms / {tokens + 5:5d} tokens"
    )


def test_a_request_accepts_no_more_than_its_timing_line_emits() -> None:
    """By hand: 150 accepted drafts and a token for each of 80 steps are 230 tokens; the prompt's own token is one more."""
    for tokens in (230, 231, 500):
        assert read(f"{timed(tokens)}\n{SAMPLE}\n{STATISTICS}").counts == read(SAMPLE).counts
    for tokens, steps in ((229, 80), (228, 80), (227, 80), (150, 1)):  # the 5 tokens of the prompt judge nothing
        with pytest.raises(
            ValueError, match=rf"line 4: 150 accepted drafts .* {steps} steps, .* {tokens} tokens; .*--cut"
        ):
            read(f"{timed(tokens)}\n{SAMPLE}")
    assert read(f"{timed(227)}\n{SAMPLE}", is_cut=True).counts == read(SAMPLE).counts  # three drafts of one step
    with pytest.raises(ValueError, match="that of 226 tokens; expected no more than were emitted$"):
        read(f"{timed(226)}\n{SAMPLE}", is_cut=True)


def test_three_tokens_emitted_and_five_drafts_accepted() -> None:
    """Of a line without a mean length, too, whose statistics would be read in its place."""
    line = "slot print_timing: id  0 | task 3 | draft acceptance = 1.00000 (    5 accepted /     5 generated)"
    counted = llama_statistics([(5, 5)], form="old")
    assert read(f"{timed(6)}\n{line}\n{counted}").counts == ((1, 5, 5, None),)
    with pytest.raises(ValueError, match="5 accepted drafts and a token more for each of at least 1 steps"):
        read(f"{timed(3)}\n{line}\n{counted}")


def test_a_timing_line_belongs_to_its_own_slot_and_task() -> None:
    """Another request's tokens, runs of an older build, and a quoted line judge nothing."""
    other = timed(3, "0.00.900.000 I slot print_timing: id  1 | task 4 | ")
    runs = timed(3).replace("tokens (", "runs   (")
    quoted = f"prompt: '{timed(3).splitlines()[1]}'"
    for text in (other, runs, quoted):
        assert read(f"{text}\n{SAMPLE}").counts == read(SAMPLE).counts
