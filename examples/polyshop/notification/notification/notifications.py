"""Decides which mail an event causes, and sends it once.

The mark of the event, the row in email_logs and the event notification.email.sent.v1 commit together. The mail itself is outside of
the transaction: it is sent just before the commit. After a crash between both, the event is processed again and the mail is sent again
with the same id: the folder then has one file, and an SMTP server gets a second copy with the same Message-ID.
"""
import datetime
import json
import uuid

from . import sinks, templates, trace
from .errors import MailError, NotYetKnown, PermanentError
from .outbox import publish

_NAMESPACE = uuid.UUID("6f1d2a52-3a0c-4d4f-9f5a-5b1f0c0a7e11")

TOPICS = (
    "auth.user.created.v1",
    "order.order.placed.v1",
    "order.order.paid.v1",
    "order.order.cancelled.v1",
    "order.order.expired.v1",
    "order.order.fulfilled.v1",
    "payment.payment.succeeded.v1",
    "payment.payment.failed.v1",
    "payment.refund.created.v1",
)

# The template of a topic, and the field that identifies the notification. payment.succeeded and order.paid are about the same
# receipt: the first of them sends it.
_MAILS = {
    "auth.user.created.v1": ("email.user.welcome", "userId"),
    "order.order.placed.v1": ("email.order.confirmation", "orderId"),
    "order.order.paid.v1": ("email.payment.receipt", "paymentId"),
    "order.order.cancelled.v1": ("email.order.cancelled", "orderId"),
    "order.order.expired.v1": ("email.order.cancelled", "orderId"),
    "order.order.fulfilled.v1": ("email.order.shipped", "orderId"),
    "payment.payment.succeeded.v1": ("email.payment.receipt", "paymentId"),
    "payment.payment.failed.v1": ("email.payment.failed", "paymentId"),
    "payment.refund.created.v1": ("email.payment.refunded", "refundId"),
}


def notification_id(template, subject):
    """The id of a notification: the same mail about the same thing always has the same id."""
    return str(uuid.uuid5(_NAMESPACE, f"{template}/{subject}"))


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Notifications:
    def __init__(self, sink, tracer):
        self._sink = sink
        self._tracer = tracer

    def apply(self, cursor, topic, event, span):
        """Applies an event in the transaction of the cursor. Returns whether a mail was sent."""
        template, field = _MAILS[topic]
        data = event.data
        subject = _text(data, field)
        if topic == "auth.user.created.v1":
            self._remember_recipient(cursor, data)
            user_id = _text(data, "userId")
        elif topic == "order.order.placed.v1":
            user_id = _text(data, "userId")
            self._remember_order(cursor, data)
        else:
            user_id = data.get("userId") or event.metadata.get("userId") or self._customer(cursor, _uuid(data, "orderId"))
        address, name = self._recipient(cursor, user_id)
        headers = {
            **span.context.headers(),
            "source": "notification-service",
            "correlation-id": event.correlation_id,
            "causation-id": event.id,
            "user-id": str(user_id),
        }
        return self.send(
            cursor,
            notification_id(template, subject),
            address,
            template,
            {"name": name or "customer", **self._variables(cursor, data)},
            headers,
            span,
            {"orderId": data.get("orderId"), "userId": str(user_id), "eventId": event.id},
        )

    def send(self, cursor, notification, address, template, values, headers, span, metadata):
        """Sends a mail unless it was sent before. Returns whether it was sent now."""
        cursor.execute("SELECT subject, body FROM templates WHERE name = %s AND type = 'EMAIL'", (template,))
        row = cursor.fetchone()
        if row is None:
            raise PermanentError(f"There is no mail template {template}.")
        try:
            mail = sinks.message(notification, address, templates.render(row[0], values), templates.render(row[1], values))
        except KeyError as e:
            raise PermanentError(f"The template {template} needs the variable {e.args[0]}.") from e
        except ValueError as e:
            raise PermanentError(f"The mail cannot be written: {e}") from e
        # A second transaction with the same id waits here until the first one ends. A mail that failed may be sent again.
        cursor.execute(
            "INSERT INTO email_logs (id, to_address, template, status, metadata) VALUES (%s, %s, %s, 'SENT', %s)"
            " ON CONFLICT (id) DO UPDATE SET status = 'SENT', error_message = NULL WHERE email_logs.status = 'FAILED'",
            (notification, address, template, json.dumps(metadata)),
        )
        if cursor.rowcount == 0:
            return False
        try:
            with self._tracer.span(f"send mail {template}", trace.CLIENT, span.context, notification__id=notification):
                self._sink.send(notification, mail)
        except MailError as e:
            e.notification = {"id": notification, "to": address, "template": template, "headers": headers, "metadata": metadata}
            raise
        payload = {"notificationId": notification, "type": "EMAIL", "template": template, "sentAt": now(), **_known(metadata)}
        publish(cursor, "Notification", notification, "notification.email.sent.v1", payload, headers)
        return True

    def record_failure(self, cursor, error):
        """Records that a mail could not be sent, and publishes it."""
        mail = error.notification
        cursor.execute(
            "INSERT INTO email_logs (id, to_address, template, status, error_message, metadata)"
            " VALUES (%s, %s, %s, 'FAILED', %s, %s) ON CONFLICT (id) DO NOTHING",
            (mail["id"], mail["to"], mail["template"], str(error)[:1000], json.dumps(mail["metadata"])),
        )
        payload = {
            "notificationId": mail["id"],
            "type": "EMAIL",
            "template": mail["template"],
            "error": str(error)[:1000],
            "failedAt": now(),
            **_known(mail["metadata"]),
        }
        publish(cursor, "Notification", mail["id"], "notification.email.failed.v1", payload, mail["headers"])

    @staticmethod
    def _remember_recipient(cursor, data):
        cursor.execute(
            "INSERT INTO recipients (user_id, email, full_name) VALUES (%s, %s, %s)"
            " ON CONFLICT (user_id) DO UPDATE SET email = excluded.email, full_name = excluded.full_name",
            (_text(data, "userId"), _text(data, "email"), data.get("fullName")),
        )

    @staticmethod
    def _remember_order(cursor, data):
        cursor.execute(
            "INSERT INTO customer_orders (order_id, user_id, total_amount, currency) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (_uuid(data, "orderId"), _text(data, "userId"), _amount(data, "totalAmount"), _text(data, "currency")),
        )

    @staticmethod
    def _customer(cursor, order_id):
        cursor.execute("SELECT user_id FROM customer_orders WHERE order_id = %s", (order_id,))
        row = cursor.fetchone()
        if row is None:
            # Topics have no order among each other: order.order.placed.v1 may arrive later.
            raise NotYetKnown(f"The customer of order {order_id} is not known yet.", "order.order.placed.v1")
        return row[0]

    @staticmethod
    def _recipient(cursor, user_id):
        cursor.execute("SELECT email, full_name FROM recipients WHERE user_id = %s", (str(user_id),))
        row = cursor.fetchone()
        if row is None:
            raise NotYetKnown(f"The address of user {user_id} is not known yet.", "auth.user.created.v1")
        return row

    @staticmethod
    def _variables(cursor, data):
        values = {key: data[key] for key in ("orderId", "reason", "currency") if data.get(key) is not None}
        if "failureReason" in data:
            values["reason"] = data["failureReason"]
        values.setdefault("reason", "no reason was given")
        if "orderId" in data and "currency" not in values:
            cursor.execute("SELECT currency FROM customer_orders WHERE order_id = %s", (_uuid(data, "orderId"),))
            row = cursor.fetchone()
            values["currency"] = row[0] if row else ""
        for key in ("amount", "totalAmount"):
            if data.get(key) is not None:
                values["amount"] = f"{_amount(data, key):.2f}"
        return values


def _known(metadata):
    return {key: metadata[key] for key in ("orderId", "userId") if metadata.get(key)}


def _text(data, field):
    value = data.get(field)
    if not isinstance(value, str) or not value or "\0" in value or len(value) > 1000:
        raise PermanentError(f"{field} must be a text.")
    return value


def _uuid(data, field):
    try:
        return str(uuid.UUID(_text(data, field)))
    except ValueError as e:
        raise PermanentError(f"{field} must be a UUID.") from e


def _amount(data, field):
    value = data.get(field)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
        raise PermanentError(f"{field} must be an amount of money.")
    return value
