"""Errors, by what to do about them."""


class TemporaryError(Exception):
    """Another attempt may succeed."""


class NotYetKnown(TemporaryError):
    """The event refers to something that an event of another topic will tell."""

    def __init__(self, message, topic):
        super().__init__(message)
        self.topic = topic


class PermanentError(Exception):
    """No attempt can succeed: the event becomes a dead letter at once."""


class PoisonError(PermanentError):
    """The record is no event. Somebody has to look at its producer."""


class MailError(Exception):
    """The mail could not be sent; `temporary` tells whether another attempt may succeed."""

    def __init__(self, message, temporary, notification=None):
        super().__init__(message)
        self.temporary = temporary
        self.notification = notification


class RequestError(Exception):
    """An error that an HTTP client sees."""

    def __init__(self, status, code, message, details=()):
        super().__init__(message)
        self.status = status
        self.code = code
        self.details = list(details)
