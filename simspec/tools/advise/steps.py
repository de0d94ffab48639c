r"""Times of target steps by batch size, as ``simspec advise --steps`` reads them from a CSV file.

A row is one timed step: `batch` sequences, of each of which the target takes `tokens` tokens, in `milliseconds`.  With γ drafts
a step takes γ + 1 tokens; with 1 the target decodes alone.  The optional column `draft` holds the milliseconds of one draft
step of that batch.  Rows with the same batch and tokens are repetitions: their median counts, and their spread is its error.

Between two numbers of tokens that were timed the time is interpolated; nothing is extrapolated.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from simspec.engine.estimates.intervals import Interval
from simspec.tools.advise.costs import median_interval

__all__ = ["COLUMNS", "StepTimes", "csv_text", "read_steps", "step_times"]

COLUMNS = ("batch", "tokens", "milliseconds")
DRAFT = "draft"
LARGEST = 2**20
"""No batch and no step holds more; a larger number is a damaged file."""


class StepTimes(NamedTuple):
    """Milliseconds of steps.

    Attributes
    ----------
    target : by batch, then by tokens of a sequence
    draft : of one draft step, by batch; empty where the file has none
    """

    target: dict[int, dict[int, Interval]]
    draft: dict[int, Interval]

    @property
    def batches(self) -> list[int]:
        """Batch sizes that were timed, smallest first."""
        return sorted(self.target)

    @property
    def most_drafts(self) -> int:
        """Largest number of drafts at which every batch was timed, or lies between two times."""
        return min(max(tokens) for tokens in self.target.values()) - 1

    def alone(self, batch: int) -> Interval:
        """Time of a step without drafts."""
        return self.target[batch][1]

    def verifying(self, batch: int, tokens: int) -> Interval:
        """Time of a step on so many tokens of each sequence, interpolated between those that were timed.

        >>> times = step_times([(1, 1, 10.0, None), (1, 5, 14.0, None)])
        >>> times.verifying(1, 2).estimate
        11.0
        """
        timed = self.target[batch]
        if tokens in timed:
            return timed[tokens]
        below = max((number for number in timed if number < tokens), default=None)
        above = min((number for number in timed if number > tokens), default=None)
        if below is None or above is None:
            limits = f"{min(timed)} and {max(timed)}"
            raise ValueError(f"tokens: {tokens} at batch {batch}; expected a number between {limits}, which were timed")
        share = (tokens - below) / (above - below)
        low = timed[below]
        high = timed[above]
        ends = [(1 - share) * a + share * b for a, b in zip(low[:3], high[:3], strict=True)]
        return Interval(ends[0], ends[1], ends[2], low.level)


def read_steps(text: str, level: float = 0.95) -> StepTimes:
    """Times of a CSV file.

    Raises ValueError for a file without these columns or rows, a cell that is no positive number, or a batch without a step on
    one token, with the line.

    >>> times = read_steps("batch,tokens,milliseconds\\n1,1,10\\n1,5,12\\n")
    >>> times.batches, times.most_drafts, times.alone(1).estimate
    ([1], 4, 10.0)
    """
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    header = [name.strip().lower() for name in next(lines, [])]
    known = (*COLUMNS, DRAFT)
    if not set(COLUMNS) <= set(header) or not set(header) <= set(known) or len(set(header)) < len(header):
        raise ValueError(
            f"--steps: line 1 is {ascii(','.join(header))[:80]}; expected batch,tokens,milliseconds, and optionally draft "
            "(milliseconds of a draft step), once each"
        )
    rows = []
    for number, cells in enumerate(lines, 2):
        if not cells:
            continue
        if len(cells) != len(header):
            raise ValueError(f"--steps: line {number} has {len(cells)} cells; expected {len(header)}, as line 1")
        cell = dict(zip(header, cells, strict=True))
        batch, tokens = (_whole(cell[name], name, number) for name in COLUMNS[:2])
        draft = cell.get(DRAFT, "").strip()
        milliseconds = _time(cell[COLUMNS[2]], COLUMNS[2], number)
        rows.append((batch, tokens, milliseconds, _time(draft, DRAFT, number) if draft else None))
    return step_times(rows, level)


def step_times(rows: Iterable[tuple[int, int, float, float | None]], level: float = 0.95) -> StepTimes:
    """Times of rows (batch, tokens, milliseconds, milliseconds of a draft step or None).

    Raises ValueError for no rows, a batch without a step on one token, or draft steps of some batches only.

    >>> step_times([(8, 1, 10.0, 2.0), (8, 1, 12.0, None)]).alone(8).estimate
    11.0
    """
    samples: dict[int, dict[int, list[float]]] = {}
    draft_samples: dict[int, list[float]] = {}
    for batch, tokens, milliseconds, draft in rows:
        samples.setdefault(batch, {}).setdefault(tokens, []).append(milliseconds)
        if draft is not None:
            draft_samples.setdefault(batch, []).append(draft)
    if not samples:
        raise ValueError("--steps: no rows; expected batch,tokens,milliseconds of at least one step")
    for batch, by_tokens in sorted(samples.items()):
        if 1 not in by_tokens:
            raise ValueError(
                f"--steps: no row with batch {batch} and 1 token; expected one: it is the time of the target alone"
            )
    if draft_samples and set(draft_samples) != set(samples):
        without = sorted(set(samples) - set(draft_samples))
        raise ValueError(
            f"--steps: no time of a draft step at batch {without[0]}; expected one at each batch, or at none"
        )
    target = {
        batch: {tokens: median_interval(times, level) for tokens, times in sorted(by_tokens.items())}
        for batch, by_tokens in sorted(samples.items())
    }
    return StepTimes(target, {batch: median_interval(times, level) for batch, times in sorted(draft_samples.items())})


def csv_text(rows: Sequence[tuple[int, int, float, float | None]]) -> str:
    """Rows as a file that `read_steps` reads.

    >>> print(csv_text([(1, 5, 12.5, 2.0)]), end="")
    batch,tokens,milliseconds,draft
    1,5,12.5,2
    """
    lines = [",".join((*COLUMNS, DRAFT))]
    for batch, tokens, milliseconds, draft in rows:
        lines.append(f"{batch},{tokens},{milliseconds:.6g},{'' if draft is None else f'{draft:.6g}'}")
    return "\n".join(lines) + "\n"


def _whole(text: str, name: str, number: int) -> int:
    """A batch size or a number of tokens."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10 and 1 <= int(digits) <= LARGEST):
        raise ValueError(f"--steps: line {number}: {name} is {text[:40]!a}; expected a whole number, 1 or more")
    return int(digits)


def _time(text: str, name: str, number: int) -> float:
    """A time in milliseconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ValueError(f"--steps: line {number}: {name} is {text[:40]!a}; expected milliseconds, more than 0")
    return value
