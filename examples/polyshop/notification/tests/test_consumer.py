import json
import pathlib
import tempfile
import threading
import unittest
import uuid

from notification import config, envelope, errors, sinks, trace
from notification.consumer import RETRIES, Consumer
from notification.notifications import TOPICS, Notifications, notification_id
from tests import support

TIME = "2026-01-01T00:00:00Z"


class RefusingSink:
    """A mail server that refuses a number of mails."""

    def __init__(self, refusals, temporary):
        self.refusals = refusals
        self.temporary = temporary
        self.sent = []

    def send(self, notification, mail):
        if self.refusals > 0:
            self.refusals -= 1
            raise errors.MailError("The mail server answered 5xx or 4xx.", self.temporary)
        self.sent.append(notification)


class ConsumerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = support.Database()
        cls.addClassCleanup(cls.database.drop)
        cls.contracts = support.Contracts()

    def setUp(self):
        self.database.rows(
            "TRUNCATE email_logs, recipients, customer_orders, processed_events, outbox_events CASCADE; SELECT 1"
        )
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.partitions = support.Partitions()
        self.consumer = self.consumer_with(sinks.FolderSink(folder.name))
        self.user = str(uuid.uuid4())
        self.order = str(uuid.uuid4())
        self.payment = str(uuid.uuid4())

    def consumer_with(self, sink):
        environment = {"DATABASE_URL": self.database.url, "KAFKA": "127.0.0.1:1", "RETRY_BASE_MS": "0"}
        tracer = trace.Tracer(None, "notification-service")
        consumer = Consumer(config.read(environment), Notifications(sink, tracer), tracer, threading.Event())
        self.addCleanup(consumer._disconnect)
        return consumer

    def receive(self, record, consumer=None):
        (consumer or self.consumer)._receive(self.partitions, record)
        return record

    def register(self, **fields):
        data = {"userId": self.user, "email": "ann@example.org", "fullName": "Ann", "createdAt": TIME, **fields}
        self.receive(support.record("auth.user.created.v1", data))

    def place(self):
        data = {"orderId": self.order, "userId": self.user, "items": [{"productId": "p", "quantity": 1}], "totalAmount": 5, "currency": "EUR"}
        self.receive(support.record("order.order.placed.v1", {**data, "createdAt": TIME}))

    def templates_sent(self):
        return [row[0] for row in self.database.rows("SELECT template FROM email_logs WHERE status = 'SENT' ORDER BY created_at")]

    def assert_published(self, *topics):
        messages = self.database.published()
        self.assertEqual(list(topics), [topic for topic, _ in messages])
        for topic, message in messages:
            contract = "dead-letter" if topic.endswith(".dlt") else topic
            self.assertEqual([], self.contracts.errors(contract, message), topic)
        return [message for _, message in messages]

    def samples(self):
        """An event of each consumed topic, about the same order."""
        paid = {"orderId": self.order, "paymentId": self.payment}
        return {
            "auth.user.created.v1": {"userId": self.user, "email": "ann@example.org", "fullName": None, "createdAt": TIME},
            "order.order.placed.v1": {
                "orderId": self.order,
                "userId": self.user,
                "items": [{"productId": "p", "variantId": None, "quantity": 1}],
                "totalAmount": 19.99,
                "currency": "EUR",
                "createdAt": TIME,
            },
            "payment.payment.succeeded.v1": {**paid, "amount": 19.99, "currency": "EUR", "provider": "STRIPE", "createdAt": TIME},
            "order.order.paid.v1": {**paid, "totalAmount": 19.99, "paidAt": TIME},
            "order.order.fulfilled.v1": {"orderId": self.order, "fulfilledAt": TIME},
            "payment.payment.failed.v1": {**paid, "failureReason": "declined", "failedAt": TIME},
            "payment.refund.created.v1": {**paid, "refundId": str(uuid.uuid4()), "amount": 19.99, "status": "SUCCESS", "createdAt": TIME},
            "order.order.cancelled.v1": {"orderId": self.order, "reason": "changed my mind", "cancelledAt": TIME},
            "order.order.expired.v1": {"orderId": self.order, "expiredAt": TIME},
        }

    def test_every_consumed_event_of_a_contract_is_processed(self):
        sources = {"auth": "auth-service", "order": "order-service", "payment": "payment-service"}
        samples = self.samples()
        self.assertEqual(set(TOPICS), set(samples))
        for topic, data in samples.items():
            message = support.message(topic, {**data, "later": {"x": 1}}, source=sources[topic.split(".")[0]])
            self.assertEqual([], self.contracts.errors(topic, message))
            self.receive(support.record(topic, {**data, "later": {"x": 1}}))
        # The receipt is sent for payment.succeeded only, and one mail says that the order has ended.
        expected = ["user.welcome", "order.confirmation", "payment.receipt", "order.shipped", "payment.failed", "payment.refunded", "order.cancelled"]
        self.assertEqual(["email." + name for name in expected], self.templates_sent())
        messages = self.assert_published(*["notification.email.sent.v1"] * 7)
        self.assertEqual({support.TRACE}, {message["metadata"]["traceId"] for message in messages})
        self.assertEqual(7, len(list(self.folder.glob("*.eml"))))

    def test_a_duplicate_sends_no_second_mail(self):
        data = {"userId": self.user, "email": "ann@example.org", "fullName": "Ann", "createdAt": TIME}
        event = str(uuid.uuid4())
        self.receive(support.record("auth.user.created.v1", data, event))
        self.receive(support.record("auth.user.created.v1", data, event))
        self.receive(support.record("auth.user.created.v1", data))  # another event about the same user
        self.assert_published("notification.email.sent.v1")
        self.assertEqual(3, len(self.partitions.stored))

    def test_a_mail_that_was_sent_before_a_crash_replaces_its_file(self):
        notification = notification_id("email.user.welcome", self.user)
        (self.folder / f"{notification}.eml").write_text("sent just before the crash")
        self.register()
        self.assertEqual([f"{notification}.eml"], [path.name for path in self.folder.iterdir()])
        self.assertIn("Hello Ann", (self.folder / f"{notification}.eml").read_text())

    def test_an_event_that_comes_too_early_is_retried(self):
        self.register()
        early = support.record("order.order.fulfilled.v1", {"orderId": self.order, "fulfilledAt": TIME})
        self.receive(early)
        self.assertEqual([("order.order.fulfilled.v1", 0)], self.partitions.held)
        self.assertNotIn(early.offset(), self.partitions.stored)
        self.place()
        self.receive(early)
        self.assertIn(early.offset(), self.partitions.stored)
        self.assertEqual(["email.user.welcome", "email.order.confirmation", "email.order.shipped"], self.templates_sent())

    def test_no_attempt_counts_while_the_missing_event_may_be_unread(self):
        self.partitions.unread = {"order.order.placed.v1": 1, "auth.user.created.v1": 0}
        early = support.record("order.order.fulfilled.v1", {"orderId": self.order, "fulfilledAt": TIME})
        for _ in range(RETRIES + 5):
            self.receive(early)
        self.assert_published()
        self.partitions.unread["order.order.placed.v1"] = 0
        for _ in range(RETRIES + 1):
            self.receive(early)
        self.assert_published("order.order.fulfilled.v1.dlt")

    def test_an_event_that_keeps_failing_becomes_a_dead_letter(self):
        record = support.record("order.order.fulfilled.v1", {"orderId": self.order, "fulfilledAt": TIME})
        for _ in range(RETRIES):
            self.receive(record)
        self.assert_published()
        self.receive(record)
        (letter,) = self.assert_published("order.order.fulfilled.v1.dlt")
        self.assertEqual(self.order, letter["originalEvent"]["data"]["orderId"])
        self.assertIn(record.offset(), self.partitions.stored)
        # A replay is a new record of the same event. It is processed, because the event itself was not.
        self.register()
        self.place()
        self.receive(support.Record(record.topic(), record.value(), headers=record.headers()))
        self.assertEqual("email.order.shipped", self.templates_sent()[-1])

    def test_invalid_events_and_poison_become_dead_letters_at_once(self):
        self.receive(support.record("order.order.cancelled.v1", {"orderId": "no uuid", "reason": "x", "cancelledAt": TIME}))
        for value in (b"{", b"\xff\xfe", b"[]", b'{"eventId": "x", "data": {}}', b'{"eventId": 7}', None, b"[" * 100_000):
            poison = support.Record("order.order.cancelled.v1", value, key=None)
            self.receive(poison)
            self.receive(poison)  # delivered again, because its offset was not committed
        hostile = support.message("order.order.cancelled.v1", {"orderId": "x"}, source="a\0b")
        hostile["metadata"]["correlationId"] = "c\0d\ud800"
        self.receive(support.Record("order.order.cancelled.v1", json.dumps(hostile).encode(), key=b"k\0k"))
        self.assert_published(*["order.order.cancelled.v1.dlt"] * 9)
        self.assertEqual([], self.partitions.held)

    def test_a_mail_that_is_refused_for_ever_is_published_as_failed(self):
        consumer = self.consumer_with(RefusingSink(1, temporary=False))
        self.receive(support.record("auth.user.created.v1", {"userId": self.user, "email": "a@example.org", "createdAt": TIME}), consumer)
        self.assert_published("auth.user.created.v1.dlt", "notification.email.failed.v1")
        self.assertEqual([("FAILED",)], self.database.rows("SELECT status FROM email_logs"))

    def test_a_mail_that_is_refused_for_a_while_is_sent_once(self):
        sink = RefusingSink(2, temporary=True)
        consumer = self.consumer_with(sink)
        record = support.record("auth.user.created.v1", {"userId": self.user, "email": "a@example.org", "createdAt": TIME})
        for _ in range(4):
            self.receive(record, consumer)
        self.assertEqual([notification_id("email.user.welcome", self.user)], sink.sent)
        self.assert_published("notification.email.sent.v1")

    def test_names_cannot_inject_headers_or_templates(self):
        self.register(fullName="Ann\r\nBcc: thief@example.org {{orderId}}")
        (path,) = self.folder.iterdir()
        head, _, body = path.read_text().partition("\n\n")
        self.assertNotIn("\nBcc:", head)
        self.assertIn("{{orderId}}", body)

    def test_an_event_about_another_record_keeps_its_own_id(self):
        first, second = support.Record("t", b"{"), support.Record("t", b"{")
        self.assertEqual(envelope.record_id(first), envelope.record_id(first))
        self.assertNotEqual(envelope.record_id(first), envelope.record_id(second))


if __name__ == "__main__":
    unittest.main()
