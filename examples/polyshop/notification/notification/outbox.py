"""Publishing with Waybill is one INSERT."""
import json


def publish(cursor, aggregate_type, aggregate_id, event_type, payload, headers, topic=None):
    """Appends an event in the transaction of the cursor. Waybill's relay publishes it after the commit."""
    cursor.execute(
        "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, topic, payload, headers)"
        " VALUES (%s, %s, %s, %s, %s, %s)",
        (aggregate_type, aggregate_id, event_type, topic, json.dumps(payload), json.dumps(headers)),
    )
