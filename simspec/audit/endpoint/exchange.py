"""HTTP with one server: JSON in and out, bounded, patient with a busy server, and never with another host.

The key is sent in one header, and stands in no message, record or representation: `keys` masks it in what is received.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from simspec.audit.endpoint.keys import KEY_VARIABLE, Key
from simspec.audit.endpoint.records import EndpointError, OutOfTimeError, RefusedError, UnansweredError
from simspec.checks import needs
from simspec.html.escaping import escaped

__all__ = [
    "Exchange",
    "Patience",
    "checked_url",
    "is_same_server",
    "is_url",
    "told_pause",
    "without_scheme",
]

DEFAULT_PORTS = {"http": 80, "https": 443}
API_PATHS = (
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/models",
    "/completions",
    "/completion",
    "/generate",
    "/tokenize",
)
"""What is pasted from a request in place of the URL of its server; the longest first."""
HOST_AND_PORT = re.compile(r"[\w.-]+:\d{1,5}(/[\w/.-]*)?", re.ASCII)
TOO_LONG = re.compile(r"context.?(size|length|window)|must have less than \d+ tokens", re.IGNORECASE)
"""What engines say of a prompt that does not fit: llama.cpp and vLLM of their context, TGI of the inputs."""
BUSY = (429, 503)
REFUSED = (400, 422)
"""A request that the server understands and does not take."""
MOST_BYTES = 64 * 2**20
"""A longer response is no completion."""
REDIRECTS = 3
NOTICED = 1.0
"""Seconds of a wait from which it is said."""
BETWEEN = 10.0
"""Seconds between two such lines: requests in flight together wait together."""


class Patience(NamedTuple):
    """How long a busy server (429, 503) is waited for.

    Attributes
    ----------
    seconds : float; in all, for each request
    deadline : float; by `time.monotonic`: no wait ends after it
    words : what sets the deadline, for errors
    """

    seconds: float = 120.0
    deadline: float = math.inf
    words: str = "--within"

    def left(self, waited: float) -> tuple[float, str, type[UnansweredError]]:
        """Seconds that may still be waited after some, what limits them, and the error where they do not suffice.

        >>> seconds, limit, _ = Patience(120.0).left(100.0)
        >>> seconds, limit
        (20.0, '--patience 120')
        """
        of_request = self.seconds - waited
        of_all = self.deadline - time.monotonic()
        if of_request <= of_all:
            return of_request, f"--patience {self.seconds:g}", UnansweredError
        return of_all, self.words, OutOfTimeError


PATIENCE = Patience()
"""Where nothing else is asked for."""


def checked_url(url: str) -> str:
    """The URL of a server without a slash at its end.

    Raises EndpointError for another scheme, no host, a user's name or key in it, a query, or the path of an API.

    >>> checked_url("HTTP://127.0.0.1:8000/")
    'http://127.0.0.1:8000'
    >>> checked_url("http://127.0.0.1:8000/v1/completions")
    Traceback (most recent call last):
    ...
    simspec.audit.endpoint.records.EndpointError: URL: http://127.0.0.1:8000/v1/completions; expected that of the server, \
without the path of an API: write http://127.0.0.1:8000
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
    server = (parts.scheme + url[len(parts.scheme) :]).rstrip("/")
    for path in API_PATHS:
        if server.endswith(path):
            raise EndpointError(
                f"URL: {escaped(url)}; expected that of the server, without the path of an API: write "
                f"{escaped(server.removesuffix(path))}"
            )
    return server.removesuffix("/v1")


def is_same_server(first: str, second: str) -> bool:
    """Whether two URLs are those of one server, as far as they say: this machine has three names.

    >>> is_same_server("http://localhost:8000", "http://127.0.0.1:8000/"), is_same_server("http://a:8000", "http://a:8001")
    (True, False)
    """
    return _address(first) == _address(second)


def _address(url: str) -> tuple[str, str | None, int | None, str]:
    """Scheme, host, port and path of a URL."""
    parts = urlsplit(url)
    host = "127.0.0.1" if parts.hostname in ("localhost", "::1") else parts.hostname
    return parts.scheme, host, parts.port or DEFAULT_PORTS.get(parts.scheme), parts.path.rstrip("/")


def is_url(text: str) -> bool:
    """Whether a text begins as the URL of a server does.

    >>> is_url("HTTP://127.0.0.1:8000"), is_url("127.0.0.1:8000")
    (True, False)
    """
    return text.lower().startswith(("http://", "https://"))


def without_scheme(text: str) -> str:
    """The URL that a server's host and port without a scheme are probably meant to be; "" for another text.

    >>> without_scheme("localhost:8000"), without_scheme("module:name"), without_scheme("/models/a")
    ('http://localhost:8000', '', '')
    """
    return f"http://{text}" if HOST_AND_PORT.fullmatch(text) else ""


class Exchange:
    """A connection to one server.

    Parameters
    ----------
    url : str; of the server, without the path of an API
    seconds : float; time limit of one request
    patience : Patience
    key_variable : str; name of the variable of the environment that holds the key, if any
    sleep : function that waits, for tests
    cure : what the error of a request over its time limit advises
    notice : called with a line that says for what is waited, at most once in some seconds
    """

    def __init__(
        self,
        url: str,
        seconds: float = 60.0,
        patience: Patience = PATIENCE,
        key_variable: str = KEY_VARIABLE,
        sleep: Callable[[float], None] = time.sleep,
        cure: str = "raise --timeout, or lower --in-flight",
        notice: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Nothing is sent yet."""
        self.url = checked_url(url)
        self.seconds = seconds
        self.patience = patience
        self.key_variable = key_variable
        self._sleep = sleep
        self._cure = cure
        self._notice = notice
        self._notice_lock = threading.Lock()
        self._last_notice = -math.inf
        (self._httpx,) = needs("an audit of an endpoint", "httpx")
        self._key = Key(key_variable)
        # trust_env would take proxies and keys of other hosts from the environment: requests would go elsewhere
        self._client = self._httpx.Client(
            timeout=seconds, headers=self._key.headers, follow_redirects=False, trust_env=False
        )
        self.has_key = bool(self._key)

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
            return self._key.masked_record(json.loads(content))
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
            error = RefusedError if status in REFUSED else EndpointError
            # 5xx is a fault of the server, or of a gateway in front of it: the same request may be answered later
            raise (UnansweredError if status >= 500 else error)(self._refusal(status, content, path))
        try:
            return self._key.masked_record(json.loads(content))
        except (ValueError, RecursionError):
            raise UnansweredError(
                f"{self.url}{path}: the answer is no JSON: {self._quoted(content, 60)}; expected "
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
                told = told_pause(headers.get("retry-after"))
                pause = pause if told is None else told
                left, limit, too_long = self.patience.left(waited)
                asked = f"it asks to wait {pause:g} s" if told is not None else f"the next try is in {pause:g} s"
                if pause > left:
                    raise too_long(
                        f"{self.url}{path}: busy (status {status}) for {waited:.0f} s; {asked}, and {max(left, 0):.3g} s are "
                        f"left of {limit}; expected an answer: raise it, try later, or with fewer at once (--in-flight 1)"
                    )
                self._say(f"{self.url}: busy (status {status}); {asked}", waited + pause)
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

    def _say(self, line: str, seconds: float) -> None:
        """Say that there is a wait, if it is worth a line and none was written just before."""
        with self._notice_lock:
            now = time.monotonic()
            if seconds < NOTICED or now - self._last_notice < BETWEEN:
                return
            self._last_notice = now
        self._notice(line)

    def _same_host(self, address: str, location: str) -> str:
        """Where a redirect leads, if that is the same server."""
        target = self._httpx.URL(address).join(location)
        origin = self._httpx.URL(self.url)
        if (target.scheme, target.host, target.port) != (origin.scheme, origin.host, origin.port):
            raise EndpointError(
                f"{self.url}: it redirects to another server, {self._quoted(location)}; expected an answer; nothing was sent "
                "there: give that URL if you trust it"
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
            raise UnansweredError(
                f"{self.url}: no answer within {self.seconds:g} s; expected one: {self._cure}"
            ) from None
        except (self._httpx.HTTPError, self._httpx.InvalidURL) as error:
            raise UnansweredError(
                f"{self.url}: {self._quoted(str(error)) or type(error).__name__}; expected a running server: is it up, "
                "and is this its address?"
            ) from None

    def _refusal(self, status: int, content: bytes, path: str) -> str:
        """Why a request was refused, and the cure."""
        if status in (401, 403):
            sent = "the key in it was refused" if self.has_key else "it is not set"
            return f"{self.url}: status {status}, a key is needed; expected it in {self.key_variable}: {sent}"
        if status == 404 and path == "/tokenize":
            return (
                f"{self.url}{path}: status 404, no such path; expected an engine that states the token ids of a text: a gateway "
                "in front of one may not pass this path on, so give the URL of the engine itself"
            )
        if status == 404:
            return (
                f"{self.url}{path}: status 404, no such path; expected an engine that serves completions, not only chat"
            )
        reason = self._quoted(content)
        cure = ": lower --context or --max-tokens, or start it with a longer context" if TOO_LONG.search(reason) else ""
        return f"{self.url}{path}: status {status}: {reason}; expected an answer{cure}"

    def _quoted(self, received: bytes | str, limit: int = 200) -> str:
        """The beginning of what a server sent, for a message; the key is masked before anything is cut off."""
        text = received.decode("utf-8", "replace") if isinstance(received, bytes) else received
        return escaped(self._key.masked(text), limit)


def told_pause(retry_after: str | None) -> float | None:
    """Seconds that a server asks to wait, by a number or a date (RFC 9110, 10.2.3); None where it says nothing of the kind.

    >>> told_pause("3"), told_pause("soon"), told_pause(None), told_pause("Wed, 21 Oct 2015 07:28:00 GMT")
    (3.0, None, None, 0.0)
    """
    if retry_after is None:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            date = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        # a date without a zone is in Greenwich's, as HTTP's dates are
        seconds = max((date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)
    return seconds if seconds >= 0 else None
