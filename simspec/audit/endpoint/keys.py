"""The key of a server: read from the environment, sent in one header, and masked in whatever the server sends back.

What is not here: sending it (`exchange`).
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from simspec.audit.endpoint.records import EndpointError

__all__ = ["DRAFT_KEY_VARIABLE", "KEY_VARIABLE", "REFERENCE_KEY_VARIABLE", "Key"]

KEY_VARIABLE = "SIMSPEC_API_KEY"
REFERENCE_KEY_VARIABLE = "SIMSPEC_REFERENCE_API_KEY"
DRAFT_KEY_VARIABLE = "SIMSPEC_DRAFT_API_KEY"
"""A key of its own, so that no server is sent the key of another."""
SHORTEST_SECRET = 8
"""Characters of a key that no text holds by chance; a shorter one, such as EMPTY, stands for a server without keys."""


class Key:
    """The key in a variable of the environment, without white space around it; none where the variable is not set.

    Parameters
    ----------
    variable : str; its name

    Raises
    ------
    EndpointError
        where a header cannot hold the key; the message names the variable, and does not show the key.

    Examples
    --------
    >>> os.environ["A_KEY"] = "sk-secret-123\\n"
    >>> key = Key("A_KEY")
    >>> key, key.masked("who is sk-secret-123?")
    (Key('A_KEY'), 'who is $A_KEY?')
    >>> del os.environ["A_KEY"]
    """

    def __init__(self, variable: str) -> None:
        value = os.environ.get(variable, "").strip()
        if not (value.isascii() and value.isprintable()):
            raise EndpointError(
                f"{variable}: it holds characters that no key has, and is not shown; expected printable ASCII: copy the key again"
            )
        self.variable = variable
        self._value = value
        # as it is, and as JSON and URLs write it; some encoders of JSON escape slashes
        in_json = json.dumps(value)[1:-1]
        forms = {value, in_json, in_json.replace("/", "\\/"), quote(value), quote(value, safe="")}
        self._forms = sorted(forms, key=len, reverse=True) if value else []

    def __repr__(self) -> str:
        return f"Key({self.variable!r})"

    def __bool__(self) -> bool:
        """Whether there is one."""
        return bool(self._value)

    @property
    def headers(self) -> dict[str, str]:
        """The header that holds it."""
        return {"Authorization": f"Bearer {self._value}"} if self else {}

    def masked(self, text: str) -> str:
        """Text of the server's with the name of the variable in place of the key."""
        for form in self._forms:
            text = text.replace(form, f"${self.variable}")
        return text

    def masked_record(self, record: Any) -> Any:
        """JSON of the server's with the key masked in every string.

        A key that is shorter than `SHORTEST_SECRET` is left there: it may be the name of a model, or a word of an answer.
        """
        return self._masked_within(record) if len(self._value) >= SHORTEST_SECRET else record

    def _masked_within(self, record: Any) -> Any:
        if isinstance(record, str):
            return self.masked(record)
        if isinstance(record, list):
            return [self._masked_within(entry) for entry in record]
        if isinstance(record, dict):
            return {self.masked(name): self._masked_within(value) for name, value in record.items()}
        return record
