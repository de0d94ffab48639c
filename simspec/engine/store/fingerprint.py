"""A fingerprint of the code that makes a study's rows, so that rows of an edited simulation never join the old ones.

It covers `Study.simulate`, the measures' `reduce`, the means of controls, and all that they name, directly or not, in the
study's own file, in what lies beside it, and in this package: `simspec.provenance.walk` says what counts.  It enters neither
the keys of the random numbers nor the design hash: rows stored before it are found.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from simspec.engine.estimates.statistics import Counts, Mean, Share
from simspec.engine.study import Study
from simspec.provenance.walk import Code, code_of

__all__ = ["fingerprint"]

_known: WeakKeyDictionary[Any, dict[Any, Code]] = WeakKeyDictionary()


def fingerprint(study: Study) -> Code:
    """What identifies the code of a study; of one function object it is taken once, before it can change its own state.

    >>> from simspec.studies.catalogue import catalogue
    >>> code = fingerprint(catalogue()["acceptance"])
    >>> len(code["fingerprint"]), "philox_4x32" in code["parts"] or len(code["parts"]) > 10
    (16, True)
    """
    kinds: dict[Any, None] = dict.fromkeys([Mean, Share, Counts, *map(type, study.measures.values())])
    # a measure that reduces as another does adds nothing: rows that were stored under the other are found
    reducers = list(dict.fromkeys(getattr(kind, "row", kind.reduce) for kind in kinds))
    roots = (*reducers, *(control.mean for control in study.control.values()))
    try:
        codes = _known.setdefault(study.simulate, {})
    except TypeError:  # cannot be referred to weakly
        codes = {}
    return codes.get(roots) or codes.setdefault(roots, code_of([study.simulate, *roots], home=study.simulate))
