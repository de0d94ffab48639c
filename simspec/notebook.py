"""How a notebook shows simspec's objects, registered from outside: the classes themselves import nothing that draws.

`FORMATTERS` names a function for each class; it is imported when an object of that class is shown for the first time.
In a notebook `import simspec` registers them; where IPython starts later, ``%load_ext simspec`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simspec.engine.show.picture import Picture

__all__ = ["FORMATTERS", "PICTURES", "html", "plot", "register"]

FORMATTERS = {
    ("simspec.audit.report", "Report"): "simspec.audit.showing:report_html",
    ("simspec.claims.claim", "Claim"): "simspec.claims.showing:claim_html",
    ("simspec.claims.claim", "Evidence"): "simspec.claims.showing:evidence_row_html",
    ("simspec.claims.deciding.verdicts", "Verdicts"): "simspec.claims.deciding.showing:verdicts_html",
    ("simspec.engine.results", "Results"): "simspec.engine.show.nouns:results_html",
    ("simspec.engine.study", "Study"): "simspec.engine.show.nouns:study_html",
    ("simspec.logits.bank", "Bank"): "simspec.logits.bank.showing:bank_html",
    ("simspec.methods.method", "Method"): "simspec.methods.showing:method_html",
    ("simspec.tools.advise.table", "Advice"): "simspec.tools.advise.show:advice_html",
    ("simspec.tools.drafters.table", "DraftsTable"): "simspec.tools.drafters.show:drafts_html",
    ("simspec.tools.drafters.table", "PoliciesTable"): "simspec.tools.drafters.show:policies_html",
    ("simspec.tools.rates.table", "RatesTable"): "simspec.tools.rates.show:rates_html",
    ("simspec.tools.trees.table", "TreesTable"): "simspec.tools.trees.show:trees_html",
}
"""Function that writes HTML, by the module and name of the class that it shows; subclasses are shown the same way."""

PICTURES = {
    ("simspec.engine.results", "Results"): "simspec.engine.show.picture:plot_results",
    ("simspec.tools.advise.table", "Advice"): "simspec.tools.advise.show:plot_advice",
    ("simspec.tools.rates.table", "RatesTable"): "simspec.tools.rates.show:plot_rates",
    ("simspec.claims.deciding.verdicts", "Verdicts"): "simspec.claims.deciding.showing:plot_verdicts",
    ("simspec.audit.report", "Report"): "simspec.audit.showing:plot_report",
}
"""Function that draws, by the module and name of the class of what it draws."""


def register(shell: Any) -> None:
    """Tell an IPython shell how to show simspec's objects; nothing of simspec is imported for it.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
    """
    formatter = shell.display_formatter.formatters["text/html"]
    for (module, name), place in FORMATTERS.items():
        formatter.for_type_by_name(module, name, _Loaded(place))


def html(thing: object) -> str | None:
    """What a notebook shows of an object; None where it shows only its text.

    >>> from simspec.claims import find
    >>> "sd.acceptance" in html(find(["sd.acceptance"])[0]), html("text")
    (True, None)
    """
    place = _place(thing, FORMATTERS)
    return None if place is None else _Loaded(place)(thing)


def plot(thing: object, **options: Any) -> Picture:
    """Draw a result: a study's measures against a parameter, verdicts, rates, advice or an audit, with their intervals.

    Parameters
    ----------
    thing : what `simspec.run`, `verify`, `rates`, `advise` or `audit` returns
    **options
        of a study's results: x (parameter along x), y (measure, with its place, such as ``accepted[0]``), hue (parameter
        in colours).

    Returns
    -------
    Picture
        shown by notebooks as it is; ``.save("FILE.svg")`` writes it, ``.figure`` is Matplotlib's.

    Raises
    ------
    ValueError
        for an object that has no picture, an unknown parameter or measure, or more panels than can be read; where
        Matplotlib is missing, with the command that installs it.

    Examples
    --------
    >>> plot("text")
    Traceback (most recent call last):
    ValueError: thing: str; expected one of Results, Advice, RatesTable, Verdicts, Report
    """
    place = _place(thing, PICTURES)
    if place is None:
        names = ", ".join(name for _, name in PICTURES)
        raise ValueError(f"thing: {type(thing).__name__}; expected one of {names}")
    return _Loaded(place)(thing, **options)


def _place(thing: object, places: dict[tuple[str, str], str]) -> str | None:
    """Where the function for an object's class, or for the nearest class above it, is written."""
    for kind in type(thing).__mro__:
        place = places.get((kind.__module__, kind.__qualname__))
        if place is not None:
            return place
    return None


class _Loaded:
    """A function named by ``module:function``, imported when it is first called."""

    def __init__(self, place: str) -> None:
        self.module, _, self.name = place.partition(":")

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        function: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return function(*arguments, **options)
