"""Where mails go: into a folder, or to an SMTP server."""
import email.message
import email.policy
import os
import pathlib
import re
import smtplib

from .errors import MailError

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def message(notification_id, to, subject, body):
    """The mail. Control characters in a header would begin another header, so they become spaces."""
    mail = email.message.EmailMessage(policy=email.policy.SMTP)
    mail["From"] = "PolyShop <shop@polyshop.example>"
    mail["To"] = _CONTROL.sub(" ", to)
    mail["Subject"] = _CONTROL.sub(" ", subject)
    # The receiver can recognize a second copy of the same mail by this id.
    mail["Message-ID"] = f"<{notification_id}@polyshop.example>"
    mail.set_content(body)
    return mail


class FolderSink:
    """One file per notification, named by its id. Sending a mail again replaces the file by an equal one: the effect is idempotent."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)

    def send(self, notification_id, mail):
        self._write(f"{notification_id}.eml", bytes(mail))

    def send_sms(self, notification_id, to, text):
        self._write(f"{notification_id}.sms", f"To: {_CONTROL.sub(' ', to)}\n\n{text}\n".encode())

    def _write(self, name, content):
        temporary = self._folder / f".{name}.{os.getpid()}"
        try:
            with open(temporary, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._folder / name)
        except OSError as e:
            raise MailError(f"Cannot write {name}: {e}", temporary=True) from e


class SmtpSink:
    """An SMTP server. A crash between its answer and the commit sends the mail again, with the same Message-ID."""

    def __init__(self, address, sms):
        host, _, port = address.partition(":")
        self._address = (host, int(port or 25))
        self._sms = sms

    def send(self, notification_id, mail):
        try:
            with smtplib.SMTP(*self._address, timeout=10) as server:
                server.send_message(mail)
        except smtplib.SMTPRecipientsRefused as e:
            codes = [code for code, _ in e.recipients.values()]
            raise MailError(f"The mail server refused the recipient: {codes}", temporary=all(code < 500 for code in codes)) from e
        except smtplib.SMTPResponseException as e:
            raise MailError(f"The mail server answered {e.smtp_code}: {e.smtp_error!r}", temporary=e.smtp_code < 500) from e
        except (OSError, smtplib.SMTPException) as e:
            raise MailError(f"The mail server does not answer: {e}", temporary=True) from e

    def send_sms(self, notification_id, to, text):
        self._sms.send_sms(notification_id, to, text)
