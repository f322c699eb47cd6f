"""Structured logs: one JSON object per line. Every line has traceId and eventId; they are null outside of a request or an event."""
import contextlib
import contextvars
import datetime
import json
import sys
import threading

_context = contextvars.ContextVar("log", default={})
_lock = threading.Lock()


@contextlib.contextmanager
def fields(**values):
    """Log lines that the block writes carry these fields."""
    token = _context.set({**_context.get(), **values})
    try:
        yield
    finally:
        _context.reset(token)


def _write(level, message, values):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = {"time": now, "level": level, "service": "notification-service", "message": message, "traceId": None, "eventId": None}
    line.update(_context.get())
    line.update(values)
    text = json.dumps(line, default=str)
    with _lock:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def info(message, **values):
    _write("info", message, values)


def warn(message, **values):
    _write("warn", message, values)


def error(message, **values):
    _write("error", message, values)
