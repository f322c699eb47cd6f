"""W3C trace context and spans, exported as OTLP/HTTP JSON.

Spans are queued in memory and sent by a thread. Spans that the collector does not accept are dropped, because a service must not wait
for its traces.
"""
import contextlib
import dataclasses
import json
import queue
import re
import secrets
import threading
import time
import urllib.request

_TRACEPARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_LARGEST_QUEUE = 4096
_LARGEST_BATCH = 512

SERVER, CLIENT, PRODUCER, CONSUMER = 2, 3, 4, 5


@dataclasses.dataclass(frozen=True)
class Context:
    trace_id: str
    span_id: str
    flags: str = "01"
    tracestate: str | None = None

    def headers(self):
        """The headers of an event or of a request that continues this trace."""
        headers = {"traceparent": f"00-{self.trace_id}-{self.span_id}-{self.flags}"}
        if self.tracestate:
            headers["tracestate"] = self.tracestate
        return headers


def read(headers):
    """Reads a context from headers. Returns None if there is none or if it is malformed."""
    match = _TRACEPARENT.fullmatch(headers.get("traceparent") or "")
    if not match or set(match[1]) == {"0"} or set(match[2]) == {"0"}:
        return None
    return Context(match[1], match[2], match[3], headers.get("tracestate") or None)


class Span:
    def __init__(self, name, kind, parent, attributes):
        self.context = Context(
            parent.trace_id if parent else secrets.token_hex(16),
            secrets.token_hex(8),
            parent.flags if parent else "01",
            parent.tracestate if parent else None,
        )
        self.parent = parent
        self.name = name
        self.kind = kind
        self.attributes = dict(attributes)
        self.start = time.time_ns()
        self._monotonic = time.monotonic_ns()
        self.status = {}

    def fail(self, error):
        self.status = {"code": 2, "message": str(error)}
        self.attributes["error.type"] = type(error).__name__

    def record(self):
        record = {
            "traceId": self.context.trace_id,
            "spanId": self.context.span_id,
            "name": self.name,
            "kind": self.kind,
            "startTimeUnixNano": str(self.start),
            "endTimeUnixNano": str(self.start + time.monotonic_ns() - self._monotonic),
            "attributes": [_attribute(key, value) for key, value in self.attributes.items() if value is not None],
            "status": self.status,
        }
        if self.parent:
            record["parentSpanId"] = self.parent.span_id
        return record


def _attribute(key, value):
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    return {"key": key, "value": {"stringValue": str(value)}}


class Tracer:
    def __init__(self, endpoint, service):
        self._url = endpoint.rstrip("/").removesuffix("/v1/traces") + "/v1/traces" if endpoint else None
        self._service = service
        self._queue = queue.Queue(_LARGEST_QUEUE)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="traces", daemon=True)
        if self._url:
            self._thread.start()

    @contextlib.contextmanager
    def span(self, name, kind, parent=None, **attributes):
        """Runs the block in a span. Without a parent, the span begins a trace of its own."""
        span = Span(name, kind, parent, {key.replace("__", "."): value for key, value in attributes.items()})
        try:
            yield span
        except BaseException as e:
            span.fail(e)
            raise
        finally:
            if self._url and int(span.context.flags, 16) & 1:
                with contextlib.suppress(queue.Full):
                    self._queue.put_nowait(span.record())

    def close(self):
        """Sends the spans that have ended, and stops."""
        self._stopping.set()
        if self._url:
            self._thread.join(10)

    def _run(self):
        while not (self._stopping.is_set() and self._queue.empty()):
            spans = []
            with contextlib.suppress(queue.Empty):
                spans.append(self._queue.get(timeout=0.2))
                while len(spans) < _LARGEST_BATCH:
                    spans.append(self._queue.get_nowait())
            if spans:
                self._send(spans)

    def _send(self, spans):
        resource = {"attributes": [_attribute("service.name", self._service)]}
        scope = {"scope": {"name": "polyshop-notification"}, "spans": spans}
        body = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}).encode()
        request = urllib.request.Request(self._url, body, {"content-type": "application/json"})
        with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=5) as answer:
            answer.read()
