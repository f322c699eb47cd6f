"""Consumes events.

A record that fails is tried again after 1, 2, 4, 8 and 16 seconds, and then becomes a dead letter. Meanwhile its partition is paused,
so that later events of the same key wait; other partitions continue. No attempt is counted while the database is down, and while the event that a record refers to may still be unread.
"""
import contextlib
import json
import time

import confluent_kafka
import confluent_kafka.admin
import psycopg2

from . import database, envelope, log, trace
from .errors import MailError, NotYetKnown, PermanentError, PoisonError
from .notifications import TOPICS, now
from .outbox import publish

RETRIES = 5
LONGEST_WAIT_FACTOR = 16

# Leaves room for the other fields below 1 MiB, the default limit of Kafka.
LARGEST_ORIGINAL = 900_000


class Consumer:
    def __init__(self, config, notifications, tracer, stopping):
        self._config = config
        self._notifications = notifications
        self._tracer = tracer
        self._stopping = stopping
        self._connection = None
        self._failures = {}
        self._outages = 0
        self._due = {}
        self.running = False

    def run(self):
        while not self._stopping.is_set():
            try:
                self._consume()
            except confluent_kafka.KafkaException as e:
                log.warn("The Kafka client failed; connecting again in 1 s.", error=str(e))
                self._stopping.wait(1)

    def _consume(self):
        self._create_topics()
        consumer = confluent_kafka.Consumer(
            {
                "bootstrap.servers": self._config.kafka,
                "group.id": self._config.group,
                "client.id": "notification-service",
                "auto.offset.reset": "earliest",
                "enable.auto.offset.store": False,
                "auto.commit.interval.ms": 500,
                "session.timeout.ms": 6000,
                "fetch.wait.max.ms": 200,
                "topic.metadata.refresh.interval.ms": 5000,
                "reconnect.backoff.max.ms": 1000,
                "error_cb": lambda error: log.warn("Kafka client: " + str(error)),
                "log_level": 3,
            }
        )
        consumer.subscribe(list(TOPICS), on_revoke=self._revoked)
        log.info(f"Consuming {len(TOPICS)} topics in the group {self._config.group}.")
        self.running = True
        try:
            while not self._stopping.is_set():
                self._resume(consumer)
                record = consumer.poll(0.1)
                if record is None:
                    continue
                if record.error():
                    log.warn("Kafka client: " + str(record.error()))
                    continue
                self._receive(consumer, record)
        finally:
            self.running = False
            self._due.clear()
            consumer.close()
            self._disconnect()

    def _create_topics(self):
        admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": self._config.kafka, "log_level": 3})
        while not self._stopping.is_set():
            try:
                existing = admin.list_topics(timeout=5).topics
                missing = [name for name in TOPICS if name not in existing]
                if not missing:
                    return
                topics = [confluent_kafka.admin.NewTopic(name, 3, 1) for name in missing]
                for created in admin.create_topics(topics).values():
                    with contextlib.suppress(confluent_kafka.KafkaException):  # another service has created it meanwhile
                        created.result()
            except confluent_kafka.KafkaException as e:
                log.warn("Cannot reach Kafka; retrying in 1 s.", error=e)
            self._stopping.wait(1)

    def _revoked(self, _consumer, partitions):
        for partition in partitions:
            self._due.pop((partition.topic, partition.partition), None)

    def _resume(self, consumer):
        due = [place for place, at in self._due.items() if at <= time.monotonic()]
        for place in due:
            del self._due[place]
        if due:
            consumer.resume([confluent_kafka.TopicPartition(*place) for place in due])

    def _receive(self, consumer, record):
        place = (record.topic(), record.partition())
        offset = (*place, record.offset())
        headers = envelope.headers_of(record)
        context = trace.read(headers)
        try:
            event = envelope.read(record)
            event_id, trace_id = event.id, event.trace_id
            poison = None
        except PoisonError as e:
            event, poison, event_id = None, e, envelope.record_id(record)
            trace_id = context.trace_id if context else event_id
        with log.fields(traceId=trace_id, eventId=event_id, topic=record.topic()):
            try:
                wait = self._attempt(consumer, record, event, poison, event_id, headers, offset)
            except psycopg2.Error as e:
                self._disconnect()
                if not database.is_down(e):
                    log.error("Cannot store the outcome of an event.", error=e)
                wait = self._wait(self._outages)
                self._outages += 1
                log.warn(f"The database is down; retrying in {wait:.1f} s.", error=str(e).strip())
        if wait is None:
            self._outages = 0
            self._failures.pop(offset, None)
            consumer.store_offsets(record)
            return
        # The partition continues at this record when the wait is over.
        partition = confluent_kafka.TopicPartition(*offset)
        try:
            consumer.pause([partition])
            consumer.seek(partition)
            self._due[place] = time.monotonic() + wait
        except confluent_kafka.KafkaException as e:
            # The group has just revoked the partition: its next owner reads the record, because its offset is not committed.
            log.info("A partition with a failed record was revoked.", error=str(e))

    def _attempt(self, consumer, record, event, poison, event_id, headers, offset):
        """Processes a record once. Returns None if it is finished, or the seconds until the next attempt."""
        failures = self._failures.get(offset, 0)
        try:
            if poison:
                raise poison
            outcome = self._process(record, event)
            log.info("Skipped a duplicate." if outcome == "duplicate" else "Processed the event.", outcome=outcome)
            return None
        except psycopg2.Error as e:
            if database.is_down(e):
                raise
            error, permanent = e, isinstance(e, (psycopg2.DataError, psycopg2.IntegrityError))
        except MailError as e:
            error, permanent = e, not e.temporary
        except PermanentError as e:
            error, permanent = e, True
        except NotYetKnown as e:
            if any(topic == e.topic for topic, _ in self._due) or not _has_read(consumer, e.topic):
                wait = self._wait(1)
                log.info(f"{e} There are unread events; retrying in {wait:.2f} s.")
                return wait
            error, permanent = e, False
        except Exception as e:  # an error of the program; another attempt may see other data
            error, permanent = e, False
        if permanent or failures >= RETRIES:
            self._dead_letter(record, event, event_id, headers, error, failures + 1)
            return None
        self._failures[offset] = failures + 1
        wait = self._wait(failures)
        log.warn(f"Cannot process the event; attempt {failures + 2} follows in {wait:.2f} s.", error=str(error))
        return wait

    def _process(self, record, event):
        with self._tracer.span(
            f"process {record.topic()}",
            trace.CONSUMER,
            event.context,
            messaging__system="kafka",
            messaging__operation__name="process",
            messaging__operation__type="process",
            messaging__destination__name=record.topic(),
            messaging__message__id=event.id,
            messaging__message__conversation_id=event.correlation_id,
            messaging__consumer__group__name=self._config.group,
        ) as span, database.transaction(self._connected()) as cursor:
            cursor.execute(
                "INSERT INTO processed_events (consumer_group, event_id, event_type, source, entity_id)"
                " VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (self._config.group, event.id, event.type, event.source, event.key),
            )
            if cursor.rowcount == 0:
                span.attributes["waybill.outcome"] = "duplicate"
                return "duplicate"
            sent = self._notifications.apply(cursor, record.topic(), event, span)
            span.attributes["waybill.outcome"] = "processed"
            return "sent" if sent else "nothing to send"

    def _dead_letter(self, record, event, event_id, headers, error, attempts):
        text = (record.value() or b"").decode("utf-8", "replace").replace("\0", "\ufffd")
        try:
            original = json.loads(text, parse_constant=str)
            json.dumps(original)
        except (ValueError, RecursionError):
            original = text
        if len(json.dumps(original)) > LARGEST_ORIGINAL:
            original = None
        topic = record.topic() + ".dlt"
        payload = {
            "eventId": event_id,
            "originalEvent": original,
            "errorMessage": (str(error) or type(error).__name__)[:1000].replace("\0", "\ufffd"),
            "failedAt": now(),
            "consumerService": "notification-service",
        }
        context = trace.read(headers)
        own = {
            "envelope": "none",
            "source": "notification-service",
            "dead-letter-topic": record.topic(),
            "dead-letter-partition": str(record.partition()),
            "dead-letter-offset": str(record.offset()),
            "dead-letter-group": self._config.group,
            "dead-letter-attempts": str(attempts),
            "causation-id": event_id,
            **(context.headers() if context else {}),
            **({"correlation-id": event.correlation_id} if event else {}),
        }
        key = envelope.storable((record.key() or event_id.encode()).decode("utf-8", "replace"))
        with database.transaction(self._connected()) as cursor:
            # The mark is about this record and not about its event: a dead letter that is replayed is a new record.
            cursor.execute(
                "INSERT INTO processed_events (consumer_group, event_id, event_type, source, entity_id)"
                " VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (self._config.group, envelope.record_id(record, event_id), topic, event.source if event else None, key),
            )
            if cursor.rowcount == 0:
                return
            publish(cursor, "DeadLetter", key, topic, payload, own, topic)
            if isinstance(error, MailError):
                self._notifications.record_failure(cursor, error)
        log.error("The event became a dead letter.", error=str(error), attempts=attempts, alert=isinstance(error, PoisonError))

    def _wait(self, failures):
        # An hour of failures would overflow a power of two.
        failures = min(failures, 10)
        return self._config.retry_base_seconds * min(2**failures, LONGEST_WAIT_FACTOR)

    def _connected(self):
        if self._connection is None or self._connection.closed:
            self._connection = database.connect(self._config.database_url)
        return self._connection

    def _disconnect(self):
        if self._connection is not None:
            with contextlib.suppress(psycopg2.Error):
                self._connection.close()
            self._connection = None


def _has_read(consumer, topic):
    """Whether this consumer has read everything on its partitions of a topic. A backlog is no reason to give up on an event."""
    partitions = [partition for partition in consumer.assignment() if partition.topic == topic]
    if not partitions:
        return True
    try:
        places = zip(consumer.position(partitions), consumer.committed(partitions, timeout=10))
        for position, committed in places:
            low, high = consumer.get_watermark_offsets(position, timeout=10)
            # The position is unknown until this consumer has read a record of the partition.
            next_offset = max(position.offset, committed.offset, low)
            if next_offset < high:
                return False
        return True
    except confluent_kafka.KafkaException as e:
        log.warn("Kafka does not tell how much is unread.", error=str(e))
        return False
