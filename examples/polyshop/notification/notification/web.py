"""The HTTP API of the service. It listens on the loopback address only."""
import contextlib
import hashlib
import http
import http.server
import json
import re
import urllib.parse
import uuid

import psycopg2

from . import database, log, templates, trace
from .errors import MailError, PermanentError, RequestError
from .notifications import notification_id, now

_LARGEST_BODY = 64 * 1024
_LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?")


class Api:
    """The routes. Each returns a status and a body."""

    def __init__(self, database_url, notifications, sink, tokens, consumer):
        self._database_url = database_url
        self._notifications = notifications
        self._sink = sink
        self._tokens = tokens
        self._consumer = consumer
        self.routes = [
            ("GET", r"/health", self._health),
            ("GET", r"/templates", self._list_templates),
            ("POST", r"/templates", self._create_template),
            ("POST", r"/templates/([^/]+)/preview", self._preview),
            ("POST", r"/notifications/email", self._send_email),
            ("POST", r"/notifications/sms", self._send_sms),
        ]

    @contextlib.contextmanager
    def _transaction(self):
        with contextlib.closing(database.connect(self._database_url)) as connection, database.transaction(connection) as cursor:
            yield cursor

    def _health(self, _call):
        details = {"consumer": "UP" if self._consumer.running else "DOWN"}
        try:
            with self._transaction() as cursor:
                cursor.execute("SELECT 1")
            return 200, {"status": "UP", "details": {"database": "UP", **details}}
        except psycopg2.Error:
            return 503, {"status": "DOWN", "details": {"database": "DOWN", **details}}

    def _list_templates(self, call):
        self._tokens.check(call.authorization)
        with self._transaction() as cursor:
            cursor.execute("SELECT id, name, type, subject, body, created_at FROM templates ORDER BY name")
            return 200, [_template(row) for row in cursor.fetchall()]

    def _create_template(self, call):
        self._tokens.require_admin(call.authorization)
        body = call.json()
        _check(
            body,
            name=lambda v: _is_text(v, 100) and re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", v) or "must be lower-case words with dots",
            type=lambda v: v in ("EMAIL", "SMS") or "must be EMAIL or SMS",
            subject=lambda v: v is None or _is_text(v, 200) or "must be a text of at most 200 characters",
            body=lambda v: _is_text(v, 20_000) or "must be a text of at most 20000 characters",
        )
        if body["type"] == "EMAIL" and not body.get("subject"):
            raise RequestError(400, "VALIDATION_FAILED", "subject is required for mails.", [{"field": "subject", "message": "is required"}])
        with self._transaction() as cursor:
            cursor.execute(
                "INSERT INTO templates (id, name, type, subject, body) VALUES (%s, %s, %s, %s, %s) ON CONFLICT (name) DO NOTHING"
                " RETURNING id, name, type, subject, body, created_at",
                (uuid.uuid4(), body["name"], body["type"], body.get("subject"), body["body"]),
            )
            row = cursor.fetchone()
        if row is None:
            raise RequestError(409, "TEMPLATE_EXISTS", f"There is already a template {body['name']}.")
        return 201, _template(row)

    def _preview(self, call):
        self._tokens.require_admin(call.authorization)
        values = _variables(call.json())
        with self._transaction() as cursor:
            cursor.execute("SELECT subject, body FROM templates WHERE id::text = %s", (call.parameters[0].lower(),))
            row = cursor.fetchone()
        if row is None:
            raise RequestError(404, "TEMPLATE_NOT_FOUND", "There is no such template.")
        return 200, {"subject": _render(row[0], values), "body": _render(row[1], values)}

    def _send_email(self, call):
        claims = self._tokens.require_admin(call.authorization)
        body = call.json()
        _check(
            body,
            to=lambda v: _is_text(v, 320) and re.fullmatch(r"[^\s@]+@[^\s@]+", v) is not None or "must be a mail address",
            templateName=lambda v: _is_text(v, 100) or "must be the name of a template",
        )
        notification, digest = call.notification("email", claims["sub"], body)
        headers = {**call.span.context.headers(), "source": "notification-service", "correlation-id": notification}
        metadata = {"request": digest}
        try:
            with self._transaction() as cursor:
                sent = self._notifications.send(
                    cursor, notification, body["to"], body["templateName"], _variables(body), headers, call.span, metadata
                )
                if not sent:
                    cursor.execute("SELECT metadata ->> 'request' FROM email_logs WHERE id = %s", (notification,))
                    _require_same(cursor.fetchone()[0], digest)
        except PermanentError as e:
            raise RequestError(422, "CANNOT_SEND", str(e)) from e
        except MailError as e:
            if e.temporary:
                raise RequestError(503, "MAIL_UNAVAILABLE", str(e)) from e
            with self._transaction() as cursor:
                self._notifications.record_failure(cursor, e)
            return 202, {"notificationId": notification, "status": "FAILED"}
        return 202, {"notificationId": notification, "status": "SENT"}

    def _send_sms(self, call):
        claims = self._tokens.require_admin(call.authorization)
        body = call.json()
        _check(
            body,
            to=lambda v: _is_text(v, 20) and re.fullmatch(r"\+[0-9]{5,15}", v) is not None or "must be a number such as +491701234567",
            templateName=lambda v: _is_text(v, 100) or "must be the name of a template",
        )
        notification, digest = call.notification("sms", claims["sub"], body)
        values = _variables(body)
        with self._transaction() as cursor:
            cursor.execute("SELECT body FROM templates WHERE name = %s AND type = 'SMS'", (body["templateName"],))
            row = cursor.fetchone()
            if row is None:
                raise RequestError(422, "CANNOT_SEND", f"There is no SMS template {body['templateName']}.")
            text = _render(row[0], values)
            cursor.execute(
                "INSERT INTO sms_logs (id, to_number, template, status, metadata) VALUES (%s, %s, %s, 'SENT', %s) ON CONFLICT DO NOTHING",
                (notification, body["to"], body["templateName"], json.dumps({"request": digest})),
            )
            if cursor.rowcount == 1:
                self._sink.send_sms(notification, body["to"], text)
            else:
                cursor.execute("SELECT metadata ->> 'request' FROM sms_logs WHERE id = %s", (notification,))
                _require_same(cursor.fetchone()[0], digest)
        return 202, {"notificationId": notification, "status": "SENT"}


class Call:
    def __init__(self, authorization, idempotency_key, body, parameters, span):
        self.authorization = authorization
        self.parameters = parameters
        self.span = span
        self._key = idempotency_key
        self._body = body

    def json(self):
        try:
            value = json.loads(self._body.decode("utf-8") or "{}")
        except (ValueError, RecursionError) as e:
            raise RequestError(400, "MALFORMED_JSON", "The body is not JSON.") from e
        if not isinstance(value, dict):
            raise RequestError(400, "BAD_REQUEST", "The body must be a JSON object.")
        return value

    def notification(self, kind, user, body):
        """The id of the notification: the same Idempotency-Key of the same user always gives the same id."""
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        if self._key is None:
            return str(uuid.uuid4()), digest
        if not re.fullmatch(r"[\x21-\x7e]{1,255}", self._key):
            raise RequestError(400, "BAD_REQUEST", "Idempotency-Key must have 1 to 255 visible ASCII characters.")
        return notification_id(f"{kind}/{user}", self._key), digest


def server(port, api, tracer):
    """Returns a server for the API that is bound and does not serve yet."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 15

        def do_GET(self):
            self._serve()

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        def log_message(self, *_):
            pass

        def _serve(self):
            given = self.headers.get("X-Request-Id") or ""
            request_id = given if re.fullmatch(r"[\w-]{1,64}", given) else str(uuid.uuid4())
            path = urllib.parse.urlsplit(self.path).path
            parent = trace.read({key.lower(): value for key, value in self.headers.items()})
            with tracer.span(f"{self.command} {self._route(path)}", trace.SERVER, parent, http__request__method=self.command) as span:
                with log.fields(traceId=span.context.trace_id, requestId=request_id):
                    status, body = self._answer(path, span, request_id)
                span.attributes["http.response.status_code"] = status
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("X-Request-Id", request_id)
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)

        @staticmethod
        def _route(path):
            return next((pattern.replace("([^/]+)", "{}") for _, pattern, _ in api.routes if re.fullmatch(pattern, path)), "")

        def _answer(self, path, span, request_id):
            try:
                if not _LOCAL.fullmatch(self.headers.get("Host") or ""):
                    raise RequestError(403, "FORBIDDEN_HOST", "The service answers requests for loopback names only.")
                matches = [(method, re.fullmatch(pattern, path), route) for method, pattern, route in api.routes]
                matches = [entry for entry in matches if entry[1]]
                if not matches:
                    raise RequestError(404, "NOT_FOUND", "There is nothing at this address.")
                for method, match, route in matches:
                    if method == self.command:
                        body = self._body()
                        return route(
                            Call(self.headers.get("Authorization"), self.headers.get("Idempotency-Key"), body, match.groups(), span)
                        )
                raise RequestError(405, "METHOD_NOT_ALLOWED", "This address does not support the method.")
            except RequestError as e:
                if self.command != "GET":
                    self.close_connection = True  # the body may not have been read
                return e.status, _problem(e.status, e.code, str(e), path, request_id, e.details)
            except Exception as e:
                self.close_connection = True
                log.error("A request failed.", path=path, error=str(e).strip())
                if database.is_down(e):
                    return 503, _problem(503, "DATABASE_UNAVAILABLE", "The database does not answer. Try again later.", path, request_id)
                return 500, _problem(500, "INTERNAL_ERROR", "The request failed. Its requestId is in the log.", path, request_id)

        def _body(self):
            if self.headers.get("Transfer-Encoding"):
                raise RequestError(411, "LENGTH_REQUIRED", "The request needs the header Content-Length.")
            length = self.headers.get("Content-Length") or "0"
            if not length.isascii() or not length.isdigit():
                raise RequestError(400, "BAD_REQUEST", "Content-Length must be a number.")
            if int(length) > _LARGEST_BODY:
                raise RequestError(413, "BODY_TOO_LARGE", f"A body may have {_LARGEST_BODY} bytes.")
            return self.rfile.read(int(length))

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        # The default looks up the name of the host, which can take long.
        def server_bind(self):
            http.server.socketserver.TCPServer.server_bind(self)
            self.server_name, self.server_port = self.server_address[:2]

    return Server(("127.0.0.1", port), Handler)


def _problem(status, code, message, path, request_id, details=()):
    return {
        "timestamp": now(),
        "status": status,
        "error": http.HTTPStatus(status).phrase,
        "code": code,
        "message": message,
        "path": path,
        "requestId": request_id,
        "details": list(details),
    }


def _template(row):
    names = ("id", "name", "type", "subject", "body", "createdAt")
    return {name: value.isoformat() if name == "createdAt" else str(value) if name == "id" else value for name, value in zip(names, row)}


def _check(given, /, **rules):
    answers = {field: rule(given.get(field)) for field, rule in rules.items()}
    details = [{"field": field, "message": answer if isinstance(answer, str) else "is not valid"} for field, answer in answers.items() if not _holds(answer)]
    if details:
        raise RequestError(400, "VALIDATION_FAILED", f"{details[0]['field']} {details[0]['message']}.", details)


def _holds(answer):
    return not isinstance(answer, str) and bool(answer)


def _is_text(value, longest):
    return isinstance(value, str) and 0 < len(value) <= longest and "\0" not in value


def _variables(body):
    values = body.get("variables") or {}
    if not isinstance(values, dict) or len(values) > 100 or not all(isinstance(v, (str, int, float)) and len(str(v)) <= 2000 and "\0" not in str(v) for v in values.values()):
        raise RequestError(400, "VALIDATION_FAILED", "variables must be an object of texts and numbers.")
    return values


def _render(text, values):
    try:
        return templates.render(text, values)
    except KeyError as e:
        raise RequestError(422, "VARIABLE_MISSING", f"The template needs the variable {e.args[0]}.") from e


def _require_same(stored, digest):
    if stored != digest:
        raise RequestError(409, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key belongs to a request with another body.")
