"""HTTP with one server: JSON in and out, bounded, patient with a busy server, and never with another host.

The key is read from the environment, sent in one header, and stands in no message, record or representation.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any, Self
from urllib.parse import urlsplit

from simspec.audit.endpoint.records import EndpointError
from simspec.checks import needs
from simspec.html.escaping import escaped

__all__ = ["DRAFT_KEY_VARIABLE", "KEY_VARIABLE", "REFERENCE_KEY_VARIABLE", "Exchange", "checked_url"]

KEY_VARIABLE = "SIMSPEC_API_KEY"
REFERENCE_KEY_VARIABLE = "SIMSPEC_REFERENCE_API_KEY"
DRAFT_KEY_VARIABLE = "SIMSPEC_DRAFT_API_KEY"
"""A key of its own, so that no server is sent the key of another."""
BUSY = (429, 503)
MOST_BYTES = 64 * 2**20
"""A longer response is no completion."""
LONGEST_WAIT = 30.0
"""Seconds that a busy server may ask to wait before one more try."""
REDIRECTS = 3


def checked_url(url: str) -> str:
    """The URL of a server without a slash at its end.

    Raises EndpointError for another scheme, no host, a user's name or key in it, or a query.

    >>> checked_url("http://127.0.0.1:8000/")
    'http://127.0.0.1:8000'
    """
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        raise EndpointError(f"URL: {escaped(url)}; expected one such as http://127.0.0.1:8000") from None
    if parts.username or parts.password:
        raise EndpointError(
            f"URL: it holds a user's name or key, which is not repeated here; expected it without, and the key in {KEY_VARIABLE}"
        )
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or not port_is_valid
        or parts.query
        or parts.fragment
    ):
        raise EndpointError(f"URL: {escaped(url)}; expected one such as http://127.0.0.1:8000")
    return url.rstrip("/").removesuffix("/v1")


class Exchange:
    """A connection to one server.

    Parameters
    ----------
    url : str; of the server, without the path of an API
    seconds : float; time limit of one request
    patience : float; seconds in all that a busy server (429, 503) is waited for, for each request
    key_variable : str; name of the variable of the environment that holds the key, if any
    sleep : function that waits, for tests
    cure : what the error of a request over its time limit advises
    """

    def __init__(
        self,
        url: str,
        seconds: float = 60.0,
        patience: float = 120.0,
        key_variable: str = KEY_VARIABLE,
        sleep: Callable[[float], None] = time.sleep,
        cure: str = "raise --timeout, or lower --in-flight",
    ) -> None:
        """Nothing is sent yet."""
        self.url = checked_url(url)
        self.seconds = seconds
        self.patience = patience
        self.key_variable = key_variable
        self._sleep = sleep
        self._cure = cure
        (self._httpx,) = needs("an audit of an endpoint", "httpx")
        key = os.environ.get(key_variable, "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        # trust_env would take proxies and keys of other hosts from the environment: requests would go elsewhere
        self._client = self._httpx.Client(timeout=seconds, headers=headers, follow_redirects=False, trust_env=False)
        self.has_key = bool(key)

    def __repr__(self) -> str:
        return f"Exchange({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def get(self, path: str) -> Any:
        """JSON of a path; None where the server has no such path."""
        status, content = self._sent("GET", path, None)
        if status != 200:
            return None
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            return None

    def text(self, path: str) -> str | None:
        """Text of a path; None where the server has no such path."""
        status, content = self._sent("GET", path, None)
        return content.decode("utf-8", "replace") if status == 200 else None

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """JSON that answers a JSON body.

        Raises EndpointError for every other answer, with its cause and its cure.
        """
        status, content = self._sent("POST", path, body)
        if status != 200:
            raise EndpointError(self._refusal(status, content, path))
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise EndpointError(
                f"{self.url}{path}: the answer is no JSON: {escaped(content[:60].decode('utf-8', 'replace'))!s}; expected "
                "the API of an engine: is this its URL, or that of a page in front of it?"
            ) from None

    def has(self, path: str, body: dict[str, Any]) -> bool:
        """Whether a path answers this body with JSON."""
        status, _ = self._sent("POST", path, body)
        return status == 200

    def _sent(self, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, bytes]:
        """Status and content of a request, after waiting for a busy server and following redirects to the same host."""
        waited = 0.0
        redirects = 0
        address = self.url + path
        pause = 0.5
        while True:
            status, headers, content = self._once(method, address, body)
            if status in BUSY:
                pause = _pause(headers.get("retry-after"), pause)
                if waited + pause > self.patience:
                    raise EndpointError(
                        f"{self.url}{path}: busy (status {status}) for {waited:.0f} s; expected an answer: try later, or with "
                        "fewer requests at once (--in-flight 1)"
                    )
                self._sleep(pause)
                waited += pause
                pause *= 2
            elif 300 <= status < 400 and (location := headers.get("location")):
                address = self._same_host(address, location)
                redirects += 1
                if redirects > REDIRECTS:
                    raise EndpointError(f"{self.url}{path}: more than {REDIRECTS} redirects; expected an answer")
            else:
                return status, content

    def _same_host(self, address: str, location: str) -> str:
        """Where a redirect leads, if that is the same server."""
        target = self._httpx.URL(address).join(location)
        origin = self._httpx.URL(self.url)
        if (target.scheme, target.host, target.port) != (origin.scheme, origin.host, origin.port):
            raise EndpointError(
                f"{self.url}: it redirects to another server, {escaped(location)}; expected an answer; nothing was sent there: "
                "give that URL if you trust it"
            )
        return str(target)

    def _once(self, method: str, address: str, body: dict[str, Any] | None) -> tuple[int, dict[str, str], bytes]:
        """Status, headers in lower case and content of one request."""
        end = time.monotonic() + self.seconds
        try:
            with self._client.stream(method, address, json=body) as response:
                content = bytearray()
                for piece in response.iter_bytes():
                    content += piece
                    if time.monotonic() > end:  # the client's own limit is on each piece
                        raise self._httpx.ReadTimeout("")
                    if len(content) > MOST_BYTES:
                        raise EndpointError(f"{self.url}: an answer of more than {MOST_BYTES} bytes; expected JSON")
                return response.status_code, dict(response.headers), bytes(content)
        except self._httpx.TimeoutException:
            raise EndpointError(
                f"{self.url}: no answer within {self.seconds:g} s; expected one: {self._cure}"
            ) from None
        except (self._httpx.HTTPError, self._httpx.InvalidURL) as error:
            raise EndpointError(
                f"{self.url}: {escaped(error) or type(error).__name__}; expected a running server: is it up, and is this its "
                "address?"
            ) from None

    def _refusal(self, status: int, content: bytes, path: str) -> str:
        """Why a request was refused, and the cure."""
        reason = escaped(content.decode("utf-8", "replace"))
        if status in (401, 403):
            sent = "the key in it was refused" if self.has_key else "it is not set"
            return f"{self.url}: status {status}, a key is needed; expected it in {self.key_variable}: {sent}"
        if status == 404:
            return (
                f"{self.url}{path}: status 404, no such path; expected an engine that serves completions, not only chat"
            )
        return f"{self.url}{path}: status {status}: {reason}; expected an answer"


def _pause(retry_after: str | None, otherwise: float) -> float:
    """Seconds to wait: as the server says, within limits.

    >>> _pause("3", 0.5), _pause("soon", 0.5), _pause("1e9", 0.5)
    (3.0, 0.5, 30.0)
    """
    try:
        seconds = float(retry_after or otherwise)
    except ValueError:
        seconds = otherwise
    return min(seconds, LONGEST_WAIT) if seconds > 0 else otherwise
