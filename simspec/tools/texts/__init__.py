"""How repetitive a task is, and what n-gram drafts and added tokens could gain on it: `simspec texts`.

`load` reads what was requested, `compute` measures it, `table` holds what was measured and the rows that are printed of it,
`show` prints them, and `save` writes the measurements with what it takes to measure them again.  What is measured, and how, is
written in `simspec.studies.tasc`.
"""

from __future__ import annotations

from simspec.tools.texts.compute import compute
from simspec.tools.texts.load import Progress, Request, task_of
from simspec.tools.texts.table import Measured

__all__ = ["Measured", "Progress", "Request", "texts"]


def texts(request: Request, progress: Progress | None = None) -> Measured:
    """Measure a task: its bigrams, n-gram drafts, added tokens, and what else is requested.

    Parameters
    ----------
    request : Request
    progress : (what is done, how much of it, of how much or None) -> None, optional

    Raises ValueError for a corpus, a tokenizer or a model that cannot be read, and for a corpus that cannot be measured.

    >>> measured = texts(Request("library:tagging", pairs=20, budget=0, gamma=1, resamples=2))
    >>> measured.entry["pairs"], sorted(measured.gains), measured.savings
    (20, ['corpus', 'mixed', 'prompt'], [])
    """
    return compute(task_of(request, progress), progress)
