"""Random mutations of valid logs: each is refused by name or gives numbers that a run can have; none ends in a traceback."""

from __future__ import annotations

import json
import random
import re

import pytest

from simspec.cli import main
from simspec.tools.lengths import Lengths, Log, Number, lengths, read
from simspec.tools.lengths.records import MOST_DRAFTS
from tests.tools.lengths.engines import (
    counters,
    llama_request,
    llama_statistics,
    profile_record,
    sglang_record,
    vllm_line,
    vllm_record,
)

FIRST = [(3, 1), (3, 0), (3, 3), (2, 2)]
SECOND = [(3, 2), (3, 0)]
LOGS = {
    "vLLM lines": vllm_line(FIRST) + "\nINFO other\n" + vllm_line(SECOND, clock="10:00:10"),
    "vLLM lines without rates": vllm_line(FIRST, has_rates=False),
    "llama.cpp requests": llama_request(FIRST, 1) + "\n" + llama_statistics(FIRST),
    "llama.cpp on two lines": llama_request(FIRST, 1, form="two lines"),
    "llama.cpp statistics": llama_statistics(FIRST) + "\n" + llama_statistics([*FIRST, *SECOND]),
    "old llama.cpp": llama_request(FIRST, 1, form="old") + "\n" + llama_statistics(FIRST, form="old"),
    "counters": counters(FIRST),
    "vLLM record": vllm_record(FIRST),
    "SGLang record": sglang_record(FIRST),
    "profile": profile_record(FIRST),
}
VALUES = [
    *(
        "-1",
        "0",
        "1",
        "2",
        "1.5",
        "-0.5",
        "1e309",
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        "9" * 17,
        "1" + "0" * 5000,
        "",
        "true",
    ),
    *(
        "null",
        '"3"',
        "[]",
        "{}",
        "0x10",
        "1_0",
        "९",
        "3.0",
        "99.9",
        "0.999",
        "1.001",
        "٣",
        "\x1b[31m",
        "[bold]",
        "<script>",
    ),
]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
RUNS = 2000


def mutated(text: str, rng: random.Random) -> str:
    """A log with one to three changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        numbers = list(NUMBER.finditer(text))
        kind = rng.choice(["value", "value", "step", "swap", "cut", "drop", "repeat", "character", "line"])
        start, end = sorted(rng.randrange(len(text) + 1) for _ in range(2)) if text else (0, 0)
        if kind == "value" and numbers:
            place = rng.choice(numbers)
            text = text[: place.start()] + rng.choice(VALUES) + text[place.end() :]
        elif kind == "step" and numbers:
            place = rng.choice(numbers)
            digit = rng.randrange(place.start(), place.end())
            text = text[:digit] + rng.choice("0123456789") + text[digit + 1 :]
        elif kind == "swap" and numbers:
            first, second = sorted(rng.sample(range(len(numbers)), 2)) if len(numbers) > 1 else (0, 0)
            a, b = numbers[first], numbers[second]
            if first != second:
                text = text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]
        elif kind == "cut":
            text = text[:end]
        elif kind == "drop":
            text = text[:start] + text[min(end, start + 40) :]
        elif kind == "repeat":
            text = text[:end] + text[start:]
        elif kind == "character":
            text = text[:start] + rng.choice('{}[]",:=()% \n\r\t\x00\x1b\u2028é|') + text[start + 1 :]
        else:
            lines = text.split("\n")
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
            text = "\n".join(lines)
    return text


def impossible(of: Lengths) -> list[str]:
    """What is wrong with the numbers of a log."""
    faults = []
    shares = [*of.positions, *([of.rate] if of.rate else [])]
    means = [of.length, *([of.by_request] if of.by_request else [])]
    if of.steps < 1 or isinstance(of.steps, bool) or not isinstance(of.steps, int):
        faults.append(f"{of.steps} steps")
    faults += [f"{share} is no share" for share in [*shares, *of.conditional] if not 0 <= share.value <= 1]
    longest = len(of.positions) or MOST_DRAFTS
    faults += [f"{mean} is no length" for mean in means if not 1 <= mean.value <= 1 + longest]
    values = [share.value for share in of.positions]
    if values != sorted(values, reverse=True):
        faults.append(f"{values} rise")
    if values and abs(1 + sum(values) - of.length.value) > 1e-9:
        faults.append(f"{values} and {of.length.value}")
    return faults


@pytest.mark.parametrize("name", LOGS)
def test_the_logs_themselves_are_read(name) -> None:
    """The control: unchanged, each log has the length of its steps, up to the rounding of means without rates."""
    of = lengths(read(LOGS[name]))
    steps = [*FIRST, *SECOND] if name in ("vLLM lines", "llama.cpp statistics") else FIRST
    truth = 1 + sum(a for _, a in steps) / len(steps)
    assert of.length.value == pytest.approx(truth, abs=0.005 if "without" in name else 1e-12) and not impossible(of)


def test_what_is_impossible_is_seen() -> None:
    """The other control: the numbers that were printed of counters below zero, and of shares above 1."""
    negative = Lengths("by hand", None, -5, Number(0.4), None, None, (), (), 0.95)
    assert len(impossible(negative)) == 2
    above = Lengths("by hand", None, 4, Number(2.5), None, Number(1.2), (Number(0.5), Number(1.0)), (), 0.95)
    assert len(impossible(above)) == 2
    assert not impossible(lengths(read(LOGS["counters"])))


def test_mutations_are_refused_or_possible() -> None:
    """2,000 mutations: what is refused says what was expected of which line, record or counter."""
    rng = random.Random(20)
    read_logs = refused = 0
    for _ in range(RUNS):
        text = mutated(LOGS[rng.choice(list(LOGS))], rng)
        try:
            log = read(text)
            assert isinstance(log, Log)
            of = lengths(log)
        except ValueError as error:
            message = str(error)
            assert message.startswith(("line ", "record ", "log: ", "counters", "counts ")), (text, message)
            assert "expected" in message, (text, message)
            assert message.isprintable() and "\x1b" not in message, (text, message)
            refused += 1
        else:
            assert not impossible(of), (text, of)
            assert all(note.isprintable() for note in of.notes), (text, of.notes)
            read_logs += 1
    assert refused > RUNS / 2 and read_logs > RUNS / 20  # both happen: the mutations are neither harmless nor all noise


def test_mutations_at_the_command_line(tmp_path, capsys) -> None:
    """100 of them through the command: status 0 with finite numbers in JSON, or 2 with a message."""
    rng = random.Random(21)
    path = tmp_path / "log"
    for _ in range(100):
        text = mutated(LOGS[rng.choice(list(LOGS))], rng)
        path.write_bytes(text.encode("utf-8", errors="replace"))
        status = main(["lengths", str(path), "--json", "-"])
        captured = capsys.readouterr()
        if status == 0:
            assert 1 <= json.loads(captured.out, parse_constant=pytest.fail)["length"]["value"] <= 1 + MOST_DRAFTS
        else:
            assert status == 2 and captured.err.startswith("simspec: error: ") and captured.out == ""
