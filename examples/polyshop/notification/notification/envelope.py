"""Reads records as events. Unknown fields are ignored."""
import dataclasses
import json
import uuid

from . import trace
from .errors import PoisonError


@dataclasses.dataclass(frozen=True)
class Event:
    id: str
    type: str
    source: str | None
    data: dict
    metadata: dict
    headers: dict
    key: str

    @property
    def correlation_id(self):
        return storable(self.metadata.get("correlationId") or self.id)

    @property
    def context(self):
        return trace.read(self.headers)

    @property
    def trace_id(self):
        return self.context.trace_id if self.context else str(self.metadata.get("traceId") or self.id)


def storable(text):
    """PostgreSQL stores no NUL characters. A name that contains one must not keep its event from becoming a dead letter."""
    return str(text).replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")[:255]


def headers_of(record):
    """The headers of a record as text. The last header of a name wins."""
    return {name: (value or b"").decode("utf-8", "replace") for name, value in record.headers() or []}


def read(record):
    try:
        envelope = json.loads((record.value() or b"").decode("utf-8"))
    except (ValueError, RecursionError) as e:
        raise PoisonError(f"The record is not JSON: {e}") from e
    if not isinstance(envelope, dict):
        raise PoisonError("The record is not a JSON object.")
    try:
        event_id = str(uuid.UUID(envelope.get("eventId")))
    except (ValueError, TypeError, AttributeError) as e:
        raise PoisonError("The record has no eventId, or it is not a UUID.") from e
    if not isinstance(envelope.get("data"), dict):
        raise PoisonError("The record has no data.")
    metadata = envelope.get("metadata")
    source = envelope.get("source")
    return Event(
        id=event_id,
        type=storable(envelope.get("eventType") or record.topic()),
        source=storable(source) if isinstance(source, str) else None,
        data=envelope["data"],
        metadata=metadata if isinstance(metadata, dict) else {},
        headers=headers_of(record),
        key=storable((record.key() or event_id.encode()).decode("utf-8", "replace")),
    )


def record_id(record, event_id=""):
    """An id for a record: the same record always gets the same id."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{record.topic()}/{record.partition()}/{record.offset()}/{event_id}"))
