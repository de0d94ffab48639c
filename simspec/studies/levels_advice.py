"""What a run says where it simulates whole rows although levels are faster: why, and which command gives the faster rows.

Whether levels pay is `simspec.studies.levels`; what is said changes no row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simspec.studies.levels import LEVELS, asked_half_width, has_levels, levels_pay

if TYPE_CHECKING:
    from simspec.engine.study import Request, Study

__all__ = ["why_whole_rows"]


def why_whole_rows(study: Study, request: Request) -> str:
    """One line on why a study of the acceptance of synthetic pairs has whole rows; empty where levels would not pay, or are used.

    Parameters
    ----------
    study : Study
        its cells as `simspec.studies.levels.pairs_of` takes them; those with a ``nucleus`` below 1 have no levels.
    request : Request

    Examples
    --------
    >>> from simspec.engine.estimates.stopping import HalfWidth
    >>> from simspec.engine.study import Request
    >>> from simspec.studies.catalogue import acceptance
    >>> why_whole_rows(acceptance(), Request(HalfWidth("alpha", 0.01), 0.95, "cpu"))
    ''
    >>> why_whole_rows(acceptance(), Request(HalfWidth("alpha", 0.001), 0.95, "gpu"))
    'whole rows: rows of levels, which are faster for alpha within 0.001, are drawn on a processor only: use --device cpu'
    """
    half_width = asked_half_width(request.stop)
    cells = tuple(cell for cell in study.grid if has_levels(cell) and cell.get("nucleus", 1) == 1)
    has_stored_levels = any(LEVELS in cell for cell in request.stored)
    if half_width is None or has_stored_levels or not levels_pay(cells or study.grid, half_width, request.level):
        return ""
    if not cells:
        return "whole rows: pairs of these cells have no levels (a power of their logits could overflow); no command is faster"
    faster = f"rows of levels, which are faster for alpha within {half_width:g}"
    if study.steadier is None:
        command = f"simspec study run acceptance --half-width {half_width:g} --of alpha"
        return f"whole rows: {faster}, have no other measure of this study; for alpha alone: {command}"
    if request.device != "cpu":
        return f"whole rows: {faster}, are drawn on a processor only: use --device cpu"
    if len(cells) < len(study.grid):
        return f"whole rows: {faster}, exist for the pairs of {len(cells)} of the {len(study.grid)} cells only"
    if request.stored:
        return f"whole rows: they continue those that are stored; {faster}, begin in another directory (--dir)"
    return ""
