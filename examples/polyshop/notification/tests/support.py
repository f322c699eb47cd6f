"""Support for tests: a database with Waybill's tables, the contracts, and records of Kafka."""
import json
import os
import pathlib
import urllib.parse
import uuid

import confluent_kafka
import jsonschema

from notification import database, templates

CONTRACTS = pathlib.Path(__file__).resolve().parents[2] / "contracts"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class Contracts:
    def __init__(self):
        schemas = [json.loads(path.read_text(encoding="utf-8")) for path in CONTRACTS.glob("*.json")]
        self._schemas = {schema["$id"]: schema for schema in schemas if "$id" in schema}

    def errors(self, name, message):
        """Returns what is wrong with the message; an empty list if it matches its contract."""
        schema = self._schemas[f"https://polyshop.example/contracts/{name}.json"]
        resolver = jsonschema.RefResolver(schema["$id"], schema, store=self._schemas)
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver, format_checker=jsonschema.FormatChecker())
        return [error.message for error in validator.iter_errors(message)]


class Database:
    """A database of its own. WAYBILL_SCHEMA names files with Waybill's tables, as `waybill schema print` prints them."""

    def __init__(self):
        server, schema = os.environ.get("DATABASE_URL"), os.environ.get("WAYBILL_SCHEMA")
        if not server or not schema:
            raise RuntimeError(
                "These tests need PostgreSQL and Waybill's tables. Set DATABASE_URL, for example to postgresql://postgres@127.0.0.1:5432/postgres,"
                " and WAYBILL_SCHEMA to the files with the output of waybill schema print and waybill inbox schema print."
            )
        self._name = f"notification_test_{uuid.uuid4().hex[:12]}"
        self._admin = database.connect(server)
        self._admin.autocommit = True
        with self._admin.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {self._name}")
        self.url = urllib.parse.urlsplit(server)._replace(path="/" + self._name).geturl()
        self.connection = database.connect(self.url)
        with database.transaction(self.connection) as cursor:
            for path in schema.split(os.pathsep):
                cursor.execute(pathlib.Path(path).read_text(encoding="utf-8"))
        database.create_tables(self.url)
        with database.transaction(self.connection) as cursor:
            templates.insert_defaults(cursor)

    def rows(self, sql, *values):
        with database.transaction(self.connection) as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall()

    def published(self):
        """The messages that the relay would publish now, in order: pairs of topic and message."""
        messages = []
        for row in self.rows("SELECT id, event_type, event_version, topic, payload, headers, occurred_at FROM outbox_events ORDER BY seq"):
            event_id, event_type, version, topic, payload, headers, occurred_at = row
            if headers.get("envelope") == "none":
                messages.append((topic, payload))
                continue
            metadata = {"traceId": headers["traceparent"][3:35], "correlationId": headers["correlation-id"]}
            for header, field in (("causation-id", "causationId"), ("user-id", "userId")):
                if header in headers:
                    metadata[field] = headers[header]
            envelope = {"eventId": str(event_id), "timestamp": occurred_at.isoformat(), "eventType": event_type, "version": version}
            messages.append((topic or event_type, {**envelope, "source": headers["source"], "data": payload, "metadata": metadata}))
        return messages

    def drop(self):
        self.connection.close()
        with self._admin.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {self._name} WITH (FORCE)")
        self._admin.close()


class Record:
    """A record as the Kafka client returns it."""

    _offsets = 0

    def __init__(self, topic, value, key=b"key", headers=()):
        Record._offsets += 1
        self._values = (topic, 0, Record._offsets, key, value, list(headers))

    def topic(self):
        return self._values[0]

    def partition(self):
        return self._values[1]

    def offset(self):
        return self._values[2]

    def key(self):
        return self._values[3]

    def value(self):
        return self._values[4]

    def headers(self):
        return self._values[5]

    def error(self):
        return None


def message(topic, data, event_id=None, source="order-service"):
    return {
        "eventId": event_id or str(uuid.uuid4()),
        "timestamp": "2026-01-01T00:00:00Z",
        "eventType": topic,
        "version": 1,
        "source": source,
        "data": data,
        "metadata": {"traceId": TRACE, "correlationId": str(uuid.uuid4())},
    }


def record(topic, data, event_id=None):
    headers = [("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01".encode())]
    return Record(topic, json.dumps(message(topic, data, event_id)).encode(), headers=headers)


class Partitions:
    """The calls of a Kafka consumer that hold a partition back."""

    def __init__(self):
        self.stored = []
        self.held = []
        # The number of unread records, by topic.
        self.unread = {}

    def pause(self, partitions):
        self.held += [(p.topic, p.partition) for p in partitions]

    def seek(self, partition):
        pass

    def assignment(self):
        return [confluent_kafka.TopicPartition(topic, 0) for topic in self.unread]

    def position(self, partitions):
        return [confluent_kafka.TopicPartition(partition.topic, 0, 4) for partition in partitions]

    def committed(self, partitions, timeout):
        return [confluent_kafka.TopicPartition(partition.topic, 0, -1001) for partition in partitions]

    def get_watermark_offsets(self, partition, timeout):
        return 0, 4 + self.unread[partition.topic]

    def store_offsets(self, record):
        self.stored.append(record.offset())
