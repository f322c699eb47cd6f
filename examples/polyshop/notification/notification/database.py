"""Connections, transactions, and errors that are not the fault of an event."""
import contextlib
import pathlib

import psycopg2
import psycopg2.extras

psycopg2.extras.register_uuid()

_DOWN = ("08", "53", "57P", "25P03")


def connect(url):
    return psycopg2.connect(
        url,
        connect_timeout=5,
        application_name="notification-service",
        options="-c lock_timeout=10000 -c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000",
    )


@contextlib.contextmanager
def transaction(connection):
    """Commits if the block ends, and rolls back if it raises."""
    try:
        with connection.cursor() as cursor:
            yield cursor
        connection.commit()
    except BaseException:
        with contextlib.suppress(psycopg2.Error):
            connection.rollback()
        raise


def is_down(error):
    """Whether the database cannot be reached at the moment. Such an error says nothing about the event that was processed."""
    if not isinstance(error, psycopg2.Error):
        return False
    if error.pgcode:
        return error.pgcode.startswith(_DOWN)
    return isinstance(error, (psycopg2.OperationalError, psycopg2.InterfaceError))


def create_tables(url):
    sql = pathlib.Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
    with contextlib.closing(connect(url)) as connection, transaction(connection) as cursor:
        # The lock keeps two instances from creating the tables at once.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('polyshop-notification-schema'))")
        cursor.execute(sql)


def missing_tables(url):
    """Returns the names of Waybill's tables that do not exist yet."""
    with contextlib.closing(connect(url)) as connection, transaction(connection) as cursor:
        cursor.execute(
            "SELECT name FROM unnest(ARRAY['outbox_events', 'processed_events']) name WHERE to_regclass(name) IS NULL"
        )
        return [row[0] for row in cursor.fetchall()]
