"""The templates of mails: text with {{variables}}."""
import re
import uuid

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}")

DEFAULTS = {
    "email.user.welcome": (
        "Welcome to PolyShop, {{name}}",
        "Hello {{name}},\n\nyour account is ready. We are happy that you are here.\n\nPolyShop",
    ),
    "email.order.confirmation": (
        "Your order {{orderId}}",
        "Hello {{name}},\n\nthank you for your order {{orderId}} over {{amount}} {{currency}}."
        " We write again when it is paid and when it is shipped.\n\nPolyShop",
    ),
    "email.payment.receipt": (
        "Your payment for order {{orderId}}",
        "Hello {{name}},\n\nwe have received {{amount}} {{currency}} for your order {{orderId}}. Thank you.\n\nPolyShop",
    ),
    "email.payment.failed": (
        "The payment for order {{orderId}} failed",
        "Hello {{name}},\n\nthe payment for your order {{orderId}} failed: {{reason}}\n\nPolyShop",
    ),
    "email.payment.refunded": (
        "Your refund for order {{orderId}}",
        "Hello {{name}},\n\nwe have refunded {{amount}} {{currency}} for your order {{orderId}}.\n\nPolyShop",
    ),
    "email.order.cancelled": (
        "Your order {{orderId}} is cancelled",
        "Hello {{name}},\n\nyour order {{orderId}} is cancelled: {{reason}}\n\nPolyShop",
    ),
    "email.order.shipped": (
        "Your order {{orderId}} is on its way",
        "Hello {{name}},\n\nyour order {{orderId}} has been shipped.\n\nPolyShop",
    ),
}


def insert_defaults(cursor):
    for name, (subject, body) in DEFAULTS.items():
        cursor.execute(
            "INSERT INTO templates (id, name, type, subject, body) VALUES (%s, %s, 'EMAIL', %s, %s) ON CONFLICT (name) DO NOTHING",
            (uuid.uuid4(), name, subject, body),
        )


def variables(text):
    return set(_VARIABLE.findall(text or ""))


def render(text, values):
    """Replaces the variables. Raises KeyError for a variable without a value. Values are not templates themselves."""
    return _VARIABLE.sub(lambda match: str(values[match[1]]), text or "")
