"""The notification service: python3 -m notification"""
import contextlib
import signal
import sys
import threading

try:
    import confluent_kafka  # noqa: F401
    import cryptography  # noqa: F401
    import jwt  # noqa: F401
    import psycopg2
except ImportError as missing:
    sys.exit(
        f"{missing}. Run: apt-get install python3-psycopg2 python3-confluent-kafka python3-jwt python3-cryptography,"
        " and start the service with /usr/bin/python3."
    )

from . import config, database, log, sinks, templates, trace, web
from .consumer import Consumer
from .notifications import Notifications
from .tokens import Tokens


def main():
    try:
        settings = config.read()
    except config.ConfigError as e:
        sys.exit(str(e))
    stopping = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopping.set())
    if not _prepare(settings, stopping):
        return
    tracer = trace.Tracer(settings.otlp_endpoint, "notification-service")
    folder = sinks.FolderSink(settings.mail_folder)
    sink = sinks.SmtpSink(settings.smtp, folder) if settings.smtp else folder
    notifications = Notifications(sink, tracer)
    consumer = Consumer(settings, notifications, tracer, stopping)
    api = web.Api(settings.database_url, notifications, sink, Tokens(settings.jwks_url), consumer)
    server = web.server(settings.port, api, tracer)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.2}, name="http", daemon=True).start()
    log.info(f"The notification service listens on http://127.0.0.1:{server.server_port}.", port=server.server_port)
    try:
        consumer.run()
    finally:
        server.shutdown()
        server.server_close()
        tracer.close()
    log.info("The notification service has stopped.")


def _prepare(settings, stopping):
    """Creates the service's tables, and waits for Waybill's tables. Returns whether the service may start."""
    while not stopping.is_set():
        try:
            missing = database.missing_tables(settings.database_url)
            if not missing:
                database.create_tables(settings.database_url)
                with contextlib.closing(database.connect(settings.database_url)) as connection:
                    with database.transaction(connection) as cursor:
                        templates.insert_defaults(cursor)
                return True
            log.warn(f"Waiting for {' and '.join(missing)}. Run waybill schema apply and waybill inbox schema apply.")
        except psycopg2.Error as e:
            if not database.is_down(e):
                raise
            log.warn("The database is down; retrying in 1 s.", error=str(e).strip())
        stopping.wait(1)
    return False


if __name__ == "__main__":
    main()
