"""All attacks, in the order of the page."""

from __future__ import annotations

from proofs_check.attacks.arguments import ARGUMENTS
from proofs_check.attacks.attack import Attack
from proofs_check.attacks.claims import CLAIMS
from proofs_check.attacks.disguise import DISGUISES
from proofs_check.attacks.earlier import WAYS
from proofs_check.attacks.files import FILES
from proofs_check.attacks.formulas import FORMULAS
from proofs_check.attacks.functions import FUNCTIONS
from proofs_check.attacks.instances import INSTANCES
from proofs_check.attacks.written import WRITTEN
from proofs_check.rules.derivation import Derivation

__all__ = ["EARLIER", "FRESH", "REFEREED"]

EARLIER = [
    Attack(
        name,
        "earlier",
        " ".join(
            (way.__doc__ if name == way.__name__ and way.__doc__ else name.replace("_", " ")).split()
        ).removesuffix("."),
        lambda way=way: way(Derivation("an attack")),  # type: ignore[misc]
    )
    for name, way in WAYS.items()
]
"""What referees found, and what was found while their holes were closed."""
FRESH = [*FORMULAS, *ARGUMENTS, *CLAIMS, *DISGUISES]
"""The campaign that followed, by one who knew the rules."""
REFEREED = [*WRITTEN, *FUNCTIONS, *INSTANCES, *FILES]
"""Those of a hostile referee, who had not written the rules; each has a twin that is accepted."""
